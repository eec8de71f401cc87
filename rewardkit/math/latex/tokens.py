"""Tokens, and lists of them without marks that say nothing: alignment, empty groups, doubled brackets."""

from __future__ import annotations

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
