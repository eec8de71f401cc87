"""Fixed random points at which two expressions are compared, and which of them they need: for jumps, pieces, large numbers, parities."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import lru_cache

from flint import acb, arb, fmpq

from rewardkit.math.latex.tree import Node, Num, Op
from rewardkit.math.latex.walk import children, facts, parts, symbols
from rewardkit.math.prove.exact import exact_value, rational

_PRIMES = (211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311, 313, 317, 331, 337)
MAX_LETTERS = 18
"""So many letters have values."""


@lru_cache(maxsize=1)
def _rational_rows() -> tuple[tuple[fmpq, ...], ...]:
    """Fixed random numbers for the first letter, the second and so on: all positive, all negative, mixed, small."""
    rng = random.Random(20_260_101)
    rows: list[tuple[fmpq, ...]] = []
    for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1), (1, 1), (-1, -1), (1, 1)):
        low, high = (3, 200) if len(rows) in {3, 6} else (2_000, 99_991)
        row = (fmpq(signs[place % 2] * rng.randint(low, high), rng.choice(_PRIMES)) for place in range(MAX_LETTERS))
        rows.append(tuple(row))
    return tuple(rows)


def rational_points(names: tuple[str, ...]) -> Iterator[dict[str, fmpq]]:
    """Fixed random rational points."""
    return (dict(zip(names, row, strict=False)) for row in _rational_rows())


@lru_cache(maxsize=512)
def integer_points(names: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Whole numbers: small ones of all parities, larger ones, a negative one."""
    rng = random.Random(4_242)
    points: list[dict[str, int]] = [dict.fromkeys(names, step) for step in range(31)] if len(names) == 1 else []
    for low, high, count in ((0, 9, 16), (3, 40, 8), (900, 3000, 2), (-9, -1, 2)):
        points.extend({name: rng.randint(low, high) for name in names} for _ in range(count))
    return tuple(points)


_EDGES = tuple(sorted({*(2**k for k in range(5, 12)), *(k * k for k in range(6, 13)), 10**2, 10**3, 10**4}))


@lru_cache(maxsize=512)
def edge_points(names: tuple[str, ...], sizes: tuple[int, ...]) -> tuple[dict[str, int], ...]:
    """Whole numbers around powers, squares and multiples of `sizes`, where floors of logarithms, roots and quotients jump."""
    edges = (*_EDGES, *(k * size for size in sizes for k in (1, 2, 3)))
    return tuple(dict.fromkeys(names, edge + step) for edge in edges for step in (-1, 0, 1))


@lru_cache(maxsize=512)
def jump_points(names: tuple[str, ...], sizes: tuple[int, ...], *, steps: bool) -> tuple[dict[str, acb], ...]:
    """Points beyond `sizes` on both sides; with `steps`, also points right beside those at which floors jump."""
    rng = random.Random(9_119)
    places: list[dict[str, fmpq]] = []
    for size in (*sizes, 500) if steps else sizes:
        for signs in ((1, 1), (-1, -1), (1, -1), (-1, 1)):
            row = zip(names, itertools.cycle(signs), strict=False)
            places.append({name: fmpq(sign * rng.randint(100 * size + 1, 300 * size), 100) for name, sign in row})
        places.append({name: fmpq(rng.randint(1, 99 * size), 100) for name in names})
    if steps and len(names) == 1:
        jumps = {fmpq(half, 2) for half in (-10, -4, -2, -1, 0, 1, 2, 3, 4, 6, 8, 10, 16, 20, 32, 200)}
        jumps |= {fmpq(k * size) for size in sizes for k in (-1, 1, 2)}
        places += [
            {names[0]: jump + shift}
            for jump in sorted(jumps)
            for shift in (fmpq(-1, 8), fmpq(1, 8), fmpq(-1, 2**41), fmpq(1, 2**41), fmpq(-1, 2**90), fmpq(1, 2**90))
        ]
    return tuple({name: acb(arb(value)) for name, value in place.items()} for place in places)


RANGES = ((0.6, 3.2), (-3.4, -0.3), (0.04, 0.96), (2.1, 9.7), (-0.95, 0.95), (0.2, 1.4), (-9.0, 9.0), (11.0, 60.0), (-0.5, 0.6), (0.7, 5.0),
           (-40.0, -5.0), (0.1, 0.6), (700.0, 90_000.0))  # fmt: skip


@lru_cache(maxsize=512)
def points(names: tuple[str, ...], plane: frozenset[str] = frozenset()) -> tuple[dict[str, acb], ...]:
    """Fixed random points: positive, negative, small, large, inside (-1, 1); the letters in `plane` have complex values."""
    rng = random.Random(7_331)

    def part(low: float, high: float) -> arb:
        return arb(fmpq(int(rng.uniform(low, high) * 2**40) | 1, 2**40))

    return tuple(
        {name: acb(part(low, high), part(-3.0, 3.0)) if name in plane else acb(part(low, high)) for name in names}
        for low, high in RANGES
    )


STEPS = frozenset({"floor", "ceil", "mod", "max", "min", "gcd", "lcm", "sgn"})
"""Operations with pieces that differ only at single points or far out."""

PIECEWISE = STEPS | {"abs", "sqrt", "root"}
"""Operations that may be one formula here and another beyond some number."""

MAX_SIZES = 4


def sizes(*nodes: Node) -> tuple[int, ...]:
    """The sizes of the larger numbers in `nodes`, up to MAX_SIZES of them."""
    found: set[int] = set()
    stack = list(nodes)
    while stack:
        one = stack.pop()
        value = exact_value(one)
        if value is None:
            stack.extend(children(one))
        else:
            found.update(int(size.ceil()) for size in (abs(value), 1 / abs(value or fmpq(1))) if _SMALL < size < _HUGE)
    return tuple(sorted(found)[:MAX_SIZES])


def jumps_anywhere(node: Node) -> bool:
    """Whether a floor of no rational function occurs, which may jump at numbers that are not tried: of a sine, a root."""
    floors = (one for one in parts(node) if isinstance(one, Op) and one.name in _JUMPS)
    return not all(facts(one).operations <= _RATIONAL for one in floors)


_JUMPS = frozenset({"floor", "ceil", "mod"})
_RATIONAL = _JUMPS | {"add", "mul", "neg", "div", "pow"}


def longest(*nodes: Node) -> int:
    """The bits of the longest number in `nodes`, 0 where none has more than LONG_BITS."""
    numbers = (one.value for node in nodes for one in parts(node) if isinstance(one, Num))
    found = max((int(one.height_bits()) for one in numbers), default=0)
    return found if found > LONG_BITS else 0


LONG_BITS = 120
"""Numbers of fewer bits are distinguished at our precision whatever is taken from them."""


_SMALL = 10
_HUGE = 10**15


def has_parity(node: Node) -> bool:
    """Whether whole-number variables matter: (-1)^n, floors, remainders, cos(n pi)."""
    return any(_alternates(one) for one in parts(node) if isinstance(one, Op))


def _alternates(node: Op) -> bool:
    if node.name == "pow":
        value = rational(node.args[0])
        return value is not None and value < 0
    turns = node.name in {"sin", "cos", "tan", "exp"} and "pi" in symbols(node)
    return turns or node.name in {"floor", "ceil", "mod", "fact", "binom", "dfact"}
