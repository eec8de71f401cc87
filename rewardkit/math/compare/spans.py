"""Arbitrary constants: formulas with some of them are equal where they give the same functions, ln|x| + C and ln|2x| + C."""

from __future__ import annotations

from flint import acb, arb, arb_mat

from rewardkit.math.compare.relations import is_label
from rewardkit.math.latex.tree import Cond, LimitError, Node, Op, ParseError, Rel, Sym
from rewardkit.math.latex.walk import CONSTANTS, symbols
from rewardkit.math.prove.ball import Balls
from rewardkit.math.prove.functions import UndefinedError
from rewardkit.math.prove.points import real_points
from rewardkit.math.prove.proof import agree, is_real, working_precision

ARBITRARY = frozenset({"C", "c", "C_0", "C_1", "C_2", "C_3", "c_0", "c_1", "c_2", "c_3"})
"""Names of constants that may have any value."""

_ALSO_ARBITRARY = frozenset({"A", "B", "D", "K", "k", "a", "b"})
"""Names that are taken for them where the other side has such a constant in their place."""

MAX_CONSTANTS = 3
"""So many constants in one formula."""

MAX_OTHERS = 3
"""So many letters beside the constants."""

FAR = 10
"""Points further out are left aside: an exponential hides there what stands beside it."""

SPARE_ROWS = 4
"""At so many points more than there are constants the two formulas must agree."""


def same_functions(gold: Node, answer: Node) -> bool:
    """Whether two formulas that are linear in their arbitrary constants give the same functions, one for one."""
    left, right = _body(gold), _body(answer)
    if left is None or right is None or (left[0] is not None and right[0] is not None and left[0] != right[0]):
        return False
    names = _constants(left[1], right[1])
    if names is None or (None in {left[0], right[0]} and not (_adds(left[1]) and _adds(right[1]))):
        return False
    others = sorted((symbols(left[1]) | symbols(right[1])) - CONSTANTS - {*names[0], *names[1]})
    variable = next((one for one in _VARIABLES if one in others), None)
    if variable is None or len(others) > MAX_OTHERS or not _arbitrary(names[0] | names[1], others):
        return False
    variables = tuple(others) if left[0] == "=" else (variable,)
    with working_precision():
        try:
            return all(_same_span(left[1], right[1], names, variables, at) for at in _settings(others, variables))
        except (LimitError, ParseError, ZeroDivisionError):
            return False


_VARIABLES = ("x", "t", "u", "theta", "s", "z", "y", "v", "w", "r", "p")


def _body(node: Node) -> tuple[str | None, Node] | None:
    """(name, formula) of y = formula or a formula alone; of F = C the sum C_1 F + C_2 with a name of its own."""
    while isinstance(node, Cond) and node.universal:
        node = node.value
    if isinstance(node, Op):
        return None, node
    if isinstance(node, Sym):
        return None
    if not isinstance(node, Rel) or node.ops != ("=",):
        return None
    label, body = node.args
    if body in _LONE and isinstance(label, Op) and symbols(body).isdisjoint(symbols(label)):
        return "=", Op("add", (Op("mul", (Sym("C_1"), label)), Sym("C_2")))
    if not is_label(label) or not isinstance(body, Op) or "y" in symbols(label) & symbols(body):
        return None
    if isinstance(label, Op):
        label = Sym(label.name.removeprefix("call:"))
    return (label.name, body) if isinstance(label, Sym) and label.name not in symbols(body) else None


_LONE = frozenset(map(Sym, ("C", "c", "C_1", "c_1", "K")))


def _constants(gold: Node, answer: Node) -> tuple[frozenset[str], frozenset[str]] | None:
    """The names of the constants of both sides, as many on each."""
    left, right = symbols(gold) & ARBITRARY, symbols(answer) & ARBITRARY
    if not left:
        left = (symbols(gold) - symbols(answer)) & _ALSO_ARBITRARY
    elif not right:
        right = (symbols(answer) - symbols(gold)) & _ALSO_ARBITRARY
    return (left, right) if 0 < len(left) == len(right) <= MAX_CONSTANTS else None


def _arbitrary(names: frozenset[str], others: list[str]) -> bool:
    """Whether nothing beside C speaks for a coefficient (a, b and c) or a corner (A, B and C)."""
    if "c" in names and len(others) > 1:
        return False
    return "C" not in names or not any(one in others for one in ("A", "B"))


def _adds(node: Node) -> bool:
    """Whether a sum has a constant as a term."""
    return (
        isinstance(node, Op)
        and node.name == "add"
        and any((one := _unsigned(part)) in _TERMS or _adds(one) for part in node.args)
    )


def _unsigned(node: Node) -> Node:
    return node.args[0] if isinstance(node, Op) and node.name == "neg" else node


_TERMS = frozenset(map(Sym, ARBITRARY | _ALSO_ARBITRARY))


def _settings(others: list[str], variables: tuple[str, ...]) -> list[dict[str, acb]]:
    """Values for the letters that are neither constants nor variables."""
    rest = [one for one in others if one not in variables]
    if not rest:
        return [{}]
    points = real_points(tuple(rest))
    return [dict(points[0]), dict(points[5])]


def _same_span(
    gold: Node,
    answer: Node,
    names: tuple[frozenset[str], frozenset[str]],
    variables: tuple[str, ...],
    fixed: dict[str, acb],
) -> bool:
    size = len(names[0])
    rows: list[tuple[list[arb], list[arb]]] = []
    found: arb_mat | None = None
    agreed = 0
    for point in real_points(variables):
        if any(abs(one) > FAR for one in point.values()):
            continue
        at = {**fixed, **point}
        first, second = _parts(gold, sorted(names[0]), at), _parts(answer, sorted(names[1]), at)
        if first is None or second is None:
            continue
        if found is None:
            rows.append((first, second))
            if len(rows) == size and (found := _change(rows)) is None:
                return False
            continue
        for place, value in enumerate((*first[1:], first[0] - second[0])):
            total = sum((second[1 + i] * found[i, place] for i in range(size)), arb(0))
            if agree(acb(value), acb(total)) is not True:
                return False
        agreed += 1
    return agreed >= SPARE_ROWS


def _change(rows: list[tuple[list[arb], list[arb]]]) -> arb_mat | None:
    """How the constants of one side follow from those of the other, from as many rows; None where they do not, one for one."""
    size = len(rows)
    basis = arb_mat([second[1:] for _, second in rows])
    if basis.det().contains(0):
        return None
    found = basis.solve(arb_mat([[*first[1:], first[0] - second[0]] for first, second in rows]))
    turned = arb_mat([[found[i, j] for j in range(size)] for i in range(size)])
    return None if turned.det().contains(0) else found


def _parts(node: Node, names: list[str], at: dict[str, acb]) -> list[arb] | None:
    """[rest, factor of each constant] of a formula at a point; None where it has no real value there, or is not linear."""
    zero = dict.fromkeys(names, acb(0))
    try:
        rest = Balls({**at, **zero}).value(node)
        found = [rest, *(Balls({**at, **zero, name: acb(1)}).value(node) - rest for name in names)]
        mixed = {name: acb(value) for name, value in zip(names, (3, 5, -7), strict=False)}
        whole = Balls({**at, **mixed}).value(node)
    except UndefinedError:
        return None
    if not all(one.is_finite() and is_real(one) for one in (*found, whole)):
        return None
    linear = found[0] + sum((mixed[name] * part for name, part in zip(names, found[1:], strict=True)), acb(0))
    if agree(whole, linear) is not True:
        raise ParseError("not linear in its constants")
    return [one.real for one in found]
