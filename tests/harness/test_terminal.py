"""What a run holds is shown, and does nothing to the terminal."""

import importlib
from types import SimpleNamespace

import pytest

ESCAPES = "a\x1b]0;x\x07\x9b2J\x08b"
"""What sets a terminal's title, clears it, and goes back."""


@pytest.mark.parametrize(
    "args",
    [
        ("compare", "{old}", "{new}", "--show", "9"),
        ("gate", "{new}", "--baseline", "{old}"),
        ("gate", "{new}", "--min", "accuracy=0.9"),
        ("gate", "--plan", "--baseline", "{old}"),
        ("contamination", "--train", "{train}", "{old}"),
        ("report", "{old}", "-o", "{out}"),
        ("merge", "{old}", "{new}", "-o", "{out}"),
        ("rescore", "{old}", "-o", "{out}"),
    ],
)
def test_nothing_that_a_run_holds_steers_the_terminal(harness, run_of, tmp_path, args):
    question = f"How many {ESCAPES} are in seven boxes of four, and how many are left when two are taken?"
    rows = {f"{question} {n}": [True] for n in range(12)}
    old = run_of(tmp_path / f"old{ESCAPES.replace('/', '')}", rows, task=ESCAPES)
    new = run_of(tmp_path / "new", {question: [False] for question in rows}, task=ESCAPES)
    train = tmp_path / "train.jsonl"
    train.write_bytes((old / "problems.jsonl").read_bytes())
    places = {"old": old, "new": new, "train": train, "out": tmp_path / "out"}
    _, out, err = harness(*(arg.format(**places) for arg in args))
    assert out + err
    assert all(line.isprintable() for line in (out + err).split("\n")), out + err


def test_the_time_left_is_what_the_rest_takes_at_the_pace_so_far(monkeypatch, capsys):
    run = importlib.import_module("harness.cli.run")
    now = [100.0]
    monkeypatch.setattr(run, "time", SimpleNamespace(monotonic=lambda: now[0]))
    ticker = run.Ticker()
    now[0] += 20
    ticker(SimpleNamespace(done=15, total=45, resumed=5, errors=1, tokens=400))
    assert capsys.readouterr().err == "15/45 answers, 1 failed, 0.5/s, 60 s left, 20 tokens/s (5 from the journal)\n"
