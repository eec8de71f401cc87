"""Answers stated without a box: "The answer is 5", "Answer: 5", "#### 5", a concluding sentence, a bare value."""

from __future__ import annotations

import re

from rewardkit.math.extract.clauses import MATH_SPAN, SO
from rewardkit.math.extract.clipping import MAX_STATEMENT_CHARS, clip, value_in
from rewardkit.math.extract.conclusion import (
    FOLLOWS,
    WORDY,
    conclusion,
    last_match,
    plain_value,
    repeated_output,
    verdict_first,
)
from rewardkit.math.extract.markup import undressed
from rewardkit.math.extract.rivals import beside_rival, given_up, labelled_values, with_what_follows
from rewardkit.math.extract.sentences import complete
from rewardkit.math.extract.suppositions import of_a_part, of_another_case, supposed
from rewardkit.math.text.patterns import lazy

LATE_CHARS = 400
"""A statement that stands further back than this yields to a concluding sentence at the end, and is not final where
the text breaks off."""

MAX_TRIGGERS = 48
"""So many of the last mentions of the word "answer" are tried."""

_IS = r"(?:(?<![A-Za-z])(?:is|are|was|were|equals|(?:has|have|ought|needs?) to be|will be|would be|should be|must be|(?:comes|works) (?:out )?to(?: be)?|turns out to be|can be (?:written|expressed|simplified) as|evaluates to|simplifies to)|=|:|：)"
_ADVERB = r"(?:(?:, (?:of course|therefore|thus|then|hence|in fact|indeed|finally),| found to be| indeed| hence| consequently| clearly| precisely| obviously| actually| simply| therefore| thus| then| just| exactly| equal to| given by| in fact|:|：)){0,3}"
_ANSWER = lazy(
    rf"answers?(?: ?\*{{1,2}})?(?:, [^.,\n:=?]{{1,40}},|(?: (?:to|of|for|in) [^.\n:=?]{{1,80}}?)?)(?: ?\*{{1,2}})?(?: ?\([^()\n]{{0,40}}\))? ?{_IS}{_ADVERB}"
    r"(?: ?\*{1,2})?(?![A-Za-z])",
    re.IGNORECASE,
)
_DIRECT = lazy(
    r"(?:(?:^|[.!?\n*] ?)(?:(?:so|thus|hence|therefore|finally),? )?(?:this|that|we)(?: then| thus| therefore| finally)? (?:gives?(?: us)?|get|obtain|have) (?:the|our) (?:final )?answer(?: of)? (?=(?:\*\*)?[-$\\\d(][^.\n]{0,80}[.*!]{0,3}\Z))|final answer(?: ?(?:→|⇒|->|=>))? (?=[-$\\\d(])|\b(?:correct|right|best) (?:option|choice|statement)(?: here)?(?: is|:) ?(?:option )?(?=(?:\*\*)?\(?[A-J]\b)",
    re.IGNORECASE,
)
"""Statements without a copula, and of an option."""

_OPTION_CORRECT = lazy(
    r"(?:\b(?:option|choice|statement|answer choice) \(?([A-J])\)? is (?:therefore |thus )?(?:the )?(?:correct|right|best)\b"
    r"|(?:^|[.!?\n])\s*\**\(?([A-J])\)?\** is (?:therefore |thus )?(?:the )?(?:correct|right|best) (?:answer|option|choice)[.!*)\s]*\Z"
    r"|\b(?:hence|thus|therefore|so),? (?:it is |we get |we obtain )?(?:option |choice )?\**\(?((?-i:[A-H]))\)?[.!*)\s]*\Z)",
    re.IGNORECASE,
)
_NAMED = lazy(
    r"(?:^|[.!?]\s|\n)\s*(?:(?:so|thus|hence|therefore|then|finally),? )?(?:(?:I|we) (?:get|have|obtain|find|choose) )?"
    r"(?P<v>(?:[^.!?\n]|\.(?=\d)){1,80}?) (?:(?:is|are) (?:thus |therefore |indeed )?|as )(?:the|my|our) "
    r"(?:(?:final|correct|right|required|desired|exact) )?answer[.!*\s]*\Z",
    re.IGNORECASE,
)
"""A last sentence in which the value comes first: "12 is the answer"."""

_LAST_LABEL = lazy(
    r"^[ \t>*_#]{0,6}(?:(?:Solutions?|Conclusion|Ans(?:wer)?)[ *_]{0,4}[:：=]|∴|⇒|⟹|→|=>|\$\\(?:therefore|Rightarrow|implies)(?=[^$\n]*\$\Z))"
    r"(?P<v>[^\n]{1,200})\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""A last line that concludes by a label or a sign."""

_LATIN_HINT = lazy(r"espuesta|esposta|isposta|ntwort|eponse")
_FOREIGN = lazy(
    r"(?:答案|结果|得数)(?:应该|应|就|即)?(?:是|为|：|:|等于) ?|答え ?(?:は|：|:) ?|(?:정답|답)(?:은|:|：) ?|ответ ?(?::|[-–—]|равен|будет) ?"
    r"|(?:因此|所以|故)[，,]?(?:应?选|是|为)? ?(?=[$(A-H0-9-][^\n]{0,80}\Z)"
    r"|(?:respuesta|resposta|risposta|r[ée]ponse)(?: (?:final|correcta|correta|corretta|finale|correcte))?(?: (?:es|é|è|est)\b| ?:)(?! (?:no|pas)\b) ?"
    r"|(?:antwort|lösung)(?: (?:ist|lautet)\b| ?:)(?! nicht\b) ?",
    re.IGNORECASE,
)
"""What introduces an answer in other languages."""

_QUOTED = lazy(
    r"[\"'](?:final_)?answer[\"'] ?: ?(?:\"([^\"\n]{1,200})\"|(-?[0-9][0-9.,/]{0,60}?)) ?(?=[,}\n])", re.IGNORECASE
)
"""An answer in JSON."""

_HEADING = lazy(r"answer[ *:_#.]{0,8}\n", re.IGNORECASE)
_LINE_LABEL = lazy(
    r"^[ \t>*_#]{0,6}(?:(?:A|Ans|Result|Answer|Final result|Solution set)[ *_]{0,4}[:：]|(?:Final )?(?:Answer|Ans)\.(?=[ *])"
    r"|\[(?:Final )?Answer\]|(?:Final )?Answer +[-–—](?= )|Solutions?[ *_]{0,4}[:：](?=[ *_]{0,4}\$[^$\n]{1,400}\$\W{0,9}\Z))",
    re.IGNORECASE | re.MULTILINE,
)
_LAST_NUMBER = lazy(r"(?<![\w.])[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?(?:/\d+)?(?: ?(?:%|percent|pct))?")


def stated_answer(text: str, *, lenient: bool = False) -> tuple[str, str] | None:
    """(answer, how) of the last explicit answer statement, or None.

    >>> stated_answer("We add. The answer is $5$ cm.")
    ('$5$ cm', 'statement')
    """
    stripped = undressed(text.strip())
    if not stripped:
        return None
    if "\n\n\n" in stripped:
        stripped = _EMPTY_LINES.sub("\n\n", stripped)
    if "\\begin{" in stripped and "$" in stripped:
        stripped = _ARRAY.sub(lambda array: array[0].replace("\n", " "), stripped)
    hashes = stripped.rfind("####")
    if hashes >= 0:
        line = stripped[hashes + 4 : hashes + 4 + MAX_STATEMENT_CHARS].lstrip(" #").split("\n", 1)[0].strip()
        if line and (not WORDY.match(line) or (_NAME_LINE.fullmatch(line) and stripped.endswith(line))):
            rival = beside_rival(stripped, stripped.find(line, hashes) + len(line), line)
            return None if rival == "" else (rival or line, "hash")
    explicit = _explicit(stripped)
    if explicit is not None:
        answer, start = explicit
        if not answer:
            return None
        if (cut := _BROKEN_OFF.search(stripped, max(len(stripped) - 12, 0))) is not None and answer.endswith(cut[1]):
            return None
        if len(stripped) - start > LATE_CHARS + len(answer):
            if not complete(stripped):
                return None
            return conclusion(stripped) or (answer, "statement")
        return answer, "statement"
    if (
        "\n" not in stripped
        and len(stripped) <= 200
        and not FOLLOWS.match(stripped.lstrip("*_ "))
        and not _TWO_SENTENCES.search(stripped)
        and plain_value(stripped)
        and not (lenient and (MATH_SPAN.search(stripped) or stripped.count(" ") > 3))
    ):
        return _IT_IS.sub("", stripped), "plain"
    last = conclusion(stripped) or verdict_first(stripped)
    if last is None and (output := repeated_output(stripped)) is not None:
        return output, "output"
    return last


_EMPTY_LINES = lazy(r"\n{3,}")
"""Patterns look behind a value across blank lines, and would do so from each of many."""

_TWO_SENTENCES = lazy(r"[.!] [A-Z][a-z]")
_IT_IS = lazy(
    rf"(?:{SO},? )?(?:(?:it|that)(?:['’]s| is)|(?:I|we) (?:got|get|found|find|obtain(?:ed)?)) ",
    re.IGNORECASE,
)


_NAME_LINE = lazy(
    r"(?!(?:final|the|my|answer|solution|conclusion|step|part|case|problem|question|proof|explanation|note|summary|verification)\b)[A-Za-z]{3,}(?: [A-Za-z]+){0,2}\.?",
    re.IGNORECASE,
)
"""A name or a few words behind hash marks that are no heading."""

_BROKEN_OFF = lazy(r"\b(times|plus|minus|over|of|and|or|by|than|divided)$")
"""The last word of a sentence that wanted to go on."""


def last_formula(text: str) -> str | None:
    """The last formula, else the last number. For the lenient mode only."""
    tail = text[-8_000:]
    span = last_match(MATH_SPAN.finditer(tail))
    number = last_match(_LAST_NUMBER.finditer(tail))
    if span is not None and (number is None or number.start() < span.end()):
        unit = re.match(r" ?(?:%|percent\b|pct\b)", tail[span.end() :])
        return next(part for part in span.groups() if part is not None).strip() + (" \\%" if unit else "")
    return number[0].rstrip(",") if number is not None else None


def _explicit(text: str) -> tuple[str, int] | None:
    """What follows the last "answer is", "Answer:", "Final Answer" heading, or answer label at a line start."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose lower case is longer: positions would shift
        low = text
    position = len(text)
    quoted = last_match(_QUOTED.finditer(text, max(len(text) - 300, 0))) if text.endswith(("}", "```", "]")) else None
    if quoted is not None:
        return quoted[1] or quoted[2], quoted.start()
    aside: tuple[str, int] | None = None
    for _ in range(MAX_TRIGGERS):
        position = low.rfind("answer", 0, position)
        if position < 0:
            break
        start = _trigger_end(text, position)
        if (
            start is not None
            and not supposed(text, position)
            and not of_a_part(text, position, start)
            and not _WORK_BELOW.match(text, start)
            and not (text.startswith(" in ", start) and _ELSEWHERE.match(text, start))
        ):
            clipped = clip(text, start)
            answer = value_in(clipped)
            if answer and not _asked(text, clipped, start):
                if "\n" in text[start:] and (parts := labelled_values(text, start)) is not None:
                    return parts, start
                if (
                    clipped.endswith(")")
                    and (aside_at := clipped.find(" (")) > 0
                    and given_up(clipped[aside_at:], answer)
                ):
                    return "", start
                end = text.find(clipped, start) + len(clipped)
                found = with_what_follows(text, end, answer, start)
                if not of_another_case(text, position, start):
                    return found
                aside = aside or found
    if aside is not None:
        return aside
    tail_at = max(len(text) - 400, 0)
    direct = last_match(_DIRECT.finditer(text, tail_at))
    if direct is not None:
        return value_in(clip(text, direct.end())), direct.end()
    label = last_match(_LINE_LABEL.finditer(text, tail_at))
    if (
        label is not None
        and not _WORK_BELOW.match(text, label.end())
        and not _asked(text, clipped := clip(text, label.end()), label.end())
    ):
        return value_in(clipped), label.end()
    option = last_match(_OPTION_CORRECT.finditer(text, tail_at))
    if option is not None:
        return option[1] or option[2] or option[3], option.start()
    named = _NAMED.search(text, tail_at) or _LAST_LABEL.search(text, tail_at)
    if named is not None and (plain_value(value := named["v"].strip(" *.")) or MATH_SPAN.fullmatch(value)):
        return value.removesuffix("$") if value.count("$") == 1 else value, named.start()
    return None if text.isascii() and not _LATIN_HINT.search(text, tail_at) else _foreign(text, tail_at)


_ARRAY = lazy(r"\\begin\{([pbvBV]?matrix|cases|array)\}(?:(?!\\begin|\n\n)[^$]){1,600}?\\end\{\1\}")
"""A matrix or cases, which may be written over several lines of a formula."""

_ELSEWHERE = lazy(r" in (?:the|our|a) (?:table|list|figure|picture|diagram|appendix|chart|row|column|section)\b")
"""Where an answer is to be found, which is none."""

_WORK_BELOW = lazy(r"[:*_ ]*\n[\s*]*\d{1,2}[.)] +\**[A-Z][a-z]+ ?[a-z]*")
"""A numbered list of steps."""


def _asked(text: str, clipped: str, start: int) -> bool:
    """Whether a question mark ends the statement: "The answer is 12? No"."""
    if "?" not in text[start : start + MAX_STATEMENT_CHARS]:
        return False
    end = text.find(clipped, start) + len(clipped)
    return text[end : end + 4].lstrip(" $*)").startswith("?")


def _foreign(text: str, start: int) -> tuple[str, int] | None:
    """An answer stated in Chinese, Japanese, Korean, Russian, Spanish, French, German, Italian or Portuguese."""
    stated = last_match(_FOREIGN.finditer(text, start))
    if stated is None:
        return None
    answer = clip(text, stated.end())
    return (answer, stated.end()) if answer else None


def _trigger_end(text: str, position: int) -> int | None:
    match = _ANSWER.match(text, position)
    if match is not None:
        counted = text.startswith("answers", position) and _COUNTED.search(text[max(position - 12, 0) : position])
        return None if counted else match.end()
    line = text[max(text.rfind("\n", 0, position) + 1, position - 40) : position]
    if line.strip("#*_ \t").lower() not in {"", "final", "the final", "my final"}:
        return None
    heading = _HEADING.match(text, position)
    return heading.end() if heading else None


_COUNTED = lazy(r"\b(?:correct|incorrect|wrong|right|unanswered|of) $", re.IGNORECASE)
