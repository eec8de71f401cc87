"""Find the final answer of a completion: by scanning backwards, in linear time."""

from __future__ import annotations

import re
from functools import lru_cache

from rewardkit.math.extract.around import denied_before, denied_behind, other_before, with_what_is_behind
from rewardkit.math.extract.markup import unstruck, without
from rewardkit.math.extract.statement import last_formula, stated_answer
from rewardkit.math.extract.suppositions import leads_plainly, supposed
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.results import Extraction, Found

MAX_ANSWER_CHARS = 4_096
"""Longer answers are `malformed`: no reference answer in our data needs more than 700."""

_OPENER = "\\boxed{"
MAX_NESTED_BOXES = 4
"""So many boxes are looked for around a box, besides those right around it."""

SCAN_CHARS = 2 * MAX_ANSWER_CHARS
"""The closing brace of a box is looked for in so many characters."""

JOINED_CHARS = 200
"""Boxes further apart are not one answer."""

MAX_JOINED_BOXES = 40
"""At most so many boxes form one answer; the longest reference list in our data has 20 members."""

TAG_WINDOW = 20_000
"""An answer tag is looked for in so many characters at the end."""

_CLOSERS = re.compile(r"\}+")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BOX = re.compile(r"\\f?box(?:ed)?(?![A-Za-z])[ \t\n]*")
_ONLY_BOXES = re.compile(r"(?:\\f?box(?:ed)?\{| )*")
_SHALLOW = re.compile(
    r"\{[^{}\\]{0,200}+(?:(?:\\[^{}]|\{[^{}\\]{0,200}+(?:(?:\\[^{}]|\{[^{}\\]{0,200}\})[^{}\\]{0,200}+){0,40}+\})[^{}\\]{0,200}+){0,40}+\}"
)
"""A group with two levels of groups in it and no escaped brace."""
_BARE = re.compile(r"\\[A-Za-z]+|[^\s$\\,.;]+")
_CLOSED_THOUGHT = re.compile(
    r"</think(?:ing)?>|</thought>|</reasoning>|<\|end_of_thought\|>|</start_working_out>|<end_working_out>"
)
_OPENED_THOUGHT = re.compile(r"<think(?:ing)?>|<\|begin_of_thought\|>")
_CLOSE_TAG = re.compile(r"</(answer|final_answer|solution)>", re.IGNORECASE)
_OPEN_TAG = re.compile(r"<(answer|final_answer|solution)>", re.IGNORECASE)
_JOINER = re.compile(
    r"(?:\s|[,;&*$]|\\[()\[\],;:! ]|\\\\|\\q?quad\b|[-–•·](?=\s)|\d{1,2}[.)](?=\s|$)|\\item\b|\\(?:text|mathrm|textbf|mbox)\{"
    r"|[{}.:]|\b(?:and|or|also|either|both|as well as|another|the other|is|are|maybe|perhaps|possibly|alternatively"
    r"|case|else|respectively)\b|\\(?:text|land|lor|wedge|vee|newline|hfill|cup)\b"
    r"|for (?:part|case) \(?\w\)?"
    r"|\(?[A-Za-z](?:_\{?\w\}?)?(?:\([\w, ]{1,8}\))?(?:, ?[A-Za-z])*\)?\s*(?:=|\\in|:)){0,60}",
    re.IGNORECASE,
)


def strip_thinking(completion: str, *, unfinished: bool = False) -> str:
    """What stands after the last closed thought. A thought that was opened and never closed leaves nothing.

    >>> strip_thinking("<think>maybe 3</think> It is 4.")
    ' It is 4.'
    """
    if "<" not in completion:
        return completion
    completion = _without_markers(completion)
    if "<!--" in completion:
        completion = without(completion, "<!--", "-->")
    final = completion.rfind("<|channel|>final<|message|>")
    if final >= 0:
        completion = completion[final + 27 :]
    if "<" not in completion:
        return completion
    end = 0
    for match in _CLOSED_THOUGHT.finditer(completion):
        end = match.end()
    rest = completion[end:] if end else completion
    opened = None if unfinished else _OPENED_THOUGHT.search(rest)
    return rest[: opened.start()] if opened else rest


_TURN = re.compile(r"<\|im_start\|>user|<\|start_header_id\|>user|<\|user\|>")
_MARKERS = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "</s>",
    "<|end_of_text|>",
    "<|end|>",
    "<|end_of_solution|>",
    "<eos>",
    "<|im_start|>",
)


def _without_markers(text: str) -> str:
    """`text` without end-of-turn marks at its end and without a user turn that the model went on to make up."""
    turn = _TURN.search(text)
    if turn is not None:
        text = text[: turn.start()]
    while True:
        text = text.rstrip()
        mark = next((one for one in _MARKERS if text.endswith(one)), None)
        if mark is None:
            return text
        text = text[: -len(mark)]


def last_boxed(text: str) -> str | None:
    r"""The content of the last complete `\boxed{...}` or `\fbox{...}`, outermost where nested, or None.

    >>> last_boxed(r"first \boxed{1}, then \boxed{\frac{1}{2}}")
    '\\frac{1}{2}'
    """
    span = _last_box(text, len(text))
    return span[3] if span and span[3] is not None else None


def all_boxed(text: str) -> list[str]:
    """The contents of all complete outermost boxes, in order."""
    found: list[str] = []
    position = 0
    while match := _BOX.search(text, position):
        end, content = _box_content(text, match.end())
        if content is None:
            position = match.end()
            if not text.startswith("{", match.end()):
                continue
            break
        found.append(content)
        position = end
    return found


def extract(completion: str, policy: Policy = DEFAULT) -> Extraction:
    """The final answer: the last box; without a box the last explicit statement of an answer."""
    text = unstruck(completion)
    if "<" in text:
        text = strip_thinking(text, unfinished=policy.unfinished_thought)
        if not policy.boxed_only and (tag := _tag_answer(text)) is not None:
            return tag
    boxed = boxed_answer(text)
    if boxed is not None:
        return boxed
    if policy.boxed_only:
        return Extraction(None, Found.NO_ANSWER, "")
    stated = stated_answer(text, lenient=policy.lenient)
    if stated is not None:
        answer, how = stated
        if len(answer) > MAX_ANSWER_CHARS:
            return Extraction(None, Found.MALFORMED, how)
        return Extraction(answer, Found.FOUND, how)
    if policy.lenient and (last := last_formula(text)) is not None:
        return Extraction(last, Found.FOUND, "last")
    return Extraction(None, Found.NO_ANSWER, "")


def _last_box_start(text: str) -> int:
    return max(text.rfind("\\boxed"), text.rfind("\\fbox"))


def boxed_answer(text: str) -> Extraction | None:
    """The last box, joined with the boxes right before it that belong to the same statement."""
    only = text.rfind("\\boxed{")
    if only >= 0 and text.find("box") == text.rfind("box") == only + 1:
        end, content = _box_content(text, only + 6)
        if content is None or len(content) > MAX_ANSWER_CHARS:
            return Extraction(None, Found.MALFORMED, "box")
        return _standing(text, only, end, content, alone=True)
    last = _last_box(text, len(text))
    if last is None:
        return None
    start, end, inner, content = last
    if content is None:
        return Extraction(None, Found.MALFORMED, "box")
    if len(content) > MAX_ANSWER_CHARS:
        return Extraction(None, Found.MALFORMED, "box")
    contents = [content]
    names = [_name_before(text, start)]
    joined_or = False
    while len(contents) < MAX_JOINED_BOXES:
        before = _last_box(text, start, max(start - JOINED_CHARS - SCAN_CHARS - 10, 0))
        if before is None or before[3] is None or start - before[1] > JOINED_CHARS:
            break
        between = text[before[1] : start]
        if not joins(between):
            break
        joined_or = joined_or or " or" in between
        contents.append(before[3])
        start = before[0]
        names.append(_name_before(text, start))
    if len(contents) == 1:
        standing = _standing(text, start, end, content)
        return standing if inner is None or standing.answer != content else standing._replace(inner=inner)
    if not contents[0].strip():  # the last box is empty, as where it stands alone
        return Extraction(None, Found.MALFORMED, "boxes")
    if "" not in names and len(set(names)) == len(names) and not any("=" in one for one in contents):
        contents = [f"{name}={one}" for name, one in zip(names, contents, strict=True)]
    contents.reverse()
    unique = list(dict.fromkeys(one.strip() for one in contents))
    if len(unique) == 1:
        return Extraction(unique[0], Found.FOUND, "box", inner)
    if sum(map(len, unique)) > MAX_ANSWER_CHARS:
        return Extraction(None, Found.MALFORMED, "boxes")
    separator = r" \text{ or } " if joined_or else " , "
    return Extraction(separator.join(unique), Found.FOUND, "boxes")


def _standing(text: str, start: int, end: int, content: str, *, alone: bool = False) -> Extraction:
    """The one box of an answer (`alone`: of the text), unless it is struck out, denied, or said of an answer that is only supposed."""
    if text.startswith("{", start - 1) and (struck := _STRUCK.search(text, max(start - 9, 0), start)) is not None:
        before = _last_box(text, struck.start())
        if before is None or before[3] is None or len(before[3]) > MAX_ANSWER_CHARS:
            return Extraction(None, Found.NO_ANSWER, "box")
        return Extraction(before[3], Found.FOUND, "box")
    lead = text[start - MAX_LEAD_CHARS if start > MAX_LEAD_CHARS else 0 : start]
    if ("%" in lead or lead.endswith(_VERBATIM) or (not alone and "\\boxed{" in lead)) and _shown_only(
        lead.rpartition("\n")[2]
    ):
        return Extraction(None, Found.NO_ANSWER, "box")
    said = lead.find("answer is", -30)
    at = start - len(lead) + said
    plainly = said >= 0 and not lead[said + 9 :].strip(" $*:") and leads_plainly(text, at)
    if "ither " in lead and (other := other_before(lead)) is not None:
        return Extraction(rf"{other} \text{{ or }} {content}", Found.FOUND, "box")
    if not plainly and (denied_before(lead) or (said >= 0 and supposed(text, at))):
        return Extraction(None, Found.NO_ANSWER, "box")
    if not text[end : end + 12].strip("$.*)]}\\ \n`"):  # most boxes end their text or its paragraph
        return _held(content)
    if text[end] == "{" and text[end + 1 : end + 2] != "}":
        return Extraction(None, Found.MALFORMED, "box")
    if text[end : end + 2].lstrip("$").startswith("?") or denied_behind(text, end):
        return Extraction(None, Found.NO_ANSWER, "box")
    behind = with_what_is_behind(text, end, content)
    taken_back = bool(content) and not behind
    return Extraction(None if taken_back else behind, Found.NO_ANSWER if taken_back else Found.FOUND, "box")


@lru_cache(maxsize=1_024)
def _held(content: str) -> Extraction:
    """The answer in a box; kept, since those of a group are few."""
    return Extraction(content, Found.FOUND, "box")


MAX_LEAD_CHARS = 200
"""What stands further in front of a box does not make it an example or a comment."""


def _shown_only(line: str) -> bool:
    """Whether the line that a box stands on is a TeX comment, or shows the box as an example or verbatim."""
    return (
        line.lstrip(" $").startswith("%")
        or line.endswith(_VERBATIM)
        or ("\\boxed{" in line and _EXAMPLE.search(line) is not None)
    )


_STRUCK = re.compile(r"\\(?:[bx]?cancel|sout|st)\{\Z")
_VERBATIM = ("\\verb|", "\\verb+", "\\verb!", "\\verb ")
_EXAMPLE = re.compile(
    r"\\boxed\{[ .]{0,3}\}[$`*\s]{0,4}[,(]? ?(?:such as|like|e\.g\.|as in|for (?:example|instance))[,:]?[\s$`*]{0,4}\Z"
)
"""What makes a box the example of a form: "in \\boxed{}, such as"."""

_NAME_BEFORE = re.compile(r"(?<![A-Za-z\\_^])([A-Za-z](?:_[0-9])?) ?=[ $]*\Z")


def _name_before(text: str, start: int) -> str:
    """The letter whose value a box is, or nothing."""
    name = _NAME_BEFORE.search(text, max(start - 12, 0), start)
    return name[1] if name is not None else ""


def joins(between: str) -> bool:
    """Whether the text between two boxes makes them parts of one answer: commas, "and", bullets, labels.

    >>> joins(", and $y = "), joins(". Wait, that is wrong. It is ")
    (True, False)
    """
    text = between.strip()
    if text == "-" and "\n" in between:
        return True
    if len(text) > 120:
        return False
    if text.startswith(".") and _NEXT_ITEM.match(text) is None:
        return False
    match = _JOINER.match(text)
    if match is not None and match.end() == len(text):
        return True
    return len(text) <= 40 and _ALTERNATIVE.fullmatch(text) is not None and _REVISION.search(text) is None


_NEXT_ITEM = re.compile(r"\.[\s$]*(?:[-*•]|\d{1,2}[.)])\s")
_ALTERNATIVE = re.compile(r"[A-Za-z $\\{}()=,]*\bor\b[A-Za-z $\\{}()=,]*")
_REVISION = re.compile(
    r"\b(?:but|actually|wait|correct|final|then|so|thus|hence|therefore|instead|not|now|finally|we|is|it|after|next)\b",
    re.IGNORECASE,
)


def _last_box(text: str, end: int, low: int = 0) -> tuple[int, int, str | None, str | None] | None:
    """(start, end, innermost content, content) of the last box that begins from `low` and ends before `end`.

    The content is None where it is truncated.
    """
    start = max(text.rfind("\\boxed", low, end), text.rfind("\\fbox", low, end))
    if start < 0:
        return None
    match = _BOX.match(text, start)
    if match is None:
        return _last_box(text, start, low) if text.count("\\", 0, start) < 500 else None
    stop, content = _box_content(text, match.end())
    inner = None
    if content is None:
        return start, len(text), None, None
    if text.startswith("}", stop) and (around := _right_around(text, start, stop)):
        inner = content
        start, stop = start - around * len(_OPENER), stop + around
    for _ in range(MAX_NESTED_BOXES):
        low = max(start - MAX_ANSWER_CHARS, 0)
        outer = max(text.rfind("\\boxed", low, start), text.rfind("\\fbox", low, start))
        if outer < 0:
            break
        match = _BOX.match(text, outer)
        if match is None:
            break
        outer_stop, outer_content = _box_content(text, match.end())
        if outer_content is None or outer_stop < stop:
            break
        inner = inner or content
        start, stop, content = outer, outer_stop, outer_content
    if inner:
        around = content.split(inner, 1)
        if _ONLY_BOXES.fullmatch(around[0]) and not around[1].strip("} "):
            content = inner
    return start, stop, inner, content


def _right_around(text: str, start: int, stop: int) -> int:
    """How many boxes stand right around a piece of `text`; found in steps that double, since it may be thousands."""
    closed = _CLOSERS.match(text, stop)
    most = closed.end() - stop if closed is not None else 0
    found, step, growing = 0, 1, True
    while step:
        if found + step <= most and text.endswith(_OPENER * step, 0, start - found * len(_OPENER)):
            found += step
            step = 2 * step if growing else step // 2
        else:
            growing, step = False, step // 2
    return found


def _box_content(text: str, position: int) -> tuple[int, str | None]:
    """Where the box that opens at `position` ends, and what it holds; None where the text ends first."""
    if position >= len(text):
        return position, None
    if text[position] != "{":
        match = _BARE.match(text, position)
        return (match.end(), match[0]) if match else (position, None)
    end = position + SCAN_CHARS
    close = text.find("}", position, end)
    if close >= 0 and text[close - 1] != "\\" and text.find("{", position + 1, close) < 0:
        return close + 1, text[position + 1 : close]  # most answers hold no braces
    if (match := _SHALLOW.match(text, position)) is not None:
        return match.end(), match[0][1:-1]  # others few
    if text.find("\\{", position, end) < 0 and text.find("\\}", position, end) < 0:
        depth, close = 0, position - 1
        while True:
            before, close = close, text.find("}", close + 1, end)
            if close < 0:
                return len(text), None
            depth += text.count("{", before + 1, close) - 1
            if not depth:
                return close + 1, text[position + 1 : close]
    depth = 0
    for match in _BRACE.finditer(text, position, position + SCAN_CHARS):
        sign = match[0]
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return match.end(), text[position + 1 : match.start()]
    return len(text), None


def _tag_answer(text: str) -> Extraction | None:
    """The content of the last closed answer tag that ends after the last box; a box inside it is the answer."""
    low = max(len(text) - TAG_WINDOW, 0)
    if text.rfind("</", low) < 0:
        return None
    after = _last_box_start(text)
    close = None
    for match in _CLOSE_TAG.finditer(text, low):
        close = match
    if close is None or close.start() < after:
        return None
    opened = None
    for match in _OPEN_TAG.finditer(text, low, close.start()):
        if match[1].lower() == close[1].lower():
            opened = match
    if opened is None or opened.end() <= after:
        return None
    content = text[opened.end() : close.start()].strip()
    if not content or len(content) > MAX_ANSWER_CHARS:
        return Extraction(None, Found.MALFORMED, "tag")
    if "\n" in content or len(content) > 80:
        stated = stated_answer(content)
        if stated is not None:
            return Extraction(stated[0], Found.FOUND, "tag")
    return Extraction(content, Found.FOUND, "tag")
