"""Texts in reasons."""

from hypothesis import given
from hypothesis import strategies as st

from rewardkit.rewards._text import clip


@given(st.text(), st.integers(1, 80))
def test_a_clipped_text_is_one_line_that_is_no_longer_than_asked(text, limit):
    found = clip(text, limit)
    assert len(found) <= limit
    line = " ".join(text.split())
    assert found == (line if len(line) <= limit else f"{line[: limit - 1]}…")
