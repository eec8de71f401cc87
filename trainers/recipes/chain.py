"""The chain of a recipe: each stage loads the model that the previous one saved; the last one is evaluated and exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardkit import UsageError

STAGES = {"trl": ("pre_sft", "sft", "grpo"), "verl": ("verl_sft", "verl")}
"""Sections of config.toml that train, in order."""
NAMES = {"verl_sft": "sft", "verl": "grpo"}


@dataclass(frozen=True)
class Link:
    """One step: where it loads a model from, and what it leaves."""

    stage: str
    loads: str
    saves: str

    def __str__(self) -> str:
        return f"{self.stage}: {self.loads} -> {self.saves}"


def links(config: Mapping[str, Any], model: str, output: Path, trainer: str) -> list[Link]:
    """The steps of a recipe in order."""
    chain: list[Link] = []
    for section in STAGES[trainer]:
        if section in config:
            stage = NAMES.get(section, section)
            chain.append(Link(stage, chain[-1].saves if chain else model, str(output / f"{stage}-merged")))
    final = chain[-1].saves
    return [
        *chain,
        Link("evaluate", final, str(output / "results.json")),
        Link("export", final, str(output / "export")),
    ]


def check(chain: Sequence[Link], model: str, loaded: Mapping[str, str] | None = None) -> None:
    """Each step must load the model or what an earlier step saved. `loaded` is what the stages' commands really load.

    Raises:
        UsageError: a link is missing, with the stage and both paths.
    """
    saved = model
    for link in chain:
        path = (loaded or {}).get(link.stage, link.loads)
        if path != saved:
            raise UsageError(f"{link.stage} loads {path}, but the stage before it saves {saved}: the chain is broken")
        saved = link.saves if link.stage not in ("evaluate", "export") else saved


def require(path: str, model: str, stage: str) -> None:
    """If a stage starts alone, what it loads must be there.

    Raises:
        UsageError: it is not the model and there is no such folder.
    """
    if path != model and not (Path(path) / "config.json").is_file():
        raise UsageError(
            f"{stage} loads {path}, where there is no model; run the previous stage first, or use --stage all"
        )
