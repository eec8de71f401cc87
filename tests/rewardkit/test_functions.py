"""A plain function is a reward wherever one is taken."""

import asyncio
import copy
import dataclasses
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from rewardkit import Sample, Score, UsageError, Verdict, Weighted, load, registry
from rewardkit.base import Function, reward
from rewardkit.trl import reward_func

SAMPLES = [
    Sample(completion="4", ground_truth="4"),
    Sample(completion="five", ground_truth="5", extra_info={"level": 2}),
]


def by_columns(completions, answer, **columns):
    return [float(one == truth) for one, truth in zip(completions, answer, strict=True)]


def by_solution(completions, solution):
    return by_columns(completions, solution)


def by_sample(sample):
    return float(sample.completion == sample.ground_truth)


def by_score(sample):
    return Score.of(sample.completion == sample.ground_truth, answer=sample.completion)


async def later(sample):
    await asyncio.sleep(0)
    return by_sample(sample)


async def later_by_columns(completions, ground_truth, **_):
    await asyncio.sleep(0)
    return by_columns(completions, ground_truth)


FORMS = [by_columns, by_solution, by_sample, by_score, later, later_by_columns]


@pytest.mark.parametrize("function", FORMS)
def test_each_form_of_function_is_called_with_what_it_takes(function):
    scores = Function(function).score(SAMPLES)
    assert [score.value for score in scores] == [1.0, 0.0]
    assert [score.verdict for score in scores] == [Verdict.CORRECT, Verdict.WRONG]


@pytest.mark.parametrize("function", FORMS)
def test_a_function_adds_to_a_reward_on_either_side(function):
    for total in (load("exact") + function, function + load("exact"), load("exact") + 1 * reward(function)):
        assert [score.value for score in total.score(SAMPLES)] == [2.0, 0.0]
    assert [score.value for score in (load("exact") - function).score(SAMPLES)] == [0.0, 0.0]


def test_a_function_of_a_file_is_loaded_by_its_name_and_its_text_loads_again(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from rewardkit import load\n"
        "def short(completions, **columns):\n    return [float(len(one) < 3) for one in completions]\n"
        "total = load('exact') + short\n"
    )
    found = load(f"exact + 0.5 * {file}:short")
    assert [score.value for score in found.score(SAMPLES)] == [1.5, 0.0]
    assert load(found.text) == found
    assert pickle.loads(pickle.dumps(found)) == found
    assert [score.value for score in load(f"{file}:total").score(SAMPLES)] == [2.0, 0.0]
    with pytest.raises(UsageError, match="takes no options"):
        load(f"{file}:short(3)")


@reward
def decorated(completions):
    return [float(len(one) > 2) for one in completions]


def test_a_decorated_function_travels_as_its_module_and_name():
    made = load("exact") + 0.5 * decorated
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert pickle.loads(pickle.dumps(copy.copy(decorated))) == decorated
    program = f"import pickle; print(pickle.loads({pickle.dumps(decorated)!r})(completions=['four']))"
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=there, capture_output=True, text=True, check=True)
    assert done.stdout == "[1.0]\n"


@pytest.mark.parametrize("function", [lambda sample: 1.0, reward(by_sample)], ids=["no name", "other name"])
def test_a_function_that_no_decorator_replaced_travels_as_itself(function):
    made = Function(function) if not isinstance(function, Function) else function
    assert copy.copy(made) == copy.deepcopy(made) == made
    if made.function is by_sample:
        assert pickle.loads(pickle.dumps(made)) == made
    else:
        with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
            pickle.dumps(made)


def test_columns_are_what_trl_would_give():
    seen = {}

    def look(completions, prompts, **columns):
        seen.update(columns, prompts=prompts, completions=completions)
        return [0.0] * len(completions)

    chat = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    Function(look).score(
        [Sample(messages=tuple(chat), prompt="2+2?", ground_truth="4", extra_info={"level": 1}, id="a")]
    )
    assert seen["completions"] == [chat[1:]]
    assert (seen["prompts"], seen["answer"], seen["level"], seen["id"]) == (["2+2?"], ["4"], [1], ["a"])


COLUMNS = {
    "source": ["amc", "aime"], "dataset": ["a", None], "data_source": [1, 2], "id": [3, 4], "group": [[1], [2]], "uid": ["a", "b"],
    "extra_info": [{"level": 1}, {"level": 2}], "question": ["1+1", "1+2"], "answer": [2, 3.0], "solution": ["a", "b"],
    "options": [["a"], ["b", "c"]], "prompts": ["p", "q"], "completion_ids": [[1, 2], [3]], "finished": [True, False],
}  # fmt: skip
"""Columns that TRL passes."""


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_function_gets_each_column_as_trl_passes_it_to_the_function_alone(name, together):
    columns = COLUMNS if together else {"prompts": COLUMNS["prompts"], name: COLUMNS[name]}
    seen = []
    space = {"seen": seen}
    exec(f"def look(completions, {name}):\n    seen.append(list({name}))\n    return [1.0] * len(completions)", space)
    assert reward(space["look"])(completions=["2", "3"], **columns) == [1.0, 1.0]
    (got,) = seen
    if name == "extra_info":  # which holds the other columns, too
        got = [{"level": one["level"]} for one in got]
    assert got == COLUMNS[name]


@pytest.mark.parametrize("name", ["level", "sources", "trainer_state", "environments"])
@pytest.mark.parametrize(
    "made", [reward, lambda function: load("exact") + function, lambda function: 0.5 * reward(function)]
)
def test_a_column_that_no_row_has_ends_the_first_step(name, made):
    space = {}
    exec(f"def lacks(completions, {name}):\n    return [1.0] * len(completions)", space)
    batch = {"completions": ["2", "3"], "answer": ["2", "3"], "trainer_state": None, "environments": [None, None]}
    with pytest.raises(UsageError, match=f"could judge nothing.*lacks needs a column '{name}'"):
        made(space["lacks"])(**batch)


@pytest.mark.parametrize(
    "made",
    [
        reward,
        lambda function: load("exact") + function,
        lambda function: reward_func(0.5 * reward(function)),
        lambda function: reward_func(reward(function), overlapped=True),
    ],
)
def test_a_function_gets_what_trl_passes_however_it_is_combined(made):
    given = {"trainer_state": object(), "log_metric": lambda *_: None, "log_extra": lambda *_: None}
    seen = []

    def asks(completions, trainer_state, log_metric=None, **columns):
        seen.append({"trainer_state": trainer_state, "log_metric": log_metric, "log_extra": columns.get("log_extra")})
        return [1.0] * len(completions)

    values = made(asks)(completions=["2", "3"], answer=["2", "3"], **given)
    if asyncio.iscoroutine(values):
        asyncio.run(values)
    assert seen == [given]
    Function(lambda completions, **columns: seen.append(columns) or [1.0] * len(completions)).score(SAMPLES)
    assert not seen[1].keys() & given.keys()


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ([1.0], "gave 1 scores for 2 samples"),
        (None, "TypeError"),
        ("11", "returned str, not a list of numbers"),
        ({0: 0.5, 1: 0.5}, "returned dict, not a list of numbers"),
        ({0.5, 1.0}, "returned set, not a list of numbers"),
    ],
)
def test_what_a_function_returns_wrongly_is_unjudged_never_a_zero(returned, reason):
    scores = Function(lambda completions: returned).score(SAMPLES)
    assert all(score.value is None for score in scores)
    assert reason in scores[-1].reason


@pytest.mark.parametrize("number", [float("nan"), float("inf"), "x", "1", b"1", [1.0], 10**400])
def test_a_value_that_is_no_finite_number_leaves_its_own_sample_unjudged(number):
    for function in (lambda completions: [number, 0.5], lambda sample: number if sample is SAMPLES[0] else 0.5):
        first, second = Function(function).score(SAMPLES)
        assert (first.value, second.value) == (None, 0.5)
        assert "lambda> returned" in first.reason


def test_none_leaves_that_sample_unjudged():
    assert [s.value for s in Function(lambda completions: [None, 0.5]).score(SAMPLES)] == [None, 0.5]


def test_a_function_that_raises_leaves_its_sample_unjudged():
    scores = Function(lambda sample: 1 / (sample.completion == "4")).score(SAMPLES)
    assert [score.value for score in scores] == [1.0, None]
    assert "ZeroDivisionError" in scores[1].reason


def test_a_column_that_no_sample_has_is_named():
    def needs_level(completions, difficulty):
        return [0.0] * len(completions)

    assert "needs a column 'difficulty'; there are" in Function(needs_level).score(SAMPLES)[0].reason


@pytest.mark.parametrize("function", [lambda: 0, lambda one, two: 0, 3, print])
def test_what_is_no_reward_function_is_refused_in_one_sentence(function):
    with pytest.raises(UsageError) as caught:
        Function(function)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class R(SampleReward):\n    name = 'r'\n    def grade(self, sample): ...", "write @dataclass"),
        ("@dataclass(frozen=True)\nclass R(SampleReward):\n    def grade(self, sample): ...", "has no name"),
        ("class R: ...", "is not a subclass"),
        ("R = 3", "neither a reward nor a function"),
    ],
)
def test_a_class_that_is_not_whole_is_refused_in_one_sentence(source, message, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"from dataclasses import dataclass\nfrom rewardkit import SampleReward\n{source}\n")
    with pytest.raises(UsageError, match=message) as caught:
        load(f"{file}:R")
    assert len(str(caught.value).splitlines()) == 1


def test_a_function_that_no_file_holds_says_so_in_its_text():
    assert Function(lambda sample: 0).text == "<function <lambda>>"
    assert Function(by_sample).text == f"{Path(sys.modules[__name__].__file__).resolve()}:by_sample"


HELD = {
    "Reward": lambda inner: inner,
    "Mapping[str, Reward]": lambda inner: {"*": inner},
    "tuple[Reward, ...]": lambda inner: [inner],
    "tuple[tuple[float, Reward], ...]": lambda inner: [(2, inner)],
    "str": lambda _: "x",
    "tuple[tuple[float, float], ...]": lambda _: ((0.0, 1.0),),
}
"""A value for each type of field that a wrapper cannot do without."""


def required(cls, inner):
    return {
        field.name: HELD[field.type](inner) for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING
    }


WRAPPERS = [
    cls
    for cls in (Weighted, *map(registry.get, registry.names()))
    if any("Reward" in field.type for field in dataclasses.fields(cls))
]


@pytest.mark.parametrize("cls", WRAPPERS, ids=lambda cls: cls.name)
def test_every_reward_that_holds_rewards_takes_plain_functions(cls):
    made = cls(**required(cls, by_sample))
    assert made == cls(**required(cls, Function(by_sample)))
    assert pickle.loads(pickle.dumps(made)) == made
    scores = made.score([dataclasses.replace(SAMPLES[0], completion_tokens=3, extra_info={"global_step": 1})])
    assert "Error" not in scores[0].reason
    with pytest.raises(UsageError, match="is neither a reward nor a function"):
        cls(**required(cls, int))


FILE = """
class Same:
    def __call__(self, sample):
        return float(sample.completion == sample.ground_truth)

def made_by(wanted):
    def inner(completions, answer):
        return [wanted if one == truth else 0.0 for one, truth in zip(completions, answer)]
    return inner

short, called, made = lambda sample: float(sample.completion == sample.ground_truth), Same(), made_by(1.0)
"""


@pytest.mark.parametrize("name", ["short", "called", "made"])
def test_whatever_a_file_holds_under_a_name_is_found_by_it_in_other_processes(name, tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    found = load(f"{tmp_path / 'mine.py'}:{name}")
    assert load(found.text) == found
    copied = subprocess.run(
        [
            sys.executable,
            "-c",
            "import pickle, sys; print(pickle.load(sys.stdin.buffer).score(pickle.load(sys.stdin.buffer))[0].value)",
        ],
        input=pickle.dumps(found) + pickle.dumps(SAMPLES),
        capture_output=True,
        check=True,
    )
    assert copied.stdout == b"1.0\n"
