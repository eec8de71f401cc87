"""Rows with dots in them, written out where the written terms fix them: 1 + 2 + ... + 100, 2 + 4 + ... + 2^n, {1, 2, ..., 10}."""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from rewardkit.math.latex.tree import LimitError, Node, Num, Op, Rel, Seq, Sym, Unit
from rewardkit.math.latex.walk import CONSTANTS, canonical, symbols
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.proof import same_value
from rewardkit.math.text.patterns import lazy

MAX_TERMS = 2_000
"""Longer rows are not written out."""

PLACES = (7, 8, 9, 10, 13, 24)
"""The last places of a row that goes on to the n-th at which two answers are compared."""

_COUNTERS = frozenset("nmkN")
_DOTS = Sym("...")
_PRODUCT = lazy(
    r"(?<=[0-9A-Za-z)}]) ?(?:\\(?:cdot|times) ?)?\\[cl]?dots(?![A-Za-z]) ?(?:\\(?:cdot|times)(?![A-Za-z]) ?)?(?=[0-9A-Za-z(]|\\frac)"
)

Terms = list[Node]


class UnfixedError(ValueError):
    """The written terms of a row leave open what stands between them."""


def with_signs(text: str) -> str:
    r"""`text` with the signs of multiplication around dots in a product: 1\cdot2\cdots n."""
    return _PRODUCT.sub(r"\\cdot\\ldots\\cdot ", text)


def written_out(gold: Node, answer: Node) -> list[tuple[Node, Node]] | None:
    """Both answers with their rows written out, at several places where they go on to the n-th; None where they are not fixed."""
    letters: set[str] = set()
    try:
        once = _written(gold, None, letters), _written(answer, None, letters)
        if not letters:
            return [once]
        if len(letters) > 1:
            return None
        letter = letters.pop()
        places = [(letter, fmpq(place)) for place in PLACES]
        return [(_written(gold, place, set()), _written(answer, place, set())) for place in places]
    except UnfixedError:
        return None


Place = tuple[str, fmpq]


def _written(node: Node, place: Place | None, letters: set[str]) -> Node:
    """`node` with its rows written out, and with the number at a place for its letter; without one, the letters are gathered."""
    if isinstance(node, Sym):
        if node == _DOTS:
            raise UnfixedError
        return Num(place[1]) if place is not None and node.name == place[0] else node
    if isinstance(node, Op):
        if node.name in {"add", "mul"} and "..." in symbols(node):
            terms = _terms(node, node.name)
            if _DOTS in terms:
                row = _row(terms, place, letters, checks=2)
                return _together(row, node.name) if row is not None else node
        return Op(node.name, tuple(_written(one, place, letters) for one in node.args))
    if isinstance(node, Seq):
        items = list(node.items)
        if _DOTS in items[1:-1]:
            row = _row(items, place, letters, checks=1)
            return node if row is None else Seq(node.opened, node.closed, tuple(row), node.either, node.both)
        return Seq(node.opened, node.closed, tuple(_written(one, place, letters) for one in items), node.either)
    if isinstance(node, Rel):
        return Rel(node.ops, tuple(_written(one, place, letters) for one in node.args))
    if isinstance(node, Unit):
        return Unit(_written(node.value, place, letters), node.unit)
    return node


def as_names(node: Node) -> Node:
    """`node` with its rows as names of their own: rows are one where their terms are, whatever these come to with the dots as a letter."""
    if not isinstance(node, Op) or "..." not in symbols(node):
        return node
    if node.name in {"add", "mul"} and any(one in _OPEN for one in _terms(node, node.name)):
        return Sym(f"row {canonical(node)}")
    return Op(node.name, tuple(map(as_names, node.args)))


_OPEN = frozenset({_DOTS, Op("neg", (_DOTS,))})


def _terms(node: Node, name: str) -> Terms:
    """The terms of a sum, or the factors of a product, in their order; one in brackets is one."""
    found: Terms = []
    while isinstance(node, Op) and node.name == name:
        found.append(node.args[1])
        node = node.args[0]
    return [node, *reversed(found)]


def _together(row: Terms, name: str) -> Node:
    """The sum or product of a row."""
    total = row[0]
    for one in row[1:]:
        total = Op(name, (total, one))
        value = rational(total)
        total = total if value is None else Num(value)
    return total


def _row(terms: Terms, place: Place | None, letters: set[str], *, checks: int) -> Terms | None:
    """All terms of a row with dots; None where they depend on a letter and no place is given."""
    if terms.count(_DOTS) != 1:
        raise UnfixedError
    at = terms.index(_DOTS)
    before, after = terms[:at], terms[at + 1 :]
    if not before or not after:
        raise UnfixedError
    if all(symbols(one) <= CONSTANTS for one in terms[:at] + terms[at + 1 :]):
        return _between(before, after, alone=checks == 1)
    for low, high in ((before, after), (after[::-1], before[::-1])):
        fixed = _formula(low, high, checks)
        if fixed is not None:
            letter, start, formula = fixed
            letters.add(letter)
            if place is None:
                return None
            if place[0] != letter:
                raise UnfixedError
            found = [formula(fmpq(k)) for k in range(start, int(place[1].p) + 1)]
            return found if low is before else found[::-1]
    raise UnfixedError


def _formula(before: Terms, after: Terms, checks: int) -> tuple[str, int, Callable[[fmpq], Node]] | None:
    """(letter, its first value, the term at a value) of a row whose last term is a formula for all: 1 + x + ... + x^n."""
    last = after[-1]
    used = frozenset[str]().union(*map(symbols, before))
    names = sorted(symbols(last) & _COUNTERS - used)
    if len(names) != 1 or len(before) + len(after) - 1 < checks:
        return None
    letter = names[0]

    def formula(value: fmpq) -> Node:
        return _put(last, letter, Num(value))

    for back, one in enumerate(reversed(after)):
        if back and same_value(_put(last, letter, _less(letter, back)), one) is not True:
            return None
    starts = [
        start for start in range(4) if all(_same(formula(fmpq(start + index)), one) for index, one in enumerate(before))
    ]
    return (letter, starts[0], formula) if len(starts) == 1 else None


def _same(left: Node, right: Node) -> bool:
    try:
        return same_value(left, right) is True
    except (ZeroDivisionError, LimitError):
        return False


def _less(letter: str, back: int) -> Node:
    return Op("add", (Sym(letter), Num(fmpq(-back))))


def _put(node: Node, letter: str, value: Node) -> Node:
    """`node` with a value in the place of a letter."""
    if isinstance(node, Sym):
        return value if node.name == letter else node
    return Op(node.name, tuple(_put(one, letter, value) for one in node.args)) if isinstance(node, Op) else node


def _between(before: Terms, after: Terms, *, alone: bool) -> Terms:
    """A row of numbers: in steps, in ratios, of powers, or of one form, where only one of these fits."""
    formed = _of_one_form(before, after)
    if formed is not None:
        return formed
    low, high = _values(before), _values(after)
    if alone and len(low) == len(high) == 1 and low[0].q == high[0].q == 1:  # {1, ..., 10}
        low = [low[0], low[0] + 1]
    if len(low) < 2:
        raise UnfixedError
    step = low[1] - low[0]
    found = [row for row in (_steps(low, high), _ratios(low, high), *_powers(low, high)) if row is not None]
    if not found or (any(one != found[0] for one in found) and abs(step) != 1):
        raise UnfixedError
    return [Num(one) for one in found[0]]


def _values(terms: Terms) -> list[fmpq]:
    found: list[fmpq] = []
    for one in terms:
        try:
            value = rational(one)
        except (ZeroDivisionError, LimitError):
            value = None
        if value is None:
            raise UnfixedError
        found.append(value)
    return found


def _filled(low: list[fmpq], high: list[fmpq], following: Callable[[fmpq], fmpq | None]) -> list[fmpq] | None:
    """The row from the first to the last number by a rule for the next one, if all that is written is in it."""
    row = [low[0]]
    while len(row) < len(low) + 1 or row[-len(high) :] != high:
        one = following(row[-1])
        if one is None or len(row) > MAX_TERMS or one.height_bits() > MAX_TERMS:
            return None
        row.append(one)
        if len(row) <= len(low) and one != low[len(row) - 1]:
            return None
    return row if len(row) >= len(low) + len(high) else None


def _steps(low: list[fmpq], high: list[fmpq]) -> list[fmpq] | None:
    step = low[1] - low[0]
    steps = (high[0] - low[-1]) / step if step else fmpq(0)
    return _filled(low, high, lambda one: one + step) if steps.q == 1 and 0 < steps < MAX_TERMS else None


def _ratios(low: list[fmpq], high: list[fmpq]) -> list[fmpq] | None:
    if not low[0] or abs(low[1]) in {0, abs(low[0])}:
        return None
    ratio = low[1] / low[0]
    end = abs(high[-1])
    grows = abs(ratio) > 1
    return _filled(low, high, lambda one: one * ratio if one and (abs(one) < end) == grows else None)


def _powers(low: list[fmpq], high: list[fmpq]) -> list[list[fmpq] | None]:
    return [_powers_of(low, high, power, turned=turned) for power in (2, 3) for turned in (False, True)]


def _powers_of(low: list[fmpq], high: list[fmpq], power: int, *, turned: bool) -> list[fmpq] | None:
    """Squares or cubes of whole numbers, or one over them."""
    if turned and not all((*low, *high)):
        return None
    one = 1 / low[0] if turned else low[0]
    base = next((k for k in range(4) if one == k**power), None)
    if base is None:
        return None
    end = abs(1 / high[-1] if turned else high[-1])
    row: list[fmpq] = []
    while len(row) < MAX_TERMS and (value := fmpq((base + len(row)) ** power)) <= end:
        row.append(1 / value if turned else value)
    fits = row[: len(low)] == low and row[-len(high) :] == high and len(row) >= len(low) + len(high)
    return row if fits else None


def _of_one_form(before: Terms, after: Terms) -> Terms | None:
    """A row whose terms differ only in numbers that rise in steps: 1/(1 2) + 1/(2 3) + ... + 1/(99 100), 1^2 + 2^2 + ... + 9^2."""
    forms = [_form(one) for one in (*before, *after)]
    if len(before) < 2 or isinstance(before[0], Num) or len({form for form, _ in forms}) != 1:
        return None
    numbers = [found for _, found in forms]
    steps = [second - first for first, second in zip(numbers[0], numbers[1], strict=True)]
    sizes = {
        (end - first) / step for first, end, step in zip(numbers[0], numbers[len(before)], steps, strict=True) if step
    }
    size = sizes.pop() if len(sizes) == 1 else fmpq(0)
    if size.q != 1 or not len(before) <= size < MAX_TERMS:
        return None
    first = int(size.p)
    places = [*range(len(before)), *range(first, first + len(after))]
    for index, found in zip(places, numbers, strict=True):
        if found != [one + index * step for one, step in zip(numbers[0], steps, strict=True)]:
            return None
    row: Terms = []
    for index in range(first + len(after)):
        values = iter([one + index * step for one, step in zip(numbers[0], steps, strict=True)])
        row.append(_refilled(before[0], values.__next__))
    return row


def _form(node: Node) -> tuple[str, list[fmpq]]:
    """(what a term is but for its numbers, its numbers)."""
    if isinstance(node, Num):
        return "#", [node.value]
    if isinstance(node, Op):
        parts = [_form(one) for one in node.args]
        return f"{node.name}({','.join(form for form, _ in parts)})", [one for _, found in parts for one in found]
    return repr(node), []


def _refilled(node: Node, following: Callable[[], fmpq]) -> Node:
    if isinstance(node, Num):
        return Num(following())
    return Op(node.name, tuple(_refilled(one, following) for one in node.args)) if isinstance(node, Op) else node
