"""The typed tree an answer is parsed into. Nodes are never changed after they are made."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq


class ParseError(ValueError):
    """The text is not in our grammar."""


class LimitError(ValueError):
    """A named bound (length, tokens, depth, digits, magnitude) was passed."""


@dataclass(frozen=True, slots=True)
class Num:
    """An exact rational number, with the number of decimals it was printed with."""

    value: fmpq
    places: int | None = None


@dataclass(frozen=True, slots=True)
class Sym:
    r"""A variable or constant; `pi`, `e`, `i`, `oo` are constants, `\mathbb{R}` is `bb:R`, an ellipsis is `...`."""

    name: str


@dataclass(frozen=True, slots=True)
class Op:
    """An operation on scalars: add, mul, div, neg, pow, sqrt, abs, fact, pct, deg, pm, call:f, ..."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Seq:
    """Items between brackets, or with none (`opened` and `closed` empty) a plain list."""

    opened: str
    closed: str
    items: tuple[Node, ...]
    either: bool = False
    """The items are joined by "or"."""


@dataclass(frozen=True, slots=True)
class Rel:
    """A chain of relations: a < b <= c has ops (<, <=) and three args."""

    ops: tuple[str, ...]
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class SetOp:
    """union, inter or minus of sets."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of equal length; `kind` is matrix, det or cases."""

    kind: str
    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Builder:
    """{ element | conditions }."""

    element: Node
    conditions: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A value with a unit or currency, spelled as in units.py."""

    value: Node
    unit: str


@dataclass(frozen=True, slots=True)
class Based:
    """Digits with a base."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Words:
    """Words, in lower case, without punctuation."""

    text: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value behind a label in words, as in "Minimum: 1"."""

    label: str
    value: Node


@dataclass(frozen=True, slots=True)
class Cond:
    """A value with a condition: `universal` where it only says over what a letter runs (k in Z, for all x)."""

    value: Node
    text: str
    universal: bool


@dataclass(frozen=True, slots=True)
class Ratio:
    """a : b : c."""

    args: tuple[Node, ...]


Node = Num | Sym | Op | Seq | Rel | SetOp | Matrix | Builder | Unit | Based | Words | Labelled | Cond | Ratio
EMPTY_SET = Seq("{", "}", ())
