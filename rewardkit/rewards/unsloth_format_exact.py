"""Unsloth's `match_format_exactly`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rewardkit.base import SampleReward
from rewardkit.rewards._unsloth import EOS_TOKEN, framed_answer
from rewardkit.types import Sample, Score, Verdict


@dataclass(frozen=True, kw_only=True)
class UnslothFormatExact(SampleReward):
    """3.0 if `<end_working_out> .. <SOLUTION>x</SOLUTION>` is at the end of a line, else 0.

    The default is the published pattern to the letter: lines may follow the one that ends in the frame, and of the
    end-of-text tokens only the tokenizer's own may follow it. `fixed=True` wants the frame at the end.
    """

    name: ClassVar[str] = "unsloth_format_exact"
    source: ClassVar[str] = "Unsloth GRPO notebooks, match_format_exactly"
    version: ClassVar[int] = 2
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    eos_token: str = EOS_TOKEN
    """The tokenizer's end-of-text token, which may follow the frame."""
    fixed: bool = False
    """The frame must end the completion, and any model's end-of-text token may follow."""

    def grade(self, sample: Sample) -> Score:
        """Look for the frame."""
        answer = framed_answer(sample.completion, eos_token=self.eos_token, fixed=self.fixed)
        if answer is None:
            return Score.of(
                0.0, verdict=Verdict.MALFORMED, reason="no <end_working_out> .. <SOLUTION>x</SOLUTION> at the end"
            )
        return Score.of(3.0, answer=answer, reason="framed as asked")
