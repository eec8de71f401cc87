"""Letters and words: variables, functions, constants, words that introduce or describe a value."""

from __future__ import annotations

import re

from rewardkit.math.latex.cursor import MAX_WORD_PRODUCT, is_short_word, split_names
from rewardkit.math.latex.scripts import Scripts
from rewardkit.math.latex.tokens import Token
from rewardkit.math.latex.tree import (
    Node,
    Num,
    Op,
    ParseError,
    Rel,
    Seq,
    SetOp,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.latex.units import CURRENCIES
from rewardkit.math.latex.vocabulary import (
    APPROXIMATE,
    BRACKET,
    CALLED,
    CONSTANTS,
    FUNCTIONS,
    LETTERS,
    RELATIONS,
    SAME_LETTER,
    UNNAMED,
    word_set,
)
from rewardkit.math.patterns import lazy

MAX_WORDS = 60
"""More words in a row are not joined."""

_BEHIND_LETTER = frozenset("'^_([")
_OPERATORS = frozenset("EP")
"""Letters that are operators where a square bracket follows: an expectation, a probability."""

_FUNCTION_NAMES = CALLED | word_set("phi psi O Theta Omega")
_FACTORS = frozenset("abcdkmnrstxyz")
"""Letters that are factors before a sum in brackets: x(x - 1) = 0."""

_BEFORE_NAME = word_set("= + - } cdot times * / parallel perp cong sim triangle angle")
"""What stands before the name of a line or a figure, AB."""

_PARTED = frozenset({",", ";", ":", "=", ")", "}"})
_INFINITE: dict[str, Node] = {
    **dict.fromkeys(("infinity", "positive infinity", "plus infinity"), Sym("oo")),
    **dict.fromkeys(("negative infinity", "minus infinity"), Op("neg", (Sym("oo"),))),
}
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

_ANY_REALS = lazy(
    r"^(?:all |any |every )(?:real )?(?:numbers?|values?)(?: [a-z])?(?: that (?:are|is)| which (?:are|is))? "
)
_ALL_REALS = lazy(r"(?:all|any|every) real(?: numbers?)?")
_REALS_EXCEPT = lazy(
    r"(?:all |any |every )?(?:the )?reals?(?: numbers?)?(?: [a-z])? (?:except|but|other than|excluding|apart from|not equal to)(?: for)?(?: [a-z])?"
)
_INTRODUCES = lazy(
    r"^(?!.*\b(?:not|never|no|or|digits?)\b).*\b(?:answer|result|value|solution|total|sum) (?:is|are|equals|was)[ :]*$"
    r"|^there (?:is|are)(?: exactly| only| a total of)? ?$|^(?:is )?equal to$|^(?:a |the |in )?total of$|^the (?:number|value|integer|fraction|year)$"
    r"|^(?!.*\b(?:not|never|no|or|half|twice|double|square|cube|less|more|than|negative|reciprocal|inverse|root|if|times|digits?|last|first|next|previous|other)\b)the [a-z ]{2,40} (?:is|are|equals)$",
    re.IGNORECASE,
)


class Names(Scripts):
    """Letters and words."""

    def word(self, text: str) -> Node:
        """A run of letters: a function, a constant, a variable, a product of variables, or words."""
        if text in FUNCTIONS:
            return self.function(FUNCTIONS[text])
        if text in CONSTANTS:
            return Sym(CONSTANTS[text])
        lower = text.lower()
        if lower in FUNCTIONS and text[0].isupper() and text[1:].islower() and self.at("("):
            return self.function(FUNCTIONS[lower])
        if text in LETTERS:
            return self.letter(SAME_LETTER.get(text, text))
        following = self.peek()
        if lower in APPROXIMATE and following.kind != "eof":
            return self.primary()
        if text in CURRENCIES and following.kind == "num":
            return Unit(self.power(), CURRENCIES[text])
        pieces = split_names(text)
        if pieces is None and len(text) <= MAX_WORD_PRODUCT and not is_short_word(text):
            before = self.peek(-2)
            named = before.text in _BEFORE_NAME or before.kind == "num"
            if named or not (text.isupper() and following.kind in {"eof", "and"}):
                pieces = list(text)
        if pieces is None:
            return self.words(text)
        self.position -= 1  # in the place of the run, which may be read twice
        self.replace(*pieces)
        return self.primary()

    def letter(self, name: str) -> Node:
        """A variable with its primes and subscripts, applied to arguments where it is a function."""
        if self.tokens[self.position].text not in _BEHIND_LETTER:
            return Sym(name)
        while self.skip("'"):
            name += "'"
        if self.at("^") and self.peek(1).text == "prime":
            self.position += 2
            name += "'"
        node: Node = self.subscripted(Sym(name)) if self.skip("_") else Sym(name)
        if name in CALLED and [self.peek(ahead).text for ahead in range(6)] == ["^", "{", "-", "1", "}", "("]:
            self.position += 5
            node = Sym(name := name + "'^-1")
        if name in _OPERATORS and self.skip("["):
            return Op("call:" + name, self.arguments_of("]"))
        if self.at("(") and isinstance(node, Sym) and self.is_function(name):
            self.position += 1
            arguments = self.arguments_of(")")
            known = name == "zeta" and isinstance(arguments[0], Num)
            return Op(node.name if known else "call:" + node.name, arguments)
        return node

    def is_function(self, name: str) -> bool:
        """Whether the bracket behind a letter holds its arguments: f(2), p(n), P(x) = ..."""
        if name in CONSTANTS.values():
            return False
        if name.rstrip("'") in _FUNCTION_NAMES or "'" in name or self.defines(name):
            return True
        (kind, text), closing = self.peek(1), self.peek(2).text == ")"
        if name == "zeta" and kind == "num":
            return closing
        return closing and kind == "word" and len(text) == 1 and text != name

    def defines(self, name: str) -> bool:
        """Whether the bracket that opens here is closed by one that an equals sign follows, as in P(x) = ..."""
        depth = 0
        for ahead in range(60):
            kind, text = self.peek(ahead)
            if kind == "eof":
                return False
            if kind == "op":
                depth += (text == "(") - (text == ")")
                if depth == 1 and text in {"+", "-"} and name in _FACTORS and ahead > 1:
                    return False
                if depth == 0:
                    return self.peek(ahead + 1) in _DEFINING
        return False

    def words(self, text: str) -> Node:
        """A run of words; those that only introduce a value are dropped."""
        parts = [text]
        while self.peek().kind in {"text", "word"} and len(parts) < MAX_WORDS:
            said = " ".join(parts)
            if len(self.peek().text) == 1 and _KIND.fullmatch(said):
                break
            parts.append(self.take().text)
        said = " ".join(parts)
        lower = said.strip(" .:").lower()
        following = self.peek()
        if lower in _INFINITE:
            return _INFINITE[lower]
        if following.kind == "word" and self.peek(1).kind == "eof" and _ALL_REALS.fullmatch(lower) is not None:
            self.take()
            return Words(clean_words(said))
        if _REALS_EXCEPT.fullmatch(lower) is not None:
            return self.reals_without()
        bound = _BOUNDS.get(_ANY_REALS.sub("", lower))
        if bound is not None and following.kind != "eof":
            return self.bound(bound)
        if self.introduces(said, following) or (lower in APPROXIMATE and following.kind not in {"eof", "and"}):
            return self.primary()
        currency = CURRENCIES.get(said.strip(" .")) or CURRENCIES.get(said.strip().upper())
        if currency is not None and following.kind == "num":
            return Unit(self.power(), currency)
        return Words(clean_words(said))

    def introduces(self, said: str, following: Token) -> bool:
        """Whether words only introduce the value behind them: "the answer is", "the ordered pair"."""
        if _INTRODUCES.search(said) is not None and following.text not in {",", ";", ")", "}"}:
            return following.kind in {"num", "cmd", "op"}
        if following.kind in {"eof", "and", "text"} or following.text in _PARTED or _KIND.fullmatch(said) is None:
            return False
        numbered = following.text == "(" and self.peek(1).kind == "num"
        return not (numbered and said.lower().endswith("equation"))

    def reals_without(self) -> Node:
        """All real numbers but those that follow."""
        taken = self.items("", "")
        members = taken.items if isinstance(taken, Seq) and not taken.opened else (taken,)
        values = tuple(one.args[1] if isinstance(one, Rel) and one.ops in {("=",), ("!=",)} else one for one in members)
        return SetOp("minus", (Sym("bb:R"), Seq("{", "}", values)))

    def operator(self, text: str) -> Node:
        """A bracket, bars, a currency sign."""
        if text == "{":
            return self.group()
        if text in BRACKET and text not in {")", "\\}"}:
            return self.bracket(BRACKET[text])
        if text in {"|", "\\|"}:
            return self.bars(text)
        if text in CURRENCIES or text == "\\$":
            return Unit(self.power(), CURRENCIES[text.lstrip("\\")])
        if text in {"-", "+"}:
            self.position -= 1
            return self.signed()
        if text == "...":
            return Sym("...")
        if text == ".":
            return self.primary()
        if text in {"<", ">", "<=", ">="}:
            return self.bound(RELATIONS[text])
        raise ParseError(f"unexpected {text!r}")

    def bound(self, relation: str) -> Node:
        """A bound without a name before it: >= 5, at least 5."""
        if relation in {"<", ">"} and self.skip("="):
            relation += "="
        return Rel((relation,), (Sym(UNNAMED), self.sum()))


_DEFINING = frozenset({Token("op", "="), Token("op", ":")})


def clean_words(text: str) -> str:
    """Lower case, one space between words, no punctuation."""
    return " ".join("".join(one if one.isalnum() or one in "'-" else " " for one in text.lower()).split())
