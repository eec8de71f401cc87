"""Columns by their dotted names."""

from hypothesis import given
from hypothesis import strategies as st

from rewardkit.data.column_aliases import find, lookup

NAMES = st.text("abc", min_size=1, max_size=2)
ROWS = st.dictionaries(NAMES, st.recursive(st.integers(), lambda inner: st.dictionaries(NAMES, inner, max_size=3)))


def paths(row, before=""):
    for name, value in row.items():
        yield before + name, value
        if isinstance(value, dict):
            yield from paths(value, f"{before}{name}.")


@given(ROWS, st.lists(NAMES, min_size=1, max_size=3).map(".".join))
def test_a_dotted_name_is_a_way_through_mappings_and_any_other_name_is_no_column(row, name):
    known = dict(paths(row))
    assert {path: lookup(row, path) for path in known} == known
    assert lookup(row, name) == known.get(name)


@given(ROWS, NAMES, st.integers())
def test_a_column_that_has_a_dot_in_its_name_goes_first(row, name, value):
    assert lookup({**row, f"{name}.x": value, name: {"x": -1}}, f"{name}.x") == value


@given(ROWS, st.lists(NAMES, min_size=1, max_size=3).map(".".join))
def test_the_first_name_with_a_value_is_found(row, name):
    found = find({**row, "given": 1, "none": None}, ("none", name, "given"))
    assert found == ((name, lookup(row, name)) if lookup(row, name) is not None else ("given", 1))
    assert find(row, ("missing", "none.of.these")) == (None, None)
