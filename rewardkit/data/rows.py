"""Rows of a run: each record of the input as one sample or several, with its place. A row that cannot be read is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeGuard, cast

from rewardkit import coerce
from rewardkit.chat import completion_turns, final_text, is_chat
from rewardkit.data.column_aliases import (
    COMPLETION,
    DATA_SOURCE,
    FACTS,
    GROUND_TRUTH,
    GROUP,
    IDENTITY,
    PROMPT,
    find,
    find_text,
    has,
    lookup,
)
from rewardkit.data.formats import COMPRESSED, SUFFIXES
from rewardkit.errors import NoColumnError, UsageError, one_line
from rewardkit.types import Sample

_ENCODE = json.JSONEncoder(default=coerce.json_value).encode
_DECODE = json.JSONDecoder(parse_float=coerce.parse_float).raw_decode
_LM_EVAL_SAMPLES = re.compile(
    rf"^samples_(.+?)(?:_\d{{4}}-\d\d-\d\dT[\d\-.:]+)?(?:{'|'.join(map(re.escape, (*SUFFIXES, *COMPRESSED)))})*$"
)


class Record(NamedTuple):
    """An object of the input with at most one completion, or what is wrong with it, and where it stands."""

    name: str
    """Name of the file, as messages have it."""
    stem: str
    """What ids and data sources call it: the same without folder and suffix, unless another file has the same."""
    line: int
    value: dict[str, Any] | str
    text: bytes | None = None
    """Its JSON, if it was read from JSON on a line of its own."""

    @property
    def where(self) -> str:
        """Its place in the input, for messages."""
        return f"{self.name}:{self.line}"

    def to_line(self) -> bytes:
        """All of it on one line. An object that JSON has no form for becomes the reason why."""
        text = self.text
        if text is None or isinstance(self.value, str):
            text = _encoded(self.value)
        return b"%b\t%d\t%b" % (_place_to_bytes(self.name, self.stem), self.line, text.strip())

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The record on a line."""
        name, stem, number, text = line.split(b"\t", 3)
        return cls(*_place_of_bytes(name, stem), int(number), _decoded(text))


class Row(NamedTuple):
    """One line of output to be: a sample, or the reason why there is none."""

    where: str
    id: str
    data_source: str | None
    sample: Sample | None
    error: str | None
    asked: Sample | None = None
    """What a row asks whose completion is missing or cannot be read."""

    @property
    def problem(self) -> Sample | None:
        """The sample, or what it would have asked; None if the record cannot be read at all."""
        return self.sample or self.asked


class Columns(NamedTuple):
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


def check_columns(
    record: Mapping[str, Any], name: str, columns: Columns, more: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Refuse input whose first record has no completion or not all columns that the user named. The group may be in one of `more`.

    Raises:
        UsageError: with the columns that exist.
    """
    for wanted in columns:
        looked_at = (record, *more) if wanted == columns.group else (record,)
        if wanted is not None and not any(has(each, wanted) for each in looked_at):
            raise NoColumnError.of(name, wanted, record)
    if not any(has(record, column) for column in columns.completions):
        raise UsageError(_missing("completion", columns.completions, record, name))


def missing_ground_truth(record: Mapping[str, Any], name: str, columns: Columns) -> str:
    """What to say of input whose first record has no column for the ground truth; empty if it has one."""
    if any(has(record, column) for column in columns.ground_truths):
        return ""
    return _missing("ground truth", columns.ground_truths, record, name)


def _missing(what: str, names: tuple[str, ...], record: Mapping[str, Any], where: str) -> str:
    present = one_line(", ".join(list(record)[:12])) or "none"
    option = f"--{what.replace(' ', '-')}-column"
    return f"{where} has no {what} column ({' '.join(names)}); its columns: {present}. Rename one, or name it with {option}"


def split_completions(record: Record, columns: Columns) -> Sequence[Record]:
    """The record itself, or one for each completion if its column holds a list of them (k samples), one at least."""
    value = record.value
    if isinstance(value, str):
        return (record,)
    column, held = _completion(value, columns)
    completions = several(held)
    if not completions:
        return (record,)
    identity = _identity(record)
    value = {**value, columns.groups[0]: find_text(value, columns.groups)[1] or identity}
    truth, ground_truth = find(value, columns.ground_truths)
    if isinstance(ground_truth, coerce.LongNumber):  # which JSON of the parts would not keep
        value[str(truth)] = ground_truth.text
    names = [identity] if len(completions) == 1 else [f"{identity}#{index}" for index in range(len(completions))]
    return [
        record._replace(value={**value, str(column): completion, "id": name}, text=None)
        for name, completion in zip(names, completions, strict=True)
    ]


def row_of(record: Record, columns: Columns) -> Row:
    """The row of a record."""
    where, value = record.where, record.value
    if isinstance(value, str):
        return Row(where, f"{record.stem}:{record.line}", source_name(record.stem), None, str(value))
    column, completion = _completion(value, columns)
    fields = sample_fields(value, columns, completion=column)
    identity, source = fields["id"], fields["data_source"]
    if identity is None:
        fields["id"] = identity = f"{record.stem}:{record.line}"
    if source is None:
        fields["data_source"] = source = source_name(record.stem)
    try:
        if column == "messages" and isinstance(completion, str) and completion.lstrip().startswith(("[", "{")):
            raise UsageError("messages is text that is not the JSON of a list of messages")
        if completion is not None:
            add_turns(fields, completion, _held(value, "messages"))
            return Row(where, identity, source, Sample(completion=completion, **fields), None)
        problem = "no completion"
    except UsageError as error:
        problem = str(error)
    return Row(where, identity, source, None, problem, _asked(fields))


def _asked(fields: Mapping[str, Any]) -> Sample | None:
    try:
        return Sample(**{name: fields[name] for name in ("id", "group", "data_source", "prompt", "ground_truth")})
    except UsageError:
        return None


def _completion(record: Mapping[str, Any], columns: Columns) -> tuple[str | None, Any]:
    """The first completion column that is there, and its value: a null is a completion that is missing, whatever other columns hold.

    Messages of which the model wrote none are a prompt, unless the user named the column.
    """
    columns_there = (name for name in columns.completions if has(record, name))
    column = next((name for name in columns_there if columns.completion or not _is_prompt(_held(record, name))), None)
    return column, None if column is None else _held(record, column)


def _held(record: Mapping[str, Any], name: str) -> Any:
    """The value of a column. `messages` that are text, as in CSV, are the chat of which that is the JSON; a completion that is text is what the model wrote."""
    value = lookup(record, name)
    if name != "messages" or not isinstance(value, str):
        return value
    try:
        chat, end = _DECODE(text := value.strip())
    except (ValueError, RecursionError):
        return value
    return chat if end == len(text) and is_chat(chat) else value


def _is_prompt(value: Any) -> bool:
    return is_chat(value) and not any(message["role"] == "assistant" for message in value)


def make_rows(value: dict[str, Any], name: str, stem: str, line: int, columns: Columns | None = None) -> list[Row]:
    """The rows of one object: one, or one a completion if the column holds a list of them."""
    columns = columns or Columns()
    return [row_of(record, columns) for record in split_completions(Record(name, stem, line, value), columns)]


def sample_fields(record: Mapping[str, Any], columns: Columns, *, completion: str | None) -> dict[str, Any]:
    """The fields of a sample but its completion, which is in the column `completion`. What is none of them is `extra_info`.

    So is what a field holds in another form: a column of the data source with a name of its own, and an `id` or `group` that is no text.
    """
    layout = _layout(tuple(record), columns)
    truth, ground_truth = find(record, layout.ground_truths)
    data_source = find_text(record, layout.data_sources)[1]
    prompt_column, prompt = find_text(record, layout.prompts)
    extra = record.get("extra_info")
    rest = {name: record[name] for name in layout.rest if name not in {completion, truth, prompt_column}}
    rest |= {name: value for name in layout.keys if not isinstance(value := record[name], str) and value is not None}
    fields = {name: value for name in layout.facts if (value := record[name]) is not None}
    fields["ground_truth"] = ground_truth
    fields["prompt"] = prompt if isinstance(prompt, str) or is_chat(prompt) else None
    fields["data_source"] = _text(data_source)
    fields["id"] = _text(find_text(record, layout.identities)[1])
    fields["group"] = _text(find_text(record, layout.groups)[1])
    fields["extra_info"] = (
        {**rest, **cast("Mapping[str, Any]", extra)} if extra is not None and isinstance(extra, Mapping) else rest
    )
    return fields


def add_turns(fields: dict[str, Any], completion: Any, chat: Any) -> None:
    """Add a chat to the fields of a sample as its `messages` if the completion is the text of its last turn."""
    if (
        isinstance(completion, str)
        and is_chat(chat)
        and final_text(completion_turns(chat, fields["prompt"])) == completion
    ):
        fields["messages"] = chat
        fields["extra_info"].pop("messages", None)


class _Layout(NamedTuple):
    """Which columns of a record may hold what."""

    ground_truths: tuple[str, ...]
    data_sources: tuple[str, ...]
    prompts: tuple[str, ...]
    identities: tuple[str, ...]
    groups: tuple[str, ...]
    facts: tuple[str, ...]
    keys: tuple[str, ...]
    rest: tuple[str, ...]


@lru_cache(maxsize=64)
def _layout(names: tuple[str, ...], columns: Columns) -> _Layout:
    """The layout of the records that have these columns: all or most of a file."""

    def among(candidates: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in candidates if name in names or name.partition(".")[0] in names)

    keys = ("id", "group", "data_source")
    taken = {*keys, "extra_info", *FACTS}
    return _Layout(
        ground_truths=among(columns.ground_truths),
        data_sources=among(DATA_SOURCE),
        prompts=among(PROMPT),
        identities=among(IDENTITY),
        groups=among(columns.groups),
        facts=among(FACTS),
        keys=tuple(name for name in keys if name in names),
        rest=tuple(name for name in names if name not in taken),
    )


@lru_cache(maxsize=64)
def _place_to_bytes(name: str, stem: str) -> bytes:
    return b"%b\t%b" % (name.encode("unicode_escape"), stem.encode("unicode_escape"))


@lru_cache(maxsize=64)
def _place_of_bytes(name: bytes, stem: bytes) -> tuple[str, str]:
    return name.decode("unicode_escape"), stem.decode("unicode_escape")


def _encoded(value: dict[str, Any] | str) -> bytes:
    """JSON of what has none yet; a text is what is wrong with the object."""
    try:
        return _ENCODE(value).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return _ENCODE(f"it has no JSON form: {error}").encode()


def _decoded(text: bytes) -> dict[str, Any] | str:
    """What `_encoded` wrote, or JSON as the input had it."""
    try:
        return _DECODE(text.decode())[0]
    except (ValueError, RecursionError) as error:
        return f"broken JSON: {error}"


def _identity(record: Record) -> str:
    """What the record calls itself, else its place."""
    found = find_text(cast("dict[str, Any]", record.value), IDENTITY)[1]
    return _text(found) or f"{record.stem}:{record.line}"


def _text(value: Any) -> str | None:
    """A name as text. An empty one names nothing."""
    return None if value is None else str(value) or None


def several(value: Any) -> list[Any] | None:
    """The completions in a list of them (texts, chats, or lm-eval's list of lists); None for a single completion."""
    if not isinstance(value, (list, tuple)) or is_chat(value):
        return None
    items = cast("Sequence[Any]", value)
    if len(items) == 1 and _is_list(items[0]):
        return list(items[0])
    return [item[0] if _is_list(item) and len(item) == 1 else item for item in items]


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and not is_chat(cast("list[Any]", value))


@lru_cache(maxsize=64)
def source_name(stem: str) -> str:
    """The data source from a file's name: the task if lm-eval wrote the file, else the name itself."""
    folder, slash, name = stem.rpartition("/")
    match = _LM_EVAL_SAMPLES.match(name)
    return f"{folder}{slash}{match[1]}" if match else stem
