"""Answers stated without a box: "The answer is 5", "Answer: 5", "#### 5", a concluding sentence, a bare value."""

from __future__ import annotations

import re

from rewardkit.math.clauses import stating_clause
from rewardkit.math.conclusion import (
    FOLLOWS,
    HEDGE,
    MATH_SPAN,
    WORDY,
    complete,
    concluded,
    conclusion,
    counted,
    last_match,
    only_value,
    plain_value,
    repeated_output,
    verdict_first,
)
from rewardkit.math.figures import spelled_number
from rewardkit.math.markup import undressed
from rewardkit.math.patterns import lazy
from rewardkit.math.rivals import beside_rival, with_what_follows

MAX_STATEMENT_CHARS = 1_000
"""A stated answer is looked for in so many characters after its trigger."""

LATE_CHARS = 400
"""A statement that stands further back than this yields to a concluding sentence at the end, and is not final where
the text breaks off."""

MAX_SENTENCE_CHARS = 400
"""The beginning of a sentence is looked for in so many characters."""

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
    r"final answer(?: ?(?:→|⇒|->|=>))? (?=[-$\\\d(])|\b(?:correct|right|best) (?:option|choice|statement)(?: here)?(?: is|:) ?(?:option )?(?=(?:\*\*)?\(?[A-J]\b)",
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
_SENTENCE_END = lazy(r"(?:(?<!\.)\.(?!\.)|[?。]|(?<![\d\w)}])!)(?=[\s*\"')\]]|$)|\n\s*\n")
_CLAUSE_END = lazy(
    r"(?:,|;|\s)\s*(?:\(?not(?= [\d$])|rather than|instead of|because|since|which|as (?:the|we|it)|so (?:we|the|that)|where (?:the|we)|when (?:the|we)|given that"
    r"|and (?:the final|that|this|we|it)|that is(?= (?:[$\d]|[a-z]+ [a-z]))|i\.e|in other words|namely|i hope|whereas|while|although|though|even though|given that|provided|otherwise|or (?:about|approximately|roughly|around)|as(?= [$\d])|but|after|per the|(?:exactly )?as (?:required|desired|claimed|expected|stated|needed|wanted|promised|was to be)|attained|achieved|with equality)\b",
    re.IGNORECASE,
)
_DISPLAY = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
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
    r"(?:(?:so|thus|hence|therefore),? )?(?:(?:it|that)(?:['’]s| is)|(?:I|we) (?:got|get|found|find|obtain(?:ed)?)) ",
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
        if start is not None and not supposed(text, position) and not _WORK_BELOW.match(text, start):
            clipped = _clip(text, start)
            answer = _sentence_value(clipped)
            if answer and not _asked(text, clipped, start):
                end = text.find(clipped, start) + len(clipped)
                found = with_what_follows(text, end, answer, start)
                if not _of_another_case(text, position, start):
                    return found
                aside = aside or found
    if aside is not None:
        return aside
    tail_at = max(len(text) - 400, 0)
    direct = last_match(_DIRECT.finditer(text, tail_at))
    if direct is not None:
        return _sentence_value(_clip(text, direct.end())), direct.end()
    label = last_match(_LINE_LABEL.finditer(text, tail_at))
    if (
        label is not None
        and not _WORK_BELOW.match(text, label.end())
        and not _asked(text, clipped := _clip(text, label.end()), label.end())
    ):
        return _sentence_value(clipped), label.end()
    option = last_match(_OPTION_CORRECT.finditer(text, tail_at))
    if option is None:
        named = _NAMED.search(text, tail_at) or _LAST_LABEL.search(text, tail_at)
        if named is not None and (plain_value(value := named["v"].strip(" *.")) or MATH_SPAN.fullmatch(value)):
            return value.removesuffix("$") if value.count("$") == 1 else value, named.start()
    if option is not None:
        return option[1] or option[2] or option[3], option.start()
    return None if text.isascii() and not _LATIN_HINT.search(text, tail_at) else _foreign(text, tail_at)


def _of_another_case(text: str, position: int, start: int) -> bool:
    """Whether the answer named at `position` is that of a remark: under a condition, of another problem."""
    low = max(position - MAX_SENTENCE_CHARS, 0)
    sentence = max(low - 1, *(text.rfind(mark, low, position) for mark in (". ", "\n", "! ", "? "))) + 1
    return _REMARKS.match(text, sentence, position) is not None or _ELSEWHERE.search(text, position, start) is not None


_REMARKS = lazy(
    r"[\s(*_]*(?:(?:note|remark|n\.?b\.?)\b[^\n]{0,120}\b(?:if|for|when|in)\b|for comparison|(?:if|unless|had|when|for) [^\n]{3,100}\b|in (?:the|an?|this|that) (?:\w+ )?(?:\w+er|other|first|second|third|original"
    r"|previous|special|general|simple|similar) (?:variant|version|case|problem|question|scenario)\b)",
    re.IGNORECASE,
)
_ELSEWHERE = lazy(
    r"answer (?:of|to|for|in) (?:the |an? )?(?:previous|other|first|second|next|original|similar|easier|harder)\b",
    re.IGNORECASE,
)
"""What names an answer that is not the one asked for."""


def supposed(text: str, position: int) -> bool:
    """Whether the answer named at `position` is only supposed, reported, or called wrong."""
    low = max(position - MAX_PLAIN_LEAD - 1, 0)
    sentence = max(text.rfind(".", low, position), text.rfind("\n", low, position)) + 1
    if position - sentence < MAX_PLAIN_LEAD and text[sentence:position].lstrip(" ").lower() in _PLAIN_LEADS:
        return False
    before = text[max(position - 60, 0) : position]
    return (
        _SUPPOSES.search(before) is not None
        or _SO_CALLED.search(before) is not None
        or _HAD_IT.search(text, max(position - 120, 0), position) is not None
    )


_PLAIN_LEADS = frozenset(
    f"{word}{comma}the {final}"
    for word in ("", "so", "thus", "hence", "therefore", "finally")
    for comma in ((" ", ", ") if word else ("",))
    for final in ("", "final ")
)
"""How most statements begin, known without a search to suppose nothing."""
MAX_PLAIN_LEAD = 24

_HAD_IT = lazy(r"(?:^|[.!?\n]\s*)(?:had|were|should) [^.!?\n]{3,100}, (?:the |our )?(?:final )?$", re.IGNORECASE)
"""A condition in front of an answer, by the order of its words."""


_SO_CALLED = lazy(
    r"\b(?:refute|disprove)\b[^.!?\n]{0,20}$|\b(?:digits?|half|twice|double|triple|third|quarter|square|root|reciprocal|negative|multiple|divisors?|factors?|part)(?: of)?(?: the| our| my)?(?: final)?\s+$|\b(?:partial|intermediate|interim|provisional|preliminary|example|sample|placeholder|dummy|naive|wrong|incorrect|false|initial|previous|tempting|apparent|expected|another|other|second|alternative|old|earlier|former)\s+$",
    re.IGNORECASE,
)
_SUPPOSES = lazy(
    r"\b(?:(?:wrong|incorrect|false|mistake|absurd) (?:to|that)|not (?:true|say|claim|the case)|n't (?:think|say|believe)|not (?:think|believe)|doubt"
    r"|if|unless|claim is|suppose|whether|assum(?:e|ing)|let['’]?s say|maybe|perhaps|possibly|(?:want|wish|need|have|remains?|going) to (?:show|prove|see|check|verify)|tempting to|(?:might|could|would|may) (?:think|say|guess|expect|believe|assume|conclude)"
    r"|(?:claims|thinks|believes|says|guesses|argues|claimed|thought|guessed|(?:someone|he|she|they) said)(?: that)?)\b[^.!?,:\n]{0,30}$",
    re.IGNORECASE,
)
"""What makes a statement behind it no statement: "it would be wrong to say that", "if"."""


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
    answer = _clip(text, stated.end())
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


def _clip(text: str, start: int) -> str:
    """The statement that begins at `start`: a formula with its unit, or the rest of the sentence."""
    window = text[start : start + MAX_STATEMENT_CHARS]
    lead = _LEAD.match(window)
    body = window[lead.end() :] if lead is not None else window
    if "**" in body and len(_BOLD_MARK.findall(body.split("\n", 1)[0])) % 2:
        body = _BOLD_MARK.sub("", body, count=1)
    for opener, closer in _DISPLAY:
        if body.startswith(opener):
            close = body.find(closer, len(opener))
            if opener == "$" and "\n" in body[: max(close, 0)]:
                break
            if close > 0:
                rest = _sentence(body[close + len(closer) :])
                rest = "" if _CLAUSE_END.match(rest) is not None else rest
                formula = body[: close + len(closer)]
                if opener in {"$$", "\\["} or not rest.strip(" *_!"):
                    return formula
                return (formula + rest).strip(" *_")
    if (shown := _SHOWN_BELOW.match(body)) is not None:
        return shown[1]
    found = _sentence(body).strip().strip("*_` ").strip()
    if found[:1] in {'"', "“"} and (quoted := _IN_QUOTES.fullmatch(found)) is not None:
        found = quoted[1]
    return found[:-3].rstrip() if found.endswith("...") and _GOES_ON.search(found, 0, len(found) - 3) is None else found


_IN_QUOTES = lazy(r"[\"“]([^\"“”]{1,200}?)\.?[\"”]")
_BOLD_MARK = lazy(r"(?<![\w)])\*\*|\*\*(?![\w(-])")
"""Two stars that make bold; between a letter and a number they are a power."""

_SHOWN_BELOW = lazy(
    r"[A-Za-z][^\n.$\\]{3,160}(?::| is| are| equals)\**[ \t]*\n\s*(\\\[[^\]]{1,400}\\\]|\$\$[^$]{1,400}\$\$)\s*\Z"
)
"""Words that announce the formula below them."""

_WORK_BELOW = lazy(r"[:*_ ]*\n[\s*]*\d{1,2}[.)] +\**[A-Z][a-z]+ ?[a-z]*")
"""A numbered list of steps."""

_GOES_ON = lazy(r"[,.=]|\\")
"""What stands before dots that are part of a value: 0.333..., 1, 2, 3, ..."""


_LEAD = lazy(r"(?:[ \t\r*_:：>#`]|--+|\n(?:[ \t]*-(?=\s))?)*")
"""What may stand between a label and its value; a minus on its line belongs to it, a bullet does not."""


def _sentence(text: str) -> str:
    """`text` up to the end of its line, sentence or clause."""
    line = _ASIDE.sub("", text.split("\n", 1)[0])
    end = _SENTENCE_END.search(line)
    if end is not None:
        line = line[: end.start()]
    clause = _CLAUSE_END.search(line)
    return line[: clause.start()] if clause is not None and clause.start() > 0 else line


_ASIDE = lazy(r"(?:,? ?\(?\bexact(?:ly)?\)?[.!]?| [:;]-?\)|(?<=[A-Za-z]{2})!)\s*$")
"""What adds nothing to a value behind it."""


def _sentence_value(statement: str) -> str:
    """The value of an answer given as a sentence: "The volume of the box is 120" is 120."""
    if (glossed := _GLOSSED.fullmatch(statement)) is not None and (said := spelled_number(glossed[2])) is not None:
        return str(said) if glossed[1].strip() == str(said) else statement
    statement = _THEREFORE.sub("", _without_remark(statement))
    if (number := counted(statement)) is not None:
        return number
    if (verdict := _CLEARLY.fullmatch(statement)) is not None:
        return verdict[1]
    three = _COUNT.match(statement)
    if three is not None:
        return three[1]
    if (
        len(WORDY.findall(re.sub(r"\\[A-Za-z]+", " ", statement))) < 2
        or HEDGE.search(statement)
        or _HEDGED.search(statement)
    ):
        return statement
    if (clause := stating_clause(statement)) is None:
        return statement
    return concluded(statement) or only_value(clause) or statement


def _without_remark(statement: str) -> str:
    """`statement` without words in brackets at its end or behind a semicolon that say no other value."""
    place = statement.rfind(" (") if statement.endswith((")", ").", ")!")) else statement.find(";")
    rest = statement[place:].strip(" ();.!")
    if place > 0 and (nearly := _NEARLY.fullmatch(rest)) is not None:
        return f"{statement[:place]} {'=' if nearly[2] else chr(0x2248)} {nearly[1] or nearly[2]}"
    if place <= 0 or not 3 <= len(rest) <= MAX_REMARK_CHARS or _SAYS_VALUE.search(rest) is not None:
        return statement
    return statement[:place]


_NEARLY = lazy(
    r"(?:approximately|about|approx\.?|roughly|nearly|≈) ?(-?[0-9][0-9,]*(?:\.[0-9]+)?)|(?:that is|i\.e\.)[,:]? (\$[^$]{1,80}\$|[-0-9^*/+ ]{1,30})",
    re.IGNORECASE,
)
"""A rounding or another form of the value before it, which is checked."""

MAX_REMARK_CHARS = 200
"""A longer remark is read as part of what is stated."""

_SAYS_VALUE = lazy(
    r"[0-9$\\=()]|\A[A-Za-z]{0,2}\Z|\b(?:or|alternatively|also|another|possibl[ey]|maybe|perhaps|but|wrong|not|incorrect|if|mod|base|thousands?|millions?|billions?|unless|else"
    r"|otherwise|and)\b",
    re.IGNORECASE,
)
"""Words in brackets or behind a semicolon that say no other value."""

_THEREFORE = lazy(r"(?:therefore|thus|hence|so),? (?=[^a-z]|[a-z] )", re.IGNORECASE)
_CLEARLY = lazy(r"(?:a )?(?:clear|definite|resounding|simple|firm|definitely|clearly) (yes|no)[.!]?", re.IGNORECASE)
_HEDGED = lazy(
    r"\b(?:could|might|may(?: also)?) be\b|\b(?:also|though|although|possible|possibly|depending)\b", re.IGNORECASE
)
"""What offers another value in the same sentence."""

_GLOSSED = lazy(r"([-+−$€£\d.,/ ]{1,60})\(([A-Za-z -]{2,80})\)")
"""A number and what stands for it in brackets, which must agree."""

_COUNT = lazy(
    r"(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?!more|less|fewer|times)[a-z]{2,}s [a-z]+ [a-z]+[a-z ]*$",
    re.IGNORECASE,
)
"""A sentence that counts: "three boxes contain neither pens nor pencils"."""
