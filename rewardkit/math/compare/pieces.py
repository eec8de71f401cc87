"""Unions of intervals: their pieces put in order, their complement, and what two of them share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cmp_to_key

from rewardkit.math.latex.tree import Node, Op, Sym
from rewardkit.math.latex.walk import infinite
from rewardkit.math.prove.proof import order

MINUS_INFINITY = Op("neg", (Sym("oo"),))
INFINITY = Sym("oo")
MAX_PIECES = 64
"""Unions of more are not put in order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One interval; a point is closed at both ends, which are the same."""

    low: Node
    high: Node
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True, slots=True)
class RealSet:
    """A union of pieces, with the variable it was said about, if any."""

    pieces: tuple[Piece, ...]
    variable: str | None = None


REALS = RealSet((Piece(MINUS_INFINITY, INFINITY, False, False),))


def canonical(found: RealSet) -> tuple[Piece, ...] | None:
    """The pieces sorted and merged, or None where the ends cannot be ordered."""
    if len(found.pieces) > MAX_PIECES:
        return None
    pieces = list(found.pieces)
    for piece in pieces:
        if order(piece.low, piece.high) is None:
            return None
    undecided = False

    def below(a: Piece, b: Piece) -> int:
        nonlocal undecided
        place = order(a.low, b.low)
        if place is None:
            undecided = True
            return 0
        return place or (int(b.low_closed) - int(a.low_closed))

    pieces.sort(key=cmp_to_key(below))
    if undecided:
        return None
    merged: list[Piece] = []
    for piece in pieces:
        width = order(piece.low, piece.high)
        if width == 1 or (width == 0 and not (piece.low_closed and piece.high_closed)):
            continue
        if merged:
            last = merged[-1]
            gap = order(last.high, piece.low)
            if gap is None:
                return None
            if gap > 0 or (gap == 0 and (last.high_closed or piece.low_closed) and not infinite(last.high)):
                ends = order(last.high, piece.high)
                if ends is None:
                    return None
                high = piece.high if ends < 0 else last.high
                closed = piece.high_closed if ends < 0 else last.high_closed or (ends == 0 and piece.high_closed)
                merged[-1] = Piece(last.low, high, last.low_closed, closed)
                continue
        merged.append(piece)
    return tuple(merged)


def complement(found: RealSet) -> RealSet | None:
    """The rest of the real line."""
    pieces = canonical(found)
    if pieces is None:
        return None
    rest: list[Piece] = []
    low: Node = MINUS_INFINITY
    closed = False
    for piece in pieces:
        rest.append(Piece(low, piece.low, closed, not piece.low_closed))
        low, closed = piece.high, not piece.high_closed
    rest.append(Piece(low, INFINITY, closed, False))
    kept = [
        one
        for one in rest
        if order(one.low, one.high) == -1
        or (order(one.low, one.high) == 0 and one.low_closed and one.high_closed and not infinite(one.low))
    ]
    return RealSet(tuple(kept), found.variable)


def intersect(left: RealSet, right: RealSet) -> RealSet | None:
    """What both hold, or None where ends cannot be ordered."""
    found: list[Piece] = []
    for a in left.pieces:
        for b in right.pieces:
            low, high = order(a.low, b.low), order(a.high, b.high)
            if low is None or high is None:
                return None
            low_node, low_closed = (
                (b.low, b.low_closed) if low < 0 else (a.low, a.low_closed and (low > 0 or b.low_closed))
            )
            high_node, high_closed = (
                (a.high, a.high_closed) if high < 0 else (b.high, b.high_closed and (high > 0 or a.high_closed))
            )
            width = order(low_node, high_node)
            if width is None:
                return None
            if width < 0 or (width == 0 and low_closed and high_closed):
                found.append(Piece(low_node, high_node, low_closed, high_closed))
    return RealSet(tuple(found), left.variable or right.variable)
