"""A verdict depends on what a value says, not on what holds it: samples hold plain values, as their rows in JSON do."""

import datetime as dt
import decimal
import enum
import fractions
import json
import subprocess
import sys
from collections import OrderedDict, UserDict, UserList
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Reward, Sample, UsageError, load, registry
from rewardkit.coerce import LIST_METHODS, present
from trainers import openrlhf, slime, verl
from trainers.scorer import Scorer


class Array:
    """As arrays of numpy, pandas, polars and pyarrow give their values."""

    def __init__(self, items: Any, method: str) -> None:
        setattr(self, method, lambda: items)


class Colour(enum.StrEnum):
    RED = "red"


class Count(enum.IntEnum):
    TWO = 2


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text(max_size=5),
    st.sampled_from([Colour.RED, Count.TWO, b"a\xff", decimal.Decimal("2.50"), fractions.Fraction(1, 3), dt.date(2026, 1, 2)]),
)  # fmt: skip
METHODS = st.sampled_from(LIST_METHODS)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=3)
    maps = st.dictionaries(st.text(max_size=3), inner, max_size=3)
    return st.one_of(
        lists, lists.map(tuple), lists.map(UserList), st.builds(Array, lists, METHODS), st.builds(Array, inner, METHODS),
        maps, maps.map(OrderedDict), maps.map(UserDict), maps.map(MappingProxyType),
    )  # fmt: skip


VALUES = st.recursive(LEAVES, nested, max_leaves=8)


@given(VALUES, st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_a_sample_is_the_same_as_its_row_read_back(truth: Any, extra: dict[str, Any]) -> None:
    chat = Array([{"role": "user", "content": Array(["a"], "tolist")}], "to_list")
    sample = Sample(
        completion="x", prompt=chat, messages=chat, completion_ids=Array([1, 2], "tolist"), ground_truth=truth,
        extra_info=extra, group=Array("g", "as_py"),
    )  # fmt: skip
    assert Sample.from_row(json.loads(sample.to_json())) == sample
    assert json.loads(sample.to_json()) == json.loads(json.dumps(sample.to_row()))


@pytest.mark.parametrize(
    ("reward", "truth", "completion"),
    [
        ("math", 2.5, "\\boxed{2.5}"),
        ("math", ["2", "3"], "\\boxed{3}"),
        ("exact", 2, "2"),
        ("gsm8k", 34, "#### 34"),
        ("dapo_math", 34, "Answer: \\boxed{34}"),
        ("math_agent", 34, "\\boxed{34}"),
        ("choice", "B", "\\boxed{B}"),
        ("list_match", ["a", "b"], "a, b"),
        ("unsloth_numbers", 34, "<SOLUTION>34</SOLUTION>"),
        ("json_schema", {"type": "object", "required": ["a"]}, '{"a": 1}'),
        ("ifeval", {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}, "hi"),
        ("tool_match", [{"name": "f", "arguments": {"a": [1]}}], '<tool_call>{"name": "f", "arguments": {"a": [1]}}</tool_call>'),
    ],
)  # fmt: skip
def test_a_truth_pays_the_same_whatever_holds_it(
    reward: str, truth: Any, completion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openrlhf, "_tensor", lambda values: SimpleNamespace(tolist=lambda: values))
    sample = Sample(completion=completion, ground_truth=truth)
    paid = load(reward).score([sample])[0]
    assert paid.value is not None
    assert paid.value > 0
    for method in LIST_METHODS:
        held = _held(truth, method)
        assert said(load(reward), Sample(completion=completion, ground_truth=held)) == said(load(reward), sample)
        assert Scorer(reward)([completion], answer=[held]) == [paid.value]
        assert verl.compute_score("d", completion, held, {}, reward=reward)["score"] == paid.value
        rollout = SimpleNamespace(prompt="p", response=completion, label=held, response_length=1, metadata={})
        assert load(reward).score([slime.sample_of(rollout)])[0].value == paid.value
        assert openrlhf.reward_function(reward)(["p" + completion], ["p"], [held])["rewards"].tolist() == [paid.value]
        (row,) = load(reward).score_table([{"completion": completion, "answer": held}])
        assert row["reward"] == paid.value


def said(reward: Reward, sample: Sample) -> tuple[Any, ...]:
    (score,) = reward.score([sample])
    return score.value, score.verdict, score.answer, score.reason


def _held(value: Any, method: str) -> Any:
    """The value as an array of arrays."""
    if isinstance(value, list):
        return Array([_held(item, method) for item in value], method)
    if isinstance(value, dict):
        return UserDict({name: _held(item, method) for name, item in value.items()})
    return Array(value, method)


NAType = type("NAType", (), {})
"""The name of pandas' type."""


def _compares_with_a_truth(name: str) -> bool:
    try:
        return "ground_truth" in load(name).needs
    except UsageError:  # it takes another reward
        return False


@pytest.mark.parametrize("missing", [None, float("nan"), Array(float("nan"), "tolist"), NAType(), Array(None, "as_py")])
@pytest.mark.parametrize("name", filter(_compares_with_a_truth, registry.names()))
def test_a_missing_value_is_no_ground_truth(name: str, missing: Any) -> None:
    assert present(missing) is None
    for completion in ("nan", "\\boxed{nan}", "None", "\\boxed{None}", "null", "Answer: \\boxed{nan}"):
        assert load(name).score([Sample(completion=completion, ground_truth=missing)])[0].value is None


def test_what_has_no_form_in_json_is_left_as_it_is() -> None:
    thing = object()
    assert Sample(ground_truth=[thing, {1, 2}]).ground_truth == [thing, {1, 2}]


DEEP = """
import sys, threading
from rewardkit import Sample
def run():
    for wrap in (lambda v: [v], lambda v: {"a": v}, lambda v: (v,), lambda v: {"a": [v]}):
        value = 1
        for _ in range(100_000):
            value = wrap(value)
        Sample(completion="x", ground_truth=value, extra_info={"a": value}, prompt=[{"role": "user", "content": value}])
        while value != 1:  # or taking it apart fills the stack
            value = next(iter(value.values() if isinstance(value, dict) else value))
    print("done")
sys.setrecursionlimit(int(sys.argv[1]))
threading.stack_size(512 << 10)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("limit", [200, 1_000, 1_000_000])
def test_no_value_is_so_deep_that_it_ends_the_process(limit: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DEEP, str(limit)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
