"""The code interpreter: what a model sees of a run."""

import asyncio
import pickle

import pytest

from rewardkit.interpreter import CodeInterpreter, describe, program_of, shorten, show_last_value, strip_fence
from sandboxes import Execution
from sandboxes.backends.fake import FakeSandbox


def box(**facts):
    return FakeSandbox(lambda job: Execution(**facts))


def test_output_is_what_was_printed():
    interpreter = CodeInterpreter(box=box(exit_code=0, stdout=b"3\n"))
    result = interpreter.run("print(1 + 2)")
    assert (result.text, result.ran, result.lost) == ("3", True, False)
    assert asyncio.run(interpreter.run_async("print(1 + 2)")) == result


def test_limits_reach_the_sandbox():
    fake = box(exit_code=0)
    CodeInterpreter(box=fake, cpu_s=2, memory_mb=64).run("pass")
    assert (fake.seen[0].limits.cpu_s, fake.seen[0].limits.memory_mb) == (2, 64)


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"exit_code": 0, "stdout": b""}, "(no output; print what you want to see)"),
        ({"exit_code": 1, "stdout": b"1\n", "stderr": b"ValueError: no\n"}, "1\nValueError: no"),
        ({"exit_code": 1, "error": "ValueError: no"}, "Error: ValueError: no"),
        ({"limit": "cpu", "cpu_s": 10.0, "stderr": b"x"}, "x\nError: cpu limit after 10.0 s"),
        ({"lost": "no daemon"}, "Error: the code interpreter is not available."),
        ({"exit_code": 0, "stdout": b"\xff"}, "\ufffd"),
    ],
)
def test_what_the_model_is_told(facts, text):
    assert describe(Execution(**facts)) == text


def test_a_failed_program_did_not_run_and_a_dead_sandbox_is_told_apart():
    assert not CodeInterpreter(box=box(exit_code=1)).run("x").ran
    assert CodeInterpreter(box=box(lost="no daemon")).run("x").lost


def test_long_output_keeps_its_beginning_and_its_end():
    text = shorten("a" * 5000 + "z" * 5000, 100)
    assert len(text) == 100
    assert text.startswith("aaa")
    assert text.endswith("zzz")


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("```python\nprint(1)\n```", "print(1)"),
        ("```\nprint(1)\n```\n", "print(1)"),
        ("print('```')", "print('```')"),
        ("  ```py\nx = 1\n\ny = 2\n```", "x = 1\n\ny = 2"),
        ("", ""),
    ],
)
def test_a_markdown_fence_around_the_program_is_taken_off(code, program):
    assert strip_fence(code) == program


def test_it_pickles_without_its_open_sandbox():
    copy = pickle.loads(pickle.dumps(CodeInterpreter(box=box(exit_code=0), cpu_s=3)))
    assert (copy.box, copy.cpu_s) == (None, 3)


def test_closing_closes_the_sandbox():
    fake = box(exit_code=0)
    interpreter = CodeInterpreter(box=fake)
    interpreter.close()
    assert fake.closed
    assert interpreter.box is None


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("x = 2\nx + 1", "3"),
        ("print(5)", "5"),
        ("None", ""),
        ("def f():\n    return 4\nf()", "4"),
        ("for i in range(2):\n    i", ""),
        ("'é' + 'ü'", "éü"),
    ],
)
def test_the_last_value_is_shown_as_in_a_notebook(code, shown, capsys):
    exec(compile(show_last_value(code), "<test>", "exec"), {})
    assert capsys.readouterr().out.strip() == shown


@pytest.mark.parametrize("code", ["x = = 1", "await x", "", "\0", "("])
def test_what_does_not_parse_is_left_as_it_is(code):
    assert show_last_value(code) == code


@pytest.mark.parametrize("code", [None, "", "  \n", "x" * 60_000])
def test_no_program_or_a_huge_one_is_answered_without_running(code):
    fake = box(exit_code=0)
    result = CodeInterpreter(box=fake).run(code)
    assert result.text.startswith("Error: ")
    assert not result.ran
    assert fake.seen == []


@pytest.mark.parametrize(
    ("arguments", "program"),
    [({"code": "1"}, "1"), ({"code": 1}, None), ({}, None), (None, None), ("x", None), (["x"], None)],
)
def test_the_program_is_the_text_under_code(arguments, program):
    assert program_of(arguments) == program


def test_a_prelude_runs_before_the_program():
    fake = box(exit_code=0)
    CodeInterpreter(box=fake).run("x", prelude="x = 1")
    assert fake.seen[0].prelude == "x = 1"
