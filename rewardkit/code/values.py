"""What counts as the right return value. One side is tagged data from the box, the other trusted Python values.

A submission chooses what it returns, so nothing it sent is hashed into a table of its own making (integers that all
collide would cost the host minutes), and nothing is compared that could carry code.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from rewardkit.errors import GroundTruthError
from sandboxes.values import BinaryTree, LinkedList, ValueTooBig, decode

MAX_SHOWN = 80
"""Characters of a value that a reason quotes."""

MAX_KEY_ITEMS = 1_000
"""A returned key whose frozensets hold more items is none: hashing chosen integers takes time that grows with the square."""

MAX_KEY_DEPTH = 100
"""A returned key that nests deeper is none: no expected one does."""

SEQUENCES = frozenset({"tuple", "ndarray"})
SETS = frozenset({"set", "frozenset", "dict_keys"})
SCALARS = frozenset({"int", "float", "complex", "bytes", "numpy", "fraction", "decimal"})


def same_value(tagged: Any, expected: Any, tolerance: float, *, json_keys: bool = False) -> bool:
    """True if the returned value is what Python's `==` would call equal to `expected`, with these differences.

    Tuple, list and numpy array are the same. If a float is expected, a number within `tolerance` (absolute or
    relative) will do; integers are compared as integers, and NaN equals nothing. With `json_keys` the keys of a
    dictionary may be the strings that JSON makes of them.

    >>> same_value([1, {"t": "tuple", "v": [2]}], (1, [2]), 0.0)
    True
    """
    if isinstance(expected, (bool, int, float, complex)):
        return _same_number(scalar(tagged), expected, tolerance)
    if isinstance(expected, (list, tuple)):
        return _same_items(_items(tagged, SEQUENCES), cast("Sequence[Any]", expected), tolerance, json_keys=json_keys)
    if isinstance(expected, Mapping):
        return _same_mapping(tagged, cast("Mapping[Any, Any]", expected), tolerance, json_keys=json_keys)
    if isinstance(expected, AbstractSet):
        return _same_set(tagged, cast("AbstractSet[Any]", expected), tolerance)
    if isinstance(expected, (LinkedList, BinaryTree)):
        tag = "list_node" if isinstance(expected, LinkedList) else "tree_node"
        values = _items(tagged, frozenset({tag}), plain=False)
        return _same_items(values, expected.values, tolerance, json_keys=json_keys)
    actual = scalar(tagged)
    return type(actual) is type(expected) and actual == expected


def has_nan(value: Any) -> bool:
    """True if an expected value holds a NaN anywhere, which no returned value equals."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, (int, complex)):
        return value != value  # noqa: PLR0124 - the definition of NaN
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return any(has_nan(key) or has_nan(item) for key, item in pairs)
    if isinstance(value, (LinkedList, BinaryTree)):
        return any(map(has_nan, value.values))
    if isinstance(value, (list, tuple, AbstractSet)):
        return any(map(has_nan, cast("Sequence[Any]", value)))
    if value is None or isinstance(value, (str, bytes)):
        return False
    raise GroundTruthError(f"a test expects a value of type {type(value).__name__}")


def show(tagged: Any) -> str:
    """A returned value in a few characters of Python, for reasons and logs."""
    parts: list[str] = []
    _render(tagged, parts, [MAX_SHOWN])
    text = "".join(parts)
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def show_value(value: Any) -> str:
    """An expected value or an argument in a few characters."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer past Python's digit limit
        text = f"<{type(value).__name__}>"
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def _tag(tagged: Any) -> str | None:
    tag = cast("dict[str, Any]", tagged).get("t") if isinstance(tagged, dict) else None
    return tag if isinstance(tag, str) else None


def _content(tagged: Any) -> Any:
    return cast("dict[str, Any]", tagged).get("v")


def _items(tagged: Any, tags: frozenset[str], *, plain: bool = True) -> list[Any] | None:
    if plain and isinstance(tagged, list):
        return cast("list[Any]", tagged)
    if _tag(tagged) in tags:
        content = _content(tagged)
        return cast("list[Any]", content) if isinstance(content, list) else None
    return None


def scalar(tagged: Any) -> Any:
    """The scalar that tagged data stands for; the data itself if it is none.

    Only a scalar's own tags are decoded: a set of chosen integers inside one would be built, and cost hours.
    """
    tag = _tag(tagged)
    inner = _content(tagged) if tag else None
    if tag not in SCALARS and (tag != "ndarray" or isinstance(inner, list)):  # an array without dimensions is a number
        return tagged
    if tag in ("numpy", "ndarray") and isinstance(inner, dict):
        return tagged if _tag(inner) in (None, "numpy") else scalar(cast("Any", inner))
    parts = cast("list[Any]", inner) if isinstance(inner, list) else [inner]
    if not all(map(_is_leaf, parts)):
        return tagged
    try:
        return decode(tagged)
    except ValueTooBig:
        return tagged


def _is_leaf(part: Any) -> bool:
    """A number or a string, or an integer or float that JSON has no spelling for."""
    if isinstance(part, dict):
        return _tag(part) in ("int", "float") and isinstance(_content(part), str)
    return not isinstance(part, list)


def _same_number(actual: Any, expected: complex, tolerance: float) -> bool:
    if not isinstance(actual, (int, float, complex, Fraction, Decimal)):
        return False
    if isinstance(expected, float) and not isinstance(actual, (bool, complex)):
        return _is_near(actual, expected, tolerance)
    return actual == expected


def _is_near(actual: float | Fraction | Decimal, expected: float, tolerance: float) -> bool:
    """Within `tolerance`, absolutely or relatively. NaN is near nothing."""
    if actual == expected:
        return True
    try:
        found = float(actual)
    except OverflowError:  # too large for a float
        return False
    finite = math.isfinite(found) and math.isfinite(expected)
    return finite and abs(found - expected) <= max(tolerance, tolerance * abs(expected))


def _same_items(
    actual: Sequence[Any] | None, expected: Sequence[Any], tolerance: float, *, json_keys: bool = False
) -> bool:
    if actual is None or len(actual) != len(expected):
        return False
    pairs = zip(actual, expected, strict=True)
    return all(same_value(one, other, tolerance, json_keys=json_keys) for one, other in pairs)


def _same_mapping(tagged: Any, expected: Mapping[Any, Any], tolerance: float, *, json_keys: bool) -> bool:
    pairs = _items(tagged, frozenset({"dict"}), plain=False)
    if pairs is None or len(pairs) != len(expected):
        return False
    rest = dict(expected)
    for pair in pairs:
        if not isinstance(pair, list) or len(cast("list[Any]", pair)) != 2:
            return False
        key, value = cast("list[Any]", pair)
        found = _take_key(rest, key, json_keys=json_keys)
        if not found or not same_value(value, found[0], tolerance, json_keys=json_keys):
            return False
    return True


def _take_key(rest: dict[Any, Any], tagged: Any, *, json_keys: bool) -> tuple[Any] | None:
    """Remove the entry that a returned key names, and give its value."""
    try:
        key = _key(tagged)
    except TypeError:
        return None
    if key not in rest and json_keys:
        key = _json_key(key)
    return (rest.pop(key),) if key in rest else None


def _key(tagged: Any, depth: int = 0, room: list[int] | None = None) -> Any:
    """A returned dictionary key or set item; `TypeError` if it can be none."""
    found = scalar(tagged)
    if found is None or isinstance(found, (str, int, float, complex, bytes, Fraction, Decimal)):
        return found
    items = _items(tagged, frozenset({"tuple", "frozenset"}), plain=False)
    if items is None or depth > MAX_KEY_DEPTH:
        raise TypeError("unhashable")
    room = [MAX_KEY_ITEMS] if room is None else room
    if _tag(tagged) == "tuple":
        return tuple([_key(item, depth + 1, room) for item in items])
    room[0] -= len(items)
    if room[0] < 0:
        raise TypeError("too large a key")
    return frozenset([_key(item, depth + 1, room) for item in items])


def _json_key(key: Any) -> Any:
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return repr(key) if isinstance(key, (int, float)) and abs(key) < 1e300 else key


def _same_set(tagged: Any, expected: AbstractSet[Any], tolerance: float) -> bool:
    items = _items(tagged, SETS, plain=False)
    if items is None or len(items) != len(expected):
        return False
    rest = set(expected)
    strays: list[float] = []
    for item in items:
        try:
            key = _key(item)
        except TypeError:
            return False
        if key in rest:
            rest.discard(key)
        elif isinstance(key, float) and math.isfinite(key):
            strays.append(key)
        else:
            return False
    floats = sorted(item for item in rest if isinstance(item, float))
    return len(floats) == len(rest) and _same_items(sorted(strays), floats, tolerance)


def _render(tagged: Any, parts: list[str], room: list[int]) -> None:
    """Write Python's spelling of tagged data into `parts`, until the room is used up."""
    if room[0] < 0:
        return
    tag, content = _tag(tagged), tagged
    if tag is None and not isinstance(tagged, list):
        _put(repr(tagged[: MAX_SHOWN + 1] if isinstance(tagged, str) else tagged), parts, room)
    elif tag in SCALARS:
        found = scalar(tagged)
        _put(show_value(found) if found is not tagged else f"<{tag}>", parts, room)
    elif tag == "object":
        _put(f"<{str(cast('dict[str, Any]', tagged).get('type'))[:40]} object>", parts, room)
    else:
        content = _content(tagged) if tag else content
        _put(f"{tag or ''}[", parts, room)
        for index, item in enumerate(cast("list[Any]", content) if isinstance(content, list) else ()):
            if room[0] < 0:
                break
            _put(", " if index else "", parts, room)
            _render(item, parts, room)
        _put("]", parts, room)


def _put(text: str, parts: list[str], room: list[int]) -> None:
    parts.append(text)
    room[0] -= len(text)
