"""Totals of a run per data source: Accuracy, Score, Reward, interval, problems, verdicts, unjudged."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from rewardkit.errors import UsageError
from rewardkit.stats import Estimate, clustered_interval

METRICS = ("accuracy", "score", "reward")
_MASK = 2**64 - 1
_PARTS = 64


@dataclass
class Totals:
    """Running totals of one data source."""

    n: int = 0
    judged: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(METRICS, 0.0))
    verdicts: Counter[str] = field(default_factory=Counter[str])
    _outcomes: array[int] = field(default_factory=lambda: array("Q"), repr=False)
    """For each judged row the hash of its problem, with the accuracy as the lowest bit: eight bytes a row."""
    _estimate: tuple[int, Estimate | None] = field(default=(0, None), repr=False)

    def add(self, row: Mapping[str, Any], problem: int) -> None:
        """Count one output row, an answer to the problem with this 64-bit hash, whose lowest bit is 0."""
        self.n += 1
        self.verdicts[row["verdict"]] += 1
        if row["reward"] is not None:
            self.judged += 1
            for name in METRICS:
                self.sums[name] += row[name]
            self._outcomes.append(problem | row["accuracy"])

    def mean(self, name: str) -> float | None:
        """Mean of a metric over the judged rows; None if there are none."""
        return self.sums[name] / self.judged if self.judged else None

    @property
    def estimate(self) -> Estimate | None:
        """The accuracy with its 95 % interval, if the answers to one problem are one cluster; None if nothing is judged."""
        if self._estimate[0] != self.judged:
            self._estimate = (self.judged, self._over_problems())
        return self._estimate[1]

    def _over_problems(self) -> Estimate:
        parts = [array("Q") for _ in range(_PARTS)]
        for outcome in self._outcomes:
            parts[outcome % (2 * _PARTS) >> 1].append(outcome)
        sums, sizes = array("I"), array("I")
        while parts:  # sorted one by one: millions of rows need no list of their own
            for _, answers in groupby(sorted(parts.pop()), key=lambda outcome: outcome >> 1):
                right = [outcome & 1 for outcome in answers]
                sizes.append(len(right))
                sums.append(sum(right))
        return clustered_interval(sums, sizes)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the accuracy over judged rows."""
        return None if (found := self.estimate) is None else (found.low, found.high)

    @property
    def problems(self) -> int:
        """Problems with at least one judged answer."""
        return 0 if (found := self.estimate) is None else found.n

    @property
    def unjudged(self) -> int:
        """Rows without a verdict."""
        return self.n - self.judged

    def as_dict(self) -> dict[str, Any]:
        """The totals as plain values for JSON."""
        return {
            **{name: self.mean(name) for name in METRICS},
            "interval": self.interval,
            "n": self.n,
            "problems": self.problems,
            "unjudged": self.unjudged,
            "verdicts": dict(self.verdicts.most_common()),
        }


@dataclass
class Summary:
    """Totals of all data sources, in the order in which they appear."""

    sources: dict[str, Totals] = field(default_factory=dict[str, Totals])
    total: Totals = field(default_factory=Totals)
    first_error: str = ""
    """Why the first row without a verdict has none."""

    def add(self, row: Mapping[str, Any], problem: Hashable | None = None) -> None:
        """Count one output row. Rows of one source with an equal `problem` (their own id if it is None) are one cluster."""
        name = row["data_source"] or "-"
        if name not in self.sources:
            self.sources[name] = Totals()
        key = hash((name, row["id"] if problem is None else problem)) << 1 & _MASK
        self.sources[name].add(row, key)
        self.total.add(row, key)
        if row["reward"] is None and not self.first_error:
            self.first_error = row["error"] or ""

    @property
    def unjudged_share(self) -> float:
        """Share of all rows that got no verdict."""
        return self.total.unjudged / self.total.n if self.total.n else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "total": self.total.as_dict(),
            "sources": {name: totals.as_dict() for name, totals in self.sources.items()},
        }


@dataclass(frozen=True)
class Threshold:
    """A floor under a metric of the whole run: `accuracy=0.6`, or of one source: `gsm8k.accuracy=0.6`."""

    metric: str
    floor: float
    source: str | None = None

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read `accuracy=0.6`.

        Raises:
            UsageError: another metric, or no number.
        """
        name, equals, number = text.rpartition("=")
        source, dot, metric = name.rpartition(".")
        try:
            floor = float(number)
        except ValueError:
            floor = float("nan")
        if not equals or metric not in METRICS or floor != floor:  # noqa: PLR0124 - NaN is the one value unlike itself
            raise UsageError(f"--fail-under {text!r}: write accuracy=0.6 (or score=, reward=, SOURCE.accuracy=)")
        return cls(metric, floor, source if dot else None)

    def value(self, summary: Summary) -> float | None:
        """The metric in a summary; None if nothing was judged.

        Raises:
            UsageError: the source is not in the run.
        """
        if self.source is None:
            return summary.total.mean(self.metric)
        if self.source not in summary.sources:
            raise UsageError(f"--fail-under: no data source {self.source!r}; there are {', '.join(summary.sources)}")
        return summary.sources[self.source].mean(self.metric)
