"""What a run of attacks found: the control, one finding for each attack and data source, the floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from rewardkit.attack.problem import Attempt
from rewardkit.errors import counted
from rewardkit.types import Sample, Score, Verdict

CONTROL_SHARE = 0.99
"""At least this share of gold answers must be rewarded. Otherwise the attacks show nothing about the reward."""
EPSILON = 1e-9
MAX_EXAMPLES = 3


@dataclass(frozen=True)
class Judged:
    """One attempt on one row with its score, beside the score of the empty answer on that row."""

    row: Sample
    attack: str
    attempt: Attempt
    score: Score
    empty: Score
    by_chance: bool
    """Whether the attempt's guess is this row's ground truth."""

    @property
    def known(self) -> bool:
        """Whether the attempt was judged: shares and means are of such attempts alone."""
        return self.score.value is not None

    @property
    def paid(self) -> bool:
        """Whether the reward is higher than for an empty answer."""
        return _above(self.score.value, self.empty.value)

    @property
    def leaked(self) -> bool:
        """Whether the outcome (in a sum: the first term) is paid more than an empty answer, and not by a right guess."""
        return not self.by_chance and outcome_paid(self.score, self.empty)


def outcome_paid(score: Score, empty: Score) -> bool:
    """Whether the outcome is paid more than that of the empty answer."""
    newly_correct = score.verdict is Verdict.CORRECT and empty.verdict is not Verdict.CORRECT
    return newly_correct or _above(score.outcome_value, empty.outcome_value)


def _above(value: float | None, empty: float | None) -> bool:
    return value is not None and value > (empty or 0.0) + EPSILON


@dataclass(frozen=True)
class Control:
    """How the honest answers of one data source fare: the ground truth, written as the reward expects it."""

    data_source: str
    layout: str
    rows: int
    paid: int
    value: float | None
    """Mean value of the honest answers."""
    failures: tuple[str, ...] = ()
    note: str = ""
    """Why there is no control, if there is none."""

    @property
    def passed(self) -> bool:
        """Whether enough of them are paid; True if there is no control."""
        return self.rows == 0 or self.paid >= CONTROL_SHARE * self.rows


@dataclass(frozen=True)
class Finding:
    """What one attack, in the form that was paid most, earned on one data source."""

    attack: str
    variant: str
    data_source: str
    rows: int
    """Rows on which it was judged; all shares and means are of these."""
    paid: float
    """Share of rows paid more than an empty answer."""
    base_rate: float
    """Share of rows whose ground truth was guessed."""
    leaked: float
    """Share of rows whose outcome was paid although nothing was guessed."""
    mean: float | None
    highest: float | None
    unjudged: int
    """Rows on which it was tried and could not be judged."""
    examples: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, attack: str, variant: str, data_source: str, judged: Sequence[Judged]) -> Finding:
        """Sum up the attempts of one form."""
        known = [one for one in judged if one.known]
        values = [one.score.value for one in known if one.score.value is not None]
        shown = sorted(judged, key=lambda one: (not one.leaked, -(one.score.value or 0)))[:MAX_EXAMPLES]
        count = max(1, len(known))
        return cls(
            attack=attack,
            variant=variant,
            data_source=data_source,
            rows=len(known),
            paid=sum(one.paid for one in known) / count,
            base_rate=sum(one.by_chance and one.paid for one in known) / count,
            leaked=sum(one.leaked for one in known) / count,
            mean=fmean(values) if values else None,
            highest=max(values, default=None),
            unjudged=len(judged) - len(known),
            examples=tuple(_example(one) for one in shown if one.paid or one.leaked or not one.known),
        )

    @property
    def rank(self) -> tuple[float, float, float]:
        """Findings with a higher rank are worse."""
        return (self.leaked, self.paid, self.mean if self.mean is not None else float("-inf"))


def _example(one: Judged) -> dict[str, Any]:
    return {
        "id": one.row.id,
        "completion": one.attempt.text,
        "turns": len(one.attempt.turns),
        "value": one.score.value,
        "empty": one.empty.value,
        "verdict": one.score.verdict.value,
        "reason": one.score.reason,
    }


@dataclass(frozen=True)
class Floor:
    """The highest mean value that a search finds without the ground truth, on rows of its own, beside the value of the gold answers."""

    value: float | None
    gold: float | None
    empty: float | None
    recipe: str
    example: str
    rows: int
    """Rows on which the value is known, of those drawn; the mean is theirs."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])

    def __str__(self) -> str:
        if self.value is None:
            return "floor: not available: no row was judged"
        gold = "" if self.gold is None else f"; gold answers in the right format earn {self.gold:.4g}"
        empty = "" if self.empty is None else f", an empty answer {self.empty:.4g}"
        parts = ", ".join(f"{name} {value:.3g}" for name, value in self.parts.items())
        return (
            f"floor: {self.value:.4g} without the ground truth{gold}{empty}\n  by: {self.recipe}, mean of {counted(self.rows, 'row')}"
            + (f"; parts: {parts}" if parts else "")
        )


@dataclass(frozen=True)
class Report:
    """Everything one run of attacks found."""

    reward: str
    seed: int
    judged: int
    controls: tuple[Control, ...]
    findings: tuple[Finding, ...]
    floor: Floor
    rows_attacked: int = 0
    unjudged: tuple[str, ...] = ()
    """The rows on which neither the empty answer nor an attempt has a value, and why: nothing is known about them."""
    attempts: tuple[Judged, ...] = field(default=(), repr=False)

    @property
    def worst(self) -> float:
        """The largest share of rows that an attack leaked."""
        return max((finding.leaked for finding in self.findings), default=0.0)

    @property
    def sound(self) -> bool:
        """Whether the honest control of every data source passed."""
        return all(control.passed for control in self.controls)

    @property
    def stalled(self) -> str:
        """How many completions could not be judged and why the first was not; empty if all were."""
        lost = [one for one in self.attempts if one.score.value is None]
        if not self.attempts and self.unjudged:
            return f"no attack was tried, since every row is unjudged; the first: {self.unjudged[0]}"
        if not lost:
            return ""
        first = lost[0]
        return (
            f"{len(lost)} of {len(self.attempts):,} attempts are unjudged; the first: {first.attack} "
            f"({first.attempt.variant}) on {first.row.id}: {first.score.reason}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without the single attempts."""
        return {
            "reward": self.reward,
            "seed": self.seed,
            "judged": self.judged,
            "unjudged_share": len(self.unjudged) / max(1, self.rows_attacked),
            "unjudged": self.stalled,
            "controls": [{**asdict(control), "passed": control.passed} for control in self.controls],
            "floor": asdict(self.floor),
            "findings": [asdict(finding) for finding in self.findings],
        }

    def rows(self) -> list[dict[str, Any]]:
        """One plain row for each attempt."""
        return [
            {
                "id": one.row.id,
                "data_source": one.row.data_source,
                "attack": one.attack,
                "variant": one.attempt.variant,
                "completion": one.attempt.text,
                "turns": len(one.attempt.turns),
                "reward": one.score.value,
                "score": one.score.outcome_value,
                "empty": one.empty.value,
                "verdict": one.score.verdict.value,
                "paid": one.paid,
                "by_chance": one.by_chance,
                "leaked": one.leaked,
                "reason": one.score.reason,
            }
            for one in self.attempts
        ]
