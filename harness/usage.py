"""Tokens that a run used, and their cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10

from harness.store import Answer
from rewardkit.errors import UsageError

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """A provider's price for a million tokens; thinking is billed as completion."""

    prompt: float
    completion: float

    @classmethod
    def parse(cls, text: str) -> Price:
        """A price as `--price` takes it: prompt and completion by comma.

        >>> Price.parse("2.5,10")
        Price(prompt=2.5, completion=10.0)

        Raises:
            UsageError: the text is no such pair.
        """
        try:
            prompt, completion = (float(part) for part in text.split(","))
        except ValueError:
            prompt = completion = -1.0
        if not 0 <= prompt < float("inf") or not 0 <= completion < float("inf"):
            raise UsageError(
                f"--price is {text!r}; give the prices of a million prompt and completion tokens, such as 2.5,10"
            )
        return cls(prompt, completion)


@dataclass(frozen=True)
class Usage:
    """Tokens of all answers for which the server gave counts."""

    answers: int
    counted: int
    """Answers with counts."""
    prompt: int
    completion: int
    """Thinking included."""
    reasoning: int
    cost: float | None = None
    """In the currency of the price; None if no price is known, or not the counts of all answers."""

    @classmethod
    def of(cls, answers: Iterable[Answer], price: Price | None = None) -> Usage:
        """The sums over answers."""
        found = list(answers)
        counted = [each for each in found if _is_counted(each)]
        prompt = sum(each.prompt_tokens or 0 for each in counted)
        completion = sum(_completion(each) or 0 for each in counted)
        reasoning = sum(each.reasoning_tokens or 0 for each in counted)
        known = all(each.error is not None or _is_counted(each) for each in found)
        cost = (prompt * price.prompt + completion * price.completion) / MILLION if price and known else None
        return cls(len(found), len(counted), prompt, completion, reasoning, cost)

    def line(self) -> str:
        """In words; empty if no answer has counts."""
        if not self.counted:
            return ""
        thought = f" ({self.reasoning:,} thinking)" if self.reasoning else ""
        cost = "" if self.cost is None else f", cost {_figure(self.cost)}"
        some = "" if self.counted == self.answers else f" in {self.counted:,} of {self.answers:,} answers"
        return f"tokens: {self.prompt:,} prompt, {self.completion:,} completion{thought}{some}{cost}"


def _is_counted(answer: Answer) -> bool:
    return None not in (_completion(answer), answer.prompt_tokens)


def _completion(answer: Answer) -> int | None:
    return answer.tokens if answer.request_tokens is None else answer.request_tokens


def _figure(cost: float) -> str:
    """At least two decimals, and as many as show three digits.

    >>> _figure(0.00168), _figure(0.0), _figure(1234.5)
    ('0.00168', '0.00', '1,234.50')
    """
    decimals = 2 if not cost else max(2, 2 - floor(log10(cost)))
    return f"{cost:,.{decimals}f}"
