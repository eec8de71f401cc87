import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit.paired_tests import (
    compare_counts,
    compare_values,
    difference_interval,
    holm,
    sign_flip_exact,
    sign_flip_random,
)


@settings(max_examples=60)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_exact_sign_flip_is_the_count_over_all_flips(steps):
    sums = [
        sum(a * b for a, b in zip(steps, signs, strict=True)) for signs in itertools.product((1, -1), repeat=len(steps))
    ]
    observed = sum(steps)
    p, p_worse = sign_flip_exact(steps)
    assert p == pytest.approx(sum(abs(each) >= abs(observed) for each in sums) / len(sums))
    assert p_worse == pytest.approx(sum(each <= observed for each in sums) / len(sums))


@pytest.mark.parametrize(("gained", "lost"), [(0, 5), (3, 12), (8, 8), (20, 6)])
def test_one_answer_a_problem_is_mcnemars_exact_test(gained, lost):
    before = [(0, 1)] * gained + [(1, 1)] * lost + [(1, 1)] * 30
    after = [(1, 1)] * gained + [(0, 1)] * lost + [(1, 1)] * 30
    change = compare_counts(before, after)
    n = gained + lost
    tail = sum(math.comb(n, i) for i in range(min(gained, lost) + 1)) / 2**n
    assert change.test == "mcnemar"
    assert change.p == pytest.approx(min(1.0, 2 * tail))
    assert (change.better, change.worse) == (gained, lost)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_the_change_lies_in_its_interval_which_is_never_a_point(pairs):
    before, after = ([(right, 1) for right in column] for column in zip(*pairs, strict=True))
    change = compare_counts(before, after)
    assert change.low <= change.delta <= change.high
    assert change.low < change.high


def test_random_flips_agree_with_the_exact_test():
    rng = random.Random(3)
    steps = [rng.randint(-4, 3) for _ in range(60)]
    exact, drawn = sign_flip_exact(steps), sign_flip_random([float(step) for step in steps])
    assert drawn[0] == pytest.approx(exact[0], abs=0.02)
    assert drawn[1] == pytest.approx(exact[1], abs=0.02)


def test_equal_runs_are_not_different():
    change = compare_counts([(3, 4)] * 50, [(3, 4)] * 50)
    assert (change.delta, change.p, change.p_worse) == (0.0, 1.0, 1.0)
    assert change.low < 0 < change.high  # nothing changed is not proof that nothing can


def test_unequal_numbers_of_answers_are_compared_by_share():
    change = compare_counts([(1, 2), (2, 2)], [(3, 4), (4, 4)])
    assert change.delta == pytest.approx(0.125)


def test_different_problems_are_refused():
    with pytest.raises(ValueError, match="same problems"):
        compare_counts([(1, 1)], [])


def test_real_values_are_compared_too():
    change = compare_values([-1.1] * 40, [-0.9] * 40)
    assert change.delta == pytest.approx(0.2)
    assert change.p < 0.001


def test_holm_against_its_definition():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_and_keeps_order(p_values):
    adjusted = holm(p_values)
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    ranked = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert all(adjusted[a] <= adjusted[b] for a, b in itertools.pairwise(ranked))


def test_an_interval_without_any_change_shrinks_with_more_problems():
    few, many = difference_interval([0.0] * 10), difference_interval([0.0] * 1000)
    assert few[1] > many[1] > 0


@pytest.mark.parametrize(("n", "quantile"), [(2, 12.7062), (3, 4.3027), (4, 3.1824), (30, 2.0452)])
def test_the_interval_of_a_change_is_students_with_n_minus_1_degrees(n, quantile):
    """Quantiles of printed tables."""
    low, high = difference_interval([-1.0] + [1.0] * (n - 1))
    mean = (n - 2) / n
    spread = math.sqrt(((-1 - mean) ** 2 + (n - 1) * (1 - mean) ** 2) / (n - 1))
    assert high - mean == pytest.approx(quantile * spread / math.sqrt(n), rel=1e-4)
    assert mean - low == pytest.approx(high - mean)
