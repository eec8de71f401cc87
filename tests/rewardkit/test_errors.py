"""What error messages quote: always one line, never longer than announced, and whole where it fits."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.cli import run
from rewardkit.errors import UsageError, clip, counted, describe_error, one_line, quoted

MESSY = st.text(st.one_of(st.characters(), st.sampled_from(" \n\t\r\x0b\x1b\u2028")), max_size=400)


@given(MESSY, st.integers(1, 200))
def test_clipped_text_is_one_line_within_the_limit_and_says_where_it_was_cut(text: str, limit: int) -> None:
    line, whole = clip(text, limit), one_line(text)
    assert len(line) <= limit
    assert line.isprintable()
    assert line == whole if len(whole) <= limit else line == whole[: limit - 1] + "…"


@pytest.mark.parametrize(("number", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1204, "1,204 rows")])
def test_one_of_a_thing_is_no_plural(number: int, text: str) -> None:
    assert counted(number, "row") == text


@pytest.mark.parametrize("filler", ["a", " ", "a ", " \n"])
def test_a_long_text_is_cut_without_being_read_to_its_end(filler: str) -> None:
    line = clip(filler * 1_000_000 + "end", 40)
    assert len(line) <= 40
    assert line.endswith("…")
    assert "end" not in line


@given(st.one_of(MESSY, st.lists(MESSY, max_size=4), st.dictionaries(st.integers(), MESSY, max_size=4)))
def test_a_value_is_quoted_as_python_writes_it_or_marked_as_cut(value: object) -> None:
    text = quoted(value, 60)
    assert len(text.splitlines()) == 1
    whole = repr(value) if isinstance(value, str) else " ".join(repr(value).split())
    assert text == whole or (len(whole) > 60 and "…" in text)


class _SilentError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@given(MESSY)
def test_an_error_of_others_is_told_with_its_type_on_one_short_line(text: str) -> None:
    line = describe_error(ValueError(text))
    assert line.startswith("ValueError")
    assert line.isprintable()
    assert len(line) <= 320
    assert describe_error(_SilentError(text)) == "_SilentError"
    assert describe_error(ValueError()) == "ValueError"


@given(MESSY)
def test_a_command_prints_an_error_on_one_line_whatever_it_quotes(text: str) -> None:
    @click.command()
    def fails() -> None:
        raise UsageError(f"begin {text} end")

    with pytest.MonkeyPatch.context() as patch:
        lines: list[str] = []
        patch.setattr(click, "echo", lambda line, **_: lines.append(line))
        assert run(fails, []) == 2
    assert len(lines) == 1
    assert lines[0].isprintable()
    assert lines[0].startswith("error: begin ")
