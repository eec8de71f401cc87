"""Rows and scores travel faster between a server and its workers, and arrive as they would."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.executor.task import ScoreSamples
from rewardkit.serve.task import SCORES, set_up_worker
from rewardkit.types import Sample, Score, Verdict

PLAIN = ScoreSamples()
text = st.text(st.characters() | st.sampled_from(["\ud800", "\n", "\u2028", "\0"]))
number = st.integers() | st.floats(allow_nan=False) | st.sampled_from([2**63, 2**64, -(2**70), 1e308, 5e-324])
value = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
scores = st.builds(
    lambda value, answer, reason, parts: Score.of(value, answer=answer, reason=reason, parts=parts),
    st.floats(allow_nan=False, allow_infinity=False),
    st.none() | text,
    text,
    st.dictionaries(text, st.none() | st.floats(allow_nan=False, allow_infinity=False), max_size=3),
) | st.builds(Score.unjudged, text)


@given(text, value, value)
def test_a_row_is_the_same_sample(completion: str, truth: Any, extra: Any) -> None:
    row = {"completion": completion, "ground_truth": truth, "extra_info": {"given": extra}}
    for line in (json.dumps(row), json.dumps(row, ensure_ascii=False)):
        raw = line.encode("utf-8", "surrogatepass")
        assert repr(SCORES.from_line(raw)) == repr(PLAIN.from_line(raw))


@pytest.mark.parametrize(
    "line",
    [b'"why there is none"', b"", b"{", b"[1]", b"3", b'{"completion": 3}', b'{"complexion": ""}', b"[" * 9999,
     b'{"extra_info": {"a": NaN, "b": 1e999}}', b'{"id": 7, "id": 8}', b'{"ground_truth": 1e400}', b"\xff"],
)  # fmt: skip
def test_what_is_no_row_is_the_same_failure(line: bytes) -> None:
    plain, ours = PLAIN.from_line(line), SCORES.from_line(line)
    assert repr(ours) == repr(plain)


@given(st.dictionaries(st.sampled_from(["group", "prompt", "completion"]), value))
def test_a_row_is_of_the_same_group(row: dict[str, Any]) -> None:
    line = json.dumps(row).encode()
    if isinstance(PLAIN.from_line(line), Sample):
        assert SCORES.group(line) == PLAIN.group(line)


@pytest.mark.parametrize("path", [None, "/run/boxes"])
def test_a_worker_runs_programs_in_the_server_s_sandbox_where_it_has_one(
    path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    used: list[tuple[str, str | None]] = []
    monkeypatch.setattr("rewardkit.sandbox_pool.client.use_pool", lambda *given: used.append(given))
    set_up_worker("docker", path)
    assert used == ([] if path is None else [(path, "docker")])


@pytest.mark.parametrize("beyond", [b"NaN", b"Infinity", b"-Infinity", b'"\\ud800"'])
@pytest.mark.parametrize("field", [b"group", b"prompt"])
def test_a_row_that_only_python_reads_is_of_the_same_group(field: bytes, beyond: bytes) -> None:
    line = b'{"completion": "a", "%b": "of this", "extra_info": {"x": %b}}' % (field, beyond)
    assert SCORES.group(line) == PLAIN.group(line) == "of this"


@given(st.lists(scores, min_size=1, max_size=5))
def test_scores_arrive_as_they_were_sent(sent: list[Score]) -> None:
    lines = [SCORES.result_line(score) for score in sent]
    assert not any(b"\n" in line for line in lines)
    assert SCORES.results(lines) == sent == PLAIN.results([PLAIN.result_line(score) for score in sent])


@pytest.mark.parametrize(
    "line",
    [b"noise", b"{}", b"3", b"null", b'{"value": 1.0, "verdict": "great"}', b'{"value": null, "verdict": "correct"}',
     b'{"value": 1.0, "verdict": "unjudged"}', b'{"value": NaN, "verdict": "correct"}',
     b'{"value": 1.0}', b'{"value": 1.0, "verdict": "correct", "reason": 3}'],
)  # fmt: skip
def test_what_is_no_score_is_not_taken_for_one(line: bytes) -> None:
    for task in (PLAIN, SCORES):
        with pytest.raises((ValueError, TypeError, KeyError, AttributeError, RecursionError)):
            task.results([line])


def test_a_verdict_is_the_same_object() -> None:
    (score,) = SCORES.results([SCORES.result_line(Score.of(True))])
    assert score.verdict is Verdict.CORRECT
