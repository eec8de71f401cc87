"""Values of trees with proven error bounds (python-flint's complex balls)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flint import acb, arb, fmpq

from rewardkit.math.latex.tree import LimitError, Matrix, Node, Num, Op, ParseError, Rel, Seq, Sym, Unit
from rewardkit.math.latex.walk import symbols
from rewardkit.math.prove.exact import rational
from rewardkit.math.prove.functions import OF_VALUES, UndefinedError, apply, check_exponent, generic, nonzero, raised

MAX_TERMS = 1_000
"""Sums within sums: this many in all."""

_TINY = arb(2) ** -100
_SATURATING = frozenset({"tanh", "coth", "erf", "zeta"})
_SATURATED = arb(30)
"""Beyond this, such functions are 1 but for less than can be seen."""

_OF_STRUCTURES = frozenset({"gcd", "lcm", "rank", "det", "dim", "ker", "tr", "sup", "inf"})
_MADE: dict[str, Callable[[], acb]] = {"pi": acb.pi, "e": acb(1).exp, "i": acb(0, 1).__pos__}
_CONJUGATES = frozenset({"call:overline", "call:^*"})
_COMPLEX_PARTS = frozenset({"Re", "Im", "conj", "arg"})


class Balls:
    """Evaluate trees at one point. Unknown functions get fixed generic values, so that equal arguments give equal values."""

    def __init__(self, values: Mapping[str, acb], *, log_base: int = 0, careful: bool = False) -> None:
        self.values = dict(values)
        self.in_plane = any(one.imag != 0 for one in values.values())
        """Whether letters have complex values, so that bars and stars are conjugates."""
        self.log_base = log_base
        self.terms = 0
        self.careful = careful
        self.imaginary = False
        """A root was taken of a negative number."""
        self.negligible = False
        """A term of some sum was less than 2**-100 of the other (seen only when careful)."""

    def value(self, node: Node) -> acb:
        """The ball of `node`. Raises UndefinedError, LimitError or ParseError (not a scalar)."""
        if type(node) is Op:
            return self.operation(node)
        if type(node) is Num:
            return acb(arb(node.value))
        if type(node) is Sym:
            return self.symbol(node.name)
        if isinstance(node, Unit):
            return self.value(node.value)
        if isinstance(node, (Seq, Matrix, Rel)):
            return self.opaque(node)
        raise ParseError("not a number")

    def symbol(self, name: str) -> acb:
        """A constant or the value of a variable."""
        if name in self.values:
            return self.values[name]
        if name == "oo":
            raise UndefinedError
        return _MADE[name]() if name in _MADE else generic(name, ())

    def opaque(self, node: Seq | Matrix | Rel) -> acb:
        """A structure inside an expression, as a generic value of its parts."""
        if isinstance(node, Seq):
            return generic(f"{node.opened}{len(node.items)}{node.closed}", tuple(self.value(one) for one in node.items))
        if isinstance(node, Matrix):
            cells = tuple(self.value(cell) for row in node.rows for cell in row)
            return generic(f"{node.kind}{len(node.rows)}", cells)
        return generic(" ".join(node.ops), tuple(self.value(one) for one in node.args))

    def operation(self, node: Op) -> acb:
        """An operation on values."""
        name, args = node.name, node.args
        if (function := OF_VALUES.get(name)) is not None:
            return function(*map(self.value, args))
        if (handler := _HANDLERS.get(name)) is not None:
            return handler(self, *args)
        if name.startswith("big:"):
            return self.big(node)
        if self.in_plane and name in _CONJUGATES and len(args) == 1:
            return self.value(args[0]).conjugate()
        if name in _OF_STRUCTURES:
            return self.of_structures(node)
        if name.startswith("call:") or len(args) != 1:
            return generic(name, tuple(self.value(one) for one in args))
        inside = self.value(args[0])
        if name in _COMPLEX_PARTS and not self.in_plane and symbols(args[0]) - {"pi", "e", "i"}:
            return generic(name, (inside,))  # letters are tried at real points only
        if self.careful and name not in {"abs", "sqrt", "neg"}:
            size = abs(inside)
            self.negligible = self.negligible or bool(
                (size > 0 and size < arb(2) ** -60) or size > (_SATURATED if name in _SATURATING else arb(2) ** 40)
            )
        if name == "sqrt" and inside.imag == 0 and inside.real < 0:
            self.imaginary = True
        result = apply(name, inside)
        if not result.is_finite():
            raise UndefinedError
        return result

    def add(self, one: Node, other: Node) -> acb:
        """A sum; whether a term of it is lost is noticed when careful."""
        left, right = self.value(one), self.value(other)
        if self.careful and not self.negligible:
            a, b = abs(left), abs(right)
            self.negligible = bool((a > 0 and a < b * _TINY) or (b > 0 and b < a * _TINY))
        return left + right

    def root(self, one: Node, degree: Node) -> acb:
        """A root of any degree."""
        return self.power(one, Op("div", (Num(fmpq(1)), degree)))

    def logarithm(self, inside: Node) -> acb:
        """A logarithm of the base that is tried."""
        value = nonzero(self.value(inside)).log()
        return value / acb(self.log_base).log() if self.log_base else value

    def of_structures(self, node: Op) -> acb:
        """A function of whole numbers or matrices: its exact value, or a generic one."""
        exact = rational(node)
        if exact is not None:
            return acb(arb(exact))
        values = tuple(self.value(one) for one in node.args)
        return generic(node.name, power_sums(values) if node.name in {"gcd", "lcm"} else values)

    def power(self, base: Node, exponent: Node) -> acb:
        """Base ** exponent, after a look at how large it may be."""
        power = rational(exponent)
        below = self.value(base)
        if power is not None:
            if power.q % 2 == 0 and below.imag == 0 and below.real < 0:
                self.imaginary = True
            return raised(below, power)
        above = self.value(exponent)
        check_exponent(above)
        if isinstance(base, Sym) and base.name == "e":
            return above.exp()
        logarithm = nonzero(below).log() * above
        check_exponent(logarithm)
        return logarithm.exp()

    def big(self, node: Op) -> acb:
        """A sum, a product or an integral is a generic value of its limits and body."""
        low, high, *body = node.args
        self.terms += 1
        if self.terms > MAX_TERMS:
            raise LimitError(f"more than {MAX_TERMS} terms")
        bound: str | None = None
        start: Node = low
        if isinstance(low, Rel) and len(low.args) == 2 and isinstance(low.args[0], Sym):
            bound, start = low.args[0].name, low.args[1]
        if node.name.endswith("int") and len(body) == 1:
            integrand = _differential(body[0])
            if integrand is not None:
                body, bound = [integrand[0]], integrand[1]
        parts: list[acb] = [self.limit(start), self.limit(high)]
        outer = self.values
        for dummy in ("1", "2"):
            self.values = outer if bound is None else outer | {bound: generic("bound" + dummy, ())}
            parts.extend(self.value(one) for one in body)
        self.values = outer
        return generic(node.name, tuple(parts))

    def limit(self, node: Node) -> acb:
        """The value of a limit; infinity and words are generic."""
        if isinstance(node, Sym) and node.name == "oo":
            return generic("oo", ())
        if isinstance(node, (Op, Num, Sym, Rel, Seq)):
            return self.value(node)
        return generic(repr(node), ())


def power_sums(values: tuple[acb, ...]) -> tuple[acb, ...]:
    """Sums of powers, which do not depend on the order."""
    return tuple(sum((one**power for one in values), acb(0)) for power in range(1, len(values) + 1))


def _differential(body: Node) -> tuple[Node, str] | None:
    """(integrand, variable) of "... dx"."""
    if not (isinstance(body, Op) and body.name == "mul" and isinstance(body.args[1], Sym)):
        return None
    front, variable = body.args[0], body.args[1].name
    if isinstance(front, Op) and front.name == "mul" and front.args[1] == Sym("d"):
        return front.args[0], variable
    return None


_HANDLERS: dict[str, Callable[..., acb]] = {
    "add": Balls.add, "pow": Balls.power, "log": Balls.logarithm, "root": Balls.root,
}  # fmt: skip
"""Operations for which the values of their arguments are not enough."""
