"""What an attack sees of a row, and what it makes of it."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rewardkit.types import Sample

CHARS_PER_TOKEN = 4
"""Completions made here are not tokenized; rewards that read `completion_tokens` are given this estimate."""
MAX_SAMPLES = 8
DECOY = "8191"
"""A number that no row has as its answer. It is first and last in lists of answers, so that reading one of those is no guess."""
NUMBERS = tuple(str(number) for number in range(21))
_DOCTEST = re.compile(r"^\s*>>> *(?P<input>.+)\n\s*(?P<output>[^\s>].*)$", re.MULTILINE)
_EXAMPLE = re.compile(
    r"(?:^|\n)[ \t*#-]*(?:sample |example )?input(?: \d+)?[ \t]*:?[ \t*]*(?:-{3,})?\s*(?P<input>\S.*?)"
    r"\n[ \t*#-]*(?:sample |example )?output(?: \d+)?[ \t]*:?[ \t*]*(?:-{3,})?\s*(?P<output>\S.*?)"
    r"(?=\n[ \t]*\n|\n[ \t*#-]*(?:explanation|note|sample|example|input)\b|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NAMES = {"true": "True", "false": "False", "null": "None"}
_JSON_NAMES = re.compile(r"\b(?:true|false|null)\b")
_PROSE = re.compile(r"[a-z]{3,} [a-z]{2,} [a-z]{2,} ")
_FORMULA = re.compile(r"\$\$?([^$]{1,400}?)\$\$?|\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]", re.DOTALL)


@dataclass(frozen=True)
class Problem:
    """One row without its ground truth. `common` says which answers the whole set has most often, not this row's."""

    prompt: str
    layout: str = "The final answer is $\\boxed{{answer}}$."
    """How an answer is written so that the reward finds it; `{answer}` stands for it. Found by the honest control."""
    common: tuple[str, ...] = ()
    data_source: str | None = None
    is_program: bool = False
    """Whether the row is judged by tests."""
    entry_point: str | None = None
    """The function or method that tests call, which the task names; None if the program reads stdin."""

    def answer(self, text: str) -> str:
        """A completion whose final answer is `text`."""
        return self.layout.replace("{answer}", text)

    @property
    def formulas(self) -> list[str]:
        """The formulas of the prompt, in order."""
        found = ("".join(groups).strip() for groups in _FORMULA.findall(self.prompt))
        return [formula for formula in found if formula]

    @property
    def numbers(self) -> list[str]:
        """The numbers of the prompt, in order."""
        return re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", self.prompt)

    @property
    def last_number(self) -> tuple[str, ...]:
        """What a judge reads that takes the last number of the prompt for an answer."""
        return tuple(self.numbers[-1:])

    @property
    def samples(self) -> list[tuple[str, str]]:
        """Sample inputs and outputs that the prompt shows."""
        found = [*_DOCTEST.finditer(self.prompt), *_EXAMPLE.finditer(self.prompt)]
        shown = [(match["input"].strip(), match["output"].strip()) for match in found]
        return [pair for pair in shown if not _PROSE.search(" ".join(pair))][:MAX_SAMPLES]

    def value(self, shown: str) -> str:
        """Source of the value that a sample output shows: its text for programs that print, else what it spells."""
        if self.entry_point is not None:
            try:
                return repr(ast.literal_eval(_JSON_NAMES.sub(lambda match: _NAMES[match[0]], shown)))
            except (SyntaxError, ValueError):
                pass
        return repr(shown)

    def program(self, expression: str, *, before: str = "") -> str:
        """A completion whose program gives the value of a Python expression for every test. `before` runs first.

        The expression may use `args`: the arguments of the call, or the lines of stdin.
        """
        lines = [before] if before else []
        if self.entry_point is None:
            lines += [
                "import sys",
                "args = [line.strip() for line in sys.stdin.read().strip().splitlines()] or ['']",
                f"print({expression})",
            ]
        else:
            head, dot, method = self.entry_point.partition(".")
            if dot:
                lines += [f"class {head}:", f"    def {method}(self, *args, **kwargs):"]
            else:
                lines += [f"def {self.entry_point}(*args, **kwargs):"]
            indent = "        " if dot else "    "
            lines += [f"{indent}args = [*args, *kwargs.values()] or ['']", f"{indent}return {expression}"]
        return self.answer("\n".join(lines))


@dataclass(frozen=True)
class Attempt:
    """One completion of an attack."""

    variant: str
    """Which form of the attack. The same name on every row: shares are counted for each form."""
    text: str = ""
    guess: str | tuple[str, ...] = ()
    """The answer that the completion commits to, or those that it can be read as. A row that this happens to be right on is
    the base rate, not a leak."""
    turns: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    """Messages before the final text: tool calls and their results."""

    @property
    def guesses(self) -> tuple[str, ...]:
        """The guess, as a tuple."""
        return (self.guess,) if isinstance(self.guess, str) else self.guess

    def on(self, row: Sample) -> Sample:
        """The row with this completion. What a rollout would bring with it (turns, token count) is made to fit.

        As in TRL, a chat prompt or tool turns make the completion a chat; a text prompt leaves it a text, of one turn.
        """
        prompt = row.prompt or ""
        asked = ({"role": "user", "content": prompt},) if isinstance(prompt, str) else prompt
        messages = (*asked, *self.turns, {"role": "assistant", "content": self.text})
        is_chat = bool(self.turns) or not isinstance(prompt, str)
        length = len(self.text) + sum(len(str(turn.get("content") or "")) for turn in self.turns)
        extra = {name: value for name, value in row.extra_info.items() if name != "num_turns"}
        return Sample(
            completion=self.text,
            messages=messages if is_chat else None,
            prompt=row.prompt,
            ground_truth=row.ground_truth,
            data_source=row.data_source,
            completion_tokens=-(-length // CHARS_PER_TOKEN),
            finish_reason="stop",
            id=row.id,
            group=row.group,
            extra_info=extra if is_chat else {**extra, "num_turns": 2},
        )


Attack = Callable[[Problem, random.Random], Iterable[Attempt]]
"""An attack: the completions it would try for a problem. Registered under the entry point group `rewardkit.attacks`."""
