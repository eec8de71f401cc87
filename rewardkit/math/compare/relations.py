"""Equations, labels and chains: "x = 5" is 5, f(x) = x + 1 is a function, 6*7 = 42 is 42, 41 = 42 is nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from flint import fmpq

from rewardkit.math.latex.tree import (
    Builder,
    Cond,
    Labelled,
    Matrix,
    Node,
    Num,
    Op,
    Ratio,
    Rel,
    Seq,
    SetOp,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.latex.walk import facts
from rewardkit.math.prove.proof import CONSTANTS, real_value, symbols

Equal = Callable[[Node, Node], bool]


_FUNCTION = re.compile(r"call:[a-z]'*")


class ContradictionError(ValueError):
    """A chain of equalities that does not hold, as in 41 = 42."""


def is_label(node: Node) -> bool:
    """Whether `node` only names what the other side is: x, x_1, f(x), P(2), (x, y), words."""
    if isinstance(node, Sym):
        return node.name not in CONSTANTS and node.name not in {"bb:R", "bb:Z", "bb:N", "bb:Q", "bb:C", "..."}
    if isinstance(node, Op) and node.name.startswith("call:") and node.name not in {"call:^+", "call:^*"}:
        return True
    if isinstance(node, (Ratio, SetOp)):
        return all(is_label(one) or _is_product(one) for one in node.args)
    if isinstance(node, Seq) and node.opened == "[" and len(node.items) == 1:
        return is_label(node.items[0]) or _is_product(node.items[0])
    if isinstance(node, Seq) and node.opened in {"(", "", "<", "{"}:
        return bool(node.items) and all(is_label(one) or _is_product(one) for one in node.items)
    return (
        isinstance(node, Words)
        and _DENIES.isdisjoint(node.text.split(" ", 3)[:3])
        and _CHANGES.fullmatch(node.text[:MAX_LABEL_CHARS]) is None
    )


MAX_LABEL_CHARS = 200
"""A name of more characters is not looked at for words that change what it names."""

_CHANGES = re.compile(
    r"(?:.* )?(?:not|no|never|except|but|without|neither|nor|or|and|other|different|half|twice|double|triple|thirds?|quarters?|squared?|root|cubed?|negative|minus|plus"
    r"|reciprocal|inverse|opposite|complement|more|less|fewer|greater|than|least|most|up|over|under|below|above|multiples?|divisors?|factors?|between|from|before|after"
    r"|outside|inside|derivative|integral|sum|product|difference|log|logarithm|absolute|remainder|boundary|percent|part|subset|element|some|almost|nearly|about|anything"
    r"|times|next|either|hundred|dozen|one|perpendicular|parallel|excluding|excluded|maybe|perhaps|possibly|near|reflection|reflected|slope|gradient|length|extraneous|rejected)(?: .*)? [a-z]"
)
"""Words before the name in an equation that make it the equation of something else: the derivative of y."""

_DENIES = frozenset(
    {
        "not",
        "never",
        "no",
        "except",
        "without",
        "neither",
        "incorrect",
        "wrong",
        "false",
        "bound",
        "rejected",
        "extraneous",
        "draft",
        "guess",
        "hint",
    }
)


def _is_product(node: Node) -> bool:
    """Letters side by side, which in front of an equals sign are a name: AB, P(x)."""
    return isinstance(node, Op) and node.name == "mul" and all(is_label(one) or _is_product(one) for one in node.args)


def is_measure(node: Node) -> bool:
    """Whether `node` is a name that a ground truth puts before a value: AB, |AB|, a/b, tan x; no sum and no power."""
    if isinstance(node, Op) and node.name in {"mul", "div", "abs", "deg"}:
        return all(is_measure(one) for one in node.args)
    if isinstance(node, Op) and node.name.startswith("big:"):
        return bool(symbols(node) - CONSTANTS)
    if isinstance(node, Op) and node.name in {"Re", "Im", "floor", "ceil"}:
        return bool(symbols(node) - CONSTANTS)
    if isinstance(node, Op) and node.name == "pow":  # |z|^2, but not x^2
        base, exponent = node.args
        return isinstance(exponent, Num) and isinstance(base, Op) and base.name == "abs" and is_measure(base)
    if isinstance(node, Op) and node.name in {
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "ln",
        "log",
        "logb",
        "det",
        "dim",
        "rank",
        "tr",
        "arg",
        "sup",
        "inf",
        "max",
        "min",
    }:
        return bool(symbols(node) - CONSTANTS)
    return is_label(node)


def is_quantity(node: Node) -> bool:
    """Whether `node` is a term a question asks for, built from letters alone: ab, x + y, a/b, x^2, |z|, an angle."""
    if isinstance(node, Num):
        return False
    if is_label(node) or (isinstance(node, Sym) and node.name.startswith("bb:")):
        return True
    if isinstance(node, Op):
        if node.name in {"add", "mul", "div", "neg", "abs", "sqrt"}:
            return all(is_quantity(one) for one in node.args)
        if node.name == "pow":
            return is_quantity(node.args[0]) and (isinstance(node.args[1], Num) or is_quantity(node.args[1]))
        if node.name in {
            "sin",
            "cos",
            "tan",
            "cot",
            "sec",
            "csc",
            "ln",
            "log",
            "logb",
            "tr",
            "sup",
            "inf",
            "det",
            "deg",
            "gcd",
            "lcm",
            "max",
            "min",
            "dim",
            "rank",
            "arg",
            "Re",
            "Im",
            "exp",
            "floor",
            "ceil",
        }:
            return bool(symbols(node) - CONSTANTS)
        return node.name.startswith("big:") and bool(symbols(node) - CONSTANTS)
    return isinstance(node, Matrix) and bool(symbols(node) - CONSTANTS)


_NAMES_TOO = frozenset({Sym("e"), Sym("i")})
"""Constants whose letters also name an eccentricity and a rate: e = 2, i = 5%."""


_POWERS = frozenset({"pow", "sqrt", "root"})
_UNKNOWNS = frozenset(map(Sym, "xyznt"))
"""Letters that are unknowns: x^2 = 12 does not say what was asked for."""


def _never(_: Node) -> bool:
    return False


def _calculable(node: Op) -> bool:
    """Whether `node` is a sum or product between two numbers, which has a value: no name for another one."""
    if node.name not in {"big:sum", "big:prod"}:
        return False
    if len(node.args) != 3:
        return False
    low, high, body = node.args
    return (
        isinstance(low, Rel)
        and isinstance(low.args[0], Sym)
        and isinstance(low.args[-1], Num)
        and isinstance(high, Num)
        and symbols(body) - CONSTANTS <= {low.args[0].name}
    )


def _negated(node: Node) -> bool:
    """-x is no name: -x = 10 says that x is -10."""
    return isinstance(node, Op) and node.name == "neg"


def _measures(node: Node) -> bool:
    """Whether `node` is a number that something has, whatever its letters: the dimension of U(n)."""
    return isinstance(node, Op) and node.name in {"dim", "rank", "tr", "det"}


def _worked(args: list[Node]) -> bool:
    """Whether an expression in letters is worked out to its value by a calculation: 4x = 4(40) = 160; x^2 = 3 + 9 = 12 is none."""
    first, *rest = args
    if len(rest) < 2 or not isinstance(first, Op) or _negated(first) or first.name in _POWERS:
        return False
    return (
        facts(first).plain
        and bool(symbols(first) - CONSTANTS)
        and all(facts(one).plain and not symbols(one) - CONSTANTS for one in rest)
        and any(isinstance(one, Op) and facts(one).operations - {"neg"} for one in rest[:-1])
    )


def value_of(
    node: Rel, equal: Equal, *, quantities: bool = True, calculations: bool = False
) -> tuple[Node | None, Node] | None:
    """(label, value) of a chain of equalities; None where it states no value. ContradictionError where it is false.

    With `quantities`, "x + y = 7" states the value 7 of what was asked for; without, it is an equation.
    With `calculations`, "4x = 4(40) = 160" states what it works out: against a bare value, that is, not against another statement.
    """
    if not all(op in {"=", "approx"} for op in node.ops):
        return None
    args = list(node.args)
    if Sym("...") in args:
        return None
    label: Node | None = None
    kinds = list(node.ops)
    if len(args) == 2 and args[0] in _NAMES_TOO and args[1] != args[0] and not symbols(args[1]) - {"pi"}:
        return args[0], args[1]
    while len(args) > 1 and is_label(args[0]):
        label = args.pop(0)
        kinds.pop(0)
    if label is None and len(args) > 1 and is_label(args[-1]) and not is_label(args[0]) and kinds[-1] == "=":
        label = args.pop()
        kinds.pop()
    named = is_quantity if quantities else is_measure
    if isinstance(args[0], Op) and ((args[0].name in _POWERS and args[0].args[0] in _UNKNOWNS) or _calculable(args[0])):
        named = _never
    if (
        label is None
        and len(args) > 1
        and named(args[0])
        and not _negated(args[0])
        and (
            _measures(args[0])
            or (isinstance(args[0], Op) and args[0].name == "big:int" and args[0].args[0] == Words(""))
            or not (symbols(args[1]) & symbols(args[0]) - CONSTANTS)
            or (len(args) > 2 and not symbols(args[-1]) - CONSTANTS)
        )
    ):
        label = args.pop(0)
        kinds.pop(0)
        # x^2 + y^2 = 25 may be asked for, or be a circle: as a value it only counts against another value
    if label is None and calculations and _worked(args):  # 4x = 4(40) = 160
        label = args.pop(0)
        kinds.pop(0)
    if (
        isinstance(label, Op)
        and _FUNCTION.fullmatch(label.name)
        and label.name in facts(args[0]).operations
        and symbols(label) - CONSTANTS
    ):
        return None  # f(-x) = -f(x) says something of f
    if len(args) == 1:
        value = args[0]
        if label is not None and symbols(label) & symbols(value) - CONSTANTS and isinstance(label, Sym):
            return None
        return label, value
    free = [
        (bool(symbols(one) - CONSTANTS) and not (isinstance(one, Op) and _calculable(one)))
        or (isinstance(label, Op) and label.name.startswith("call:") and label.name in facts(one).operations)
        for one in args
    ]
    if label is None and any(free) and not all(free):
        if len(args) == 2 and free[0] and calculations and isinstance(args[0], Op) and equal(*args):
            return None, args[1]  # p + (1 - 2p)/2 = 1/2, whatever p is
        return None
    if label is None and any(free):
        if args[0] == args[-1]:  # |b| = |b| says nothing
            return None
        if not all(kind == "=" for kind in kinds) or not all(equal(args[0], one) for one in args[1:]):
            return None
        return None, args[-1]
    if label is not None and any(free) and not free[-1]:  # S = ab/2 = 24: a formula, and its value
        kinds = [kind for kind, letters in zip(kinds, free[1:], strict=True) if not letters]
        args = [one for one, letters in zip(args, free, strict=True) if not letters]
        kinds = kinds[-len(args) + 1 :] if len(args) > 1 else []
    best = args[0]
    for kind, one in zip(kinds, args[1:], strict=True):
        if kind == "=":
            if not equal(best, one):
                raise ContradictionError
        elif not close(best, one):
            raise ContradictionError
    return label, best


def close(exact: Node, printed: Node) -> bool:
    """Whether `printed` is `exact` rounded to its own decimals, or cut off there; a whole number may end in zeros."""
    if isinstance(exact, Unit):
        exact = exact.value
    if isinstance(printed, Unit):
        printed = printed.value
    if (
        isinstance(exact, Op)
        and exact.name in {"pct", "deg"}
        and isinstance(printed, Op)
        and printed.name == exact.name
    ):
        exact, printed = exact.args[0], printed.args[0]
    elif isinstance(printed, Op) and printed.name == "pct":
        exact, printed = Op("mul", (exact, Num(fmpq(100)))), printed.args[0]
    if not isinstance(printed, Num):
        other = real_value(printed)
        value = real_value(exact)
        return other is None or value is None or bool(abs(value - other) <= abs(value) / 100)
    value = real_value(exact)
    if value is None:
        return True
    unit = fmpq(1, 10 ** (printed.places or 0))
    if not printed.places:  # 12,300 for 12,345
        unit = max(unit, fmpq(10) ** _zeros_behind(printed.value))
    off = value - printed.value if printed.value > 0 else printed.value - value
    return bool(off >= -unit / 2) and bool(off < unit)


def _zeros_behind(value: fmpq) -> int:
    """The zeros at the end of a whole number."""
    digits = str(value.p) if value.q == 1 else ""
    return len(digits) - len(digits.rstrip("0")) if value else 0


def difference(node: Rel) -> Node | None:
    """Left - right of an equation or inequality, so that it reads "... = 0"."""
    if len(node.args) != 2 or any(isinstance(one, (Seq, SetOp, Words, Builder)) for one in node.args):
        return None
    left, right = node.args
    if isinstance(right, Num) and right.value == 0:
        return left
    if isinstance(left, Num) and left.value == 0:
        return right
    return Op("add", (left, Op("neg", (right,))))


def rename(node: Node, names: dict[str, str]) -> Node:
    """`node` with variables renamed."""
    if isinstance(node, Sym):
        return Sym(names.get(node.name, node.name))
    if isinstance(node, Op):
        return Op(node.name, tuple(rename(one, names) for one in node.args))
    if isinstance(node, Seq):
        return Seq(node.opened, node.closed, tuple(rename(one, names) for one in node.items), node.either)
    if isinstance(node, Rel):
        return Rel(node.ops, tuple(rename(one, names) for one in node.args))
    if isinstance(node, SetOp):
        return SetOp(node.name, tuple(rename(one, names) for one in node.args))
    if isinstance(node, Ratio):
        return Ratio(tuple(rename(one, names) for one in node.args))
    if isinstance(node, Matrix):
        return Matrix(node.kind, tuple(tuple(rename(cell, names) for cell in row) for row in node.rows))
    if isinstance(node, Builder):
        conditions = tuple(rename(one, names) for one in node.conditions)
        return Builder(rename(node.element, names), conditions, node.either, node.both)
    if isinstance(node, Unit):
        return Unit(rename(node.value, names), node.unit)
    if isinstance(node, Labelled):
        return Labelled(node.label, rename(node.value, names))
    if isinstance(node, Cond):
        return Cond(rename(node.value, names), node.text, node.universal)
    return node


def parameters(label: Node | None) -> tuple[str, ...] | None:
    """The parameters of a function label: f(x, y) has (x, y)."""
    if not isinstance(label, Op) or label.name in {"call:vector", "call:angle", "call:triangle"}:
        return None
    if label.name.startswith("call:") and all(isinstance(one, Sym) for one in label.args):
        return tuple(one.name for one in label.args if isinstance(one, Sym))
    return None


def family_letters(node: Node) -> list[str]:
    """The letter of a family such as pi/6 + k pi or 30 + 360 k degrees: a term of a sum, linear in it."""
    found: set[str] = set()
    _collect(node, found)
    return sorted(found)


_LETTERS = frozenset({"k", "n", "m", "l", "t", "j", "p", "s", "K", "N"})


def _collect(node: Node, found: set[str]) -> None:
    if isinstance(node, Op):
        if node.name == "add":
            for one in node.args:
                letter = _linear_letter(one)
                if letter is not None:
                    found.add(letter)
                else:
                    _collect(one, found)
        elif node.name in {"neg", "deg", "pm"}:
            for one in node.args:
                _collect(one, found)


def _linear_letter(node: Node) -> str | None:
    """K in 2 k pi, k pi / 3 or 360 k degrees."""
    factors: list[Node] = []
    stack = [node]
    turn = False
    while stack:
        one = stack.pop()
        if isinstance(one, Op) and one.name == "mul":
            stack.extend(one.args)
        elif isinstance(one, Op) and one.name == "div" and isinstance(one.args[1], Num):
            stack.append(one.args[0])
        elif isinstance(one, Op) and one.name in {"neg", "deg"}:
            turn = turn or one.name == "deg"
            stack.extend(one.args)
        else:
            factors.append(one)
    letters = [one.name for one in factors if isinstance(one, Sym) and one.name in _LETTERS]
    rest = [one for one in factors if not isinstance(one, Num) and not (isinstance(one, Sym) and one.name in _LETTERS)]
    return letters[0] if len(letters) == 1 and (rest == [Sym("pi")] or (turn and not rest)) else None
