"""Things with a number: the 15th day is day 15, the second quadrant is quadrant II."""

from __future__ import annotations

from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.text.patterns import lazy
from rewardkit.math.text.wording import plain_words

_NOUNS = word_set(
    "day week month year century quadrant term place row column floor grade player person team box door round stage step"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_PLACES = {word: place for words in (_ORDINALS, _ROMANS) for place, word in enumerate(words, 1)}
_NUMBERED = lazy(
    rf"(?:the )?(?:(?P<count>[0-9]{{1,4}})(?:st|nd|rd|th)|(?P<word>{'|'.join(_ORDINALS)})) (?P<noun>[a-z]{{3,8}})"
    rf"|(?P<thing>[a-z]{{3,8}}) (?P<figure>[0-9]{{1,4}}|[ivx]{{1,4}})"
)


def numbered(text: str) -> tuple[str, int] | None:
    """(noun, number) of a thing that a number tells from its like, else None.

    >>> numbered("15th Day"), numbered("Quadrant IV"), numbered("15 days")
    (('day', 15), ('quadrant', 4), None)
    """
    if len(text) > 60:
        return None
    match = _NUMBERED.fullmatch(plain_words(text).lower().rstrip("."))
    if match is None or (noun := match["noun"] or match["thing"]) not in _NOUNS:
        return None
    number = match["count"] or match["word"] or match["figure"]
    place = int(number) if number.isdigit() else _PLACES.get(number)
    return None if place is None else (noun, place)
