"""The fallback to math-verify: asked only where our grammar or proof ends, never with a text that our lexer refuses."""

from __future__ import annotations

import pytest

pytest.importorskip("math_verify")

from rewardkit.executor import Executor
from rewardkit.math import Policy, compare, explain
from rewardkit.math.prove import fallback

ASKING = Policy(fallback="math-verify")


@pytest.fixture(scope="module")
def executor():
    with Executor(fallback.Equal(), row_timeout_s=120) as made:
        yield made


@pytest.mark.long
def test_math_verify_runs_in_the_worker(executor):
    assert fallback.math_verify_accepts(r"\frac{1}{2}", "0.5", executor=executor) is True
    assert fallback.math_verify_accepts("3", "4", executor=executor) is False


def test_a_text_that_our_lexer_refuses_is_not_handed_on(executor):
    assert fallback.math_verify_accepts("1", "__import__(\x00)", executor=executor) is None


def test_it_is_asked_only_where_we_cannot_decide(monkeypatch):
    asked = []
    monkeypatch.setattr(fallback, "math_verify_accepts", lambda gold, answer: bool(asked.append(answer)) or True)
    assert not compare("2", "3", ASKING).equal
    assert not compare("2x", "3x", ASKING).equal
    assert asked == []
    assert compare("4", r"4 \mystery{2}", ASKING).stage == "fallback"
    assert not compare("4", r"4 \mystery{2}").equal
    assert len(asked) == 1


def test_explain_says_that_it_was_asked(monkeypatch):
    monkeypatch.setattr(fallback, "math_verify_accepts", lambda gold, answer: False)
    assert "math-verify was asked" in explain(r"\boxed{5 \mystery{2}}", "5", ASKING).steps[-1]
