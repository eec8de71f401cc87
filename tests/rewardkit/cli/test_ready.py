"""What no row can be judged with is refused before any row is: a package or a sandbox that does not exist."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROW = {"completion": r"\boxed{4 \mystery{2}}", "prompt": "What is 2 + 2?", "ground_truth": "4"}
COMMANDS = [("score",), ("audit", "--second", "none"), ("attack",), ("view",)]


@pytest.fixture
def without_math_verify(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *args: None if name == "math_verify" else found(name, *args)
    )


def refused(outcome, said):
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("reward", ["math(fallback='math-verify')", "named('x', 0.5 * math(fallback='math-verify'))"])
def test_a_fallback_that_is_not_installed_names_its_extra(command, reward, without_math_verify, cli, write_jsonl):
    refused(cli(*command, write_jsonl(ROW), "-r", reward), "pip install 'rewardkit[math]'")


def test_explain_and_a_second_verifier_name_the_extra_too(without_math_verify, cli, write_jsonl):
    refused(cli("explain", "-r", "math(fallback='math-verify')", "-g", "4", "4"), "pip install 'rewardkit[math]'")
    for second in ("math_verify", "math(fallback='math-verify')"):
        refused(cli("audit", write_jsonl(ROW), "--second", second), "pip install 'rewardkit[math]'")


def test_without_math_verify_no_row_of_a_trainer_is_a_silent_0(without_math_verify):
    from rewardkit import Sample, load

    (score,) = load("math(fallback='math-verify')").score([Sample(**ROW)])
    assert (score.value, "rewardkit[math]" in score.reason) == (None, True)


BROKEN = "raise RuntimeError('it is broken')\n"


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ("dockr", "choose one of: docker"),
        ("remote:", "choose one of: docker"),
        ("unsafe(", "write options as docker(image='full'"),
        ("local(imge='full')", "has no option 'imge'"),
        ("./absent.py:Box", "no file './absent.py'"),
        ("./broken.py:Box", "it is broken"),
    ],
)
@pytest.mark.parametrize("place", ["option", "variable"])
def test_a_sandbox_that_does_not_exist_is_refused(place, sandbox, said, cli, write_jsonl, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("broken.py").write_text(BROKEN)
    monkeypatch.setenv("REWARDKIT_SANDBOX", sandbox if place == "variable" else "auto")
    option = ["--sandbox", sandbox] if place == "option" else []
    refused(cli("score", write_jsonl(ROW), "-r", "code", *option), said)
    refused(cli("check-tests", write_jsonl(ROW), "--solution-column", "completion", *option), said)


def test_a_reward_inside_another_may_name_its_sandbox(cli, write_jsonl):
    refused(cli("score", write_jsonl(ROW), "-r", "exact + 0.1 * grpo_tcr(sandbox='dockr')"), "no sandbox 'dockr'")


def test_a_variable_that_no_part_of_a_reward_asks_for_is_not_looked_at(monkeypatch):
    from rewardkit.cli._ready import ready_reward

    monkeypatch.setenv("REWARDKIT_SANDBOX", "dockr")
    assert ready_reward("exact + 0.1 * code(sandbox='docker')").text == "exact + 0.1 * code(sandbox='docker')"


@pytest.mark.parametrize("sandbox", ["dockr", "remote:http://127.0.0.1:9"])
def test_a_sandbox_that_nothing_uses_or_that_may_come_later_is_no_mistake(sandbox, cli, write_jsonl, monkeypatch):
    monkeypatch.setenv("REWARDKIT_SANDBOX", "auto")
    reward = "exact" if sandbox == "dockr" else "code"
    assert cli("score", write_jsonl(ROW), "-r", reward, "--sandbox", sandbox).code == (0 if reward == "exact" else 4)


MINE = """
from rewardkit.types import Score
def parse(text):
    return 1 / len(text)
class Short: pass
def boom(completions, **columns):
    return [parse("") for _ in completions]
def deep(sample):
    return [int(text) for text in ["1", sample.completion]]
def _hidden(sample):
    return 1.0
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return "./mine.py"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_alone_is_told_what_it_holds(command, mine, cli, write_jsonl):
    said = "name what to load: ./mine.py:boom, ./mine.py:deep, ./mine.py:parse"
    refused(cli(*command, write_jsonl(ROW), "-r", mine), said)
    refused(cli(*command, write_jsonl(ROW), "-r", f"{mine}:bom"), "./mine.py has no 'bom'; did you mean 'boom'?")
    refused(cli(*command, write_jsonl(ROW), "-r", f"{mine}:xyz"), "./mine.py has no 'xyz'")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("boom", "mine.py:4 in parse: ZeroDivisionError: division by zero"),
        ("deep", "mine.py:9 in deep: ValueError: invalid literal for int()"),
    ],
)
def test_an_exception_in_a_users_reward_tells_its_line(name, said, mine, cli, write_jsonl):
    outcome = cli("score", write_jsonl(ROW), "-r", f"{mine}:{name}")
    assert outcome.code == 4
    assert said in outcome.err


def test_a_failure_of_python_or_of_a_package_has_no_line():
    from rewardkit import Sample
    from rewardkit.grading import grade_all

    (score,) = grade_all(json.loads, [Sample()])
    assert score.reason.startswith("TypeError: ")
