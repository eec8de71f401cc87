"""The three values that cross every border of rewardkit: a sample, its verdict, its score."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from rewardkit.chat import final_text, is_chat


class Verdict(StrEnum):
    """How a judgement ended. All but `unjudged` are said about the completion; `unjudged` is our own failure."""

    CORRECT = "correct"
    WRONG = "wrong"
    PARTIAL = "partial"
    NO_ANSWER = "no_answer"
    MALFORMED = "malformed"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    UNJUDGED = "unjudged"


def _clean_text(value: Any) -> Any:
    """Replace lone surrogates, which JSON can spell but UTF-8 cannot, so that no completion is refused."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-8", "replace").decode()
    return value


def _as_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else _clean_text(value)


Text = Annotated[str, BeforeValidator(_clean_text)]
Name = Annotated[str, BeforeValidator(_as_text)]


class Sample(BaseModel):
    """One completion with all that a judge may look at. Its JSON is the row, the HTTP body and the docs table.

    Give `completion` as text, or as a chat (a list of messages), or give `messages` alone: then `completion` is the
    text of the last assistant message, with `reasoning_content` put back in front as `<think>...</think>`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    completion: Text = ""
    """The final text of the model."""
    messages: tuple[dict[str, Any], ...] | None = None
    """The turns of a chat: assistant text, tool calls and tool results, in OpenAI's message shape."""
    prompt: Text | tuple[dict[str, Any], ...] | None = None
    ground_truth: Any = None
    """What the reward compares with. Its shape belongs to the reward; `None` means there is none."""
    data_source: Name | None = None
    """The data set a sample comes from; `by_source` routes on it and the tables group by it."""
    completion_tokens: Annotated[int, Field(ge=0)] | None = None
    """Length of the completion in tokens. Where absent, `completion_ids` gives it."""
    completion_ids: tuple[int, ...] | None = None
    finish_reason: str | None = None
    """`stop`, `length`, `tool_calls` and so on, as the inference server says it."""
    id: Name | None = None
    group: Name | None = None
    """Samples of one prompt share a group (GRPO's G completions)."""
    extra_info: dict[str, Any] = Field(default_factory=dict)
    """Everything else, for instance verl's `num_turns`."""

    @model_validator(mode="before")
    @classmethod
    def _read_chat(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        row = cast("dict[str, Any]", data)
        if is_chat(row.get("completion")):
            row = {**row, "messages": row.get("messages") or row["completion"]}
            del row["completion"]
        if row.get("messages") is not None and row.get("completion") is None and is_chat(row["messages"]):
            row = {**row, "completion": final_text(row["messages"])}
        return row

    @property
    def tokens(self) -> int | None:
        """Completion length in tokens: `completion_tokens`, else the length of `completion_ids`, else None."""
        if self.completion_tokens is None and self.completion_ids is not None:
            return len(self.completion_ids)
        return self.completion_tokens


class Score(BaseModel):
    """What a reward says of one sample. `value` is None exactly where the verdict is `unjudged`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: Annotated[float, Field(allow_inf_nan=False)] | None
    """The reward that a trainer optimises; NaN and infinities are refused."""
    verdict: Verdict
    answer: Text | None = None
    """What was extracted from the completion."""
    reason: Text = ""
    """One line: why this verdict."""
    parts: dict[str, Annotated[float, Field(allow_inf_nan=False)] | None] = Field(default_factory=dict)
    """Values of the components, unweighted, by label."""
    elapsed_ms: float | None = None
    outcome: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Value of a sum's first term, unweighted (the Score column). None where the reward is not a sum."""

    @model_validator(mode="after")
    def _unjudged_has_no_value(self) -> Self:
        if (self.value is None) != (self.verdict is Verdict.UNJUDGED):
            raise ValueError(
                f"value is None exactly where the verdict is unjudged, not {self.value} with {self.verdict}"
            )
        return self

    @classmethod
    def of(
        cls,
        value: bool | float,
        *,
        verdict: Verdict | None = None,
        answer: str | None = None,
        reason: str = "",
        parts: dict[str, float | None] | None = None,
    ) -> Score:
        """A judged score. Without a `verdict`, 1 and more is correct, 0 and less is wrong, the rest is partial.

        >>> Score.of(True).verdict
        <Verdict.CORRECT: 'correct'>
        """
        if verdict is None:
            verdict = Verdict.CORRECT if value >= 1 else Verdict.WRONG if value <= 0 else Verdict.PARTIAL
        return cls(value=float(value), verdict=verdict, answer=answer, reason=reason, parts=parts or {})

    @classmethod
    def unjudged(cls, reason: str, *, parts: dict[str, float | None] | None = None) -> Score:
        """Our own failure: no value, counted and shown."""
        return cls(value=None, verdict=Verdict.UNJUDGED, reason=" ".join(reason.split())[:500], parts=parts or {})

    def timed(self, elapsed_ms: float) -> Self:
        """A copy with the milliseconds that it took, and `parts` of its own.

        Does what `model_copy` does, in a fifth of its time: equal answers of a group cost little else.
        """
        made = type(self).__new__(type(self))
        write = object.__setattr__
        write(made, "__dict__", {**self.__dict__, "parts": dict(self.parts), "elapsed_ms": elapsed_ms})
        write(made, "__pydantic_fields_set__", self.model_fields_set | {"elapsed_ms"})
        write(made, "__pydantic_extra__", None)
        write(made, "__pydantic_private__", None)
        return made

    @property
    def accuracy(self) -> int | None:
        """1 where the verdict is correct, 0 where it is not, None where there is none."""
        return None if self.value is None else int(self.verdict is Verdict.CORRECT)

    @property
    def outcome_value(self) -> float | None:
        """The Score column: the outcome before shaping terms were added."""
        return self.value if self.outcome is None or self.value is None else self.outcome
