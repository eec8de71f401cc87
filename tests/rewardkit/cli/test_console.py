"""What a run says of its progress where there is no terminal."""

import json

import pytest

from rewardkit.cli import _console
from rewardkit.cli._console import PLAIN_LINE_EVERY_S, progress


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(_console.time, "monotonic", lambda: now[0])
    return now


def test_a_line_comes_every_so_often_with_share_rate_and_time_left(clock, capsys):
    share = [None]
    with progress(lambda: share[0]) as advance:
        clock[0] += PLAIN_LINE_EVERY_S - 0.1
        advance(500)
        assert capsys.readouterr().err == ""
        clock[0] += 0.1
        advance(500)
        assert capsys.readouterr().err == "1,000 rows, 100/s\n"
        clock[0] += PLAIN_LINE_EVERY_S
        share[0] = 0.25
        advance(1000)
        assert capsys.readouterr().err == "2,000 rows, 25%, 100/s, 60 s left\n"
        share[0] = 0.0
        clock[0] += 1.0
        advance(1)
        assert capsys.readouterr().err == ""
        clock[0] += PLAIN_LINE_EVERY_S
        advance(1)
        assert capsys.readouterr().err == "2,002 rows, 0%, 65/s\n"


def test_without_progress_nothing_is_said(clock, capsys):
    with progress(lambda: 0.5, enabled=False) as advance:
        clock[0] += 100.0
        advance(5)
    assert capsys.readouterr().err == ""


ESCAPES = "a\x1b]0;x\x07\x9b2J\x08b"
"""What sets a terminal's title, clears it, and goes back."""


@pytest.mark.long
@pytest.mark.parametrize(
    "args",
    [
        ("score", "{}", "-r", "exact", "--show", "9"),
        ("score", "{}", "-r", "code"),
        ("score", "{}", "-r", ESCAPES),
        ("score", "{}x", "-r", "exact"),
        ("score", "{}", "-r", "exact", "--id", ESCAPES),
        ("audit", "{}", "-r", "exact"),
        ("explain", "{}", "-r", "exact"),
        ("attack", "{}", "-r", "exact"),
    ],
)
def test_nothing_that_a_file_holds_steers_the_terminal(cli, tmp_path, args):
    row = dict.fromkeys(["id", "prompt", "completion", "ground_truth", "data_source", "group"], ESCAPES)
    file = tmp_path / f"rows{ESCAPES.replace('/', '')}.jsonl"
    file.write_text("".join(json.dumps({**row, "id": f"{n}{ESCAPES}"}) + "\n" for n in range(9)))
    outcome = cli(*(arg.format(file) for arg in args))
    said = outcome.out + outcome.err
    assert said
    assert all(line.isprintable() for line in said.split("\n")), said
