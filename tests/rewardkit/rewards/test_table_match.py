"""A table that is written down reads back as it was, and each difference from it lowers the value."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.rewards.table_match import last_table

CELLS = st.sampled_from(["", "-", "--", "---", ":-:", "x", "Y z", "7", "p|q"])
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=2, max_size=5)
)
BLANK = st.sampled_from(["", " "])


def written(table, blank=" ", rule="---"):
    rows = [[cell.replace("|", "\\|") for cell in row] for row in table]
    rows.insert(1, [rule] * len(table[0]))
    return "\n".join("|" + "|".join(f"{blank}{cell}{blank}" for cell in row) + "|" for row in rows)


def value(table, truth, options=""):
    text = table if isinstance(table, str) else written(table)
    (score,) = load(f"table_match({options})").score([Sample(completion=text, ground_truth=truth)])
    return score.value


@given(TABLES, BLANK, st.sampled_from(["-", "---", ":--", ":-:"]))
def test_what_is_written_reads_back(table, blank, rule):
    assert last_table(written(table, blank, rule)) == table
    assert value(written(table, blank, rule), table, "partial=False") == 1
    assert value(table, written(table, blank, rule)) == 1


BARE = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(CELLS.filter(bool), min_size=width, max_size=width), min_size=2, max_size=5)
)


@given(BARE, st.sampled_from(["|", ""]), st.sampled_from(["|", ""]))
def test_outer_bars_may_be_left_out(table, left, right):
    lines = [left + line[1:-1] + right for line in written(table).splitlines()]
    assert last_table("See:\n\n" + "\n".join(lines) + "\n\nDone.") == table


@given(
    TABLES,
    st.sampled_from(
        ["|x| is the absolute value.", "a | b\nc | d", "| a | b |\n|---|", "|a|\n\n|---|\n|1|", "---\na: 1\n---"]
    ),
)
def test_lines_with_bars_are_no_table_without_a_rule_of_their_width(table, text):
    assert last_table(f"{text}\n\n{written(table)}\n\n{text}") == table
    assert last_table(text) == []


VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=3)


@given(
    st.lists(st.lists(VALUES, min_size=1, max_size=3) | st.dictionaries(st.text(max_size=2), VALUES), min_size=1),
    TABLES,
    st.sampled_from([None, 1]),
)
def test_a_ground_truth_is_the_same_as_its_json_text(truth, table, indent):
    assert value(table, json.dumps(truth, indent=indent)) == value(table, truth)


@given(TABLES, st.randoms(use_true_random=False))
def test_rows_in_any_order_agree(table, rng):
    shuffled = [table[0], *rng.sample(table[1:], len(table) - 1)]
    assert value(shuffled, table, "ordered=False") == 1


@given(TABLES, st.data())
def test_a_changed_or_added_cell_lowers_the_value(table, data):
    place = data.draw(st.integers(0, len(table) - 1))
    column = data.draw(st.integers(0, len(table[0]) - 1))
    other = [list(row) for row in table]
    other[place][column] = "other"
    longer = [list(row) for row in table]
    longer[place].append(data.draw(CELLS))
    for changed in (other, longer, [*table, table[-1]]):
        for options in ("", "ordered=False"):
            assert 0 <= value(changed, table, options) < 1
            assert value(changed, table, f"partial=False, {options}") == 0


@given(st.lists(CELLS, min_size=1, max_size=3))
def test_cells_that_are_left_out_are_empty(row):
    heading = [f"h{number}" for number in range(len(row) + 1)]
    full, short = [heading, [*row, ""]], [heading, row]
    assert {value(a, b) for a in (full, short) for b in (full, short)} == {1}


def test_null_is_an_empty_cell():
    assert value("|a|b|\n|-|-|\n|1||", [{"a": 1, "b": None}]) == 1
    assert value("|a|b|\n|-|-|\n|1|None|", [["a", "b"], [1, None]]) < 1
    assert value("|a|b|\n|-|-|\n|1||", [{"a": 1, "b": float("nan")}]) == 1  # as a frame has it
    assert value("|a|b|\n|-|-|\n|1|nan|", [{"a": 1, "b": float("nan")}]) < 1


def test_rows_that_agree_are_paired_before_others_with_the_same_first_cell():
    rows = [["k", "v"], *(["x", str(number)] for number in range(2_000))]
    shuffled = [rows[0], *random.Random(1).sample(rows[1:], len(rows) - 1)]
    assert value(shuffled, rows, "ordered=False") == 1
    assert value([*rows[:-1], ["x", "other"]], rows, "ordered=False") == pytest.approx(1 - 1 / (2 * len(rows)))


def test_a_row_of_the_ground_truth_that_is_too_long_is_unusable():
    assert value("|a|\n|-|\n|1|", [["a"], ["1", "2"]]) is None


@pytest.mark.parametrize("more", [0, 1])
def test_a_table_is_read_up_to_ten_thousand_cells(more):
    table = [["x"] * 100] * (100 + more)
    assert value(table, table[:100]) == (1 if more == 0 else 0)
    assert (value(table, table) is None) == bool(more)
