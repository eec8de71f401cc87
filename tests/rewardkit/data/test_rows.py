import gzip
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from json_places import places_in, put

from rewardkit import Sample, UsageError, coerce, load
from rewardkit.data.column_aliases import COMPLETION, DATA_SOURCE, GROUND_TRUTH, GROUP, IDENTITY, PROMPT
from rewardkit.data.formats import MAX_LINE_BYTES, parse_line
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns, Record, Row, make_rows, row_of, split_completions

Write = Callable[..., Path]
GOOD = {"id": "a", "completion": "4", "answer": "4"}


def read(*paths: Path, **columns: str) -> list[Row]:
    return list(RowReader([str(path) for path in paths], Columns(**columns)))


@pytest.mark.parametrize(
    "row",
    [
        {"completion": "4", "ground_truth": "5"},
        {"response": "4", "answer": "5"},
        {"output": "4", "solution": "5"},
        {"generation": "4", "final_answer": "5"},
        {"output": "4", "solution": "We add 2 and 3.", "final_answer": "5"},
        {"output": "4", "solution": "We add 2 and 3.", "answer": "5"},
        {"output": "4", "answer": "Two and three is 5.", "solution": "", "reward_model": {"ground_truth": "5"}},
        {"resps": [["4"]], "target": "5"},
        {"completion": "4", "reward_model": {"ground_truth": "5", "style": "rule"}},
        {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "4"}], "answer": "5"},
        {"completion": [{"role": "assistant", "content": "4"}], "answer": "5"},
    ],
)
def test_usual_column_names_are_found(row: dict[str, Any], write_jsonl: Write) -> None:
    sample = read(write_jsonl(row))[0].sample
    assert sample is not None
    assert (sample.completion, sample.ground_truth) == ("4", "5")


@pytest.mark.parametrize("nulls", range(1, len(COMPLETION) + 1))
def test_a_null_completion_is_missing_whatever_other_columns_hold(nulls: int, write_jsonl: Write) -> None:
    row = {name: None if index < nulls else "4" for index, name in enumerate(COMPLETION)}
    rows = read(write_jsonl({**row, "answer": "4"}, {**row, "completion": ["4", None], "answer": "4"}))
    assert [each.error for each in rows] == ["no completion", None, "no completion"]


@pytest.mark.parametrize("role", ["user", "model"])
def test_messages_of_which_the_model_wrote_none_are_no_completion(role: str, write_jsonl: Write) -> None:
    prompt = {"messages": [{"role": role, "content": "?"}], "text_of_model": "4", "answer": "4"}
    assert [row.error for row in read(write_jsonl(prompt, GOOD))] == ["no completion", None]
    assert [row.error for row in read(write_jsonl(GOOD, prompt))] == [None, "no completion"]
    (row,) = read(write_jsonl(prompt), completion="text_of_model")
    assert row.sample is not None
    (named,) = read(write_jsonl(prompt), completion="messages")
    assert "no message with the role 'assistant'" in str(named.error)


CALLS = [
    [{"name": "f", "arguments": {"city": "Oslo", "deep": {"x": 1}}}],
    [{"name": "g", "arguments": {"x": 1, "deep": {"y": 1}}}],
]


def test_calls_in_a_table_that_pads_them_are_matched_as_those_of_jsonl(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rows = [{"completion": f"<tool_call>{json.dumps(calls[0])}</tool_call>", "ground_truth": calls} for calls in CALLS]
    table, parquet = pa.Table.from_pylist(rows), tmp_path / "rows.parquet"
    assert table.to_pylist() != rows, "it pads them"
    pq.write_table(table, parquet)
    samples = [row.sample for row in read(parquet)]
    assert all(samples)
    assert [score.value for score in load("tool_match(partial=False)").score(samples)] == [1, 1]


def test_a_column_of_a_table_that_is_null_is_there(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"response": None, "output": "5", "meta": {"gold": None}},
        {"response": "4", "output": "5", "meta": {"gold": "4"}},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    null, row = read(tmp_path / "t.parquet", ground_truth="meta.gold")
    assert null.error == "no completion"
    assert row.sample is not None
    assert (row.sample.completion, row.sample.ground_truth) == ("4", "4")


@pytest.mark.parametrize("nulls", range(len(GROUND_TRUTH)))
def test_the_ground_truth_is_the_first_one_that_is_not_null(nulls: int, write_jsonl: Write) -> None:
    truths = {name: None if index < nulls else str(index) for index, name in enumerate(GROUND_TRUTH)}
    sample = read(write_jsonl({"completion": "4", **truths}))[0].sample
    assert sample is not None
    assert sample.ground_truth == str(nulls)


@pytest.mark.parametrize("null", ["", math.nan, None])
@pytest.mark.parametrize("nulls", range(5))
def test_an_empty_text_and_nan_are_no_name_and_no_prompt(nulls: int, null: object, write_jsonl: Write) -> None:
    """A table in CSV holds an empty text where others hold null, and Alpaca's rows have an empty `input`."""
    fields = {"prompt": PROMPT, "data_source": DATA_SOURCE, "group": GROUP, "id": IDENTITY}
    for field, columns in fields.items():
        row = {name: null if index < nulls else f"v{index}" for index, name in enumerate(columns)}
        sample = read(write_jsonl({"completion": "4", **row}))[0].sample
        unnamed = {"id": "rows:1", "data_source": "rows"}.get(field)
        assert sample is not None
        assert (getattr(sample, field) or None) == (f"v{nulls}" if nulls < len(columns) else unnamed)


def test_an_empty_ground_truth_stays_one_beside_an_answer(write_jsonl: Write) -> None:
    """As the harness writes it: its column `answer` is what the model answered."""
    sample = read(write_jsonl({"completion": "4", "ground_truth": "", "answer": "4"}))[0].sample
    assert sample is not None
    assert load("exact").score([sample])[0].value is None


NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,25})\.[0-9]{1,25}([eE][-+]?[0-9]{1,25})?", fullmatch=True)


@given(NUMBERS, st.booleans())
def test_a_number_is_the_ground_truth_that_is_written_and_a_float_anywhere_else(text: str, several: bool) -> None:
    completion = '["4", "5"]' if several else '"4"'
    line = f'{{"completion": {completion}, "answer": {text}, "other": {text}}}'.encode()
    value = parse_line(line)
    assert isinstance(value, dict)
    for record in split_completions(Record("f", "f", 1, value, line), Columns()):
        for each in (record, Record.from_line(record.to_line())):  # in this process and in a worker
            sample = row_of(each, Columns()).sample
            assert sample is not None
            truth = sample.ground_truth
            assert truth == (text if isinstance(value["answer"], coerce.LongNumber) else float(text))
            assert type(sample.extra_info["other"]) is float


@given(st.integers(24, 30), st.integers(0, 9), st.sampled_from(["", "e5", "e999", "e-999"]))
def test_digits_that_no_float_has_make_a_long_number(digits: int, last: int, exponent: str) -> None:
    text = f"0.1{'0' * (digits - 3)}{last}7{exponent}"
    assert isinstance(coerce.parse_float(text), coerce.LongNumber)


@given(st.floats(-1e308, 1e308), st.integers(0, 30), st.sampled_from("efg"))
def test_a_float_is_itself_however_many_digits_of_it_are_printed(value: float, digits: int, form: str) -> None:
    text = f"{value:.{digits}{form}}"
    assert type(coerce.parse_float(text)) is float


ODD = [None, True, 0, 2.5, float("nan"), "", "x", "\ud800", [], {}, [[]], [None], [{}], {"x": 1}]
RECORD = {**GOOD, "messages": [{"role": "assistant", "content": "4"}], "resps": [["4"]], "extra_info": {"a": [1]}}


@pytest.mark.parametrize("column", ["completion", "messages", "resps"])
def test_a_record_is_a_row_at_least_whatever_it_holds(column: str, write_jsonl: Write) -> None:
    others = {name: value for name, value in RECORD.items() if name not in {"completion", "messages", "resps"}}
    record = {**others, column: RECORD[column]}
    changed = [put(record, place, value) for place in places_in(record) for value in ODD]
    rows = read(write_jsonl(record, *changed))  # the first says which columns there are
    lines = {int(row.where.rpartition(":")[2]) for row in rows}
    assert lines == set(range(1, len(changed) + 2))


TEXTS = st.text(st.characters(codec="utf-8"))
NAMES = TEXTS.filter(bool)
CHATS = st.lists(st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": TEXTS}), min_size=1)

ANSWERED = CHATS.map(lambda chat: [*chat, {"role": "assistant", "content": "behind all prompts"}])
SHOTS = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "4"}]


@given(
    st.sampled_from([SHOTS, SHOTS[1:], SHOTS * 2, [*SHOTS, {"role": "tool", "content": "5"}]]),
    st.sampled_from([None, "4"]),
)
def test_messages_are_the_same_as_their_json_text(chat: list[dict[str, Any]], completion: str | None) -> None:
    """CSV has no lists. In the text of a whole chat the prompt would be judged, too."""
    row = {"messages": chat, "answer": "4", **({"completion": completion} if completion else {})}
    (plain,), (text,) = (make_rows(each, "f", "f", 1) for each in (row, {**row, "messages": json.dumps(chat)}))
    assert text.sample is not None
    assert text.sample == plain.sample


@pytest.mark.parametrize("text", ["[]", ' ["4"]', '[{"content": "4"}]', "[" * 100_000, json.dumps(SHOTS) + " 4", "{}"])
def test_messages_that_are_no_chat_are_not_judged_as_text(text: str) -> None:
    (row,) = make_rows({"messages": text, "answer": "4"}, "f", "f", 1)
    assert row.sample is None
    assert "messages is text" in str(row.error)


@given(
    st.builds(
        Sample,
        completion=TEXTS | ANSWERED,
        prompt=st.none() | TEXTS | CHATS,
        ground_truth=st.none() | TEXTS | st.lists(st.integers()),
        data_source=NAMES,
        completion_tokens=st.none() | st.integers(0, 2**63 - 1),
        completion_ids=st.none() | st.lists(st.integers(0)),
        finish_reason=st.none() | TEXTS,
        id=NAMES,
        group=st.none() | NAMES,
        extra_info=st.dictionaries(TEXTS, st.integers()),
    )
)
@example(Sample(completion="", messages=SHOTS, prompt=SHOTS, data_source="s", id="1"))
def test_a_sample_written_as_a_row_is_read_as_it_was(sample: Sample) -> None:
    (row,) = make_rows(json.loads(sample.to_json()), "here:1", "rows", 1)
    assert row.sample == sample


@given(st.lists(TEXTS | ANSWERED, min_size=1, max_size=4), st.sampled_from(["plain", "nested", "singly"]))
@example([[{"role": "assistant", "content": "4"}]], "plain")
def test_a_list_of_texts_or_chats_is_as_many_completions(completions: list[Any], form: str) -> None:
    """Also in lm-eval's lists of lists."""
    held = {"plain": completions, "nested": [completions], "singly": [[each] for each in completions]}[form]
    rows = make_rows({"id": "7", "completion": held, "answer": "4"}, "here", "rows", 1)
    assert [row.sample for row in rows] == [
        Sample(completion=each, ground_truth="4", data_source="rows", id=row.id, group="7")
        for each, row in zip(completions, rows, strict=True)
    ]


def test_column_names_can_be_set(write_jsonl: Write) -> None:
    path = write_jsonl({"completion": "no", "code": ["4", "5"], "answer": "no", "gt": "4", "problem_no": 7})
    rows = read(path, completion="code", ground_truth="gt", group="problem_no")
    assert [row.sample.completion for row in rows if row.sample] == ["4", "5"]
    assert {row.sample.ground_truth for row in rows if row.sample} == {"4"}
    assert {row.sample.group for row in rows if row.sample} == {"7"}
    assert [row.id for row in rows] == ["rows:1#0", "rows:1#1"]


def test_what_is_not_a_known_column_is_extra_info(write_jsonl: Write) -> None:
    sample = read(write_jsonl({**GOOD, "difficulty": 3, "extra_info": {"num_turns": 4}}))[0].sample
    assert sample is not None
    assert sample.extra_info["difficulty"] == 3
    assert sample.extra_info["num_turns"] == 4


def test_data_source_falls_back_to_the_file_or_the_lm_eval_task(write_jsonl: Write) -> None:
    name = "samples_gsm8k_cot_2026-01-02T03-04-05.678.jsonl"
    path = write_jsonl({"doc_id": 3, "doc": {"q": "?"}, "target": "4", "resps": [["4"], ["5"]]}, name=name)
    rows = read(path)
    assert [(row.id, row.data_source) for row in rows] == [("3#0", "gsm8k_cot"), ("3#1", "gsm8k_cot")]
    assert read(write_jsonl(GOOD, name="amc.jsonl"))[0].data_source == "amc"


def test_gzip_and_parquet_hold_the_same_rows(tmp_path: Path, write_jsonl: Write) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    records = [{"data_source": "m", "response": str(i), "reward_model": {"ground_truth": str(i)}} for i in range(600)]
    plain = write_jsonl(*records)
    zipped = tmp_path / "z.jsonl.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    parquet = tmp_path / "p.parquet"
    pq.write_table(pa.Table.from_pylist(records), parquet)
    first, second, third = ([row.sample for row in read(path)] for path in (plain, zipped, parquet))
    plain_rows, *others = ([replace(s, id=None) for s in rows if s] for rows in (first, second, third))
    assert others == [plain_rows, plain_rows]
    assert len(first) == 600


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{broken", "broken JSON"),
        (b"[1]", "not an object"),
        (b'{"completion": "\xff", "answer": "1"}', "not UTF-8"),
        (b'{"completion": 5, "answer": "1"}', "completion is int"),
        (b'{"completion": null, "answer": "1"}', "no completion"),
        (b'{"answer": "1"}', "no completion"),
        (b'{"completion": "x", "completion_tokens": -3}', "completion_tokens"),
        (b"[" * 100_000, "broken JSON"),
    ],
)
def test_an_unreadable_row_is_kept_with_file_and_line(line: bytes, message: str, write_jsonl: Write) -> None:
    path = write_jsonl(GOOD, GOOD, line, GOOD)
    rows = read(path)
    assert len(rows) == 4
    assert rows[2].where == f"{path}:3"
    assert rows[2].sample is None
    assert message in str(rows[2].error)
    assert rows[3].sample is not None


def test_a_line_that_is_too_long_is_a_row_without_being_held(write_jsonl: Write) -> None:
    rows = read(write_jsonl(GOOD, b'{"completion": "' + b"x" * (MAX_LINE_BYTES + 100) + b'"}', GOOD))
    assert [row.sample is not None for row in rows] == [True, False, True]
    assert "MiB" in str(rows[1].error)


def test_a_gzip_file_cut_short_keeps_what_could_be_read(tmp_path: Path) -> None:
    whole = gzip.compress(
        b"".join(json.dumps({**GOOD, "id": i, "pad": str(i) * 50}).encode() + b"\n" for i in range(5000))
    )
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    reader = RowReader([str(path)])
    rows = list(reader)
    assert rows[-1].sample is None
    assert "cut short" in str(rows[-1].error)
    assert len(reader.truncated) == 1
    assert len(rows) > 100


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no rows"),
        (b"\n\n", "no rows"),
        (b"\x00\x01\x02junk\n", "binary"),
        (b'\xff\xfe{"', "UTF-16"),
        (b"id,text\n1,x\n", "its columns: id, text"),
        (b'{"text": "x", "label": 1}\n', "its columns: text, label"),
        (b"PAR1 but not really", "Parquet"),
    ],
)
def test_a_file_of_another_kind_is_one_clear_error(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_or_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="is a folder"):
        read(tmp_path)


def test_a_byte_order_mark_is_no_trouble(write_jsonl: Write) -> None:
    assert read(write_jsonl(b"\xef\xbb\xbf" + json.dumps(GOOD).encode()))[0].sample is not None


def test_fraction_grows_to_one(write_jsonl: Write) -> None:
    reader = RowReader([str(write_jsonl(*[GOOD] * 2000)), str(write_jsonl(*[GOOD] * 2000, name="b.jsonl"))])
    seen = [reader.fraction for _ in reader]
    assert seen == sorted(seen)
    assert reader.fraction == 1.0
