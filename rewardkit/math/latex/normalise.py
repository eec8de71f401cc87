"""Bring a text into plain LaTeX: one spelling for each sign, no layout, no delimiters. Linear time."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = {
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
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_CIRCLED = {chr(0x2460 + k): f"({k + 1})" for k in range(20)}
_SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣ"
_SUB = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙₖₘᵢⱼ"
_SUPER_TO = str.maketrans(_SUPER, "0123456789+-=()nix")
_SUB_TO = str.maketrans(_SUB, "0123456789+-=()nkmij")
_TABLE = str.maketrans({**_SIGNS, **{k: f"\\{v} " for k, v in _GREEK.items()}, **_CIRCLED})
_SUPERS = re.compile(f"[{_SUPER}]+")
_SUBS = re.compile(f"[{_SUB}]+")
_ROOT = re.compile(r"\\(sqrt|cbrt|qdrt) (\d+(?:\.\d+)?)")

_AREA = re.compile(r"(?<=[0-9]) ?([kcmd]?m|in|ft)([²³])")
_DEGREES = re.compile(r"(?<=[0-9]) ?∘")
_CIRCLES = re.compile("[\u2460-\u2473 ]{2,}")
_STYLED = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]+")

_SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*\.?(?=[^A-Za-z]|$)")
_LAYOUT = re.compile(
    r"\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|nonumber|notag|hfill|bf|rm|it|sf|tt|cal|mit|boldmath|par|noindent|smallskip|medskip)(?![A-Za-z])"
)
_SPACES = re.compile(
    r"[\\~\s](?:(?<=\\)(?:[,;:!> ]|q?quad(?![A-Za-z])|(?:thinspace|enspace|space|nobreakspace)(?![A-Za-z])|hspace\*?\{[^{}]*\})"
    r"|(?<=\s)\s*|(?<=~))"
)
"""Blanks and commands that are one; as all patterns that search long, it begins with a set of characters."""


def to_ascii(text: str) -> str:
    """`text` with mathematical unicode signs spelled in LaTeX."""
    if text.isascii():
        return text
    if _CIRCLES.fullmatch(text):
        marks = [ord(one) - 0x245F for one in text if one.strip()]
        listed = ", ".join(map(str, marks))
        text = listed if marks == sorted(marks) else f"({listed})"  # a choice of some, or an order of them
    if "²" in text or "³" in text:
        text = _AREA.sub(lambda m: rf" \text{{{m[1]}}}^{'2' if m[2] == '²' else '3'}", text)
    if "∘" in text:
        text = _DEGREES.sub("°", text)
    text = _SUPERS.sub(_raised, text)
    text = _SUBS.sub(lambda m: "_{" + m[0].translate(_SUB_TO) + "}", text)
    text = _STYLED.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text).translate(_TABLE)
    return _ROOT.sub(r"\\\1{\2}", text)


def _raised(match: re.Match[str]) -> str:
    """A superscript behind a caret; one digit needs no braces, which a unit in text may not hold."""
    digits, after = match[0].translate(_SUPER_TO), match.string[match.end() : match.end() + 1]
    return f"^{digits}" if len(digits) == 1 and digits.isdigit() and not after.isdigit() else f"^{{{digits}}}"


_SPELLINGS = {
    "\\neg": "\\lnot", "\\wedge": "\\land", "\\vee": "\\lor", "\\leqslant": "\\le", "\\geqslant": "\\ge", "\\leq": "\\le", "\\geq": "\\ge",
    "\\neq": "\\ne", "\\colon": ":", "\\mid": ":", "\\implies": "\\Rightarrow", "\\varnothing": "\\emptyset", "\\rightarrow": "\\to",
}  # fmt: skip
_SPELLED = re.compile("(?:" + "|".join(map(re.escape, sorted(_SPELLINGS, key=len, reverse=True))) + ")(?![A-Za-z])")
_SUCH_THAT = re.compile(r"\\(?:text|mathrm) ?\{ ?(?:such that|s\.t\.) ?\}|\bsuch that\b|\bs\.t\. ")
_NOT_IN_NUMBER = re.compile(r" (?![0-9])|(?<![0-9]) ")
_CONNECTED = re.compile(r"\\(land|lor)(?![A-Za-z])")


def formula(text: str) -> str:
    r"""`text` as far as signs alone unify it, for what our grammar does not read: quantifiers, logic.

    >>> formula(r"\exists\, x\in M: x \leq 1") == formula("∃x∈M, x ≤ 1")
    True
    """
    text = _SPELLED.sub(lambda m: _SPELLINGS[m[0]], _SUCH_THAT.sub(":", to_ascii(text)))
    if "\\exists" in text or "\\forall" in text:
        text = text.replace(":", ",")
    text = squeeze(text)
    if len(set(_CONNECTED.findall(text))) == 1 and "(" not in text:
        kind = _CONNECTED.findall(text)[0]
        text = f"\\{kind} ".join(sorted(part.strip() for part in _CONNECTED.split(text)[::2]))
    return _NOT_IN_NUMBER.sub("", text)


_EDGES = frozenset(" \n\t\r\f\v\x1c\x1d\x1e\x1f\x85$\\*`.,;:")


def squeeze(text: str) -> str:
    r"""`text` without layout, delimiters and blanks: two answers with the same squeezed text are the same answer.

    >>> squeeze(r"$\left( \dfrac{1}{2},\, 3\right)$.")
    '(\\frac{1}{2},3)'
    """
    text = strip_delimiters(to_ascii(text))
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


_SETTING = re.compile(
    r"\\(?:left|right|big|Big|display|text|script|limits|no|hfill|bf|rm|it|sf|tt|cal|mit|bold|par|small|med)"
)
"""How each command begins that `_SIZED` or `_LAYOUT` drops."""

_BLANK = re.compile(r"[~\s](?:(?<=\s)\s*|)")
_GAP = re.compile(r" (?:(?![^\W_])|(?<![^\W_] ))")
"""A blank that does not stand between two letters or digits."""


_REST = bytes(set(range(256)) - set(b"0123456789+-=<>/^"))


def skeleton(text: str) -> bytes | None:
    """The digits and signs of a text, None where layout may hold some: texts with other ones differ when squeezed too."""
    if not text.isascii() or "space" in text:
        return None
    return text.encode().translate(None, _REST)


def strip_delimiters(text: str) -> str:
    r"""`text` without surrounding blanks, `$`, `\(`, `\[`, markdown stars and the full stop at its end."""
    if (
        text
        and text[-1] not in _EDGES
        and (text[0] not in _EDGES or (text[0] == "\\" and text[1].isalpha()))
        and (text[-1] not in ")]" or (text[-2:-1] != "\\" and not text[0].isspace()))
    ):
        return text
    for _ in range(8):
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
        for opener, closer in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
            if text.startswith(opener) and text.endswith(closer) and len(text) >= len(opener) + len(closer):
                inside = text[len(opener) : len(text) - len(closer)]
                if opener not in inside and closer not in inside:
                    text = inside
        if text == before:
            break
    return text
