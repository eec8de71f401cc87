"""What an operator may set, and what callers may name."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from live import SAME, TROUBLE

from rewardkit.cli.serve import serve as command
from rewardkit.errors import UsageError
from rewardkit.serve.http import RefusedError
from rewardkit.serve.service import Service
from rewardkit.serve.settings import SLOW_SHARE, Limits, Settings, is_loopback


def test_rewards_are_named_by_alias_or_text() -> None:
    served = Settings((SAME, TROUBLE, "exact + 0.1 * think_format")).load()
    assert [entry.name for entry in served] == ["same", "trouble", "exact + 0.1 * think_format"]


@pytest.mark.parametrize(
    ("asked", "processes", "cores", "each"),
    [(4, 1, 8, 4), (5, 2, 8, 3), (1, 3, 8, 1), (0, 1, 6, 6), (0, 4, 6, 2), (0, 1, None, 1)],
)
def test_judging_processes_are_those_asked_for_or_the_cores_shared_by_the_http_processes(
    monkeypatch: pytest.MonkeyPatch, asked: int, processes: int, cores: int | None, each: int
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert Settings((SAME,), workers=asked, processes=processes).worker_count == each


@pytest.mark.parametrize("workers", range(1, 65))
@pytest.mark.parametrize("processes", [1, 3])
def test_there_is_a_box_for_each_judging_process_and_few_of_these_are_for_slow_rows(
    workers: int, processes: int
) -> None:
    settings = Settings((SAME,), workers=workers, processes=processes)
    each, slow = settings.worker_count, settings.slow_worker_count
    assert settings.boxes == processes * (each + slow)
    assert slow == 1 or abs(slow - SLOW_SHARE * each) <= 0.5


@pytest.mark.parametrize("value", [0, -1, -0.5, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("limit", [field.name for field in fields(Limits)])
def test_a_limit_is_a_number_above_0(limit: str, value: float) -> None:
    with pytest.raises(UsageError, match=r"^\S+ is -?[\w.]+; give a number above 0$"):
        Limits(**{limit: value})


@pytest.mark.parametrize("value", [5e-324, 0.5, 1, 1.5, 1e308])
@pytest.mark.parametrize("limit", [field.name for field in fields(Limits)])
def test_any_number_above_0_is_a_limit(limit: str, value: float) -> None:
    assert getattr(Limits(**{limit: value}), limit) == value


def test_the_error_of_a_limit_names_its_option() -> None:
    """All limits that the command has an option for."""
    for option in command.params:
        if option.name in {field.name for field in fields(Limits)}:
            with pytest.raises(UsageError, match=f"^{option.opts[0]} is -1; "):
                Limits(**{option.name: -1})


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_time_to_drain_is_0_or_more(value: float) -> None:
    with pytest.raises(UsageError, match="--drain is"):
        Settings((SAME,), drain_s=value)
    assert Settings((SAME,), drain_s=0).drain_s == 0


def test_an_option_is_not_an_alias() -> None:
    assert Settings(("overlong(max_tokens=10, buffer=2)",)).load()[0].name == "overlong(max_tokens=10, buffer=2)"


@pytest.mark.parametrize("rewards", [(), ("exact", "exact"), ("a=exact", "a=think_format"), ("nonsense_reward",)])
def test_a_list_that_cannot_be_served_is_a_usage_error(rewards: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        Settings(rewards).load()


def test_blanks_in_a_text_do_not_matter_and_nothing_else_is_found() -> None:
    service = Service(Settings(("exact + 0.1 * think_format", "t=exact")))
    assert service.find(None) == 0
    assert service.find("exact+0.1*think_format") == 0
    assert service.find("t") == 1
    assert service.find("exact") == 1
    for name in ("think_format", "exact + 0.2 * think_format"):
        with pytest.raises(RefusedError, match="it serves: exact"):
            service.find(name)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("localhost", True), ("::1", True), ("[::1]", True), ("0.0.0.0", False),
     ("::", False), ("10.0.0.1", False), ("example.org", False), ("", False)],
)  # fmt: skip
def test_is_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
