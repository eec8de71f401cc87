"""The options of a run, and the checks that are made before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardkit import load
from rewardkit.errors import UsageError

if TYPE_CHECKING:
    from harness.tools.loop import ToolBox
    from harness.usage import Price


@dataclass(frozen=True)
class Options:
    """The options of a run."""

    model: str
    tasks: Sequence[str]
    output: Path
    model_args: str = ""
    repeats: int | None = None
    reward: str | None = None
    gen_kwargs: str = ""
    limit: int | None = None
    shard: Shard | None = None
    """The part of the problems that this run asks."""
    num_fewshot: int | None = None
    seed: int = 0
    price: Price | None = None
    """Of a million tokens, for the cost on record."""
    resume: bool = False
    overwrite: bool = False
    apply_chat_template: bool | None = None
    system_instruction: str | None = None
    batch_size: str | None = None
    device: str | None = None
    concurrency: int | None = None
    include: Sequence[str] = ()
    data_dir: str | None = None
    tools: ToolBox | None = None
    judge_workers: int | None = None
    row_timeout_s: float | None = None
    name: str | None = None
    note: Callable[[Any], None] | None = None
    say: Callable[[str], None] = field(default=lambda _line: None)


@dataclass(frozen=True)
class Shard:
    """Every `of`-th problem of each task, from the `index`-th on (from 1)."""

    index: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """A shard as `--shard` takes it.

        >>> Shard.parse("2/8")
        Shard(index=2, of=8)

        Raises:
            UsageError: the text is no such pair.
        """
        index, _, of = text.partition("/")
        if not (index.isdigit() and of.isdigit() and 1 <= int(index) <= int(of)):
            raise UsageError(f"--shard is {text!r}; give the part and the number of parts, from 1/8 to 8/8")
        return cls(int(index), int(of))

    def holds(self, place: int) -> bool:
        """The problem at this place of its task belongs to it."""
        return place % self.of == self.index - 1


def check(options: Options) -> None:
    """Refuse what cannot work before anything is loaded."""
    if not options.tasks:
        raise UsageError("name at least one task: --tasks gsm8k,aime24 (`harness tasks` lists them)")
    turns = options.tools.max_turns if options.tools is not None else None
    for name, value, least in (
        ("repeats", options.repeats, 1),
        ("limit", options.limit, 1),
        ("max_turns", turns, 1),
        ("concurrency", options.concurrency, 1),
        ("num_fewshot", options.num_fewshot, 0),
        ("judge_workers", options.judge_workers, 0),
    ):
        if value is not None and value < least:
            raise UsageError(f"--{name} is {value}; give a whole number, {least} or more")
    if options.reward is not None:
        load(options.reward)
    if options.resume and options.overwrite:
        raise UsageError("--resume continues a run and --overwrite replaces it; give one of them")
