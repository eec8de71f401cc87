"""Saved answers judged again: by the reward that is named, whatever judged them first."""

import importlib.metadata
import json

import pytest

from harness.identity import source_of
from harness.store import read_run, to_answer, write_run
from rewardkit import Score, load

TABLE = {"a": [True, False], "b": [False, None], "c": [True, True]}
METRIC = "lm-eval: exact_match"


@pytest.fixture
def stock(run_of, tmp_path):
    """A run on a task of lm-eval's own, whose metric called every answer right."""

    def make(name, output_type="generate_until", metric=METRIC, *, generated=True):
        run = read_run(run_of(tmp_path / name, TABLE, reward=METRIC))
        facts = {"toy": {**run.record["tasks"]["toy"], "output_type": output_type}}
        own = {"reward": metric, "own_metric": metric if output_type == "generate_until" else None}
        problems = [each.model_copy(update=own) for each in run.problems.values()]
        by_hash = {each.hash: each for each in problems}
        answers = [
            to_answer(by_hash[each.problem], each, None if each.error else Score.of(1.0, reason=METRIC))
            for each in run.answers
        ]
        if not generated:
            answers = [each.model_copy(update={"tokens": None, "finish_reason": None}) for each in answers]
        rewards = {METRIC: {"lm_eval": "0.4"}}
        write_run(run.path, {**run.record, "tasks": facts, "rewards": rewards}, problems, answers)
        return run.path

    return make


@pytest.mark.parametrize("first", ["math", METRIC, None])
@pytest.mark.parametrize("reward", ["math", "math(wrong=-1.0)", "exact", "exact + 0.5 * math"])
def test_each_answer_is_judged_by_the_reward_that_is_named(run_of, stock, harness, tmp_path, first, reward):
    run = run_of(tmp_path / "run", TABLE) if first == "math" else stock("run", metric=first)
    harness("rescore", run, "-r", reward, "-o", tmp_path / "again", "--judge_workers", 0)
    again = read_run(tmp_path / "again")
    assert {each.reward for each in again.problems.values()} == {reward}
    assert set(again.record["rewards"]) == {reward}
    for before, now in zip(read_run(run).answers, again.answers, strict=True):
        if now.error:
            assert now.reward is None
            continue
        [score] = load(reward)(
            completions=[now.text], ground_truth=[again.problems[now.task, now.problem].ground_truth]
        )
        assert now.reward == score
        assert now.own == (None if first == "math" else before.reward)


def test_without_a_reward_what_lm_evals_metric_said_is_kept(stock, harness, tmp_path, monkeypatch):
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "9" if name == "lm_eval" else version(name))
    run = stock("run")
    harness("rescore", run, "-o", tmp_path / "again", "--judge_workers", 0)
    before, again = read_run(run), read_run(tmp_path / "again")
    assert (again.answers, again.problems) == (before.answers, before.problems)
    assert again.record["rewards"] == {METRIC: {"lm_eval": "0.4"}}, "lm-eval did not judge them again"


@pytest.mark.parametrize("metric", [METRIC, None])
def test_no_reward_judges_the_answers_of_a_likelihood_task(stock, harness, tmp_path, metric):
    run = stock("run", "multiple_choice", metric, generated=False)
    code, _, err = harness("rescore", run, "-r", "math", "-o", tmp_path / "again")
    assert (code, err.count("\n"), "likelihoods" in err) == (2, 1, True)
    assert not (tmp_path / "again" / "run.json").exists()


@pytest.mark.parametrize("reward", [None, "exact"])
def test_the_identity_names_the_rewards_that_judge_now(run_of, harness, tmp_path, reward):
    identity = {"reward": None, "tasks": {"toy": {"rewards": {"math": {"math": 0}}, "repeats": 2}}}
    run = run_of(tmp_path / "run", TABLE)
    whole = read_run(run)
    answers = [each.model_copy(update={"source": source_of(identity)}) for each in whole.answers]
    write_run(run, {**whole.record, "identity": identity}, whole.problems.values(), answers)
    more = [] if reward is None else ["-r", reward]
    harness("rescore", run, "-o", tmp_path / "again", "--judge_workers", 0, *more)
    record = json.loads((tmp_path / "again" / "run.json").read_text())
    judged = reward or "math"
    assert record["identity"]["reward"] == reward
    assert record["identity"]["tasks"]["toy"]["rewards"] == {judged: {judged: load(judged).version}}


@pytest.mark.parametrize("failed", [0, 1, 2])
@pytest.mark.parametrize("limit", [None, 0.0, 0.005, 0.01, 1.0])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_incomplete_result_exits_with_4(run_of, harness, tmp_path, failed, limit, more):
    run = run_of(tmp_path / "run", {f"q{n}": [None if n < failed else True] for n in range(200)})
    told = () if limit is None else ("--max-unjudged", limit)
    code, _, err = harness("rescore", run, "-o", tmp_path / "again", "--judge_workers", 0, *more, *told)
    beyond = failed / 200 > (0.005 if limit is None else limit)
    assert (code, "incomplete" in err) == (4 if beyond else 0, beyond)
