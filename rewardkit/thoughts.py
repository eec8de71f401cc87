"""The thoughts in a completion, as chat templates and prompts mark them. All readers are linear in its length."""

from __future__ import annotations

import re

PAIRS = {
    "<think>": ("</think>",),  # DeepSeek-R1, Qwen and most others
    "[THINK]": ("[/THINK]",),  # Magistral
    "<|begin_of_thought|>": ("<|end_of_thought|>",),  # OpenThinker
    # What prompts ask for, perhaps behind the answer:
    "<thinking>": ("</thinking>",),
    "<thought>": ("</thought>",),
    "<reasoning>": ("</reasoning>",),
    "<start_working_out>": ("<end_working_out>", "</start_working_out>"),  # Unsloth's recipes
}
"""What opens a thought, and what closes it. A prompt may have opened it."""
_OF_TEMPLATES = ("<think>", "[THINK]", "<|begin_of_thought|>")
_ENDS = {end: begin for begin, ends in PAIRS.items() for end in ends}
_ANALYSIS = "<|channel|>analysis<|message|>"
"""What opens a thought of gpt-oss, which `<|end|>` closes, or the channel in which the answer begins."""
BEGINS = "|".join(map(re.escape, (*_OF_TEMPLATES, "<thinking>", _ANALYSIS)))
"""What opens a thought wherever it stands, to `math`."""
_FINAL, _MESSAGE = "<|channel|>final", "<|message|>"
_END = {begin: re.compile("|".join(map(re.escape, ends))) for begin, ends in PAIRS.items()}
_BEGIN = re.compile("|".join(map(re.escape, PAIRS)))
_OPENED = re.compile(
    rf"(?:^|[.!?>])[ \t]*({_BEGIN.pattern})|({_BEGIN.pattern})(?=[ \t\r]*$)|({re.escape(_ANALYSIS)})", re.MULTILINE
)
"""A thought is opened at the start or end of a line, or behind a sentence or a tag. Elsewhere the tag is only named."""


def end_of_thoughts(text: str) -> int:
    """Where the last thought ends that is closed; 0 if there is none.

    >>> end_of_thoughts("<think>maybe 3</think>4")
    22
    """
    return max(_last_end(text)[1], _answer_of_channels(text))


def after_thinking(text: str) -> str:
    """What stands behind the last thought; the whole text if there is none, nothing if a thought is opened there, as it never ends. In
    front of a thought that a prompt asked for, and not the template, if nothing is said behind it.
    """
    text = _without_analysis(text)
    text = text[_answer_of_channels(text) :]
    begin, end = _last_end(text)
    tail = text[end:]
    if end and not tail.strip() and begin not in _OF_TEMPLATES:
        front = text[: max(0, text.rfind(begin, 0, end))]
        tail = front[_last_end(front)[1] :]
    return "" if _OPENED.search(tail) else tail


def spoken(text: str) -> str:
    """The text without its thoughts, of which a rollout of several turns has several. The first may have been opened in the prompt."""
    text = _without_analysis(text)
    head, closed, tail = text.partition("</think>")
    text = tail if closed and "<think>" not in head else text
    parts, place, look, endless = [""], 0, 0, set[str]()
    while begin := _BEGIN.search(text, look):
        kind, look = begin[0], begin.end()
        end = None if kind in endless else _END[kind].search(text, look)
        if end:
            parts.append(text[place : begin.start()])
            place = look = end.end()
        else:
            endless.add(kind)
    rest = text[place:]
    opened = _OPENED.search(rest)
    return "".join([*parts, rest if opened is None else rest[: opened.start(opened.lastindex or 0)]])


def _last_end(text: str) -> tuple[str, int]:
    """What opens the thought that ends last, and where it ends; 0 if none does."""
    ends = ((at + len(mark), begin) for mark, begin in _ENDS.items() if (at := text.rfind(mark)) >= 0)
    end, begin = max(ends, default=(0, ""))
    return begin, end


def _without_analysis(text: str) -> str:
    if _ANALYSIS not in text:
        return text
    said, *thoughts = text.split(_ANALYSIS)
    ended = (thought.partition("<|end|>") for thought in thoughts)
    return said + "".join(rest if end else _ANALYSIS + thought for thought, end, rest in ended)


def _answer_of_channels(text: str) -> int:
    """Where the answer of gpt-oss begins; 0 if it has no channel."""
    final = text.rfind(_FINAL)
    start = text.find(_MESSAGE, final, final + 60) if final >= 0 else -1  # `<|constrain|>json` may stand between
    return start + len(_MESSAGE) if start >= 0 else 0
