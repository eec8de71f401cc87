"""`python -m rewardkit.trainers.learn`: baseline, SFT, GRPO on two CPU cores in a few minutes, judged by the reward that trains."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import click

from rewardkit import RewardkitError
from rewardkit.cli._say import say
from rewardkit.cli._types import FolderPath

from .config import TOOL_CONTROL, TOOL_REWARD, LearnConfig, tool_config
from .report import table, tool_table
from .run import learn, learn_tools, run_name

PLAIN = ("reward", "random_reward", "grpo_steps", "sft_steps", "held_out")
"""Options that the tool variant has settings of its own for."""
COUNT = click.IntRange(min=1)


@click.command()
@click.option(
    "--seed", "seeds", type=int, multiple=True, default=(0,), show_default=True, help="Seed of a run; may be repeated."
)
@click.option("--reward", default=LearnConfig.reward, show_default=True, help="Text form of the reward.")
@click.option("--random-reward", is_flag=True, help="Control run: GRPO with a random reward.")
@click.option("--tools", is_flag=True, help="Tool variant: with the tool call reward, then a control run without it.")
@click.option("--grpo-steps", type=COUNT, default=LearnConfig.grpo_steps, show_default=True)
@click.option("--sft-steps", type=COUNT, default=LearnConfig.sft_steps, show_default=True)
@click.option("--held-out", type=click.IntRange(1, 9_000), default=LearnConfig.held_out, show_default=True)
@click.option("--jobs", type=COUNT, default=2, show_default=True, help="Number of parallel runs, one core each.")
@click.option("-o", "--output", type=FolderPath(), default=Path("learn"), show_default=True)
@click.pass_context
def main(
    context: click.Context,
    seeds: tuple[int, ...],
    reward: str,
    random_reward: bool,
    tools: bool,
    grpo_steps: int,
    sft_steps: int,
    held_out: int,
    jobs: int,
    output: Path,
) -> None:
    """Train a tiny model from scratch on addition and show that it learns."""
    base = LearnConfig(
        reward=reward, random_reward=random_reward, grpo_steps=grpo_steps, sft_steps=sft_steps, held_out=held_out
    )
    given = [name for name in PLAIN if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if tools and given:
        raise click.UsageError(f"--tools has settings of its own; leave out --{given[0].replace('_', '-')}")
    if tools:
        texts = {"tcr": TOOL_REWARD, "control": TOOL_CONTROL}
        planned = [
            (tool_config(seed, text), output / f"{name}-{seed}") for seed in seeds for name, text in texts.items()
        ]
    else:
        planned = [(replace(base, seed=seed), output / run_name(base, seed)) for seed in seeds]
    configs, folders = zip(*planned, strict=True)
    try:
        with ProcessPoolExecutor(min(jobs, len(planned)), mp_context=get_context("spawn")) as pool:
            runs = list(pool.map(learn_tools if tools else learn, configs, folders))
    except RewardkitError as error:
        say(f"error: {error}", err=True)
        raise SystemExit(error.exit_code) from None
    say(tool_table(runs) if tools else table(runs))


if __name__ == "__main__":
    main()
