"""The three values of every interface: a sample, its verdict, its score."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import isfinite
from typing import Any, Self

from rewardkit import coerce
from rewardkit.chat import Message, completion_turns, final_text, is_chat, unreadable
from rewardkit.errors import UsageError, clip

_UNSAID: Any = object()
"""In place of a completion: a sample made in Python for its prompt, as attacks take them."""
_set = object.__setattr__
"""How a frozen value is made; after that nothing sets a field."""


class Verdict(StrEnum):
    """The result of a judgement. All but `unjudged` describe the completion; `unjudged` means that rewardkit could not judge it."""

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


_UNJUDGED = Verdict.UNJUDGED


@dataclass(frozen=True, slots=True, init=False)
class Sample:
    """One completion with everything that a reward may use. Rows of files and HTTP bodies have the same fields.

    Give `completion` as text, or as a chat (a list of messages), or give `messages` alone: then `completion` is the
    text of the last assistant message of `turns`, with `reasoning_content` put back in front as `<think>...</think>`.
    `dataclasses.replace` makes a changed copy.

    Values are kept as JSON has them, so that a sample equals its own row: arrays (numpy, pandas, pyarrow, polars, torch) become lists,
    dates and exact numbers text; sets stay sets. A value that is missing in a table (NaN, NA) is no ground truth.

    Raises:
        UsageError: a field is of another type, the completion is None without messages, or the text of the model cannot be read in these.
    """

    completion: str = ""
    """The final text of the model."""
    messages: tuple[dict[str, Any], ...] | None = None
    """The turns of a chat: assistant text, tool calls and tool results, in OpenAI's message shape."""
    prompt: str | tuple[dict[str, Any], ...] | None = None
    ground_truth: Any = None
    """The value that the reward compares with; its form depends on the reward. `None`: there is none."""
    data_source: str | None = None
    """The data set of the sample. `by_source` routes by it, and tables group by it."""
    completion_tokens: int | None = None
    """Length of the completion in tokens. If absent, `completion_ids` gives it."""
    completion_ids: tuple[int, ...] | None = None
    finish_reason: str | None = None
    """`stop`, `length`, `tool_calls` and so on, as reported by the inference server."""
    id: str | None = None
    group: str | None = None
    """Key of the group: samples of one prompt share it (GRPO's G completions). An empty one is None."""
    extra_info: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further fields, such as verl's `num_turns`."""

    def __init__(
        self,
        *,
        completion: str | Sequence[Message] | None = _UNSAID,
        messages: Sequence[Message] | None = None,
        prompt: str | Sequence[Message] | None = None,
        ground_truth: Any = None,
        data_source: str | int | None = None,
        completion_tokens: int | None = None,
        completion_ids: Sequence[int] | None = None,
        finish_reason: str | None = None,
        id: str | int | None = None,  # noqa: A002 - the name of the column
        group: str | int | None = None,
        extra_info: Mapping[str, Any] | None = None,
    ) -> None:
        completion, messages = coerce.plain(completion), coerce.plain(messages)
        if completion is _UNSAID:
            completion = "" if messages is None else None
        if completion is None and not messages:
            raise UsageError("no completion")
        if completion is not None and not isinstance(completion, str):
            if not is_chat(completion):
                raise UsageError(f"completion is {type(completion).__name__}, not text or a chat")
            completion, messages = None, messages or completion
        _set(self, "messages", None if messages is None else coerce.messages("messages", messages))
        _set(self, "prompt", prompt if prompt is None else coerce.text_or_messages("prompt", coerce.plain(prompt)))
        if completion is None:
            if is_chat(messages) and (problem := unreadable(self.turns)):
                raise UsageError(problem)
            completion = final_text(self.turns)
        _set(self, "completion", coerce.text("completion", completion))
        _set(self, "ground_truth", coerce.present(ground_truth))
        _set(self, "data_source", None if data_source is None else coerce.text_or_number("data_source", data_source))
        _set(
            self,
            "completion_tokens",
            None if completion_tokens is None else coerce.count("completion_tokens", completion_tokens),
        )
        _set(
            self,
            "completion_ids",
            None if completion_ids is None else coerce.integers("completion_ids", coerce.plain(completion_ids)),
        )
        _set(self, "finish_reason", None if finish_reason is None else coerce.text("finish_reason", finish_reason))
        _set(self, "id", None if id is None else coerce.text_or_number("id", id))
        _set(self, "group", (None if group is None else coerce.text_or_number("group", group)) or None)
        _set(self, "extra_info", {} if extra_info is None else coerce.mapping("extra_info", coerce.plain(extra_info)))

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """The sample of a row: its JSON object, in a file or an HTTP body.

        Raises:
            UsageError: a field is unknown or of another type, or there is no completion.
        """
        return cls(**{"completion": None, **_known(_SAMPLE, row)})

    def to_row(self) -> dict[str, Any]:
        """The sample as a row: the fields that are set."""
        row = {name: value for name, value in zip(_SAMPLE, _sample_values(self), strict=True) if value is not None}
        if not self.extra_info:
            del row["extra_info"]
        return row

    def to_json(self) -> str:
        """The row as JSON. Arrays and sets become lists, dates and exact numbers text. What JSON has no form for is left out
        of `extra_info`.

        Raises:
            UsageError: another field holds a value that JSON has no form for.
        """
        row = self.to_row()
        try:
            return _ENCODE(row)
        except Exception:  # noqa: BLE001 - it may hold objects with code of their own
            row["extra_info"] = {name: value for name, value in self.extra_info.items() if _has_json({name: value})}
        try:
            return _ENCODE(row)
        except Exception as error:  # noqa: BLE001 - likewise
            raise UsageError(f"the sample has no JSON form: {clip(str(error), 200)}") from None

    @property
    def turns(self) -> Sequence[Message]:
        """The messages that the model and its tools added to the prompt: those behind `prompt` if `messages` begin with it."""
        return completion_turns(self.messages or (), self.prompt)

    @property
    def tokens(self) -> int | None:
        """Completion length in tokens: `completion_tokens`, else the length of `completion_ids`, else None."""
        if self.completion_tokens is None and self.completion_ids is not None:
            return len(self.completion_ids)
        return self.completion_tokens


@dataclass(frozen=True, slots=True, init=False)
class Score:
    """The judgement of one sample. `value` is None exactly when the verdict is `unjudged`.

    Raises:
        UsageError: a field is of another type, or a number is not finite.
    """

    value: float | None
    """The reward that a trainer optimises. It is finite."""
    verdict: Verdict
    answer: str | None = None
    """The answer extracted from the completion."""
    reason: str = ""
    """One line that explains the verdict."""
    parts: dict[str, float | None] = field(default_factory=dict[str, float | None])
    """Values of the components, unweighted, by label."""
    elapsed_ms: float | None = None
    outcome: float | None = None
    """Value of a sum's first term, unweighted (the Score column). None if the reward is not a sum."""

    def __init__(
        self,
        *,
        value: float | None,
        verdict: Verdict | str,
        answer: str | None = None,
        reason: str = "",
        parts: Mapping[str, float | None] | None = None,
        elapsed_ms: float | None = None,
        outcome: float | None = None,
    ) -> None:
        if type(value) is not float or not isfinite(value):
            value = coerce.number("value", value)
        if type(verdict) is not Verdict:
            verdict = _verdict(verdict)
        if (value is None) != (verdict is _UNJUDGED):
            raise UsageError(f"value is None exactly when the verdict is unjudged, not {value} with {verdict}")
        _set(self, "value", value)
        _set(self, "verdict", verdict)
        _set(self, "answer", None if answer is None else coerce.text("answer", answer))
        _set(self, "reason", coerce.text("reason", reason))
        _set(self, "parts", coerce.numbers("parts", parts) if parts else {})
        _set(self, "elapsed_ms", None if elapsed_ms is None else coerce.number("elapsed_ms", elapsed_ms))
        _set(self, "outcome", None if outcome is None else coerce.number("outcome", outcome))

    @classmethod
    def of(
        cls,
        value: bool | float,
        *,
        verdict: Verdict | None = None,
        answer: str | None = None,
        reason: str = "",
        parts: dict[str, float | None] | None = None,
    ) -> Self:
        """A judged score. Without a `verdict`, 1 and more is correct, 0 and less is wrong, the rest is partial.

        >>> Score.of(True).verdict
        <Verdict.CORRECT: 'correct'>
        """
        if verdict is None:
            verdict = Verdict.CORRECT if value >= 1 else Verdict.WRONG if value <= 0 else Verdict.PARTIAL
        return cls(value=float(value), verdict=verdict, answer=answer, reason=reason, parts=parts or {})

    @classmethod
    def unjudged(cls, reason: str, *, parts: dict[str, float | None] | None = None) -> Self:
        """A failure of rewardkit: a score without a value."""
        return cls(value=None, verdict=Verdict.UNJUDGED, reason=" ".join(reason.split())[:500], parts=parts or {})

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """The score of a JSON object, as `rewardkit serve` answers.

        Raises:
            UsageError: a field is unknown, missing or of another type.
        """
        fields = _known(_SCORE, row)
        if not fields.keys() >= {"value", "verdict"}:
            raise UsageError(f"a score needs value and verdict, not {', '.join(fields) or 'nothing'}")
        return cls(**fields)

    def to_row(self) -> dict[str, Any]:
        """All fields by name."""
        return dict(zip(_SCORE, _score_values(self), strict=True))

    def to_json(self) -> str:
        """All fields as JSON."""
        return _ENCODE(self.to_row())

    def timed(self, elapsed_ms: float | None) -> Self:
        """A copy with the elapsed milliseconds and its own `parts`."""
        made = object.__new__(type(self))
        _set(made, "value", self.value)
        _set(made, "verdict", self.verdict)
        _set(made, "answer", self.answer)
        _set(made, "reason", self.reason)
        _set(made, "parts", dict(self.parts))
        _set(made, "elapsed_ms", elapsed_ms)
        _set(made, "outcome", self.outcome)
        return made

    @property
    def accuracy(self) -> int | None:
        """1 if the verdict is correct, 0 if it is not, None if there is none."""
        return None if self.value is None else int(self.verdict is Verdict.CORRECT)

    @property
    def outcome_value(self) -> float | None:
        """The Score column: the outcome before shaping terms were added."""
        return self.value if self.outcome is None or self.value is None else self.outcome


_SAMPLE = dict.fromkeys(field.name for field in fields(Sample))
_SCORE = dict.fromkeys(field.name for field in fields(Score))
_sample_values = operator.attrgetter(*_SAMPLE)
_score_values = operator.attrgetter(*_SCORE)


_ENCODE = json.JSONEncoder(default=coerce.json_value).encode


def _has_json(value: Any) -> bool:
    try:
        _ENCODE(value)
    except Exception:  # noqa: BLE001 - it may hold objects with code of their own
        return False
    return True


def _known(names: dict[str, None], row: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        row = coerce.mapping("the row", row)
    if not row.keys() <= names.keys():
        unknown = next(name for name in row if name not in names)
        raise UsageError(f"{unknown}: no such field; there are {', '.join(names)}")
    return row


def _verdict(value: Any) -> Verdict:
    try:
        return Verdict(value)
    except ValueError:
        raise UsageError(f"verdict: {value!r:.100} is none of {', '.join(Verdict)}") from None
