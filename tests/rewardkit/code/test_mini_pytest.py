"""The part of pytest that tests in boxes use behaves as pytest does."""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rewardkit.code.remote


@cache
def mini() -> ModuleType:
    """Our module, made with names of its own: a box runs its source before the tests."""
    source = Path(rewardkit.code.remote.__file__).with_name("mini_pytest.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pytest", pytest)  # it takes this place
        exec(compile(source, "mini_pytest.py", "exec"), names)
    return names["_pytest_module"]()


NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.integers(),
    st.floats(),
    st.complex_numbers(max_magnitude=5),
    st.sampled_from([0.0, -0.0, 1e-13, math.inf, -math.inf, math.nan]),
)
VALUES = st.one_of(
    NUMBERS, st.lists(NUMBERS, min_size=1, max_size=3), st.dictionaries(st.sampled_from("ab"), NUMBERS, min_size=1)
)


def moved(value: Any, share: float) -> Any:
    """The value, each of its numbers a little larger."""
    if isinstance(value, list):
        return [moved(each, share) for each in value]
    if isinstance(value, dict):
        return {name: moved(each, share) for name, each in value.items()}
    return value if abs(value) > 1e300 else value + share * abs(value)


@settings(max_examples=300, deadline=None)
@given(
    expected=VALUES,
    other=VALUES,
    share=st.none() | st.sampled_from([0, 1e-13, 9e-7, 1.1e-6, 1e-3, 2]),
    options=st.fixed_dictionaries(
        {},
        optional={
            "rel": st.sampled_from([None, 1e-3, 0.0]),
            "abs": st.sampled_from([None, 1e-3, 0.0, 1]),
            "nan_ok": st.booleans(),
        },
    ),
)
def test_values_are_near_each_other_as_in_pytest(
    expected: Any, other: Any, share: float | None, options: dict[str, Any]
) -> None:
    actual = other if share is None else moved(expected, share)
    assert (actual == mini().approx(expected, **options)) == (actual == pytest.approx(expected, **options))


def test_a_failed_comparison_can_show_what_was_expected() -> None:
    assert repr(mini().approx([1, 2.5])) == "approx([1, 2.5])"


@pytest.mark.parametrize("truth", [True, False])
def test_a_truth_value_is_near_to_nothing_but_itself(truth: bool) -> None:
    """As in pytest since 8.3.4."""
    assert mini().approx(truth) == truth
    assert [other == mini().approx(truth) for other in (not truth, int(truth), float(truth), str(truth), None)] == [
        False
    ] * 5


@pytest.mark.parametrize("expected", [ValueError, (KeyError, ValueError), Exception])
@pytest.mark.parametrize("match", [None, "a.c", "x"])
@pytest.mark.parametrize("raised", [None, ValueError("abc"), KeyError("abc"), ZeroDivisionError("abc")])
def test_errors_are_expected_as_in_pytest(expected: Any, match: str | None, raised: Exception | None) -> None:
    def outcome(module: Any) -> type | None:
        try:
            with module.raises(expected, match=match) as caught:
                if raised is not None:
                    raise raised
        except BaseException as error:
            return type(error) if error is raised else AssertionError
        assert caught.value is raised
        return None

    assert outcome(mini()) == outcome(pytest)


@pytest.mark.parametrize("name", ["timeout", "filterwarnings", "slow", "order", "run", "dependency"])
def test_a_mark_that_decides_nothing_leaves_the_test_as_it_is(name: str) -> None:
    def test(x: int) -> int:
        return x

    mark = getattr(mini().mark, name)
    assert [mark(test), mark()(test), mark(5)(test), mark(reason="r")(test), mark(test, reason="r")(test)] == [test] * 5
