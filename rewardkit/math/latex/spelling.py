"""Bring a text into the one spelling that tokens are cut from, where it is not in it already, as most answers are."""

from __future__ import annotations

import re
from html import unescape

from rewardkit.math.latex.normalise import strip_delimiters, to_ascii
from rewardkit.math.latex.respell import respell
from rewardkit.math.text.patterns import lazy

_LETTER_ALONE = r"(?![A-Za-z]|/[A-Za-z]|[ ]?10)"
SPELLED_PLAINLY = re.compile(
    rf"""(?![ ,.:*]|\(.\)=)(?:
    [-0-9+=^/}}\]\[ ,:%!'&]|\*|_(?<!/_)
    |[ABD-Zabc-z]{_LETTER_ALONE}|[acxyz](?=[bcxyz](?![A-Za-z]))|C(?![ ]?[_^]){_LETTER_ALONE}
    |\\?\{{(?![ ]?[-+=/][ ]?\}})|\((?![a1i]\)|=)|\)(?![ ][&|])|\.(?=[0-9])(?![0-9]*\()
    |[<>](?!/)(?![^()]*\)\Z)|\\(?:le|ge|ne)(?![A-Za-z])(?![ ]?\}}|[^()]*\)\Z)
    |\\(?:[dtc]?frac|sqrt|binom|pi|infty|theta|alpha|beta|lambda|phi|sin|cos|tan|arc(?:sin|cos|tan)|ln|log|cup|in|overline|sum
        |(?:left|right)(?![ ]?\.)|(?:cdot|times|pm)(?![ ]?\}})|circ(?<=\^\\circ))(?![A-Za-z])
    |\\(?:begin|end)\{{[pbv]matrix\}}|\\[,}}%$]|\\\\(?![A-Za-z\\])
    )*+(?<![ ,.:*>\\])\Z""",
    re.VERBOSE,
)
"""Texts that `respelled` leaves as they are, known at little cost, as most answers are: letters alone, commands of one meaning."""


def spelled(text: str) -> str:
    r"""`text` in that spelling.

    >>> spelled("x²"), spelled("5!=120"), spelled("$x<5$")
    ('x^2', '5! =120', 'x<5')
    """
    if SPELLED_PLAINLY.match(text) is None:
        text = respelled(text)
    return _EQUALS_FACTORIAL.sub(_factorial, text) if "!=" in text else text


_EQUALS_FACTORIAL = lazy(r"(?<=[0-9)}])!=(?!=)")
_SIDE = lazy(r"[^=<>,;]*\Z")
_LETTER_IN_SIDE = lazy(r"(?<![A-Za-z\\])[A-Za-z]")


def _factorial(match: re.Match[str]) -> str:
    """The sign in 5!=120 as a factorial and an equals sign; with a letter before it, as in x_1!=2, it is "not equal"."""
    side = _SIDE.search(match.string, 0, match.start())
    return match[0] if side is not None and _LETTER_IN_SIDE.search(side[0]) is not None else "! ="


def respelled(text: str) -> str:
    """`text` in the one spelling that tokens are cut from."""
    return respell(dollars(strip_delimiters(to_ascii(repair(text)))))


_BROKEN = (("\f", "\\f"), ("\x08", "\\b"), ("\text", "\\text"), ("\times", "\\times"), ("\tan", "\\tan"), ("\theta", "\\theta"),
           ("\right", "\\right"), ("\rho", "\\rho"), ("\x07", "\\a"), ("\x0b", "\\v"))  # fmt: skip
_TIMES_TEN = re.compile(r"(?<=[0-9]) ?x ?(?=10 ?\^)")
_LOST_F = re.compile(r"(?<![A-Za-z\\])rac\{")
_DOUBLED = re.compile(
    r"\\\\(?=(?:[bB]igg?[lr]?|[dt]?frac|sqrt|text|left|right|pi|cdot|times|pm|in|infty|cup|[lg]eqslant|leq?|geq?|neq?|log|ln|sin|cos|tan|theta|alpha|beta"
    r"|boxed|binom|circ|mathrm|mathbb|quad|lfloor|rfloor|ldots|cdots|angle|lambda|mu|omega|phi|sigma|approx|equiv|div|overline|vec)"
    r"(?![A-Za-z]))"
)


def repair(text: str) -> str:
    r"""Undo damage of string escapes: a form feed that was `\f`, doubled backslashes, `rac{` that was `\frac{`."""
    if not text.isprintable():
        for broken, mended in _BROKEN:
            text = text.replace(broken, mended)
    if "10" in text and "x" in text:
        text = _TIMES_TEN.sub(r" \\times ", text)
    if text.count("rac{") != text.count("frac{"):
        text = _LOST_F.sub(r"\\frac{", text)
    if ("&" in text and ";" in text) or "</" in text:
        text = _unmarked(text)
    if text.startswith("(") and text[2:4] == ")=":  # a function that lost its name: its body is what is left
        text = text[4:]
    if "\\right." in text and "|" in text:
        text = _LONE_BAR.sub(r"\\mid \1", text)
    if "\\\\" in text and "\\begin" not in text:
        text = _DOUBLED.sub(lambda _: "\\", text)
    return text


_LONE_BAR = re.compile(r"\\left ?\|((?:(?!\\left|\\right).){0,400}?)\\right ?\.")
"""A bar that grows, which TeX wants closed by nothing: the bar of a set."""

_ENTITY = re.compile(r"&(?:[A-Za-z]{2,6}|#[0-9]{2,5});")
_RAISED_TAG = re.compile(r"<(su[pb])>([^<>]{1,40})</\1>")


def _unmarked(text: str) -> str:
    """`text` with the entities and the raised and lowered parts of HTML in plain LaTeX."""
    text = _RAISED_TAG.sub(lambda m: ("^" if m[1] == "sup" else "_") + "{" + m[2] + "}", text)
    return _ENTITY.sub(lambda m: to_ascii(unescape(m[0])), text)


def dollars(text: str) -> str:
    r"""Drop math delimiters inside `text`; a lone `$` before a digit is a currency sign, spelled `\$`."""
    if "\\(" in text or "\\[" in text:
        text = _MATH_MARKS.sub(" ", text)
    if "$" not in text:
        return text
    plain = len(_DOLLAR.findall(text))
    if plain % 2 == 0:
        return _DOLLAR.sub(" ", text)
    text = _CURRENCY.sub(lambda _: "\\$", text, count=1)
    return _DOLLAR.sub(" ", text)


_DOLLAR = re.compile(r"(?<!\\)\$")
_CURRENCY = re.compile(r"(?<!\\)\$(?=\s?[\d.-])|(?<=\d)\$$")
_MATH_MARKS = re.compile(r"(?<!\\)\\[()\[\]]")
