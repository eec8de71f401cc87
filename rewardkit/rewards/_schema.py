"""A small validator for JSON Schema: the part of 2020-12 that model output needs. It refuses a schema that needs more."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from rewardkit.errors import clip
from rewardkit.rewards._json import items, mapping, same_json

MAX_STEPS = 50_000
"""Most checks of one value. A schema that needs more refers to itself endlessly."""
MAX_LEVELS = 150
"""Most nested schemas for one value."""
MAX_PATTERN_CHARS = 10_000
"""Longer strings are not matched against a pattern."""

_NOTES = frozenset({"$schema", "$id", "$defs", "definitions", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})  # fmt: skip
_LOGIC = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref"})
_ANY = frozenset({"type", "enum", "const"})
_NUMBER = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_STRING = frozenset({"minLength", "maxLength", "pattern"})
_ARRAY = frozenset(
    {"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"}
)
_OBJECT = frozenset({"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties", "dependentRequired"})  # fmt: skip
_KNOWN = _NOTES | _LOGIC | _ANY | _NUMBER | _STRING | _ARRAY | _OBJECT
_ONE = ("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames")
_SEVERAL = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions")


class SchemaError(ValueError):
    """The schema cannot be used."""


def check_schema(schema: Any) -> None:
    """Refuse a schema that this validator cannot judge by.

    Raises:
        SchemaError: with the keyword that is unknown or broken.
    """
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        raise SchemaError(f"a schema is an object or a boolean, not {type(schema).__name__}")
    rules = mapping(schema)
    unknown = sorted(rules.keys() - _KNOWN)
    if unknown:
        raise SchemaError(f"unknown keyword {unknown[0]!r}")
    types = rules.get("type", [])
    if not isinstance(types, (str, list)):
        raise SchemaError("type is neither a name nor a list of names")
    for name in [types] if isinstance(types, str) else items(types):
        if name not in _TYPES:
            raise SchemaError(f"unknown type {name!r}")
    for pattern in [rules.get("pattern", ""), *mapping(rules.get("patternProperties"))]:
        _compile(pattern)
    for keyword in _NUMBER | {name for name in rules if name.startswith(("min", "max")) and name not in _NUMBER}:
        if keyword in rules and not _is_number(rules[keyword]):
            raise SchemaError(f"{keyword} is not a number")
    inner = [rules[keyword] for keyword in _ONE if keyword in rules]
    inner += [part for keyword in _SEVERAL for part in items(rules.get(keyword))]
    inner += [part for keyword in _NAMED for part in mapping(rules.get(keyword)).values()]
    for part in inner:
        check_schema(part)


def patterns_of(schema: Any) -> Iterator[str]:
    """The regular expressions in a schema."""
    for name, part in mapping(schema).items():
        if name == "pattern" and isinstance(part, str):
            yield part
        yield from mapping(part) if name == "patternProperties" else ()
        for inner in items(part) or [part]:
            yield from patterns_of(inner)


def first_problem(value: Any, schema: Any) -> str:
    """The first thing in `value` that does not fit, with its place; empty if all fits.

    Raises:
        SchemaError: a reference leads nowhere, or round in circles.
    """
    return _Check(schema).problem(value, schema, "$")


class _Check:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.steps = 0
        self.level = 0

    def problem(self, value: Any, schema: Any, at: str) -> str:
        self.steps += 1
        self.level += 1
        if self.steps > MAX_STEPS or self.level > MAX_LEVELS:
            raise SchemaError(
                f"more than {MAX_STEPS} checks or {MAX_LEVELS} levels; a reference may go round in circles"
            )
        found = self._first(value, schema, at)
        self.level -= 1
        return found

    def _first(self, value: Any, schema: Any, at: str) -> str:
        if isinstance(schema, bool):
            return "" if schema else f"{at}: nothing is allowed here"
        rules = mapping(schema)
        checks = (self._any, self._logic, self._number, self._string, self._array, self._object)
        return next((found for check in checks if (found := check(value, rules, at))), "")

    def _fits(self, value: Any, schema: Any, at: str) -> bool:
        return not self.problem(value, schema, at)

    def _any(self, value: Any, rules: Mapping[str, Any], at: str) -> str:
        types = rules.get("type")
        wanted = [types] if isinstance(types, str) else list(items(types))
        if wanted and not any(_TYPES[name](value) for name in wanted):
            return f"{at}: not of type {' or '.join(wanted)}"
        if "enum" in rules and not any(same_json(value, option) for option in items(rules["enum"])):
            return f"{at}: not one of the allowed values"
        if "const" in rules and not same_json(value, rules["const"]):
            return f"{at}: not the wanted value"
        return ""

    def _logic(self, value: Any, rules: Mapping[str, Any], at: str) -> str:
        if "$ref" in rules and (found := self.problem(value, self._resolve(rules["$ref"]), at)):
            return found
        for part in items(rules.get("allOf")):
            if found := self.problem(value, part, at):
                return found
        if "anyOf" in rules and not any(self._fits(value, part, at) for part in items(rules["anyOf"])):
            return f"{at}: fits none of anyOf"
        if "oneOf" in rules and (count := sum(self._fits(value, part, at) for part in items(rules["oneOf"]))) != 1:
            return f"{at}: fits {count} of oneOf"
        if "not" in rules and self._fits(value, rules["not"], at):
            return f"{at}: fits what it must not"
        if "if" in rules:
            branch = "then" if self._fits(value, rules["if"], at) else "else"
            return self.problem(value, rules.get(branch, True), at)
        return ""

    def _resolve(self, reference: Any) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise SchemaError(f"reference {reference!r} leads outside of the schema")
        found = self.root
        for step in filter(None, reference[1:].split("/")):
            key = step.replace("~1", "/").replace("~0", "~")
            if key not in mapping(found):
                raise SchemaError(f"reference {reference!r} leads nowhere")
            found = mapping(found)[key]
        return found

    def _number(self, value: Any, rules: Mapping[str, Any], at: str) -> str:
        if not _is_number(value):
            return ""
        bounds: tuple[tuple[str, Callable[[Any], bool]], ...] = (
            ("minimum", lambda bound: value >= bound),
            ("maximum", lambda bound: value <= bound),
            ("exclusiveMinimum", lambda bound: value > bound),
            ("exclusiveMaximum", lambda bound: value < bound),
            ("multipleOf", lambda step: step > 0 and Fraction(str(value)) % Fraction(str(step)) == 0),
        )
        return next(
            (f"{at}: {name} {rules[name]}" for name, holds in bounds if name in rules and not holds(rules[name])), ""
        )

    def _string(self, value: Any, rules: Mapping[str, Any], at: str) -> str:
        if not isinstance(value, str):
            return ""
        if not rules.get("minLength", 0) <= len(value) <= rules.get("maxLength", math.inf):
            return f"{at}: {len(value)} characters long"
        pattern = rules.get("pattern")
        if pattern and (len(value) > MAX_PATTERN_CHARS or not _compile(pattern).search(value)):
            return f"{at}: does not match {pattern!r}"
        return ""

    def _array(self, value: Any, rules: Mapping[str, Any], at: str) -> str:
        if not isinstance(value, (list, tuple)):
            return ""
        members = items(value)
        if not rules.get("minItems", 0) <= len(members) <= rules.get("maxItems", math.inf):
            return f"{at}: {len(members)} items"
        if rules.get("uniqueItems") and _has_twins(members):
            return f"{at}: items repeat"
        prefix = items(rules.get("prefixItems"))
        for index, member in enumerate(members):
            part = prefix[index] if index < len(prefix) else rules.get("items", True)
            if found := self.problem(member, part, f"{at}[{index}]"):
                return found
        if "contains" in rules:
            count = sum(self._fits(member, rules["contains"], at) for member in members)
            if not rules.get("minContains", 1) <= count <= rules.get("maxContains", math.inf):
                return f"{at}: contains {count} of the wanted items"
        return ""

    def _object(self, value: Any, rules: Mapping[str, Any], at: str) -> str:
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
            parts += [part for pattern, part in patterns.items() if _compile(pattern).search(name[:MAX_PATTERN_CHARS])]
            parts = parts or [rules.get("additionalProperties", True)]
            if "propertyNames" in rules and (found := self.problem(name, rules["propertyNames"], at)):
                return found
            for part in parts:
                if found := self.problem(member, part, f"{at}.{clip(name, 40)}"):
                    return found
        return ""


def _has_twins(members: Any) -> bool:
    seen: set[str] = set()
    for member in members:
        key = _key(member)
        if key in seen:
            return True
        seen.add(key)
    return False


def _key(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(sorted(f"{key!r}:{_key(inner)}" for key, inner in mapping(value).items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_key, items(value))) + "]"
    return repr(Fraction(str(value))) if _is_number(value) else repr(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


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
