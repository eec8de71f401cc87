"""Which numbers of an answer have a source."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load

PLACES = st.integers(0, 4)
DECIMALS = st.builds(lambda whole, places: str(Decimal(whole).scaleb(-places)), st.integers(0, 30_000), PLACES)


def ungrounded(**fields):
    (score,) = load("grounded_numbers").score([Sample(prompt="", **fields)])
    return score.parts["ungrounded"]


@pytest.mark.parametrize("before", ["", "\n", "\t", "\r\n", " ", "$", "(", '"', "= "])
@pytest.mark.parametrize("after", ["", "\n", "\t", "\r\n", " ", ")", '"', ","])
def test_a_number_of_a_tools_result_is_a_source_whatever_stands_around_it(before, after):
    tool = {"role": "tool", "content": f"mass{before or ' '}4711{after}"}
    messages = [{"role": "assistant", "content": ""}, tool, {"role": "assistant", "content": "</think>It is 4711."}]
    assert ungrounded(messages=messages) == 0
    assert ungrounded(messages=[*messages[:1], {**tool, "content": f"{before}4711{after}"}, *messages[2:]]) == 0
    assert ungrounded(messages=[*messages[:2], {"role": "assistant", "content": "</think>It is 4712."}]) == 1


@given(st.lists(DECIMALS, max_size=6), DECIMALS)
def test_a_number_is_grounded_if_a_known_one_rounds_to_it(known, written):
    value, places = Fraction(written), len(written.partition(".")[2])
    sources = {Fraction(number) for number in known} | set(map(Fraction, range(11)))
    same = any(value * factor in sources for factor in (1, Fraction(1, 100), 100))
    rounded = any(round(source, places) == value for source in sources)
    assert ungrounded(completion=f"{' '.join(known)}</think>{written}") == (not same and not rounded)


def test_many_numbers_are_looked_up_in_time():
    """Rounding each known number for each loose one would take minutes."""
    known = " ".join(f"0.{number:06d}" for number in range(6_000))
    loose = " ".join(f"7{number:05d}.5" for number in range(6_000))
    assert ungrounded(completion=f"{known}</think>{loose}") == 6_000
