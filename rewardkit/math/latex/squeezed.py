"""Texts compared as texts: without layout, delimiters and blanks."""

from __future__ import annotations

import re

from rewardkit.math.latex.normalise import strip_delimiters, to_ascii

_SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*\.?(?=[^A-Za-z]|$)")
_LAYOUT = re.compile(
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
_SPELLINGS = {
    "\\neg": "\\lnot", "\\wedge": "\\land", "\\vee": "\\lor", "\\leqslant": "\\le", "\\geqslant": "\\ge", "\\leq": "\\le", "\\geq": "\\ge",
    "\\neq": "\\ne", "\\colon": ":", "\\mid": ":", "\\implies": "\\Rightarrow", "\\varnothing": "\\emptyset", "\\rightarrow": "\\to",
}  # fmt: skip
_SPELLED = re.compile("(?:" + "|".join(map(re.escape, sorted(_SPELLINGS, key=len, reverse=True))) + ")(?![A-Za-z])")
_SUCH_THAT = re.compile(r"\\(?:text|mathrm) ?\{ ?(?:such that|s\.t\.) ?\}|\bsuch that\b|\bs\.t\. ")
_NOT_IN_NUMBER = re.compile(r" (?![0-9])|(?<![0-9]) ")


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


def skeleton(text: str) -> bytes | None:
    """The digits and signs of a text, None where layout may hold some: texts with other ones differ when squeezed too."""
    if not text.isascii() or "space" in text:
        return None
    return text.encode().translate(None, _NOT_IN_SKELETON)


def formula(text: str) -> str:
    r"""`text` as far as signs alone unify it, for what our grammar does not read: quantifiers, logic.

    >>> formula(r"\exists\, x\in M: x \leq 1") == formula("∃x∈M, x ≤ 1")
    True
    """
    text = _SPELLED.sub(lambda m: _SPELLINGS[m[0]], _SUCH_THAT.sub(":", to_ascii(text)))
    if "\\exists" in text or "\\forall" in text:
        text = text.replace(":", ",")
    return _NOT_IN_NUMBER.sub("", squeeze(text))
