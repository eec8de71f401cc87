"""How far a stated answer reaches behind its label, and the value in it where it is a sentence."""

from __future__ import annotations

import re

from rewardkit.math.extract.clauses import AS_WANTED, DISPLAYED, stating_clause
from rewardkit.math.extract.complement import one_value, told
from rewardkit.math.extract.conclusion import HEDGE, WORDY, concluded
from rewardkit.math.extract.further import further
from rewardkit.math.extract.sentences import counted, only_value
from rewardkit.math.text.figures import spelled_number
from rewardkit.math.text.patterns import lazy

MAX_STATEMENT_CHARS = 1_000
"""A stated answer is looked for in so many characters after its trigger."""


def clip(text: str, start: int) -> str:
    """The statement that begins at `start`: a formula with its unit, or the rest of the sentence."""
    window = text[start : start + MAX_STATEMENT_CHARS]
    lead = _LEAD.match(window)
    body = window[lead.end() :] if lead is not None else window
    if body.startswith("not ") and (but := _NOT_BUT.match(body)) is not None:
        body = body[but.end() :]
    if "*" in text[max(start - 2, 0) : start + len(window) - len(body)] and (cried := _CRIED.match(body)) is not None:
        return cried[1]
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


_DISPLAY = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_NOT_BUT = lazy(
    r"not [-$\d][^\s,;]{0,40}(?:,? but (?:rather |it(?:['’]s| is) )?|[;,.] (?:but |rather )?(?:it|that|the answer)(?:['’]s| is) )(?=[-$\d*\\])"
)
"""A value that is denied in front of the one that is stated: "not 9 but 8"."""

_CRIED = lazy(r"([^*\n]{1,80})\*\*!(?=\s|$)")
"""A value in bold; an exclamation mark behind it is no factorial."""

_IN_QUOTES = lazy(r"[\"“]([^\"“”]{1,200}?)\.?[\"”]")
_BOLD_MARK = lazy(r"(?<![\w)])\*\*|\*\*(?![\w(-])")
"""Two stars that make bold; between a letter and a number they are a power."""

_SHOWN_BELOW = lazy(
    rf"[A-Za-z](?:[^\n.$\\]{{3,160}}(?::| is| are| equals)\**[ \t]*\n\s*(?={DISPLAYED})|[^\n]{{3,200}}(?: is| are| equals| be):\**[ \t]*\n\s*)"
    rf"({DISPLAYED}|\$[^$\n]{{1,300}}\$|[-+(\d](?:[^A-Za-z\n:$]|\\[A-Za-z]+){{0,120}})\s*\Z"
)
"""Words that announce the formula below them."""

_GOES_ON = lazy(r"[,.=]|\\")
"""What stands before dots that are part of a value: 0.333..., 1, 2, 3, ..."""


_LEAD = lazy(r"(?:[ \t\r*_:：#`]|--+|\n(?:[ \t]*(?:>|-(?=\s)))?)*")
"""What may stand between a label and its value; a minus or a relation on its line belongs to it, a bullet or a mark of quotation does not."""


def _sentence(text: str) -> str:
    """`text` up to the end of its line, sentence or clause."""
    line = _ASIDE.sub("", text.split("\n", 1)[0])
    end = _SENTENCE_END.search(line)
    if end is not None:
        line = line[: end.start()]
    clause = _CLAUSE_END.search(line)
    return line[: clause.start()] if clause is not None and clause.start() > 0 else line


_SENTENCE_END = lazy(r"(?:(?<!\.)\.(?!\.)|[?。]|(?<![\d\w)}])!)(?=[\s*\"')\]]|$)|\n\s*\n")
_CLAUSE_END = lazy(
    r"(?:,|;|\s)\s*(?:\(?not(?= [\d$])|rather than|instead of|because|since|which|as (?:the|we|it)|so (?:we|the|that)|where (?:the|we)|when (?:the|we)|given that"
    rf"|and (?:the final|that|this|we|it)|that is(?= (?:[$\d]|[a-z]+ [a-z]))|i\.e|in other words|namely|i hope|whereas|while|although|though|even though|given that|provided|otherwise|or (?:about|approximately|roughly|around)|as(?= [$\d])|but|after|per the|(?:exactly )?as (?:{AS_WANTED}|was to be)|attained|achieved|obtained|reached|with equality)\b",
    re.IGNORECASE,
)
_ASIDE = lazy(r"(?:,? ?\(?\bexact(?:ly)?\)?[.!]?| [:;]-?\)|(?<=[A-Za-z]{2})!)\s*$")
"""What adds nothing to a value behind it."""


def value_in(statement: str) -> str:
    """The value of an answer given as a sentence.

    >>> value_in("The volume of the box is 120")
    '120'
    """
    if (glossed := _GLOSSED.fullmatch(statement)) is not None and (said := spelled_number(glossed[2])) is not None:
        return str(said) if glossed[1].strip() == str(said) else statement
    statement = _THEREFORE.sub("", _without_remark(statement))
    if "here are" in statement and (later := further(statement)) is not None:
        return later
    if (number := counted(statement)) is not None:
        return number
    if (verdict := _CLEARLY.fullmatch(statement)) is not None:
        return verdict[1]
    three = _COUNT.match(statement)
    if three is not None:
        return three[1]
    if len(WORDY.findall(re.sub(r"\\[A-Za-z]+", " ", statement))) > 1 and (
        value := told(statement) or one_value(statement)
    ):
        return value
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
    if place > 0 and _TAKEN.match(rest) is not None and len(rest) <= MAX_REMARK_CHARS:
        return statement[:place]
    if place <= 0 or not 3 <= len(rest) <= MAX_REMARK_CHARS or _SAYS_VALUE.search(rest) is not None:
        return statement
    return statement[:place]


_NEARLY = lazy(
    r"(?:approximately|about|approx\.?|roughly|nearly|≈) ?(-?[0-9][0-9,]*(?:\.[0-9]+)?)|(?:that is|i\.e\.)[,:]? (\$[^$]{1,80}\$|[-0-9^*/+ ]{1,30})",
    re.IGNORECASE,
)
"""A rounding or another form of the value before it, which is checked."""

_TAKEN = lazy(r"(?:attained|achieved|reached|obtained|taken) (?:when|at|by|for|where|with|from|in|on)\b", re.IGNORECASE)
"""What begins a remark that says where a value is taken, with values of its own."""

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
    r"\b(?:could|might|may(?: also)?) be\b|\b(?:also|though|although|possible|possibly|depending|(?:thought|said|believed|supposed|claimed|expected|assumed) to be)\b",
    re.IGNORECASE,
)
"""What offers another value in the same sentence."""

_GLOSSED = lazy(r"([-+−$€£\d.,/ ]{1,60})\(([A-Za-z -]{2,80})\)")
"""A number and what stands for it in brackets, which must agree."""

_COUNT = lazy(
    r"(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?!more|less|fewer|times)[a-z]{2,}s [a-z]+ [a-z]+[a-z ]*$",
    re.IGNORECASE,
)
"""A sentence that counts: "three boxes contain neither pens nor pencils"."""
