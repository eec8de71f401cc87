"""Bring a text into the one spelling that tokens are cut from: plain LaTeX without damage, delimiters or remarks. Linear time."""

from __future__ import annotations

import re
import unicodedata

from rewardkit.math.latex.respell import last_unit, respell
from rewardkit.math.patterns import lazy

# -- the whole pass --------------------------------------------------------------------------------------------------

_LETTER_ALONE = r"(?![A-Za-z]|/[A-Za-z]|[ ]?10)"
PLAIN = re.compile(
    rf"""(?![ ,.:*]|\(.\)=)(?>(?:
    [-0-9=^/}}\]\[ ,:%!'&]|\+(?![ ]?/?[ ]?-)|\*|_(?<!/_)
    |[ABD-Zabc-z]{_LETTER_ALONE}|[acxyz](?=[bcxyz](?![A-Za-z]))|C(?![ ]?[_^]|[0-9kr]){_LETTER_ALONE}
    |\\?\{{(?![ ]?[-+=/:][ ]?\}})|\((?![a1i]\)|=)|\)(?![ ][&|])|\.(?=[0-9])(?![0-9]*\()
    |[<>](?!/)(?![^()]*\)\Z)|\\(?:le|ge|ne)(?![A-Za-z])(?![ ]?\}}|[^()]*\)\Z)
    |\\(?:[dtc]?frac|sqrt|binom|pi|infty|theta|alpha|beta|lambda|phi|sin|cos|tan|arc(?:sin|cos|tan)|ln|log|cup|in|overline|sum
        |(?:left|right)(?![ ]?\.)|[lr]floor|[lr]ceil|max|min|gcd|exp|dbinom|approx(?<!\([ ]\\approx)(?<!\(\\approx)|equiv(?![ ]?_)
        |(?:cdot|times|pm)(?![ ]?\}})|circ(?<=\^\\circ))(?![A-Za-z])
    |\\(?:begin|end)\{{[pbv]matrix\}}|\\[,}}%$]|\\\\(?![A-Za-z\\])
    )*)(?<![ ,.:*>\\])\Z""",
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
    if " x " in text or PLAIN.match(text) is None:
        text = normalised(text)
    if text[-1:].isalpha() or "^" in text[-5:]:
        text = last_unit(text)
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

_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_DOLLAR = lazy(r"(?<!\\)\$")
_CURRENCY = lazy(r"(?<!\\)\$(?=\s?[\d.-])|(?<=\d)\$$")
BOLD = lazy(r"(?<!\S)\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?![^\s,.;:)])")
_MATH_MARKS = lazy(r"(?<!\\)\\[()\[\]]")
MAX_LAYERS = 8
"""So many delimiters around each other are stripped."""


def strip_delimiters(text: str) -> str:
    r"""`text` without surrounding blanks, `$`, `\(`, `\[`, markdown stars and the full stop at its end."""
    for _ in range(MAX_LAYERS):
        before = text
        text = text.strip().strip("`")
        if text.endswith("\\") and not text.endswith("\\\\"):
            text = text[:-1]  # a "\\ " whose blank was stripped
        if "*" in text:
            text = BOLD.sub(r"\1", text).removeprefix("**").removesuffix("**")
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


# -- signs of unicode ------------------------------------------------------------------------------------------------

SIGNS = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "－": "-", "﹣": "-", "＋": "+", "×": r"\times ", "✕": r"\times ",
    "⋅": r"\cdot ", "·": r"\cdot ", "∙": r"\cdot ", "∗": r"\cdot ", "•": r"\cdot ", "÷": r"\div ", "∕": "/", "⁄": "/", "／": "/", "＝": "=",
    "≤": r"\le ", "⩽": r"\le ", "≦": r"\le ", "≥": r"\ge ", "⩾": r"\ge ", "≧": r"\ge ", "≠": r"\ne ", "≈": r"\approx ",
    "≡": r"\equiv ", "±": r"\pm ", "∓": r"\mp ", "∞": r"\infty ", "∪": r"\cup ", "∩": r"\cap ", "∅": r"\emptyset ",
    "⌀": r"\emptyset ", "Ø": r"\emptyset ", "∈": r"\in ", "∉": r"\notin ", "∖": r"\setminus ", "⊂": r"\subset ",
    "⊆": r"\subseteq ", "→": r"\to ", "⇒": r"\Rightarrow ", "⟹": r"\Rightarrow ", "∀": r"\forall ", "∃": r"\exists ",
    "∧": r"\land ", "∨": r"\lor ", "∑": r"\sum ", "∏": r"\prod ", "∫": r"\int ", "∂": r"\partial ", "∠": r"\angle ",
    "△": r"\triangle ", "∥": r"\parallel ", "⊥": r"\perp ", "√": r"\sqrt ", "∛": r"\cbrt ", "∜": r"\qdrt ", "°": r"^\circ ",
    "º": r"^\circ ", "˚": r"^\circ ", "′": "'", "’": "'", "″": "''", "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}",
    "ℕ": r"\mathbb{N}", "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "ℓ": r"\ell ", "…": r"\ldots ", "⋯": r"\ldots ",
    "⌊": r"\lfloor ", "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "⟨": r"\langle ", "⟩": r"\rangle ", "∣": r"\mid ",
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": "{", "｝": "}", "，": ",", "；": ";", "：": ":", "。": ".", "、": ",",
    "％": r"\%", "＜": "<", "＞": ">", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2002": " ", "\u2003": " ",
    "\u3000": " ", "\u200b": "", "\u2061": "", "\u2062": "", "\ufeff": "", "⟶": r"\to ", "¬": r"\lnot ", "ħ": r"\hbar ", "ℏ": r"\hbar ", "‰": r"\cdot\frac{1}{1000}", "℃": r"^\circ C", "℉": r"^\circ F", "\u2060": "", "ℼ": r"\pi ", "∘": r"\circ ", "∇": r"\nabla ", "≅": r"\cong ",
    "∴": r"\therefore ", "∵": "", "⊊": r"\subsetneq ", "⊇": r"\supseteq ", "⊃": r"\supset ",
    "“": '"', "”": '"', "‘": "'", "𝑖": "i", "ⅈ": "i", "ⅇ": "e", "∆": r"\Delta ", "µ": r"\mu ", "½": r"\frac{1}{2}",
    "⅓": r"\frac{1}{3}", "⅔": r"\frac{2}{3}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}", "⅕": r"\frac{1}{5}",
    "⅖": r"\frac{2}{5}", "⅗": r"\frac{3}{5}", "⅘": r"\frac{4}{5}", "⅙": r"\frac{1}{6}", "⅚": r"\frac{5}{6}",
    "⅛": r"\frac{1}{8}", "⅜": r"\frac{3}{8}", "⅝": r"\frac{5}{8}", "⅞": r"\frac{7}{8}", "⅐": r"\frac{1}{7}",
    "⅑": r"\frac{1}{9}", "⅒": r"\frac{1}{10}", "✅": "", "✓": "", "✔": "", "☑": "", "\ufe0f": "",
}  # fmt: skip
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
CIRCLED = {chr(0x2460 + k): f"({k + 1})" for k in range(20)}
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣ"
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₖₘᵢⱼ"
PLAIN_SUPERSCRIPTS = str.maketrans(SUPERSCRIPTS, "0123456789+-=()nix")
PLAIN_SUBSCRIPTS = str.maketrans(SUBSCRIPTS, "0123456789+-=()nkmij")
TRANSLATION = str.maketrans({**SIGNS, **{k: f"\\{v} " for k, v in GREEK.items()}, **CIRCLED})
_SUPERS = lazy(f"[{SUPERSCRIPTS}]+")
_SUBS = lazy(f"[{SUBSCRIPTS}]+")
_ROOT = lazy(r"\\(sqrt|cbrt|qdrt) (\d+(?:\.\d+)?)")
_AREA = lazy(r"(?<=[0-9]) ?([kcmd]?m|in|ft)([²³])")
_DEGREES = lazy(r"(?<=[0-9]) ?∘")
_CIRCLES = lazy("[\u2460-\u2473 ]{2,}")
_STYLED = lazy("[\uff01-\uff5e\U0001d400-\U0001d7ff]+")


def to_ascii(text: str) -> str:
    """`text` with mathematical unicode signs spelled in LaTeX."""
    if _CIRCLES.fullmatch(text):
        marks = [ord(one) - 0x245F for one in text if one.strip()]
        listed = ", ".join(map(str, marks))
        text = listed if marks == sorted(marks) else f"({listed})"  # a choice of some, or an order of them
    text = _AREA.sub(lambda m: rf" \text{{{m[1]}}}^{'2' if m[2] == '²' else '3'}", text)
    text = _SUPERS.sub(_raised, _DEGREES.sub("°", text))
    text = _SUBS.sub(lambda m: "_{" + m[0].translate(PLAIN_SUBSCRIPTS) + "}", text)
    text = _STYLED.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text).translate(TRANSLATION)
    return _ROOT.sub(r"\\\1{\2}", text)


def _raised(match: re.Match[str]) -> str:
    """A superscript behind a caret; one digit needs no braces, which a unit in text may not hold."""
    digits, after = match[0].translate(PLAIN_SUPERSCRIPTS), match.string[match.end() : match.end() + 1]
    return f"^{digits}" if len(digits) == 1 and digits.isdigit() and not after.isdigit() else f"^{{{digits}}}"
