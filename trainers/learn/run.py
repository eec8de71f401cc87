# pyright: basic, reportMissingImports=false
# (the trainer's packages carry no types)
"""One run of the demo: baseline, SFT, GRPO, each judged on problems that were never trained on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rewardkit import load
from rewardkit.cli._say import say
from rewardkit.errors import MissingExtraError

from . import addition, calculator
from .config import LearnConfig
from .report import Run, curve_of, stage_of, write, write_rows


def run_name(config: LearnConfig, seed: int) -> str:
    """The folder of one run."""
    return f"{'random' if config.random_reward else 'seed'}-{seed}"


def learn(config: LearnConfig, output: Path) -> Run:
    """One run. Leaves `result.json` and the held-out answers of each stage in `output`."""
    stages = _stages()
    start = time.perf_counter()
    reward = load(config.reward)
    train, held_out = addition.split(config.seed, held_out=config.held_out)
    model, tokenizer = stages.fresh(config, addition.WORDS, addition.CHARACTERS)
    run = Run(config)

    def judge(name: str) -> None:
        samples, scores = stages.judge(reward, model, tokenizer, held_out, max_tokens=config.max_completion_length)
        stage = stage_of(name, samples, scores, time.perf_counter() - start)
        run.stages.append(stage)
        write_rows(samples, output / f"held_out_{name}.jsonl")
        say(f"seed {config.seed} {name}: accuracy {stage.accuracy:.3f} after {stage.wall_s:.0f} s", err=True)

    judge("baseline")
    stages.sft(config, model, tokenizer, [problem.demonstration for problem in train[: config.sft_examples]], output)
    judge("sft")
    rows = [problem.row for problem in train[config.sft_examples :]]
    run.curve = curve_of(stages.grpo(config, reward, model, tokenizer, rows, output))
    judge("grpo")
    model.save_pretrained(output / "model")
    tokenizer.save_pretrained(output / "model")
    write(run, output)
    return run


def learn_tools(config: LearnConfig, output: Path) -> Run:
    """One run of the tool variant: SFT in which few demonstrations call the calculator, then GRPO with it as a tool."""
    stages = _stages()
    model, tokenizer = stages.fresh(config, calculator.WORDS, calculator.CHARACTERS)
    problems = calculator.products(config.seed)
    taught = calculator.demonstrations(problems[: config.sft_examples], seed=config.seed, tool_share=config.tool_share)
    stages.sft(config, model, tokenizer, taught, output)
    rows = [problem.row for problem in problems[config.sft_examples :]]
    log = stages.grpo(config, load(config.reward), model, tokenizer, rows, output, tools=[calculator.calculator])
    run = Run(config, curve=curve_of(log))
    write(run, output)
    return run


def _stages() -> Any:
    """The stages, on one thread: two threads on two busy cores take several times as long."""
    try:
        import torch

        from . import stages
    except ImportError:
        raise MissingExtraError.of("the learning demo", "trl") from None
    torch.set_num_threads(1)
    return stages
