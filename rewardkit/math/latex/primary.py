"""The smallest pieces of the grammar: numbers, names, brackets, fractions, roots, functions, matrices."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.latex import brackets, commands
from rewardkit.math.latex.lexer import Token
from rewardkit.math.latex.numbers import digits_value
from rewardkit.math.latex.phrases import (
    ALL_OF,
    ALL_REALS,
    ARE,
    INTRODUCES,
    KIND,
    LIMITS,
    MULTIPLES,
    NUMBERS_OF,
    QUANTITIES,
    REALS,
    REALS_BUT,
)
from rewardkit.math.latex.tree import (
    Builder,
    Cond,
    Labelled,
    LimitError,
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
from rewardkit.math.latex.units import CURRENCIES, is_unit_word
from rewardkit.math.latex.vocabulary import (
    ACCENTS,
    APPROXIMATE,
    BIG,
    BRACKET,
    CALLED,
    CONSTANTS,
    FUNCTIONS,
    GREEK,
    LETTERS,
    RELATIONS,
    SAME_LETTER,
    SET_OPERATORS,
    TRANSPARENT,
    UNNAMED,
    word_set,
)

if TYPE_CHECKING:
    from rewardkit.math.latex.parser import Parser

_SPLIT_NAMES = sorted(
    (
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "ln",
        "log",
        "exp",
        "sqrt",
        "pi",
    ),
    key=len,
    reverse=True,
)
MAX_WORD_PRODUCT = 3
"""A plain run of so many letters may be a product of variables; a longer one is a word."""


def starts(parser: Parser, ahead: int) -> bool:
    """Whether the token `ahead` begins a factor that may stand beside another."""
    kind, text = parser.peek(ahead) if ahead else parser.tokens[parser.position]
    if kind == "op":
        if text == "(":
            return parser.peek(ahead + 1).text not in {"mod", "bmod", "pmod"} and not member_bracket(parser, ahead)
        if text == "[":
            following = parser.peek(ahead + 1)
            return not (parser.french or following.kind == "eof" or following.text in SET_OPERATORS)
        if text in {"|", "\\|"}:
            return parser.bars == 0
        return text in {"{", "\\{"}
    if kind in {"num", "mixed", "repeating"}:
        return True
    if kind == "word":
        return text not in {"U", "mod"} and not wordy(text)
    if kind == "cmd":
        return (
            text in FACTORS
            or text.startswith("bb:")
            or (text == "vert" and not parser.bars)
            or (text in BIG and parser.peek(ahead + 1).text in {"_", "^"})
        )
    return kind == "begin"


FACTORS = GREEK | TRANSPARENT | ACCENTS | (BIG - SET_OPERATORS.keys()) | FUNCTIONS.keys() | CONSTANTS.keys() | word_set(
    "frac dfrac tfrac cfrac sqrt surd cbrt qdrt binom dbinom tbinom lfloor lceil lvert lVert langle lbrace sqrt* max min infty emptyset"
    " varnothing nicefrac sfrac"
)  # fmt: skip
"""Commands that begin a factor."""


def member_bracket(parser: Parser, ahead: int) -> bool:
    """Whether a bracket such as (x in R) or (k, n in Z) opens here."""
    if parser.peek(ahead).text != "(":
        return False
    return (
        any(parser.peek(ahead + offset).text == "in" for offset in (2, 4, 6)) and parser.peek(ahead + 1).kind == "word"
    )


def primary(parser: Parser) -> Node:
    """One primary."""
    token = parser.tokens[parser.position]
    kind, text = token
    if kind != "eof":
        parser.position += 1
    if kind in {"num", "sci", "mixed"}:
        return number(parser, token)
    if kind == "word":
        return letter(parser, text) if len(text) == 1 else word(parser, text)
    if kind == "cmd":
        return commands.command(parser, text)
    if kind == "op":
        return operator(parser, text)
    if kind == "text":
        return words(parser, text)
    if kind == "begin":
        return commands.environment(parser, text)
    if kind == "repeating":
        return repeating(text)
    raise ParseError(f"unexpected {text!r}" if text else "the text ends too early")


def number(parser: Parser, token: Token) -> Node:
    """A number; an integer with a proper fraction behind it is a mixed number."""
    kind, text = token
    if len(text) < 16 and text.isdigit() and parser.tokens[parser.position].kind != "cmd":
        return _integer(text)
    if kind == "mixed":
        whole, _, rest = text.partition(" ")
        top, bottom = (int(one) for one in rest.strip().split("/"))
        if 0 < top < bottom:
            return Num(fmpq(int(whole)) + fmpq(top, bottom))
        raise ParseError("two numbers side by side")
    exponent = 0
    if kind == "sci":
        mantissa, _, power = text.replace("E", "e").partition("e")
        text, exponent = mantissa, int(power)
    whole, dot, decimals = text.partition(".")
    value = digits_value(whole, decimals, exponent)
    if value is None:
        raise LimitError("a number with too many digits")
    following = parser.peek()
    if not dot and following.kind == "cmd" and following.text in {"frac", "dfrac", "tfrac", "cfrac"}:
        before = parser.position
        part = commands.command(parser, parser.take().text)
        if (
            isinstance(part, Op)
            and part.name == "div"
            and isinstance(part.args[0], Num)
            and isinstance(part.args[1], Num)
            and 0 < part.args[0].value < part.args[1].value
            and not (parser.at("^") and parser.peek(1).text != "circ" and parser.peek(2).text != "circ")
        ):
            return Num(value + part.args[0].value / part.args[1].value)
        parser.position = before
    return Num(value, len(decimals) if dot and decimals else None)


def alone(text: str) -> Num:
    """A number in an exponent, a subscript or a fraction: what stands behind it is a factor, no part of a mixed number."""
    if len(text) < 16 and text.isdigit():
        return _integer(text)
    whole, dot, decimals = text.partition(".")
    value = digits_value(whole, decimals)
    if value is None:
        raise LimitError("a number with too many digits")
    return Num(value, len(decimals) if dot and decimals else None)


@lru_cache(maxsize=2_048)
def _integer(text: str) -> Num:
    return Num(fmpq(int(text)))


_LETTERS_AND_BLANKS = "overlinebardt "


def repeating(text: str) -> Node:
    r"""A repeating decimal, 0.1\overline{6}."""
    plain, _, cycle = text.partition("\\")
    digits = cycle.lstrip(_LETTERS_AND_BLANKS).strip("{}")
    whole, _, decimals = plain.partition(".")
    shift = 10 ** len(decimals)
    value = digits_value(whole, decimals)
    if value is None:
        raise LimitError("a number with too many digits")
    return Num(value + fmpq(int(digits), (10 ** len(digits) - 1) * shift))


def word(parser: Parser, text: str) -> Node:
    """A run of letters: a function, a constant, a variable, a product of variables, or words."""
    if text in FUNCTIONS and len(text) > 1:
        return commands.function(parser, FUNCTIONS[text])
    if text in CONSTANTS:
        return Sym(CONSTANTS[text])
    if len(text) == 1:
        return letter(parser, text)
    lower = text.lower()
    if lower in FUNCTIONS and text[0].isupper() and text[1:].islower() and parser.at("("):
        return commands.function(parser, FUNCTIONS[lower])
    if text in LETTERS:
        return letter(parser, SAME_LETTER.get(text, text))
    if lower in APPROXIMATE and parser.peek().kind != "eof":
        return primary(parser)
    if text in CURRENCIES and parser.peek().kind == "num":
        return Unit(parser.power(), CURRENCIES[text])
    pieces = split_names(text)
    if pieces is not None:
        parser.position -= 1  # in the place of the run, which may be read twice
        parser.tokens[parser.position : parser.position + 1] = [Token("word", piece) for piece in pieces]
        return primary(parser)
    if (
        len(text) <= MAX_WORD_PRODUCT
        and not (
            text.isupper()
            and parser.peek().kind in {"eof", "and"}
            and not (parser.peek(-2).text in _BEFORE_NAME or parser.peek(-2).kind == "num")
        )
        and not _is_plain(text)
    ):
        parser.tokens[parser.position - 1 : parser.position] = [Token("word", one) for one in text]
        return letter(parser, text[0])
    return words(parser, text)


@lru_cache(maxsize=2_048)
def wordy(text: str) -> bool:
    """Whether a run of letters is a word (perhaps a unit), and no function, constant or product of variables."""
    if text in {"th", "st", "nd", "rd"}:
        return True
    if len(text) == 1 or text in FUNCTIONS or text in CONSTANTS or text in LETTERS:
        return False
    return is_unit_word(text) or _is_plain(text) or (len(text) > MAX_WORD_PRODUCT and split_names(text) is None)


PLAIN_WORDS = word_set("no yes all any the not odd two six ten one dne is an of to by at on it be as we day set per")


_BEFORE_NAME = frozenset(
    {"=", "+", "-", "}", "cdot", "times", "*", "/", "parallel", "perp", "cong", "sim", "triangle", "angle"}
)
"""What stands before the name of a line or a figure, AB."""


def _is_plain(text: str) -> bool:
    """Whether a short run of letters is a word; Be is the product B e."""
    return text.lower() in PLAIN_WORDS and text != "Be"


def split_names(text: str) -> list[str] | None:
    """`xsinx` as x, sin, x; None where the run is not built from single letters and function names."""
    position = 0
    pieces: list[str] = []
    named = False
    while position < len(text):
        name = next((one for one in _SPLIT_NAMES if text.startswith(one, position)), None)
        if name is not None:
            pieces.append(name)
            position += len(name)
            named = True
            continue
        pieces.append(text[position])
        position += 1
    singles = sum(len(piece) == 1 for piece in pieces)
    if len(text) > 3 and pieces[-1] == "s":  # pigs, logs, tanks
        return None
    return pieces if named and singles <= 2 and len(pieces) <= 5 and len(text) <= 12 else None


_BEHIND_LETTER = frozenset("'^_([")
_OPERATORS = frozenset("EP")
"""Letters that are operators where a square bracket follows: an expectation, a probability."""


def letter(parser: Parser, name: str) -> Node:
    """A variable with its primes and subscripts, applied to arguments where it is a function."""
    following = parser.tokens[parser.position].text
    if following not in _BEHIND_LETTER:
        return Sym(name)
    while parser.at("'"):
        parser.position += 1
        name += "'"
    if parser.at("^") and parser.peek(1).text == "prime":
        parser.position += 2
        name += "'"
    node: Node = Sym(name)
    if parser.at("_"):
        parser.position += 1
        node = brackets.subscripted(parser, node)
    if name in CALLED and [parser.peek(ahead).text for ahead in range(6)] == ["^", "{", "-", "1", "}", "("]:
        parser.position += 5
        node = Sym(name := name + "'^-1")
    if parser.at("[") and name in _OPERATORS:
        parser.position += 1
        return Op("call:" + name, arguments_of(parser, "]"))
    if parser.at("(") and isinstance(node, Sym) and name not in {"e", "i", "pi"}:
        base = name.rstrip("'")
        if base in CALLED or base in _CALLED_NAMES or "'" in name or defines(parser, name) or _applied(parser, name):
            parser.position += 1
            arguments = arguments_of(parser, ")")
            known = name == "zeta" and isinstance(arguments[0], Num)
            return Op(node.name if known else "call:" + node.name, arguments)
    return node


_CALLED_NAMES = frozenset({"phi", "psi", "O", "Theta", "Omega"})


def _applied(parser: Parser, name: str) -> bool:
    """Whether a letter stands before another alone in brackets, as in p(n), or zeta before a number."""
    kind, text = parser.peek(1)
    if name == "zeta" and kind == "num":
        return parser.peek(2).text == ")"
    return kind == "word" and len(text) == 1 and text != name and parser.peek(2).text == ")"


_FACTORS = frozenset("abcdkmnrstxyz")
"""Letters that are factors before a sum in brackets: x(x - 1) = 0."""


def defines(parser: Parser, name: str) -> bool:
    """Whether the bracket that opens here is closed by one that an equals sign follows, as in P(x) = ..."""
    depth = 0
    for ahead in range(60):
        token = parser.peek(ahead)
        if token.kind == "eof":
            return False
        if token.kind == "op":
            depth += (token.text == "(") - (token.text == ")")
            if depth == 1 and token.text in {"+", "-"} and name in _FACTORS and ahead > 1:
                return False
            if depth == 0:
                following = parser.peek(ahead + 1)
                return following.kind == "op" and following.text in {"=", ":"}
    return False


def arguments_of(parser: Parser, closed: str) -> tuple[Node, ...]:
    """The arguments up to a closing bracket."""
    node = parser.items("(", closed)
    parser.expect(closed)
    found = node.items if isinstance(node, Seq) and not node.opened else (node,)
    if not found:
        raise ParseError("a function of nothing")
    return found


def words(parser: Parser, text: str) -> Node:
    """A run of words; a sign of approximation in front of a value is dropped."""
    parts = [text]
    if text.endswith(ARE) and parser.peek().kind == "word" and parser.peek(1).text == "=":
        return letter(parser, parser.take().text)
    while parser.peek().kind in {"text", "word"} and len(parts) < 60:
        if len(parser.peek().text) == 1 and (KIND.fullmatch(said := " ".join(parts)) or said.lower() in QUANTITIES):
            break
        parts.append(parser.take().text)
    joined = " ".join(parts)
    if (
        parser.peek().kind == "word"
        and parser.peek(1).kind == "eof"
        and ALL_REALS.fullmatch(joined.lower()) is not None
    ):
        parser.take()
        return Words(clean_words(joined))
    infinite = _INFINITE.get(joined.strip(" .").lower())
    if infinite is not None:
        return infinite
    if REALS_BUT.fullmatch(joined.lower()) is not None:
        left_out = parser.items("", "")
        items = left_out.items if isinstance(left_out, Seq) and not left_out.opened else (left_out,)
        values = tuple(one.args[1] if isinstance(one, Rel) and one.ops in {("=",), ("!=",)} else one for one in items)
        return SetOp("minus", (Sym("bb:R"), Seq("{", "}", values)))
    following = parser.peek()
    if (limit := LIMITS.get(REALS.sub("", joined.strip(" .:").lower()))) is not None and following.kind != "eof":
        return bound(parser, limit)
    if following.text in RELATIONS and (numbers := NUMBERS_OF.fullmatch(joined.lower())) is not None:
        parser.position -= 1
        return Cond(parser.statement(), numbers[1], universal=True)
    if (
        joined.strip(" .:").lower() in QUANTITIES
        and (following.kind in {"num", "mixed", "repeating"} or following.text in {"-", "frac", "sqrt", "pi"} or following.kind == "word")
    ):  # fmt: skip
        return Labelled(clean_words(joined), parser.sum())
    if (
        INTRODUCES.search(joined) is not None
        and following.kind in {"num", "cmd", "op"}
        and following.text not in {",", ";", ")", "}"}
    ) or (
        KIND.fullmatch(joined) is not None
        and following.kind not in {"eof", "and", "text"}
        and following.text not in _PARTED
        and not (joined.lower().endswith("equation") and following.text == "(" and parser.peek(1).kind == "num")
    ):
        return primary(parser)
    if (parity := ALL_OF.fullmatch(joined.lower())) is not None:
        return _multiples(2, int(parity[1] == "odd"))
    if joined.lower() in MULTIPLES and following.kind == "num" and following.text.isdigit() and len(following.text) < 9:
        return _multiples(int(parser.take().text), 0)
    if joined.strip(" .:").lower() in APPROXIMATE and following.kind not in {"eof", "and"}:
        return primary(parser)
    if following.kind == "num" and joined.istitle() and " " not in joined and _in_list(parser):  # Ann 12, Ben 9
        return Labelled(clean_words(joined), parser.sum())
    currency = CURRENCIES.get(joined.strip(" .")) or CURRENCIES.get(joined.strip(" ").upper())
    if currency is not None and following.kind == "num":
        return Unit(parser.power(), currency)
    return Words(clean_words(joined))


_PARTED = frozenset({",", ";", ":", "=", ")", "}"})


def _in_list(parser: Parser) -> bool:
    """Whether a comma or "and" stands before the word just read, or behind the number after it."""
    near = parser.peek(-2), parser.peek(1)
    return any(token.text == "," or token.kind == "and" for token in near)


def _multiples(step: int, offset: int) -> Node:
    """{step k + offset | k in Z}."""
    element: Node = Op("mul", (Num(fmpq(step)), Sym("k")))
    element = Op("add", (element, Num(fmpq(offset)))) if offset else element
    return Builder(element, (Rel(("in",), (Sym("k"), Sym("bb:Z"))),))


_INFINITE: dict[str, Node] = {
    "infinity": Sym("oo"),
    "positive infinity": Sym("oo"),
    "plus infinity": Sym("oo"),
    "negative infinity": Op("neg", (Sym("oo"),)),
    "minus infinity": Op("neg", (Sym("oo"),)),
}


def clean_words(text: str) -> str:
    """Lower case, one space between words, no punctuation."""
    return " ".join("".join(one if one.isalnum() or one in "'-" else " " for one in text.lower()).split())


def operator(parser: Parser, text: str) -> Node:
    """A bracket, bars, a currency sign."""
    if text == "{":
        return brackets.group(parser)
    if text in BRACKET and text not in {")", "\\}"}:
        return brackets.bracket(parser, BRACKET[text])
    if text in {"|", "\\|"}:
        return brackets.bars(parser, text)
    if text in CURRENCIES or text == "\\$":
        return Unit(parser.power(), CURRENCIES[text.lstrip("\\")])
    if text in {"-", "+"}:
        parser.position -= 1
        return parser.signed()
    if text == "...":
        return Sym("...")
    if text == ".":
        return primary(parser)
    if text in {"<", ">", "<=", ">="}:
        return bound(parser, RELATIONS[text])
    raise ParseError(f"unexpected {text!r}")


def bound(parser: Parser, relation: str) -> Node:
    """A bound without a name before it: >= 5, at least 5."""
    if relation in {"<", ">"} and parser.at("="):
        parser.position += 1
        relation += "="
    return Rel((relation,), (Sym(UNNAMED), parser.sum()))
