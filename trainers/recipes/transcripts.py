"""Right tool transcripts made from worked solutions of GSM8K's training questions: a program a step, run, then the answer.

For the cold start if there are no transcripts of training questions. Each program prints a step's calculation, each tool
message holds what it prints, and a transcript whose last value is not the answer is left out.
"""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from rewardkit.chat import is_chat

from .files import Row, UnusableRowError, gsm8k_solution, text_of

MAX_ROUNDS = 7
"""Solutions with more steps are left out: with the question and the answer, 16 turns hold seven rounds."""
_STEP = re.compile(r"<<([^<>=]*)=([^<>]*)>>")
_EXPRESSION = re.compile(r"[\d.+\-*/() ]{1,80}")


def demonstration(item: Row) -> Row:
    """A row with a `prompt` and a `completion`, each a text or messages, as messages.

    Raises:
        UnusableRowError: one of them is neither, or is empty.
    """
    return {
        **item,
        **{name: _messages(item, name, role) for name, role in (("prompt", "user"), ("completion", "assistant"))},
    }


def _messages(item: Row, name: str, role: str) -> list[Row]:
    found = item.get(name)
    if isinstance(found, str) and found.strip():
        return [{"role": role, "content": found}]
    if not is_chat(found):
        raise UnusableRowError(f"no {name}")
    return [dict(message) for message in found]


def transcript(item: Row, ask: str) -> Row:
    """A row of GSM8K (`Natalia sold 48/2 = <<48/2=24>>24 clips ... #### 72`) as messages with calls of `code_interpreter`.

    Raises:
        UnusableRowError: a step is no plain calculation, or the last one does not give the answer.
    """
    question = text_of(item, "question")
    steps, answer = gsm8k_solution(item)
    turns: list[Row] = []
    value = None
    for line in steps.splitlines():
        found = _STEP.findall(line)
        if not found:
            continue
        values = [_value(expression) for expression, _ in found]
        if None in values:
            raise UnusableRowError("a step that is no plain calculation")
        code = "\n".join(f"print({expression.strip()})" for expression, _ in found)
        turns.append({"role": "assistant", "content": _STEP.sub("", line).strip(), "tool_calls": [_call(code)]})
        printed = "\n".join(map(str, values))
        turns.append({"role": "tool", "name": "code_interpreter", "content": printed})
        value = values[-1]
    if value is None or str(value) not in (answer, f"{answer}.0"):
        raise UnusableRowError("steps that do not give the answer")
    if len(turns) > 2 * MAX_ROUNDS:
        raise UnusableRowError(f"more than {MAX_ROUNDS} steps")
    final = {"role": "assistant", "content": f"The answer is \\boxed{{{answer}}}."}
    return {"prompt": [{"role": "user", "content": question + ask}], "completion": [*turns, final]}


def _call(code: str) -> Row:
    return {"type": "function", "function": {"name": "code_interpreter", "arguments": {"code": code}}}


def _value(expression: str) -> float | int | None:
    """What Python prints for a calculation with the four operations; None for anything else."""
    text = expression.strip()
    if not _EXPRESSION.fullmatch(text) or re.search(r"(?<![\d.])0\d", text):
        return None
    try:
        value = _evaluated(ast.parse(text, mode="eval").body)
    except (SyntaxError, ZeroDivisionError, ValueError, OverflowError):
        return None
    return value if abs(Fraction(value)) < 10**12 else None


def _evaluated(node: ast.expr) -> float | int:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            return -_evaluated(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return _evaluated(operand)
        case ast.BinOp(left, ast.Add(), right):
            return _evaluated(left) + _evaluated(right)
        case ast.BinOp(left, ast.Sub(), right):
            return _evaluated(left) - _evaluated(right)
        case ast.BinOp(left, ast.Mult(), right):
            return _evaluated(left) * _evaluated(right)
        case ast.BinOp(left, ast.Div(), right):
            return _evaluated(left) / _evaluated(right)
        case _:
            raise ValueError("not a calculation")
