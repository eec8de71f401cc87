"""The problem and its answer in the columns of a data set."""

from __future__ import annotations

from math import isfinite
from typing import Any, cast

from rewardkit.chat import content_text, is_chat
from rewardkit.coerce import plain, present


def answer_text(value: Any) -> str:
    """A text, a finite number or a boolean as text: a float that is a whole number (AMC's 27.0) loses its `.0`. Empty for all else.

    >>> answer_text(27.0), answer_text(" x "), answer_text(None), answer_text({"a": 1})
    ('27', 'x', '', '')
    """
    found = present(value)
    if isinstance(found, float):
        return "" if not isfinite(found) else str(int(found) if found.is_integer() else found)
    return str(found).strip() if isinstance(found, (str, int)) else ""


def answer_texts(value: Any) -> list[str]:
    """The answer of a row, or all of a list of alternatives; none if one of them is no answer.

    >>> answer_texts(["2", 0.5]), answer_texts(2), answer_texts([]), answer_texts(["2", None])
    (['2', '0.5'], ['2'], [], [])
    """
    found = present(value)
    texts = [answer_text(each) for each in (cast("list[Any]", found) if isinstance(found, list) else [found])]
    return texts if all(texts) else []


def turns(prompt: Any) -> list[str]:
    """The texts of a prompt, a text or a chat, without its system messages.

    >>> turns([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1+1?"}]), turns(" 2+2? "), turns(None)
    (['1+1?'], ['2+2?'], [])
    """
    found = plain(prompt)
    said = (
        [content_text(each) for each in found if each["role"] not in ("system", "developer")]
        if is_chat(found)
        else [answer_text(found)]
    )
    return [text.strip() for text in said if text.strip()]
