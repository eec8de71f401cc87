"""Every number of the learning demo in one place."""

from __future__ import annotations

from dataclasses import dataclass

REWARD = "exact(tag='boxed') + 0.1 * think_format + 0.1 * overlong(max_tokens=36, buffer=8)"
"""What GRPO optimises and what judges the held-out answers. Right answers take 18 to 24 tokens, so `overlong` starts
beyond them: a shaping term that touches normal answers makes the model collapse (see docs/learning.md)."""

TOOL_REWARD = "tool_call(dapo_math)"
"""The tool variant: 1 or -1 for the box, and a wrong answer gets 0.1 back for a tool round (TCR)."""
TOOL_CONTROL = "dapo_math"
"""Its control: the same outcome without TCR."""


@dataclass(frozen=True)
class LearnConfig:
    """One run: baseline, SFT, GRPO. The defaults take about five minutes on two CPU cores."""

    seed: int = 0
    reward: str = REWARD
    random_reward: bool = False
    """The control: GRPO is paid by a coin instead; accuracy must not rise."""
    hidden: int = 96
    layers: int = 2
    held_out: int = 500
    sft_examples: int = 250
    sft_steps: int = 250
    sft_batch: int = 32
    sft_learning_rate: float = 2e-3
    grpo_steps: int = 120
    grpo_prompts: int = 32
    """Prompts a step; fewer than 24 learn slowly."""
    generations: int = 8
    grpo_learning_rate: float = 2e-4
    epsilon: float = 0.2
    epsilon_high: float = 0.28
    scale_rewards: str = "none"
    """`group` turns the tiny differences of a shaping term in an all-wrong group into full-size advantages."""
    max_completion_length: int = 36
    temperature: float = 1.0
    tool_rounds: int = 1
    """Tool rounds a rollout may take, in the tool variant."""
    tool_share: float = 0.15
    """Share of SFT demonstrations that call the tool."""


def tool_config(seed: int, reward: str) -> LearnConfig:
    """The settings of the tool variant."""
    return LearnConfig(seed=seed, reward=reward, sft_steps=200, grpo_steps=100, max_completion_length=48)
