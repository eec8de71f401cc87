"""The options of a run: what is refused before anything is loaded."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.options import Options, Shard, check
from rewardkit.errors import UsageError

PLAIN = Options(model="m", tasks=["t"], output=Path("run"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tasks": []}, "name at least one task"),
        ({"repeats": 0}, "--repeats is 0"),
        ({"repeats": -1}, "--repeats is -1"),
        ({"limit": 0}, "--limit is 0"),
        ({"tools": SimpleNamespace(max_turns=0)}, "--max_turns is 0"),
        ({"concurrency": 0}, "--concurrency is 0"),
        ({"num_fewshot": -1}, "--num_fewshot is -1"),
        ({"judge_workers": -1}, "--judge_workers is -1"),
        ({"reward": "maths"}, "did you mean 'math'"),
        ({"resume": True, "overwrite": True}, "give one of them"),
    ],
)
def test_what_cannot_work_is_refused(given, said):
    with pytest.raises(UsageError, match=said):
        check(replace(PLAIN, **given))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"repeats": 1},
        {"limit": 1},
        {"tools": SimpleNamespace(max_turns=1)},
        {"concurrency": 1},
        {"num_fewshot": 0},
        {"judge_workers": 0},
        {"reward": "math"},
        {"resume": True},
        {"overwrite": True},
    ],
)
def test_the_smallest_values_are_taken(given):
    check(replace(PLAIN, **given))


@pytest.mark.parametrize("text", ["0/3", "4/3", "x", "1", "1/", "/2", "1/2/3", "-1/2", "1/0"])
def test_a_shard_is_a_part_of_a_number_of_parts(text):
    with pytest.raises(UsageError, match="from 1/8 to 8/8"):
        Shard.parse(text)


@pytest.mark.parametrize("of", [1, 2, 5])
def test_each_problem_is_in_one_shard(of):
    shards = [Shard.parse(f"{index}/{of}") for index in range(1, of + 1)]
    assert [[shard.holds(place) for shard in shards].count(True) for place in range(12)] == [1] * 12
    assert [shards[-1].holds(place) for place in range(of)].index(True) == of - 1
