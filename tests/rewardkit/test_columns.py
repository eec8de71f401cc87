"""Any array of the right length is a column; a column that is missing is said, once and aloud."""

import logging
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from rewardkit import Sample, UsageError, columns, load
from rewardkit.data.column_aliases import FACTS
from rewardkit.groups import group_key

MATH = load("math")
TEXTS = [r"\boxed{4}", r"\boxed{5}", r"\boxed{4}"]


def module(name: str) -> Any:
    return pytest.importorskip(name)


def dataset_column(values: list[Any], form: str | None) -> Any:
    data = module("datasets").Dataset.from_dict({"x": values})
    if form is not None:
        module({"numpy": "numpy", "pandas": "pandas", "torch": "torch"}[form])
        data = data.with_format(form)
    return data["x"]


KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "numpy": lambda values: module("numpy").array(values),
    "numpy objects": lambda values: module("numpy").array(values, dtype=object),
    "list of numpy": lambda values: list(module("numpy").array(values)),
    "pandas": lambda values: module("pandas").Series(values, index=range(7, 7 + len(values))),
    "pandas categories": lambda values: module("pandas").Series(values).astype("category"),
    "pyarrow": lambda values: module("pyarrow").array(values),
    "pyarrow chunks": lambda values: module("pyarrow").chunked_array([values[:1], values[1:]]),
    "polars": lambda values: module("polars").Series(values),
    "torch": lambda values: module("torch").tensor([float(value) for value in values]),
    **{
        f"datasets {form or 'plain'}": lambda values, form=form: dataset_column(values, form)
        for form in (None, "numpy", "pandas", "torch")
    },
}


class Array:
    """What arrays of any library have in common, for where none is installed."""

    def __init__(self, values: list[Any], method: str) -> None:
        self._values = values
        setattr(self, method, lambda: list(values))

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> Any:
        return self._values[index]


KINDS.update(
    {method: lambda values, method=method: Array(values, method) for method in ("tolist", "to_list", "to_pylist")}
)


@pytest.mark.long
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_any_array_of_the_right_length_is_a_column(kind: str) -> None:
    truths = KINDS[kind](["4", "4", "4"])
    assert MATH(completions=TEXTS, answer=truths) == [1.0, 0.0, 1.0]
    assert MATH(completions=TEXTS, prompts=KINDS[kind](["1", "2", "3"]), answer=truths) == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"torch"}))
def test_completions_may_be_an_array_too(kind: str) -> None:
    assert MATH(completions=KINDS[kind](TEXTS), answer=["4"] * 3) == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_an_array_of_another_length_is_refused(kind: str) -> None:
    with pytest.raises(UsageError, match=r"column 'answer' has 2 rows for 3 completions"):
        MATH(completions=TEXTS, answer=KINDS[kind](["4", "4"]))


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_value_is_none_whatever_stands_for_it(missing: Any) -> None:
    assert MATH(completions=TEXTS, answer=["4", "4", missing]) == [1.0, 0.0, None]


def test_values_of_arrays_are_plain_in_samples() -> None:
    numpy = module("numpy")
    (sample,) = columns.samples_from_columns(
        completions=["x"], answer=numpy.array([7]), difficulty=numpy.array([0.5]), names=numpy.array([["a", "b"]])
    )
    assert (sample.ground_truth, type(sample.ground_truth)) == (7, int)
    assert sample.extra_info == {"difficulty": 0.5, "names": ["a", "b"]}


@pytest.mark.parametrize(
    ("reward", "given", "wanted"),
    [
        ("math", {"awnser": ["4"] * 3}, "columns ground_truth, reward_model.ground_truth, answer"),
        ("math", {}, "columns ground_truth, reward_model.ground_truth, answer"),
        (
            "math + 0.1 * think_format",
            {"prompts": ["p"] * 3, "awnser": ["4"] * 3},
            "columns ground_truth, reward_model.ground_truth, answer",
        ),
        ("overlong", {"answer": ["4"] * 3}, "columns completion_tokens"),
        ("by_source({'a': math})", {"answer": ["4"] * 3}, "columns data_source"),
    ],
)
def test_a_column_that_is_not_there_is_named_beside_those_that_are(
    reward: str, given: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(UsageError) as error:
        load(reward)(completions=TEXTS, **given, trainer_state=None, log_metric=None)
    assert wanted in str(error.value)
    assert load(reward).score([Sample(completion=TEXTS[0])])[0].reason in str(error.value)
    assert str(error.value).endswith("the columns are: " + ", ".join(["completions", *given]))


@pytest.mark.parametrize(
    "reward",
    [
        "by_source({'*': gsm8k, 'code': overlong})",
        "tool_call(by_source({'*': gsm8k}), missing='seed') + 0.1 * think_format",
        "optional(overlong) + gsm8k",
    ],
)
def test_columns_with_which_a_reward_has_judged_a_sample_lack_nothing_later(reward: str) -> None:
    """A step that fails after hours costs the run, and the columns of a run do not change."""
    judge = load(reward)
    for truth in ("4", None, "4", None):
        values = judge(completions=["#### 4", "#### 5"], answer=[truth, truth])
        assert all((value is None) == (truth is None) for value in values)


HAS: dict[str, Callable[[Sample], bool]] = {
    "ground_truth": lambda sample: sample.ground_truth is not None,
    "data_source": lambda sample: sample.data_source is not None,
    "prompt": lambda sample: sample.prompt is not None,
    "group": lambda sample: group_key(sample) is not None,
    "completion_tokens": lambda sample: sample.tokens is not None,
    "global_step": lambda sample: not {"global_step", "global_steps"}.isdisjoint(sample.extra_info),
}
"""Turns are left out: a right answer is judged without them, a wrong one is not."""


def test_each_column_that_can_be_missed_is_known() -> None:
    assert HAS.keys() | {"messages"} == columns.COLUMNS_OF.keys()


def test_a_sample_that_a_reward_judges_has_all_that_the_reward_needs(cases: tuple[Any, ...]) -> None:
    for case in cases:
        if case.row["value"] is not None:
            lacking = [need for need in case.reward.needed & HAS.keys() if not HAS[need](case.sample)]
            assert not lacking, case.where


@pytest.mark.parametrize("ids", [[1, 2, 3], [[1, 2], [3]], [[1], [], [2, 3]]])
def test_tokens_that_are_listed_turn_by_turn_are_counted_together(ids: list[Any]) -> None:
    samples = columns.samples_from_columns(completions=["4", "4", "4"], response_token_ids=[ids, [], None])
    assert [sample.tokens for sample in samples] == [3, None, None]


def test_the_tokens_that_trl_counts_win_over_a_column_of_the_data_set() -> None:
    """A column `completion_tokens` of the data set counts its own completion."""
    batch: dict[str, Any] = {"completions": ["2"], "completion_ids": [list(range(200))], "answer": ["2"]}
    reward = load("exact + overlong(max_tokens=50, buffer=10)")
    assert reward(**batch, completion_tokens=[10]) == reward(**batch) == [-15.0]


@pytest.mark.parametrize("name", FACTS)
@pytest.mark.parametrize("value", ["x", -1, 1.5, [None], {"a": 1}, b"x", 2**70, object()])
def test_a_sample_whose_facts_cannot_be_read_is_judged_without_them(name: str, value: Any) -> None:
    facts = {name: [{"completion_tokens": 3, "completion_ids": [1] * 3}.get(name, "stop"), value, None]}
    assert MATH(completions=TEXTS, answer=["4"] * 3, **facts) == [1.0, 0.0, 1.0]
    if name != "finish_reason":
        assert load("overlong(max_tokens=10, buffer=2)")(completions=TEXTS, **facts) == [0.0, None, None]


UNREADABLE: list[Any] = [[], 7, [{"content": "4"}], {"role": "assistant"}, ["4"], object()]


@pytest.mark.parametrize("completion", UNREADABLE)
def test_a_completion_that_cannot_be_read_costs_its_own_row_alone(completion: Any) -> None:
    batch, answers = ["4", completion, "5"], ["4"] * 3
    assert MATH(completions=batch, answer=answers) == [1.0, None, 0.0]
    logged: dict[str, list[Any]] = {}
    MATH(completions=batch, answer=answers, log_extra=logged.__setitem__)
    assert logged["math/verdict"] == ["correct", "unjudged", "wrong"]


def test_a_batch_without_any_completion_that_can_be_read_is_refused() -> None:
    with pytest.raises(UsageError, match="not text or a chat"):
        MATH(completions=UNREADABLE, answer=["4"] * len(UNREADABLE))
    with pytest.raises(UsageError, match="not text or a chat"):
        columns.samples_from_columns(completions=["4", 7])


def test_what_can_be_judged_without_the_column_is_judged() -> None:
    assert load("think_format")(completions=TEXTS) == [0.0, 0.0, 0.0]
    assert load("optional(math, default=0.5)")(completions=TEXTS) == [0.5, 0.5, 0.5]
    assert MATH(completions=TEXTS, answer=[None] * 3) == [None, None, None]
    assert MATH(completions=[], awnser=[]) == []


def test_the_log_warns_at_the_1st_2nd_4th_unjudged_completion_with_the_last_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reward = load("math(wrong=-0.125)")
    with caplog.at_level(logging.WARNING, "rewardkit"):
        for step in range(5):
            reward(completions=TEXTS, answer=["4", None if step < 3 else "$(", "4"])
    assert [record.getMessage().partition("; last reason: ")[0] for record in caplog.records] == [
        f"math: {count} of {3 * count} completions (33.3%) could not be judged" for count in (1, 2, 4)
    ]
    assert caplog.messages[0].endswith("no ground truth")
    assert not caplog.messages[-1].endswith("no ground truth")


def test_what_is_no_array_is_no_column() -> None:
    for thing in ("text", b"text", {"a": 1}, {1, 2}, 7, 0.5, Fraction(1, 2), date(2026, 1, 2), object()):
        assert columns.as_list(thing) is None


@pytest.mark.parametrize("missing", [None, float("nan"), "NA"])
def test_a_completion_that_is_missing_is_unjudged_and_costs_the_others_nothing(missing: Any) -> None:
    missing = module("pandas").NA if missing == "NA" else missing
    assert MATH(completions=[missing, TEXTS[0]], answer=["4", "4"]) == [None, 1.0]
    with pytest.raises(UsageError, match="no completion"):
        columns.samples_from_columns(completions=[missing])


FAILED: list[Any] = [None, [], (), float("nan"), [{"role": "assistant", "content": 7}]]
"""What trainers hand over for a rollout that failed, or whose messages hold no text that is known."""


@pytest.mark.parametrize("completion", FAILED)
def test_a_rollout_that_failed_is_unjudged_whatever_the_other_rows_are(completion: Any) -> None:
    for others in ([], TEXTS, [completion], FAILED):
        values = load("dapo_math")(completions=[completion, *others], answer=["4"] * (1 + len(others)))
        assert values[0] is None
    assert load("overlong(max_tokens=10, buffer=2)")(completions=[completion]) == [None]


@pytest.mark.long
@pytest.mark.parametrize("truths", [["4"] * 2, [None] * 2])
@pytest.mark.parametrize(
    "route", ["overlong", "tool_call(dapo_math)", "scheduled(math, [[0, 1.0]])", "math + overlong"]
)
def test_a_row_is_asked_only_for_the_columns_of_its_own_route(route: str, truths: list[str | None]) -> None:
    down = "remote('http://127.0.0.1:9', timeout_s=0.1)" if truths[0] else "gsm8k"
    reward = load(f"by_source({{'a': gated(think_format, {down}) + {down}, 'b': {route}}})")
    assert reward(completions=TEXTS[:2], data_source=["a", "a"], ground_truth=truths) == [None, None]
    with pytest.raises(UsageError, match="needs one of the columns"):
        reward(completions=[TEXTS[1]] * 2, data_source=["b", "b"], ground_truth=["4", "4"])


@pytest.mark.parametrize("name", ["answer", "completion_tokens"])
@pytest.mark.parametrize("value", ["45", 45, {"a": 1}])
def test_a_column_that_is_one_value_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"column '{name}' is {type(value).__name__}; give a list"):
        load("format")(completions=TEXTS, **{name: value})


def test_one_data_source_or_group_is_that_of_all_rows_and_one_alias_of_the_ground_truth_is_enough() -> None:
    samples = columns.samples_from_columns(
        completions=TEXTS, data_source="gsm8k", group=3, answer=TEXTS, solution={0: "4"}
    )
    assert {(one.data_source, one.group) for one in samples} == {("gsm8k", "3")}
    assert [one.ground_truth for one in samples] == TEXTS


def test_a_ground_truth_inside_a_column_is_enough_too() -> None:
    inside = [{"ground_truth": text} for text in TEXTS]
    samples = columns.samples_from_columns(completions=TEXTS, reward_model=inside, answer="4")
    assert [one.ground_truth for one in samples] == TEXTS


@pytest.mark.parametrize(("target", "value"), [(0, None), (5, 0.9988)])
def test_a_budget_of_null_is_none_wherever_the_row_comes_from(target: int, value: float | None) -> None:
    reward = load(f"length_target(exact, target={target}, unit='words')")
    rows: dict[str, Any] = {"completions": ["x", "x"], "ground_truth": ["x", "x"]}
    for missing in (None, float("nan")):
        assert reward(**rows, num_tokens=[missing, 1]) == [value, 1.0]
    asked = Sample(completion="x", ground_truth="x", extra_info={"num_tokens": None})
    assert reward.score([asked])[0].value == value
    assert reward.score([Sample(completion="x", ground_truth="x")])[0].value == value
