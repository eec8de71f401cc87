"""Stage `text`: the same text but for layout."""

from __future__ import annotations

from functools import lru_cache

from rewardkit.math.latex.squeezed import skeleton, squeeze
from rewardkit.math.patterns import lazy
from rewardkit.math.results import Judgement, equal

_ONE_TEXT = lazy(r"\\text ?\{([^{}\\]{1,200})\}")
_UPRIGHT = lazy(r"\\(?:text|mathrm|rm|ce) ?\{([^{}\\$]{1,60})\}")


def same_text(gold: str, answer: str) -> Judgement | None:
    """The same text but for layout (a chain such as 41 = 42 is left to the later stages)."""
    if "=" in answer and not any(map(str.isalpha, answer.split("=", 1)[0])):
        return None
    if gold == answer or (_may_be_same(gold, answer) and squeeze(gold) == squeeze(answer)):
        return equal(answer, "the same text", "text")
    if gold.startswith("\\text") != answer.startswith("\\text"):
        wrapped, plain = (gold, answer) if gold.startswith("\\text") else (answer, gold)
        inside = _ONE_TEXT.fullmatch(wrapped)
        if inside is not None and squeeze(inside[1]) == squeeze(plain):
            return equal(answer, "the same text", "text")
    if "_" in gold and "_" in answer and (_UPRIGHT.search(gold) or _UPRIGHT.search(answer)):
        left, right = _UPRIGHT.sub(r"\1", gold), _UPRIGHT.sub(r"\1", answer)
        if _may_be_same(gold, answer) and squeeze(left) == squeeze(right):
            return equal(answer, "the same text but for upright letters", "text")
    return None


def _may_be_same(gold: str, answer: str) -> bool:
    """Whether two texts have the same digits and signs in the same order, as far as that is known."""
    one = _gold_skeleton(gold)
    other = None if one is None else skeleton(answer)
    return one is None or other is None or one == other


_gold_skeleton = lru_cache(maxsize=4_096)(skeleton)
