"""The thoughts in a completion, as chat templates mark them. All readers are linear in its length."""

from __future__ import annotations

import re

ENDS = (
    "</think>", "</thinking>", "</thought>", "</reasoning>", "<|end_of_thought|>", "</start_working_out>", "<end_working_out>", "[/THINK]",
    "<|channel|>final<|message|>",
)  # fmt: skip
"""What closes a thought: DeepSeek-R1's and Qwen's tag, those of prompts and recipes, OpenThinker's, Mistral's, and the channel of gpt-oss in which the answer begins."""
BEGINS = r"<think(?:ing)?>|<\|begin_of_thought\|>|\[THINK\]|<\|channel\|>analysis<\|message\|>"
_BEGIN = re.compile(BEGINS)
_END = re.compile("|".join(map(re.escape, ENDS)))
_OPENED = re.compile(rf"(?:^|[.!?>])[ \t]*({BEGINS})|({BEGINS})(?=[ \t\r]*$)", re.MULTILINE)
"""A thought is opened at the start or end of a line, or behind a sentence or a tag. Elsewhere the tag is only named."""


def end_of_thoughts(text: str) -> int:
    """Where the last thought ends that is closed; 0 if there is none.

    >>> end_of_thoughts("<think>maybe 3</think>4")
    22
    """
    return max((at + len(mark) for mark in ENDS if (at := text.rfind(mark)) >= 0), default=0)


def after_thinking(text: str) -> str:
    """What stands behind the last thought; the whole text if there is none, nothing if a thought is opened there, as it never ends."""
    tail = text[end_of_thoughts(text) :]
    return "" if _OPENED.search(tail) else tail


def spoken(text: str) -> str:
    """The text without its thoughts, of which a rollout of several turns has several. The first may have been opened in the prompt."""
    closed = _END.search(text)
    if closed and not _BEGIN.search(text, 0, closed.start()):
        text = text[closed.end() :]
    parts, place = [""], 0
    while (begin := _BEGIN.search(text, place)) and (end := _END.search(text, begin.end())):
        parts.append(text[place : begin.start()])
        place = end.end()
    rest = text[place:]
    opened = _OPENED.search(rest)
    return "".join([*parts, rest if opened is None else rest[: opened.start(opened.lastindex or 0)]])
