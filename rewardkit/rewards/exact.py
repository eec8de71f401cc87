"""Exact match: the answer is the ground truth, letter by letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import quoted
from rewardkit.rewards._layout import check_tag
from rewardkit.rewards._text import last_boxed, sections
from rewardkit.rewards._truth import truth_texts
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class Exact(SampleReward):
    r"""1 if the answer equals the ground truth as text, else 0. A list of ground truths accepts any of them.

    The answer is what follows `</think>`; with `tag`, the last `<tag>...</tag>` in it, or the last box for `tag='boxed'`.
    """

    name: ClassVar[str] = "exact"
    version: ClassVar[int] = 3
    source: ClassVar[str] = (
        "SQuAD-style exact match (arXiv 1606.05250), without its removal of articles and punctuation"
    )
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    tag: str = ""
    """Name of the tag that holds the answer, `boxed` for `\\boxed{}`; empty for the whole text."""
    ignore_case: bool = False
    """Letter case does not matter."""
    ignore_space: bool = True
    """Strip the ends and treat any run of white space as one blank."""

    def __post_init__(self) -> None:
        if self.tag:
            check_tag(self.tag, self.name)

    def grade(self, sample: Sample) -> Score:
        """Compare the answer with each accepted text."""
        truths = truth_texts(sample)
        answer = self._answer(after_thinking(sample.completion))
        if answer is None or not answer.strip():
            return Score.of(False, verdict=Verdict.NO_ANSWER, reason=f"no {self.tag or 'text'} to compare")
        equal = any(self._plain(answer) == self._plain(truth) for truth in truths)
        reason = "equal as text" if equal else f"{quoted(answer)} is not {quoted(truths[0])}"
        return Score.of(equal, answer=answer.strip(), reason=reason)

    def _answer(self, text: str) -> str | None:
        if not self.tag:
            return text
        if self.tag == "boxed":
            return last_boxed(text)
        return next(reversed(sections(text, self.tag)), None)

    def _plain(self, text: str) -> str:
        text = " ".join(text.split()) if self.ignore_space else text
        return text.casefold() if self.ignore_case else text
