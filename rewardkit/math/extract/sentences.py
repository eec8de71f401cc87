"""Values in plain sentences: numbers of things, and one number among words."""

from __future__ import annotations

import re

from rewardkit.math.extract.clauses import MATH_SPAN, described, masked
from rewardkit.math.latex.units import is_known_unit
from rewardkit.math.text.patterns import lazy

NUMBER = lazy(r"(?<![\w.,])[-+−]?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?%?(?!\w|,\d)")
THERE_ARE = r"there (?:are|were|will be) [^.,]{1,80} (?:in total|in all|altogether)(?=[.!]*\**$)"
"""A sentence that counts: "there are 12 ways in total"."""

MAX_SHORT_CHARS = 240
"""A longer sentence is no short conclusion."""


def complete(text: str) -> bool:
    """Whether a text (without blanks at its end) ends with a full stop, a closing mark or a formula."""
    return text[-1:] in set(".!。]$)*}`")


def counted(value: str) -> str | None:
    """A number of things without what is said of them: "42 cookies were sold", "$14 in total"; None for all other texts."""
    found = _COUNTED.fullmatch(value)
    return None if found is None or _CHANGING.search(value) is not None else found[1]


_COUNTED = lazy(
    r"((?:\$[^$\n]{1,200}\$|(?:[-+−] ?)?\\?[$€£]?[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?(?: ?\\?%)?)(?: [a-z]{2,}[a-rt-z]s| (?:more |other |different |such )?[a-z]{3,})??)"
    r" (?:in|for|on|to|from|at|of|by|with|using|via|based|who|that|were|was|remain|remaining|left|altogether|during|after|before|until)(?: [A-Za-z'’-]+){0,12}[.!]?"
)
_CHANGING = lazy(
    r"\b(?:at the [a-z]+st|of (?:the|an?) (?:answer|number|other|result|value)|not|or|and|but|nor|plus|minus|than|times|half|halves|thirds?|quarters?|fourths|fifths|sixths|eighths|tenths?|hundredths?|hundreds?|thousands?|millions?|billions?"
    r"|dozens?|pairs?|percent|per cent|squared|cubed|factorial|choose|base|mod|modulo|remainder|power|root|most|least|fewer|less|once|twice|if|unless|except|without|maybe|perhaps"
    r"|possibly|probably|wrong|incorrect|false|could|might|may|one|two|three|four|five|six|seven|eight|nine|ten|zero|infinity|degrees?|multiplied|divided|reduced|increased|raised|rounded"
    r"|short|below|above|over|under|too|negative|off|way|ratio|odds|binary|octal|hexadecimal|decimal|case|cases|version|variant|scenario|divides|divisors?|factors?|multiples?|digits?"
    r"|permutations?|counting|constant|up|is|are|modulus)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Words behind a number that may make another of it."""


def lone_number(sentence: str) -> str | None:
    """The one number of a short concluding sentence, those in its phrases of time, place and share aside: "So in 7 days she walks 42 miles"."""
    if (
        len(sentence) > MAX_SHORT_CHARS
        or _CONCLUDES_PLAINLY.match(sentence) is None
        or _UNSETTLED.search(sentence) is not None
        or not complete(sentence)
        or "=" in sentence
    ):
        return None
    plain = sentence.replace("\\$", "$")
    if "\\" in plain or plain.count("$") > 1:
        return None
    if len(NUMBER.findall(plain)) > 1:
        plain = _IN_PHRASE.sub(" ", plain)
    return only_value(plain)


_CONCLUDES_PLAINLY = lazy(
    r"(?:and )?(?:so|thus|hence|therefore|consequently|in conclusion|in total|altogether|finally|as a result|(?:this|that) (?:means|makes|gives)|in all|it follows|in the end"
    rf"|{THERE_ARE})\b|\w+ (?:\w+ )?therefore\b",
    re.IGNORECASE,
)
_UNSETTLED = lazy(
    r"^\w+,? the first (?:two|three|four|five|six)\b|\b(?:not|no|or|either|neither|nor|cannot|never|unknown|if|whether|at least|at most|between|than|would|could|might|may|must|should|suppose|next|suffices?|consider|too|fails?|enough|check|examine|try|test|look|remains|remaining|step"
    r"|far|divides|divisors?|factors?|multiples?|digits?|cases?|equations?|unknowns?|variables?|twice|half|double|triple|third|quarter|times|percent of|we (?:have|need|let|use|know|consider|check|try))\b|n['’]t\b|%",
    re.IGNORECASE,
)
_IN_PHRASE = lazy(
    r"\b(?:in|after|for|over|of|at|on|from|within|during|every|by|among|with)(?: the| all| those| these| each| every| first| last| next| only)? [0-9][0-9,.]*(?: ?(?:pm|am|p\.m\.|a\.m\.)| [a-z]+)?",
    re.IGNORECASE,
)
"""A number in a phrase that says when, where, or of how many."""


def only_value(sentence: str) -> str | None:
    """The one value of a sentence, with its unit, where the words around it only say what it is."""
    spans = list(MATH_SPAN.finditer(sentence))
    if spans:
        if len({match[0] for match in spans}) > 1:
            return None
        found = [match.span() for match in spans]
    else:
        equation = re.search(r"\b[a-z] = [^\s,.]{1,40}", sentence)
        found = [equation.span()] if equation is not None else [match.span() for match in NUMBER.finditer(sentence)]
    values = {sentence[start : unit_end(sentence, end)] for start, end in found}
    if len(values) != 1 or (len(found) == 1 and not described(sentence, *found[0])):
        return None
    if spans and re.search(r"\d", masked(sentence).replace("0" * len(spans[0][0]), "")) is not None:
        return None
    return values.pop()


def unit_end(sentence: str, end: int) -> int:
    """Where the unit behind a number ends, or `end`."""
    word = _UNIT_WORD.match(sentence, end)
    if word is None or not is_known_unit(word[1]) or (word[1] == "in" and _MORE_WORDS.match(sentence, word.end())):
        return end
    per = _PER.match(sentence, word.end())
    return per.end() if per is not None else word.end()


_PER = lazy(
    r" (?:per|an?) (?:second|minute|hour|day|week|month|year|person|square|cubic|liter|kilogram|gallon|pound)s?\b|/[a-z]{1,6}\b"
)
_MORE_WORDS = lazy(r" [a-z]")


_UNIT_WORD = lazy(r" ?([A-Za-z]{1,15})(?![A-Za-z])")


def last_number(truth: str) -> str | None:
    r"""The one number at the end of a ground truth that is a sentence, with its unit.

    >>> last_number("The train travels 60 miles."), last_number("The train travels at least 60 miles.")
    ('60\\text{ miles}', None)
    """
    if not "A" <= truth[:1] <= "Z" or truth.count(" ") < 3 or (match := _ENDS_IN_NUMBER.fullmatch(truth)) is None:
        return None
    return match[1] + (rf"\text{{{match[2]}}}" if match[2] else "")


_ENDS_IN_NUMBER = lazy(
    r"(?!.*\b(?:not|no|never|neither|least|most|more|less|fewer|than|each|every|half|twice|per|about|around|nearly|almost|up|or|if|only|by|another|other|maximum|minimum)\b)"
    r"[A-Z][a-z]+(?: [A-Za-z]+){2,8} (\\?\$?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?)( [a-z]+)?\.?"
)
