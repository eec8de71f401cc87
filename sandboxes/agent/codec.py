"""Python values as JSON with exact types, instead of pickles; `decode` beside it reads them.

`None`, bools, strings, lists, finite floats and ints below 2**63 are themselves. Everything else is an object with a tag
`t` and content `v`:

    tuple set frozenset deque -> v: items        dict -> v: [[key, value], ...]        int -> v: hexadecimal digits
    str with lone surrogates -> v: code points
    float -> v: "nan" "inf" "-inf"               bytes -> v: base64                     complex -> v: [real, imag]
    list_node -> v: values along `next`          tree_node -> v: LeetCode level order, None for a missing child
    numpy -> v: the Python scalar, dtype: name   ndarray -> v: nested lists, dtype: name
    fraction -> v: [numerator, denominator]      decimal -> v: its digits
    range dict_keys dict_values dict_items -> v: items
    iterator -> v: what it gives, for generators, `map`, `zip` and their kind
    object -> type: the type's name, no content (nothing else can be said about it safely)

Types are taken exactly (`type(x) is list`); an instance of a subclass counts as its base class's own data, read through the
base class, so that an overridden `__eq__`, `__iter__` or `__repr__` changes nothing.
"""

import base64
import json
import math
import sys
from collections import deque
from itertools import chain, islice
from typing import Any, cast

__all__ = ["MAX_DEPTH", "MAX_DIGITS", "BinaryTree", "LinkedList", "ValueTooBig", "dumps", "encode"]

MAX_DEPTH = 100
"""Nesting beyond this is refused; JSON's own reader and writer recurse."""
MAX_ITEMS = 4_000_000
"""Items in one value, all levels together."""
SMALL_INT = 1 << 63
MAX_DIGITS = 5_000
"""Of a fraction or decimal: whoever reads it reduces it, which takes time that grows with the square."""
_none: dict[Any, Any] = {}
VIEWS: dict[Any, str] = {
    range: "range",
    type(_none.keys()): "dict_keys",
    type(_none.values()): "dict_values",
    type(_none.items()): "dict_items",
}


class ValueTooBig(ValueError):  # noqa: N818  (part of the wire contract: the name is what a result's error says)
    """Too deep, too many items, a cycle of nodes, or not decodable."""


_list: Any = list
_tuple: Any = tuple
_dict: Any = dict
"""The builtin types, once more: a submission may replace the names, and type checkers don't know their items."""


class _Nodes:
    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values: tuple[Any, ...] = tuple(values)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.values == getattr(other, "values", None)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.values))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.values)!r})"


class LinkedList(_Nodes):
    """A chain of `ListNode`s, by its values."""


class BinaryTree(_Nodes):
    """A tree of `TreeNode`s, by LeetCode's level order (None for a missing child, no trailing Nones)."""


class _Encoder:
    def __init__(self) -> None:
        self.items = 0

    def encode(self, value: Any, depth: int) -> Any:
        kind = cast("Any", type(value))
        if value is None or kind is bool:
            return value
        if kind is str:
            return value if value.isascii() or _is_utf8(value) else {"t": "str", "v": [ord(char) for char in value]}
        if kind is int:
            return value if -SMALL_INT < value < SMALL_INT else {"t": "int", "v": format(value, "x")}
        if kind is float:
            return value if math.isfinite(value) else {"t": "float", "v": repr(value)}
        if depth > MAX_DEPTH:
            raise ValueTooBig(f"nested deeper than {MAX_DEPTH}")
        if kind is list:
            return self.sequence(value, depth)
        if kind is tuple:
            return {"t": "tuple", "v": self.sequence(value, depth)}
        if kind is dict:
            return {"t": "dict", "v": self.pairs(value.items(), depth)}
        if kind is set or kind is frozenset or kind is deque:
            return {"t": kind.__name__, "v": self.sequence(value, depth)}
        if kind is bytes or kind is bytearray:
            return {"t": "bytes", "v": base64.b64encode(value).decode()}
        if kind is complex:
            return {"t": "complex", "v": [self.encode(value.real, depth), self.encode(value.imag, depth)]}
        if kind is LinkedList:
            return {"t": "list_node", "v": self.sequence(value.values, depth)}
        if kind is BinaryTree:
            return {"t": "tree_node", "v": self.sequence(value.values, depth)}
        return self.other(value, kind, depth)

    def other(self, value: Any, kind: Any, depth: int) -> Any:
        numpy: Any = sys.modules.get("numpy")
        if numpy is not None and isinstance(getattr(numpy, "ndarray", None), type):
            if issubclass(kind, numpy.generic):
                return {"t": "numpy", "v": self.encode(value.item(), depth + 1), "dtype": str(value.dtype)}
            if issubclass(kind, numpy.ndarray):
                return {"t": "ndarray", "v": self.encode(value.tolist(), depth + 1), "dtype": str(value.dtype)}
        if kind in VIEWS:
            return {"t": VIEWS[kind], "v": self.sequence(value if kind is range else _list(value), depth)}
        if kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__"):
            return {"t": "iterator", "v": self.sequence(_list(islice(value, MAX_ITEMS + 1)), depth)}
        if kind.__module__ == "fractions" and kind.__name__ == "Fraction":
            return {"t": "fraction", "v": [self.digits(value.numerator), self.digits(value.denominator)]}
        if kind.__module__ == "decimal" and kind.__name__ == "Decimal":
            return {"t": "decimal", "v": self.digits(str(value))} if value.is_finite() else self.encode(float(value), 0)
        if kind.__name__ == "ListNode" and hasattr(value, "next"):
            return {"t": "list_node", "v": self.chain(value, depth)}
        if kind.__name__ == "TreeNode" and hasattr(value, "left"):
            return {"t": "tree_node", "v": self.level_order(value, depth)}
        return self.subclass(value, kind, depth)

    def subclass(self, value: Any, kind: Any, depth: int) -> Any:
        base: Any
        for base in kind.__mro__[1:]:
            if base is int:
                return self.encode(int.__add__(value, 0), depth)
            if base is float:
                return self.encode(float.__add__(value, 0.0), depth)
            if base is str:
                return self.encode(str.__add__(value, ""), depth)
            if base is list:
                return self.sequence(_list.__getitem__(value, slice(None)), depth)
            if base is tuple:
                return {"t": "tuple", "v": self.sequence(_tuple.__getitem__(value, slice(None)), depth)}
            if base is dict:
                return {"t": "dict", "v": self.pairs(_dict.items(value), depth)}
            if base in VIEWS:
                return {"t": VIEWS[base], "v": self.sequence(_list(value), depth)}
            if base is set or base is frozenset:
                return {"t": base.__name__, "v": self.sequence(cast("Any", base).copy(value), depth)}
        return {"t": "object", "type": str(kind.__name__)[:100]}

    def digits(self, value: Any) -> Any:
        if value.bit_length() > 4 * MAX_DIGITS if type(value) is int else len(value) > MAX_DIGITS:
            raise ValueTooBig(f"a fraction or decimal of more than {MAX_DIGITS} digits")
        return self.encode(value, 0)

    def sequence(self, values: Any, depth: int) -> list[Any]:
        self.count(len(values))
        if _plain(values):
            return list(values)
        encode = self.encode
        return [encode(item, depth + 1) for item in values]

    def pairs(self, items: Any, depth: int) -> list[Any]:
        self.count(len(items))
        return [[self.encode(key, depth + 1), self.encode(item, depth + 1)] for key, item in items]

    def chain(self, node: Any, depth: int) -> list[Any]:
        values: list[Any] = []
        seen: set[int] = set()
        while node is not None:
            if id(node) in seen:
                raise ValueTooBig("the linked list has a cycle")
            seen.add(id(node))
            self.count(1)
            values.append(self.encode(node.val, depth + 1))
            node = node.next
        return values

    def level_order(self, root: Any, depth: int) -> list[Any]:
        values: list[Any] = []
        row: deque[Any] = deque([root])
        seen: set[int] = set()
        while row:
            node = row.popleft()
            if node is None:
                values.append(None)
                continue
            if id(node) in seen:
                raise ValueTooBig("the tree has a node twice")
            seen.add(id(node))
            self.count(1)
            values.append(self.encode(node.val, depth + 1))
            row.append(node.left)
            row.append(node.right)
        while values and values[-1] is None:
            values.pop()
        return values

    def count(self, number: int) -> None:
        self.items += number
        if self.items > MAX_ITEMS:
            raise ValueTooBig(f"more than {MAX_ITEMS} items")


def _plain(values: Any) -> bool:
    """All items are themselves in JSON: the common long list, looked through without a Python loop."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return min(values) > -SMALL_INT and max(values) < SMALL_INT
    if kinds == {str}:
        return all(map(str.isascii, values))
    if kinds == {float}:
        return all(map(math.isfinite, values))
    return kinds <= {bool, type(None)}


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def encode(value: Any) -> Any:
    """The value as JSON-ready data; `ValueTooBig` past a bound.

    >>> encode((1, {2: float("inf")}))
    {'t': 'tuple', 'v': [1, {'t': 'dict', 'v': [[2, {'t': 'float', 'v': 'inf'}]]}]}
    """
    if type(value) is int and -SMALL_INT < value < SMALL_INT:
        return value
    return _Encoder().encode(value, 0)


_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def dumps(value: Any) -> str:
    """The line that says a call returned `value`; `ValueTooBig` past a bound.

    >>> dumps([1, (2,)])
    '{"v":[1,{"t":"tuple","v":[2]}]}'
    """
    text = _common(value)
    return _text({"v": encode(value)}) if text is None else '{"v":' + text + "}"


def _common(value: Any) -> str | None:
    """The JSON of what most calls return, in a few steps of C; None for all else. The same as `encode` and `_text` make."""
    kind = cast("Any", type(value))
    if kind is int:
        return repr(value) if -SMALL_INT < value < SMALL_INT else None
    if kind is bool:
        return "true" if value else "false"
    if kind is str:
        return _quoted(value) if value.isascii() else None
    if kind is not list or len(value) > MAX_ITEMS:
        return None
    kinds = set(map(type, value))
    if kinds == _INTS:
        return repr(value).replace(" ", "") if min(value) > -SMALL_INT and max(value) < SMALL_INT else None
    if kinds == _STRINGS:
        return f"[{','.join(map(_quoted, value))}]" if all(map(str.isascii, value)) else None
    if kinds == _LISTS and sum(map(len, value)) + len(value) <= MAX_ITEMS:
        items = list(chain.from_iterable(value))
        if set(map(type, items)) == _INTS and min(items) > -SMALL_INT and max(items) < SMALL_INT:
            return repr(value).replace(" ", "")
    return None


_INTS, _STRINGS, _LISTS = {int}, {str}, {list}
_quoted = json.encoder.encode_basestring_ascii
