"""Each format of rows gives the same records, and what cannot be read of one is said in its place."""

import contextlib
import csv
import gzip
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit import UsageError
from rewardkit.data.formats import MAX_LINE_BYTES, Truncated, parse_line, records
from rewardkit.data.reader import RowReader, Selection

ROWS = [{"id": str(i), "completion": f"so \\boxed{{{i}}}\u2028ünï\n{'x' * 50}", "answer": str(i)} for i in range(700)]


def jsonl(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def csv_text(rows: list[dict[str, Any]], delimiter: str) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def arrow(rows: list[dict[str, Any]], kind: str) -> bytes:
    pa = pytest.importorskip("pyarrow")
    table, sink = pa.Table.from_pylist(rows), io.BytesIO()
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, sink, row_group_size=100)
        return sink.getvalue()
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=300)
    return sink.getvalue()


@pytest.mark.parametrize("broken", [b"1 2", b"}"])
@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_broken_list_names_the_row_after_the_last_whole_one(before: int, broken: bytes) -> None:
    content = b"[" + b'{"a": 1},' * before + b'{"a": ' + broken + b"}]"
    found = list(records(io.BufferedReader(io.BytesIO(content)), "rows.json"))
    assert [number for number, _, _ in found] == list(range(1, before + 2))
    assert isinstance(found[-1][1], Truncated)


@given(
    st.lists(st.sampled_from([b'"a"', b'"\xff"', b'"\xc3"', b'"\xc3\xa9"', b'"\\udcff"']), max_size=6),
    st.sampled_from([b", ", b"\n"]),
)
def test_bytes_that_are_no_utf8_cost_their_row_alone_as_in_lines(values: list[bytes], between: bytes) -> None:
    rows = [b'{"a": ' + value + b"}" for value in values]
    content = b"[" + b", ".join(rows) + b"]" if between == b", " else between.join(rows)
    found = list(records(io.BufferedReader(io.BytesIO(content)), "rows.json")) if rows else []
    for (number, record, _), row in zip(found, rows, strict=True):
        alone = parse_line(row)
        assert record == alone or (str(record), str(alone)[:9]) == ("not UTF-8", "not UTF-8"), number


@given(
    st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    st.sampled_from(["", " ", "\t\r "]),
    st.text(min_size=1, max_size=9).filter(lambda text: text.strip(" \t\n\r")[:1] == text[:1]),
)
def test_junk_behind_an_object_is_named_by_its_place(row: dict[str, str], blanks: str, junk: str) -> None:
    text = blanks + json.dumps(row, ensure_ascii=False) + blanks
    found = parse_line((text + junk).encode("utf-8", "surrogatepass"))
    if any("\ud800" <= char <= "\udfff" for char in text + junk):
        assert str(found).startswith("not UTF-8")
    else:
        assert found == f"broken JSON: Extra data at character {len(text) + 1}"


@given(st.integers(0, 2**32), st.floats(0.01, 0.99))
def test_a_compressed_file_that_is_cut_gives_its_whole_rows_and_says_after_which(seed: int, share: float) -> None:
    rows = [{"id": str(i), "noise": Random(seed + i).randbytes(40).hex()} for i in range(300)]
    whole = gzip.compress(jsonl(rows))
    found = list(records(io.BufferedReader(io.BytesIO(whole[: max(3, int(len(whole) * share))])), "a.jsonl.gz"))
    *read, (number, end, _) = found
    assert [(place, row) for place, row, _ in read] == list(enumerate(rows[: len(read)], 1))
    assert isinstance(end, Truncated)
    assert number == len(read) + 1
    assert f"after line {len(read)} " in str(end)


FORMATS = {
    "a.jsonl": jsonl,
    "bom.jsonl": lambda rows: b"\xef\xbb\xbf" + jsonl(rows),
    "blank.jsonl": lambda rows: b"\n \n" + jsonl(rows).replace(b"}\n", b"}\n\n"),
    "list.json": lambda rows: json.dumps(rows).encode(),
    "indented.json": lambda rows: json.dumps(rows, indent=2, ensure_ascii=False).encode(),
    "list_in.jsonl": lambda rows: json.dumps(rows, indent=1).encode(),
    "objects.json": lambda rows: "\n".join(json.dumps(row, indent=2) for row in rows).encode(),
    "a.csv": lambda rows: csv_text(rows, ","),
    "excel.csv": lambda rows: b"\xef\xbb\xbf" + csv_text(rows, ","),
    "a.tsv": lambda rows: csv_text(rows, "\t"),
    "a.parquet": lambda rows: arrow(rows, "parquet"),
    "a.arrow": lambda rows: arrow(rows, "file"),
    "stream.arrow": lambda rows: arrow(rows, "stream"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_recognised_without_its_name(name):
    data = FORMATS[name](ROWS)
    found = [list(records(io.BufferedReader(io.BytesIO(data)), known)) for known in (name, "stdin")]
    assert found[0] == found[1]


def zstd(data: bytes) -> bytes:
    return pytest.importorskip("pyarrow").compress(data, codec="zstd", asbytes=True)


@pytest.mark.parametrize("compress", [None, gzip.compress, zstd], ids=["plain", "gz", "zst"])
@pytest.mark.parametrize("name", FORMATS)
def test_each_format_gives_the_same_records(name, compress, tmp_path):
    data = FORMATS[name](ROWS)
    if compress is not None:
        name = f"{name}.{'gz' if compress is gzip.compress else 'zst'}"
        data = compress(data)
    (tmp_path / name).write_bytes(data)
    reader = RowReader([str(tmp_path / name)])
    found = [row.sample for row in reader]
    assert [(s.id, s.completion, s.ground_truth) for s in found if s] == [
        (row["id"], row["completion"], row["answer"]) for row in ROWS
    ]
    assert reader.truncated == []
    assert reader.fraction == 1.0


@pytest.mark.parametrize("name", ["list.json", "objects.json", "a.csv", "a.jsonl"])
def test_a_file_that_is_cut_short_keeps_what_stands_before_the_cut(name, tmp_path):
    data = FORMATS[name](ROWS)
    (tmp_path / name).write_bytes(data[: len(data) * 3 // 5])
    rows = list(RowReader([str(tmp_path / name)]))
    good = [row for row in rows if row.sample is not None]
    assert 0.5 * len(ROWS) < len(good) < 0.7 * len(ROWS)
    assert len(rows) - len(good) <= 1
    if name != "a.csv":  # half a line of CSV is a line
        assert rows[-1].error


@given(st.integers(0, 5), st.integers(1, 30), st.sampled_from(["", " ", "\n"]))
def test_a_list_is_whole_if_its_end_is_there_and_nothing_but_blanks_behind_it(count, cut, blank):
    rows = [{"a": index} for index in range(count)]
    text = json.dumps(rows)

    def read(text: str) -> list[Any]:
        return [record for _, record, _ in records(io.BufferedReader(io.BytesIO(text.encode())), "x.json")]

    assert read(text + blank) == rows
    for damaged in (text[:-cut] or "[", text + blank + "]", text + blank + '{"a": 1}'):
        *found, end = read(damaged)
        assert found == rows[: len(found)]
        assert isinstance(end, Truncated)


def twice(kind: str) -> bytes:
    names, cells = ["completion", "answer", "answer"], ["4", "4", "5"]
    if kind in {",", "\t"}:
        return "".join(kind.join(line) + "\n" for line in (names, cells)).encode()
    pa, sink = pytest.importorskip("pyarrow"), io.BytesIO()
    table = pa.table([[cell] for cell in cells], names)
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, sink)
        return sink.getvalue()
    with {"file": pa.ipc.new_file, "stream": pa.ipc.new_stream}[kind](sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.csv", ","), ("a.tsv", "\t"), ("a.parquet", "parquet"), ("a.arrow", "file"), ("s.arrow", "stream")],
)
def test_a_name_twice_among_the_columns_is_refused(name: str, kind: str) -> None:
    with pytest.raises(UsageError, match=f"{name} has 2 columns named 'answer'"):
        list(records(io.BufferedReader(io.BytesIO(twice(kind))), name))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=60)
@given(
    st.lists(st.dictionaries(st.text(), json_values, min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from([None, 0, 3]),
    st.booleans(),
)
def test_json_is_read_as_the_standard_library_reads_it(rows, indent, as_list):
    text = json.dumps(rows, indent=indent) if as_list else "\n".join(json.dumps(row, indent=indent) for row in rows)
    found = [record for _, record, _ in records(io.BufferedReader(io.BytesIO(text.encode())), "x.json")]
    assert found == rows


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_are_records_or_one_clear_error(data):
    for name in ("x.jsonl", "x.json", "x.csv"):
        found: list[Any] = []
        with contextlib.suppress(UsageError):
            found += records(io.BufferedReader(io.BytesIO(data)), name)
        assert all(line >= 1 and isinstance(record, (dict, str)) for line, record, _ in found)
        assert all(parse_line(text) == record for _, record, text in found if text is not None)


def test_an_object_larger_than_the_bound_ends_the_file_with_a_message():
    text = b'[{"completion": "' + b"x" * (MAX_LINE_BYTES + 2**21)
    found = list(records(io.BufferedReader(io.BytesIO(text)), "x.json"))
    assert len(found) == 1
    assert isinstance(found[0][1], Truncated)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_csv_record_has_the_number_of_its_first_line(tmp_path, end):
    text = 'completion,answer\n1,1\n\n\n2,2\n"3\n\n3",3\n\n4,4\n5,5,"5\n5"\n6,6\n'
    (tmp_path / "x.csv").write_text(text.replace("\n", end), newline="")
    places = [row.where.rpartition(":")[2] for row in RowReader([str(tmp_path / "x.csv")])]
    assert places == ["2", "5", "6", "10", "11", "13"]


def test_a_csv_row_with_too_many_cells_is_said_with_its_line(tmp_path):
    (tmp_path / "x.csv").write_text("id,completion,answer\n1,a,b\n2,a,b,c,d\n3,a,b\n")
    rows = list(RowReader([str(tmp_path / "x.csv")]))
    assert [(row.where.rpartition(":")[2], row.error) for row in rows] == [
        ("2", None),
        ("3", "2 cells more than columns"),
        ("4", None),
    ]


def test_a_record_of_csv_is_at_its_first_line_also_if_one_behind_it_is_broken(tmp_path):
    (tmp_path / "x.csv").write_text('completion , answer\n"a\nb",c\nd,"e\nf"\ng,"h')
    reader = RowReader([str(tmp_path / "x.csv")])
    rows = list(reader)
    assert [row.id for row in rows] == ["x:2", "x:4", "x:6"]
    assert [row.sample and (row.sample.completion, row.sample.ground_truth) for row in rows] == [
        ("a\nb", "c"),
        ("d", "e\nf"),
        None,
    ]


def test_csv_with_semicolons_is_refused_by_name(tmp_path):
    (tmp_path / "x.csv").write_text("completion;answer\na;b\n")
    with pytest.raises(UsageError, match="seem to be separated by ';'"):
        RowReader([str(tmp_path / "x.csv")]).check()


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ('"a;b"', ["a;b"]),
        (" a, b ", ["a", "b"]),
        ("a, a, b", ["a", " a", "b"]),
        (" a,, ,b ", ["a", "", "", "b"]),
    ],
)
def test_a_csv_heading_loses_blanks_where_that_makes_no_duplicate_and_may_quote_a_semicolon(heading, names):
    table = f"{heading}\n{','.join('1' for _ in names)}\n"
    found = records(io.BufferedReader(io.BytesIO(table.encode())), "x.csv")
    assert list(found) == [(2, dict.fromkeys(names, "1"), None)]


def test_lines_that_are_no_objects_say_why():
    assert parse_line(b"3") == "not an object but int"
    assert parse_line(b'{"a": \xff}') == "not UTF-8 (byte 7)"
    assert "broken JSON" in str(parse_line(b"{"))


def chosen(selection: Selection, tmp_path: Path) -> list[str]:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(ROWS))
    return [row.id for row in RowReader([str(path)], selection=selection)]


def test_a_sample_is_drawn_by_its_seed_alone_and_keeps_the_order(tmp_path):
    one, again, other = (chosen(Selection(sample=50, seed=seed), tmp_path) for seed in (1, 1, 2))
    assert one == again != other
    assert one == sorted(one, key=int)
    assert len(set(one)) == 50
    assert chosen(Selection(sample=10_000), tmp_path) == [row["id"] for row in ROWS]


def test_each_row_is_drawn_as_often_as_any_other(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(ROWS[:20]))
    counts = dict.fromkeys(range(20), 0)
    for seed in range(2000):
        for place in Selection(sample=5, seed=seed).of(range(20)):  # type: ignore[arg-type]
            counts[place] += 1  # type: ignore[index]
    assert all(400 < count < 600 for count in counts.values())  # mean 500, five standard deviations


def test_a_limit_takes_the_first_rows(tmp_path):
    assert chosen(Selection(limit=3), tmp_path) == ["0", "1", "2"]


@pytest.mark.parametrize("options", [{"limit": 0}, {"sample": -1}, {"limit": 1, "sample": 1}])
def test_a_selection_that_means_nothing_is_refused(options):
    with pytest.raises(UsageError):
        Selection(**options)


@given(st.lists(st.sampled_from([b"\n", b"  \n", b'{"id": "1"}\n', b"no row\n", b"[1]\n"]), min_size=1, max_size=30))
def test_what_a_line_holds_is_told_with_its_number(lines):
    told = {
        number: value
        for number, value, _ in records(io.BufferedReader(io.BytesIO(b'{"id": "0"}\n' + b"".join(lines))), "a.jsonl")
    }
    assert list(told) == [1, *(place for place, line in enumerate(lines, 2) if line.strip())]
    assert all(
        isinstance(told[place], dict) == line.startswith(b"{") for place, line in enumerate(lines, 2) if line.strip()
    )


@pytest.mark.parametrize("blank", [0, 1, 5])
def test_blank_lines_in_front_are_counted(blank):
    stream = io.BufferedReader(io.BytesIO(b" \n" * blank + b'{"id": "0"}\nno row\n'))
    assert [number for number, _, _ in records(stream, "a.jsonl")] == [blank + 1, blank + 2]


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_gives_its_records_or_one_line_that_says_what_is_wrong(name, tmp_path):
    whole, rng, path = FORMATS[name](ROWS[:20]), Random(name), tmp_path / name
    told: list[str] = []
    for _ in range(80):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(damaged) - 30)
            damaged[at : at + rng.choice([0, 1, 30])] = rng.randbytes(rng.choice([0, 1, 6]))
        path.write_bytes(damaged[: rng.choice([len(damaged), len(damaged), rng.randrange(len(damaged))])])
        try:
            list(RowReader([str(path)]))
        except UsageError as error:
            told.append(str(error))
    assert all(line.isprintable() for line in told)
