"""The rules of a gate, from a TOML file or from the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rewardkit.errors import UsageError

M = TypeVar("M", bound=BaseModel)
OnInconclusive = Literal["fail", "warn"]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class TopUp(_Strict):
    """One second look with more answers, declared beforehand: `from` answers a problem first, `to` if undecided.

    Each look gets half of alpha, so that looking twice does not raise the chance of a false alarm.
    """

    first: int = Field(alias="from", ge=1, strict=True)
    then: int = Field(alias="to", ge=2, strict=True)

    @model_validator(mode="after")
    def _grows(self) -> Self:
        if self.then <= self.first:
            raise ValueError("`to` must be more than `from`")
        return self


class Minimum(_Strict):
    """Accuracy must reach a threshold: by its interval's lower end, or, if declared, by the point estimate."""

    accuracy: float = Field(ge=0, le=1, strict=True)
    judged_on: Literal["low", "point"] = "low"


class Regression(_Strict):
    """Accuracy may not drop by more than `margin` against the baseline."""

    margin: float = Field(default=0.02, gt=0, lt=1, strict=True)


class Guard(_Strict):
    """Shares that must hold whatever the accuracy; these need no statistics."""

    errors: float | None = Field(default=0.005, ge=0, le=1, strict=True)
    """At most this share of answers may be missing or unjudged. Beyond it the run is incomplete (exit 4)."""
    truncated: float | None = Field(default=None, ge=0, le=1, strict=True)
    """At most this share may be cut off by the token limit."""
    format: float | None = Field(default=None, ge=0, le=1, strict=True)
    """At least out of this share an answer could be read."""


class Rules(_Strict):
    """A gate's whole configuration. Per-task tables override the general ones."""

    alpha: float = Field(default=0.05, gt=0, lt=0.5, strict=True)
    """Chance of a false alarm over all rules together, but for those that need no statistics (guards, `judged_on = "point"`)."""
    on_inconclusive: OnInconclusive = "fail"
    top_up: TopUp | None = None
    regression: Regression | None = None
    minimum: Minimum | None = Field(default=None, alias="min")
    guard: Guard = Guard()
    by_task: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Tables such as `[task.aime24.min]`."""
    by_default: bool = False
    """The general regression rule is the default: a task that the baseline does not hold is judged by its own rules, if it has any."""

    @property
    def look_alpha(self) -> float:
        """Alpha of one look: half of it if there may be two."""
        return self.alpha / 2 if self.top_up else self.alpha

    def corrected(self, tasks: Iterable[str]) -> int:
        """How many rules on these tasks have a p, and are corrected together."""
        held = [self.for_task(task)[:2] for task in tasks]
        return sum((drop is not None) + (least is not None and least.judged_on == "low") for least, drop in held)

    def unused(self, known: Iterable[str], where: str) -> str:
        """What to say of rules for tasks that are not there: several runs may share a file. Empty if there are none.

        Raises:
            UsageError: none of the tasks with rules of their own is there, as with a misspelt name: nothing would be held against them.
        """
        names = list(known)
        unknown = [task for task in self.by_task if task not in names]
        if not unknown:
            return ""
        tables = ", ".join(f"[task.{task}]" for task in unknown)
        told = f"gate rules: {tables} {'is' if len(unknown) == 1 else 'are'} not for a task of {where}, which holds {', '.join(names)}"
        if len(unknown) == len(self.by_task):
            raise UsageError(told)
        return told

    def for_task(self, task: str) -> tuple[Minimum | None, Regression | None, Guard]:
        """The rules that hold for one task."""
        own = self.by_task.get(task, {})
        least = _override(Minimum, self.minimum, own.get("min"), f"[task.{task}.min]")
        drop = _override(Regression, self.regression, own.get("regression"), f"[task.{task}.regression]")
        guard = _override(Guard, self.guard, own.get("guard"), f"[task.{task}.guard]")
        return least, drop, guard or Guard()


def _override(kind: type[M], general: M | None, own: Any, where: str) -> M | None:
    if own is None:
        return general
    merged = {**(general.model_dump(exclude_unset=True) if general else {}), **own}
    return _model(kind, merged, where)


def _table(value: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"gate rules {where}: {name} is no table; write [{name}] and its entries below")
    return cast("dict[str, Any]", value)


def _model(kind: type[M], value: Any, where: str) -> M:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(f"gate rules {where}: {place}: {first['msg'].lower()}") from None


def read_rules(path: str | Path) -> Rules:
    """Read rules from TOML: `alpha`, `on_inconclusive`, `[top_up]`, `[min]`, `[regression]`, `[guard]`, `[task.NAME.min]`...

    Raises:
        UsageError: the file, an entry or a value is not as it should be.
    """
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"cannot read gate rules {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"gate rules {path} are not TOML: {error}") from None
    return rules_of(data, str(path))


def rules_of(data: Mapping[str, Any], where: str) -> Rules:
    """Rules out of a TOML table."""
    known = {"alpha", "on_inconclusive", "top_up", "min", "regression", "guard", "task"}
    unknown = sorted(set(data) - known)
    if unknown:
        raise UsageError(f"gate rules {where}: no entry {unknown[0]!r}; there are {', '.join(sorted(known))}")
    by_task = _table(data.get("task", {}), "task", where)
    for task in by_task:
        own = _table(by_task[task], f"task.{task}", where)
        odd = sorted(set(own) - {"min", "regression", "guard"})
        if odd:
            raise UsageError(f"gate rules {where}: [task.{task}] has no {odd[0]!r}; there are guard, min, regression")
        for name in own:
            _table(own[name], f"task.{task}.{name}", where)
    value = {name: data[name] for name in known - {"task"} if name in data}
    rules = _model(Rules, {**value, "by_task": by_task}, where)
    for task in by_task:
        rules.for_task(task)
    return rules
