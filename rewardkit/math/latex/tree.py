"""The typed tree an answer is parsed into.

Nodes are never changed after they are made; they are not `frozen` because a frozen dataclass takes three times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from flint import fmpq


class ParseError(ValueError):
    """The text is not in our grammar."""


class LimitError(ValueError):
    """A named bound (length, tokens, depth, digits, magnitude) was passed."""


class Facts(NamedTuple):
    """What occurs in a tree."""

    names: frozenset[str]
    """Of variables and constants."""
    operations: frozenset[str]
    plain: bool
    """Nothing but numbers, names and operations on them."""


@dataclass(slots=True, unsafe_hash=True)
class Num:
    """An exact rational number, with the number of decimals it was printed with."""

    value: fmpq
    places: int | None = None


@dataclass(slots=True, unsafe_hash=True)
class Sym:
    r"""A variable or constant; `pi`, `e`, `i`, `oo` are constants, `\mathbb{R}` is `bb:R`, an ellipsis is `...`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True, unsafe_hash=True)
class Op:
    """An operation on scalars: add, mul, div, neg, pow, sqrt, abs, fact, pct, deg, pm, call:f, ..."""

    name: str
    args: tuple[Node, ...]
    facts: Facts | None = field(default=None, init=False, repr=False, compare=False)
    """What `walk.facts` found; kept, since a tree never changes and is asked often."""


@dataclass(slots=True, unsafe_hash=True)
class Seq:
    """Items between brackets, or with none (`opened` and `closed` empty) a plain list."""

    opened: str
    closed: str
    items: tuple[Node, ...]
    either: bool = False
    """The items are joined by "or"."""
    both: bool = False
    """The items are joined by "and"."""
    facts: Facts | None = field(default=None, init=False, repr=False, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Rel:
    """A chain of relations: a < b <= c has ops (<, <=) and three args."""

    ops: tuple[str, ...]
    args: tuple[Node, ...]
    facts: Facts | None = field(default=None, init=False, repr=False, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class SetOp:
    """union, inter or minus of sets."""

    name: str
    args: tuple[Node, ...]


@dataclass(slots=True, unsafe_hash=True)
class Matrix:
    """Rows of equal length; `kind` is matrix, det or cases."""

    kind: str
    rows: tuple[tuple[Node, ...], ...]


@dataclass(slots=True, unsafe_hash=True)
class Builder:
    """{ element | conditions }."""

    element: Node
    conditions: tuple[Node, ...]
    either: bool = False
    """The conditions are joined by "or"."""
    both: bool = False
    """The conditions are joined by "and"."""


@dataclass(slots=True, unsafe_hash=True)
class Unit:
    """A value with a unit or currency, spelled as in units.py."""

    value: Node
    unit: str


@dataclass(slots=True, unsafe_hash=True)
class Based:
    """Digits with a base."""

    digits: str
    base: int


@dataclass(slots=True, unsafe_hash=True)
class Words:
    """Words, in lower case, without punctuation."""

    text: str


@dataclass(slots=True, unsafe_hash=True)
class Labelled:
    """A value behind a label in words, as in "Minimum: 1"."""

    label: str
    value: Node


@dataclass(slots=True, unsafe_hash=True)
class Cond:
    """A value with a condition: `universal` where it only says over what a letter runs (k in Z, for all x)."""

    value: Node
    text: str
    universal: bool


@dataclass(slots=True, unsafe_hash=True)
class Ratio:
    """a : b : c."""

    args: tuple[Node, ...]


Node = Num | Sym | Op | Seq | Rel | SetOp | Matrix | Builder | Unit | Based | Words | Labelled | Cond | Ratio
EMPTY_SET = Seq("{", "}", ())
RANKS: dict[type, int] = {Cond: 0, Unit: 1, Labelled: 2, Words: 3, Rel: 4, Ratio: 5, Matrix: 6, SetOp: 7, Builder: 7}
"""The kinds by how structured they are, the most structured first; the others come after them."""
