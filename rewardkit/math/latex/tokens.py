r"""Tokens, what stands in `\text{...}` as tokens, and lists of them without marks that say nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from rewardkit.math.latex.vocabulary import word_set


class Token(NamedTuple):
    """kind is num, word, cmd, text, op, begin, end, and (or), cond or eof."""

    kind: str
    text: str


END = Token("eof", "")

_RELATIONS = word_set("= < > <= >= == le leq ge geq approx equiv implies iff Rightarrow ne neq")
_NO_LIST = _RELATIONS | word_set("( [ { \\{ ) ] } \\} , ; : & \\\\ + - * in to quad qquad cup cap")
_JOINS = frozenset({"and", "text", "cond", "eof", "end"})
_QED = frozenset(
    {Token("word", "qed"), *(Token("cmd", one) for one in word_set("checkmark blacksquare square Box qed qedsymbol"))}
)
"""Marks that say at the end that a proof is done."""

_BEFORE_FACTOR = word_set("+ - * / ^ _ = cdot times ( { [")


@lru_cache(maxsize=4_096)
def token(kind: str, text: str) -> Token:
    """A token, made once."""
    return Token(kind, text)


def without_qed(tokens: list[Token]) -> None:
    """Drop marks that a proof is done off the end."""
    while len(tokens) > 1 and tokens[-1] in _QED and tokens[-2].text not in _BEFORE_FACTOR:
        tokens.pop()


def tidy(tokens: list[Token]) -> list[Token]:
    """Drop alignment marks beside relations, empty groups, and quads that separate nothing."""
    kept: list[Token] = []
    last = len(tokens) - 1
    for index, (kind, text) in enumerate(tokens):
        before = kept[-1] if kept else END
        following = tokens[min(index + 1, last)]
        if kind == "op" and text == "&":
            if before.text in _RELATIONS or following.text in _RELATIONS:
                continue
        elif kind == "op" and text == "}" and before.text == "{" and last > 2:
            kept.pop()
            if kept and kept[-1].text in {"^", "_"}:
                kept.pop()
            continue
        elif kind == "cmd" and text in {"quad", "qquad"}:
            if not kept or before.text in _NO_LIST or before.kind == "and":
                continue
            if following.text in _NO_LIST or following.kind in _JOINS:
                continue
        kept.append(tokens[index])
    return kept


def collapse(tokens: list[Token]) -> list[Token]:
    """Drop doubled brackets, ((x)) and {{x}}, however deep; unbalanced brackets are left to the parser."""
    stack: list[int] = []
    partner: dict[int, int] = {}
    for index, (kind, text) in enumerate(tokens):
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


Tokenize = Callable[[str], list[Token]]

CONNECTORS = {
    **dict.fromkeys(("and", "&", "und", "and/or", "also", "et", "as well as", "и", "且", "和"), "and"),
    **dict.fromkeys(("or", "oder", "ou", "or else", "или", "或", "または"), "or"),
}
_SPANISH = {" y ": Token("and", "and"), " o ": Token("and", "or")}
"""Connectors that are letters, too, where they stand without blanks."""

CONDITION_WORDS = word_set("where if when otherwise for")
_CONDITIONS = CONDITION_WORDS | {
    "for all", "for any", "for every", "for each", "for some", "with", "such that", "provided", "unless", "as long as", "whenever", "only if",
    "over", "given",
}  # fmt: skip
_CONDITION_STARTS = tuple(f"{one} " for one in _CONDITIONS)
_PI = Token("cmd", "pi")
_DASHES = frozenset({"-", "--", "---"})
_UNIT_LETTERS = frozenset("msghlLNJWVAKCFtHT")
_UNIT_NAMES = word_set("min sec deg max")
_NAMES = word_set(
    "cis sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh coth ln log lg exp sqrt arsinh arcosh artanh arcsinh arccosh"
    " rank tr dim ker arctanh asin acos atan cosec tg ctg arctg arcctg sgn sign max min gcd lcm det pi floor ceil"
)
_SAYS_ANSWER = re.compile(r"(?:the |my )?(?:final )?answer(?: is\b ?:?| ?:) ?", re.IGNORECASE)
_LABEL = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{2,}){0,4}(?: [0-9]{1,2})? ?:")
_UNIT_PRODUCT = re.compile(r"(?=[A-Za-z])(?:[A-Za-z0-9^/ -]|\\cdot)+")
_MULTIPLICITY = re.compile(
    r"\(?(?:with |of )?(?:multiplicity (?:[0-9]|two|three|four)|(?:a )?(?:double|triple|repeated) root)\)?|\(?qed\)?"
)
_FORMULA = re.compile(
    r"[^\\$]*\$|[A-Za-z](?:_?[0-9])? ?= ?-?[0-9A-Za-z./^()]{1,40}\Z|[-+$(]?\s?[0-9]|[^\\]*\\(?![ ,;:!])|[^A-Za-z]*\Z"
)
_LETTERS = re.compile(r"[A-Za-z]+")


def text_tokens(tokens: list[Token], command: str, body: str, tokenize: Tokenize) -> None:
    """Add the tokens of the body of a text command; `tokenize` reads formulas in it."""
    content = " ".join(body.replace("~", " ").replace("\\,", " ").replace("$", " ").split())
    answer = _SAYS_ANSWER.match(content)
    if answer is not None:
        content = body = content[answer.end() :]
    if not content:
        return
    if body in _SPANISH and tokens:
        tokens.append(_SPANISH[body])
        return
    if content.endswith(":") and _LABEL.fullmatch(content) is not None:
        tokens.extend((Token("text", content[:-1].strip()), token("op", ":")))
        return
    if content.endswith(",") and len(content) > 2 and tokens and tokens[-1].kind == "num":
        text_tokens(tokens, command, content[:-1], tokenize)
        tokens.append(token("op", ","))
        return
    if "\\cdot" in content and _UNIT_PRODUCT.fullmatch(content) is not None:
        content = body = " ".join(content.replace("\\cdot", " ").split())
    lower = content.lower().strip(" ,.;:")
    if not (tokens and _MULTIPLICITY.fullmatch(lower)) and not _joining(tokens, content, lower):
        _words(tokens, command, content, body, tokenize)


def _joining(tokens: list[Token], content: str, lower: str) -> bool:
    """Add what stands between values: "and", "to", a comma, the words of a condition; whether it is any of them."""
    if _behind_value(tokens) and (content in _DASHES or lower == "to"):
        tokens.append(token("op", ":") if lower == "to" else token("cmd", "to"))  # a range or a score
    elif lower in CONNECTORS:
        tokens.append(token("and", CONNECTORS[lower]))
    elif not lower:
        if content[0] in ",;:":
            tokens.append(token("op", content[0]))
    elif lower in _CONDITIONS or lower.startswith(_CONDITION_STARTS):
        tokens.append(Token("cond", lower))
    else:
        return False
    return True


def _words(tokens: list[Token], command: str, content: str, body: str, tokenize: Tokenize) -> None:
    """Add words, a name, a unit, or a formula set as text."""
    lower = content.lower()
    if _FORMULA.match(body.strip()) is not None:
        tokens.extend(tokenize(body))
        if content.endswith(","):
            tokens.append(token("op", ","))
    elif _behind_value(tokens) and (lower in _UNIT_NAMES or content in _UNIT_LETTERS):
        tokens.append(Token("text", content))
    elif lower.endswith((" and", " or")):
        words, _, connector = content.strip(" ,").rpartition(" ")
        tokens.extend((Token("text", words.strip(" ,")), token("and", connector.lower())))
    elif _LETTERS.fullmatch(content) and (len(content) == 1 or command.startswith("operatorname") or lower in _NAMES):
        tokens.append(Token("word", lower if lower in _NAMES else content))
    else:
        tokens.append(Token("text", content))


def _behind_value(tokens: list[Token]) -> bool:
    """Whether a number or a closing bracket stands before."""
    if not tokens:
        return False
    last = tokens[-1]
    return last.kind in {"num", "sci", "mixed"} or last.text in {")", "}"} or last == _PI
