"""One answer of a model as it was generated, before judgement, and the rule for thinking models.

The rule: the judge sees what the model wrote, character by character, as a reward does in training. Only if a server parsed the
thinking (`reasoning_content` or `reasoning`) or the prompt ended with `<think>` is that put back in front of the text. Rewards look
for the answer after the last `</think>`. Thinking that is never closed is all reasoning and no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from rewardkit import Sample, Score, Verdict
from rewardkit.chat import message_text

OPEN, CLOSE = "<think>", "</think>"
LOOP_TAIL_CHARS = 6_000
"""Only the end of a text is searched for a loop."""
LOOP_REPEATS = 4
"""A block that stands this many times in a row at the end is a loop."""
_LOOP_MARK = 40


class Generation(BaseModel):
    """The result of one request: a row of the journal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    """Hash of everything the answer depends on: prompt, sampling options, seed, repeat."""
    task: str
    doc_id: int
    rep: int
    seed: int
    text: str = ""
    """As it came, with the thinking if the server left it there."""
    reasoning: str | None = None
    """Thinking that the server took out of the text."""
    finish_reason: str | None = None
    tokens: int | None = None
    """Completion tokens, thinking and all turns included."""
    request_tokens: int | None = None
    """Those of all answers to one request, if the server counts only these: in the first of the answers, 0 in the others."""
    prompt_tokens: int | None = None
    """Prompt tokens of all requests of the answer, as they are billed."""
    reasoning_tokens: int | None = None
    """Those of `tokens` that were thought, if the server counts them."""
    messages: tuple[dict[str, Any], ...] | None = None
    """The whole conversation if tools were offered."""
    turns: int = Field(default=2, ge=0)
    """As verl counts them: user turns + assistant turns + 1."""
    tool_calls: int = 0
    tool_errors: int = 0
    stopped: str | None = None
    """Why a tool conversation was ended from outside: `max_turns` or `budget`."""
    error: str | None = None
    """Set if no answer could be generated: an infrastructure failure, not the model's."""
    latency_s: float | None = None
    source: str = ""
    """Hash of the model that was asked: served id, URL, revision or weights, tokenizer, chat template."""
    model: str | None = None
    """The model that answered, as the server names it."""

    @property
    def full_text(self) -> str:
        """Thinking and text as the judge sees them."""
        if self.reasoning is None:
            return self.text
        return message_text({"role": "assistant", "content": self.text, "reasoning_content": self.reasoning})

    @property
    def filtered(self) -> bool:
        """The provider's content filter ended it: evidence about the filter, not about the model."""
        return self.finish_reason == "content_filter"

    @property
    def truncated(self) -> bool:
        """The token limit ended it."""
        return self.finish_reason == "length" or self.stopped == "budget"


class Response(str):
    """An answer's text for lm-eval: a string with the `Generation` attached."""

    __slots__ = ("generation",)
    generation: Generation

    @classmethod
    def of(cls, generation: Generation) -> Self:
        """The full text, carrying its generation."""
        response = cls(generation.full_text)
        response.generation = generation
        return response


def opened(text: str, prompt: str) -> str:
    """A reply's text with the `<think>` that its prompt ended with.

    >>> opened("1 + 1</think>2", "What is 1 + 1? <think>")
    '<think>1 + 1</think>2'
    """
    return f"{OPEN}{text}" if OPEN not in text and prompt.rstrip().endswith(OPEN) else text


def split_thinking(text: str, reasoning: str | None = None) -> tuple[str | None, str]:
    """Thoughts and answer of one reply, for display and for calls and chats without the thoughts.

    >>> split_thinking("<think>1 + 1</think>2")
    ('1 + 1', '2')
    >>> split_thinking("2", "1 + 1")
    ('1 + 1', '2')
    >>> split_thinking("<think>no end")
    (None, '<think>no end')
    """
    if reasoning:
        return reasoning.strip(), text
    head, mark, tail = text.rpartition(CLOSE)
    if not mark:
        return None, text
    return head.strip().removeprefix(OPEN).strip(), tail.lstrip("\n")


def sample_of(doc: Mapping[str, Any], response: str) -> Sample:
    """The sample for the judge: the doc's question and ground truth with this response, turns and token counts."""
    extra: dict[str, Any] = dict(doc.get("extra_info") or {})
    fields: dict[str, Any] = {
        "completion": str(response),
        "prompt": doc.get("question"),
        "ground_truth": doc["ground_truth"],
        "data_source": doc["data_source"],
        "id": doc["id"],
        "group": doc["id"],
    }
    generation = getattr(response, "generation", None)
    if isinstance(generation, Generation):
        fields["messages"] = generation.messages
        fields["completion_tokens"] = generation.tokens
        fields["finish_reason"] = generation.finish_reason
        fields["id"] = f"{generation.task}/{generation.doc_id}/{generation.rep}"
        extra["num_turns"] = generation.turns
    else:
        extra["num_turns"] = 2  # one question, one answer: what stock lm-eval does
    return Sample(**fields, extra_info=extra)


CLASSES = (
    "correct", "wrong", "no_answer", "malformed", "truncated", "loop", "tool_error", "max_turns", "time_limit",
    "content_filter", "infra_error", "unjudged",
)  # fmt: skip
"""How an answer ended, one word each; `docs/harness.md` explains them."""


def classify(generation: Generation, score: Score | None) -> str:
    """The class of an answer: one word for why it is right or wrong."""
    if generation.error is not None:
        return "infra_error"
    if generation.filtered:
        return "content_filter"
    if score is None or score.verdict is Verdict.UNJUDGED:
        return "unjudged"
    if score.verdict is Verdict.CORRECT:
        return "correct"
    if score.verdict in {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT}:
        return "time_limit"
    if generation.stopped == "max_turns":
        return "max_turns"
    if generation.truncated:
        return "loop" if is_loop(generation.full_text) else "truncated"
    if generation.tool_calls and generation.tool_errors == generation.tool_calls:
        return "tool_error"
    if score.verdict is Verdict.NO_ANSWER:
        return "no_answer"
    if score.verdict in {Verdict.MALFORMED, Verdict.COMPILE_ERROR}:
        return "malformed"
    return "wrong"


def is_loop(text: str) -> bool:
    """The text ends with one block of characters over and over.

    >>> is_loop("Wait, let me check the sum again, it may be wrong. " * 20)
    True
    """
    tail = text[-LOOP_TAIL_CHARS:]
    mark = tail[-_LOOP_MARK:]
    before = tail.rfind(mark, 0, len(tail) - 1)
    if len(tail) < 4 * _LOOP_MARK or before < 0:
        return False
    period = len(tail) - len(mark) - before
    block = tail[-period:]
    return period * LOOP_REPEATS <= len(tail) and tail.endswith(block * LOOP_REPEATS)
