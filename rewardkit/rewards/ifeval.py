"""Instructions that a rule can check: IFEval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError
from rewardkit.rewards._instructions import check_arguments, follows
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 200_000
"""Longer answers are `malformed`: no instruction of the set asks for a longer answer."""


@dataclass(frozen=True, kw_only=True)
class Ifeval(SampleReward):
    """Share of the checkable instructions that the answer follows, or 1 and 0 for all of them with `scope='prompt'`.

    The 25 kinds of IFEval, with its own ids and arguments: as ground truth a list of `{"id": ..., "kwargs": {...}}`, or IFEval's
    columns `instruction_id_list` and `kwargs` (also in `extra_info`). `mode='loose'` accepts the answer without its first line,
    its last line or its asterisks too. Sentences, capital words and languages (all of IFEval's) are recognised by our own rules, without
    nltk and langdetect, so edge cases of these three can differ from the reference. An unknown id or an unusable argument is
    `unjudged`.
    """

    name: ClassVar[str] = "ifeval"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "IFEval (arXiv 2311.07911)"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    scope: Literal["instruction", "prompt"] = "instruction"
    """`instruction`: the share of instructions that are followed. `prompt`: 1 if all are, else 0."""
    mode: Literal["strict", "loose"] = "strict"
    """`loose` also accepts the answer without its first line, its last line or its asterisks."""

    def grade(self, sample: Sample) -> Score:
        """Check each instruction."""
        wanted = _instructions(sample)
        text = after_thinking(sample.completion)
        if len(text) > MAX_CHARS:
            return Score.of(0, verdict=Verdict.MALFORMED, reason=f"longer than {MAX_CHARS} characters")
        if not text.strip():
            return Score.of(0, verdict=Verdict.NO_ANSWER, reason="no answer")
        variants = _loose(text) if self.mode == "loose" else [text]
        failed = [name for name, arguments in wanted if not any(follows(name, one, arguments) for one in variants)]
        share = (len(wanted) - len(failed)) / len(wanted)
        value = share if self.scope == "instruction" else float(not failed)
        reason = f"not followed: {', '.join(failed)}" if failed else f"all {len(wanted)} followed"
        return Score.of(value, reason=reason, parts={"followed": share})


def _instructions(sample: Sample) -> list[tuple[str, Mapping[str, Any]]]:
    truth: Any = sample.ground_truth
    if isinstance(truth, str):
        truth = parse_json(truth)
    table = mapping(truth) or (sample.extra_info if truth is None else mapping(None))
    pairs: list[tuple[Any, Any]]
    if "instruction_id_list" in table:
        names, given = items(_parsed(table["instruction_id_list"])), _parsed(table.get("kwargs"))
        if given and len(items(given)) != len(names):
            raise GroundTruthError(f"kwargs is not a list of {len(names)}, one for each instruction")
        pairs = list(zip(names, items(given) or [None] * len(names), strict=True))
    else:
        listed = [mapping(item) for item in (items(truth) or [truth])]
        pairs = [(item.get("id"), _parsed(item.get("kwargs")) or item) for item in listed]
    found: list[tuple[str, Mapping[str, Any]]] = []
    for name, given in pairs:
        arguments = {key: value for key, value in mapping(_parsed(given)).items() if value is not None}
        check_arguments(str(name), arguments)
        found.append((str(name), arguments))
    if not found:
        raise GroundTruthError("the ground truth holds no instructions")
    return found


def _parsed(value: Any) -> Any:
    return parse_json(value) if isinstance(value, str) else value


def _loose(text: str) -> list[str]:
    lines = text.split("\n")
    cuts = [text, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return [one for cut in cuts for one in (cut, cut.replace("*", "")) if one.strip()]
