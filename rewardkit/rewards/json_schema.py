"""JSON that fits a schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError, UsageError, clip
from rewardkit.rewards._json import parse_json
from rewardkit.rewards._schema import SchemaError, TooLargeError, check_schema, first_problem, patterns_of
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

_OPENING = re.compile(r"^[ \t]*```([^`]*)$|```(?:json|JSON)?\s*$")


@dataclass(frozen=True, kw_only=True)
class JsonSchema(SampleReward):
    """1 if the completion's JSON fits the schema, else 0. The schema is the option, the ground truth, or `extra_info["schema"]`.

    The JSON is the whole text after the thinking, else the last fenced block, else with `strict=False` the text
    between the first and the last bracket. A block ends with backticks at the start or the end of a line.

    Keywords: `type`, `enum`, `const`, the bounds of numbers, lengths and counts, `multipleOf`, `pattern`, `properties`, `patternProperties`,
    `additionalProperties`, `propertyNames`, `required`, `dependentRequired`, `items`, `prefixItems`, `contains`, `uniqueItems`, `allOf`,
    `anyOf`, `oneOf`, `not`, `if`, and `$ref` to a part named in the schema (`#/$defs/name`). Any other (`format`, `unevaluatedItems`,
    `dependentSchemas`, `$anchor`), or a broken one, is `unjudged`, not ignored. A pattern may backtrack without end; in a trainer,
    `isolated` judges rows in workers that can be killed.
    """

    name: ClassVar[str] = "json_schema"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "JSON Schema 2020-12 (validation)"
    needs: ClassVar[tuple[str, ...]] = ("completion",)
    bounded: ClassVar[bool] = True

    schema: str = ""
    """The schema as JSON text."""
    strict: bool = True
    """Accept only JSON, alone or in one fenced block."""

    def __post_init__(self) -> None:
        if self.schema:
            value = parse_json(self.schema)
            try:
                check_schema(value)
            except SchemaError as error:
                raise UsageError(f"json_schema: schema: {error}") from None

    @property
    def patterns(self) -> tuple[str, ...]:
        """Those of the schema, where it is an option."""
        return tuple(patterns_of(parse_json(self.schema))) if self.schema else ()

    @property
    def takes_pattern(self) -> bool:
        """The schema has one, or comes with each row and may have one."""
        return not self.schema or bool(self.patterns)

    def grade(self, sample: Sample) -> Score:
        """Find the JSON and check it."""
        schema = self._schema(sample)
        text = sample.completion.strip()
        if parse_json(text) is None:  # else a thought is one within the JSON
            text = after_thinking(text).strip()
        value, found = self._value(text)
        if not found:
            verdict = Verdict.MALFORMED if text else Verdict.NO_ANSWER
            return Score.of(False, verdict=verdict, reason="no JSON found")
        try:
            problem = first_problem(value, schema)
        except TooLargeError as error:
            return Score.of(False, verdict=Verdict.OUTPUT_LIMIT, reason=f"the JSON is too large: {error}")
        return Score.of(not problem, answer=clip(text, 200), reason=problem or "fits the schema")

    def _schema(self, sample: Sample) -> Any:
        given: Any = self.schema or sample.ground_truth
        if given is None:
            given = sample.extra_info.get("schema")
        schema = parse_json(given) if isinstance(given, str) else given
        try:
            check_schema(schema)
        except SchemaError as error:
            raise GroundTruthError(f"schema: {error}") from None
        return schema

    def _value(self, text: str) -> tuple[Any, bool]:
        candidates = [text, *_fenced(text)[-1:]]
        if not self.strict:
            starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
            end = max(text.rfind("}"), text.rfind("]"))
            candidates += [text[min(starts) : end + 1]] if starts and end >= 0 else []
        for candidate in candidates:
            value = parse_json(candidate)
            if value is not None or candidate.strip() == "null":
                return value, True
        return None, False


def _fenced(text: str) -> list[str]:
    """The fenced blocks of JSON, or of no language."""
    blocks: list[str] = []
    language, lines = "", list[str]()
    opened = False
    for line in text.split("\n"):
        end = line.rstrip()
        begins = end.lstrip().startswith("```")
        if opened and (begins or end.endswith("```")):
            opened = False
            if language in {"", "json", "JSON"}:
                blocks.append("\n".join([*lines, "" if begins else end.rstrip("`")]))
        elif opened:
            lines.append(line)
        elif match := _OPENING.search(line):
            opened, language, lines = True, (match[1] or "").strip(), []
    return blocks
