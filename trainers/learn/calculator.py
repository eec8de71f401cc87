r"""The tool variant: two-digit products, far beyond a tiny model, with a calculator that it may call.

A rollout is `<tool_call>{"name": "calculator", "arguments": {"expression": "57*68"}}</tool_call>`, the tool's `3876`, then
`\boxed{3876}`; or a guess at once. Few demonstrations call the tool, and what it says is copied badly at first.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

CALL_OPEN = '{"name": "calculator", "arguments": {"expression": "'
CALL_CLOSE = '"}}'
WORDS = ("<tool_call>", "</tool_call>", CALL_OPEN, CALL_CLOSE, "\\boxed{", "user", "assistant", "tool", "error")
CHARACTERS = "0123456789*}"
DATA_SOURCE = "products"

_PRODUCT = re.compile(r"\A(\d{1,6})\*(\d{1,6})\Z")


def calculator(expression: str) -> str:
    """Multiply two whole numbers.

    Args:
        expression: Two numbers with a star between them, for instance 57*68.

    Returns:
        The product.
    """
    match = _PRODUCT.match(expression)
    if match is None:
        raise ValueError("error")
    return str(int(match[1]) * int(match[2]))


@dataclass(frozen=True)
class Product:
    """One product of two numbers from 10 to 99."""

    a: int
    b: int

    @property
    def question(self) -> str:
        """The user's text."""
        return f"{self.a}*{self.b}"

    @property
    def row(self) -> dict[str, Any]:
        """The row that GRPO trains on."""
        return {
            "prompt": [{"role": "user", "content": self.question}],
            "ground_truth": str(self.a * self.b),
            "data_source": DATA_SOURCE,
        }

    def guess(self, rng: random.Random) -> list[dict[str, Any]]:
        """A demonstration that answers at once, and wrongly: the form without the substance."""
        return [self._turn([], f"\\boxed{{{rng.randint(100, 9801)}}}")]

    def with_tool(self) -> list[dict[str, Any]]:
        """A demonstration with a tool call, as its two assistant turns, so that the tool's text is not trained on."""
        call = {"type": "function", "function": {"name": "calculator", "arguments": {"expression": self.question}}}
        asked = {"role": "assistant", "content": "", "tool_calls": [call]}
        result = {"role": "tool", "name": "calculator", "content": str(self.a * self.b)}
        first = {"prompt": [self._user()], "completion": [asked]}
        return [first, self._turn([asked, result], f"\\boxed{{{self.a * self.b}}}")]

    def _turn(self, history: list[dict[str, Any]], answer: str) -> dict[str, Any]:
        return {"prompt": [self._user(), *history], "completion": [{"role": "assistant", "content": answer}]}

    def _user(self) -> dict[str, Any]:
        return {"role": "user", "content": self.question}


def products(seed: int) -> list[Product]:
    """All 8,100 problems in an order set by `seed`."""
    problems = [Product(a, b) for a in range(10, 100) for b in range(10, 100)]
    random.Random(seed).shuffle(problems)
    return problems


def demonstrations(problems: list[Product], *, seed: int, tool_share: float) -> list[dict[str, Any]]:
    """SFT rows: a `tool_share` of the problems with a call, the rest guessed at once."""
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for problem in problems:
        rows += problem.with_tool() if rng.random() < tool_share else problem.guess(rng)
    return rows
