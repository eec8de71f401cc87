"""Replies of every kind: each is a row, and every command reads the run."""

import json

import pytest

from harness.fake_server import Stub
from harness.store import read_run
from rewardkit.cli import rewardkit
from rewardkit.cli import run as command_line

pytestmark = pytest.mark.usefixtures("lm_eval")

REPLIES = [
    {"text": ""},
    {"text": "", "reasoning_content": "so 6"},
    {"text": " \n\t"},
    {"text": "", "finish_reason": "length"},
    {"text": "\\boxed{6", "finish_reason": "length"},
    {"text": "", "finish_reason": "content_filter"},
    {"text": "\\boxed{6}", "finish_reason": "content_filter"},
    {"text": "\\boxed{\ud800}"},
    {"text": "a\u2028b\x85c\x00d\x1b[31m"},
    {"text": "<think>"},
    {"text": "</think>"},
    {"text": "<think></think>"},
    {"text": "</script><b>&amp;"},
    {"text": "\\boxed{6}", "tokens": 0},
    {"text": "x" * 300_000},
    {"status": 400, "text": "bad \ud800\n\x1b[31m request"},
]


def test_each_reply_is_a_row_that_every_command_reads(harness, small_data, tmp_path):
    run, again, scores = tmp_path / "run", tmp_path / "again", tmp_path / "scores.jsonl"
    with Stub(lambda _, number: REPLIES[number % len(REPLIES)]) as server:
        where = ("--model", server.url, "--tasks", "math500", "--data-dir", small_data, "-o", run)
        code, out, err = harness("run", *where, "--repeats", 2, "--judge_workers", 0)
    assert code == 4, err  # two requests failed
    assert "\x1b" not in out + err  # what a server writes does not steer the terminal
    answers = read_run(run).answers
    assert {answer.kind for answer in answers} == {
        "no_answer", "malformed", "wrong", "truncated", "content_filter", "infra_error"
    }  # fmt: skip
    for command, expected in [
        (("rescore", run, "-o", again, "--judge_workers", 0), 4),
        (("report", run, "-o", tmp_path / "report.html"), 0),
        (("compare", run, again), 0),
        (("gate", run, "--min", "accuracy=0.0"), 4),
    ]:
        code, out, err = harness(*command)
        assert code == expected, (command, err)
        assert "\x1b" not in out + err
    assert [row.kind for row in read_run(again).answers] == [row.kind for row in answers]
    arguments = ["score", run / "answers.jsonl", "-r", "math", "-o", scores, "--quiet", "--max-unjudged", "1"]
    assert command_line(rewardkit, list(map(str, arguments))) == 0
    with scores.open(encoding="utf-8", newline="\n") as lines:
        assert [json.loads(line)["accuracy"] for line in lines] == [row.accuracy for row in answers]
