"""What the four Unsloth rewards share: their tags and the answer between them."""

from __future__ import annotations

WORKING_END = "<end_working_out>"
SOLUTION_START = "<SOLUTION>"
SOLUTION_END = "</SOLUTION>"
END_OF_TEXT = ("<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<end_of_turn>", "<eos>", "</s>")
"""Tokens that may still stand behind the answer when a tokenizer keeps them."""


def framed_answer(text: str) -> str | None:
    """The `x` of `<end_working_out> .. <SOLUTION>x</SOLUTION>` at the end of the text, blanks kept. None without it."""
    text = text.rstrip()
    for token in END_OF_TEXT:
        text = text.removesuffix(token)
    text = text.rstrip()
    if not text.endswith(SOLUTION_END):
        return None
    working_end = text.find(WORKING_END)
    start = text.find(SOLUTION_START, working_end + len(WORKING_END)) if working_end >= 0 else -1
    if start < 0:
        return None
    return text[start + len(SOLUTION_START) : -len(SOLUTION_END)] or None
