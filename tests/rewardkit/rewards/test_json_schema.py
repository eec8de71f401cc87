"""The small schema validator, keyword by keyword."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import JsonSchema, Sample, Verdict, load
from rewardkit.rewards._json import MAX_DEPTH
from rewardkit.rewards._schema import _KINDS, MAX_PATTERN_CHARS, SchemaError, check_schema, first_problem

FITS = [
    ({"type": ["string", "null"]}, [None, "x"], [1, [], True]),
    ({"type": "integer"}, [1, 1.0, -3], [1.5, True, "1"]),
    ({"type": "number", "exclusiveMinimum": 0, "maximum": 2}, [0.1, 2], [0, 2.1]),
    ({"multipleOf": 0.1}, [0.3, 1, "x"], [0.35]),
    ({"multipleOf": 1.5}, [3 * 10**400, -(10**4000) * 3], [10**400 + 1]),
    ({"items": {"type": "integer"}, "uniqueItems": True}, [[10**400, 1, 10**400 + 1]], [[10**400, 1, 10**400], [10**400, 1.5]]),
    ({"maximum": 10}, [10, "x"], [11, float("inf")]),
    ({"type": "number", "multipleOf": 2}, [4], [float("inf")]),
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


SCHEMA, SCHEMAS, NAMED, NUMBER, COUNT = [True, {}], [[{}]], [{}, {"a": {}}], [0, 1.5, 2.0, -1], [0, 2.0]
TAKEN = {
    **dict.fromkeys(
        ("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames"), SCHEMA
    ),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), SCHEMAS),
    **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions"), NAMED),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains"), COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), COUNT),
    "type": ["null", ["null", "string"]],
    "enum": [[], [{}], ["a"], ["null", "string"]],
    "multipleOf": [1.5, 2.0],
    "pattern": ["null", "a"],
    "uniqueItems": [True],
    "required": [[], ["a"], ["null", "string"]],
    "dependentRequired": [{}, {"a": ["b"]}],
}
VALUES = [
    None,
    True,
    0,
    1.5,
    2.0,
    -1,
    float("inf"),
    "null",
    "a",
    [],
    [{}],
    ["a"],
    ["null", "string"],
    {},
    {"a": {}},
    {"a": ["b"]},
]


@pytest.mark.parametrize("keyword", TAKEN)
def test_a_keyword_takes_values_of_its_kind_alone(keyword):
    for value in VALUES:
        for schema in ({keyword: value}, {"items": {keyword: value}}, {"anyOf": [{keyword: value}, {}]}):
            if json.dumps(value) in map(json.dumps, TAKEN[keyword]):
                check_schema(schema)
            else:
                with pytest.raises(SchemaError):
                    check_schema(schema)


NODE = {
    "type": "object",
    "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
    "required": ["next"],
}
CHAIN = {"$defs": {"node": NODE}, "$ref": "#/$defs/node"}
TREE = {
    "$defs": {"t": {"anyOf": [{"items": {"$ref": "#/$defs/t"}, "minItems": n} for n in (9, 9, 0)]}},
    "$ref": "#/$defs/t",
}


@pytest.mark.parametrize(
    "circle",
    [
        {"$ref": "#"},
        {"anyOf": [{"type": "string"}, {"$ref": "#"}]},
        {"properties": {"a": {"not": {"$ref": "#/properties/a"}}}},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"if": {"$ref": "#/$defs/a"}}}},
    ],
)
def test_references_in_circles_are_the_schemas_fault_whatever_the_value_is(circle):
    with pytest.raises(SchemaError, match="circles"):
        check_schema(circle)
    assert load("json_schema").score([Sample(completion='"x"', ground_truth=circle)])[0].verdict is Verdict.UNJUDGED


@pytest.mark.parametrize(
    "schema", [CHAIN, TREE, {"items": {"$ref": "#"}}, {"allOf": [{"$ref": "#/$defs/x"}] * 2, "$defs": {"x": {}}}]
)
def test_a_reference_that_moves_on_is_no_circle(schema):
    check_schema(schema)


@pytest.mark.parametrize("schema", [{"$ref": "#/$defs/x"}, {"items": {"$ref": "#/$defs/x"}}, {"$ref": "http://a/b"}])
def test_a_reference_that_leads_nowhere_is_the_schemas_fault(schema):
    with pytest.raises(SchemaError, match="leads"):
        check_schema(schema)


def scored(text, schema):
    (score,) = load("json_schema").score([Sample(completion=text, ground_truth=schema)])
    return score.value, score.verdict


@pytest.mark.parametrize("depth", [1, MAX_DEPTH // 2, MAX_DEPTH - 1])
@pytest.mark.parametrize(
    ("schema", "text", "other"), [(CHAIN, '{"next":%s}', ("null", "1")), (TREE, "[%s]", ("[]", "1,2,3"))]
)
def test_depth_that_is_read_is_judged(schema, text, other, depth):
    good, odd = other
    for inner in (good, odd):
        nested = inner
        for _ in range(depth):
            nested = text % nested
        assert scored(nested, schema)[0] == (inner == good or schema is TREE)


@pytest.mark.long
@pytest.mark.parametrize("count", [100, 60_000])
def test_a_value_of_any_size_is_judged(count):
    numbers = {"type": "array", "items": {"type": "number"}}
    assert scored(f"[{','.join('1' * count)}]", numbers) == (1, Verdict.CORRECT)
    assert scored(f'[{",".join("1" * count)},"x"]', numbers) == (0, Verdict.WRONG)


def test_a_value_that_is_too_large_for_its_schema_pays_nothing(monkeypatch):
    monkeypatch.setattr("rewardkit.rewards._schema.MAX_STEPS", 1_000)
    schema = {"items": {"allOf": [{"minimum": number} for number in range(40)]}}
    assert scored(f"[{','.join('9' * 1_000)}]", schema) == (0, Verdict.WRONG)
    assert scored(f"[{','.join(['99'] * 1_000)}]", schema) == (0, Verdict.OUTPUT_LIMIT)


FENCED = ["```python\nprint(1)\n```\n", "```\nprint(1)\n```\n", "```js title=a\nf()\n```\n"]


@pytest.mark.parametrize("first", FENCED)
@pytest.mark.parametrize("last", ["", *FENCED])
def test_text_between_two_fences_is_no_fence(first, last):
    assert scored(f"{first}[1]\n{last}", True)[1] is Verdict.MALFORMED
    if not last.startswith("```\n"):
        assert scored(f"{first}```json\n[1]\n```\n{last}", True)[0] == 1


def test_no_ground_truth_is_needed_beside_a_schema():
    option = load('json_schema(schema=\'{"type": "array"}\')')
    assert option(completions=["[1]", "1"]) == [1, 0]
    column = [{"type": "array"}, {"type": "strin"}]
    assert load("json_schema")(completions=["[1]", "1"], schema=column) == [1, None]
    assert load("json_schema")(completions=["[1]"], schema=column[1:]) == [None]


TEXTS = st.lists(st.sampled_from(["```", "`", "json", "\n", "x", '"', "{", "}", "\u2028"]), max_size=8).map("".join)


@given(
    st.dictionaries(TEXTS, TEXTS, max_size=3),
    st.sampled_from([None, 2]),
    st.sampled_from(["```json", "Here: ```json", "<answer>```json", "```", "````json"]),
    st.sampled_from(["\nDone.", "", "</answer>", "<|im_end|>", ".", " is it."]),
)
def test_json_in_a_block_is_read_whatever_its_strings_hold(value, indent, opening, behind):
    block = f"{opening}\n{json.dumps(value, indent=indent, ensure_ascii=False)}\n{'`' * opening.count('`')}"
    text = f"So:\n{block}{behind}"
    for schema in ({"const": value}, json.dumps({"const": value})):
        assert load("json_schema").score([Sample(completion=text, ground_truth=schema)])[0].value == 1


@pytest.mark.parametrize(("schema", "value"), [("{}", 1), ("true", 1), ("false", 0)])
def test_schemas_of_everything_and_nothing(schema, value):
    for text in (f"json_schema(schema={schema!r})", "json_schema"):
        for truth in (schema, json.loads(schema)):
            assert load(text).score([Sample(completion="[1]", ground_truth=truth)])[0].value == value


def test_the_page_names_keywords_as_they_are():
    known, _, unknown = (JsonSchema.__doc__ or "").partition("Keywords:")[2].partition("Any other")
    assert set(re.findall(r"`(\w+)`", known)) <= _KINDS.keys()
    assert not set(re.findall(r"`(\w+)`", unknown)) - {"unjudged"} & _KINDS.keys()


PATTERN = {"pattern": "bad$"}
WITH_PATTERN = [
    PATTERN,
    {"not": PATTERN},
    {"if": PATTERN, "then": False},
    {"if": PATTERN, "else": False},
    {"oneOf": [PATTERN, {"minLength": 1}]},
    {"additionalProperties": False, "patternProperties": {"bad$": {}}},
    {"patternProperties": {"bad$": False}},
    {"propertyNames": {"not": PATTERN}},
]


@pytest.mark.parametrize("schema", WITH_PATTERN)
@pytest.mark.parametrize("end", ["bad", "good"])
def test_no_text_that_is_too_long_for_a_pattern_pays(schema, end):
    names = "patternProperties" in schema or "propertyNames" in schema
    for before, verdicts in (
        ("x", {Verdict.CORRECT, Verdict.WRONG}),
        ("x" * MAX_PATTERN_CHARS, {Verdict.OUTPUT_LIMIT}),
    ):
        text = json.dumps({before + end: 1} if names else before + end)
        assert scored(text, schema)[1] in verdicts
