"""Mathematical signs of Unicode, with their spelling in LaTeX."""

from __future__ import annotations

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
