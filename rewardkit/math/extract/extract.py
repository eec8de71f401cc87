"""Find the final answer of a completion: the last box, else the last explicit statement. Linear in its length."""

from __future__ import annotations

import re

from rewardkit.math.extract.boxes import MAX_ANSWER_CHARS, boxed_answer, last_start
from rewardkit.math.extract.markup import strip_thinking
from rewardkit.math.extract.statement import last_formula, stated_answer
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.results import Extraction, Found

TAG_WINDOW = 20_000
"""An answer tag is looked for in so many characters at the end."""

_CLOSE_TAG = re.compile(r"</(answer|final_answer|solution)>|<\|end_of_(box)\|>", re.IGNORECASE)
_OPEN_TAG = re.compile(r"<(answer|final_answer|solution)>|<\|begin_of_(box)\|>", re.IGNORECASE)


def extract(completion: str, policy: Policy = DEFAULT) -> Extraction:
    r"""The final answer of `completion`: the last box; without a box the last explicit statement of an answer.

    >>> extract("Since $3 < 4$, the answer is 4.").answer, extract(r"\boxed{3}, no, \boxed{4}").answer
    ('4', '4')
    """
    text = completion
    if "<" in text:
        text = strip_thinking(text, unfinished=policy.unfinished_thought)
        if not policy.boxed_only and (tag := _tag_answer(text)) is not None:
            return tag
    if "box" in text and (boxed := boxed_answer(text)) is not None:
        return boxed
    if policy.boxed_only:
        return NO_ANSWER
    stated = stated_answer(text, lenient=policy.lenient)
    if stated is None and policy.lenient and (last := last_formula(text)) is not None:
        stated = last, "last"
    if stated is None:
        return NO_ANSWER
    answer, how = stated
    if len(answer) > MAX_ANSWER_CHARS:
        return Extraction(None, Found.MALFORMED, how)
    return Extraction(answer, Found.FOUND, how)


NO_ANSWER = Extraction(None, Found.NO_ANSWER, "")


def _tag_answer(text: str) -> Extraction | None:
    """The content of the last closed answer tag that ends after the last box; a box inside it is the answer."""
    low = max(len(text) - TAG_WINDOW, 0)
    if text.rfind("</", low) < 0 and text.rfind("<|end_of_box|>", low) < 0:
        return None
    box = last_start(text)
    close = None
    for match in _CLOSE_TAG.finditer(text, low):
        close = match
    if close is None or close.start() < box:
        return None
    name = _name(close)
    opened = None
    for match in _OPEN_TAG.finditer(text, low, close.start()):
        if _name(match) == name:
            opened = match
    if opened is None or opened.end() <= box:
        return None
    content = text[opened.end() : close.start()].strip()
    if not content or len(content) > MAX_ANSWER_CHARS:
        return Extraction(None, Found.MALFORMED, "tag")
    if ("\n" in content or len(content) > 80) and (stated := stated_answer(content)) is not None:
        content = stated[0]
    return Extraction(content, Found.FOUND, "tag")


def _name(tag: re.Match[str]) -> str:
    return (tag[1] or tag[2]).lower()
