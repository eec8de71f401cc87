# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (the trainer's packages carry no types)
"""The stages of the demo: judge, SFT, GRPO. All training is TRL's, all judging is the reward's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardkit import Reward, Sample, Score

from ..recipes.evaluation import answers
from ..tiny import CPU, tiny_model, tiny_tokenizer
from ..trl import reward_funcs, reward_weights
from .addition import Problem
from .config import LearnConfig

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast


def fresh(
    config: LearnConfig, words: Iterable[str], characters: str
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A model with random weights, and its tokenizer of these words and characters."""
    import torch

    torch.manual_seed(config.seed)
    tokenizer = tiny_tokenizer(words, characters)
    return tiny_model(tokenizer, hidden=config.hidden, layers=config.layers), tokenizer


def judge(
    reward: Reward,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    problems: Sequence[Problem],
    *,
    max_tokens: int,
) -> tuple[list[Sample], list[Score]]:
    """Greedy answers and what the reward says of them."""
    rows = [{**problem.row, "id": problem.question} for problem in problems]
    samples = answers(model, tokenizer, rows, max_tokens=max_tokens, batch=250)
    return samples, reward.score(samples)


def sft(
    config: LearnConfig,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    rows: Sequence[dict[str, Any]],
    output: Path,
) -> list[dict[str, Any]]:
    """Teach the form on few demonstrations. Returns TRL's log."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    args = SFTConfig(
        output_dir=str(output / "sft"),
        per_device_train_batch_size=config.sft_batch,
        max_steps=config.sft_steps,
        learning_rate=config.sft_learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.05,
        weight_decay=0.01,
        max_length=128,
        seed=config.seed,
        **CPU,
    )
    data = Dataset.from_list(list(rows))
    trainer = SFTTrainer(model=model, args=args, train_dataset=data, processing_class=tokenizer)
    _quiet(trainer)
    trainer.train()
    return trainer.state.log_history


def grpo(
    config: LearnConfig,
    reward: Reward,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    rows: Sequence[dict[str, Any]],
    output: Path,
    *,
    tools: Sequence[Callable[..., Any]] = (),
) -> list[dict[str, Any]]:
    """Let the rewards teach the rest. Returns TRL's log: one entry a step."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    functions: list[Callable[..., Any]] = [_coin(config.seed)] if config.random_reward else [*reward_funcs(reward)]
    args = GRPOConfig(
        output_dir=str(output / "grpo"),
        per_device_train_batch_size=config.grpo_prompts * config.generations,
        num_generations=config.generations,
        max_steps=config.grpo_steps,
        learning_rate=config.grpo_learning_rate,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=0.05,
        max_completion_length=config.max_completion_length,
        max_tool_calling_iterations=config.tool_rounds if tools else None,
        temperature=config.temperature,
        loss_type="dapo",
        epsilon=config.epsilon,
        epsilon_high=config.epsilon_high,
        beta=0.0,
        scale_rewards=config.scale_rewards,
        reward_weights=[1.0] if config.random_reward else reward_weights(reward),
        seed=config.seed,
        **CPU,
    )
    data = Dataset.from_list(list(rows))
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=functions,
        args=args,
        train_dataset=data,
        processing_class=tokenizer,
        tools=list(tools) or None,
    )
    _quiet(trainer)
    trainer.train()
    return trainer.state.log_history


def _quiet(trainer: Any) -> None:
    """The log is kept, not printed."""
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)


def _coin(seed: int) -> Callable[..., list[float]]:
    rng = random.Random(seed)

    def random_reward(*, completions: Sequence[Any], **_columns: Any) -> list[float]:
        return [rng.random() for _ in completions]

    return random_reward
