"""Bring a text into the one spelling that tokens are cut from, plain LaTeX without delimiters or layout; read plain numbers. Linear time."""

from __future__ import annotations

import re
from functools import lru_cache

from flint import fmpq, fmpz

from rewardkit.math.latex.respell import respell
from rewardkit.math.latex.signs import to_ascii
from rewardkit.math.latex.tree import Based, LimitError, Node, Num, ParseError
from rewardkit.math.patterns import lazy

# -- the whole pass --------------------------------------------------------------------------------------------------

_LETTER_ALONE = r"(?![A-Za-z]|/[A-Za-z]|[ ]?10)"
PLAIN = re.compile(
    rf"""(?![ ,.:*]|\(.\)=)(?:
    [-0-9=^/}}\]\[ ,:%!'&]|\+(?![ ]?/?[ ]?-)|\*|_(?<!/_)
    |[ABD-Zabc-z]{_LETTER_ALONE}|[acxyz](?=[bcxyz](?![A-Za-z]))|C(?![ ]?[_^]|[0-9kr]){_LETTER_ALONE}
    |\\?\{{(?![ ]?[-+=/:][ ]?\}})|\((?![a1i]\)|=)|\)(?![ ][&|])|\.(?=[0-9])(?![0-9]*\()
    |[<>](?!/)(?![^()]*\)\Z)|\\(?:le|ge|ne)(?![A-Za-z])(?![ ]?\}}|[^()]*\)\Z)
    |\\(?:[dtc]?frac|sqrt|binom|pi|infty|theta|alpha|beta|lambda|phi|sin|cos|tan|arc(?:sin|cos|tan)|ln|log|cup|in|overline|sum
        |(?:left|right)(?![ ]?\.)|[lr]floor|[lr]ceil|max|min|gcd|exp|dbinom|approx(?<!\([ ]\\approx)(?<!\(\\approx)|equiv(?![ ]?_)
        |(?:cdot|times|pm)(?![ ]?\}})|circ(?<=\^\\circ))(?![A-Za-z])
    |\\(?:begin|end)\{{[pbv]matrix\}}|\\[,}}%$]|\\\\(?![A-Za-z\\])
    )*+(?<![ ,.:*>\\])\Z""",
    re.VERBOSE,
)
"""Texts that `normalised` leaves as they are, known at little cost, as most answers are: letters alone, commands of one meaning."""

_EQUALS_FACTORIAL = lazy(r"(?<=[0-9)}])!=(?!=)")
_SIDE = lazy(r"[^=<>,;]*\Z")
_LETTER_IN_SIDE = lazy(r"(?<![A-Za-z\\])[A-Za-z]")


def normalise(text: str) -> str:
    r"""`text` in that spelling.

    >>> normalise("x²"), normalise("5!=120"), normalise("$x<5$")
    ('x^2', '5! =120', 'x<5')
    """
    if PLAIN.match(text) is None:
        text = normalised(text)
    return _EQUALS_FACTORIAL.sub(_factorial, text) if "!=" in text else text


def normalised(text: str) -> str:
    """`normalise` without its short cut for plain texts."""
    text = repair(text)
    return respell(without_dollars(strip_delimiters(text if text.isascii() else to_ascii(text))))


def _factorial(match: re.Match[str]) -> str:
    """The sign in 5!=120 as a factorial and an equals sign; with a letter before it, as in x_1!=2, it is "not equal"."""
    side = _SIDE.search(match.string, 0, match.start())
    return match[0] if side is not None and _LETTER_IN_SIDE.search(side[0]) is not None else "! ="


# -- damage ----------------------------------------------------------------------------------------------------------

_BROKEN = (("\f", "\\f"), ("\x08", "\\b"), ("\text", "\\text"), ("\times", "\\times"), ("\tan", "\\tan"), ("\theta", "\\theta"),
           ("\right", "\\right"), ("\rho", "\\rho"), ("\x07", "\\a"), ("\x0b", "\\v"))  # fmt: skip
_TIMES_TEN = lazy(r"(?<=[0-9]) ?x ?(?=10 ?\^)")
_LOST_F = lazy(r"(?<![A-Za-z\\])rac\{")
_DOUBLED = lazy(
    r"\\\\(?=(?:[bB]igg?[lr]?|[dt]?frac|sqrt|text|left|right|pi|cdot|times|pm|in|infty|cup|[lg]eqslant|leq?|geq?|neq?|log|ln|sin|cos|tan|theta|alpha|beta"
    r"|boxed|binom|circ|mathrm|mathbb|quad|lfloor|rfloor|ldots|cdots|angle|lambda|mu|omega|phi|sigma|approx|equiv|div|overline|vec)"
    r"(?![A-Za-z]))"
)
_LONE_BAR = lazy(r"\\left ?\|((?:(?!\\left|\\right).){0,400}?)\\right ?\.")
"""A bar that grows, which TeX wants closed by nothing: the bar of a set."""


def repair(text: str) -> str:
    r"""Undo damage of string escapes: a form feed that was `\f`, doubled backslashes, `rac{` that was `\frac{`."""
    if not text.isprintable():
        for broken, mended in _BROKEN:
            text = text.replace(broken, mended)
    if "10" in text and "x" in text:
        text = _TIMES_TEN.sub(r" \\times ", text)
    if text.count("rac{") != text.count("frac{"):
        text = _LOST_F.sub(r"\\frac{", text)
    if text.startswith("(") and text[2:4] == ")=":  # a function that lost its name: its body is what is left
        text = text[4:]
    if "\\right." in text and "|" in text:
        text = _LONE_BAR.sub(r"\\mid \1", text)
    if "\\\\" in text and "\\begin" not in text:
        text = _DOUBLED.sub(lambda _: "\\", text)
    return text


# -- delimiters ------------------------------------------------------------------------------------------------------

_EDGES = frozenset(" \n\t\r\f\v\x1c\x1d\x1e\x1f\x85$\\*`.,;:")
_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_DOLLAR = lazy(r"(?<!\\)\$")
_CURRENCY = lazy(r"(?<!\\)\$(?=\s?[\d.-])|(?<=\d)\$$")
_MATH_MARKS = lazy(r"(?<!\\)\\[()\[\]]")
MAX_LAYERS = 8
"""So many delimiters around each other are stripped."""


def strip_delimiters(text: str) -> str:
    r"""`text` without surrounding blanks, `$`, `\(`, `\[`, markdown stars and the full stop at its end."""
    if (
        text
        and text[-1] not in _EDGES
        and (text[0] not in _EDGES or (text[0] == "\\" and text[1].isalpha()))
        and (text[-1] not in ")]" or (text[-2:-1] != "\\" and not text[0].isspace()))
    ):
        return text
    for _ in range(MAX_LAYERS):
        before = text
        text = text.strip().strip("`")
        if text.endswith("\\") and not text.endswith("\\\\"):
            text = text[:-1]  # a "\\ " whose blank was stripped
        if "*" in text:
            text = text.removeprefix("**").removesuffix("**")
            if text.startswith("*") and text.endswith("*"):
                text = text[1:-1]
        if text.endswith((".", ",", ";", ":")) and not text.endswith(("...", "\\,", "\\;", "\\:", "right.", "left.")):
            text = text[:-1].rstrip()
        for opener, closer in _DELIMITERS:
            if text.startswith(opener) and text.endswith(closer) and len(text) >= len(opener) + len(closer):
                inside = text[len(opener) : len(text) - len(closer)]
                if opener not in inside and closer not in inside:
                    text = inside
        if text == before:
            break
    return text


def without_dollars(text: str) -> str:
    r"""Drop math delimiters inside `text`; a lone `$` before a digit is a currency sign, spelled `\$`."""
    if "\\(" in text or "\\[" in text:
        text = _MATH_MARKS.sub(" ", text)
    if "$" not in text:
        return text
    if len(_DOLLAR.findall(text)) % 2:
        text = _CURRENCY.sub(lambda _: "\\$", text, count=1)
    return _DOLLAR.sub(" ", text)


# -- comparing texts as texts ------------------------------------------------------------------------------------------

_SIZED = lazy(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*\.?(?=[^A-Za-z]|$)")
_LAYOUT = lazy(
    r"\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|nonumber|notag|hfill|bf|rm|it|sf|tt|cal|mit|boldmath|par|noindent|smallskip|medskip)(?![A-Za-z])"
)
_SETTING = re.compile(
    r"\\(?:left|right|big|Big|display|text|script|limits|no|hfill|bf|rm|it|sf|tt|cal|mit|bold|par|small|med)"
)
"""How each command begins that `_SIZED` or `_LAYOUT` drops."""

_SPACES = re.compile(
    r"[\\~\s](?:(?<=\\)(?:[,;:!> ]|q?quad(?![A-Za-z])|(?:thinspace|enspace|space|nobreakspace)(?![A-Za-z])|hspace\*?\{[^{}]*\})"
    r"|(?<=\s)\s*|(?<=~))"
)
"""Blanks and commands that are one; as all patterns that search long, it begins with a set of characters."""

_BLANK = re.compile(r"[~\s](?:(?<=\s)\s*|)")
_GAP = re.compile(r" (?:(?![^\W_])|(?<![^\W_] ))")
"""A blank that does not stand between two letters or digits."""

_NOT_IN_SKELETON = bytes(set(range(256)) - set(b"0123456789+-=<>/^"))


def squeeze(text: str) -> str:
    r"""`text` without layout, delimiters and blanks: two answers with the same squeezed text are the same answer.

    >>> squeeze(r"$\left( \dfrac{1}{2},\, 3\right)$.")
    '(\\frac{1}{2},3)'
    """
    text = strip_delimiters(text if text.isascii() else to_ascii(text))
    if "\\" in text:
        if _SETTING.search(text) is not None:
            text = _LAYOUT.sub(" ", _SIZED.sub(" ", text))
        text = text.replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac").replace("\\cfrac", "\\frac")
        text = text.replace("{,}", ",").replace("\\!", "")
        text = _SPACES.sub(" ", text)
    elif " " not in text and _BLANK.search(text) is None:
        return text
    else:
        text = _BLANK.sub(" ", text)
    return _GAP.sub("", text).strip()


def skeleton(text: str) -> bytes | None:
    """The digits and signs of a text, None where layout may hold some: texts with other ones differ when squeezed too."""
    if not text.isascii() or "space" in text:
        return None
    return text.encode().translate(None, _NOT_IN_SKELETON)


# -- numbers without tokens ------------------------------------------------------------------------------------------

MAX_DIGITS = 1_000
"""Numbers with more digits are not read; the longest reference number in our data has 300."""

MAX_EXPONENT = 10_000
"""Powers of ten beyond this are left to ball arithmetic."""

_PLAIN = re.compile(
    r"(?a)([-+−–]?)\s?(?:(\d{1,3}(?:,\d{3})+|\d{1,3}(?:'\d{3})+|\d{1,3}(?:(?:\{,\}|\\,|,\\!|\\!|\\ | | |~)\d{3})+|\d+)|)(?:(\.\d*)|)"
    r"(?:\s?(?:\\times|\\cdot|×|x|\*|·)\s?10\s?(?:\^|\*\*)\s?(?:\{\s?([-+−]?\d{1,6})\s?\}|\(([-+−]?\d{1,6})\)|([-+−]?\d{1,6}))|[eE]([-+]?\d{1,6})|)\.?"
)
_FRACTION = re.compile(
    r"(?a)([-+−–]?)\s?(?:\\[dtc]?frac\s?\{\s?([-−]?\d{1,30})\s?\}\s?\{\s?([-−]?\d{1,30})\s?\}|\\[dtc]?frac\s?(\d)\s?(\d)|(\d{1,30})\s?/\s?(\d{1,30}))"
)


_NO_DIGITS = re.compile(r"\D")
_FIRST = frozenset("0123456789.-+−–\\ \t\n\r\f\v")
_LAST = frozenset("0123456789.})")
"""The characters that a plain number can begin and end with."""


def plain_number(text: str) -> fmpq | None:
    r"""The exact value of a text that is a plain number, else None.

    >>> plain_number("1,234.50"), plain_number(r"-\frac{3}{6}"), plain_number("x")
    (2469/2, -1/2, None)
    """
    if not text or text[0] not in _FIRST or text[-1] not in _LAST or len(text) > 2 * MAX_DIGITS:
        return None
    if len(text) < 16 and text.isascii() and text.isdigit():
        return fmpq(int(text))
    match = _PLAIN.fullmatch(text) if text[0] != "\\" else None
    if match is not None:
        return _decimal(match)
    match = _FRACTION.fullmatch(text) if "/" in text or "frac" in text else None
    if match is not None:
        sign, a, b, c, d, e, f = match.groups()
        top, bottom = _int(a or c or e), _int(b or d or f)
        if bottom == 0:
            return None
        value = fmpq(top, bottom)
        return -value if sign and sign != "+" else value
    return None


def digits_value(whole: str, decimals: str = "", exponent: int = 0) -> fmpq | None:
    """The exact value of decimal digits times a power of ten; None beyond the digit and exponent limits."""
    if len(whole) + len(decimals) > MAX_DIGITS or abs(exponent) > MAX_EXPONENT:
        return None
    if not decimals and not exponent:
        return fmpq(int(whole or "0"))
    value = fmpq(int(whole + decimals or "0"))
    shift = exponent - len(decimals)
    if shift > 0:
        return value * fmpq(fmpz(10) ** shift)
    return value / fmpq(fmpz(10) ** -shift) if shift else value


def _decimal(match: re.Match[str]) -> fmpq | None:
    sign, whole, decimals, *exponents = match.groups()
    decimals = decimals[1:] if decimals else ""
    if not whole and not decimals:
        return None
    if whole and not whole.isdecimal():
        whole = _NO_DIGITS.sub("", whole)
    exponent = next((one for one in exponents if one), None)
    power = _int(exponent) if exponent else 0
    if "e-" in match[0] and "." not in match[0] and -10 < power < 0:
        return None  # 2e-1 may be 2e - 1
    if not (whole or "0").isascii() or not decimals.isascii():
        return None
    value = digits_value(whole or "", decimals, power)
    if value is None:
        return None
    return -value if sign and sign != "+" else value


def _int(text: str | None) -> int:
    text = (text or "0").replace("−", "-")
    return int(text)


# -- numbers as nodes -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2_048)
def integer(text: str) -> Num:
    """A whole number."""
    return Num(fmpq(int(text)))


def decimal(text: str, exponent: int = 0) -> Num:
    """Digits with a decimal point."""
    if len(text) < 16 and not exponent and text.isdigit():
        return Num(fmpq(int(text)))
    whole, _, decimals = text.partition(".")
    value = digits_value(whole, decimals, exponent)
    if value is None:
        raise LimitError("a number with too many digits")
    return Num(value, len(decimals) or None)


def special(kind: str, text: str) -> Num:
    r"""A mixed number, 2 1/2, a number with an exponent, 1.5e3, or a repeating decimal, 0.1\overline{6}."""
    if kind == "mixed":
        whole, top, bottom = map(int, text.replace("/", " ").split())
        if not 0 < top < bottom:
            raise ParseError("two numbers side by side")
        return Num(whole + fmpq(top, bottom))
    if kind == "sci":
        digits, _, power = text.replace("E", "e").partition("e")
        return decimal(digits, int(power))
    plain, _, cycle = text.partition("\\")
    digits = _NO_DIGITS.sub("", cycle)
    value = decimal(plain)
    return Num(value.value + fmpq(int(digits), (10 ** len(digits) - 1) * 10 ** (value.places or 0)))


def in_base(value: Node, base: int) -> Node:
    """Digits read in a base."""
    if not isinstance(value, Num) or value.value.q != 1 or value.value < 0:
        raise ParseError("digits in a base must be digits")
    digits = str(value.value.p)
    if not 2 <= abs(base) <= 36 or any(int(one) >= abs(base) for one in digits):
        raise ParseError("no number in that base")  # either may be too long to write out
    return value if base == 10 else Based(digits, base)
