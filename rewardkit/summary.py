"""Totals of a run per data source: Accuracy, Score, Reward, interval, problems, verdicts, unjudged."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Hashable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from rewardkit.errors import UsageError
from rewardkit.stats import clustered_interval

METRICS = ("accuracy", "score", "reward")
COLUMNS = ("data source", "Accuracy", "95 % interval", "Score", "Reward", "n", "unjudged")
ROUNDING = 1e-9
"""A mean this little below a floor has reached it: sums of a million floats are off by as much."""
_MASK = 2**64 - 1
_SLOTS = 1024


class Clusters:
    """How many problems have this many right answers among this many judged ones: all that an interval over problems needs.

    A table with open addressing holds eight bytes of each problem's hash and four for its counts, 16 to 24 bytes a problem in
    all; each pair of counts stands once in a list.
    """

    def __init__(self) -> None:
        self._keys, self._codes = array("Q", bytes(8 * _SLOTS)), array("I", bytes(4 * _SLOTS))
        self._pairs = [(0, 0)]
        self._code_of = {(0, 0): 0}
        self._problems = [0]
        """How many problems have the pair at this place; the first stands for free slots and is not counted."""
        self._used = 0

    def add(self, problem: int, right: int) -> None:
        """Count an answer, right (1) or wrong (0), to the problem with this 64-bit hash."""
        keys, codes, slots = self._keys, self._codes, len(self._keys)
        slot = problem % slots
        while (code := codes[slot]) and keys[slot] != problem:
            slot = slot + 1 if slot + 1 < slots else 0
        before, size = self._pairs[code]
        pair = before + right, size + 1
        new = self._code_of.get(pair)
        if new is None:
            new = self._code_of[pair] = len(self._pairs)
            self._pairs.append(pair)
            self._problems.append(0)
        codes[slot] = new
        self._problems[new] += 1
        if code:
            self._problems[code] -= 1
            return
        keys[slot] = problem
        self._used += 1
        if 4 * self._used > 3 * slots:
            self._grow()

    def counts(self) -> Counter[tuple[int, int]]:
        """How many problems have each pair of right and judged answers."""
        return Counter({pair: count for pair, count in zip(self._pairs, self._problems, strict=True) if count})

    def _grow(self) -> None:
        old = zip(self._keys, self._codes, strict=True)
        slots = len(self._keys) * 3 // 2
        keys, codes = array("Q", bytes(8 * slots)), array("I", bytes(4 * slots))
        for key, code in old:
            if code:
                slot = key % slots
                while codes[slot]:
                    slot = slot + 1 if slot + 1 < slots else 0
                keys[slot], codes[slot] = key, code
        self._keys, self._codes = keys, codes


@dataclass
class Totals:
    """Totals over rows: of one data source, or of all."""

    n: int = 0
    judged: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(METRICS, 0.0))
    verdicts: Counter[str] = field(default_factory=Counter[str])
    clusters: Counter[tuple[int, int]] = field(default_factory=Counter[tuple[int, int]])
    """How many problems have this many right answers among this many judged ones."""

    def __add__(self, other: Totals) -> Totals:
        """The totals of both, counted as if they shared no problem."""
        return Totals(
            self.n + other.n,
            self.judged + other.judged,
            {name: self.sums[name] + other.sums[name] for name in METRICS},
            self.verdicts + other.verdicts,
            self.clusters + other.clusters,
        )

    def mean(self, name: str) -> float | None:
        """Mean of a metric over the judged rows; None if there are none."""
        return self.sums[name] / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the accuracy, where the answers to one problem are one cluster; None where nothing is judged."""
        if not self.clusters:
            return None
        found = clustered_interval(self.clusters)
        return found.low, found.high

    @property
    def problems(self) -> int:
        """Problems with at least one judged answer."""
        return self.clusters.total()

    @property
    def unjudged(self) -> int:
        """Rows without a verdict."""
        return self.n - self.judged

    def cells(self) -> tuple[str, ...]:
        """The totals as texts, in the order of COLUMNS."""
        interval = "-" if self.interval is None else "[{:.3f}, {:.3f}]".format(*self.interval)
        accuracy, score, reward = (number_text(self.mean(metric)) for metric in METRICS)
        return accuracy, interval, score, reward, f"{self.n:,}", f"{self.unjudged:,}"

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
class _Source:
    """One data source while its rows come in."""

    totals: Totals = field(default_factory=Totals)
    clusters: Clusters = field(default_factory=Clusters)

    def add(self, row: Mapping[str, Any], problem: int) -> None:
        totals = self.totals
        totals.n += 1
        totals.verdicts[row["verdict"]] += 1
        if row["reward"] is not None:
            totals.judged += 1
            for name in METRICS:
                totals.sums[name] += row[name]
            self.clusters.add(problem, row["accuracy"])


class Summary:
    """Totals of all data sources, in the order in which they appear, of rows that are counted one by one."""

    def __init__(self) -> None:
        self._sources: dict[str, _Source] = {}
        self._clusters: Clusters | None = None
        """Those of all sources, once there are several: they may share problems."""
        self.first_error = ""
        """Why the first row without a verdict has none."""

    def add(self, row: Mapping[str, Any], problem: Hashable | None = None) -> None:
        """Count one output row. Rows with an equal `problem` (the id within its source if it is None) are one cluster."""
        name = row["data_source"] or "-"
        source = self._sources.get(name)
        if source is None:
            if len(self._sources) == 1:
                self._clusters = deepcopy(next(iter(self._sources.values())).clusters)
            source = self._sources[name] = _Source()
        key = hash((name, row["id"]) if problem is None else problem) & _MASK
        source.add(row, key)
        if self._clusters is not None and row["reward"] is not None:
            self._clusters.add(key, row["accuracy"])
        if row["reward"] is None and not self.first_error:
            self.first_error = row["error"] or ""

    @property
    def sources(self) -> dict[str, Totals]:
        """The totals of each data source."""
        return {
            name: replace(source.totals, clusters=source.clusters.counts()) for name, source in self._sources.items()
        }

    @property
    def total(self) -> Totals:
        """The totals of all."""
        total = sum(self.sources.values(), Totals())
        return total if self._clusters is None else replace(total, clusters=self._clusters.counts())

    def cells(self) -> list[tuple[str, ...]]:
        """A row of texts for each data source, and one for all if there are several, in the order of COLUMNS."""
        sources = self.sources
        several = {"all": self.total} if len(sources) > 1 else {}
        return [(name, *totals.cells()) for name, totals in [*sources.items(), *several.items()]]

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
            UsageError: another metric, no number, or an accuracy that is no share.
        """
        name, equals, number = text.rpartition("=")
        source, dot, metric = name.rpartition(".")
        try:
            floor = float(number)
        except ValueError:
            floor = float("nan")
        if not equals or metric not in METRICS or not math.isfinite(floor):
            raise UsageError(f"--fail-under {text!r}: write accuracy=0.6 (or score=, reward=, SOURCE.accuracy=)")
        if metric == "accuracy" and not 0 <= floor <= 1:
            raise UsageError(f"--fail-under {text!r}: accuracy is a share between 0 and 1")
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


def number_text(value: float | None) -> str:
    """A number as tables show it."""
    return "-" if value is None else f"{value:.4g}" if abs(value) >= 10 else f"{value:.3f}"
