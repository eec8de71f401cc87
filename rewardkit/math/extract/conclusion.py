"""Answers concluded by a last sentence: "Therefore, the area is 12.", a value in bold, the only value of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from rewardkit.math.extract.below import MAX_BELOW_CHARS, joined_below
from rewardkit.math.extract.clauses import COPULA, DISPLAYED, MATH_SPAN, SO, masked, plain_words_only, stating_clause
from rewardkit.math.extract.complement import difference, told
from rewardkit.math.extract.further import further
from rewardkit.math.extract.sentences import (
    MAX_SHORT_CHARS,
    NUMBER,
    THERE_ARE,
    complete,
    counted,
    last_number,
    lone_number,
    only_value,
)
from rewardkit.math.text.figures import spelled_number
from rewardkit.math.text.patterns import lazy

_SENTENCE_SPLIT = lazy(
    r"(?<=[.?。])(?<!p\.m\.)(?<!a\.m\.)(?<!Mr\.)(?<!Ms\.)(?<!Dr\.)(?<!Mrs\.)\s+|\n\s*\n|\n(?=[A-Z*\-])"
)
_CONCLUDES = lazy(
    r"(?:(?:and )?(?:so|thus|hence|therefore|consequently)|in the end|we therefore|in conclusion|in total|altogether|finally|overall|as a result|in all(?=,)|\w+ (?:\w+ )?therefore"
    r"|(?:we|I) (?:conclude|find|get|got|obtain|see that)|it follows|(?:this|that) (?:means|gives|yields|makes)|the (?:required|requested|desired|wanted|total) number\b|the (?:(?:final|integer|required|requested|desired|total|maximum|minimum"
    r"|maximal|minimal|largest|smallest|greatest|least|exact|possible|only|correct|right) ){0,2}(?:result|values?|solutions?|roots|zeros|total|sum|product|area|volume"
    r"|probability|perimeter|remainder|number of)"
    rf"|yes|indeed)\b|{THERE_ARE}"
    r"|(?:∴|⇒|⟹|→|=>|\$?\\(?:therefore|Rightarrow)\b)|.{0,120}\b(?:confident that|conclude that|end up with|we (?:get|find) that|(?:is|are|equals) (?:therefore|thus|hence)|has (?:exactly )?(?:one|two|three|four|\d) (?:real |distinct |integer )?(?:solutions?|roots?|zeros?):?)\b",
    re.IGNORECASE,
)
_LISTS = lazy(r"[^:]{0,120}\b(?:solutions?|roots?|zeros?|values?): ?", re.IGNORECASE)
_FILLER = lazy(
    r"(?:[*_\s]*)(?:i (?:think|hope|believe|am|'m|’m)|i've|that(?:'s| is)|this (?:is(?! (?:wrong|incorrect|false|impossible|absurd|not|a contradiction|too)\b)|matches|completes|seems|confirms)|everything|great|done|alright|let me know|(?:i )?hope (?:this|that|it)|feel free|please let"
    r"|it(?:'s| is) (?:a )?(?:simple|consistent|correct)|q\.?e\.?d)",
    re.IGNORECASE,
)
_SINCE = lazy(
    r"(?:since|because|as) [^.]{1,160}?, (?:so |then |it follows that |we (?:get|have|see that) )?(?=(?:the|its?|there|he|she|they) |\$)",
    re.IGNORECASE,
)
_ANCHOR = lazy(
    r"that(?:'s| is|’s) (?:the|my|our) (?:final |correct |right )?(?:answer|solution)|that(?:'s| is|’s) (?:it|correct)",
    re.IGNORECASE,
)
_IS_CORRECT = lazy(
    r"(?:that |so |, |^)((?:(?!that |so |, ).){1,60}?) is (?:indeed )?(?:the|my|our) (?:(?:correct|right|final) [a-z]+|answer\b|(?:only |unique )?solution\b)",
    re.IGNORECASE,
)
_REDUCES = lazy(r",? which (?:simplifies|reduces|is equal|equals|gives|is)(?: to)? ", re.IGNORECASE)
_ATTAINED = lazy(
    r",? (?:exactly |just )?(?:which is |and is )?(?:attained|achieved|reached|with equality|which (?:completes|finishes|proves|shows)|as (?:required|desired|claimed|expected|stated))\b.*$",
    re.IGNORECASE | re.DOTALL,
)
"""What is said of a value behind it: where it is attained."""

_BOLD = lazy(r"\*\*([^*\n]{1,200})\*\*")
WORDY = lazy(r"[A-Za-z]{3,}")


def last_match(found: Iterable[re.Match[str]]) -> re.Match[str] | None:
    """The last of several matches."""
    last = None
    for one in found:
        last = one
    return last


HEDGE = lazy(
    r"\b(?:greater|less|more|fewer|at least|at most|between|not|than|above|below|over|under|or|either|neither|nor|cannot|never|unknown|if)\b",
    re.IGNORECASE,
)


_OPTION = lazy(r"\(?[A-J]\)(?! ?(?:or|and)\b)[^.?!:]{0,60}$")
"""An option letter and its text: "A)(a + b)(a - b)"."""


def plain_value(text: str) -> bool:
    """Whether a whole completion is nothing but a value: one word, or mathematics with at most a unit."""
    if text.endswith(("?", ":")) or _SUPPOSED.match(text) is not None:
        return False
    if _OPTION.match(text):
        return True
    if re.search(r"\b(?:equals?|is|are|gives?|means?)\b", text) is not None:
        return False
    if re.search(r"[\d\\=]", text) is None:
        return re.search(r"[^\W_]", text) is not None and " " not in text.strip("*$ .")
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"\\[A-Za-z]+", " ", text))
    return len(words) <= 2 or (
        len(words) <= 4 and all(word in {"and", "or", "sqrt", "sin", "cos", "pi", "square", "units"} for word in words)
    )


_SUPPOSED = lazy(
    r"(?:partial|intermediate|interim|provisional|preliminary|example|put|plug|substitute|suppose|let|assume|assuming|consider|if|given|say|try|note|recall|since|because|when)\b",
    re.IGNORECASE,
)
_DENIED = lazy(
    r" ?(?:is|are|was|can)(?:n't|n’t|not| not\b| (?:clearly |obviously )?(?:wrong|incorrect|false))", re.IGNORECASE
)
_SUBJECT = lazy(r" (?:is|are) (?:the|an?) (?!(?:[a-z]+ )?(?:answer|solution|result|value)\b)", re.IGNORECASE)
"""A sentence that says something of the value it begins with: "60 is the number of seconds in a minute"."""

_UNSURE = lazy(
    r"\b(?:candidates?|guess(?:es)?|attempt|tentative(?:ly)?|(?:did|have|has|could|can|do) ?(?:not|n[o']t|n’t)|cannot|unverified|unsure|not (?:sure|certain|yet)"
    r"|too (?:small|large|big|high|low|many|few|long|short)|fails?|(?:we|I) (?:go on|continue|move on|try))\b",
    re.IGNORECASE,
)
"""What is said of a value that is not final."""

_TRUTH = lazy(r"^(?!.*\b(?:not|if|whether|or|would|could)\b).* is (true|false)\W*$", re.IGNORECASE)


def conclusion(text: str) -> tuple[str, str] | None:
    """The value that the last sentence concludes with, where the text does not break off."""
    text = joined_below(_under_heading(text))
    whole = complete(text)
    if not (whole or text[-1:].isalnum()):
        return None
    sentences = [part.strip() for part in _SENTENCE_SPLIT.split(text[-1_500:]) if part.strip()]
    anchored = False
    if sentences and _LONE.fullmatch(sentences[-1]) is not None:
        if sentences[-1].startswith("So "):
            return sentences[-1][3:], "conclusion"
        if len(sentences) > 1 and (again := _said_again(sentences[-2], sentences[-1])) is not None:
            return again, "conclusion"
    for sentence in reversed(sentences[-4:]):
        bold = last_match(_BOLD.finditer(sentence))
        if bold is not None and _CONCLUDES.match(bold[1]) is not None and not sentence[bold.end() :].strip(" *."):
            return (answer, "conclusion") if (answer := concluded(bold[1])) else None
        if (
            bold is not None
            and plain_value(bold[1])
            and re.search(r"\d|\\|=", bold[1])
            and _DENIED.match(sentence, bold.end()) is None
            and (bold.start() or _SUBJECT.match(sentence, bold.end()) is None)
            and _UNSURE.search(sentence, bold.end()) is None
        ):
            return bold[1].strip().rstrip("."), "bold"
        if (reason := _SINCE.match(sentence)) is not None and (answer := concluded(sentence[reason.end() :])):
            return answer, "conclusion"
        if (_CONCLUDES.match(sentence) or FOLLOWS.match(sentence)) and (answer := concluded(sentence)):
            return answer, "conclusion"
        if not whole:
            break
        if (truth := _TRUTH.search(sentence)) is not None:
            return truth[1], "conclusion"
        if anchored:
            only = concluded(sentence) or only_value(sentence)
            return (only, "conclusion") if only else None
        if not _FILLER.match(sentence):
            break
        anchored = _ANCHOR.search(sentence) is not None
    return None


def _under_heading(text: str) -> str:
    """`text` with the one sentence below or behind the label "Conclusion" begun by "so"."""
    label = (
        last_match(_HEADING.finditer(text, max(len(text) - MAX_BELOW_CHARS, 0)))
        if "onclusion" in text or "inal Result" in text
        else None
    )
    if label is None or not (rest := text[label.end() :].strip()):
        return text
    if _CONCLUDES.match(rest) is not None:
        return f"{text[: label.start()]}\n\n{rest}"
    return (
        f"{text[: label.start()]}\n\nSo {rest[0].lower() if rest.startswith(('The ', 'There ')) else rest[0]}{rest[1:]}"
    )


_HEADING = lazy(
    r"^[ \t]*(?:#{1,6} |\d{1,2}[.)] |[-*] )?(?:\*\*)?(?:\d{1,2}[.)] |Step \d{1,2}: )?(?:(?:Final )?Conclusion|Final Result)(?:\*\*)?(?:[.:](?:\*\*)?[ \t]*\n?|[ \t]*\n)\s*(?:[-*] )?",
    re.MULTILINE,
)
_LONE = lazy(
    rf"(?:So )?\**(?:{DISPLAYED}|\$[^$\n]{{1,200}}\$|\\\([^\n]{{1,200}}?\\\)|{NUMBER.pattern}|[A-Z][a-z]{{2,20}})\**\.?"
)
"""A formula, a number or a name on lines of its own."""


def _said_again(before: str, formula: str) -> str | None:
    """The value of a formula on the last line, where the concluding sentence before it holds the same value."""
    if _CONCLUDES.match(before.lstrip("*")) is None or _TO_DO.search(before) is not None:
        return None
    core = _core(formula)
    said = (concluded(before.strip("*")) or "").rstrip(".").removesuffix("\\)").rstrip("$ ")
    if core and (said.endswith(core) or NUMBER.findall(before) == [core]):
        return core
    name = _NAME.fullmatch(core)
    return name[1] if name is not None and re.search(rf"\b{name[1]}\b", before) is not None else None


_TO_DO = lazy(
    r"\b(?:should|needs?|must|check|not|cannot|could|might|if|assume|suppose|either|or)\b|n['’]t\b", re.IGNORECASE
)
_NAME = lazy(r"(?:\\text\{ ?)?([A-Z][a-z]{2,20})\}?")


def _core(formula: str) -> str:
    """What stands in a formula, or a line that is none."""
    span = MATH_SPAN.search(formula)
    inside = formula.strip("* ") if span is None else next(filter(None, span.groups()), "")
    return inside.strip().rstrip(".")


_SHORT = lazy(
    r"(?:(?:so|thus|hence|therefore|finally|∴|⇒|⟹|→|=>)[,:]? ?){0,2}(?:(?:(?:we|I) (?:get|got|find|found|obtain|have)|(?:this|that) (?:gives|means|makes)(?: us)?) (?:that |a total of )?)?((?<= )(?=[^,=]*\d)[^\s,=][^,=]{0,60}?)(?: in (?:total|all))?[.]?$",
    re.IGNORECASE,
)
"""Nothing but a conclusion and a value: "Therefore, 42.", "We get 42."."""


def concluded(sentence: str) -> str | None:
    """The value after the last "is" or "=" of a concluding sentence, if it ends with it."""
    if ("here are" in sentence or " ways" in sentence or "which is " in sentence or " and " in sentence) and (
        later := further(sentence)
    ) is not None:
        return later or None
    if (value := told(sentence) or (difference(sentence) if " than " in sentence else None)) is not None:
        return value
    if (phrase := _IN_FRONT.match(sentence)) is not None and (number := lone_number("So " + sentence[phrase.end() :])):
        return number
    clause = stating_clause(sentence)
    if clause is None:
        return None
    ended = clause + "." if complete(sentence) and not complete(clause) else clause
    short = _SHORT.match(clause)
    if short is not None and plain_value(short[1]):
        return _FILLED.sub("", short[1].rstrip("."))
    correct = _IS_CORRECT.search(clause)
    if correct is not None and re.search(r"\d|\\", correct[1]):
        return re.sub(r"^(?:thus|so|hence|therefore|finally)\b,? ?", "", correct[1].strip(), flags=re.IGNORECASE)
    blank = masked(clause)
    copulas = list(COPULA.finditer(blank))
    valued = (one for one in reversed(copulas) if any(map(str.isdigit, blank[one.end() :])))
    match = next(valued, copulas[-1] if copulas else None) or _LISTS.match(blank)
    if match is None:
        return _lone_value(ended) or lone_number(ended)
    if _CONDITION.search(blank, 0, match.start()) is not None:
        return None
    if _NOT.search(blank, 0, match.start()) is not None:
        return None
    if match[0].startswith("=") and _UNSOLVED.search(blank, max(match.start() - 40, 0), match.start()) is not None:
        return None
    value = clause[match.end() :].strip(" :\n").removeprefix("* ").lstrip().rstrip(".!").strip()
    if value.endswith((" and", " or", ",")) or (value.startswith("not $") and "=" in value):
        return None
    value = _FILLED.sub("", value)
    value = _REDUCES.split(value)[-1]
    value = _IN_ALL.sub("", _ATTAINED.sub("", value))
    if "$" in value and (rounded := _ROUNDED.fullmatch(value)) is not None:
        return rf"{rounded[1]} \approx {rounded[2]}"
    if value.lower() in {"true", "false", "yes", "no"} or (
        plain_words_only(value) and not any(map(str.isdigit, blank))
    ):
        return value
    if _LETTER.fullmatch(value) is not None:
        return value.strip("*")
    if (number := counted(value)) is not None:
        return number
    if not re.search(r"\d|\$|\\", value) or _TAKEN_AT.match(value) is not None:
        return lone_number(ended)
    if len(WORDY.findall(masked(value))) <= 3:
        return value
    return (only_value(value) if _BEGINS_WITH_VALUE.match(value) else None) or lone_number(ended)


@lru_cache(maxsize=1_024)
def said_by_sentence(truth: str) -> str | None:
    """The value that a ground truth states which is a sentence.

    >>> said_by_sentence("The rent for a room is 240 yuan."), said_by_sentence("The second player wins.")
    ('240 yuan', None)
    """
    if len(truth) > MAX_TRUTH_CHARS or truth.count(" ") < 3 or _BEGINS_SENTENCE.match(truth) is None:
        return None
    return concluded(_TEXT.sub(r"\1", truth)) or last_number(truth)


_TEXT = lazy(r"\\text ?\{([^{}$\\]{0,80})\}")
MAX_TRUTH_CHARS = 400
"""Longer ground truths are no sentences."""

_BEGINS_SENTENCE = lazy(r"(?!(?:Yes|No|True|False)\b)[A-Z][a-z]*,? [a-z]+ ")
_FILLED = lazy(
    r"^(?:(?:(?:it|that)['’]s|indeed|equal to|exactly|simply|therefore|then|thus|now|given by|approximately|only|an? (?:total|value|probability|sum) of)\s+)+"
)
_IN_FRONT = lazy(rf"{SO},? (?:after|in|at|by|on|over|within|during) (?:the )?\d[^,]{{0,40}}, (?=[a-z])", re.IGNORECASE)
"""A phrase of time or place with a number, in front of a clause."""

_ROUNDED = lazy(
    r"\$([^$]{1,120})\$(?: [a-z]+){0,3}?(?:,| or|, or|, which is) (?:approximately|about|roughly) \$?(-?\d[\d,]*(?:\.\d+)?)\$?(?: [a-z]+){0,3}"
)
"""A formula and its rounding, which is checked."""

_TAKEN_AT = lazy(r"(?:attained|achieved|reached|taken)\b")
_BEGINS_WITH_VALUE = lazy(r"(?:(?:about|only|the|an?|another|around|roughly) )?[*_]{0,2}[-+−$€£\\\d(]")
_IN_ALL = lazy(r",? (?:in (?:total|all)|altogether|overall|combined)$")
_CONDITION = lazy(r"\b(?:when|if|whenever) [^,.]{0,30}$", re.IGNORECASE)
"""What makes the equation behind it a condition."""

_NOT = lazy(r"(?:\bnot|n['’]t|\bnever) $", re.IGNORECASE)
_UNSOLVED = lazy(
    r"(?:(?<![\w.])\d+ ?\*? ?[a-z]|(?<![A-Za-z])[a-z](?:\^\{?\d\}?|[²³]| ?[-+*/] ?\d+)|(?<![\w.])\d+ ?[-+/] ?[a-z]) ?\Z"
)
"""The left side of an equation that gives no letter its value: 2n, n - 1, n^2."""

_LETTER = lazy(r"\**\(?[A-H]\)?\**")
"""An option letter; I may be a person."""

FOLLOWS = lazy(
    r"(?:so|thus|hence|therefore|consequently|in conclusion|we conclude|it follows|in the end|we (?:therefore |thus |finally )?(?:find|get|obtain)|this (?:gives|yields)|in total|altogether|finally|as a result|(?:adding|summing|multiplying|combining) [^,\d]{1,60}(?=,))\b(?!.*\b(?:we (?:have|need|must|can|may|let|use|know)"
    r"|not|no|never|if|suffices?|consider|check|examine|try|test|remains?|next|step|case|cases|unknowns?|equations?|steps?|variables?|equals?|is|are|was|were|far|go on|goes on|continue|divides|divisors?|multiples?|digits?|half|twice|reject|discard)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""A concluding sentence that neither goes on to work, nor denies, nor has a copula of its own."""


def _lone_value(sentence: str) -> str | None:
    """The only formula, or else the only number, of a short concluding sentence without a copula: "So she earns 18 dollars"."""
    if len(sentence) > MAX_SHORT_CHARS or not FOLLOWS.match(sentence) or not complete(sentence):
        return None
    spans = list(MATH_SPAN.finditer(sentence))
    if len(spans) > 1:
        row = sentence[spans[0].start() : spans[-1].end()]
        return row if _NAMED_ROW.fullmatch(row) and not re.search(r"\d", sentence[: spans[0].start()]) else None
    if HEDGE.search(sentence):
        return None
    if spans:
        outside = sentence[: spans[0].start()] + sentence[spans[0].end() :]
        return None if re.search(r"\d", outside) else spans[0][0]
    return only_value(sentence) if len(NUMBER.findall(sentence)) == 1 else None


_NAMED_ROW = lazy(
    r"\$[A-Za-z](?:_\{?\w\}?)? ?=[^$=]{1,60}\$(?:,? ?(?:and |or )?\$[A-Za-z](?:_\{?\w\}?)? ?=[^$=]{1,60}\$){1,8}"
)
"""Formulas that name values one after the other: "$x_1 = 1$ and $x_2 = 5$"."""

_PROGRAM = lazy(r"```output\n\s*([^\n`]{1,60}?)\s*\n```\s*([^\n`]{1,300})$")


def repeated_output(text: str) -> str | None:
    """The output of a program that the one sentence behind it repeats as its only number."""
    match = _PROGRAM.search(text, max(len(text) - 500, 0)) if "```output" in text[-500:] else None
    if match is None:
        return None
    if (
        (said := told(match[2])) is not None
        and said.startswith(("$", "\\("))
        and _core(said) == _DECIMALS.sub("", match[1])
    ):
        return said
    if HEDGE.search(match[2]):
        return None
    numbers = {one.strip("$€£%").replace(",", "") for one in NUMBER.findall(match[2])}
    printed = match[1].replace(",", "").removesuffix(".0")
    first = match[2].split(" ", 1)[0]
    begins = first.replace(",", "") == printed or str(spelled_number(first)) == printed
    return printed if numbers == {printed} or begins else None


_DECIMALS = lazy(r"\.0+$")


def verdict_first(text: str) -> tuple[str, str] | None:
    """The yes or no that a short text begins with, or that there is no solution."""
    if len(text) > MAX_VERDICT_CHARS or "\n\n" in text or "?" in text:
        return None
    if _NO_SOLUTION.fullmatch(text) is not None:
        return "no solution", "conclusion"
    verdict = _VERDICT.match(text)
    return (verdict[1], "verdict") if verdict is not None else None


MAX_VERDICT_CHARS = 300
"""A longer text that begins with yes or no may be about something else."""

_VERDICT = lazy(
    r"\**(Yes|No)\**[.,!]\**\s+(?!(?:I (?:can|will|would|['’]ll)|let['’]?s|let (?:us|me)|of course|sure|(?:this|that) is an? (?:[a-z]+ )?(?:problem|question|exercise))\b|(?<=o\. )\d)(?!.{0,300}\b(?:wait|actually|but|however|maybe|perhaps|unless|if|(?:yes|no)[,.!])(?:\b|(?<=\W)))",
    re.IGNORECASE | re.DOTALL,
)
_NO_SOLUTION = lazy(
    rf"(?:{SO},? )?(?:(?:there (?:is|are)|the (?:equation|system|inequality|problem) has)(?: therefore| thus)? )?no (?:real )?solutions?(?: exists?)?[.!]?",
    re.IGNORECASE,
)
