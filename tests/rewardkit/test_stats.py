import pytest

from rewardkit.stats import wilson


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
