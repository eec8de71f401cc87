"""Answers stated without a box: "The answer is 5", "Answer: 5", "#### 5", a concluding sentence, a bare value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewardkit.math.wording import spelled_number

MAX_STATEMENT_CHARS = 1_000
"""A stated answer is looked for in so many characters after its trigger."""

LATE_CHARS = 400
"""A statement that stands further back than this yields to a concluding sentence at the end, and is not final where
the text breaks off."""

MAX_TRIGGERS = 48
"""So many of the last mentions of the word "answer" are tried."""

_IS = r"(?:is|are|was|were|equals|=|:|：|will be|would be|should be|must be|comes (?:out )?to|turns out to be)"
_ADVERB = r"(?:(?: indeed| clearly| precisely| obviously| actually| simply| therefore| thus| then| just| exactly| equal to| given by| in fact|:|：)){0,3}"
_ANSWER = re.compile(
    rf"answers?(?: ?\*{{1,2}})?(?: (?:to|of|for|in) [^.\n:=?]{{1,80}}?)?(?: ?\*{{1,2}})?(?: ?\([^()\n]{{0,40}}\))? ?{_IS}{_ADVERB}"
    r"(?: ?\*{1,2})?(?![A-Za-z])",
    re.IGNORECASE,
)
_DIRECT = re.compile(
    r"final answer (?=[-$\\\d(])|\b(?:correct|right|best) (?:option|choice|statement)(?: is|:) ?(?:option )?(?=\(?[A-J]\b)",
    re.IGNORECASE,
)
"""Statements without a copula, and of an option."""

_OPTION_CORRECT = re.compile(
    r"\b(?:option|choice|statement|answer choice) \(?([A-J])\)? is (?:therefore |thus )?(?:the )?(?:correct|right|best)\b",
    re.IGNORECASE,
)
_LATIN_HINT = re.compile(r"espuesta|esposta|isposta|ntwort|eponse")
_FOREIGN = re.compile(
    r"(?:答案|结果|得数)(?:应该|应|就|即)?(?:是|为|：|:|等于) ?|答え ?(?:は|：|:) ?|(?:정답|답)(?:은|:|：) ?|ответ ?(?::|[-–—]|равен|будет) ?"
    r"|(?:respuesta|resposta|risposta|r[ée]ponse)(?: (?:final|correcta|correta|corretta|finale|correcte))?(?: (?:es|é|è|est)\b| ?:)(?! (?:no|pas)\b) ?"
    r"|(?:antwort|lösung)(?: (?:ist|lautet)\b| ?:)(?! nicht\b) ?",
    re.IGNORECASE,
)
"""What introduces an answer in other languages."""

_QUOTED = re.compile(
    r"[\"'](?:final_)?answer[\"'] ?: ?(?:\"([^\"\n]{1,200})\"|(-?[0-9][0-9.,/]{0,60}?)) ?(?=[,}\n])", re.IGNORECASE
)
"""An answer in JSON."""

_HEADING = re.compile(r"answer[ *:_#.]{0,8}\n", re.IGNORECASE)
_LINE_LABEL = re.compile(
    r"^[ \t>*_#]{0,6}(?:A|Ans|Result|Answer|Final result)[ *_]{0,4}[:：]", re.IGNORECASE | re.MULTILINE
)
_SENTENCE_END = re.compile(r"(?:[.?。]|(?<![\d\w)}])!)(?=[\s*\"')\]]|$)|\n\s*\n")
_SENTENCE_SPLIT = re.compile(r"(?<=[.?。])(?<!p\.m\.)(?<!a\.m\.)\s+|\n\s*\n|\n(?=[A-Z*\-])")
_CLAUSE_END = re.compile(
    r"(?:,|;|\s)\s*(?:not(?= [\d$])|rather than|instead of|because|since|which|as (?:the|we|it)|so (?:we|the|that)|where (?:the|we)|when (?:the|we)|given that"
    r"|and (?:the final|that|this|we|it)|i hope|but|after|per the|as required|as desired)\b",
    re.IGNORECASE,
)
_DISPLAY = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_CONCLUDES = re.compile(
    r"(?:so|thus|hence|therefore|consequently|in conclusion|in total|altogether|finally|overall|as a result"
    r"|we (?:conclude|find|get|obtain)|it follows|this (?:means|gives)|the (?:final |integer |required |total )?(?:result|value|solution|total|sum|number of)"
    r"|yes|indeed|∴)\b|.{0,120}\b(?:confident that|conclude that|end up with|we (?:get|find) that)\b",
    re.IGNORECASE,
)
_COPULA = re.compile(r"(?:\b(?:is|are|was|be|equals|equal to|comes (?:out )?to|totals)\b|=)\s*", re.IGNORECASE)
_FILLER = re.compile(
    r"(?:[*_\s]*)(?:i (?:think|hope|believe|am|'m|’m)|i've|that(?:'s| is)|this (?:is|matches|completes|seems|confirms)|everything|great|done|alright"
    r"|it(?:'s| is) (?:a )?(?:simple|consistent|correct)|q\.?e\.?d)",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"that(?:'s| is|’s) (?:the|my|our) (?:final |correct |right )?(?:answer|solution)|that(?:'s| is|’s) (?:it|correct)",
    re.IGNORECASE,
)
_IS_CORRECT = re.compile(
    r"(?:that |so |, |^)((?:(?!that |so |, ).){1,60}?) is (?:indeed )?(?:the|my|our) (?:(?:correct|right|final) [a-z]+|answer\b)",
    re.IGNORECASE,
)
_REDUCES = re.compile(r",? which (?:simplifies|reduces|is equal|equals|gives|is)(?: to)? ", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
_MATH_SPAN = re.compile(r"\$\$([^$]{1,800})\$\$|\$([^$\n]{1,400})\$|\\\[(.{1,800}?)\\\]|\\\((.{1,400}?)\\\)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.,])[-+−]?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?%?(?![\w,])")
_LAST_NUMBER = re.compile(r"(?<![\w.])[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?(?:/\d+)?(?: ?(?:%|percent|pct))?")
_WORDY = re.compile(r"[A-Za-z]{3,}")


def stated_answer(text: str, *, lenient: bool = False) -> tuple[str, str] | None:
    """(answer, how) of the last explicit answer statement, or None.

    >>> stated_answer("We add. The answer is $5$ cm.")
    ('$5$ cm', 'statement')
    """
    stripped = text.strip()
    if not stripped:
        return None
    hashes = stripped.rfind("####")
    if hashes >= 0:
        line = stripped[hashes + 4 : hashes + 4 + MAX_STATEMENT_CHARS].lstrip(" #").split("\n", 1)[0].strip()
        if line and not _WORDY.match(line):
            return line, "hash"
    explicit = _explicit(stripped)
    if explicit is not None:
        answer, start = explicit
        if len(stripped) - start > LATE_CHARS + len(answer):
            if not _complete(stripped):
                return None
            return _conclusion(stripped) or (answer, "statement")
        return answer, "statement"
    if (
        "\n" not in stripped
        and len(stripped) <= 200
        and not _FOLLOWS.match(stripped)
        and _plain_value(stripped)
        and not (lenient and (_MATH_SPAN.search(stripped) or stripped.count(" ") > 3))
    ):
        return stripped, "plain"
    concluded = _conclusion(stripped)
    if concluded is None and (output := _repeated_output(stripped)) is not None:
        return output, "output"
    return concluded


def last_formula(text: str) -> str | None:
    """The last formula, else the last number. For the lenient mode only."""
    tail = text[-8_000:]
    span = last_match(_MATH_SPAN.finditer(tail))
    number = last_match(_LAST_NUMBER.finditer(tail))
    if span is not None and (number is None or number.start() < span.end()):
        unit = re.match(r" ?(?:%|percent\b|pct\b)", tail[span.end() :])
        return next(part for part in span.groups() if part is not None).strip() + (" \\%" if unit else "")
    return number[0].rstrip(",") if number is not None else None


def last_match(found: Iterable[re.Match[str]]) -> re.Match[str] | None:
    """The last of several matches."""
    last = None
    for one in found:
        last = one
    return last


def _explicit(text: str) -> tuple[str, int] | None:
    """What follows the last "answer is", "Answer:", "Final Answer" heading, or answer label at a line start."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose lower case is longer: positions would shift
        low = text
    position = len(text)
    quoted = last_match(_QUOTED.finditer(text, max(len(text) - 300, 0))) if text.endswith(("}", "```", "]")) else None
    if quoted is not None:
        return quoted[1] or quoted[2], quoted.start()
    for _ in range(MAX_TRIGGERS):
        position = low.rfind("answer", 0, position)
        if position < 0:
            break
        start = _trigger_end(text, position)
        if start is not None:
            answer = _sentence_value(_clip(text, start))
            if answer:
                return answer, start
    tail_at = max(len(text) - 400, 0)
    direct = last_match(_DIRECT.finditer(text, tail_at))
    if direct is not None:
        return _sentence_value(_clip(text, direct.end())), direct.end()
    label = last_match(_LINE_LABEL.finditer(text, tail_at))
    if label is not None:
        return _sentence_value(_clip(text, label.end())), label.end()
    option = last_match(_OPTION_CORRECT.finditer(text, tail_at))
    if option is not None:
        return option[1], option.start()
    return None if text.isascii() and not _LATIN_HINT.search(text, tail_at) else _foreign(text, tail_at)


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


_COUNTED = re.compile(r"\b(?:correct|incorrect|wrong|right|unanswered|of) $", re.IGNORECASE)


def _clip(text: str, start: int) -> str:
    """The statement that begins at `start`: a formula with its unit, or the rest of the sentence."""
    window = text[start : start + MAX_STATEMENT_CHARS]
    body = window.lstrip(" \t\r\n*_:：>-#`") if not re.match(r"[ \t]*-[\d\\.$(]", window) else window.lstrip(" \t")
    for opener, closer in _DISPLAY:
        if body.startswith(opener):
            close = body.find(closer, len(opener))
            if opener == "$" and "\n" in body[: max(close, 0)]:
                break
            if close > 0:
                rest = _sentence(body[close + len(closer) :])
                formula = body[: close + len(closer)]
                if opener in {"$$", "\\["} or not rest.strip(" *_"):
                    return formula
                return (formula + rest).strip(" *_")
    return _sentence(body).strip().strip("*_` ").strip()


def _sentence(text: str) -> str:
    """`text` up to the end of its line, sentence or clause."""
    line = text.split("\n", 1)[0]
    end = _SENTENCE_END.search(line)
    if end is not None:
        line = line[: end.start()]
    clause = _CLAUSE_END.search(line)
    return line[: clause.start()] if clause is not None and clause.start() > 0 else line


def _sentence_value(statement: str) -> str:
    """The value of an answer given as a sentence: "The volume of the box is 120" is 120."""
    counted = _COUNT.match(statement)
    if counted is not None:
        return counted[1]
    if len(_WORDY.findall(re.sub(r"\\[A-Za-z]+", " ", statement))) < 2 or _HEDGE.search(statement):
        return statement
    return _concluded(statement) or _only_value(statement) or statement


_COUNT = re.compile(
    r"(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?!more|less|fewer|times)[a-z]{2,}s [a-z]+ [a-z]+[a-z ]*$",
    re.IGNORECASE,
)
"""A sentence that counts: "three boxes contain neither pens nor pencils"."""

_HEDGE = re.compile(
    r"\b(?:greater|less|more|fewer|at least|at most|between|not|than|above|below|over|under|or|either|neither|nor|cannot|never|unknown|if)\b",
    re.IGNORECASE,
)


_OPTION = re.compile(r"\(?[A-J]\)(?! ?(?:or|and)\b)[^.?!:]{0,60}$")
"""An option letter and its text: "A)(a + b)(a - b)"."""


def _plain_value(text: str) -> bool:
    """Whether a whole completion is nothing but a value: one word, or mathematics with at most a unit."""
    if text.endswith(("?", ":")) or _SUPPOSED.match(text) is not None:
        return False
    if _OPTION.match(text):
        return True
    if re.search(r"[\d\\=]", text) is None:
        return re.search(r"[^\W_]", text) is not None and " " not in text.strip("*$ .")
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"\\[A-Za-z]+", " ", text))
    return len(words) <= 2 or (
        len(words) <= 4 and all(word in {"and", "or", "sqrt", "sin", "cos", "pi", "square", "units"} for word in words)
    )


_SUPPOSED = re.compile(
    r"(?:suppose|let|assume|assuming|consider|if|given|say|try|note|recall|since|because|when)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r" ?(?:is|are|was|can)(?:n't|n’t|not| not\b| (?:clearly |obviously )?(?:wrong|incorrect|false))", re.IGNORECASE
)
_TRUTH = re.compile(r"^(?!.*\b(?:not|if|whether|or|would|could)\b).* is (true|false)\W*$", re.IGNORECASE)


def _conclusion(text: str) -> tuple[str, str] | None:
    """The value that the last sentence concludes with, where the text does not break off."""
    complete = _complete(text)
    if not (complete or text[-1:].isalnum()):
        return None
    sentences = [part.strip() for part in _SENTENCE_SPLIT.split(text[-1_500:]) if part.strip()]
    anchored = False
    for sentence in reversed(sentences[-4:]):
        bold = last_match(_BOLD.finditer(sentence))
        if (
            bold is not None
            and _plain_value(bold[1])
            and re.search(r"\d|\\|=", bold[1])
            and _DENIED.match(sentence, bold.end()) is None
        ):
            return bold[1].strip().rstrip("."), "bold"
        if _CONCLUDES.match(sentence) and (answer := _concluded(sentence)):
            return answer, "conclusion"
        if not complete:
            break
        if (truth := _TRUTH.search(sentence)) is not None:
            return truth[1], "conclusion"
        if anchored:
            only = _concluded(sentence) or _only_value(sentence)
            return (only, "conclusion") if only else None
        if not _FILLER.match(sentence):
            break
        anchored = _ANCHOR.search(sentence) is not None
    return None


def _complete(text: str) -> bool:
    """Whether a text (without blanks at its end) ends with a full stop, a closing mark or a formula."""
    return text[-1:] in set(".!。]$)*}`")


_SHORT = re.compile(
    r"(?:so|thus|hence|therefore|finally)?,? ?(?:we (?:get|find|obtain) (?:that )?)?((?<= )(?=[^,=]*\d)[^\s,=][^,=]{0,60})$",
    re.IGNORECASE,
)
"""Nothing but a conclusion and a value: "Therefore, 42.", "We get 42."."""


def _concluded(sentence: str) -> str | None:
    """The value after the last "is" or "=" of a concluding sentence, if it ends with it."""
    short = _SHORT.match(sentence)
    if short is not None and _plain_value(short[1]):
        return short[1].rstrip(".")
    correct = _IS_CORRECT.search(sentence)
    if correct is not None and re.search(r"\d|\\", correct[1]):
        return re.sub(r"^(?:thus|so|hence|therefore|finally)\b,? ?", "", correct[1].strip(), flags=re.IGNORECASE)
    masked = sentence
    for span in _MATH_SPAN.finditer(sentence):
        masked = masked[: span.start()] + "0" * len(span[0]) + masked[span.end() :]
    match = last_match(_COPULA.finditer(masked))
    if match is None:
        return _lone_value(sentence)
    value = sentence[match.end() :].strip().rstrip(".!").strip()
    value = re.sub(r"^(?:indeed|equal to|exactly|simply|therefore|then|thus|now|given by|approximately)\s+", "", value)
    value = _REDUCES.split(value)[-1]
    bare = value
    for span in _MATH_SPAN.finditer(value):
        bare = bare.replace(span[0], " 0 ")
    if value.lower() in {"true", "false", "yes", "no"}:
        return value
    if not re.search(r"\d|\$|\\", value) or len(_WORDY.findall(bare)) > 3:
        return None
    return value


_FOLLOWS = re.compile(
    r"(?:so|thus|hence|therefore|consequently|in conclusion|we conclude|in total|altogether|finally|as a result)\b(?!.*\b(?:we (?:have|need|must|can|may|let|use|know)"
    r"|not|no|never|if|remains?|next|step|case|cases|unknowns?|equations?|steps?|variables?|equals?|is|are|was|were)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""A concluding sentence that neither goes on to work, nor denies, nor has a copula of its own."""


def _lone_value(sentence: str) -> str | None:
    """The only formula, or else the only number, of a short concluding sentence without a copula: "So she earns 18 dollars"."""
    if len(sentence) > 240 or not _FOLLOWS.match(sentence) or _HEDGE.search(sentence) or not _complete(sentence):
        return None
    spans = list(_MATH_SPAN.finditer(sentence))
    if len(spans) > 1:
        return None
    if spans:
        outside = sentence[: spans[0].start()] + sentence[spans[0].end() :]
        return None if re.search(r"\d", outside) else spans[0][0]
    return _only_value(sentence) if len(_NUMBER.findall(sentence)) == 1 else None


_PROGRAM = re.compile(r"```output\n\s*([^\n`]{1,60}?)\s*\n```\s*([^\n`]{1,300})$")


def _repeated_output(text: str) -> str | None:
    """The output of a program that the one sentence behind it repeats as its only number."""
    match = _PROGRAM.search(text, max(len(text) - 500, 0)) if "```output" in text[-500:] else None
    if match is None or _HEDGE.search(match[2]):
        return None
    numbers = {one.strip("$€£%").replace(",", "") for one in _NUMBER.findall(match[2])}
    printed = match[1].replace(",", "").removesuffix(".0")
    first = match[2].split(" ", 1)[0]
    begins = first.replace(",", "") == printed or str(spelled_number(first)) == printed
    return printed if numbers == {printed} or begins else None


def _only_value(sentence: str) -> str | None:
    """The one formula of a sentence, or else its one number."""
    spans = [match[0] for match in _MATH_SPAN.finditer(sentence)]
    if spans:
        return spans[0] if len(set(spans)) == 1 else None
    equation = re.search(r"\b[a-z] = [^\s,.]{1,40}", sentence)
    if equation is not None:
        return equation[0]
    numbers = {match[0] for match in _NUMBER.finditer(sentence)}
    return numbers.pop() if len(numbers) == 1 else None
