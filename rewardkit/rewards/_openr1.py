"""The layout that open-r1's regular expressions ask for, read in linear time."""

from __future__ import annotations

_OPENING = "<think>\n"
_MIDDLE = "\n</think>\n<answer>\n"
_CLOSING = "\n</answer>"
NO_LAYOUT = "not think and answer on their own lines"


def open_r1_answer(text: str) -> str | None:
    r"""What follows `<think>\n..\n</think>\n<answer>\n` up to the last `\n</answer>` that ends a line. None if text departs from it."""
    if not text.startswith(_OPENING):
        return None
    middle = text.find(_MIDDLE, len(_OPENING))
    if middle < 0:
        return None
    start = middle + len(_MIDDLE)
    end = len(text) - len(_CLOSING) if text.endswith(_CLOSING) else text.rfind(_CLOSING + "\n", start)
    return text[start:end] if end >= start else None
