"""What dresses a completion and says nothing: HTML around words, marks that a proof is done, notes behind a rule."""

from __future__ import annotations

import re

_HTML = re.compile(r"</?(?:b|strong|i|em|u|span|center|font)(?: [^<>]{0,80})?>", re.IGNORECASE)
_HTML_BREAK = re.compile(r"</?(?:p|div|br|li|ul|ol|h[1-6])(?: [^<>]{0,80}| ?/)?>", re.IGNORECASE)
CALCULATED_CHARS = 8_000
"""Calculations are taken out of so many characters at the end."""

_CALCULATED = re.compile(r"<<[-+*/().,=%0-9 ]{1,200}>>")
"""What a calculator was asked, as GSM8K writes it: <<48/2=24>>24."""

_UNDERSCORED = re.compile(r"(?<![\w\\$])__([^_\n$]{1,200})__(?!\w)")
_LATEX_LABEL = re.compile(r"\\textbf ?\{ ?((?:Final )?Answer) ?([:.]?) ?\}", re.IGNORECASE)
_PROVEN = re.compile(r"\s+(?:Q\.?E\.?D\.?|[∎□■]|\$?\\(?:blacksquare|square|qed|Box)\$?)\Z")
_NOTE = re.compile(r"\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*\n\s*[*_]?(?:Note|Remark)\b[^\n]{0,400}\Z", re.IGNORECASE)


def undressed(text: str) -> str:
    """`text` without HTML around words, calculations between angle signs, a bold LaTeX label, a mark that a proof is done, a note behind a rule."""
    if "</" in text or "<br" in text:
        text = _HTML_BREAK.sub("\n", _HTML.sub("", text)).strip()
    if "<<" in text:
        text = text[:-CALCULATED_CHARS] + _CALCULATED.sub("", text[-CALCULATED_CHARS:])
    if "__" in text:
        text = _UNDERSCORED.sub(r"**\1**", text)
    if "\\textbf" in text:
        text = _LATEX_LABEL.sub(r"**\1\2**", text)
    tail = text[-500:]
    if "\n" in tail and (note := _NOTE.search(tail)) is not None:
        text = text[: len(text) - len(tail) + note.start()].rstrip()
    done = _PROVEN.search(text, max(len(text) - 20, 0))
    return text if done is None else text[: done.start()]


def without(text: str, opener: str, closer: str) -> str:
    """`text` without what stands between two marks, which nobody sees."""
    shown: list[str] = []
    end = 0
    while (start := text.find(opener, end)) >= 0:
        shown.append(text[end:start])
        close = text.find(closer, start)
        end = close + len(closer) if close >= 0 else len(text)
    return "".join(shown) + text[end:]


_STRUCK = re.compile(r"~~(?=\S)(?:(?!~~)[^\n]){1,400}~~|<(del|strike)>[^<\n]{1,400}</\1>")


def unstruck(text: str) -> str:
    """`text` without boxes and statements that are struck out, or that TeX leaves out: what is so has its end near the text's."""
    box = text.rfind("\\boxed", -NEAR_CHARS)
    near = text[box if box >= 0 else -NEAR_CHARS :]
    if "\\fi" in near and "\\iffalse" in text:
        text = without(text, "\\iffalse", "\\fi")
    if "{comment}" in near:
        text = without(text, "\\begin{comment}", "\\end{comment}")
    if "~~" in near or ("</" in near and ("</del>" in near or "</strike>" in near)):
        text = text[:-STRUCK_CHARS] + _STRUCK.sub(_struck, text[-STRUCK_CHARS:])
    return text


NEAR_CHARS = 4_000
"""A mark that ends what nobody sees is looked for in so many characters at the end, behind the last box if one is among them."""

STRUCK_CHARS = 20_000
"""What is struck out is looked for in so many characters at the end."""


def _struck(match: re.Match[str]) -> str:
    """Nothing where an answer was struck out; two ties in a formula stay."""
    return "" if "box" in match[0] or "nswer" in match[0] else match[0]
