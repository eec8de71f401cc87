"""Signs of trouble in a batch, groups without outcome signal, and what each part of a reward takes."""

import logging
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Reward, Sample, Score, load
from rewardkit.groups import advantages, by_group, has_signal
from trainers.alarms import LIMITS, Alarms, profile, without_signal_levelled
from trainers.trl import reward_func, reward_funcs

SHAPED = load("exact + 0.1 * length_penalty(max_tokens=2, unit='words')")


def batch(*rows):
    """Samples of (prompt, completion, ground truth)."""
    return [Sample(prompt=prompt, completion=text, ground_truth=truth) for prompt, text, truth in rows]


def check(samples, reward="exact"):
    return Alarms().check(samples, load(reward).score(samples))


def test_equal_completions_in_every_group_are_warned_of(caplog):
    equal = batch(("p", "a", "a"), ("p", "a", "a"), ("q", "b", "x"), ("q", "b", "x"))
    with caplog.at_level(logging.WARNING):
        assert check(equal)["equal_groups"] == 1.0
    assert "is the sampler's seed fixed?" in caplog.text
    caplog.clear()
    assert check([*equal[:3], *batch(("q", "c", "x"))])["equal_groups"] == 0.5
    assert "seed" not in caplog.text


@pytest.mark.parametrize(
    ("sign", "samples"),
    [
        ("equal_groups", batch(("p", "a", "a"), ("p", "a", "a"))),
        ("no_signal", batch(("p", "a", "x"), ("p", "b", "x"), ("q", "c", "c"), ("q", "c", "c"))),
        ("repeated_answers", batch(*((f"prompt {n}", "7", str(n)) for n in range(5)))),
        (
            "restated_prompts",
            batch(("one two three four five six seven eight", "one two three four five six seven eight", "x")),
        ),
    ],
)
def test_each_sign_that_is_logged_is_warned_of(sign, samples, caplog):
    assert check(samples)[sign] == 1.0
    assert sign in {record.args[0] for record in caplog.records}
    assert check(samples).keys() <= LIMITS.keys()


def test_trls_adapter_warns_and_logs(caplog):
    logged = {}
    function = reward_func("exact")
    function(completions=["a", "a"], prompts=["p", "p"], answer=["a", "a"], log_metric=logged.__setitem__)
    assert logged["alarms/equal_groups"] == logged["alarms/no_signal"] == 1.0
    assert "equal_groups" in caplog.text


def test_repeated_answers_and_restated_prompts_are_counted():
    samples = batch(*((f"prompt {n}", "7", str(n)) for n in range(5)), ("prompt 9", "9", None))
    signs = check(samples)
    assert signs["repeated_answers"] == 1.0
    prompt = "A farmer has seven fields and nine cows and each of the cows eats two bales a week"
    assert check(batch((prompt, prompt + " so 18", "18")))["restated_prompts"] == 1.0
    assert check(batch((prompt, "Nine cows eat two bales each, so 18", "18")))["restated_prompts"] == 0.0


def test_length_drift_is_measured_against_the_first_steps(caplog):
    alarms = Alarms()
    short, long = batch(("p", "one two", "x")), batch(("p", "word " * 10, "x"))
    for _ in range(20):
        assert alarms.check(short, load("exact").score(short))["length_drift"] == pytest.approx(1.0)
    assert alarms.check(long, load("exact").score(long))["length_drift"] == pytest.approx(5.0)
    assert "twice as long" in caplog.text


def test_an_evaluation_is_no_step_of_the_training():
    alarms = Alarms()
    short, long = batch(("p", "one two", "x")), batch(("p", "word " * 10, "x"))
    for _ in range(10):
        assert "length_drift" not in alarms.check(short, load("exact").score(short), training=False)
    for _ in range(10):
        assert alarms.check(long, load("exact").score(long))["length_drift"] == pytest.approx(1.0)


def test_a_sign_is_warned_of_at_its_1st_2nd_4th_time(caplog):
    alarms = Alarms()
    samples = batch(("p", "a", "a"), ("p", "a", "a"))
    for _ in range(5):
        alarms.check(samples, load("exact").score(samples))
    assert [record.args[2] for record in caplog.records if record.args[0] == "equal_groups"] == [1, 2, 4]


texts = st.lists(st.sampled_from(["a", "b", "a long answer", "b but long and wrong"]), min_size=2, max_size=6)


@given(texts)
def test_a_group_without_outcome_signal_moves_nothing_and_one_with_it_is_unchanged(completions):
    samples = batch(*(("p", text, "a") for text in completions))
    scores = SHAPED.score(samples)
    levelled = without_signal_levelled(samples, scores)
    if has_signal(scores):
        assert levelled == scores
    else:
        assert all(abs(value) < 1e-6 for value in advantages([score.value for score in levelled]))
        assert [score.outcome_value for score in levelled] == [score.outcome_value for score in scores]


def test_shaping_alone_defeats_a_filter_by_standard_deviation_and_not_this_one():
    completions, answers = ["b", "b but long and wrong"], ["a", "a"]
    shaped = reward_func(SHAPED)(completions=completions, prompts=["p", "p"], answer=answers)
    assert shaped[0] != shaped[1]
    level = reward_func(SHAPED, signal_only=True)(completions=completions, prompts=["p", "p"], answer=answers)
    assert level[0] == level[1]
    columns = {"completions": completions, "prompts": ["p", "p"], "answer": answers}
    for function in reward_funcs(SHAPED, signal_only=True):
        values = function(**columns)
        assert values[0] == values[1]


def test_rows_of_no_group_are_not_levelled():
    batch = {"completions": ["b", "b but long and wrong"], "answer": ["a", "a"]}
    assert reward_func(SHAPED, signal_only=True)(**batch) == reward_func(SHAPED)(**batch)


class Slow(Reward):
    name = "slow"
    now_s = 0.0

    def score(self, samples):
        for sample in samples:
            Slow.now_s += 3.0 if sample.completion == "slow" else 1.0
        return [Score.of(1.0) for _ in samples]


def test_the_profile_names_the_slow_part_and_the_slow_row(monkeypatch):
    monkeypatch.setattr("trainers.alarms.time", SimpleNamespace(perf_counter=lambda: Slow.now_s))
    samples = batch(("p", "quick", "x"), ("p", "slow", "x"), ("p", "quick", "x"))
    first, second = profile(load("exact") + Slow(), samples, slowest=1)
    assert (first.label, first.total_ms, first.slowest) == ("slow", 5_000.0, ((3_000.0, 1),))
    assert (second.label, second.total_ms) == ("exact", 0.0)


def test_groups_are_those_of_the_prompts():
    assert list(by_group(batch(("p", "a", "a"), ("q", "a", "a")))) == ["p", "q"]


@pytest.mark.parametrize("groups", [3, 4, 5])
def test_repeated_answers_are_a_share_of_the_groups_and_need_four(groups):
    """The commonest answer of each group counts; here all groups have the same one."""
    rows = [(f"p{group}", text, "a") for group in range(groups) for text in ("a", "a", f"b{group}")]
    assert check(batch(*rows)).get("repeated_answers") == (1.0 if groups >= 4 else None)
