"""Rows of a run: each record of the input as one sample or several, with its place. A row that cannot be read is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from rewardkit.chat import is_chat
from rewardkit.data.column_aliases import (
    COMPLETION,
    DATA_SOURCE,
    FACTS,
    GROUND_TRUTH,
    GROUP,
    IDENTITY,
    PROMPT,
    first_present,
    lookup,
)
from rewardkit.errors import UsageError
from rewardkit.types import Sample

_LM_EVAL_SAMPLES = re.compile(r"^samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d\-.:]+)?$")


class Row(NamedTuple):
    """One line of output to be: a sample, or the reason why there is none."""

    where: str
    id: str
    data_source: str | None
    sample: Sample | None
    error: str | None


@dataclass(frozen=True)
class Columns:
    """Names of columns set by the user; None means: found by their usual names."""

    completion: str | None = None
    ground_truth: str | None = None
    group: str | None = None

    @property
    def completions(self) -> tuple[str, ...]:
        """Where the completion may be, in order."""
        return (self.completion,) if self.completion else COMPLETION

    @property
    def ground_truths(self) -> tuple[str, ...]:
        """Where the ground truth may be, in order."""
        return (self.ground_truth,) if self.ground_truth else GROUND_TRUTH

    @property
    def groups(self) -> tuple[str, ...]:
        """Where the group may be, in order."""
        return (self.group,) if self.group else GROUP


def check_columns(record: Mapping[str, Any], name: str, columns: Columns) -> None:
    """Refuse input whose first record has no completion, or lacks a column that the user named.

    Raises:
        UsageError: naming the columns that there are.
    """
    present = ", ".join(list(record)[:12]) or "none"
    if not any(_has(record, column) for column in columns.completions):
        wanted = columns.completion or " ".join(COMPLETION)
        raise UsageError(
            f"{name} has no completion column ({wanted}); its columns: {present}. Name it with --completion-column"
        )
    wanted = columns.ground_truth
    if wanted is not None and not _has(record, wanted):
        raise UsageError(f"{name} has no column {wanted!r}; its columns: {present}")


def make_rows(
    record: Mapping[str, Any], where: str, stem: str, line: int, columns: Columns | None = None
) -> Iterator[Row]:
    """The rows of one record: one, or one a completion where the column holds a list of them (k samples)."""
    columns = columns or Columns()
    base = _base(record, stem, line, columns)
    column = first_present(record, columns.completions)
    value = None if column is None else lookup(record, column)
    if column is None:
        yield Row(where, base.id or "", base.data_source, None, "no completion")
        return
    completions = _several(value)
    if completions is None:
        yield _row(where, base, value)
        return
    group = base.group or base.id
    for index, completion in enumerate(completions):
        identity = base.id if len(completions) == 1 else f"{base.id}#{index}"
        yield _row(where, replace(base, id=identity, group=group), completion)


@dataclass(frozen=True)
class _Base:
    """What all samples of one record share."""

    id: str
    data_source: str | None
    group: str | None
    fields: Mapping[str, Any]


def _base(record: Mapping[str, Any], stem: str, line: int, columns: Columns) -> _Base:
    truth = first_present(record, columns.ground_truths)
    source = first_present(record, DATA_SOURCE)
    identity = first_present(record, IDENTITY)
    group = first_present(record, columns.groups)
    prompt = first_present(record, PROMPT)
    extra = record.get("extra_info")
    used = {truth, source, prompt, *columns.completions, "extra_info", "messages", "ground_truth", *FACTS}
    fields: dict[str, Any] = {name: record[name] for name in FACTS if record.get(name) is not None}
    fields["ground_truth"] = None if truth is None else lookup(record, truth)
    fields["prompt"] = None if prompt is None else _prompt(record[prompt])
    fields["extra_info"] = {
        **{name: value for name, value in record.items() if name not in used},
        **(cast("Mapping[str, Any]", extra) if isinstance(extra, Mapping) else {}),
    }
    return _Base(
        id=f"{stem}:{line}" if identity is None else str(record[identity]),
        data_source=source_name(stem) if source is None else str(record[source]),
        group=None if group is None else str(lookup(record, group)),
        fields=fields,
    )


def _row(where: str, base: _Base, completion: Any) -> Row:
    try:
        sample = Sample(
            completion=completion, id=base.id, data_source=base.data_source, group=base.group, **base.fields
        )
    except UsageError as error:
        return Row(where, base.id, base.data_source, None, str(error))
    return Row(where, base.id, base.data_source, sample, None)


def _several(value: Any) -> list[Any] | None:
    """The completions in a list of them (texts, chats, or lm-eval's list of lists); None for a single completion."""
    if not isinstance(value, (list, tuple)) or is_chat(value):
        return None
    items = cast("Sequence[Any]", value)
    if len(items) == 1 and isinstance(items[0], list) and not is_chat(items[0]):
        return list(cast("list[Any]", items[0]))
    return [item[0] if isinstance(item, list) and len(cast("list[Any]", item)) == 1 else item for item in items]


def _prompt(value: Any) -> Any:
    return value if isinstance(value, str) or is_chat(value) else None


def _has(record: Mapping[str, Any], column: str) -> bool:
    if column in record:
        return True
    head, dot, rest = column.partition(".")
    inner = record.get(head)
    return bool(dot) and isinstance(inner, Mapping) and _has(cast("Mapping[str, Any]", inner), rest)


def source_name(stem: str) -> str:
    """The data source that a file's name tells: the task in lm-eval's names, else the name itself."""
    match = _LM_EVAL_SAMPLES.match(stem)
    return match[1] if match else stem
