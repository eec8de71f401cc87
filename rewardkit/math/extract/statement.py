"""Answers stated without a box: "The answer is 5", "Answer: 5", "#### 5", a concluding sentence, a bare value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewardkit.math.extract import cues, sentence
from rewardkit.math.extract.markup import plain_text
from rewardkit.math.latex.normalise import BOLD
from rewardkit.math.patterns import lazy
from rewardkit.math.text.number_words import spelled_number

MAX_STATEMENT_CHARS = 1_000
"""A stated answer is looked for in this many characters behind its marker."""
LATE_CHARS = 400
"""A statement that stands further back than this yields to a concluding sentence at the end."""

MAX_MARKERS = 48
"""This many of the last mentions of the word "answer", in any language, are tried."""

_LETTER = "[a-zß-öø-ÿа-яё]"
_EDGE = rf"(?:(?<!{_LETTER})|(?!{_LETTER}))"


def _statement(words: cues.Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What states the answer in a language, from its noun on; what in front of the noun makes it no statement."""
    states = (
        rf"(?<!{_LETTER})(?:{'|'.join(words.nouns)})s?(?: (?:{words.behind}))?(?: ?\*{{1,2}})?"
        rf"(?:, [^.,\n:=?]{{1,40}},|(?: (?:{words.of}) [^.\n:=?]{{1,80}}?)?)(?: ?\*{{1,2}})?(?: ?[(（][^()\n]{{0,40}}[)）])?"
        rf" ?(?:(?<![A-Za-z])(?:{words.be})|[=:：])(?:[,，]? ?(?:{words.adverbs}){_EDGE}[,，]?|[:：]){{0,3}}(?: ?\*{{1,2}}(?!\*))?{_EDGE}"
    )
    denied = rf"(?<!{_LETTER})(?:(?:{words.denied}){words.near}|(?:{words.condition}){words.far})\Z"
    return lazy(states, re.IGNORECASE), lazy(denied, re.IGNORECASE)


_STATEMENTS = {noun: found for words in cues.LANGUAGES for found in [_statement(words)] for noun in words.nouns}
_HEADING = lazy(rf"[#*_ \t]*(?:{cues.NOUN})[ *:：_#.]{{0,8}}\n", re.IGNORECASE)
_STEPS_BELOW = lazy(r"[:*_ ]*\n[\s*]*\d{1,2}[.)] +\**[A-Z][a-z]+ ?[a-z]*")
"""A numbered list of steps."""

_LINE_LABEL = lazy(
    rf"^[ \t>*_#]{{0,6}}(?:(?:A|Ans|Result|Final result|Solution set|{cues.NOUN})[ *_]{{0,4}}[:：]|Ans =|(?:{cues.NOUN}|(?:Final )?Ans)\.(?=[ *])"
    rf"|[\[【](?:{cues.NOUN})[\]】]|(?:{cues.NOUN}) +[-–—](?= )"
    r"|Solutions?[ *_]{0,4}[:：](?=[ *_]{0,4}\$[^$\n]{1,400}\$\W{0,9}\Z))",
    re.IGNORECASE | re.MULTILINE,
)
_OPTION_IS_RIGHT = lazy(r"\b(?:option|choice|statement) \(?([A-J])\)? is (?:therefore |thus )?(?:the )?(?:correct|right|best)\b|(?:^|[.!?\n])\s*\**\(?([A-J])\)?\** is (?:therefore |thus )?(?:the )?(?:correct|right|best) (?:answer|option|choice)[.!*)\s]*\Z", re.IGNORECASE)  # fmt: skip
_VALUE_FIRST = lazy(
    r"(?:^|[.!?]\s|\n)\s*(?:(?:so|thus|hence|therefore|then|finally),? )?(?P<v>(?:[^.!?\n]|\.(?=\d)){1,80}?) (?:is|are) (?:thus |therefore |indeed )?(?:the|my|our) "
    r"(?:(?:final|correct|right|required|desired) )?answer[.!*\s]*\Z",
    re.IGNORECASE,
)
"""A last sentence in which the value comes first: "12 is the answer"."""

_JUDGED = lazy(rf"(?:{cues.JUDGED})[.!。！]?", re.IGNORECASE)
_QUOTED = lazy(r"[\"'](?:final_)?answer[\"'] ?: ?(?:\"([^\"\n]{1,200})\"|(-?[0-9][0-9.,/]{0,60}?)) ?(?=[,}\n])", re.IGNORECASE)  # fmt: skip
"""An answer in JSON."""

_MARKERS = lazy(cues.MARKERS, re.IGNORECASE)
_LAST_NUMBER = lazy(r"(?<![\w.])[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?(?:/\d+)?(?: ?(?:%|percent|pct))?")
_TWO_SENTENCES = lazy(r"[.!] [A-Z][a-z]")


def stated_answer(text: str, *, lenient: bool = False) -> tuple[str, str] | None:
    """(answer, how) of the last explicit answer statement, or None.

    >>> stated_answer("We add. The answer is $5$ cm.")
    ('$5$ cm', 'statement')
    """
    text = plain_text(text)
    if not text:
        return None
    hashes = text.rfind("####")
    if hashes >= 0:
        line = text[hashes + 4 : hashes + 4 + MAX_STATEMENT_CHARS].lstrip(" #").split("\n", 1)[0].strip()
        if line and (not sentence.WORD.match(line) or text.endswith(line)):
            return line, "hash"
    marked = _marked(text)
    if marked is not None:
        answer, start = marked
        if not answer or (text.endswith(answer) and sentence.breaks_off(answer)):
            return None
        if len(text) - start > LATE_CHARS + len(answer):
            if text[-1] not in _ENDS_OF_TEXT:
                return None  # broken off: the last statement is yet to come
            return sentence.concluding_value(text) or (answer, "statement")
        return answer, "statement"
    wordy = lenient and (sentence.MATH_SPAN.search(text) is not None or text.count(" ") > 3)
    alone = len(text) <= 200 and "\n" not in text and not wordy and not _TWO_SENTENCES.search(text)
    if alone and sentence.is_value(text):
        return sentence.sentence_value(text) or text if sentence.BEGINS.match(text) else text, "plain"
    return sentence.concluding_value(text) or _repeated_output(text)


_PROGRAM = lazy(r"```output\n\s*([^\n`]{1,60}?)\s*\n```\s*([^\n`]{1,300})\Z")


def _repeated_output(text: str) -> tuple[str, str] | None:
    """The output of a program where the one sentence behind it begins with it: "5 cars drove through the jam"."""
    program = _PROGRAM.search(text, max(len(text) - 500, 0)) if "```output" in text[-500:] else None
    if program is None:
        return None
    output = program[1].removesuffix(".0")
    first = program[2].split(" ", 1)[0]
    same = first.strip("$€£%,").replace(",", "") == output or str(spelled_number(first)) == output
    value = (sentence.sentence_value(program[2]) or "").strip("$\\() ")
    return (output, "output") if same or value == output else None


_ENDS_OF_TEXT = frozenset(".!?。]$)*}`")


def _marked(text: str) -> tuple[str, int] | None:
    """The value behind the last marker of an answer, and where it begins."""
    tail_at = max(len(text) - LATE_CHARS, 0)
    if text.endswith(("}", "```", "]")) and (quoted := last(_QUOTED.finditer(text, max(len(text) - 300, 0)))):
        return quoted[1] or quoted[2], quoted.start()
    low = text.lower()
    position = len(text) if len(low) == len(text) else 0  # a letter whose lower case is longer shifts positions
    nouns = [one for one in _STATEMENTS if one in low]
    for _ in range(MAX_MARKERS):
        position, noun = max(((low.rfind(one, 0, position), one) for one in nouns), default=(-1, ""))
        if position < 0:
            break
        start = _end_of_marker(text, position, *_STATEMENTS[noun])
        if start is None or _STEPS_BELOW.match(text, start) is not None:
            continue
        if (answer := stated_value(text, start)) and _JUDGED.fullmatch(answer) is None:
            later = None if noun == "answer" else _behind_marker(text, max(start, tail_at))
            return later if later is not None and later[0] else (answer, start)
    label = last(_LINE_LABEL.finditer(text, tail_at))
    if label is not None and _STEPS_BELOW.match(text, label.end()) is None:
        return stated_value(text, label.end()), label.end()
    if (option := last(_OPTION_IS_RIGHT.finditer(text, tail_at))) is not None:
        return option[1] or option[2], option.start()
    first = _VALUE_FIRST.search(text, tail_at)
    if first is not None and sentence.is_value(value := first["v"].strip(" *.")):
        return value, first.start()
    return _behind_marker(text, tail_at)


def _behind_marker(text: str, start: int) -> tuple[str, int] | None:
    """The value behind the last of the other markers from `start` on, and where it begins."""
    marker = last(_MARKERS.finditer(text, start))
    return None if marker is None else (stated_value(text, marker.end()), marker.end())


def _end_of_marker(text: str, position: int, states: re.Pattern[str], denied: re.Pattern[str]) -> int | None:
    """Where the marker ends that the noun at `position` belongs to: "answer is", a heading; None for any other."""
    if (match := states.match(text, position)) is not None:
        return None if denied.search(text, max(position - 100, 0), position) else match.end()
    heading = _HEADING.match(text, max(text.rfind("\n", 0, position) + 1, position - 40))
    return heading.end() if heading is not None and heading.end() > position else None


_LEAD = lazy(r"(?:[ \t\r_:：#`]|--+|\n(?:[ \t]*(?:>|-(?=\s)))?|\*(?!\*)|\*\*(?=\s))*")
"""What may be between a marker and its value; a minus on its line belongs to it, a bullet does not."""

_BOLD_VALUE = lazy(
    r"\*\*([^*\n]{1,200}?)[.:]?\*\*(?=\s*(?:[:.,;!?(–—-]|\Z|\n|because\b|since\b|as\b|です|である|입니다|이다))"
)
_FORMULAS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_SENTENCE_END = lazy(r"(?:(?<!\.)\.(?!\.)|[?。]|(?<![\d\w)}])!)(?=[\s*\"')\]]|$)|[。？！\n]")
_CLAUSE_END = lazy(rf"(?:[,;]? |, ?|\s\()(?:{cues.BEHIND_VALUE}|so (?:we|the|that)\b|(?<=; )[a-z]{(2,)}|or (?:about|approximately|roughly)\b|per the\b)", re.IGNORECASE)  # fmt: skip


def stated_value(text: str, start: int) -> str:
    """The value that begins at `start` behind a marker: a formula with its unit, or what the sentence says.

    >>> stated_value("the answer is **B**: it is exothermic", 13), stated_value("Answer: the area is 12 because 3 * 4 is 12.", 7)
    ('B', '12')
    """
    window = text[start : start + MAX_STATEMENT_CHARS]
    lead = _LEAD.match(window)
    body = window[lead.end() :] if lead is not None else window
    stars = "**" if text.endswith("**", 0, start) else ""
    if (bold := _BOLD_VALUE.match(stars + body)) is not None:
        return bold[1].strip()
    if "\n" in text[max(start - 1, 0) : start + len(window) - len(body) + 1] and (lines := _values_below(body)):
        return " , ".join(lines)
    for opener, closer in _FORMULAS:
        if not body.startswith(opener):
            continue
        close = body.find(closer, len(opener))
        if close < 0 or (opener == "$" and "\n" in body[:close] and "\\begin{" not in body[:close]):
            break
        formula = body[: close + len(closer)]
        if opener in {"$$", "\\["}:
            return formula
        return _REMARK.sub("", (formula + _clause(body[close + len(closer) :])).strip(" *_"))
    return _value_in(body)


MAX_LINES = 40
"""This many values one below the other may be one answer."""


def _values_below(body: str) -> list[str]:
    """The values on the lines below a heading, where there are more than one."""
    values: list[str] = []
    for line in body.split("\n"):
        value = _BULLET.sub("", line).strip(" *_.,;")
        if not value and not line.strip():
            continue
        numeric = any(map(str.isdigit, value))
        if len(value) > 80 or len(values) == MAX_LINES or not numeric or not sentence.is_value(value):
            break
        values.append(value)
    return values if len(values) > 1 else []


_BULLET = lazy(r"^\s*(?:[-*•]\s+)?(?:\*\*)?(?:\(?[a-j][).]\s+|\(?[ivx]{1,4}\)\s+|Part \(?[a-j1-9]\)?:\s*)?")


def _clause(text: str) -> str:
    """`text` up to the end of its line, sentence or clause."""
    end = _SENTENCE_END.search(text)
    line = text if end is None else text[: end.start()]
    clause = _CLAUSE_END.search(line)
    return line if clause is None else line[: clause.start()]


def _value_in(body: str) -> str:
    """The value of a statement in words: the whole clause, or what a sentence says of its subject."""
    end = _SENTENCE_END.search(body)
    if end is not None and end[0] in "?？":
        return ""  # asked, not stated
    if (below := _SHOWN_BELOW.match(body)) is not None:
        return stated_value(body, below.end())
    clause = BOLD.sub(r"\1", _clause(body)).strip(' *_`"“”').strip()
    remark = _REMARK.search(clause)
    if remark is not None:
        if sentence.CHANGING.search(remark[0]) is not None or spelled_number(remark[1]) is not None:
            return clause
        clause = clause[: remark.start()]
    if len(sentence.WORD.findall(sentence.masked(clause))) < 2 or _VERDICT.match(clause) is not None:
        return clause
    if (counted := sentence.COUNTED.fullmatch(clause)) is not None:
        return counted[1]
    return sentence.sentence_value((body if end is None else body[: end.start()]).replace("**", "")) or clause


_SHOWN_BELOW = lazy(r"[A-Za-z][^\n]{3,200}(?::| is| are| equals)\**[ \t]*\n\s*(?=\\\[|\$|[-+(\d\[])")
"""Words that announce the value below them."""

_REMARK = lazy(r" \(([A-Za-z][A-Za-z ,'-]{1,80})\)\Z")
_VERDICT = lazy(r"(?:yes|no|true|false)\b", re.IGNORECASE)


def last_formula(text: str) -> str | None:
    """The last formula, else the last number. For the lenient mode only."""
    tail = text[-8_000:]
    span = last(sentence.MATH_SPAN.finditer(tail))
    number = last(_LAST_NUMBER.finditer(tail))
    if span is not None and (number is None or number.start() < span.end()):
        unit = re.match(r" ?(?:%|percent\b|pct\b)", tail[span.end() :])
        return next(part for part in span.groups() if part is not None).strip() + (" \\%" if unit else "")
    return number[0].rstrip(",") if number is not None else None


def last(found: Iterable[re.Match[str]]) -> re.Match[str] | None:
    """The last of some matches, or None."""
    return [None, *found][-1]
