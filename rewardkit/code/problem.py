"""A programming problem as data: its tests, how each is judged, and what the program runs with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, cast

from rewardkit.code.checker import Checker
from rewardkit.code.values import as_float, has_nan, is_near, same_as_set, same_value, scalar, show_value
from rewardkit.errors import GroundTruthError
from sandboxes.base import Call
from sandboxes.values import ValueTooBig, decode, encode

SLACK_BYTES, BYTES_EACH = 4_096, 64
"""A right result has no more bytes than these, the latter for each character of the expected value: a tag for each item of a list,
at the worst."""

LOOSE_BYTES = 1 << 20
"""The same if right results have any length."""

Kind = Literal["equal", "is", "truthy", "falsy", "near", "as_set"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a call must return. `equal`: that value (see `same_value`); `is`: exactly None, True or False; `truthy` and
    `falsy`: as `assert f()` and `assert not f()` say; `near`: a number within `absolute` or `relative`;
    `as_set`: items of that set and no others, however often and in whatever order.
    """

    value: Any
    kind: Kind = "equal"
    absolute: float = 0.0
    relative: float = 0.0
    any_of: tuple[Any, ...] = ()
    """Other values that are as right (TACO wraps some outputs in a list, some not)."""
    json_keys: bool = False
    """Dictionary keys may be the strings that JSON makes of them."""
    tagged: Any = None
    """The value as the box would send it, for a quick comparison; None for kinds that do not compare values."""

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
        longest = max([_length(value) for value in (self.value, *self.any_of)])
        slack = LOOSE_BYTES if self.kind in ("truthy", "falsy", "as_set") else SLACK_BYTES
        return slack + BYTES_EACH * longest

    def met_by(self, tagged: Any, tolerance: float) -> bool:
        """True if a returned value (tagged data) is right."""
        if self.kind == "equal":
            if self.tagged is not None and tagged == self.tagged:
                return True
            return any(
                same_value(tagged, value, tolerance, json_keys=self.json_keys) for value in (self.value, *self.any_of)
            )
        if self.kind == "is":
            return tagged is self.value  # None, True and False arrive as themselves
        if self.kind == "near":
            number = _number(tagged)
            return number is not None and is_near(number, self.value, self.absolute, relative=self.relative)
        if self.kind == "as_set":
            return same_as_set(tagged, self.value)
        return _truth(tagged) is (self.kind == "truthy")

    def describe(self) -> str:
        """The expectation in words, shortened."""
        if self.kind in ("truthy", "falsy"):
            return f"a {self.kind} value"
        return f"{'about ' if self.kind == 'near' else ''}{show_value(self.value)}"


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


def _number(tagged: Any) -> float | None:
    if isinstance(tagged, dict) and cast("dict[str, Any]", tagged).get("t") == "ndarray":  # one without dimensions
        tagged = cast("dict[str, Any]", tagged).get("v")
    value = scalar(tagged)
    if isinstance(value, (Fraction, Decimal)):
        return as_float(value)
    return cast("float", value) if isinstance(value, (int, float)) else None


def _truth(tagged: Any) -> bool | None:
    """Python's truth of a returned value; None for an object whose truth only its own code could say."""
    if not isinstance(tagged, dict):
        return bool(tagged)
    holder = cast("dict[str, Any]", tagged)
    tag, content = holder.get("t"), holder.get("v")
    if tag in ("int", "float", "list_node", "tree_node", "iterator"):  # large integers, NaN and the infinities, nodes
        return True
    if tag in ("numpy", "complex", "fraction", "decimal"):
        value = scalar(holder)
        return None if value is holder else bool(value)
    if tag in (
        "tuple",
        "set",
        "frozenset",
        "deque",
        "dict",
        "bytes",
        "range",
        "dict_keys",
        "dict_values",
        "dict_items",
    ):
        return bool(content)
    return None
