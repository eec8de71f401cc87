"""Shared by the Unsloth rewards: the tags and the answer between them, as published and corrected."""

from __future__ import annotations

import re

WORKING_END = "<end_working_out>"
SOLUTION_START = "<SOLUTION>"
SOLUTION_END = "</SOLUTION>"
EOS_TOKEN = "<|endoftext|>"  # noqa: S105 - no password
"""The end-of-text token of Qwen3-4B-Base, which the notebook trains."""
END_OF_TEXT = ("<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<end_of_turn>", "<eos>", "</s>")
"""Tokens that may still follow the answer when a tokenizer keeps them."""
_BLANKS = re.compile(r"\s*")


def framed_answer(text: str, *, eos_token: str, fixed: bool) -> str | None:
    """The `x` of `<end_working_out> .. <SOLUTION>x</SOLUTION>`, blanks kept. None without it."""
    working_end = text.find(WORKING_END)
    start = text.find(SOLUTION_START, working_end + len(WORKING_END)) if working_end >= 0 else -1
    if start < 0:
        return None
    start += len(SOLUTION_START)
    end = _last_end(text) if fixed else _first_end_of_line(text, start + 1, eos_token)
    return text[start:end] if end > start else None


def _last_end(text: str) -> int:
    """Where the `</SOLUTION>` at the end of the text begins, whatever end-of-text token follows; -1 without one."""
    text = text.rstrip()
    for token in END_OF_TEXT:
        text = text.removesuffix(token)
    text = text.rstrip()
    return len(text) - len(SOLUTION_END) if text.endswith(SOLUTION_END) else -1


def _first_end_of_line(text: str, start: int, eos_token: str) -> int:
    r"""Where the first `</SOLUTION>` begins that only blanks and one `eos_token` divide from the end of a line; -1 without one.

    The published pattern is compiled with MULTILINE, so that its `$` is the end of any line. This does what it does
    (`</SOLUTION>[\s]{0,}(?:EOS)?[\s]{0,}$`) in time linear in the length of the text.
    """
    while (end := text.find(SOLUTION_END, start)) >= 0:
        blanks = _after_blanks(text, end + len(SOLUTION_END))
        if blanks is None or (
            text.startswith(eos_token, blanks) and _after_blanks(text, blanks + len(eos_token)) is None
        ):
            return end
        start = end + len(SOLUTION_END)
    return -1


def _after_blanks(text: str, start: int) -> int | None:
    """Where the blanks from `start` end; None if a line or the text ends in them."""
    match = _BLANKS.match(text, start)
    end = match.end() if match else start
    return None if end == len(text) or "\n" in text[start:end] else end
