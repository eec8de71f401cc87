"""The golden rows of each registered reward: `tests/cases/rewards/<name>.jsonl`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rewardkit import Reward, Sample, load, registry

CASES = Path(__file__).parents[1] / "cases" / "rewards"
KINDS = ("right", "wrong", "malformed", "hostile", "empty")


@dataclass(frozen=True)
class Case:
    """One golden row."""

    where: str
    text: str
    row: dict[str, Any]

    @property
    def reward(self) -> Reward:
        return load(self.text)

    @property
    def sample(self) -> Sample:
        return Sample(**self.row["sample"])


@cache
def read_cases(name: str) -> tuple[Case, ...]:
    path = CASES / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = [json.loads(line) for line in lines]
    return tuple(Case(f"{path.name}:{number}", row["reward"], row) for number, row in enumerate(rows, 1))


def needs_service(name: str) -> bool:
    """True where a reward needs a sandbox or a server: its rows are judged by tests that have one."""
    return any(word in need for need in registry.get(name).needs for word in ("sandbox", "server"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`reward_name`: each registered reward. `golden`: each golden row that needs neither sandbox nor server."""
    if "reward_name" in metafunc.fixturenames:
        names = registry.names()
        if "runnable" in metafunc.fixturenames:
            names = [name for name in names if not needs_service(name)]
        metafunc.parametrize("reward_name", names)
    if "golden" in metafunc.fixturenames:
        found = [case for name in registry.names() if not needs_service(name) for case in read_cases(name)]
        metafunc.parametrize("golden", found, ids=[case.where for case in found])


@pytest.fixture
def cases(reward_name: str) -> tuple[Case, ...]:
    """The golden rows of this reward."""
    found = read_cases(reward_name)
    assert found, f"reward {reward_name!r} needs golden rows in tests/cases/rewards/{reward_name}.jsonl"
    return found


@pytest.fixture
def runnable(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """The golden rows of a reward that needs neither sandbox nor server."""
    return cases
