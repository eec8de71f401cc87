"""Letters and words: variables, functions, constants, words that introduce or describe a value, and the units behind it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex.lexer import Token, word_token
from rewardkit.math.latex.scripts import subscripted
from rewardkit.math.latex.tree import Node, Num, Op, ParseError, Rel, Seq, Sym, Unit, Words
from rewardkit.math.latex.units import CURRENCIES, canonical_unit, is_known_unit, is_unit_symbol, is_unit_word, scaled
from rewardkit.math.latex.vocabulary import APPROXIMATE, CALLED, CONSTANTS, FUNCTIONS, LETTERS, UNNAMED, word_set
from rewardkit.math.patterns import lazy

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

MAX_WORD_PRODUCT = 3
"""A plain run of this many letters may be a product of variables; a longer one is a word."""

MAX_WORDS = 60
"""More words in a row are not joined."""

# -- runs of letters ---------------------------------------------------------------------------------------------------

_SHORT_WORDS = word_set("no yes all any the not odd two six ten one dne is an of to by at on it be as we day set per")
_SUFFIXES = word_set("th st nd rd")


@lru_cache(maxsize=2_048)
def is_word(text: str) -> bool:
    """Whether a run of letters is a word (perhaps a unit), and no function, constant or product of variables."""
    if text not in _SUFFIXES and (len(text) == 1 or text in FUNCTIONS or text in CONSTANTS or text in LETTERS):
        return False
    return text in _SUFFIXES or is_unit_word(text) or _is_short_word(text) or len(text) > MAX_WORD_PRODUCT


def _is_short_word(text: str) -> bool:
    """Whether a short run of letters is a word; Be is the product B e."""
    return text.lower() in _SHORT_WORDS and text != "Be"


_BEFORE_NAME = word_set("= + - } cdot times * / parallel perp cong sim triangle angle")
"""What comes before the name of a line or a figure, AB."""


def word(p: Parser, text: str) -> Node:
    """A run of letters: a constant, a variable, a product of variables, or words."""
    if text in CONSTANTS:
        return Sym(CONSTANTS[text])
    if text in LETTERS:
        return letter(p, text)
    following = p.peek()
    if text in CURRENCIES and following.kind == "num":
        return Unit(p.power(), CURRENCIES[text])
    if text.lower() in APPROXIMATE and following.kind != "eof":
        return p.primary()
    before = p.peek(-2)
    named = before.text in _BEFORE_NAME or before.kind == "num"
    alone = text.isupper() and following.kind in {"eof", "and"} and not named
    if len(text) > MAX_WORD_PRODUCT or _is_short_word(text) or alone:
        return words(p, text)
    p.position -= 1  # in the place of the run, which may be read twice
    p.replace(*map(word_token, text))
    return p.primary()


# -- letters -----------------------------------------------------------------------------------------------------------

BEHIND_LETTER = frozenset("'^_([")
_FUNCTION_NAMES = CALLED | word_set("phi psi zeta O Theta Omega")
_FACTORS = frozenset("abcdkmnrstxyz")
"""Letters that are factors before a sum in brackets: x(x - 1) = 0."""

_DEFINING = frozenset({Token("op", "="), Token("op", ":")})


def letter(p: Parser, name: str) -> Node:
    """A variable with its primes and subscripts, applied to arguments where it is a function."""
    while p.skip("'"):
        name += "'"
    node: Node = subscripted(p, Sym(name)) if p.skip("_") else Sym(name)
    if name in CALLED and [p.peek(ahead).text for ahead in range(6)] == ["^", "{", "-", "1", "}", "("]:
        p.position += 5
        node = Sym(name := name + "'^-1")
    if name in {"E", "P"} and p.skip("["):
        return Op("call:" + name, p.arguments("]"))
    if p.at("(") and isinstance(node, Sym) and _is_function(p, name):
        p.position += 1
        arguments = p.arguments(")")
        known = name == "zeta" and isinstance(arguments[0], Num)
        return Op(node.name if known else "call:" + node.name, arguments)
    return node


def _is_function(p: Parser, name: str) -> bool:
    """Whether the bracket behind a letter holds its arguments: f(2), p(n), P(x) = ..."""
    if name in CONSTANTS.values():
        return False
    if name.rstrip("'") in _FUNCTION_NAMES or "'" in name or _defines(p, name):
        return True
    kind, text, _ = p.peek(1)
    return p.peek(2).text == ")" and kind == "word" and len(text) == 1 and text != name


def _defines(p: Parser, name: str) -> bool:
    """Whether the bracket that opens here is closed by one that an equals sign follows, as in P(x) = ..."""
    depth = 0
    for ahead in range(60):
        kind, text, _ = p.peek(ahead)
        if kind == "eof":
            return False
        if kind == "op":
            depth += (text == "(") - (text == ")")
            if depth == 1 and text in {"+", "-"} and name in _FACTORS and ahead > 1:
                return False
            if depth == 0:
                return p.peek(ahead + 1) in _DEFINING
    return False


# -- words -------------------------------------------------------------------------------------------------------------

_CLOSING = frozenset({",", ";", ")", "}"})
_DEFINING_SIGNS = frozenset({":", "="})
_BOUNDS = {
    **dict.fromkeys(("at least", "no less than", "not less than", "no fewer than", "greater than or equal to"), ">="),
    **dict.fromkeys(("at most", "no more than", "not more than", "up to", "less than or equal to"), "<="),
    **dict.fromkeys(("more than", "greater than", "strictly more than", "strictly greater than"), ">"),
    **dict.fromkeys(("less than", "fewer than", "strictly less than"), "<"),
}
_KIND = lazy(
    r"(?:the )?(?:ordered |open |closed |half-open )?(?:number|value|integer|fraction|polynomial|function|expression|equation|line|circle|interval|set|pair|triple|point|vector|matrix|ratio|inequality|sequence|formula)"
    r"|all(?: real)?(?: numbers)?|ordered (?:pair|triple)",
    re.IGNORECASE,
)
"""Words that say of what kind the value behind them is."""

_INTRODUCES = lazy(
    r"^(?!.*\b(?:not|never|no|or|digits?)\b).*\b(?:answer|result|value|solution|total|sum) (?:is|are|equals|was)[ :]*$"
    r"|^there (?:is|are)(?: exactly| only| a total of)? ?$|^(?:is )?equal to$|^(?:a |the |in )?total of$|^the (?:number|value|integer|fraction|year)$"
    r"|^(?!.*\b(?:not|never|no|or|half|twice|double|square|cube|less|more|than|negative|reciprocal|inverse|root|if|times|digits?|last|first|next|previous|other)\b)the [a-z ]{2,40} (?:is|are|equals)$",
    re.IGNORECASE,
)


def words(p: Parser, text: str) -> Node:
    """A run of words; those that only introduce a value are dropped."""
    parts = [text]
    while p.peek().kind in {"text", "word"} and len(parts) < MAX_WORDS:
        if len(p.peek().text) == 1 and _KIND.fullmatch(" ".join(parts)):
            break
        parts.append(p.take().text)
    said = " ".join(parts)
    lower = said.strip(" .:").lower()
    following = p.peek()
    if (unsigned := lower.removeprefix("negative ")) in CONSTANTS:
        return Sym(CONSTANTS[lower]) if unsigned == lower else Op("neg", (Sym(CONSTANTS[unsigned]),))
    relation = _BOUNDS.get(lower)
    if relation is not None and following.kind != "eof":
        return bound(p, relation)
    if _introduces(said, following) or (lower in APPROXIMATE and following.kind not in {"eof", "and"}):
        return p.primary()
    currency = CURRENCIES.get(said.strip(" .")) or CURRENCIES.get(said.strip())
    if currency and following.kind == "num":
        return Unit(p.power(), currency)
    return Words(" ".join(_PUNCTUATION.sub(" ", said.lower()).split()))


def _introduces(said: str, following: Token) -> bool:
    """Whether words only introduce the value behind them: "the answer is", "the ordered pair"."""
    if following.kind in {"eof", "and", "text"} or following.text in _CLOSING:
        return False
    if _INTRODUCES.search(said) is not None:
        return following.kind in {"num", "cmd", "op"}
    numbered = following.text == "(" and said.lower().endswith("equation")
    return following.text not in _DEFINING_SIGNS and _KIND.fullmatch(said) is not None and not numbered


def bound(p: Parser, relation: str) -> Node:
    """A bound without a name before it: >= 5, at least 5."""
    return Rel((relation,), (Sym(UNNAMED), p.sum()))


_PUNCTUATION = lazy(r"[^-'\w]|_")


# -- units behind a value --------------------------------------------------------------------------------------------

UNIT_SIGNS = frozenset({"\\$", *"£€¥₹¢"})
"""Signs that may begin a unit."""

_WORDS = frozenset({"text", "word"})
_AROUND_UNITS = word_set("square cubic squared cubed per sq in each")
_LETTERS = lazy(r"[A-Za-z]+")


def quantity(p: Parser, value: Node) -> Node:
    """`value` with the unit words that follow it."""
    kind, text, _ = p.tokens[p.position]
    if text.lower().split(" ", 1)[0] in {"is", "are", "mod", "modulo"} or (kind == "word" and not is_word(text)):
        return value
    return _measured(value, _unit_words(p))


def _unit_words(p: Parser) -> list[str]:
    """The words of a unit, with the signs and exponents between them."""
    parts: list[str] = []
    while True:
        (kind, text, _), following = p.peek(), p.peek(1)
        joined = following.kind == "text" or (
            following.kind == "word" and (len(following.text) > 1 or is_unit_symbol(following.text))
        )
        divided = parts[-1:] in (["/"], ["*"]) or (following.text == "^" and is_unit_symbol(text))
        if kind == "word" and len(text) == 1 and not divided:
            return parts  # a letter behind a unit is a factor
        if kind in _WORDS or text in UNIT_SIGNS:
            parts.append(text)
        elif joined and text in {"cdot", "times", "/"}:
            parts.append("/" if text == "/" else "*")
        elif parts and text == "^":
            p.position += 1
            parts.append("^" + _unit_power(p))
            continue
        else:
            return parts
        p.position += 1


def _unit_power(p: Parser) -> str:
    """The exponent of a unit."""
    braces = p.skip("{")
    sign = "-" if p.skip("-") else ""
    power = p.take().text
    if braces:
        p.expect("}")
    return sign + power


def _measured(value: Node, parts: list[str]) -> Node:
    """A value with the unit that words spell, or with the number that they scale it by."""
    currency = ""
    if isinstance(value, Unit) and value.unit in CURRENCIES.values():
        currency, value = value.unit, value.value
    said = " ".join(parts)
    unit = canonical_unit(said)
    if isinstance(value, Unit) and value.unit == "th":
        unit, value = canonical_unit(f"th {said}"), value.value
    if unit is None or _is_sentence(value, unit, parts):
        raise ParseError(f"{said!r} is no unit")
    if unit in {"percent", "degree"}:
        return Op("pct" if unit == "percent" else "deg", (value,))
    scale, rest = scaled(unit)
    if currency:  # $1.5 million
        rest = (canonical_unit(f"{currency} {said}") or "") if scale == 1 else f"{currency} {rest}".rstrip()
    if scale != 1:
        value = Op("mul", (value, Num(fmpq(scale.numerator, scale.denominator))))
    return Unit(value, rest) if rest else value


def _is_sentence(value: Node, unit: str, parts: list[str]) -> bool:
    """Whether words go on a sentence, and name no unit: 24-ish, a point reflected, a circle."""
    if isinstance(value, Sym) and unit.count(" ") > 2:
        return True
    article = isinstance(value, Sym) and value.name in {"a", "A"}
    if not (parts[0][:1] == "-" or isinstance(value, Seq) or article):
        return False
    found = [one for part in parts for one in _LETTERS.findall(part)]
    return found == ["square"] or not all(is_known_unit(one) or one.lower() in _AROUND_UNITS for one in found)
