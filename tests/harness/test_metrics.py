import itertools
from collections import Counter
from dataclasses import replace
from statistics import fmean
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as forall
from hypothesis import strategies as st

from harness import judging
from harness.compare import compare_runs
from harness.gate.baseline import of_run
from harness.gate.rules import Minimum
from harness.gate.verdict import minimum
from harness.metrics import Bounds, Graders, graders, majority_bounds, pass_at, pass_bounds, powers, summarise
from harness.store import Answer, Problem, Run, read_run
from rewardkit.errors import RewardkitError, UsageError
from rewardkit.stats import Estimate, pass_at_k
from rewardkit.types import Score, Verdict


def answers(*pairs):
    return [
        Answer(task="t", doc_id=0, rep=n, problem="p", data_source="t", kind="x", accuracy=right, answer=text)
        for n, (text, right) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("2", 0), ("2", 0), ("1", 1)], 0.0),
        ([("2", 0), ("1", 1), ("1", 1)], 1.0),
        ([("2", 0), ("1", 1)], 0.5),
        ([("3", 0), ("2", 0), ("1", 1)], pytest.approx(1 / 3)),
        ([("1/2", 1), ("0.5", 1), ("3", 0), ("4", 0)], 1.0),  # right answers are one class however written
        ([("3/2", 0), ("1.5", 0), ("1", 1)], 0.0),  # and wrong ones that mean the same vote together
        ([(None, 0), (None, 0), ("1", 1)], 1.0),  # no answer, no vote
        ([(None, 0)], 0.0),
    ],
)
def test_majority_votes_on_meaning(given, expected):
    assert majority_bounds(answers(*given), len(given)) == (expected, expected)


@forall(st.data())
def test_pass_bounds_are_what_enumeration_of_the_missing_answers_finds(data):
    asked = data.draw(st.integers(1, 7))
    judged = data.draw(st.integers(0, asked))
    right = data.draw(st.integers(0, judged))
    j = data.draw(st.integers(1, asked))
    known = [1] * right + [0] * (judged - right)
    values = []
    for missing in itertools.product((0, 1), repeat=asked - judged):
        draws = list(itertools.combinations([*known, *missing], j))
        values.append(sum(any(draw) for draw in draws) / len(draws))
    assert pass_bounds(right, judged, asked, j) == pytest.approx((min(values), max(values)))


@forall(st.lists(st.sampled_from(["1", "2", "3", None]), min_size=1, max_size=5), st.integers(0, 2))
def test_majority_bounds_are_what_enumeration_of_the_missing_answers_finds(known, missing):
    """`1` is right; None is a judged answer that holds no answer."""

    def rows(texts):
        return answers(*((text, int(text == "1")) for text in texts))

    values = [
        majority_bounds(rows([*known, *more]), len(known) + missing)[0]
        for more in itertools.product(("1", "2", "3", "4", None), repeat=missing)
    ]
    for unknown in (rows(known) + answers(*[(None, None)] * missing), rows(known)):
        assert majority_bounds(unknown, len(known) + missing) == (min(values), max(values))


@pytest.mark.long
@forall(st.lists(st.lists(st.sampled_from([True, False, None]), max_size=4), min_size=1, max_size=8))
def test_pass_at_k_is_over_all_problems_or_not_a_single_figure(table):
    """An answer that is missing was lost (None), or is not there."""
    rows = [answers(*(("1", None if right is None else int(right)) for right in row)) for row in table]
    for j in powers(4):
        figure = pass_at(rows, j, 4)
        if figure is None:
            assert all(right is None for row in table for right in row)
            continue
        assert figure.n == len(table)
        judged = [[each for each in row if each is not None] for row in table]
        if isinstance(figure, Estimate):
            assert all(len(row) >= j for row in judged)
            assert figure.value == pytest.approx(sum(pass_at_k(len(row), sum(row), j) for row in judged) / len(table))
        else:
            assert any(len(row) < j for row in judged)
            assert figure.least <= figure.most
            assert figure.missing == 4 * len(table) - sum(map(len, judged))


def test_failed_requests_leave_bounds_and_never_a_smaller_pass_at_a_larger_k(run_of, harness, tmp_path):
    """40 problems of 11 answers, 15 requests failed: a pass@11 over the complete ones alone was below pass@8."""
    table = {f"q{n}": [n % 3 == 0 and rep == 0 for rep in range(11)] for n in range(40)}
    for n in range(15):
        table[f"q{3 * n % 40}"][10] = None
    [summary] = summarise(read_run(run_of(tmp_path / "r", table)))
    best = summary.pass_at[11]
    assert isinstance(best, Bounds)
    assert isinstance(summary.pass_at[8], Estimate)
    assert best.most >= best.least > summary.pass_at[8].value
    _, out, _ = harness("rescore", tmp_path / "r", "-o", tmp_path / "s", "--judge_workers", 0)
    assert " to " in out


def test_powers_of_two_up_to_k():
    assert [powers(k) for k in (1, 2, 16)] == [[1], [1, 2], [1, 2, 4, 8, 16]]


def test_the_problem_is_the_unit(run_of, tmp_path):
    table = {"a": [True] * 4, "b": [True, False, False, False], "c": [False] * 4}
    [summary] = summarise(read_run(run_of(tmp_path / "r", table)))
    assert summary.accuracy.value == pytest.approx((1 + 0.25 + 0) / 3)
    assert summary.accuracy.method == "score-t"
    assert summary.accuracy.n == 3
    assert summary.pass_at[4].value == pytest.approx(2 / 3)
    assert summary.pass_at[2].value == pytest.approx((1 + 0.5 + 0) / 3)
    assert (summary.solved_never, summary.solved_always) == (1, 1)
    assert Counter(summary.classes) == {"correct": 5, "wrong": 7}


def test_failed_requests_are_counted_apart_and_are_no_zeros(run_of, tmp_path):
    [summary] = summarise(read_run(run_of(tmp_path / "r", {"a": [True, None], "b": [True, True], "c": [None, None]})))
    assert summary.accuracy.value == 1.0
    assert summary.accuracy.n == 2
    assert (summary.errors, summary.complete) == (3, 0.5)


OUTCOMES = st.lists(st.sampled_from([True, False, None]), min_size=3, max_size=3)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@forall(st.lists(OUTCOMES, min_size=1, max_size=8))
def test_one_accuracy_is_in_the_table_in_compare_and_in_the_gate(run_of, tmp_path, table):
    """The mean over problems of the share of right answers, however many answers to each are missing."""
    table[0][0] = True
    run = read_run(run_of(tmp_path / "r", {f"q{n}": row for n, row in enumerate(table)}))
    shares = [[each for each in row if each is not None] for row in table]
    expected = pytest.approx(fmean(fmean(row) for row in shares if row))
    [summary] = summarise(run)
    assert summary.accuracy.value == summary.score.value == expected
    assert summary.accuracy.n == sum(map(bool, shares))
    least = minimum(of_run(run).ledgers["toy"], Minimum(accuracy=0.5), 0.025)
    assert least.numbers == {
        "accuracy": expected, "low": summary.accuracy.low, "high": summary.accuracy.high, "bar": 0.5, "problems": summary.accuracy.n,
    }  # fmt: skip
    compared = compare_runs([run, run])[0]
    assert compared.before == compared.after == expected


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@forall(st.lists(OUTCOMES, min_size=1, max_size=8))
def test_an_answer_that_is_not_there_counts_as_one_that_failed(run_of, tmp_path, table):
    """Also if no problem has as many answers as were asked for."""
    run = read_run(run_of(tmp_path / "r", {f"q{n}": row for n, row in enumerate(table)}))
    asked = {"repeats": 3, "output_type": "generate_until"}
    record = {**run.record, "tasks": {"toy": asked}, "identity": {"tasks": {"toy": asked}}}
    failed = Run(run.path, record, run.problems, run.answers)
    absent = Run(run.path, record, run.problems, [each for each in run.answers if each.error is None])
    [one], [other] = summarise(failed), summarise(absent)
    assert replace(other, answers=0, classes={}, data_source="") == replace(one, answers=0, classes={}, data_source="")
    assert other.complete == pytest.approx(sum(each is not None for row in table for each in row) / (3 * len(table)))
    assert of_run(absent).ledgers["toy"] == of_run(failed).ledgers["toy"]


def test_truncation_is_a_share_of_answers(run_of, tmp_path):
    [summary] = summarise(read_run(run_of(tmp_path / "r", {"a": [True, False], "b": [True, True]}, truncated={(0, 1)})))
    assert summary.truncated == 0.25
    assert summary.classes["truncated"] == 1


@pytest.mark.parametrize("more", [{}, {"b": [True, True]}])
def test_summaries_become_plain_json(run_of, tmp_path, more):
    import json

    [summary] = summarise(read_run(run_of(tmp_path / "r", {"a": [True, False]} | more)))
    row = json.loads(json.dumps(summary.to_json(), allow_nan=False))
    assert row["accuracy"]["value"] == (0.75 if more else 0.5)
    assert (row["score"]["low"] is None) is not bool(more)
    assert row["pass_at"]["2"]["value"] == 1.0


def test_a_place_without_a_run_is_said(tmp_path):
    with pytest.raises(UsageError, match="no finished run"):
        read_run(tmp_path)
    (tmp_path / "journal.jsonl").touch()
    with pytest.raises(UsageError, match="--resume"):
        read_run(tmp_path)


@pytest.mark.parametrize("name", ["answers.jsonl", "problems.jsonl", "run.json"])
def test_a_damaged_run_is_said(run_of, tmp_path, name):
    directory = run_of(tmp_path / "r", {"a": [True]})
    (directory / name).write_text('{"task": 3')
    with pytest.raises(RewardkitError, match=r"was changed|damaged"):
        read_run(directory)


def test_a_problem_has_the_mean_of_its_judged_answers_and_nothing_without_one():
    said = {
        "right": replace(Score.of(1.25, verdict=Verdict.CORRECT), outcome=1.0),
        "wrong": replace(Score.of(-0.5, verdict=Verdict.WRONG), outcome=0.0),
        "lost": Score.unjudged("no sandbox"),
        "missing": None,
    }
    judging.use(type("Told", (), {"score": lambda self, doc, answer: said[answer]})())
    try:
        assert judging.process_results({}, [["right", "wrong", "lost", "missing", "right"]]) == pytest.approx(
            {"accuracy": 2 / 3, "score": 2 / 3, "reward": 2 / 3}
        )
        assert judging.process_results({}, ["right"]) == {"accuracy": 1.0, "score": 1.0, "reward": 1.25}
        assert judging.process_results({}, [["lost", "missing"]]) == {}
    finally:
        judging.use(None)


def test_two_graders_are_compared_in_one_line():
    compared = Graders("math", "exact_match", 20, both=9, only_reward=4, only_metric=1, neither=6)
    assert compared.line() == "math 13/20 right, exact_match 10/20; right for math alone 4, for exact_match alone 1"


def test_answers_are_counted_by_what_each_grader_says_of_them():
    problem = Problem(
        task="t",
        doc_id=0,
        hash="",
        data_source="t",
        question="",
        prompt="",
        target="",
        reward="math",
        own_metric="exact_match",
    )
    counts = {(1, 1): 4, (1, 0): 3, (0, 1): 2, (0, 0): 1}
    judged = [
        answers(("4", right))[0].model_copy(update={"own": own})
        for (right, own), count in counts.items()
        for _ in range(count)
    ]
    found = graders(SimpleNamespace(problems={"p": problem}), "t", [*judged, *answers(("5", 1))])
    assert found == Graders("math", "exact_match", 10, both=4, only_reward=3, only_metric=2, neither=1)
    assert graders(SimpleNamespace(problems={"p": problem}), "t", answers(("5", 1))) is None, (
        "its own metric judged none"
    )
    assert graders(SimpleNamespace(problems={}), "t", judged) is None
