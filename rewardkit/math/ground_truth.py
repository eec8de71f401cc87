"""Ground truths: their forms, and the checks that refuse unusable ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, cast

from rewardkit.errors import GroundTruthError
from rewardkit.math.extract.extract import all_boxed, extract
from rewardkit.math.latex.normalise import repair
from rewardkit.math.policy import DEFAULT, Policy

MAX_GOLD_CHARS = 20_000
"""A longer ground truth is not an answer."""

_SAYS_SOMETHING = re.compile(r"[^\W_]|\\[A-Za-z{]|[∅∞√π%°]|\{ *\}")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)


class Gold(NamedTuple):
    """A ground truth, read once for all completions that are judged by it."""

    texts: tuple[str, ...]
    """The accepted answers."""
    decimal_commas: bool
    """One of them has a comma in braces, which may be a decimal comma."""

    def texts_for(self, policy: Policy) -> tuple[str, ...]:
        """The answers of which one is enough; one list of all of them if the policy asks for all."""
        if policy is DEFAULT:
            return self.texts
        texts = tuple(_stated(one, policy) for one in self.texts) if policy.lenient else self.texts
        return texts if policy.any_gold or len(texts) == 1 else (" , ".join(texts),)


def prepare(ground_truth: object) -> Gold:
    """A ground truth for `judge`, prepared for many completions. Raises GroundTruthError if it is broken."""
    if isinstance(ground_truth, str):
        return _prepared(ground_truth)
    if isinstance(ground_truth, Gold):
        return ground_truth
    return _read(ground_truth)


def _read(ground_truth: object) -> Gold:
    texts = gold_texts(ground_truth)
    return Gold(texts, any("{,}" in one for one in texts))


_prepared = lru_cache(maxsize=8_192)(_read)


def gold_texts(ground_truth: object) -> tuple[str, ...]:
    """The accepted answers as texts; a list, a tuple or a JSON list of texts holds several. Raises GroundTruthError if one is broken."""
    if isinstance(ground_truth, str):
        return gold_texts(several) if (several := _listed(ground_truth)) else (clean_gold(ground_truth),)
    if isinstance(ground_truth, list | tuple | set | frozenset):
        values = cast("Iterable[object]", ground_truth)
        if not (texts := tuple(text for one in values for text in gold_texts(one))):
            raise GroundTruthError("the list of ground truths is empty")
        return texts
    return (_scalar(ground_truth),)


def _listed(text: str) -> list[str] | None:
    """The texts of a JSON list, as a table without lists holds several answers."""
    if '"' in text and text.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            values = json.loads(text)
            return values if all(isinstance(one, str) for one in values) else None
    return None


def _stated(gold: str, policy: Policy) -> str:
    """The answer that a whole solution states, if a ground truth is one (lenient mode)."""
    if len(gold) < 80 or gold.count(" ") < 12:
        return gold
    return extract(gold, policy).answer or gold


def clean_gold(text: str) -> str:
    """`text` without its box or math delimiters. Raises GroundTruthError if no answer could ever equal it."""
    if len(text) > MAX_GOLD_CHARS:
        raise GroundTruthError(f"ground truth of {len(text)} characters is too long to be an answer")
    stripped = text.strip()
    if "####" in stripped and (marked := stripped.rsplit("####", 1)[1].strip()):
        stripped = marked  # a worked solution
    if "\\boxed" in stripped or "\\fbox" in stripped:
        boxes = all_boxed(repair(stripped))
        if not boxes:
            raise GroundTruthError(f"ground truth with a truncated box: {text[:80]!r}")
        stripped = " , ".join(dict.fromkeys(one.strip() for one in boxes))
    if stripped not in {"<", ">", "="} and not _SAYS_SOMETHING.search(stripped):
        raise GroundTruthError(f"empty ground truth: {text[:80]!r}")
    if stripped.lower() in {"nan", "null", "n/a", "tbd", "unknown", "\\text{nan}"}:
        raise GroundTruthError(f"ground truth is a placeholder: {text[:80]!r}")
    if stripped.rstrip("$ ").endswith("^"):
        raise GroundTruthError(f"ground truth that breaks off: {text[:80]!r}")
    if not _balanced(stripped) or stripped.count("(") + stripped.count("[") > stripped.count(")") + stripped.count("]"):
        raise GroundTruthError(f"ground truth with unbalanced braces: {text[:80]!r}")
    return stripped


def _balanced(text: str) -> bool:
    """Whether each brace has its partner; escaped ones are text."""
    if "{" not in text and "}" not in text:
        return True
    depths = list(accumulate({"{": 1, "}": -1}.get(one, 0) for one in _BRACES.findall(text)))
    return not depths or (min(depths) == 0 == depths[-1])


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and abs(value) >= 10**1000:
        raise GroundTruthError(f"ground truth of {value.bit_length()} bits is too long")
    if value is None:
        raise GroundTruthError("no ground truth")
    if isinstance(value, int | float):
        if value != value:  # noqa: PLR0124
            raise GroundTruthError("ground truth is NaN")
        return clean_gold(repr(value).replace("inf", "\\infty"))
    raise GroundTruthError(f"a ground truth is a text, a number or a list of them, not {type(value).__name__}")
