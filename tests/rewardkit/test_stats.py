import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.stats import clustered_interval, mean_interval, wilson


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
    found = clustered_interval([right for right, _ in counts], [size for _, size in counts])
    assert found.value == pytest.approx(sum(right for right, _ in counts) / sum(size for _, size in counts))
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    assert found.n == len(counts)


@given(st.lists(st.integers(0, 8), min_size=1, max_size=40))
def test_equal_clusters_are_one_value_each(counts: list[int]) -> None:
    assert clustered_interval(counts, [8] * len(counts)) == mean_interval([count / 8 for count in counts])


@given(st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_single_answers_have_wilsons_interval(answers: list[int]) -> None:
    found = clustered_interval(answers, [1] * len(answers))
    assert (found.low, found.high) == wilson(sum(answers), len(answers))


@pytest.mark.parametrize("sizes", [[8] * 50, [1, 2, 4, 8, 16] * 10])
def test_an_interval_over_clusters_covers_as_it_says(sizes: list[int]) -> None:
    rng = random.Random(7)

    def covered() -> bool:
        chances = [rng.betavariate(1.2, 0.8) for _ in sizes]
        sums = [sum(rng.random() < chance for _ in range(size)) for chance, size in zip(chances, sizes, strict=True)]
        found = clustered_interval(sums, sizes)
        return found.low <= 0.6 <= found.high

    assert 0.92 <= fmean(covered() for _ in range(1_000)) <= 0.98
