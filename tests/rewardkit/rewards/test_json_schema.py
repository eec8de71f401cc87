"""The small schema validator, keyword by keyword."""

import pytest

from rewardkit.rewards._schema import MAX_LEVELS, SchemaError, check_schema, first_problem

FITS = [
    ({"type": ["string", "null"]}, [None, "x"], [1, [], True]),
    ({"type": "integer"}, [1, 1.0, -3], [1.5, True, "1"]),
    ({"type": "number", "exclusiveMinimum": 0, "maximum": 2}, [0.1, 2], [0, 2.1]),
    ({"multipleOf": 0.1}, [0.3, 1, "x"], [0.35]),
    ({"enum": [1, "a", None]}, [1.0, "a", None], [True, "b"]),
    ({"const": {"a": [1]}}, [{"a": [1.0]}], [{"a": [1], "b": 2}]),
    ({"minLength": 2, "maxLength": 3, "pattern": "^a"}, ["ab", 5], ["a", "abcd", "bb"]),
    ({"items": {"type": "string"}, "minItems": 1, "uniqueItems": True}, [["a"], "x"], [[], ["a", "a"], [1]]),
    ({"prefixItems": [{"type": "string"}], "items": False}, [["a"], []], [["a", 1], [1]]),
    ({"contains": {"type": "integer"}, "maxContains": 1}, [[1, "a"]], [["a"], [1, 2]]),
    ({"uniqueItems": True}, [[1, True], [{"a": 1}, {"a": 2}]], [[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]]),
    ({"required": ["a"], "maxProperties": 2}, [{"a": 1}, []], [{}, {"a": 1, "b": 2, "c": 3}]),
    ({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False}, [{"x1": 1}], [{"x1": "a"}, {"y": 1}]),
    ({"propertyNames": {"maxLength": 2}}, [{"ab": 1}], [{"abc": 1}]),
    ({"dependentRequired": {"a": ["b"]}}, [{"b": 1}, {"a": 1, "b": 2}], [{"a": 1}]),
    ({"anyOf": [{"type": "string"}, {"minimum": 5}]}, ["x", 6], [4]),
    ({"oneOf": [{"minimum": 1}, {"maximum": 5}]}, [0, 6], [3]),
    ({"allOf": [{"minimum": 1}, {"maximum": 5}], "not": {"const": 3}}, [2], [0, 3]),
    ({"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"maximum": 5}}, [20, 3], [15, 7]),
    ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, [1], ["x"]),
    ({"$defs": {"t": {"properties": {"kids": {"items": {"$ref": "#/$defs/t"}}}, "required": ["v"]}}, "$ref": "#/$defs/t"},
     [{"v": 1, "kids": [{"v": 2}]}], [{"v": 1, "kids": [{}]}]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "good", "bad"), FITS)
def test_keyword(schema, good, bad):
    check_schema(schema)
    assert [first_problem(value, schema) for value in good] == [""] * len(good)
    assert all(first_problem(value, schema) for value in bad)


@pytest.mark.parametrize(
    "schema",
    [
        3,
        {"typ": "string"},
        {"type": "text"},
        {"pattern": "("},
        {"properties": {"a": {"minimun": 1}}},
        {"minLength": "2"},
        {"anyOf": [{"x": 1}]},
    ],
)
def test_unusable_schema_is_refused(schema):
    with pytest.raises(SchemaError):
        check_schema(schema)


def test_reference_in_circles_ends():
    with pytest.raises(SchemaError, match="circles"):
        first_problem(1, {"$ref": "#"})


def test_reference_that_leads_nowhere_is_the_schemas_fault():
    with pytest.raises(SchemaError, match="nowhere"):
        first_problem(1, {"$ref": "#/$defs/x"})


def test_a_value_may_be_as_wide_as_it_likes_but_not_as_deep():
    numbers = {"type": "array", "items": {"type": "integer"}}
    wide = {f"k{index}": [index] * 3 for index in range(4 * MAX_LEVELS)}
    assert first_problem(wide, {"additionalProperties": numbers}) == ""
    tree = {"$ref": "#/$defs/t", "$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}}
    deep = []
    for _ in range(MAX_LEVELS):
        deep = [deep]
    with pytest.raises(SchemaError, match=f"{MAX_LEVELS} levels"):
        first_problem(deep, tree)
