"""Mathematical unicode signs, spelled in LaTeX."""

from __future__ import annotations

import re
import unicodedata

from rewardkit.math.patterns import lazy

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
