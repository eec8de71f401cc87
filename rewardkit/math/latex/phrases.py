"""Words in front of a value: what they make of it, or that they only introduce it."""

from __future__ import annotations

import re

from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.text.patterns import lazy

KIND = lazy(
    r"(?:the )?(?:ordered |open |closed |half-open )?(?:number|value|integer|fraction|polynomial|function|expression|equation|line|circle|interval|set|pair|triple|point|vector|matrix|ratio|inequality|sequence|formula)"
    r"|all(?: real)?(?: numbers)?|ordered (?:pair|triple)",
    re.IGNORECASE,
)
"""Words that say of what kind the value behind them is."""

QUANTITIES = word_set(
    "maximum minimum area perimeter volume length width height radius diameter slope mean median mode probability total sum remainder center centre period amplitude base side"
)
"""Words in front of a value that say what it is."""

REALS_BUT = lazy(
    r"(?:all |any |every )?(?:the )?reals?(?: numbers?)?(?: [a-z])? (?:except|but|other than|excluding|apart from|not equal to)(?: for)?(?: [a-z])?"
)
REALS = lazy(r"^(?:all |any |every )(?:real )?(?:numbers?|values?)(?: [a-z])?(?: that (?:are|is)| which (?:are|is))? ")
ALL_REALS = lazy(r"(?:all|any|every) real(?: numbers?)?")
NUMBERS_OF = lazy(r"(?:for )?(?:all|any|every) (integer|real)s?(?: numbers?)? [a-z]")
ARE = ("solution is", "solutions are", "roots are", "zeros are", "answers are")
INTRODUCES = lazy(
    r"^(?!.*\b(?:not|never|no|or|digits?)\b).*\b(?:answer|result|value|solution|total|sum) (?:is|are|equals|was)[ :]*$"
    r"|^there (?:is|are)(?: exactly| only| a total of)? ?$|^(?:is )?equal to$|^(?:a |the |in )?total of$|^the (?:number|value|integer|fraction|year)$"
    r"|^(?!.*\b(?:not|never|no|or|half|twice|double|square|cube|less|more|than|negative|reciprocal|inverse|root|if|times|digits?|last|first|next|previous|other)\b)the [a-z ]{2,40} (?:is|are|equals)$",
    re.IGNORECASE,
)

LIMITS = {
    **dict.fromkeys(("at least", "no less than", "not less than", "no fewer than", "greater than or equal to"), ">="),
    **dict.fromkeys(("at most", "no more than", "not more than", "up to", "less than or equal to"), "<="),
    **dict.fromkeys(("more than", "greater than", "strictly more than", "strictly greater than"), ">"),
    **dict.fromkeys(("less than", "fewer than", "strictly less than"), "<"),
}

ALL_OF = lazy(
    r"(?:the )?(?:set of )?(?:the )?(?:all|every|any)? ?(?:the )?(even|odd) (?:(?:integers?|numbers?)(?: [nkmx])?|[nkm])"
)
MULTIPLES = frozenset(
    {
        "all multiples of",
        "all integer multiples of",
        "the set of all multiples of",
        "set of all multiples of",
        "integer multiples of",
    }
)
