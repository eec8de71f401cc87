"""Cut a text into tokens: one linear regex, no nested repetition."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import NamedTuple

from rewardkit.math.latex.normalise import normalise
from rewardkit.math.latex.tree import LimitError, ParseError
from rewardkit.math.latex.vocabulary import word_set

MAX_TOKENS = 1_500
"""The longest reference answer in our data has 260 tokens."""


class Token(NamedTuple):
    """kind is num, word, cmd, text, op, begin, end, and (or), cond or eof."""

    kind: str
    text: str


_END = Token("eof", "")
_PI = Token("cmd", "pi")
_COMMAND = re.compile(
    r"""(?P<space>\\[,;:!> ]|\\(?:thinspace|enspace|space|displaystyle|textstyle|limits|nolimits|nonumber|notag|mathstrut|large|Large|LARGE|huge|Huge|small|tiny|normalsize
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

_CONNECTORS = {
    "and": "and", "or": "or", "&": "and", "und": "and", "oder": "or", "and/or": "or", "also": "and", "et": "and", "ou": "or",
    "or else": "or", "as well as": "and", "и": "and", "или": "or", "且": "and", "或": "or", "和": "and",
}  # fmt: skip
_CONDITIONS = frozenset({
    "for all", "for any", "for every", "for each", "for some", "where", "for", "with", "such that", "when", "if", "provided", "unless",
    "as long as", "whenever", "only if", "otherwise", "over", "given",
})  # fmt: skip
_CONDITION_STARTS = tuple(f"{one} " for one in _CONDITIONS)
_LETTERS = re.compile(r"[A-Za-z]+")


def tokenize(text: str, *, commas: bool = True) -> list[Token]:
    """The tokens of `text`, ending in an `eof` token. With `commas`, 1,234 is one number."""
    text = normalise(text)
    tokens = _plain_tokens(text) or _tokens(text, commas)
    _limit(tokens)
    while len(tokens) > 1 and tokens[-1] in _MARKS and tokens[-2].text not in _BEFORE_FACTOR:
        tokens.pop()
    tokens.append(_END)
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
        if kinds == {"cmd"} and piece not in _MEASURED:
            return Token("cmd", piece[1:])
        if kinds == {"esc"}:
            return Token("op", piece)
    elif _WORD.fullmatch(piece) is not None:
        if piece.lower() not in _JOINING:
            return Token("word", piece)
    elif _OPERATOR.fullmatch(piece) is not None:
        return Token("op", piece)
    raise LookupError(piece)


_MEASURED = frozenset({"\\bbox", "\\kern", "\\mkern", "\\skip", "\\mskip"})
"""Commands with a measure or square brackets behind them, which no piece shows."""


def _tokens(text: str, commas: bool) -> list[Token]:
    """The tokens of any text."""
    tokens: list[Token] = []
    position, size = 0, len(text)
    while position < size:
        token = _SINGLE.get(text[position])
        if token is not None:
            tokens.append(token)
            position += 1
            continue
        pattern = _KINDS.get(text[position]) or _FOREIGN
        match = pattern.match(text, position)
        if match is None:
            _limit(tokens)
            raise ParseError(f"unreadable character {text[position]!r}")
        position = match.end()
        if pattern is _WORD:
            _add_word(tokens, match[0])
        elif pattern is _OPERATOR:
            tokens.append(_token("op", match[0]))
        elif pattern is _FOREIGN:
            tokens.append(Token("and", _CONNECTORS[match[0]]) if match[0] in _CONNECTORS else Token("text", match[0]))
        elif pattern is _BLANKS:
            position = _unit_behind_space(tokens, text, position)
        else:
            kind = match.lastgroup
            if kind == "num":
                tokens.append(_token("num", match[0]))
            elif kind == "cmd":
                tokens.append(_token("cmd", match[0][1:]))
            elif kind == "space":
                position = _unit_behind_space(tokens, text, position)
            elif kind == "commas" and not commas:
                first = match[0].split(",", 1)[0]
                tokens.append(Token("num", first))
                position = match.start() + len(first)
            elif kind not in {"drop", "sized"}:
                _add(tokens, match, str(kind))
    return tokens


_MARKS = frozenset(
    {
        Token("word", "qed"),
        *(Token("cmd", one) for one in ("checkmark", "blacksquare", "square", "Box", "qed", "qedsymbol")),
    }
)
"""Commands that say at the end that a proof is done."""

_BEFORE_FACTOR = frozenset({"+", "-", "*", "/", "^", "_", "=", "cdot", "times", "(", "{", "["})


def _limit(tokens: list[Token]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise LimitError(f"more than {MAX_TOKENS} tokens")


_SAYS_ANSWER = re.compile(r"(?:the |my )?(?:final )?answer(?: is\b ?:?| ?:) ?", re.IGNORECASE)
_LAST_LETTER = re.compile(
    r"(?:(?:[kcmd]?m|k?g|mol|N|J|W|C|L)(?:\^\{?[23]\}?)?/(?:[cm]?m|m?s|h|hr|min|k?g|mol|L|C|K)(?:\^\{?[23]\}?)?|[kcm]?m ?s\^\{?-[12]\}?|min|sec|lbs?|yr|ha"
    r"|[msghlLNJWVAKCF]|nm|ms|mV|mA|kV|kN|pF|nF|Pa)(?=\s*$)"
)
_NO_DIGIT = re.compile(r"[^0-9]")
_NUMERIC = re.compile(r"[-+$(]?\s?[0-9]")
_MACRO = re.compile(r"\\(?![ ,;:!])")
_NO_WORDS = re.compile(r"[^A-Za-z]*")


@lru_cache(maxsize=2_048)
def _token(kind: str, text: str) -> Token:
    return Token(kind, text)


def _unit_behind_space(tokens: list[Token], text: str, position: int) -> int:
    r"""Read a letter set off at the end, 493\,m, as a unit; the position behind it."""
    if (
        tokens
        and tokens[-1].kind in {"num", "sci"}
        and not (len(tokens) > 2 and tokens[-2].text == "^" and tokens[-3].kind == "word")
    ):
        unit = _LAST_LETTER.match(text, position)
        if unit is not None:
            tokens.append(Token("text", unit[0]))
            return unit.end()
    return position


def _add_word(tokens: list[Token], text: str) -> None:
    if len(text) == 1:
        tokens.append(_token("word", text))
        return
    lower = text.lower()
    if lower in {"and", "or"}:
        tokens.append(Token("and", lower))
    elif lower == "to" and tokens and tokens[-1].kind == "num":
        tokens.append(Token("op", ":"))
    elif lower in _CONDITION_WORDS:
        tokens.append(Token("cond", lower))
    else:
        tokens.append(_token("word", text))


_CONDITION_WORDS = frozenset({"where", "if", "when", "otherwise", "for"})
_JOINING = _CONDITION_WORDS | {"and", "or", "to"}


def _add(tokens: list[Token], match: re.Match[str], kind: str) -> None:
    value = match[0]
    if kind == "body":
        _add_text(tokens, match["text"], match["body"])
    elif kind in {"sci", "mixed", "op", "repeating"}:
        tokens.append(Token(kind, value))
    elif kind in {"thousands", "commas"}:
        whole, dot, decimals = value.partition(".")
        tokens.append(Token("num", _NO_DIGIT.sub("", whole) + dot + decimals))
    elif kind == "bb":
        tokens.append(Token("cmd", "bb:" + match["bb"]))
    elif kind == "newline":
        tokens.append(Token("op", "\\\\"))
    elif kind == "right":
        tokens.append(Token("cmd", "right."))
    elif kind == "env":
        tokens.append(Token(match["edge"], match["env"]))
    elif kind == "glued":
        tokens.append(Token("cmd", value[1:]))
    else:  # esc
        tokens.append(Token("op", value))


def _add_text(tokens: list[Token], command: str, body: str) -> None:
    content = " ".join(body.replace("~", " ").replace("\\,", " ").replace("$", " ").split())
    answer = _SAYS_ANSWER.match(content)
    if answer is not None and (rest := content[answer.end() :]):
        _add_text(tokens, command, rest)
        return
    if not content or answer is not None:
        return
    if content.endswith(":") and _LABEL.fullmatch(content) is not None:
        tokens.extend((Token("text", content[:-1].strip()), Token("op", ":")))
        return
    if (parted := _WORDS_THEN_NUMBERS.fullmatch(content)) is not None:
        tokens.append(Token("text", parted[1]))
        tokens.extend(tokenize(parted[2])[:-1])
        return
    if content.endswith(",") and len(content) > 2 and tokens and tokens[-1].kind == "num":
        _add_text(tokens, command, content[:-1])
        tokens.append(Token("op", ","))
        return
    if "\\cdot" in content and _UNIT_PRODUCT.fullmatch(content) is not None:
        content = body = " ".join(content.replace("\\cdot", " ").split())
    lower = content.lower().strip(" ,.;:")
    if tokens and _MULTIPLICITY.fullmatch(lower) is not None:
        return
    behind_value = bool(tokens) and (
        tokens[-1].kind in {"num", "sci", "mixed"} or tokens[-1].text in {")", "}"} or tokens[-1] == _PI
    )
    if behind_value and content in _DASHES:
        tokens.append(Token("cmd", "to"))  # a range or a score
    elif lower == "to" and behind_value:
        tokens.append(Token("op", ":"))
    elif lower in _CONNECTORS:
        tokens.append(Token("and", _CONNECTORS[lower]))
    elif lower == "":
        tokens.append(Token("op", content[0])) if content[0] in ",;:" else None
    elif lower in _CONDITIONS or lower.startswith(_CONDITION_STARTS):
        tokens.append(Token("cond", lower))
    elif (
        "$" in body
        or ("=" in content and _EQUATION.fullmatch(content))
        or _NUMERIC.match(content)
        or ("\\" in body and _MACRO.search(body))
        or _NO_WORDS.fullmatch(content)
    ):
        tokens.extend(tokenize(body)[:-1])
        if content.endswith(","):
            tokens.append(Token("op", ","))
    elif behind_value and (lower in {"min", "sec", "deg", "max"} or (content in _UNIT_LETTERS and content != "e")):
        tokens.append(Token("text", content))
    elif "integer" in lower and (counter := _COUNTER.fullmatch(content)) is not None:
        tokens.append(Token("cond", f"where {counter[1]} is an integer"))
    elif lower.endswith((" and", " or")) and " " in lower:
        words, _, connector = content.strip(" ,").rpartition(" ")
        tokens.extend((Token("text", words.strip(" ,")), Token("and", connector.lower())))
    elif _LETTERS.fullmatch(content) and (len(content) == 1 or command.startswith("operatorname") or lower in _NAMES):
        tokens.append(Token("word", content if lower not in _NAMES else lower))
    else:
        tokens.append(Token("text", content))


_EQUATION = re.compile(r"[A-Za-z](?:_?[0-9])? ?= ?-?[0-9A-Za-z./^()]{1,40}")
_COUNTER = re.compile(r"\(? ?([A-Za-z]) (?:is |being )?(?:an |any )(?:arbitrary )?integer ?\)?")
_MULTIPLICITY = re.compile(
    r"\(?(?:with |of )?(?:multiplicity (?:[0-9]|two|three|four)|(?:a )?(?:double|triple|repeated) root)\)?|\(?qed\)?"
)
_WORDS_THEN_NUMBERS = re.compile(
    r"([A-Za-z ]{4,40} (?:except|but|excluding|other than)(?: for)?|at (?:least|most)|(?:no |not )?(?:more|less|fewer|greater) than) (-?[0-9][^A-Za-z]*(?:and -?[0-9][^A-Za-z]*)?)"
)
_LABEL = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{2,}){0,4}(?: [0-9]{1,2})? ?:")
_UNIT_PRODUCT = re.compile(r"(?=[A-Za-z])(?:[A-Za-z0-9^/ -]|\\cdot)+")
_NAMES = word_set(
    "cis sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh coth ln log lg exp sqrt arsinh arcosh artanh arcsinh arccosh"
    " rank tr dim ker arctanh asin acos atan cosec tg ctg arctg arcctg sgn sign max min gcd lcm det pi floor ceil"
)


_DASHES = frozenset({"-", "--", "---"})
_UNIT_LETTERS = frozenset("msghlLNJWVAKCFtHT")
_EQUALS = frozenset(
    {
        "=",
        "<",
        ">",
        "<=",
        ">=",
        "le",
        "leq",
        "ge",
        "geq",
        "approx",
        "equiv",
        "implies",
        "iff",
        "Rightarrow",
        "ne",
        "neq",
        "==",
    }
)


def tidy(tokens: list[Token]) -> list[Token]:
    """Drop alignment marks beside relations, empty groups, and quads that separate nothing."""
    kept: list[Token] = []
    last = len(tokens) - 1
    for index, token in enumerate(tokens):
        if token.kind == "op" and token.text == "&":
            if (kept and kept[-1].text in _EQUALS) or tokens[index + 1].text in _EQUALS:
                continue
        elif token.kind == "op" and token.text == "}" and kept and kept[-1].text == "{" and last > 2:
            kept.pop()
            if kept and kept[-1].text in {"^", "_"}:
                kept.pop()
            continue
        elif token.kind == "cmd" and token.text in {"quad", "qquad"}:
            following = tokens[index + 1]
            if not kept or kept[-1].text in _NO_LIST or kept[-1].kind == "and" or following.text in _NO_LIST or following.kind in {
                "and", "text", "cond", "eof", "end"
            }:  # fmt: skip
                continue
        kept.append(token)
    return kept


_NO_LIST = _EQUALS | {
    "(",
    "[",
    "{",
    "\\{",
    ")",
    "]",
    "}",
    "\\}",
    ",",
    ";",
    ":",
    "&",
    "\\\\",
    "+",
    "-",
    "*",
    "in",
    "to",
    "quad",
    "qquad",
    "cup",
    "cap",
}


def collapse(tokens: list[Token]) -> list[Token]:
    """Drop doubled brackets, ((x)) and {{x}}, however deep; unbalanced brackets are left to the parser."""
    stack: list[int] = []
    partner: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.kind != "op":
            continue
        if token.text in "({" and token.text:
            stack.append(index)
        elif token.text in ")}" and stack:
            opened = stack.pop()
            if (tokens[opened].text, token.text) in {("(", ")"), ("{", "}")}:
                partner[opened] = index
    dropped: set[int] = set()
    for opened, closed in partner.items():
        inner = opened + 1
        if partner.get(inner) == closed - 1 and tokens[inner].text == tokens[opened].text:
            dropped.update((inner, closed - 1))
    if not dropped:
        return tokens
    return [token for index, token in enumerate(tokens) if index not in dropped]
