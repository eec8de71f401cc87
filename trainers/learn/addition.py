r"""The task: two-digit addition with a written carry, answered as `<think>2+4=6,1+3+0=4</think>\boxed{46}`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

WORDS = ("<think>", "</think>", "\\boxed{", "user", "assistant")
CHARACTERS = "0123456789+=,}"
DATA_SOURCE = "addition"


@dataclass(frozen=True)
class Problem:
    """One sum of two numbers below 100."""

    a: int
    b: int

    @property
    def question(self) -> str:
        """The user's text."""
        return f"{self.a}+{self.b}"

    @property
    def answer(self) -> str:
        """The sum."""
        return str(self.a + self.b)

    @property
    def solution(self) -> str:
        r"""The text that SFT teaches: digit by digit, then the box.

        >>> Problem(57, 68).solution
        '<think>7+8=15,5+6+1=12</think>\\boxed{125}'
        """
        units = self.a % 10 + self.b % 10
        carry = units // 10
        tens = self.a // 10 + self.b // 10 + carry
        work = f"{self.a % 10}+{self.b % 10}={units},{self.a // 10}+{self.b // 10}+{carry}={tens}"
        return f"<think>{work}</think>\\boxed{{{self.answer}}}"

    @property
    def row(self) -> dict[str, Any]:
        """The row that GRPO trains on and the judge reads."""
        return {
            "prompt": [{"role": "user", "content": self.question}],
            "ground_truth": self.answer,
            "data_source": DATA_SOURCE,
        }

    @property
    def demonstration(self) -> dict[str, Any]:
        """The row that SFT trains on."""
        return {
            "prompt": [{"role": "user", "content": self.question}],
            "completion": [{"role": "assistant", "content": self.solution}],
        }


def split(seed: int, *, held_out: int) -> tuple[list[Problem], list[Problem]]:
    """All 10,000 problems in an order set by `seed`: those to train on, those never trained on."""
    problems = [Problem(a, b) for a in range(100) for b in range(100)]
    random.Random(seed).shuffle(problems)
    return problems[held_out:], problems[:held_out]
