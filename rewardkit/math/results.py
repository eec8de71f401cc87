"""Results of the verifier: what it extracted, and how it judged."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Status(StrEnum):
    """The result of a judgement. Only `equal` earns a reward; `bad_gold` makes no statement about the answer."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NO_ANSWER = "no_answer"
    MALFORMED = "malformed"
    UNPARSED = "unparsed"
    LIMIT = "limit"
    BAD_GOLD = "bad_gold"


class Found(StrEnum):
    """How an extraction ended."""

    FOUND = "found"
    NO_ANSWER = "no_answer"
    MALFORMED = "malformed"


class Extraction(NamedTuple):
    """The final answer of a completion, as text."""

    answer: str | None
    status: Found
    how: str
    """What stated it: `box`, `boxes` (several, one answer), `tag`, `statement`, `hash` (####), `conclusion`, `bold`,
    `plain` (the completion is nothing but the answer), `last` (lenient only)."""
    parts: tuple[str, ...] = ()
    """The answers of labelled parts, (a), (b) and so on, if each part has a box of its own."""


class Judgement(NamedTuple):
    """One verdict, with its reason in one line."""

    equal: bool
    status: Status
    answer: str | None
    reason: str
    stage: str
    """The stage that decided: `gold`, `extract`, `text`, `number`, `choice`, `words`, `structure`, `exact`, `proof`..."""
    steps: tuple[str, ...] = ()
    """A description of each step; filled only on request."""
