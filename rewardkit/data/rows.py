"""Rows of a run: each record of the input as one sample or several, with its place. A row that cannot be read is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

from rewardkit.chat import final_text, is_chat
from rewardkit.data.column_aliases import (
    COMPLETION,
    DATA_SOURCE,
    FACTS,
    GROUND_TRUTH,
    GROUP,
    IDENTITY,
    PROMPT,
    find,
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
    """Refuse input whose first record has no completion or not all columns that the user named.

    Raises:
        UsageError: with the columns that exist.
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
    """The rows of one record: one, or one a completion if the column holds a list of them (k samples)."""
    columns = columns or Columns()
    column, value = find(record, columns.completions)
    fields = sample_fields(record, columns, completion=column)
    if fields["id"] is None:
        fields["id"] = f"{stem}:{line}"
    if fields["data_source"] is None:
        fields["data_source"] = source_name(stem)
    identity: str = fields["id"]
    if column is None:
        yield Row(where, identity, fields["data_source"], None, "no completion")
        return
    completions = _several(value)
    if completions is None:
        turns = record.get("messages")
        if (
            isinstance(value, str) and is_chat(turns) and final_text(turns) == value
        ):  # the turns of this very completion
            fields["messages"] = turns
            fields["extra_info"].pop("messages", None)
        yield _row(where, fields, value)
        return
    fields["group"] = fields["group"] or identity
    for index, completion in enumerate(completions):
        yield _row(where, {**fields, "id": identity if len(completions) == 1 else f"{identity}#{index}"}, completion)


def sample_fields(record: Mapping[str, Any], columns: Columns, *, completion: str | None) -> dict[str, Any]:
    """The fields of a sample but its completion, which is in the column `completion`. What is none of them is `extra_info`."""
    layout = _layout(tuple(record), columns)
    truth, ground_truth = find(record, layout.ground_truths)
    source, data_source = find(record, layout.data_sources)
    prompt_column, prompt = find(record, layout.prompts)
    extra = record.get("extra_info")
    rest = {name: record[name] for name in layout.rest if name not in {completion, truth, source, prompt_column}}
    fields = {name: value for name in layout.facts if (value := record[name]) is not None}
    fields["ground_truth"] = ground_truth
    fields["prompt"] = prompt if isinstance(prompt, str) or is_chat(prompt) else None
    fields["data_source"] = _text(data_source)
    fields["id"] = _text(find(record, layout.identities)[1])
    fields["group"] = _text(find(record, layout.groups)[1])
    fields["extra_info"] = {**rest, **cast("Mapping[str, Any]", extra)} if isinstance(extra, Mapping) else rest
    return fields


class _Layout(NamedTuple):
    """Which columns of a record may hold what."""

    ground_truths: tuple[str, ...]
    data_sources: tuple[str, ...]
    prompts: tuple[str, ...]
    identities: tuple[str, ...]
    groups: tuple[str, ...]
    facts: tuple[str, ...]
    rest: tuple[str, ...]


@lru_cache(maxsize=64)
def _layout(names: tuple[str, ...], columns: Columns) -> _Layout:
    """The layout of the records that have these columns: all or most of a file."""

    def among(candidates: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in candidates if name in names or name.partition(".")[0] in names)

    taken = {"id", "group", "extra_info", *FACTS}
    return _Layout(
        ground_truths=among(columns.ground_truths),
        data_sources=among(DATA_SOURCE),
        prompts=among(PROMPT),
        identities=among(IDENTITY),
        groups=among(columns.groups),
        facts=among(FACTS),
        rest=tuple(name for name in names if name not in taken),
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _row(where: str, fields: dict[str, Any], completion: Any) -> Row:
    identity, source = fields["id"], fields["data_source"]
    try:
        return Row(where, identity, source, Sample(completion=completion, **fields), None)
    except UsageError as error:
        return Row(where, identity, source, None, str(error))


def _several(value: Any) -> list[Any] | None:
    """The completions in a list of them (texts, chats, or lm-eval's list of lists); None for a single completion."""
    if not isinstance(value, (list, tuple)) or is_chat(value):
        return None
    items = cast("Sequence[Any]", value)
    if len(items) == 1 and isinstance(items[0], list) and not is_chat(items[0]):
        return list(cast("list[Any]", items[0]))
    return [item[0] if isinstance(item, list) and len(cast("list[Any]", item)) == 1 else item for item in items]


def _has(record: Mapping[str, Any], column: str) -> bool:
    if column in record:
        return True
    head, dot, rest = column.partition(".")
    inner = record.get(head)
    return bool(dot) and isinstance(inner, Mapping) and _has(cast("Mapping[str, Any]", inner), rest)


def source_name(stem: str) -> str:
    """The data source from a file's name: the task if lm-eval wrote the file, else the name itself."""
    match = _LM_EVAL_SAMPLES.match(stem)
    return match[1] if match else stem
