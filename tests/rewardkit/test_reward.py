import asyncio
import pickle
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import Later, Length, Same, Trouble

from rewardkit import Named, Reward, Sample, SampleReward, Score, UsageError, Verdict, Weighted, by_source, gated, load
from rewardkit.grading import score_batch

try:
    import numpy as np
except ImportError:
    np = None

RIGHT = Sample(completion="4", ground_truth="4")
WRONG = Sample(completion="5", ground_truth="4")


def test_a_sum_takes_verdict_answer_and_outcome_from_its_first_term() -> None:
    score = (Same() + 0.5 * Length()).score([RIGHT])[0]
    assert score.value == pytest.approx(0.95)
    assert (score.verdict, score.answer, score.outcome_value) == ("correct", "4", 1.0)
    assert score.parts == {"same": 1.0, "length": -0.1}


def test_an_unknown_part_is_an_unknown_total() -> None:
    score = (Length() + Same()).score([Sample(completion="4")])[0]
    assert score.verdict is Verdict.UNJUDGED
    assert score.value is None
    assert "same: no ground truth" in score.reason
    assert score.parts == {"length": -0.1, "same": None}


def test_two_parts_of_one_label_are_refused_and_named_is_the_cure() -> None:
    with pytest.raises(UsageError, match="named"):
        Length() + Length(unit=1.0)
    assert (Length() + Named("steep", Length(unit=1.0))).score([RIGHT])[0].parts == {"length": -0.1, "steep": -1.0}


@dataclass(frozen=True)
class Weighs(Same):
    """Has functions that are no rewards, a class, and a reward that it makes itself."""

    name: ClassVar[str] = "weighs"
    weigh: Callable[[Reward], float] = len  # type: ignore[assignment]
    kind: type[Reward] = Same
    inner: Reward = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inner", self.kind())


def test_functions_and_classes_in_the_fields_of_a_users_reward_stay_what_they_are() -> None:
    reward = Weighs(weigh=id)
    assert (reward.weigh, reward.kind, type(reward.inner)) == (id, Same, Same)
    assert gated(reward, reward).score([RIGHT])[0].value == 1.0


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 10**400])
def test_a_weight_is_a_finite_number(weight: float) -> None:
    with pytest.raises(UsageError, match="finite"):
        weight * Same()


@pytest.mark.parametrize("weight", [1, 1.0, -1, 2, Fraction(1, 2), np and np.float64(0.5), np and np.int64(1)])
@pytest.mark.parametrize("text", ["exact", "exact + gsm8k", "gated(exact, gsm8k)"])
def test_a_weighted_reward_has_a_text_that_loads(text: str, weight: Any) -> None:
    if weight is None:
        pytest.skip("numpy is not installed")
    weighted = weight * load(text)
    for reward in (weighted, load(text) * weight, gated(weighted, weighted), Weighted(((2, weighted),))):
        assert load(reward.text) == reward


@pytest.mark.parametrize("number", [1, 2.5, True])
def test_numbers_of_numpy_are_written_as_pythons(number: float) -> None:
    np = pytest.importorskip("numpy")
    reward = Length(unit=np.array(number)[()])
    assert reward.text == Length(unit=number).text


@pytest.mark.parametrize("weight", [True, "1", None, Same()])
def test_a_weight_is_a_number(weight: Any) -> None:
    for make in (lambda: Same() * weight, lambda: Weighted(((weight, Same()),))):
        with pytest.raises(UsageError, match="a weight is a number"):
            make()


@pytest.mark.parametrize("text", ["True * exact", "-True * exact", "named('', exact)"])
def test_truth_values_are_no_weights_and_a_label_is_not_empty(text: str) -> None:
    with pytest.raises(UsageError):
        load(text)


def test_weights_multiply_through_sums() -> None:
    assert 2 * (Same() + 0.5 * Length()) == 2 * Same() + 1.0 * Length()
    assert Same() - Length() == Same() + -1.0 * Length()


@given(st.integers(0, 30), st.floats(-4, 4), st.floats(-4, 4))
def test_arithmetic_of_rewards_is_arithmetic_of_their_values(length: int, a: float, b: float) -> None:
    sample = Sample(completion="4" * length, ground_truth="4")
    x, y = Same().score([sample])[0].value, Length().score([sample])[0].value
    assert x is not None
    assert y is not None
    wanted = [
        (-Length(), -y),
        (-(Same() - Length()), y - x),
        (Same() - Length(), x - y),
        (a * Same() - Length() * b, a * x - y * b),
        (b * (a * Same() + Length()), b * (a * x + y)),
    ]
    for reward, value in wanted:
        assert reward.score([sample])[0].value == pytest.approx(value), reward


def test_gated_pays_only_behind_the_gate() -> None:
    reward = gated(Same(), Length())
    right, wrong = reward.score([RIGHT, WRONG])
    assert (right.value, wrong.value) == (-0.1, 0.0)
    assert wrong.verdict is Verdict.WRONG
    assert reward.score([Sample(completion="4")])[0].value is None


@given(st.floats(-5, 5), st.floats(-1e6, 1e6))
def test_a_gate_that_is_not_met_pays_what_was_asked_for(low: float, otherwise: float) -> None:
    for reward in (
        gated(Same(), low * Same(), otherwise=otherwise),
        load(f"gated(exact, {low} * exact, otherwise={otherwise})"),
    ):
        assert [score.value for score in reward.score([RIGHT, WRONG])] == [low, otherwise]
        assert reward.explain(WRONG).score.value == otherwise
    with pytest.raises(UsageError, match="finite"):
        gated(Same(), Same(), otherwise=float("nan"))


def test_behind_a_gate_a_reward_compares_all_completions_of_a_prompt() -> None:
    group = [Sample(completion=text, prompt="?") for text in (r"<think>a</think>\boxed{1}", r"\boxed{1}", r"\boxed{2}")]
    alone, *rest = load("gated(think_format, majority)").score(group)
    assert alone.value == load("majority").score(group)[0].value == 1
    assert [score.value for score in rest] == [0, 0]


def test_by_source_takes_the_first_match_and_names_what_has_none() -> None:
    reward = by_source({"*code*": Length(), "taco_*": Same(), "math": Same()})
    samples = [replace(RIGHT, data_source=name) for name in ("taco_code", "math", "gsm8k")]
    code, math, other = reward.score(samples)
    assert (code.value, math.value, other.value) == (-0.1, 1.0, None)
    assert "gsm8k" in other.reason


def test_by_source_keeps_order_and_scores_each_route_once() -> None:
    names = ["a", "b", "a", "c", "b"] * 7
    samples = [Sample(completion=str(i), ground_truth=str(i), data_source=name) for i, name in enumerate(names)]
    scores = by_source({"a": Same(), "b": Same(), "c": Length()}).score(samples)
    assert [score.answer for score in scores] == [str(i) if n != "c" else None for i, n in enumerate(names)]


@pytest.mark.parametrize("word", ["raise", "recurse", "nonsense"])
def test_our_failure_is_unjudged_and_costs_only_its_row(word: str) -> None:
    scores = Trouble().score([Sample(completion="fine"), Sample(completion=word), Sample(completion="fine")])
    assert [score.value for score in scores] == [1.0, None, 1.0]


def test_a_failure_of_an_async_grade_is_unjudged_and_costs_only_its_row() -> None:
    async def cancelled() -> None:
        task = asyncio.ensure_future(asyncio.sleep(600))
        task.cancel()
        await task

    class Wrong(SampleReward):
        name = "wrong_later"

        async def grade(self, sample: Sample) -> Any:
            await asyncio.sleep(0)
            match sample.completion:
                case "raise":
                    raise RuntimeError("a bug")
                case "cancel":
                    await cancelled()
                case "number":
                    return 1.0
                case "nothing":
                    return None
            return Score.of(1)

    words = ("raise", "fine", "cancel", "number", "fine", "nothing")
    scores = Wrong().score([Sample(completion=word) for word in words])
    assert [score.value for score in scores] == [None, 1.0, None, None, 1.0, None]
    assert [score.reason.rpartition(": ")[2] for score in scores if score.value is None][2:] == [
        "grade returned float, not Score",
        "grade returned NoneType, not Score",
    ]


@pytest.mark.parametrize(
    ("gives", "reason"),
    [
        ([1.0, 0.0], "TypeError: the reward gave float, not Score"),
        ([Score.of(1)], "ValueError: the reward gave 1 scores for 2 samples"),
        ([], "ValueError: the reward gave 0 scores for 2 samples"),
        (None, "TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_what_a_whole_reward_returns_wrongly_is_unjudged_or_raised(gives: Any, reason: str) -> None:
    class Wrong(Reward):
        name = "wrong"

        def score(self, samples: Sequence[Sample]) -> Any:
            return gives

    scores = score_batch(Wrong().score, [RIGHT, WRONG])
    assert [score.value for score in scores] == [None, None]
    assert scores[0].reason.endswith(reason)
    with pytest.raises((TypeError, ValueError)) as caught:
        (Same() + Wrong()).score([RIGHT, WRONG])
    assert f"{type(caught.value).__name__}: {caught.value}" == reason


@pytest.mark.parametrize("text", ["exact", "code", "math", "majority", "length_group(exact)", "exact + 0.1 * gsm8k"])
def test_a_row_in_place_of_a_sample_is_the_callers_mistake(text: str) -> None:
    row: Any = {"completion": "3", "ground_truth": "3"}
    with pytest.raises(UsageError, match=r"not dict; make each with Sample\(\*\*row\)"):
        load(text).score([row])


def test_async_grades_work_with_and_without_a_running_loop() -> None:
    samples = [RIGHT, WRONG] * 50
    expected = [1.0, 0.0] * 50

    async def inside() -> list[float | None]:
        return [score.value for score in Later().score(samples)]

    assert [score.value for score in Later().score(samples)] == expected
    assert asyncio.run(inside()) == expected


def test_threads_give_the_same_scores() -> None:
    results: list[list[float | None]] = []
    reward = Same() + Named("later", Later())
    threads = [
        threading.Thread(target=lambda: results.append([s.value for s in reward.score([RIGHT, WRONG])]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[2.0, 0.0]] * 8


def test_rewards_are_values() -> None:
    reward = gated(Same(), by_source({"*": Same() + 0.1 * Length()}))
    assert pickle.loads(pickle.dumps(reward)) == reward
    assert hash(reward) == hash(pickle.loads(pickle.dumps(reward)))


def test_explain_shows_each_part() -> None:
    explanation = (Same() + 0.5 * Length()).explain(RIGHT)
    assert [child.text for child in explanation.children] == ["same", "length"]
    assert explanation.score.value == pytest.approx(0.95)


def test_called_with_columns_it_speaks_trl() -> None:
    logged: dict[str, float] = {}
    reward = Same() + 0.5 * Length()
    values = reward(
        prompts=["p", "p"],
        completions=["4", [{"role": "assistant", "content": "5"}]],
        completion_ids=[[1], [2]],
        answer=["4", "4"],
        trainer_state=None,
        log_metric=lambda name, value: logged.update({name: value}),
        log_extra=None,
    )
    assert values == [pytest.approx(0.95), pytest.approx(-0.05)]
    assert logged["same+length/same"] == 0.5
    assert reward.__name__ == "same+length"


def test_a_short_column_is_refused() -> None:
    with pytest.raises(UsageError, match="answer"):
        Same()(completions=["4", "5"], answer=["4"])
