"""Records become lines of output: the same ones here and in workers, and what a worker sends is checked."""

import json
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, UsageError, judging, load
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns, Record, Row, row_of, split_completions
from rewardkit.executor import Executor
from rewardkit.groups import group_key
from rewardkit.judging import Judged, JudgeRecords, chunks, judge, problem_of

TASK = JudgeRecords(Columns(), timing=False)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["id", "uid", "completion", "resps", "answer", "prompt", "group", "messages", "level"])
OBJECTS = st.dictionaries(NAMES, VALUES)
RECORDS = st.builds(Record, st.text(), st.text(), st.integers(1), OBJECTS | st.text(), st.none())


@given(RECORDS)
def test_a_record_is_the_same_behind_its_line(record: Record) -> None:
    line = record.to_line()
    assert b"\n" not in line
    assert Record.from_line(line) == record


@given(st.builds(Record, st.text(), st.text(), st.integers(1), OBJECTS, st.none()))
def test_the_text_of_a_record_travels_as_it_was_read(record: Record) -> None:
    text = json.dumps(record.value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if b"\xed" in text:  # a lone surrogate is no UTF-8, and is refused when it is read
        return
    assert Record.from_line(record._replace(text=text + b"\r\n").to_line()) == record


@given(st.builds(Record, st.text(), st.text(), st.integers(1), OBJECTS, st.none()))
def test_each_completion_of_a_list_is_a_record_that_is_not_split_again(record: Record) -> None:
    parts = split_completions(record, Columns())
    if parts == (record,):
        return
    ids = [row_of(part, Columns()).id for part in parts]
    assert len(set(ids)) == len(ids)
    groups = {row_of(part, Columns()).sample.group for part in parts if row_of(part, Columns()).sample}  # type: ignore[union-attr]
    assert len(groups) <= 1


@pytest.mark.parametrize(
    ("fields", "same"),
    [({"prompt": "1+1?", "answer": "2"}, True), ({"answer": "2"}, False), ({"prompt": "1+1?", "group": "g"}, False)],
)
def test_a_prompt_is_one_problem_in_all_sources_and_a_name_in_its_own(fields: dict[str, str], same: bool) -> None:
    one, again, other = (
        row_of(Record("f", "f", 1, {"id": "1", "completion": "2", "data_source": source, **fields}), Columns())
        for source in ("a", "a", "b")
    )
    assert problem_of(one) == problem_of(again)
    assert (problem_of(one) == problem_of(other)) == same


@given(
    st.lists(
        st.sampled_from([0.5, -0.5]) | st.integers() | st.lists(st.integers()) | st.text("ab"), min_size=2, max_size=2
    )
)
def test_ground_truths_of_any_kind_tell_problems_with_one_prompt_apart(truths: list[Any]) -> None:
    one, other = (
        Row("f:1", "1", "f", Sample(completion="", prompt="Solve it.", ground_truth=truth), None) for truth in truths
    )
    assert (problem_of(one) == problem_of(other)) == (repr(truths[0]) == repr(truths[1]))


@pytest.mark.parametrize("fields", [{"group": ""}, {"prompt": ""}, {"prompt": []}, {"group": "", "prompt": ""}])
def test_rows_without_a_name_or_a_prompt_are_problems_and_groups_of_their_own(fields: dict[str, Any]) -> None:
    rows = [Row("f:1", name, "f", Sample(completion="", id=name, data_source="f", **fields), None) for name in "ab"]
    assert problem_of(rows[0]) != problem_of(rows[1])
    assert {group_key(row.sample) for row in rows if row.sample} == {None}


def block(number: int) -> list[Any]:
    """Rows of all kinds, of groups of their own."""
    turns = [{"role": "assistant", "content": "yes"}]
    return [
        {"id": "a", "completion": "yes", "answer": "yes"},
        b"broken",
        {"completion": ["yes", "no", 7, ["yes"]], "answer": "yes", "uid": number},
        {"completion": None, "answer": "yes"},
        {"completion": [turns, "no"], "answer": "yes", "prompt": f"Q{number}\u2028\t\n"},
        {"completion": "no", "answer": "yes", "group": f"g{number}", "data_source": "d", "x": "\x00\x85"},
    ]


ROWS = list(chain.from_iterable(map(block, range(30))))


@pytest.mark.parametrize("reward", ["exact", "exact + 0.5 * majority"])
def test_workers_write_the_lines_that_this_process_writes(reward: str, write_jsonl: Any) -> None:
    file = str(write_jsonl(*ROWS, name="a\tb \u00e9.jsonl"))

    def lines(workers: int) -> list[Judged]:
        found = judge(RowReader([file]).records(), load(reward), TASK, workers=workers)
        return list(chain.from_iterable(found))

    here = lines(0)
    assert lines(2) == here
    assert [row.output["id"] for row in here] == [row.id for row in RowReader([file])]
    assert all(json.loads(row.line) == row.output for row in here)


def test_columns_that_json_has_no_form_for_cost_their_row(tmp_path: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    from datetime import date, timedelta

    import pyarrow.parquet as pq

    rows = [{"completion": "yes", "answer": "yes", "day": date(2026, 1, 2), "raw": b"\xff"} for _ in range(3)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    pq.write_table(pa.Table.from_pylist([{**row, "took": timedelta(1)} for row in rows]), tmp_path / "b.parquet")
    files = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    judged = judge(RowReader(files).records(), load("exact"), TASK, workers=1)
    found = [row.output for row in chain.from_iterable(judged)]
    assert [row["reward"] for row in found] == [1.0] * 3 + [None] * 3
    assert "no JSON form" in found[5]["error"]


@pytest.mark.parametrize(
    "line", [b"", b"0" * 16, b"0" * 16 + b"{}", b"0" * 16 + b"[]", b"x" * 16 + b'{"id": 1}', b"0" * 16 + b"{}, {}"]
)
def test_a_line_that_is_no_row_of_output_is_refused(line: bytes) -> None:
    good = TASK.result_line(TASK.judge(load("exact"), [Record("f", "f", 1, {"completion": "1", "answer": "1"})])[0])
    assert len(TASK.results([good, good])) == 2
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        TASK.results([good, line])


def test_neighbours_of_one_group_stay_together() -> None:
    records = [Record("f", "f", i, {"completion": "1", "group": str(i // 100)}) for i in range(1000)]
    for items in (records, [record.to_line() for record in records]):
        found = list(chunks(items, TASK))
        assert [item for chunk in found for item in chunk] == items
        assert [len(chunk) for chunk in found] == [100] * 10


def records_of(keys: list[str | None], column: str) -> list[Record]:
    """A record for each key, in the column of the group or of the prompt; a broken one for `!`."""
    return [
        Record(
            "f", "f", i, "broken JSON" if key == "!" else {"completion": f"{i * i % 7} words " * (i % 5), column: key}
        )
        for i, key in enumerate(keys)
    ]


KEYS = st.lists(st.none() | st.sampled_from("!abcdefgh"), max_size=60)


@given(KEYS, st.sampled_from(["group", "prompt"]), st.integers(1, 9), st.booleans(), st.booleans())
def test_no_list_ends_within_a_group_or_it_is_told(keys, column, size, lines, in_order) -> None:
    if in_order:
        keys = sorted(keys, key=lambda key: key or "")
    records = records_of(keys, column)
    items = [record.to_line() for record in records] if lines else records
    try:
        found = list(chunks(items, TASK, load("majority"), size=size))
    except UsageError:
        assert not in_order
        return
    assert [item for chunk in found for item in chunk] == items
    assert all(len(chunk) >= size for chunk in found[:-1])
    groups = [{TASK.group(item if lines else item.to_line()) for item in chunk} - {None} for chunk in found]
    assert sum(map(len, groups)) == len(set(keys) - {None, "!"})


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["math", "vote", "vote2"])), max_size=60),
    st.sampled_from(["group", "prompt"]),
    st.integers(1, 9),
)
def test_only_rows_whose_part_compares_groups_must_be_near(keys, column, size) -> None:
    reward = load("by_source({'math': exact, '*': majority(least=1)})")
    records = [
        Record("f", "f", i, {"completion": str(i % 3), "data_source": source, column: key})
        for i, (key, source) in enumerate(keys)
    ]
    samples = [row_of(record, Columns()).sample for record in records]
    try:
        found = [row for chunk in chunks(records, TASK, reward, size=size) for row in TASK.judge(reward, chunk)]
    except UsageError:
        votes = [key if column == "prompt" else (key, source) for key, source in keys if source != "math"]
        assert len(set(votes)) < len(votes)
        return
    assert [row.output["reward"] for row in found] == [score.value for score in reward.score(samples)]


@pytest.mark.parametrize("column", ["group", "prompt"])
@pytest.mark.parametrize(
    "text", ["majority", "length_group(exact, unit='words')", "exact - 0.5 * majority(least=1)", "optional(majority)"]
)
@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_rows_of_files_have_the_values_of_one_call_or_it_is_told(
    column: str, text: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "MAX_GROUP_ROWS", 64)
    reward = load(text)
    records = records_of([str(i // 7) for i in range(300)], column)
    samples = [row_of(record, Columns()).sample for record in records]
    found = chain.from_iterable(judge(records, reward, TASK, workers=workers))
    assert [row.output["reward"] for row in found] == [score.value for score in reward.score(samples)]
    with pytest.raises(UsageError, match="f:0: other rows of its group are far above"):
        list(judge([*records, records[0]], reward, TASK, workers=workers))


def test_a_row_whose_worker_is_lost_says_which_row_it_was() -> None:
    from live import TOY

    records = [
        Record("f.jsonl", "f", i, {"completion": word}) for i, word in enumerate(["fine", "die", "fine"], start=1)
    ]
    with Executor(load(f"{TOY}:Trouble"), task=TASK) as executor:
        found = executor.score(records)
    assert [row.output["reward"] for row in found] == [1.0, None, 1.0]
    assert found[1].output["id"] == "f:2"
    assert found[1].output["error"].startswith("f.jsonl:2: the worker process died")


@pytest.mark.parametrize("column", ["group", "prompt"])
def test_neighbours_of_a_group_stay_together_with_any_reward(column: str) -> None:
    records = records_of([str(index // 7) for index in range(70)], column)
    assert [len(chunk) for chunk in chunks(records, TASK, load("exact"), size=10)] == [14] * 5
