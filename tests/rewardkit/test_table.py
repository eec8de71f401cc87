"""No printed line is wider than the console, whatever stands in the table, and no number is cut."""

import io
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from rewardkit.table import _GAP, _TEXT_WIDTH, _blocks, _width, console, print_table

NAMES = st.text(st.characters(codec="utf-8"), max_size=200)
NUMBERS = st.sampled_from(
    ["-", "0.334", "62.4 [58.1, 66.5]", "[0.331, 0.336]", "1,000,000", "28.6 to 34.1 [20.0, 43.2] (n 38)"]
)
TABLES = st.integers(1, 14).flatmap(
    lambda count: st.tuples(
        st.lists(NAMES, min_size=1, max_size=4),
        st.lists(st.lists(NUMBERS, min_size=count, max_size=count), min_size=4, max_size=4),
    )
)


def printed(columns: list[str], rows: list[list[str]], width: int, **options: object) -> str:
    screen = Console(file=io.StringIO(), width=width, highlight=False)
    print_table(columns, rows, screen=screen, **options)  # type: ignore[arg-type]
    return screen.file.getvalue()  # type: ignore[attr-defined]


@given(TABLES, NAMES, NAMES, st.sampled_from([80, 100, 44]))
@example((["模型" * 60, "[bold]x"], [["28.6 to 34.1 [20.0, 43.2] (n 38)"] * 14] * 4), "", "", 80)
def test_every_line_fits_and_every_number_is_whole(table, note, title, width):
    names, numbers = table
    columns = ["data source", *(f"number {n}" for n in range(len(numbers[0]))), "reason"]
    rows = [[name, *row, note] for name, row in zip(names, numbers, strict=False)]
    shown = printed(columns, rows, width, title=title, text={"reason"}, total=True)
    assert max(map(cell_len, shown.split("\n"))) <= width
    if width >= 80:
        assert all(number in shown for row in rows for number in row[1:-1])


@given(NAMES)
def test_a_text_is_folded_never_cut(name):
    _, _, *lines = printed(["name", "n"], [[name, "-"]], 80).split("\n")
    assert [char for line in lines for char in line if char.isalnum()] == [char for char in name if char.isalnum()]


def test_the_width_is_that_of_the_columns_variable_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console(io.StringIO()).width == 80
    monkeypatch.setenv("COLUMNS", "120")
    assert console(io.StringIO()).width == 120


def test_a_wide_table_goes_on_below_with_the_names_again():
    columns = ["task", *(f"metric {n}" for n in range(9))]
    shown = printed(columns, [["gsm8k", *(f"{n}2.4 [58.1, 66.5]" for n in range(9))]], 80)
    assert shown.count("gsm8k") == shown.count("task") == 3


@given(TABLES, st.integers(20, 120))
def test_the_first_column_never_stands_alone(table, width):
    names, rows = table
    columns = ["name", *(str(number) for number in range(len(rows[0])))]
    cells = [[Text(name), *map(Text, row)] for name, row in zip(names, rows, strict=False)]
    blocks = list(_blocks(columns, cells, {"name"}, width))
    assert all(block[0] == 0 and len(block) > 1 for block in blocks)
    assert [place for block in blocks for place in block[1:]] == list(range(1, len(columns)))
    first, *sizes = (_width(place, columns, cells) for place in range(len(columns)))
    for block, (_, following, *_) in pairwise(blocks):  # none is shorter than it must be
        assert min(first, _TEXT_WIDTH) + sum(_GAP + sizes[place - 1] for place in [*block[1:], following]) > width
