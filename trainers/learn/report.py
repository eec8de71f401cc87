"""The results of a run of the demo: held-out accuracy after each stage with intervals, the curve, rows to judge again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from rewardkit import Sample, Score
from rewardkit.errors import IncompleteError
from rewardkit.paired_tests import Difference, compare_counts
from rewardkit.stats import wilson
from rewardkit.store import write_whole

from .config import LearnConfig

STAGES = ("baseline", "sft", "grpo")
WINDOW = 10
"""First and last steps whose means the table of the tool variant compares."""


@dataclass(frozen=True)
class Stage:
    """Held-out results after one stage."""

    name: str
    correct: tuple[int, ...]
    """1 or 0 for each held-out problem, in order."""
    reward: float
    """Mean reward, shaping included."""
    tokens: float
    wall_s: float
    """Seconds since the start of the run."""

    @property
    def accuracy(self) -> float:
        """Share of held-out problems that are right."""
        return sum(self.correct) / len(self.correct)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the accuracy."""
        return wilson(sum(self.correct), len(self.correct))


@dataclass
class Run:
    """One run of the demo."""

    config: LearnConfig
    stages: list[Stage] = field(default_factory=list[Stage])
    curve: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    """One entry a GRPO step, from TRL's log."""

    def change(self, before: str, after: str) -> Difference:
        """Change of accuracy between two stages over the same problems, with its 95 % interval and McNemar's exact test."""
        stages = {stage.name: [(right, 1) for right in stage.correct] for stage in self.stages}
        return compare_counts(stages[before], stages[after])

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"config": asdict(self.config), "stages": [asdict(stage) for stage in self.stages], "curve": self.curve}


def stage_of(name: str, samples: Sequence[Sample], scores: Sequence[Score], wall_s: float) -> Stage:
    """The stage that these judged answers show.

    Raises:
        IncompleteError: one of them is unjudged, which is our own failure.
    """
    unjudged = [score.reason for score in scores if score.value is None]
    if unjudged:
        raise IncompleteError(f"{len(unjudged)} of {len(scores)} held-out answers could not be judged: {unjudged[0]}")
    return Stage(
        name=name,
        correct=tuple(score.accuracy or 0 for score in scores),
        reward=sum(score.value or 0.0 for score in scores) / len(scores),
        tokens=sum(sample.tokens or 0 for sample in samples) / len(samples),
        wall_s=round(wall_s, 1),
    )


def curve_of(log: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """The numbers of TRL's log worth a curve: one entry a step."""
    keep = ("step", "reward", "completions/mean_length", "tools/call_frequency", "tools/failure_frequency", "entropy")
    return [
        {name: float(value) for name, value in entry.items() if name in keep or name.endswith(("/mean", "/accuracy"))}
        for entry in log
        if "reward" in entry
    ]


def table(runs: Sequence[Run]) -> str:
    """Held-out accuracy by stage, one line a run; each change with its paired 95 % interval and an exact p-value."""
    lines = [
        "| seed | reward | baseline | SFT | GRPO | SFT minus baseline (95 %) | GRPO minus SFT (95 %) | gained, lost | p | seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        stages = {stage.name: stage for stage in run.stages}
        cells = [f"{stages[name].accuracy:.3f}" for name in STAGES]
        changes = [run.change(before, after) for before, after in pairwise(STAGES)]
        cells += [f"{change.delta:+.3f} ({change.low:+.3f} to {change.high:+.3f})" for change in changes]
        last = changes[-1]
        cells += [f"{last.better}, {last.worse}", f"{last.p:.1g}", f"{run.stages[-1].wall_s:.0f}"]
        paid = "random" if run.config.random_reward else "rewardkit"
        lines.append(f"| {run.config.seed} | {paid} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def tool_table(runs: Sequence[Run]) -> str:
    """Tool calls a rollout in the first and last steps, how many of them failed, and the accuracy; one line a run."""
    lines = [
        "| reward | seed | calls a rollout, first | last | failed calls, last | accuracy, last |",
        "|---|---|---|---|---|---|",
    ]
    for run in runs:
        first, last = run.curve[:WINDOW], run.curve[-WINDOW:]
        cells = [mean(first, "tools/call_frequency"), mean(last, "tools/call_frequency")]
        cells += [mean(last, "tools/failure_frequency"), mean(last, "/accuracy")]
        lines.append(
            f"| `{run.config.reward}` | {run.config.seed} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |"
        )
    return "\n".join(lines)


def mean(entries: Sequence[Mapping[str, float]], name: str) -> float:
    """Mean of the column that ends in `name`; 0 if no step had it."""
    values = [value for entry in entries for key, value in entry.items() if key.endswith(name)]
    return sum(values) / len(values) if values else 0.0


def write(run: Run, directory: Path) -> None:
    """`result.json` of one run."""
    directory.mkdir(parents=True, exist_ok=True)
    write_whole(directory / "result.json", json.dumps(run.as_dict(), indent=1) + "\n")


def write_rows(samples: Sequence[Sample], path: Path) -> None:
    """Held-out answers as rows: `rewardkit score PATH -r '...'` judges them again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (sample.to_json() for sample in samples)
    write_whole(path, "".join(row + "\n" for row in rows))


def read(directory: Path) -> Run:
    """The run that `write` left in a directory."""
    data = cast("dict[str, Any]", json.loads((directory / "result.json").read_text(encoding="utf-8")))
    stages = [replace(Stage(**stage), correct=tuple(stage["correct"])) for stage in data["stages"]]
    return Run(LearnConfig(**data["config"]), stages, data["curve"])
