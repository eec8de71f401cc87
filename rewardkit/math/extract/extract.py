r"""Find the final answer of a completion: the last box with those that belong to it, else the last explicit statement. Linear in its length."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rewardkit.math.extract.markup import strip_thinking
from rewardkit.math.extract.statement import last, last_formula, stated_answer
from rewardkit.math.patterns import lazy
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.results import Extraction, Found

MAX_ANSWER_CHARS = 4_096
"""Longer answers are `malformed`: no reference answer in our data needs more than 700."""

SCAN_CHARS = 2 * MAX_ANSWER_CHARS
"""The closing brace of a box is looked for in so many characters."""

MAX_NESTED_BOXES = 4
"""So many boxes are looked for around a box."""

JOINED_CHARS = 200
"""Boxes further apart are not joined."""

MAX_JOINED_BOXES = 40
"""At most so many boxes form one answer; the longest reference list in our data has 20 members."""

MAX_PARTS = 10
"""At most so many labelled parts of a problem: (a) to (j)."""

_OPENER = "\\boxed{"
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BOX = re.compile(r"\\f?box(?:ed)?(?![A-Za-z])[ \t\n]*")
_ONLY_BOXES = re.compile(r"(?:\\f?box(?:ed)?\{| )*")
_BARE = lazy(r"\\[A-Za-z]+|[^\s$\\,.;]+")
_JOINER = lazy(
    r"(?:\s|[,;&*$.:{}]|\\[()\[\],;:! ]|\\\\|\\q?quad\b|[-–•·](?=\s)|\d{1,2}[.)](?=\s|$)|\\item\b|\\(?:text|mathrm|textbf|mbox)\{"
    r"|\b(?:and|or|also|either|both|as well as|respectively|part|case|for(?= part))\b|\\(?:land|lor|wedge|vee|newline|hfill|cup)\b"
    r"|\([a-j0-9ivx]{1,3}\)|(?<=part )\w\b|(?<=case )\w\b"
    r"|\(?[A-Za-z](?:_\{?\w\}?)?(?:\([\w, ]{1,8}\))?(?:, ?[A-Za-z])*\)?\s*(?:=|\\in|:)){0,60}",
    re.IGNORECASE,
)
"""What may stand between two boxes of one answer: punctuation, "and", "or", bullets, short labels."""

_NAME_BEFORE = lazy(r"(?<![A-Za-z\\_^])([A-Za-z](?:_[0-9])?) ?=[ $]*\Z")
_PART = lazy(r"(?:^|(?<=[\s*(]))(?:\(?([a-j])[).](?=[\s*:$\\])|Part \(?([a-j1-9])\)?(?=[*:. ]))", re.MULTILINE)
"""The label of a part of a problem: (a), b), "Part (c)", "Part 2"."""

TAG_WINDOW = 20_000
"""An answer tag is looked for in so many characters at the end."""

_MARK = re.compile(r"<(?:[/|]|think|end_working|eos)|\[/?THINK\]", re.IGNORECASE)
"""How each mark begins that surrounds an answer: of a thought, a turn, a tag."""

_CLOSE_TAG = lazy(r"</(answer|final_answer|solution)>|<\|end_of_(box)\|>", re.IGNORECASE)
_OPEN_TAG = lazy(r"<(answer|final_answer|solution)>|<\|begin_of_(box)\|>", re.IGNORECASE)


def extract(completion: str, policy: Policy = DEFAULT) -> Extraction:
    r"""The final answer of `completion`: the last box; without a box the last explicit statement of an answer.

    >>> extract("Since $3 < 4$, the answer is 4.").answer, extract(r"\boxed{3}, no, \boxed{4}").answer
    ('4', '4')
    """
    text = completion
    if ("<" in text or "THINK]" in text) and _MARK.search(text) is not None:
        text = strip_thinking(text, unfinished=policy.unfinished_thought)
        if not policy.boxed_only and (tag := _tag_answer(text)) is not None:
            return tag
    if "box" in text and (boxed := boxed_answer(text)) is not None:
        return boxed
    if policy.boxed_only:
        return NO_ANSWER
    stated = stated_answer(text, lenient=policy.lenient)
    if stated is None and policy.lenient and (formula := last_formula(text)) is not None:
        stated = formula, "last"
    if stated is None:
        return NO_ANSWER
    return Extraction(stated[0], Found.FOUND, stated[1])


NO_ANSWER = Extraction(None, Found.NO_ANSWER, "")


def _tag_answer(text: str) -> Extraction | None:
    """The content of the last closed answer tag that ends after the last box; a box inside it is the answer."""
    low = max(len(text) - TAG_WINDOW, 0)
    if text.rfind("</", low) < 0 and text.rfind("<|end_of_box|>", low) < 0:
        return None
    box = max(text.rfind("\\boxed"), text.rfind("\\fbox"))
    close = last(_CLOSE_TAG.finditer(text, low))
    if close is None or close.start() < box:
        return None
    name = _name(close)
    opened = last(one for one in _OPEN_TAG.finditer(text, low, close.start()) if _name(one) == name)
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


class Box(NamedTuple):
    """One box of a text: where it starts and ends, and what it holds (None where the text ends first)."""

    start: int
    end: int
    content: str | None


def last_boxed(text: str) -> str | None:
    r"""The content of the last complete `\boxed{...}` or `\fbox{...}`, outermost where nested, or None.

    >>> last_boxed(r"first \boxed{1}, then \boxed{\frac{1}{2}}")
    '\\frac{1}{2}'
    """
    box = _last_box(text, len(text))
    return None if box is None else box.content


def all_boxed(text: str) -> list[str]:
    """The contents of all complete outermost boxes, in order."""
    found: list[str] = []
    position = 0
    while match := _BOX.search(text, position):
        position, content = _content(text, match.end())
        if content is not None:
            found.append(content)
    return found


def boxed_answer(text: str) -> Extraction | None:
    r"""The answer in the last box of `text`, or None where there is no box.

    >>> boxed_answer(r"$x = \boxed{3}$ or $x = \boxed{5}$").answer
    '3 \\text{ or } 5'
    >>> boxed_answer(r"(a) \boxed{3} since 3 divides 6. (b) Now \boxed{5}").parts
    ('3', '5')
    """
    only = text.rfind(_OPENER)
    if only >= 0 and text.find("box") == text.rfind("box") == only + 1:
        _, content = _content(text, only + len(_OPENER) - 1)
        return _MALFORMED if content is None or len(content) > MAX_ANSWER_CHARS else _held(content)
    last = _last_box(text, len(text))
    if last is None:
        return None
    if last.content is None or len(last.content) > MAX_ANSWER_CHARS:
        return _MALFORMED
    group, either = _joined(text, last)
    contents = [box.content or "" for box in group]
    if not last.content.strip():
        return _MALFORMED
    before = (_NAME_BEFORE.search(text, max(box.start - 12, 0), box.start) for box in group)
    names = [name and name[1] for name in before]
    named = len(group) > 1 and None not in names and len(set(names)) == len(names)
    if named and not any("=" in one for one in contents):
        contents = [f"{name}={one}" for name, one in zip(names, contents, strict=True)]
    unique = list(dict.fromkeys(one.strip() for one in contents if one.strip()))
    if sum(map(len, unique)) > MAX_ANSWER_CHARS:
        return _MALFORMED
    if len(unique) == 1:
        return _held(unique[0])._replace(parts=_labelled_parts(text))
    answer = (r" \text{ or } " if either else " , ").join(unique)
    return Extraction(answer, Found.FOUND, "boxes", _labelled_parts(text))


@lru_cache(maxsize=1_024)
def _held(content: str) -> Extraction:
    """The answer in one box; cached, since the answers of a group are few."""
    return Extraction(content, Found.FOUND, "box")


_MALFORMED = Extraction(None, Found.MALFORMED, "box")


def _joined(text: str, last: Box) -> tuple[list[Box], bool]:
    """The boxes of the last answer in their order, and whether an "or" stands between them."""
    group = [last]
    either = False
    while len(group) < MAX_JOINED_BOXES:
        start = group[-1].start
        before = _last_box(text, start, max(start - JOINED_CHARS - SCAN_CHARS, 0))
        if before is None or before.content is None or not 0 <= start - before.end <= JOINED_CHARS:
            break
        between = text[before.end : start]
        if not joins(between):
            break
        either = either or " or" in between
        group.append(before)
    return group[::-1], either


def joins(between: str) -> bool:
    """Whether the text between two boxes makes them parts of one answer: commas, "and", bullets, labels.

    >>> joins(", and $y = "), joins(". Wait, that is wrong. It is ")
    (True, False)
    """
    text = between.strip()
    if text.endswith("\\"):  # of a space with a backslash
        text += " "
    if text == "-" and "\n" in between:
        return True
    match = _JOINER.match(text) if len(text) <= 120 else None
    if match is not None and match.end() == len(text):
        return text[:1] != "." or "\n" in between
    return _OR.fullmatch(text) is not None


_OR = lazy(r"[$\\)\]} ]{0,6}(?:[A-Za-z]{1,12}[, ]{1,2})?or[, ](?:[A-Za-z]{1,12} ?)?[$\\([ ]{0,6}")
"""An "or" between two values with a unit each."""


def _labelled_parts(text: str) -> tuple[str, ...]:
    """The boxes of the labelled parts of a problem, one for each of (a), (b) and so on; () where it has none.

    The last box behind each label is the answer of that part.
    """
    if ")" not in text and "." not in text:
        return ()
    starts: list[int] = []
    for label in _PART.finditer(text):
        name = label[1] or label[2]
        if len(starts) < MAX_PARTS and name in ("abcdefghij"[len(starts)], str(len(starts) + 1)):
            starts.append(label.end())
        elif name in "a1":
            starts = [label.end()]
    if len(starts) < 2:
        return ()
    values: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        box = _last_box(text, end, start)
        if box is None or not box.content or len(box.content) > MAX_ANSWER_CHARS:
            return ()
        values.append(box.content.strip())
    return tuple(values)


def _last_box(text: str, end: int, low: int = 0) -> Box | None:
    """The last box that begins from `low` and before `end`; of nested boxes the outermost, or what they all hold."""
    start = max(text.rfind("\\boxed", low, end), text.rfind("\\fbox", low, end))
    if start < 0:
        return None
    match = _BOX.match(text, start)
    if match is None:
        return None
    stop, content = _content(text, match.end())
    if content is None:
        return Box(start, len(text), None)
    inner = ""
    outer = start
    for _ in range(MAX_NESTED_BOXES):
        low = max(start - MAX_ANSWER_CHARS, 0)
        outer = max(text.rfind("\\boxed", low, outer), text.rfind("\\fbox", low, outer))
        match = _BOX.match(text, outer) if outer >= 0 else None
        if match is None:
            break
        outer_stop, outer_content = _content(text, match.end())
        if outer_content is None:
            break
        if outer_stop >= stop:
            inner = inner or content
            start, stop, content = outer, outer_stop, outer_content
    if inner:
        before, _, behind = content.partition(inner)
        if _ONLY_BOXES.fullmatch(before) and not behind.strip("} "):
            content = inner
    return Box(start, stop, content)


def _content(text: str, position: int) -> tuple[int, str | None]:
    """Where the box that opens at `position` ends, and what it holds; None where the text ends first."""
    if position >= len(text):
        return position, None
    if text[position] != "{":
        match = _BARE.match(text, position)
        return (match.end(), match[0]) if match else (position, None)
    end, close, depth = position + SCAN_CHARS, position, 0
    while (following := text.find("}", close, end)) >= 0:
        depth += text.count("{", close, following) - 1
        close = following + 1
        if not depth:
            break
    content = text[position:close]
    if content and not depth and "\\{" not in content and "\\}" not in content:
        return close, content[1:-1]  # no escaped braces, as in most answers
    depth = 0
    for match in _BRACE.finditer(text, position, end):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.end(), text[position + 1 : match.start()]
    return len(text), None
