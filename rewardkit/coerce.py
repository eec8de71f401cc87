"""Values from outside as the fields of samples and scores hold them, and as JSON writes them.

Each function gets the name of the field for its error: `UsageError`, if the value is of another type.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Context, Decimal
from math import isfinite
from numbers import Number
from typing import Any, cast

from rewardkit.errors import UsageError, quoted

LIST_METHODS = ("as_py", "to_pylist", "to_list", "tolist")
"""How arrays, and the values in them, become plain: pyarrow's (two), those of polars and pandas, of numpy and torch."""
MAX_NESTING = 100
"""What nests deeper in a value is left as it is, so that no value can fill the stack, whatever the recursion limit."""
_ATOMS = frozenset({str, int, float, bool, type(None)})
MAX_COUNT = 2**63 - 1
"""More tokens than this are no count: as a float, they may be infinite."""


class LongNumber(float):
    """A number that is written more exactly than a float holds it. As a ground truth it counts as it is written."""

    __slots__ = ("text",)
    text: str


def parse_float(text: str) -> float:
    """A number of JSON: a long one if it has more than 17 digits and is no float that was printed with so many, or if it is out of range."""
    value = float(text)
    if (len(text) < 18 and "e" not in text.lower()) or repr(value) == text:
        return value
    digits = len(text.lower().partition("e")[0].strip("-0.").replace(".", ""))
    with suppress(ArithmeticError):  # an exponent that Decimal has no room for
        exact = Decimal(text)
        printed = digits <= 17 or Context(prec=digits).create_decimal_from_float(value) == exact
        if printed and isfinite(value) and bool(value) == bool(exact):
            return value
    long = LongNumber(value)
    long.text = text
    return long


def text(name: str, value: Any) -> str:
    """Text with lone surrogates replaced: JSON can contain them, UTF-8 cannot."""
    if type(value) is not str:
        if not isinstance(value, str):
            raise UsageError(f"{name} is {type(value).__name__}, not text")
        value = str(value)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "replace").decode()
    return value


def text_or_number(name: str, value: Any) -> str:
    """Text; a whole number as its digits."""
    value = plain(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return text(name, value)
    try:
        return str(value)
    except ValueError:
        raise UsageError(f"{name} is a number of more digits than Python writes") from None


def text_or_messages(name: str, value: Any) -> str | tuple[dict[str, Any], ...]:
    """Text, or the messages of a chat."""
    return text(name, value) if isinstance(value, str) else messages(name, value)


def messages(name: str, value: Any) -> tuple[dict[str, Any], ...]:
    """The messages of a chat, each a dictionary."""
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"{name} is {type(value).__name__}, not a list of messages")
    return tuple(mapping(name, message) for message in cast("Sequence[Any]", value))


def mapping(name: str, value: Any) -> dict[str, Any]:
    """A dictionary of its own."""
    if type(value) is not dict and not isinstance(value, Mapping):  # the second test takes ten times as long
        raise UsageError(f"{name} holds {type(value).__name__}, not names with values")
    return dict(cast("Mapping[str, Any]", value))


def count(name: str, value: Any) -> int:
    """A whole number, 0 or more, of at most 63 bits."""
    found = _integer(name, value)
    if not 0 <= found <= MAX_COUNT:
        raise UsageError(f"{name} is {'below 0' if found < 0 else '2**63 or more'}")
    return found


def integers(name: str, value: Any) -> tuple[int, ...]:
    """A list of whole numbers."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise UsageError(f"{name} is {type(value).__name__}, not a list of whole numbers")
    try:
        return tuple(map(operator.index, cast("Sequence[Any]", value)))
    except TypeError:
        return tuple(_integer(name, item) for item in cast("Sequence[Any]", value))


def _integer(name: str, value: Any) -> int:
    try:
        if isinstance(value, str):
            return int(value)
        return int(value) if isinstance(value, float) and value.is_integer() else operator.index(cast("Any", value))
    except (TypeError, ValueError):
        raise UsageError(f"{name}: {quoted(value, 100)} is not a whole number") from None


def number(name: str, value: Any) -> float | None:
    """A finite number, or None."""
    if value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name}: {quoted(value, 100)} is not a number") from None
    if not isfinite(found):
        raise UsageError(f"{name} is {found}, not a finite number")
    return found


def numbers(name: str, value: Any) -> dict[str, float | None]:
    """Finite numbers by name."""
    return {part: number(part, item) for part, item in mapping(name, value).items()}


def present(value: Any) -> Any:
    """`plain`, with long numbers as they are written and None for NaN too: where a table has no value, arrays of floats hold it."""
    if type(value) is LongNumber:
        return value.text
    found = plain(value)
    return None if type(found) is float and found != found else found  # noqa: PLR0124 - NaN


def plain(value: Any) -> Any:
    """A value as JSON has it, at any depth: arrays and other sequences as lists, dates and exact numbers as text, NA as None. What says
    more than its form in JSON (a set has no order), or has none, is left as it is.
    """
    try:
        return _plain(value, MAX_NESTING)
    except Exception:  # noqa: BLE001 - near the recursion limit, or an object with code of its own
        return value


def _plain(value: Any, left: int) -> Any:
    if type(value) in _ATOMS or not left:
        return value
    if isinstance(value, (list, tuple)):
        items = list(cast("Sequence[Any]", value))
        return items if _ATOMS.issuperset(map(type, items)) else [_plain(item, left - 1) for item in items]
    if type(value) is dict or isinstance(value, Mapping):  # the second test takes ten times as long
        return {name: _plain(item, left - 1) for name, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (set, frozenset)):
        return cast("Any", value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    try:
        found = json_value(value)
    except Exception:  # noqa: BLE001 - it has no such form, or fails to give it
        return value
    return _plain(found, left - 1)


def without_nulls(value: Any, left: int = MAX_NESTING) -> Any:
    """A value without the fields of objects that are None, at any depth."""
    if isinstance(value, Mapping) and left:
        fields = cast("Mapping[Any, Any]", value).items()
        return {name: without_nulls(item, left - 1) for name, item in fields if item is not None}
    if isinstance(value, (list, tuple)) and left:
        return [without_nulls(item, left - 1) for item in cast("Sequence[Any]", value)]
    return cast("Any", value)


def json_value(value: Any) -> Any:
    """A value of another type than JSON's in the form that says the same: arrays, sets and other sequences as lists, dates and
    exact numbers as text, NA as None.

    Raises:
        TypeError: there is no such form.
    """
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    for name in (*LIST_METHODS, "isoformat"):
        if callable(method := getattr(value, name, None)):
            return method()
    match value:
        case Mapping():
            return dict(cast("Mapping[Any, Any]", value))
        case bytes():
            return value.decode("utf-8", "surrogateescape")
        case set() | frozenset() | Sequence():
            return list(cast("set[Any]", value))
        case Number():
            return str(value)
        case _:
            raise TypeError(f"it holds {quoted(value)}, a {type(value).__name__}")
