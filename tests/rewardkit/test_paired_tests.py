import itertools
import math
import random
import time

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


@pytest.mark.parametrize(("n", "most"), [(60, 1), (300, 4), (1500, 1)])
@pytest.mark.parametrize("drift", [0.0, 0.1, 0.2])
def test_the_normal_limit_of_the_flips_agrees_with_the_exact_test(n, most, drift, monkeypatch):
    rng = random.Random(f"{n} {most} {drift}")
    steps = [rng.choices([-1, 1], [1 + drift, 1])[0] * rng.randint(0, most) for _ in range(n)]
    exact = sign_flip_exact(steps)
    monkeypatch.setattr("rewardkit.paired_tests.MAX_FLIPPED", 0)
    assert sign_flip_random(steps, grid=1) == pytest.approx(exact, rel=0.05, abs=0.003)
    assert sign_flip_random([step / 7 for step in steps], grid=1 / 7) == pytest.approx(exact, rel=0.05, abs=0.003)


@pytest.mark.parametrize("k", [1, 4])
def test_many_problems_are_compared_in_seconds(k):
    rng = random.Random(k)
    before, after = ([(rng.randint(0, k), k) for _ in range(40_000)] for _ in range(2))
    start = time.process_time()
    change = compare_counts(before, after)
    values = compare_values([right / k + 0.5 for right, _ in before], [right / k for right, _ in after])
    assert time.process_time() - start < 8
    assert 0.001 < change.p <= 1.0
    assert values.p == 0.0 or values.p < 1e-300


@pytest.mark.parametrize(
    ("n", "lost", "gained"), [(100, 0.03, 0.0), (500, 0.0062, 0.0), (164, 0.02, 0.0), (100, 0.05, 0.01), (30, 0.1, 0.1)]
)
def test_an_interval_of_a_change_covers_where_few_problems_change(n, lost, gained):
    """Exactly: the chances of all counts of lost and gained problems whose interval holds the true change. Plain t covers 0.85 to 0.88 of the first three."""
    covered = 0.0
    for worse in range(n + 1):
        for better in range(n + 1 - worse):
            ways = math.comb(n, worse) * math.comb(n - worse, better)
            chance = float(ways) * lost**worse * gained**better * (1 - lost - gained) ** (n - worse - better)
            if chance < 1e-7:
                break
            low, high = difference_interval([-1.0] * worse + [1.0] * better + [0.0] * (n - worse - better))
            covered += chance * (low <= gained - lost <= high)
    assert covered > 0.94


@pytest.mark.parametrize("n", [20, 100, 1000])
@pytest.mark.parametrize("worse", range(1, 12))
@pytest.mark.parametrize("better", [0, 1, 3])
def test_the_interval_and_the_p_of_one_answer_a_problem_agree(n, worse, better):
    kept = n - worse - better
    change = compare_counts(
        [(1, 1)] * worse + [(0, 1)] * better + [(1, 1)] * kept, [(0, 1)] * worse + [(1, 1)] * (better + kept)
    )
    if not 0.05 < change.p < 0.06:  # a t interval and an exact test agree no better
        assert (change.low <= 0 <= change.high) is (change.p >= 0.05)


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
    spread = math.sqrt(((-1 - mean) ** 2 + (n - 1) * (1 - mean) ** 2 + 2) / (n - 1))  # 2: the made-up differences
    assert high - mean == pytest.approx(quantile * spread / math.sqrt(n), rel=1e-4)
    assert mean - low == pytest.approx(high - mean)
