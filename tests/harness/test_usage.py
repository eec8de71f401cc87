"""Token counts are summed over all requests and paid for once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.backends.openai_api import parse_replies
from harness.cli.tables import summary_rows
from harness.metrics import summarise
from harness.store import Answer, read_run
from harness.usage import Price, Usage
from rewardkit import UsageError

counts = st.one_of(st.none(), st.integers(0, 10**6))


@given(st.lists(st.tuples(counts, counts, counts)))
def test_sums_are_over_the_answers_that_have_counts(rows):
    answers = [
        Answer(
            task="t",
            doc_id=0,
            rep=at,
            problem="p",
            data_source="d",
            kind="wrong",
            prompt_tokens=prompt,
            tokens=tokens,
            reasoning_tokens=thought,
        )
        for at, (prompt, tokens, thought) in enumerate(rows)
    ]
    known = [row for row in rows if row[0] is not None and row[1] is not None]
    usage = Usage.of(answers, Price(2.0, 10.0))
    assert (usage.answers, usage.counted) == (len(rows), len(known))
    assert usage.prompt == sum(row[0] for row in known)
    assert usage.completion == sum(row[1] for row in known)
    paid = pytest.approx((2 * usage.prompt + 10 * usage.completion) / 1e6)
    assert usage.cost == (paid if len(known) == len(rows) else None)


@pytest.mark.parametrize("ids", [True, False])
def test_the_tokens_of_several_answers_to_one_request_are_paid_once(ids):
    choices = [
        {"index": at, "message": {"content": "x"}, **({"token_ids": [1] * at} if ids else {})} for at in (0, 1, 2)
    ]
    data = {"choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    replies = parse_replies(data, chat=True)
    assert [each.tokens for each in replies] == ([0, 1, 2] if ids else [None] * 3)
    common = {"task": "t", "doc_id": 0, "problem": "p", "data_source": "d", "kind": "wrong"}
    answers = [
        Answer(
            rep=rep, **common, **{name: getattr(each, name) for name in ("tokens", "request_tokens", "prompt_tokens")}
        )
        for rep, each in enumerate(replies)
    ]
    failed = Answer(rep=3, **common, error="HTTP 500")
    usage = Usage.of([*answers, failed], Price(2.0, 10.0))
    assert (usage.counted, usage.prompt, usage.completion) == (3, 7, 3)
    assert usage.cost == pytest.approx(44e-6)
    assert usage.line().endswith("in 3 of 4 answers, cost 0.0000440")


@pytest.mark.usefixtures("lm_eval")
def test_no_cost_is_told_where_answers_have_no_counts(harness, stub, small_data, tmp_path):
    raw = json.dumps({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}).encode()
    stub.rule = lambda *_: {"raw": raw}
    told = ("run", "--model", stub.url, "--tasks", "math500", "--data-dir", small_data, "--judge_workers", 0)
    code, out, err = harness(*told, "-o", tmp_path / "out", "--price", "1,1")
    assert code == 0, err
    assert "cost unknown" in err
    assert "cost 0" not in err
    assert "~0/0" in out  # a quarter of one character
    code, out, err = harness("report", tmp_path / "out", "-o", tmp_path / "page.html")
    assert code == 0, err
    assert "gave no count of tokens" in (tmp_path / "page.html").read_text()


def test_a_length_that_was_counted_is_not_marked(run_of, tmp_path):
    (row,) = summary_rows("run", summarise(read_run(run_of(tmp_path / "a", {"q": [True, False, None]}))))
    assert "~" not in row["tokens"]


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "1,nan", "inf,1"])
def test_what_is_no_price_is_said_in_a_line(text):
    with pytest.raises(UsageError, match="--price"):
        Price.parse(text)


def test_thinking_tokens_are_read_where_a_server_counts_them():
    reply = {"choices": [{"message": {"content": "x"}}]}
    usage = {"prompt_tokens": 3, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 2}}
    for given_usage, want in (
        (usage, (3, 5, 2)),
        ({**usage, "completion_tokens_details": None}, (3, 5, None)),
        (None, (None,) * 3),
    ):
        [found] = parse_replies({**reply, "usage": given_usage}, chat=True)
        assert (found.prompt_tokens, found.tokens, found.reasoning_tokens) == want
