"""What the recipes share: one config file, one command line, checks without a GPU (`--dry-run`), a tiny run (`--tiny`)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from rewardkit import Reward, RewardkitError, Sample, UsageError, load
from rewardkit.attack import floor
from rewardkit.cli._say import say
from rewardkit.cli._types import FolderPath
from rewardkit.columns import samples_from_columns
from rewardkit.errors import quoted

from . import ask, chain, files, gate, tiny, trl_stages, verl_config
from .files import Row, Sources

MIN_PROBES_RIGHT = 0.95
"""Share of right answers that the reward must call correct: public data has a few wrong ground truths."""


FLOOR_ROWS, FLOOR_BUDGET = 24, 2_000
"""Rows, and completions, that the search for the floor of the reward takes (some seconds)."""


@dataclass(frozen=True)
class Data:
    """What a recipe trains on, ready for its trainer."""

    train: list[Row]
    """GRPO rows: TRL columns, or verl rows."""
    validation: list[Row]
    sft: list[Row] = field(default_factory=list[Row])
    sft_eval: list[Row] = field(default_factory=list[Row])
    """Training rows kept apart, to choose SFT's best checkpoint by."""
    pre_sft: list[Row] = field(default_factory=list[Row])
    max_train: int | None = None
    """How many GRPO rows are left after the decontamination gate."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""


@dataclass(frozen=True)
class Recipe:
    """One seed system: its folder with `config.toml`, its data preparation, and a right answer for a row."""

    folder: Path
    prepare: Callable[[Sources], Data]
    right_answer: Callable[[Row], str | None]
    """A completion that this recipe's reward must call correct; None if the row has no worked answer."""
    tools: Callable[[], Sequence[Callable[..., Any]]] = tuple
    system: str = ""
    """The system prompt of its rows."""

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def config(self) -> dict[str, Any]:
        """`config.toml`."""
        return tomllib.loads((self.folder / "config.toml").read_text(encoding="utf-8"))

    @property
    def reward(self) -> Reward:
        """The reward that trains and validates."""
        return load(self.config["recipe"]["reward"])

    def data(self, folder: Path, limit: int | None = None, *, hub: bool = False) -> Data:
        """What it trains on, without what it validates on and without benchmarks."""
        sources = Sources(self.config["data"], folder, limit, hub)
        prepared = self.prepare(sources)
        clean = gate.decontaminate(replace(prepared, notes=(*prepared.notes, *sources.notes)), folder)
        return replace(clean, train=clean.train[: clean.max_train])


def command(recipe: Recipe) -> click.Command:
    """The recipe's command line."""

    @click.command(
        name=recipe.name,
        help=f"{recipe.config['recipe']['title']}\n\nAll settings are in {recipe.folder / 'config.toml'}.",
    )
    @click.option("--model", help="Model to train. [default: the one in config.toml]")
    @click.option("--data", type=FolderPath(), help="Folder with the data sets. [default: REWARDKIT_DATA]")
    @click.option("-o", "--output", type=FolderPath(), default=Path("runs") / recipe.name, show_default=True)
    @click.option(
        "--hub", is_flag=True, help="Load data sets that are missing in the folder from the Hugging Face hub."
    )
    @click.option("--limit", type=click.IntRange(min=1), help="Number of rows of each data set.")
    @click.option(
        "--dry-run", is_flag=True, help="Check data, chat template, rewards and config; train nothing, need no GPU."
    )
    @click.option("--tiny", "is_tiny", is_flag=True, help="Train a tiny local model for a few steps on the CPU.")
    @click.option("--trainer", type=click.Choice(["trl", "verl"]), help="Trainer. [default: the one in config.toml]")
    @click.option(
        "--stage",
        type=click.Choice(["all", "sft", "grpo", "ask"]),
        default="all",
        show_default=True,
        help="Stages to train; ask: answer a question with and without what was learned.",
    )
    def main(**options: Any) -> None:
        try:
            run(recipe, **options)
        except RewardkitError as error:
            say(f"error: {error}", err=True)
            raise SystemExit(error.exit_code) from None

    return main


def run(
    recipe: Recipe,
    *,
    model: str | None = None,
    data: Path | None = None,
    hub: bool = False,
    output: Path,
    limit: int | None = None,
    dry_run: bool = False,
    is_tiny: bool = False,
    trainer: str | None = None,
    stage: str = "all",
) -> None:
    """Check, or train tiny, or train (with TRL), or write the files and print the command (verl)."""
    if sum((dry_run, is_tiny, stage != "all")) > 1:
        raise UsageError(
            "--dry-run, --tiny and --stage exclude each other: the first trains nothing, the second every stage"
        )
    config = recipe.config
    trainer = trainer or str(config["recipe"]["trainer"])
    if trainer == "verl" and "verl" not in config:
        raise UsageError(f"{recipe.name} has no verl form; it has: {', '.join(config)}")
    name = model or str(config["recipe"]["model"])
    if stage == "ask":
        ask.compare(config, name, output, system=recipe.system)
        return
    prepared = recipe.data(files.data_folder(data), limit or (64 if dry_run or is_tiny else None), hub=hub)
    for note in prepared.notes:
        say(f"note: {note}")
    say(f"data: {len(prepared.train)} train, {len(prepared.validation)} validation, {len(prepared.sft)} SFT rows")
    if is_tiny:
        tiny.train(config, prepared, recipe.reward, recipe.tools(), output)
    elif dry_run:
        for line in check(recipe, prepared, name, output, trainer):
            say(f"ok: {line}")
    elif trainer == "verl":
        click.echo("\n".join(verl_config.write_and_command(config, prepared, name, output)))
    else:
        train, validation = [*map(files.trl_row, prepared.train)], [*map(files.trl_row, prepared.validation)]
        prepared = replace(prepared, train=train, validation=validation)
        trl_stages.train(config, prepared, recipe.reward, recipe.tools(), name, output, stage=stage)


def check(recipe: Recipe, data: Data, model: str, output: Path, trainer: str) -> list[str]:
    """All checks before the first step, without a GPU. Returns one line per check."""
    links = chain.links(recipe.config, model, output, trainer)
    chain.check(links, model)
    return [
        check_rewards(recipe, data),
        check_floor(recipe, data),
        *([tiny.check_template(data, model)] if Path(model).is_dir() else []),
        *(verl_config.check(recipe.config, data, model, output) if "verl" in recipe.config else []),
        *trl_stages.check(recipe.config),
        *map(str, links),
    ]


def check_rewards(recipe: Recipe, data: Data) -> str:
    """A right answer must be correct, an empty one must not, and nothing may be unjudged.

    Raises:
        UsageError: with the first row that says otherwise.
    """
    probes = [(row, answer) for row in data.train if (answer := recipe.right_answer(row)) is not None]
    if not probes:
        raise UsageError("no row of the training data has a worked answer to try the reward on")
    rows = [row for row, _ in probes]
    right = recipe.reward.score(samples(rows, [answer for _, answer in probes]))
    empty = recipe.reward.score(samples(rows, ["" for _ in probes]))
    for row, score in zip(rows * 2, [*right, *empty], strict=True):
        if score.value is None:
            raise UsageError(f"the reward could not judge {quoted(row['prompt'], 200)}: {score.reason}")
    share = sum(score.accuracy or 0 for score in right) / len(right)
    if share < MIN_PROBES_RIGHT or any(score.accuracy for score in empty):
        wrong = next((s for s in right if not s.accuracy), empty[0])
        raise UsageError(
            f"the reward calls {share:.0%} of {len(right)} right answers correct; for instance: {wrong.reason}"
        )
    return f"reward {recipe.reward.text}: {share:.1%} of {len(right)} right answers correct, no empty one"


def check_floor(recipe: Recipe, data: Data) -> str:
    """What the reward pays at most to one text for all rows that knows no answer, beside what right answers get."""
    rows = [row for row in data.train if recipe.right_answer(row) is not None][:FLOOR_ROWS]
    found = floor(recipe.reward, samples(rows, ["" for _ in rows]), budget=FLOOR_BUDGET)
    return f"reward {str(found).splitlines()[0]}"


def samples(rows: Sequence[Row], completions: Sequence[str]) -> list[Sample]:
    """One-turn answers to rows, as the trainer would hand them over."""
    plain = [*map(files.trl_row, rows)]
    columns = {key: [row.get(key) for row in plain] for key in plain[0] if key != "prompt"}
    chats = [[{"role": "assistant", "content": completion}] for completion in completions]
    lengths = [max(1, len(completion) // 4) for completion in completions]
    return samples_from_columns(
        completions=chats, prompts=[row["prompt"] for row in plain], completion_tokens=lengths, **columns
    )
