"""The reward of GRPO-TCR (DemyAgent): math or code, a tool call reward for wrong answers, an overlong penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rewardkit.base import Explanation, Reward
from rewardkit.compose import BySource
from rewardkit.rewards.code import Code
from rewardkit.rewards.dapo_math import DapoMath
from rewardkit.rewards.overlong import Overlong
from rewardkit.rewards.tool_call import ToolCall
from rewardkit.types import Sample, Score


@dataclass(frozen=True, kw_only=True)
class GrpoTcr(Reward):
    """`tool_call(by_source({"*code*": code, "*": dapo_math})) + overlong(max_tokens=10480, buffer=3000)`.

    Code pays the share of tests passed (7 of 16 is 0.4375, with accuracy 0), or -1 without a ```` ```python ```` block that
    parses; math pays 1 or -1; a wrong answer loses a little less for each tool round.

    The published runs never passed `num_turns` to the reward: it counted as 0 and the tool term was the same -0.1 for
    every wrong answer. Here a wrong answer whose turns are in neither `extra_info.num_turns` nor `messages` is
    `unjudged`; `missing="seed"` gives the published value.
    """

    name: ClassVar[str] = "grpo_tcr"
    source: ClassVar[str] = "Demystifying agentic RL (arXiv 2510.11701), GRPO-TCR; Gen-Verse/Open-AgentRL"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth", "messages", "completion_tokens", "sandbox")  # fmt: skip
    bounded: ClassVar[bool] = True
    row_wise: ClassVar[bool] = True

    missing: Literal["unjudged", "seed"] = "unjudged"
    """What to do if the number of turns is not known."""
    max_tokens: int = 10_480
    """Length limit of `overlong`, in tokens."""
    buffer: int = 3_000
    """Tokens before the limit over which the penalty grows."""
    factor: float = 1.0
    """Penalty at the limit."""
    cpu_s: float = 30.0
    """CPU seconds for each test. The published sandbox allowed 30 s."""
    sandbox: str = "auto"
    """As in `code`."""

    def __post_init__(self) -> None:
        _ = self.composed  # its parts refuse options that make no sense

    @property
    def own_needs(self) -> frozenset[str]:
        """Without `messages` if an unknown number of turns counts as 0."""
        return super().own_needs - ({"messages"} if self.missing == "seed" else set())

    @property
    def composed(self) -> Reward:
        """The sum that this preset stands for."""
        code = Code(mode="fraction", extract="seed", no_program=-1.0, cpu_s=self.cpu_s, sandbox=self.sandbox)
        outcome = BySource({"*code*": code, "*": DapoMath()})
        return ToolCall(outcome, missing=self.missing) + Overlong(
            max_tokens=self.max_tokens, buffer=self.buffer, factor=self.factor
        )

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """The scores of the sum."""
        return self.composed.score(samples)

    def explain(self, sample: Sample) -> Explanation:
        """The explanation of the sum."""
        return self.composed.explain(sample)
