"""Cut a text into tokens: linear patterns, no nested repetition."""

from __future__ import annotations

import re
import string
from functools import lru_cache

from rewardkit.math.latex.normalise import normalise
from rewardkit.math.latex.tokens import (
    CONDITION_WORDS,
    CONNECTORS,
    END,
    Token,
    collapse,
    text_tokens,
    tidy,
    token,
    without_qed,
)
from rewardkit.math.latex.tree import LimitError, ParseError

MAX_TOKENS = 1_500
"""The longest reference answer in our data has 260 tokens."""

_COMMAND = re.compile(
    r"""(?P<space>\\[,;:!> ]|\\(?:thinspace|enspace|space|displaystyle|textstyle|script(?:script)?style|limits|nolimits|nonumber|notag|mathstrut|large|Large|LARGE|huge|Huge|small|tiny|normalsize
        |footnotesize|centering|bfseries|itshape|strut|hfill|allowbreak|relax)(?![A-Za-z]))
    |(?P<newline>\\\\[ ]*\[[ ]*-?[0-9.]+[ ]*[a-z]{2}[ ]*\])
    |\\(?P<right>right[ ]*\.)(?=[^0-9]|$)
    |\\(?P<text>text(?:bf|it|rm|sf|tt|sc|up|normal)?|mathrm|mbox|hbox|operatorname\*?|mathsf|mathtt|emph|mathop|textsuperscript|unit|rm|bf)[ ]?\{(?P<body>[^{}]*)\}
    |\\(?:mathbb|Bbb)[ ]?\{?(?P<bb>[A-Za-z])\}?
    |\\(?P<edge>begin|end)[ ]?\{(?P<env>[A-Za-z]+)\*?\}
    |\\(?P<drop>(?:text)?color(?:box)?[ ]?\{[^{}]*\}|bbox[ ]?\[[^][]{0,60}\]|rule[ ]?\{[^{}]*\}[ ]?\{[^{}]*\}|m?(?:kern|skip)[ ]?-?[0-9.]+[ ]?[a-z]{2}|hspace\*?[ ]?\{[^{}]*\}|[hv]?phantom[ ]?\{[^{}]*\}|tag\*?[ ]?\{[^{}]*\}|label[ ]?\{[^{}]*\}|vspace\*?[ ]?\{[^{}]*\})
    |\\(?P<sized>(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])[ ]*\.?)
    |\\(?P<glued>q?quad|cdot(?!s(?![A-Za-z]))|times|infty|leqslant|geqslant|pi(?=[kntx]))(?=[a-z](?![A-Za-z]))
    |\\(?P<cmd>[A-Za-z]+\*?)
    |\\(?P<esc>[{}%$&#_|\\])
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(
    r"""(?P<repeating>[0-9]*\.[0-9]*\\(?:overline|bar|dot)[ ]?(?:\{[0-9]{1,60}\}|[0-9](?![0-9])))
    |(?P<mixed>[0-9]{1,9}[ ]+[0-9]{1,9}/[0-9]{1,9}(?![0-9]))
    |(?P<thousands>[0-9]{1,3}(?:(?:[ ]?\{,[ ]?\}|,?\\![ ]?|\\[,;: ]|[ ~]|')[0-9]{3})+(?!['0-9])(?:\.[0-9]+)?)
    |(?P<commas>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})(?![0-9])(?:\.[0-9]+)?)
    |(?P<sci>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)E[-+]?[0-9]{1,6}(?![A-Za-z0-9])|(?:[0-9]*\.[0-9]+e[-+]?[0-9]{1,6}|[0-9]+e(?:[-+][0-9]{2,6}|[0-9]{1,6}))(?![A-Za-z0-9.]))
    |(?P<num>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)
    |(?P<op>\.\.\.|\.)
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[A-Za-z]+")
_FOREIGN = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(r"[ \t\n\r\f~]+")
_OPERATOR = re.compile(r"\*\*|<=|>=|!=|==|=<|=>|->|<->|[-*<=>!]")
_PIECE = re.compile(
    rf"(?:\\(?:left|right)(?=[()\[\]|]|\\[{{}}])|)[ ]*([^\\0-9A-Za-z\-*<=>! ]|[0-9]+(?:\.[0-9]+)?|\\[A-Za-z]+\*?"
    rf"|[A-Za-z]+|\\[{{}}%]|{_OPERATOR.pattern}|.)",
    re.DOTALL,
)
"""What a token can be where its neighbours do not matter: not where `_TOGETHER` finds something.

What may be left out is written as one of two alternatives: a group that may be repeated takes twice as long.
"""

_TOGETHER = re.compile(
    r"[0-9.](?:(?<=[0-9])(?:[eE]|[ ]?\{|\.(?![0-9])|,[0-9]{3}|[ ]+[0-9A-Za-z])"
    r"|(?<=\.)(?:(?<![0-9]\.)|[0-9]*(?:\.|\\(?:overline|bar|dot))))"
)
"""Numbers of several pieces, and letters behind a number."""

_KINDS = {
    **dict.fromkeys("0123456789.", _NUMBER), **dict.fromkeys(string.ascii_letters, _WORD), **dict.fromkeys("-*<=>!", _OPERATOR),
    **dict.fromkeys(" \t\n\r\f~", _BLANKS), "\\": _COMMAND,
}  # fmt: skip
"""What may begin with a character, where more than one token may."""

_SINGLE = {one: Token("op", one) for one in "+/^_()[]{}|,;:'%&$\"@?£€¥₹¢"}
"""Characters that are tokens by themselves."""

_JOINING = CONDITION_WORDS | {"and", "or", "to"}
_LAST_LETTER = re.compile(
    r"(?:(?:[kcmd]?m|k?g|mol|N|J|W|C|L)(?:\^\{?[23]\}?)?/(?:[cm]?m|m?s|h|hr|min|k?g|mol|L|C|K)(?:\^\{?[23]\}?)?|[kcm]?m ?s\^\{?-[12]\}?|min|sec|lbs?|yr|ha"
    r"|[msghlLNJWVAKCF]|nm|ms|mV|mA|kV|kN|pF|nF|Pa)(?=\s*$)"
)
_NO_DIGIT = re.compile(r"[^0-9]")
_WITH_MEASURE = frozenset({"\\bbox", "\\kern", "\\mkern", "\\skip", "\\mskip"})
"""Commands with a measure or square brackets behind them, which no piece shows."""


def tokenize(text: str, *, commas: bool = True) -> list[Token]:
    """The tokens of `text`, ending in an `eof` token. With `commas`, 1,234 is one number."""
    text = normalise(text)
    tokens = _plain_tokens(text) or _tokens(text, commas)
    if len(tokens) > MAX_TOKENS:
        raise LimitError(f"more than {MAX_TOKENS} tokens")
    without_qed(tokens)
    tokens.append(END)
    if "&" in text or "{}" in text or "quad" in text or "{ }" in text:
        tokens = tidy(tokens)
    return collapse(tokens) if "((" in text or "{{" in text or "( (" in text or "{ {" in text else tokens


def _plain_tokens(text: str) -> list[Token] | None:
    """The tokens of a text in which each can be read without its neighbours, as in most answers; else None."""
    if "\\text" in text or "\\begin" in text or _TOGETHER.search(text) is not None:
        return None
    try:
        return [*map(_plain_token, _PIECE.findall(text))]
    except LookupError:
        return None


@lru_cache(maxsize=4_096)
def _plain_token(piece: str) -> Token:
    """The token that a piece is whatever stands beside it; LookupError where that is not known."""
    first = piece[0]
    if "0" <= first <= "9":
        return Token("num", piece)
    if piece in _SINGLE:
        return _SINGLE[piece]
    if first == "\\":
        kinds = {match and match.lastgroup for match in map(_COMMAND.match, (piece, piece + "{a}", piece + " {a}"))}
        if kinds == {"cmd"} and piece not in _WITH_MEASURE:
            return Token("cmd", piece[1:])
        if kinds == {"esc"}:
            return Token("op", piece)
    elif _WORD.fullmatch(piece) is not None:
        if piece.lower() not in _JOINING:
            return Token("word", piece)
    elif _OPERATOR.fullmatch(piece) is not None:
        return Token("op", piece)
    raise LookupError(piece)


def _tokens(text: str, commas: bool) -> list[Token]:
    """The tokens of any text."""
    tokens: list[Token] = []
    position, size = 0, len(text)
    while position < size:
        single = _SINGLE.get(text[position])
        if single is not None:
            tokens.append(single)
            position += 1
            continue
        pattern = _KINDS.get(text[position]) or _FOREIGN
        match = pattern.match(text, position)
        if match is None:
            raise ParseError(f"unreadable character {text[position]!r}")
        position = match.end()
        found = match[0]
        if pattern is _WORD:
            tokens.append(_word(tokens, found))
        elif pattern is _OPERATOR:
            tokens.append(token("op", found))
        elif pattern is _FOREIGN:
            tokens.append(token("and", CONNECTORS[found]) if found in CONNECTORS else Token("text", found))
        elif pattern is _BLANKS or match.lastgroup == "space":
            position = _unit_behind_space(tokens, text, position)
        elif match.lastgroup == "commas" and not commas:
            first = found.split(",", 1)[0]
            tokens.append(Token("num", first))
            position = match.start() + len(first)
        else:
            _add(tokens, match)
    return tokens


def _word(tokens: list[Token], text: str) -> Token:
    """A plain word, or what it joins or begins."""
    lower = text.lower()
    if len(text) == 1 or lower not in _JOINING:
        return token("word", text)
    if lower in CONDITION_WORDS:
        return token("cond", lower)
    if lower != "to":
        return token("and", lower)
    return token("op", ":") if tokens and tokens[-1].kind == "num" else token("word", text)


def _add(tokens: list[Token], match: re.Match[str]) -> None:
    """Add what a command or a number stands for."""
    kind, value = str(match.lastgroup), match[0]
    if kind == "body" and match["body"] in {"K", "k"} and match.string[match.start() - 1 : match.start()].isdigit():
        tokens.append(token("text", "thousandK"))  # 10K may be 10,000
    elif kind == "body":
        text_tokens(tokens, match["text"], match["body"], lambda inside: tokenize(inside)[:-1])
    elif kind in {"cmd", "glued"}:
        tokens.append(token("cmd", value[1:]))
    elif kind in {"thousands", "commas"}:
        whole, dot, decimals = value.partition(".")
        tokens.append(Token("num", _NO_DIGIT.sub("", whole) + dot + decimals))
    elif kind == "bb":
        tokens.append(token("cmd", "bb:" + match["bb"]))
    elif kind == "newline":
        tokens.append(token("op", "\\\\"))
    elif kind == "right":
        tokens.append(token("cmd", "right."))
    elif kind == "env":
        tokens.append(token(match["edge"], match["env"]))
    elif kind not in {"drop", "sized"}:
        tokens.append(token("op" if kind == "esc" else kind, value))


def _unit_behind_space(tokens: list[Token], text: str, position: int) -> int:
    r"""Read a letter set off at the end, 493\,m, as a unit; the position behind it."""
    if not tokens or tokens[-1].kind not in {"num", "sci"}:
        return position
    if len(tokens) > 2 and tokens[-2].text == "^" and tokens[-3].kind == "word":
        return position
    unit = _LAST_LETTER.match(text, position)
    if unit is None:
        return position
    tokens.append(Token("text", unit[0]))
    return unit.end()
