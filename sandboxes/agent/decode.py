"""Tagged values (see `codec`) back to Python. What is read was written by a hostile program: every bound is checked."""

import base64
import json
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from .codec import MAX_DEPTH, MAX_DIGITS, BinaryTree, LinkedList, ValueTooBig

__all__ = ["MAX_LEVELS", "decode", "reader"]

MAX_LEVELS = 3 * (MAX_DEPTH + 2)
"""Lists and objects within each other in tagged data: a dictionary takes three, and what `encode` makes has no more than these."""


def decode(
    tagged: Any,
    *,
    list_node: Callable[[list[Any]], Any] = LinkedList,
    tree_node: Callable[[list[Any]], Any] = BinaryTree,
) -> Any:
    """The Python value of tagged data; `ValueTooBig` for data that `encode` can't have made.

    numpy scalars come back as Python scalars, arrays as lists, an `object` as its tagged dict.

    >>> from sandboxes.agent.codec import encode
    >>> decode(encode({"a": (1, [2.5])}))
    {'a': (1, [2.5])}
    """
    try:
        return _decode(tagged, 0, list_node, tree_node)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueTooBig(f"not a tagged value: {type(error).__name__}") from None


def _decode(
    tagged: Any, depth: int, list_node: Callable[[list[Any]], Any], tree_node: Callable[[list[Any]], Any]
) -> Any:
    if depth > MAX_LEVELS:
        raise ValueTooBig(f"nested deeper than {MAX_LEVELS}")
    if type(tagged) is list:
        return [_decode(item, depth + 1, list_node, tree_node) for item in cast("list[Any]", tagged)]
    if type(tagged) is not dict:
        return tagged
    holder = cast("dict[str, Any]", tagged)
    if holder["t"] == "object":
        return holder
    content = _decode(holder["v"], depth + 1, list_node, tree_node)
    return _untag(holder, content, list_node, tree_node)


def _untag(
    holder: dict[str, Any], content: Any, list_node: Callable[[list[Any]], Any], tree_node: Callable[[list[Any]], Any]
) -> Any:
    """The value of a tag whose content is decoded already."""
    tag: Any = holder["t"]
    if tag == "object":
        return holder
    if tag == "int":
        return int(content, 16)
    if tag == "float" and content in ("nan", "inf", "-inf"):
        return float(content)
    if tag == "bytes":
        return base64.b64decode(content, validate=True)
    if tag in ("numpy", "ndarray"):
        return content
    if tag == "decimal":
        return _decimal(content)
    if type(content) is not list:
        raise TypeError("items")
    items = cast("list[Any]", content)
    if tag == "list_node":
        return list_node(items)
    if tag == "tree_node":
        return tree_node(items)
    make = _OF_ITEMS.get(tag)
    if make is None:
        raise ValueError(f"unknown tag {str(tag)[:20]!r}")
    return make(items)


def _range(items: list[int]) -> range:
    step = items[1] - items[0] if len(items) > 1 else 1
    return range(items[0], items[-1] + step, step) if items else range(0)


def _as_dict(items: list[Any]) -> dict[Any, Any]:
    return {key: value for key, value in items}  # noqa: C416  (dict() would take a pair of any kind)


def _complex(items: list[float]) -> complex:
    real, imag = items
    return complex(real, imag)


def _decimal(digits: str) -> Any:
    from decimal import Decimal, InvalidOperation

    if len(digits) > MAX_DIGITS:
        raise ValueError("too many digits")
    try:
        number = Decimal(digits)
    except InvalidOperation:
        raise ValueError("no number") from None
    if not number.is_finite():
        raise ValueError("no number")
    return number


def _fraction(numerator: int, denominator: int) -> Any:
    from fractions import Fraction

    if denominator <= 0 or max(numerator.bit_length(), denominator.bit_length()) > 4 * MAX_DIGITS:
        raise ValueError("no fraction")
    return Fraction(numerator, denominator)


_OF_ITEMS: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "dict": _as_dict,
    "set": set,
    "frozenset": frozenset,
    "deque": deque,
    "str": lambda items: "".join(map(chr, items)),
    "fraction": lambda items: _fraction(*items),
    "iterator": iter,
    "range": _range,
    "dict_keys": lambda items: dict.fromkeys(items).keys(),
    "dict_values": lambda items: dict(enumerate(items)).values(),
    "dict_items": lambda items: _as_dict(items).items(),
    "complex": _complex,
}
"""How a tagged value is made of the items that it holds."""


def reader(*, list_node: Callable[[list[Any]], Any], tree_node: Callable[[list[Any]], Any]) -> Callable[[bytes], Any]:
    """A decoder of JSON lines whose objects are all tags. For text the host wrote: it has no bound on depth but JSON's own."""
    decoder: Any = json.JSONDecoder(object_hook=lambda holder: _untag(holder, holder.get("v"), list_node, tree_node))
    scan = decoder.scan_once

    def read(line: bytes) -> Any:
        return scan(line.decode(), 0)[0]

    return read
