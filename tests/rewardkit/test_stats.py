import itertools
import math
import random
from collections import Counter
from functools import partial
from statistics import fmean, variance

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rewardkit.stats import bootstrap_interval, clustered_interval, mean_interval, pass_at_k, t_cdf, t_quantile, wilson


def test_wilson_gives_the_textbook_interval() -> None:
    low, high = wilson(15, 20)  # Newcombe 1998: [0.5313, 0.8881]
    assert (round(low, 4), round(high, 4)) == (0.5313, 0.8881)


@pytest.mark.parametrize(("c", "n"), [(0, 1), (1, 1), (0, 1000), (1000, 1000), (3, 7)])
def test_wilson_stays_inside_and_holds_the_share(c: int, n: int) -> None:
    low, high = wilson(c, n)
    assert 0 <= low <= c / n <= high <= 1


def test_no_observation_has_no_interval() -> None:
    with pytest.raises(ValueError, match="at least one"):
        wilson(0, 0)


COUNTS = st.lists(
    st.integers(1, 9).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))), min_size=1, max_size=40
)


@given(COUNTS)
def test_an_interval_over_clusters_holds_the_mean_over_answers(counts: list[tuple[int, int]]) -> None:
    found = clustered_interval(Counter(counts))
    assert found.value == pytest.approx(sum(right for right, _ in counts) / sum(size for _, size in counts))
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    assert found.n == len(counts)


@given(st.lists(st.integers(0, 8), min_size=1, max_size=40))
def test_equal_clusters_are_one_value_each(counts: list[int]) -> None:
    found, expected = (
        clustered_interval(Counter((count, 8) for count in counts)),
        mean_interval([count / 8 for count in counts]),
    )
    assert (found.n, found.method) == (expected.n, expected.method)
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


@given(st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_single_answers_have_wilsons_interval(answers: list[int]) -> None:
    found = clustered_interval(Counter((right, 1) for right in answers))
    assert (found.low, found.high) == wilson(sum(answers), len(answers))


@pytest.mark.parametrize("sizes", [[8] * 50, [1, 2, 4, 8, 16] * 10])
def test_an_interval_over_clusters_covers_as_it_says(sizes: list[int]) -> None:
    rng = random.Random(7)

    def covered() -> bool:
        chances = [rng.betavariate(1.2, 0.8) for _ in sizes]
        sums = [sum(rng.random() < chance for _ in range(size)) for chance, size in zip(chances, sizes, strict=True)]
        found = clustered_interval(Counter(zip(sums, sizes, strict=True)))
        return found.low <= 0.6 <= found.high

    assert 0.92 <= fmean(covered() for _ in range(1_000)) <= 0.98


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_share_of_subsets_with_a_right_answer(case):
    n, c, k = case
    answers = [True] * c + [False] * (n - c)
    subsets = list(itertools.combinations(answers, k))
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, subsets)) / len(subsets))


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, 1, 5), (4, 1, 0), (4, -1, 1)])
def test_pass_at_k_refuses_impossible_counts(n, c, k):
    with pytest.raises(ValueError, match="need"):
        pass_at_k(n, c, k)


@pytest.mark.parametrize(
    ("df", "expected"), [(1, 12.7062), (2, 4.3027), (5, 2.5706), (29, 2.0452), (100, 1.9840), (10_000, 1.9602)]
)
def test_t_quantiles_are_those_of_the_table(df, expected):
    assert t_quantile(0.975, df) == pytest.approx(expected, abs=1e-4)
    assert t_quantile(0.025, df) == pytest.approx(-expected, abs=1e-4)
    assert t_cdf(expected, df) == pytest.approx(0.975, abs=1e-5)
    assert t_cdf(0.0, df) == 0.5


def test_one_answer_a_problem_gets_wilson():
    estimate = mean_interval([1.0] * 8 + [0.0] * 2)
    assert estimate.method == "wilson"
    assert (round(estimate.low, 3), round(estimate.high, 3)) == (0.490, 0.943)  # Newcombe 1998's kind of table


def test_two_of_two_right_is_no_certainty():
    estimate = mean_interval([1.0, 1.0])
    assert estimate.value == 1.0
    assert estimate.low == pytest.approx(0.342, abs=1e-3)


def test_equal_means_between_0_and_1_have_no_zero_width():
    estimate = mean_interval([0.5] * 30)
    assert estimate.high - estimate.low > 0.2


def test_t_interval_is_over_problems_not_answers():
    values = [0.0, 0.25, 0.5, 0.75, 1.0] * 6
    estimate = mean_interval(values, bounded=False)
    half = 2.045230 * math.sqrt(3.75 / 29) / math.sqrt(30)
    assert estimate.method == "t"
    assert estimate.low == pytest.approx(0.5 - half, abs=1e-5)


@given(st.lists(st.integers(0, 8), min_size=2, max_size=60), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_at_an_end_of_a_score_interval_the_t_test_has_its_quantile(eighths, confidence):
    """The spread that the problems have at that mean: theirs, scaled as p (1 - p)."""
    values = [each / 8 for each in eighths]
    estimate = mean_interval(values, confidence=confidence)
    assume(estimate.method == "score-t")
    for end in (estimate.low, estimate.high):
        scale = end * (1 - end) / (estimate.value * (1 - estimate.value))
        t = abs(estimate.value - end) / math.sqrt(scale * variance(values) / len(values))
        assert t == pytest.approx(t_quantile(0.5 + confidence / 2, len(values) - 1), rel=1e-6)


@pytest.mark.parametrize(
    ("n", "weights"),
    [
        (400, {1.0: 0.9, 0.0: 0.05, 0.75: 0.02, 0.5: 0.03}),
        (200, {0.0: 0.85, 1.0: 0.05, 0.25: 0.1}),
        (100, {1.0: 0.8, 0.0: 0.15, 0.5: 0.05}),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_each_end_misses_as_often_as_it_says_where_most_problems_are_alike(n, weights, turned):
    """A gate's PASS is one end at alpha. Plain t passed the true mean 7 to 8 times in 100 here."""
    weights = {1 - value if turned else value: weight for value, weight in weights.items()}
    mean = sum(value * weight for value, weight in weights.items())
    rng = random.Random(f"{n} {weights}")
    above = below = 0
    for _ in range(2000):
        drawn = Counter(rng.choices(list(weights), list(weights.values()), k=n))
        estimate = mean_interval(list(drawn), counts=list(drawn.values()), confidence=0.9)
        above += estimate.low > mean
        below += estimate.high < mean
    assert max(above, below) <= 2000 * 0.065  # 3 standard errors above 5 in 100


@pytest.mark.parametrize(
    ("half_right", "method"), [(0, "wilson"), (1, "wilson"), (2, "score-t"), (20, "score-t"), (100, "score-t")]
)
@pytest.mark.parametrize("turned", [False, True])
def test_the_rarer_kind_decides_the_method(half_right, method, turned):
    """Two halves make up one problem's worth."""
    values = [0.5] * half_right + [0.0] * (200 - half_right)
    assert mean_interval([1 - value for value in values] if turned else values).method == method


def test_a_single_partial_problem_tells_nothing_about_others():
    estimate = mean_interval([0.5])
    assert (estimate.low, estimate.high, estimate.method) == (0.0, 1.0, "none")


def test_rewards_are_not_cut_to_the_unit_interval():
    estimate = mean_interval([-1.0, -1.1, -0.6, 1.0], bounded=False)
    assert estimate.low < -1


def test_no_problems_is_an_error():
    with pytest.raises(ValueError, match="no problems"):
        mean_interval([])


def test_bootstrap_is_the_same_each_time_and_holds_the_mean():
    values = [random.Random(1).random() for _ in range(40)]
    first, second = bootstrap_interval(values), bootstrap_interval(values)
    assert first == second
    assert first.low < fmean(values) < first.high


def test_bootstrap_of_shares_of_wrong_answers_is_the_mirror_of_that_of_right_ones():
    """Many draws have the same mean, and count by half on both sides."""
    values = [1.0] * 7 + [0.0] * 5 + [0.5] * 4
    right, wrong = bootstrap_interval(values), bootstrap_interval([1 - value for value in values])
    assert (wrong.low, wrong.high) == pytest.approx((1 - right.high, 1 - right.low))


@given(st.floats(0, 1), st.integers(1, 2000))
def test_wilson_holds_the_share_and_stays_in_bounds(share, n):
    low, high = wilson(share * n, n)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(30, 16), (198, 4), (500, 1)])
def test_intervals_cover_as_they_say(n, k):
    rng = random.Random(7)
    hits = 0
    for _ in range(1000):
        chances = [rng.betavariate(1.2, 0.8) for _ in range(n)]
        estimate = mean_interval([sum(rng.random() < p for _ in range(k)) / k for p in chances])
        hits += estimate.low <= 0.6 <= estimate.high
    assert 0.93 <= hits / 1000 <= 0.97


def test_close_to_the_ends_the_interval_leans_inward_and_stays_inside():
    estimate = mean_interval([1.0] * 27 + [0.5] * 3)
    assert estimate.method == "score-t"
    assert estimate.high <= 1.0
    assert estimate.value - estimate.low > estimate.high - estimate.value


@given(
    st.sampled_from([1, 2, 4, 8, 16, 32])
    .flatmap(lambda n: st.lists(st.integers(0, 8), min_size=n, max_size=n))
    .map(lambda eighths: [each / 8 for each in eighths])
)
def test_wrong_answers_have_the_mirrored_interval_of_right_ones(values: list[float]) -> None:
    """Numbers whose mean is exact: at a bound between two methods, rounding would decide."""
    right, wrong = mean_interval(values), mean_interval([1 - value for value in values])
    assert right.method == wrong.method
    assert (wrong.value, wrong.low, wrong.high) == pytest.approx((1 - right.value, 1 - right.high, 1 - right.low))


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=8))
def test_the_spread_is_seen_where_the_rarer_kind_makes_up_one_problem(values):
    rarer = min(sum(values), len(values) - sum(values))
    seen = len(set(values)) > 1 and rarer >= 1
    assert (bootstrap_interval(values, draws=200).method == "bootstrap") == seen


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40))
def test_right_and_wrong_answers_are_treated_alike(values):
    mirrored = [1 - value for value in values]
    for interval in (mean_interval, partial(bootstrap_interval, draws=50)):
        assert interval(values).method == interval(mirrored).method
