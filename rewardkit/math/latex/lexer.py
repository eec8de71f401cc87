r"""Cut a text into tokens, with what stands in `\text{...}` as tokens: linear patterns, no nested repetition."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import NamedTuple

from rewardkit.math.latex.normalise import normalise
from rewardkit.math.latex.numbers import decimal, special
from rewardkit.math.latex.tree import LimitError, Num, ParseError, Sym
from rewardkit.math.latex.vocabulary import CONSTANTS, FUNCTIONS, LETTERS, RELATIONS, SAME_LETTER, word_set
from rewardkit.math.patterns import lazy

MAX_TOKENS = 1_500
"""The longest reference answer in our data has 260 tokens."""


class Token(NamedTuple):
    """kind is num, sci, mixed, repeating, word, cmd, text, op, begin, end, and (or), cond or eof."""

    kind: str
    text: str
    leaf: Num | Sym | None = None
    """The number, letter or constant that the token is, whatever precedes it."""


END = Token("eof", "")


def number_token(kind: str, text: str) -> Token:
    """A token for a number."""
    return Token(kind, text, decimal(text) if kind == "num" else special(kind, text))


def word_token(text: str) -> Token:
    """A token for a run of letters; one letter is a variable, unless it may join sets."""
    return Token("word", text, Sym(text) if len(text) == 1 and text != "U" else None)


_PLAIN_LETTERS = LETTERS - FUNCTIONS.keys()


def _command_token(name: str) -> Token:
    """A token for a command."""
    constant = CONSTANTS.get(name) or (SAME_LETTER.get(name, name) if name in _PLAIN_LETTERS else None)
    return Token("cmd", name, None if constant is None else Sym(constant))


# -- patterns ----------------------------------------------------------------------------------------------------------

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
_NUMBER = lazy(
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
_NAME = re.compile(r"\\[A-Za-z]+\*?")
_WORD = re.compile(r"[A-Za-z]+")
_FOREIGN = lazy(r"[^\W\d_]+")
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

_NO_DIGIT = lazy(r"[^0-9]")
_WITH_MEASURE = frozenset({"\\rule", "\\bbox", "\\kern", "\\mkern", "\\skip", "\\mskip"})
"""Commands with a measure or square brackets behind them, which no piece shows."""

# -- words that join or qualify ----------------------------------------------------------------------------------------

CONNECTORS = {
    **dict.fromkeys(("and", "&", "und", "and/or", "also", "et", " y ", "as well as", "и", "且", "和"), "and"),
    **dict.fromkeys(("or", "oder", "ou", " o ", "or else", "или", "或", "または"), "or"),
}
"""Words that join; y and o without blanks are letters."""

_CONDITION_WORDS = word_set("where if when otherwise for")
_JOINING = _CONDITION_WORDS | {"and", "or", "to"}
CONDITION = lazy(
    r"(?:where|if|when|otherwise|for|with|such that|provided|unless|as long as|whenever|only if|over|given)(?: |\Z)"
)
"""How a condition begins."""
_UNIT_LETTERS = frozenset("msghlLNJWVAKCFtHT")
"""Units that are read as such behind a value, and as letters or functions elsewhere."""

_NAMES = word_set(
    "cis sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh coth ln log lg exp sqrt arsinh arcosh artanh arcsinh arccosh"
    " rank tr dim ker arctanh asin acos atan cosec tg ctg arctg arcctg sgn sign max min gcd lcm det pi floor ceil"
)
_FORMULA = lazy(
    r"[^\\$]*\$|[A-Za-z](?:_?[0-9])? ?= ?-?[0-9A-Za-z./^()]{1,40}\Z|[-+$(]?\s?[0-9]|[^\\]*\\(?![ ,;:!])|[^A-Za-z]*\Z"
)
_LABEL = lazy(r"(?:the |my )?(?:final )?answer(?: is\b ?:?| ?:) ?", re.IGNORECASE)
_COLON = lazy(r"[A-Za-z]{3,}(?: [A-Za-z]{2,}){0,4}(?: [0-9]{1,2})? ?:")
_LETTERS = lazy(r"[A-Za-z]+")
_NO_LIST = RELATIONS.keys() | word_set("( [ { \\{ ) ] } \\} , ; : & \\\\ + - * quad qquad cup cap")
_JOINS = frozenset({"and", "text", "cond", "eof", "end"})

# -- the whole pass ----------------------------------------------------------------------------------------------------


def tokenize(text: str, *, commas: bool = True) -> list[Token]:
    """The tokens of `text`, ending in an `eof` token. With `commas`, 1,234 is one number."""
    text = normalise(text)
    tokens = _plain_tokens(text) or _tokens(text, commas)
    if len(tokens) > MAX_TOKENS:
        raise LimitError(f"more than {MAX_TOKENS} tokens")
    tokens.append(END)
    if "&" in text or "{}" in text or "quad" in text:
        tokens = _tidy(tokens)
    return collapse(tokens) if "((" in text or "{{" in text else tokens


def _joins(token: Token) -> bool:
    """Whether no list can begin or end beside this token."""
    return token.text in _NO_LIST or token.kind in _JOINS


def _tidy(tokens: list[Token]) -> list[Token]:
    """Drop alignment marks beside relations, empty groups, and quads that separate nothing."""
    kept: list[Token] = []
    for token, following in zip(tokens, [*tokens[1:], END], strict=True):
        kind, text, _ = token
        before = kept[-1] if kept else END
        if kind == "op" and text == "&" and (before.text in RELATIONS or following.text in RELATIONS):
            continue
        if kind == "op" and text == "}" and before.text == "{" and len(tokens) > 3:
            kept.pop()
            continue
        if kind == "cmd" and text in {"quad", "qquad"} and (_joins(before) or _joins(following)):
            continue
        kept.append(token)
    return kept


def collapse(tokens: list[Token]) -> list[Token]:
    """Drop doubled brackets, ((x)) and {{x}}, however deep; unbalanced brackets are left to the parser."""
    stack: list[int] = []
    partner: dict[int, int] = {}
    for index, (kind, text, _) in enumerate(tokens):
        if kind != "op":
            continue
        if text in {"(", "{"}:
            stack.append(index)
        elif text in {")", "}"} and stack:
            opened = stack.pop()
            if tokens[opened].text + text in {"()", "{}"}:
                partner[opened] = index
    dropped: set[int] = set()
    for opened, closed in partner.items():
        inner = opened + 1
        if partner.get(inner) == closed - 1 and tokens[inner].text == tokens[opened].text:
            dropped.update((inner, closed - 1))
    return [one for index, one in enumerate(tokens) if index not in dropped] if dropped else tokens


@lru_cache(maxsize=4_096)
def _plain_token(piece: str) -> Token | None:
    """The token that a piece of text is whatever stands beside it; None where its neighbours matter."""
    first = piece[0]
    if "0" <= first <= "9":
        return number_token("num", piece)
    if first == "\\":
        kinds = {match and match.lastgroup for match in map(_COMMAND.match, (piece, piece + "{a}", piece + " {a}"))}
        if kinds == {"cmd"} and piece not in _WITH_MEASURE:
            return _command_token(piece[1:])
        return Token("op", piece) if kinds == {"esc"} else None
    if _WORD.fullmatch(piece) is not None:
        return None if piece.lower() in _JOINING else word_token(piece)
    return Token("op", piece) if _OPERATOR.fullmatch(piece) is not None else _SINGLE.get(piece)


def _plain_tokens(text: str) -> list[Token] | None:
    """The tokens of a text in which each can be read without its neighbours, as in most answers; else None."""
    if "\\text" in text or "\\begin" in text or _TOGETHER.search(text) is not None:
        return None
    tokens = [*map(_plain_token, _PIECE.findall(text))]
    return tokens if all(tokens) else None  # pyright: ignore[reportReturnType]


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
        name = _NAME.match(text, position) if pattern is _COMMAND else None
        if name is not None and (known := _plain_token(name[0])):
            tokens.append(known)
            position = name.end()
            continue
        match = pattern.match(text, position)
        if match is None:
            raise ParseError(f"unreadable character {text[position]!r}")
        position = match.end()
        found = match[0]
        if pattern is _WORD:
            tokens.append(_word(tokens, found))
        elif pattern is _OPERATOR:
            tokens.append(Token("op", found))
        elif pattern is _FOREIGN:
            tokens.append(Token("and", CONNECTORS[found]) if found in CONNECTORS else Token("text", found))
        elif pattern is _BLANKS or match.lastgroup == "space":
            continue
        elif match.lastgroup == "commas" and not commas:
            first = found.split(",", 1)[0]
            tokens.append(number_token("num", first))
            position = match.start() + len(first)
        else:
            _add(tokens, match)
    return tokens


def _word(tokens: list[Token], text: str) -> Token:
    """A plain word, or what it joins or begins."""
    lower = text.lower()
    if len(text) == 1 or lower not in _JOINING:
        return word_token(text)
    if lower in _CONDITION_WORDS:
        return Token("cond", lower)
    if lower != "to":
        return Token("and", lower)
    return Token("op", ":") if tokens and tokens[-1].kind == "num" else word_token(text)


def _add(tokens: list[Token], match: re.Match[str]) -> None:
    """Add what a command or a number stands for."""
    kind, value = str(match.lastgroup), match[0]
    if kind == "body":
        if match["body"] in {"K", "k"} and match.string[match.start() - 1 : match.start()].isdigit():
            tokens.append(Token("text", "thousandK"))  # 10K may be 10,000
        else:
            _add_text(tokens, match["text"], match["body"])
    elif kind in {"thousands", "commas"}:
        whole, dot, decimals = value.partition(".")
        tokens.append(number_token("num", _NO_DIGIT.sub("", whole) + dot + decimals))
    elif kind == "env":
        tokens.append(Token(match["edge"], match["env"]))
    elif kind in _COMMANDS:
        name = {"bb": "bb:" + str(match["bb"]), "right": "right."}.get(kind, value[1:])
        tokens.append(_command_token(name))
    elif kind in {"op", "esc", "newline"}:
        tokens.append(Token("op", "\\\\" if kind == "newline" else value))
    elif kind not in {"drop", "sized"}:
        tokens.append(number_token(kind, value))


_COMMANDS = frozenset({"cmd", "glued", "bb", "right"})


# -- text --------------------------------------------------------------------------------------------------------------


def _add_text(tokens: list[Token], command: str, body: str) -> None:
    """Add the tokens of the body of a text command: a connector, a condition, a unit, a name, words, or a formula."""
    content = " ".join(body.replace("~", " ").replace("\\,", " ").replace("$", " ").split())
    if (label := _LABEL.match(content)) is not None:
        content = body = content[label.end() :]
    lower = content.lower().strip(" ,.;:")
    behind = bool(tokens) and (tokens[-1].kind in {"num", "sci", "mixed"} or tokens[-1].text in {")", "}", "pi"})
    if _COLON.fullmatch(content) is not None:
        tokens.extend((Token("text", content[:-1].strip()), Token("op", ":")))
    elif content[-1:] == "," and len(content) > 2 and tokens and tokens[-1].kind == "num":
        _add_text(tokens, command, content[:-1])
        tokens.append(Token("op", ","))
    elif behind and (content in {"-", "--", "---"} or lower == "to"):
        tokens.append(Token("op", ":") if lower == "to" else Token("cmd", "to"))  # a range or a score
    elif (joined := CONNECTORS.get(body) or CONNECTORS.get(lower)) is not None:
        tokens.append(Token("and", joined))
    elif not lower:
        tokens.extend(Token("op", one) for one in content[:1] if one in ",;:")
    elif CONDITION.match(lower) is not None:
        tokens.append(Token("cond", lower))
    else:
        _add_words(tokens, command, content, body, behind=behind)


def _add_words(tokens: list[Token], command: str, content: str, body: str, *, behind: bool) -> None:
    """Add words, a name, a unit, or a formula set as text."""
    lower = content.lower()
    if _FORMULA.match(body.strip()) is not None:
        tokens.extend(tokenize(body)[:-1])
        tokens.extend(Token("op", ",") for one in content[-1:] if one == ",")
    elif behind and (content in _UNIT_LETTERS or lower in {"min", "sec", "deg", "max"}):
        tokens.append(Token("text", content))
    elif lower.endswith((" and", " or")):
        words, _, connector = content.strip(" ,").rpartition(" ")
        tokens.extend((Token("text", words.strip(" ,")), Token("and", connector.lower())))
    elif _LETTERS.fullmatch(content) and (len(content) == 1 or command.startswith("operatorname") or lower in _NAMES):
        tokens.append(word_token(lower if lower in _NAMES else content))
    else:
        tokens.append(Token("text", content))
