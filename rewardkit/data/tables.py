"""Score a table in memory: a pandas or polars frame, a `datasets.Dataset`, an Arrow table, or a list of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple, cast

from rewardkit import coerce
from rewardkit.data.formats import check_distinct
from rewardkit.data.rows import Columns, Row, check_columns, make_rows
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score

ScoreSamples = Callable[[Sequence[Sample]], Sequence[Score]]


def score_table(score: ScoreSamples, table: Any, *, prefix: str = "reward") -> Any:
    """The same kind of table with six more columns: `reward`, `reward_accuracy`, `reward_score`, `reward_verdict`,
    `reward_answer` and `reward_reason`. If a row holds several completions, each of them is a list.

    Raises:
        UsageError: the table is empty, of another kind, lacks a column, or has one of the new columns already.
    """
    _kind(table)
    if not len(table):
        raise UsageError("the table has no rows")
    return extend_table(score, table, columns=Columns(), prefix=prefix)


def extend_table(score: ScoreSamples, table: Any, *, columns: Columns, prefix: str) -> Any:
    """The same for one batch of a larger table, which may be empty, and may be a dict of columns as in Ray."""
    kind = _COLUMNS if isinstance(table, dict) else _kind(table)
    names = list(kind.names(table))
    check_distinct(names, "the table")
    for name in (f"{prefix}_{part}" if part else prefix for part in _NEW):
        if name in names:
            raise UsageError(
                f"the table has a column {name!r} already; give another prefix: score_table(table, prefix='r2')"
            )
    records = kind.records(table)
    for record in records[:1]:
        check_columns(record, "the table", columns)
    rows = [make_rows(coerce.plain(record), "row", "row", n, columns) for n, record in enumerate(records, start=1)]
    judged = iter(score([row.sample for group in rows for row in group if row.sample is not None]))
    scores = [[_score_of(row, judged) for row in group] for group in rows]
    new = {
        (f"{prefix}_{name}" if name else prefix): [_one_or_all([get(score) for score in group]) for group in scores]
        for name, get in _NEW.items()
    }
    return kind.extended(table, new)


_NEW: dict[str, Callable[[Score], Any]] = {
    "": lambda score: score.value,
    "accuracy": lambda score: score.accuracy,
    "score": lambda score: score.outcome_value,
    "verdict": lambda score: score.verdict.value,
    "answer": lambda score: score.answer,
    "reason": lambda score: score.reason,
}
_ARROW_TYPES = ("float64", "int64", "float64", "string", "string", "string")


def _score_of(row: Row, judged: Any) -> Score:
    return Score.unjudged(row.error or "") if row.sample is None else next(judged)


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


Records = list[dict[str, Any]]


class _Kind(NamedTuple):
    """How names of columns and rows are got out of a kind of table, and columns into it."""

    names: Callable[[Any], Iterable[Any]]
    records: Callable[[Any], Records]
    extended: Callable[[Any, Mapping[str, Sequence[Any]]], Any]


def _kind(table: Any) -> _Kind:
    package = type(table).__module__.partition(".")[0]
    name = type(table).__name__
    if isinstance(table, (list, tuple)) and all(isinstance(row, Mapping) for row in cast("Sequence[Any]", table)):
        return _Kind(_list_names, list, _extend_list)
    kind = _KINDS.get((package, name))
    if kind is None:
        known = ", ".join(sorted(f"{package}.{name}" for package, name in _KINDS))
        raise UsageError(f"score_table takes {known} or a list of dicts, not {package}.{name}")
    return kind


def _list_names(rows: Records) -> set[str]:
    return set[str]().union(*rows)


def _extend_list(rows: Records, new: Mapping[str, Sequence[Any]]) -> Records:
    return [{**row, **{name: values[index] for name, values in new.items()}} for index, row in enumerate(rows)]


def _pandas_records(frame: Any) -> Records:
    """Missing cells (NaN, NaT, NA) are None."""
    return [
        {name: coerce.present(cell) for name, cell in row.items()} for row in frame.astype(object).to_dict("records")
    ]


def _extend_pandas(frame: Any, new: Mapping[str, Sequence[Any]]) -> Any:
    return frame.assign(**new)


def _dataset_records(data: Any) -> Records:
    """Plain Python values, whatever format the data set is set to."""
    return [dict(row) for row in data.with_format(None)]


def _extend_dataset(data: Any, new: Mapping[str, Sequence[Any]]) -> Any:
    for name, values in new.items():
        data = data.add_column(name, list(values))
    return data


def _extend_arrow(table: Any, new: Mapping[str, Sequence[Any]]) -> Any:
    for name, values in _arrow_arrays(new).items():
        table = table.append_column(name, values)
    return table


def _arrow_arrays(new: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """With fixed types, so that batches without any answer have the columns that the others have."""
    from importlib import import_module

    pa: Any = import_module("pyarrow")
    arrays: dict[str, Any] = {}
    for (name, values), kind in zip(new.items(), _ARROW_TYPES, strict=True):
        own = getattr(pa, kind)()
        if any(isinstance(value, list) for value in values):
            lists: list[Any] = [cast("list[Any]", value) if isinstance(value, list) else [value] for value in values]
            arrays[name] = pa.array(lists, pa.list_(own))
        else:
            arrays[name] = pa.array(values, own)
    return arrays


def _column_records(columns: Mapping[str, Sequence[Any]]) -> Records:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _extend_columns(columns: Mapping[str, Any], new: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {**columns, **_arrow_arrays(new)}


def _extend_polars(frame: Any, new: Mapping[str, Sequence[Any]]) -> Any:
    from importlib import import_module

    series: Any = import_module("polars").Series
    return frame.with_columns([series(name, list(values)) for name, values in new.items()])


_KINDS: dict[tuple[str, str], _Kind] = {
    ("pandas", "DataFrame"): _Kind(attrgetter("columns"), _pandas_records, _extend_pandas),
    ("polars", "DataFrame"): _Kind(attrgetter("columns"), methodcaller("to_dicts"), _extend_polars),
    ("pyarrow", "Table"): _Kind(attrgetter("column_names"), methodcaller("to_pylist"), _extend_arrow),
    ("datasets", "Dataset"): _Kind(attrgetter("column_names"), _dataset_records, _extend_dataset),
}
_COLUMNS = _Kind(list, _column_records, _extend_columns)
