"""A small validator for JSON Schema: the part of 2020-12 that model output needs. It refuses a schema that needs more."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from fractions import Fraction
from typing import Any

from rewardkit.errors import clip
from rewardkit.rewards._json import items, mapping, same_json

MAX_STEPS = 500_000
"""Most checks of one value."""
MAX_PLACE_CHARS = 200
"""Places are written out this far."""
MAX_PATTERN_CHARS = 10_000
"""A value with a longer text to match against a pattern is too large."""

_NOTES = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "const"})  # fmt: skip
_IN_PLACE = frozenset({"$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
"""Keywords whose schemas judge the same value, not a part of it."""

Check = Generator[tuple[Any, Any, str], str, str]
"""A check that asks for others, each a value with its schema and place, and returns the first problem."""


class SchemaError(ValueError):
    """The schema cannot be used."""


class TooLargeError(ValueError):
    """The value is too large for its schema."""


def check_schema(schema: Any) -> None:
    """Refuse a schema that this validator cannot judge by.

    Raises:
        SchemaError: a keyword is unknown or broken, or a reference leads nowhere or round in circles.
    """
    waiting, done = [schema], set[int]()
    while waiting:
        _visit(waiting.pop(), schema, frozenset(), waiting, done)


def _visit(schema: Any, root: Any, above: frozenset[int], waiting: list[Any], done: set[int]) -> None:
    """Check one schema and those that judge the same value. `above` are the schemas that led here, `waiting` gets the others."""
    if not _is_schema(schema):
        raise SchemaError(f"a schema is an object or a boolean, not {type(schema).__name__}")
    if id(schema) in above:
        raise SchemaError("references go round in circles")
    if isinstance(schema, bool) or id(schema) in done:
        return
    rules = mapping(schema)
    for keyword, value in rules.items():
        if keyword not in _KINDS:
            raise SchemaError(f"unknown keyword {keyword!r}")
        fits, kind = _KINDS[keyword]
        if not fits(value):
            raise SchemaError(f"{keyword} is not {kind}: {clip(repr(value), 60)}")
        parts = [value] if kind == _SCHEMA else items(value) if kind == _SCHEMAS else ()
        parts = list(mapping(value).values()) if kind == _NAMED else parts
        for part in [_resolve(value, root)] if keyword == "$ref" else parts:
            if keyword in _IN_PLACE:
                _visit(part, root, above | {id(schema)}, waiting, done)
            else:
                waiting.append(part)
    for pattern in [rules.get("pattern", ""), *mapping(rules.get("patternProperties"))]:
        _compile(pattern)
    done.add(id(schema))


def _resolve(reference: str, root: Any) -> Any:
    if not reference.startswith("#"):
        raise SchemaError(f"reference {reference!r} leads outside of the schema")
    found = root
    for step in filter(None, reference[1:].split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        if key not in mapping(found):
            raise SchemaError(f"reference {reference!r} leads nowhere")
        found = mapping(found)[key]
    return found


def patterns_of(schema: Any) -> Iterator[str]:
    """The regular expressions in a schema."""
    for name, part in mapping(schema).items():
        if name == "pattern" and isinstance(part, str):
            yield part
        yield from mapping(part) if name == "patternProperties" else ()
        for inner in items(part) or [part]:
            yield from patterns_of(inner)


def first_problem(value: Any, schema: Any) -> str:
    """The first thing in `value` that does not fit a checked schema, with its place; empty if all fits.

    Each pair of a value and a schema is checked once, so that the work grows with the size of both.

    Raises:
        TooLargeError: it is more than `MAX_STEPS`, or a text is too long for a pattern.
    """
    known: dict[tuple[int, int, str], str] = {}
    running = [((0, 0, ""), _problem(value, schema, "$", schema))]
    answer: str | None = None
    steps = 0
    while running:
        key, current = running[-1]
        try:
            part, rules, at = next(current) if answer is None else current.send(answer)
        except StopIteration as end:
            answer = known[key] = end.value
            running.pop()
            continue
        key = (id(part), id(rules), at)
        answer = known.get(key)
        if answer is None:
            steps += 1 + len(items(mapping(rules).get("enum"))) // 50
            running.append((key, _problem(part, rules, at, schema)))
        if steps > MAX_STEPS:
            raise TooLargeError(f"more than {MAX_STEPS} checks")
    return answer or ""


def _problem(value: Any, schema: Any, at: str, root: Any) -> Check:
    if isinstance(schema, bool):
        return "" if schema else f"{at}: nothing is allowed here"
    rules = mapping(schema)
    for simple in (_any, _number, _string):
        if found := simple(value, rules, at):
            return found
    for nested in (_logic(value, rules, at, root), _array(value, rules, at), _object(value, rules, at)):
        if found := (yield from nested):
            return found
    return ""


def _logic(value: Any, rules: Mapping[str, Any], at: str, root: Any) -> Check:
    referenced = [_resolve(rules["$ref"], root)] if "$ref" in rules else []
    for part in [*referenced, *items(rules.get("allOf"))]:
        if found := (yield value, part, at):
            return found
    for keyword in ("anyOf", "oneOf"):
        count = 0
        for part in items(rules.get(keyword)):
            count += not (yield value, part, at)
            if count and keyword == "anyOf":
                break
        if keyword in rules and count != 1:
            return f"{at}: fits {count or 'none'} of {keyword}"
    if "not" in rules and not (yield value, rules["not"], at):
        return f"{at}: fits what it must not"
    if "if" in rules:
        branch = "else" if (yield value, rules["if"], at) else "then"
        return (yield value, rules.get(branch, True), at)
    return ""


def _any(value: Any, rules: Mapping[str, Any], at: str) -> str:
    types = rules.get("type")
    wanted = [types] if isinstance(types, str) else list(items(types))
    if wanted and not any(_TYPES[name](value) for name in wanted):
        return f"{at}: not of type {' or '.join(wanted)}"
    if "enum" in rules and not any(same_json(value, option) for option in items(rules["enum"])):
        return f"{at}: not one of the allowed values"
    if "const" in rules and not same_json(value, rules["const"]):
        return f"{at}: not the wanted value"
    return ""


def _number(value: Any, rules: Mapping[str, Any], at: str) -> str:
    if not _is_number(value):
        return ""
    bounds: tuple[tuple[str, Callable[[Any], bool]], ...] = (
        ("minimum", lambda bound: value >= bound),
        ("maximum", lambda bound: value <= bound),
        ("exclusiveMinimum", lambda bound: value > bound),
        ("exclusiveMaximum", lambda bound: value < bound),
        ("multipleOf", lambda step: _is_finite(value) and Fraction(str(value)) % Fraction(str(step)) == 0),
    )
    return next(
        (f"{at}: {name} {rules[name]}" for name, holds in bounds if name in rules and not holds(rules[name])), ""
    )


def _string(value: Any, rules: Mapping[str, Any], at: str) -> str:
    if not isinstance(value, str):
        return ""
    if not rules.get("minLength", 0) <= len(value) <= rules.get("maxLength", math.inf):
        return f"{at}: {len(value)} characters long"
    pattern = rules.get("pattern")
    if pattern and not _matches(pattern, value):
        return f"{at}: does not match {pattern!r}"
    return ""


def _array(value: Any, rules: Mapping[str, Any], at: str) -> Check:
    if not isinstance(value, (list, tuple)):
        return ""
    members = items(value)
    if not rules.get("minItems", 0) <= len(members) <= rules.get("maxItems", math.inf):
        return f"{at}: {len(members)} items"
    if rules.get("uniqueItems") and len(set(map(_key, members))) < len(members):
        return f"{at}: items repeat"
    prefix = items(rules.get("prefixItems"))
    for index, member in enumerate(members):
        part = prefix[index] if index < len(prefix) else rules.get("items", True)
        if found := (yield member, part, _inside(at, f"[{index}]")):
            return found
    if "contains" in rules:
        count = 0
        for index, member in enumerate(members):
            count += not (yield member, rules["contains"], _inside(at, f"[{index}]"))
        if not rules.get("minContains", 1) <= count <= rules.get("maxContains", math.inf):
            return f"{at}: contains {count} of the wanted items"
    return ""


def _object(value: Any, rules: Mapping[str, Any], at: str) -> Check:
    if not isinstance(value, Mapping):
        return ""
    members = mapping(value)
    for name in items(rules.get("required")):
        if name not in members:
            return f"{at}: {name!r} is missing"
    if not rules.get("minProperties", 0) <= len(members) <= rules.get("maxProperties", math.inf):
        return f"{at}: {len(members)} properties"
    for name, others in mapping(rules.get("dependentRequired")).items():
        missing = [other for other in items(others) if other not in members]
        if name in members and missing:
            return f"{at}: {missing[0]!r} is missing beside {name!r}"
    known, patterns = mapping(rules.get("properties")), mapping(rules.get("patternProperties"))
    for name, member in members.items():
        parts = [known[name]] if name in known else []
        parts += [part for pattern, part in patterns.items() if _matches(pattern, name)]
        parts = parts or [rules.get("additionalProperties", True)]
        if "propertyNames" in rules and (found := (yield name, rules["propertyNames"], at)):
            return found
        for part in parts:
            if found := (yield member, part, _inside(at, f".{clip(name, 40)}")):
                return found
    return ""


def _matches(pattern: str, text: str) -> bool:
    if len(text) > MAX_PATTERN_CHARS:
        raise TooLargeError(f"a text of more than {MAX_PATTERN_CHARS} characters for the pattern {clip(pattern, 60)!r}")
    return _compile(pattern).search(text) is not None


def _inside(at: str, step: str) -> str:
    """The place of a member. Deep places end early, since one is kept for each value."""
    return at if len(at) > MAX_PLACE_CHARS else at + step


def _key(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(sorted(f"{key!r}:{_key(inner)}" for key, inner in mapping(value).items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_key, items(value))) + "]"
    return repr(Fraction(str(value))) if _is_finite(value) else repr(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or math.isfinite(value))


def _is_count(value: Any) -> bool:
    return _is_finite(value) and value >= 0 and value == int(value)


def _is_schema(value: Any) -> bool:
    return isinstance(value, (bool, Mapping))


def _are_names(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in items(value))


def _compile(pattern: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise SchemaError(f"pattern {pattern!r}: {error}") from None


_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, (list, tuple)),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}

_SCHEMA, _SCHEMAS, _NAMED = "an object or a boolean", "a list of schemas", "an object of schemas"
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(_NOTES, (lambda _: True, "")),
    **dict.fromkeys(("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"), (_is_schema, _SCHEMA)),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), (lambda value: bool(items(value)), _SCHEMAS)),
    **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions"), (lambda value: isinstance(value, Mapping), _NAMED)),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), (_is_finite, "a number")),
    **dict.fromkeys((f"{bound}{what}" for bound in ("min", "max") for what in ("Length", "Items", "Contains", "Properties")), (_is_count, "a whole number from 0 on")),
    **dict.fromkeys(("pattern", "$ref"), (lambda value: isinstance(value, str), "a text")),
    "type": (lambda value: bool(value) and set([value] if isinstance(value, str) else value if _are_names(value) else {""}) <= _TYPES.keys(), "a known type or a list of them"),
    "enum": (lambda value: isinstance(value, (list, tuple)), "a list"),
    "uniqueItems": (lambda value: isinstance(value, bool), "true or false"),
    "multipleOf": (lambda value: _is_finite(value) and value > 0, "a number above 0"),
    "required": (_are_names, "a list of names"),
    "dependentRequired": (lambda value: isinstance(value, Mapping) and all(map(_are_names, mapping(value).values())), "an object of lists of names"),
}  # fmt: skip
"""What the value of each keyword must be, and how to say so."""
