"""Other people's rewards as functions in TRL's convention, for `rewardkit attack ROWS -r ./benchmarks/attack_peers.py:NAME`.

The packages are used as installed (`pip install math-verify==0.9.0`, `pip install --no-deps verl==0.9.1 pylatexenc`); open-r1 is on
no registry, so OPEN_R1_SRC names the `src` folder of a checkout (tried with commit 1416fa0). Nothing of them stands here but the calls.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
import textwrap
import types
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.math_peers import GRADERS, _verl

RUN_S = 60.0


def math_verify_trl(completions, ground_truth, **kwargs):
    """TRL's `accuracy_reward` around math-verify."""
    return _graded("trl", completions, ground_truth)


def math_verify_default(completions, ground_truth, **kwargs):
    """math-verify with its own defaults, which read numbers anywhere."""
    return _graded("math_verify", completions, ground_truth)


def verl_math(completions, ground_truth, **kwargs):
    """What verl's naive reward manager calls for MATH rows: `math_reward`."""
    return _graded("verl_math_reward", completions, ground_truth)


def verl_dapo(completions, ground_truth, **kwargs):
    """What verl's naive reward manager calls for math_dapo and AIME rows: `math_dapo`, from the `Answer:` line."""
    return _graded("verl_dapo", completions, ground_truth)


def verl_gsm8k(completions, ground_truth, **kwargs):
    """What verl's naive reward manager calls for openai/gsm8k rows: `gsm8k`, the strict method."""
    module = _verl_module("gsm8k")
    return [module.compute_score(_text(c), _short(g)) for c, g in zip(completions, ground_truth, strict=True)]


def open_r1_code(completions, prompts, **columns):
    """open-r1's `code_reward`; its evaluation scripts run in our local sandbox in place of E2B."""
    reward = _open_r1()
    golds = columns.get("ground_truth") or [None] * len(completions)
    tests = [_stdin_tests(row) for row in _rows(columns, len(completions), golds)]
    chats = [[{"role": "assistant", "content": _text(completion)}] for completion in completions]
    known = [index for index, cases in enumerate(tests) if cases]
    info = [{"language": "python", "test_cases": tests[index]} for index in known]
    values = reward([chats[index] for index in known], verification_info=info) if known else []
    return [dict(zip(known, values, strict=True)).get(index) for index in range(len(completions))]


def _graded(name: str, completions: list[Any], golds: list[Any]) -> list[float]:
    grade = _grader(name)
    return [_value(grade, _text(c), _short(g)) for c, g in zip(completions, golds, strict=True)]


def _value(grade: Any, completion: str, gold: str) -> float:
    try:
        return float(grade(completion, gold))
    except Exception:
        return 0.0


@cache
def _grader(name: str) -> Any:
    return GRADERS[name]()


@cache
def _verl_module(name: str) -> Any:
    return _verl(name)


def _text(completion: Any) -> str:
    return completion if isinstance(completion, str) else completion[-1]["content"]


def _short(gold: Any) -> str:
    return str(gold).rpartition("####")[2].strip()


def _rows(columns: dict[str, list[Any]], count: int, golds: list[Any]) -> list[tuple[Any, Any]]:
    beside = columns.get("tests") or [None] * count
    return list(zip(beside, golds, strict=True))


def _stdin_tests(row: tuple[Any, Any]) -> list[dict[str, str]]:
    """Tests of a row in open-r1's shape; rows without stdin tests have none."""
    tests = next((value for value in row if value), None)
    if isinstance(tests, str):
        import json

        tests = json.loads(tests)
    if isinstance(tests, dict):
        return [{"input": i, "output": o} for i, o in zip(tests["inputs"], tests["outputs"], strict=True)]
    return [
        {"input": case["input"], "output": case["output"]} for case in tests or [] if case.get("testtype") == "stdin"
    ]


@cache
def _open_r1() -> Any:
    """`code_reward` from a checkout, without the trainers' packages that its own `__init__` files import."""
    source = Path(os.environ["OPEN_R1_SRC"])
    for name in ("open_r1", "open_r1.utils"):
        package = types.ModuleType(name)
        package.__path__ = [str(source / name.replace(".", "/"))]
        package.is_e2b_available = package.is_morph_available = lambda: False
        sys.modules[name] = package
    contests = types.ModuleType("open_r1.utils.competitive_programming")
    for name in ("SubtaskResult", "add_includes", "get_morph_client_from_env", "get_piston_client_from_env", "patch_code",
                 "score_submission", "score_subtask"):  # fmt: skip
        setattr(contests, name, None)
    sys.modules[contests.__name__] = contests
    module = importlib.import_module("open_r1.rewards")
    module.get_provider = lambda **_: _LocalProvider()
    return module.code_reward


class _LocalProvider:
    """Runs evaluation scripts as E2B's code interpreter would: the value of the last expression is the result."""

    def execute_scripts(self, scripts: list[str], languages: list[str]) -> list[float]:
        from sandboxes.base import Job, Limits

        limits = Limits(cpu_s=RUN_S, wall_s=RUN_S, memory_mb=1024)
        results = _sandbox().run([Job(program=_printed(script), limits=limits) for script in scripts])
        return [_number(result.stdout_text) for result in results]


@cache
def _sandbox() -> Any:
    from sandboxes.registry import open_sandbox

    return open_sandbox("local", workers=2)


def _printed(script: str) -> str:
    tree = ast.parse(textwrap.dedent(script))
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    tree.body[-1] = ast.Expr(ast.Call(ast.Name("print"), [last.value], []))
    return ast.unparse(ast.fix_missing_locations(tree))


def _number(text: str) -> float:
    match = re.fullmatch(r"\s*([\d.]+)\s*", text)
    return float(match[1]) if match else 0.0
