"""What surrounds the answer of a completion and is no part of it: thoughts, end-of-turn marks, HTML, notes."""

from __future__ import annotations

import re

from rewardkit import thoughts
from rewardkit.math.extract import cues
from rewardkit.math.patterns import lazy

CALCULATED_CHARS = 8_000
"""Calculations are taken out of so many characters at the end."""

_OPENED_THOUGHT = lazy(thoughts.BEGINS)
_TURN = lazy(r"<\|im_start\|>user|<\|start_header_id\|>user|<\|user\|>")
_END_MARKS = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "</s>", "<|end_of_text|>", "<|end|>", "<|end_of_solution|>", "<eos>", "<|im_start|>")  # fmt: skip
_HTML = lazy(r"</?(?:b|strong|i|em|u|span|center|font)(?: [^<>]{0,80})?>", re.IGNORECASE)
_HTML_BREAK = lazy(r"</?(?:p|div|br|li|ul|ol|h[1-6])(?: [^<>]{0,80}| ?/)?>", re.IGNORECASE)
_CALCULATED = lazy(r"<<[-+*/().,=%0-9 ]{1,200}>>")
"""What a calculator was asked, as GSM8K writes it: <<48/2=24>>24."""

_LATEX_LABEL = lazy(rf"\\textbf ?\{{ ?({cues.NOUN}) ?([:：.]?) ?\}}", re.IGNORECASE)
_PROVEN = lazy(r"\s+(?:Q\.?E\.?D\.?|[∎□■]|\$?\\(?:blacksquare|square|qed|Box)\$?)\Z")


def strip_thinking(completion: str, *, unfinished: bool = False) -> str:
    """What stands after the last closed thought. A thought that was opened and never closed leaves nothing.

    >>> strip_thinking("<think>maybe 3</think> It is 4.")
    ' It is 4.'
    """
    if "<" not in completion and "THINK]" not in completion:
        return completion
    completion = _own_turn(completion)
    rest = completion[thoughts.end_of_thoughts(completion) :]
    opened = None if unfinished else _OPENED_THOUGHT.search(rest)
    return rest[: opened.start()] if opened else rest


def _own_turn(text: str) -> str:
    """`text` without end-of-turn marks at its end and without a user turn that the model went on to make up."""
    turn = _TURN.search(text)
    if turn is not None:
        text = text[: turn.start()]
    while True:
        text = text.rstrip()
        mark = next((one for one in _END_MARKS if text.endswith(one)), None)
        if mark is None:
            return text
        text = text[: -len(mark)]


def plain_text(text: str) -> str:
    """`text` without HTML around words, calculations between angle signs, a bold LaTeX label, a mark that a proof is done."""
    text = text.strip()
    if "</" in text or "<br" in text:
        text = _HTML_BREAK.sub("\n", _HTML.sub("", text)).strip()
    if "<<" in text:
        text = text[:-CALCULATED_CHARS] + _CALCULATED.sub("", text[-CALCULATED_CHARS:])
    if "\\textbf" in text:
        text = _LATEX_LABEL.sub(r"**\1\2**", text)
    done = _PROVEN.search(text, max(len(text) - 20, 0))
    return text if done is None else text[: done.start()]
