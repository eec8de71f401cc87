"""`rewardkit score --advantages`: the advantages of each group, added to the rows."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from typing import Any

from rich.console import Console

from rewardkit.cli._say import say
from rewardkit.errors import UsageError
from rewardkit.groups import Estimator, advantages, distribution, signal
from rewardkit.judging import MAX_GROUP_ROWS, Judged
from rewardkit.store import encode
from rewardkit.table import print_table

SIGNALS = ("mixed", "all_right", "all_wrong", "unjudged")
BINS = 10
MAX_NAME = 200
"""Longest name of a group in the output, in characters."""


@dataclass
class Advantages:
    """Adds `group` and `advantage` to the rows of each group, and counts groups by signal.

    A group is a run of neighbouring rows with the same group, or the same prompt if there is no group. Records that cannot be read at all
    are of no group and end none.
    """

    estimator: Estimator
    signals: Counter[str] = field(default_factory=Counter[str])
    sizes: Counter[int] = field(default_factory=Counter[int])
    rewards: dict[str, array[float]] = field(default_factory=dict[str, "array[float]"])
    split: int = 0
    """Groups whose rows are not adjacent in the input."""
    _seen: set[int] = field(default_factory=set[int])

    def add(self, judged: Iterable[list[Judged]]) -> Iterator[list[Judged]]:
        """The rows in order, a group at a time, to which group and advantage are added."""
        run: list[Judged] = []
        key: str | None = None
        for row in chain.from_iterable(judged):
            own = row.output.get("group", key)
            if own is None and "group" in row.output:
                raise UsageError(
                    f"--advantages: the row {row.output['id']} has neither a group nor a prompt; name the column with --group-by"
                )
            if len(run) >= MAX_GROUP_ROWS or (key is not None and own != key):
                yield self._close(run)
                run = []
            key = own
            run.append(row)
        if run:
            yield self._close(run)

    def _close(self, run: list[Judged]) -> list[Judged]:
        members = [row.output for row in run if "group" in row.output]
        values = [output["reward"] for output in members]
        if members:
            key = hash(members[0]["group"])
            self.split += key in self._seen
            self._seen.add(key)
            self.signals[signal([output["accuracy"] for output in members])] += 1
            self.sizes[len(members)] += 1
        for output in members:
            if output["reward"] is not None:
                self.rewards.setdefault(output["data_source"] or "-", array("d")).append(output["reward"])
        own_advantages = iter(advantages(values, self.estimator))
        closed: list[Judged] = []
        for row in run:
            group, advantage = None, None
            if "group" in row.output:
                group = _short(row.output["group"].rpartition("\0")[2])  # without the data source
                advantage = next(own_advantages)
            output = {**row.output, "group": group, "advantage": advantage}
            closed.append(Judged(row.problem, output, encode(output)))
        return closed

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        groups = self.signals.total()
        return {
            "estimator": self.estimator,
            "groups": groups,
            "signals": {name: self.signals[name] for name in SIGNALS},
            "kept_by_dynamic_sampling": self.signals["mixed"] / groups if groups else None,
            "sizes": {str(size): count for size, count in sorted(self.sizes.items())},
            "split_groups": self.split,
            "rewards": {name: distribution(values, BINS) for name, values in self.rewards.items()},
        }

    def print(self, screen: Console) -> None:
        """Print a table of groups and a table of rewards."""
        sizes = ", ".join(f"{count} of {size}" for size, count in self.sizes.most_common(4))
        shares = {
            "mixed (kept by DAPO)": "mixed",
            "all right": "all_right",
            "all wrong": "all_wrong",
            "unjudged": "unjudged",
        }
        print_table(
            ("groups", *shares, "group sizes"),
            [(str(self.signals.total()), *map(self._share, shares.values()), sizes)],
            title=f"groups ({self.estimator})",
            text={"group sizes"},
            screen=screen,
        )
        counts = f"rows in each of {BINS} bins"
        rows = [(name, _histogram(distribution(values, BINS))) for name, values in self.rewards.items()]
        print_table(("data source", counts), rows, title="rewards", text={counts}, screen=screen)

    def warn(self) -> None:
        """Warn on stderr about groups whose rows are not adjacent."""
        if self.split:
            say(
                f"warning: groups in several places, which were taken apart: {self.split:,}; sort the rows by group",
                err=True,
            )
            sys.stderr.flush()

    def _share(self, name: str) -> str:
        return f"{self.signals[name]} ({self.signals[name] / max(1, self.signals.total()):.0%})"


def _short(group: str) -> str:
    """A group's name: the prompt where it has no other. What is cut off a long one is known by its hash."""
    if len(group) <= MAX_NAME:
        return group
    return f"{group[: MAX_NAME - 17]} {sha256(group.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _histogram(bins: list[tuple[float, float, int]]) -> str:
    """The bins that hold rows: `[0, 0.1) 34, [0.9, 1] 390`. The last one is closed."""
    ends = [")"] * (len(bins) - 1) + ["]"]
    return ", ".join(
        f"[{low:.3g}, {high:.3g}{end} {count:,}" for (low, high, count), end in zip(bins, ends, strict=True) if count
    )
