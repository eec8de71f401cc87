"""A programming problem as data: its tests, how each is judged, and what the program runs with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rewardkit.code.checker import Checker
from rewardkit.code.values import has_nan, same_value, show_value
from rewardkit.errors import GroundTruthError
from sandboxes.base import Call
from sandboxes.values import ValueTooBig, decode, encode

SLACK_BYTES, BYTES_EACH = 4_096, 64
"""A right result has no more bytes than these, the latter for each character of the expected value: a tag for each item of a list,
at the worst."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a call must return: that value, or another of `any_of` (see `same_value`)."""

    value: Any
    any_of: tuple[Any, ...] = ()
    """Other values that are as right (TACO wraps some outputs in a list, some not)."""
    json_keys: bool = False
    """Dictionary keys may be the strings that JSON makes of them."""
    tagged: Any = None
    """The value as the box would send it, for a quick comparison."""

    def __post_init__(self) -> None:
        if has_nan(self.value):
            raise GroundTruthError("a test expects NaN, which equals nothing, so no program could pass it")

    @classmethod
    def of(cls, value: Any, **options: Any) -> Expectation:
        """The expectation of a plain Python value; `GroundTruthError` for one that no program could return."""
        return cls(value, tagged=_encoded(value, "expected value"), **options)

    @property
    def most_bytes(self) -> int:
        """A result that is longer than this as it is sent is not read."""
        return SLACK_BYTES + BYTES_EACH * max([_length(value) for value in (self.value, *self.any_of)])

    def met_by(self, tagged: Any, tolerance: float) -> bool:
        """True if a returned value (tagged data) is right."""
        if self.tagged is not None and tagged == self.tagged:
            return True
        return any(
            same_value(tagged, value, tolerance, json_keys=self.json_keys) for value in (self.value, *self.any_of)
        )


@dataclass(frozen=True, slots=True)
class CallTest:
    """One call of the entry point and what it must return."""

    call: Call
    expected: Expectation

    @classmethod
    def of(cls, args: tuple[Any, ...], kwargs: Mapping[str, Any], expected: Expectation) -> CallTest:
        """The test of plain Python arguments; `GroundTruthError` if they cannot be sent."""
        sent = Call(
            args=tuple(_encoded(value, "argument") for value in args),
            kwargs={name: _encoded(value, "argument") for name, value in kwargs.items()},
            most_bytes=expected.most_bytes,
        )
        return cls(sent, expected)

    def shown_input(self) -> str:
        """The arguments, shortened."""
        args = [show_value(decode(value)) for value in self.call.args]
        kwargs = [f"{name}={show_value(decode(value))}" for name, value in self.call.kwargs.items()]
        return ", ".join([*args, *kwargs])


@dataclass(frozen=True, slots=True)
class StdinTest:
    """One run of the program as a script: what it reads, and what it must print."""

    stdin: str
    expected: str

    def shown_input(self) -> str:
        """The input, shortened."""
        return show_value(self.stdin)


@dataclass(frozen=True)
class Problem:
    """Everything a judge needs of one row. Exactly one of `stdin_tests`, `call_tests`, `drivers` and `test_names` is there."""

    source: str
    """The format it was read from: taco, leetcode, humaneval, mbpp, code_contests, livecodebench."""
    stdin_tests: tuple[StdinTest, ...] = ()
    call_tests: tuple[CallTest, ...] = ()
    drivers: tuple[str, ...] = ()
    """Trusted test programs, one a test, that could not be turned into calls; they run where the submission cannot reach them."""
    test_source: str = ""
    test_names: tuple[str, ...] = ()
    test_uses: tuple[str, ...] = ()
    """Tests that run in the program's own process, as the row asks: their source, the tests in it, the names it uses."""
    entry_point: str | None = None
    prelude: str = ""
    """Trusted source that runs before the program: the imports and helpers that the prompt gives."""
    epilogue: str = ""
    """Trusted source that follows the program: it defines what stands in for the entry point. It holds no expected value."""
    imports: str = ""
    """Of tests in the program's process, the imports and constants that its prompt gives."""
    stub: str = ""
    """The prompt up to the body of the entry point, for completions that only continue it."""
    stub_entry: str = ""
    """The function that the stub begins, if that is not the entry point."""
    tolerance: float = 0.0
    """For returned floats, absolute or relative."""
    language: str = ""
    """The language that the row asks for; empty if any will do."""
    input_file: str = ""
    output_file: str = ""
    """Where the program reads and writes, instead of stdin and stdout."""
    compare: str | None = None
    """The row's own rule for printed output."""
    checker: Checker | None = None
    """A trusted program of the row that says whether an output is right."""
    interactor: Checker | None = None
    """A trusted program in C++ that the drivers let talk to the program."""
    weights: tuple[float, ...] = field(default=())
    """One a test if the row gives points; empty means equal weights."""

    @property
    def size(self) -> int:
        """How many tests there are."""
        return len(self.stdin_tests) or len(self.call_tests) or len(self.drivers) or len(self.test_names)


def _encoded(value: Any, what: str) -> Any:
    try:
        return encode(value)
    except (ValueTooBig, RecursionError) as error:
        raise GroundTruthError(f"a test's {what} cannot be sent: {error}") from None


def _length(value: Any) -> int:
    try:
        return len(repr(value))
    except ValueError:  # an integer past Python's digit limit
        return len(json.dumps(encode(value)))
