"""Values with proven error bounds (python-flint's complex balls). Magnitude is bounded before anything is computed."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping

from flint import acb, arb, fmpq, fmpz

from rewardkit.math.exact import rational
from rewardkit.math.tree import LimitError, Matrix, Node, Num, Op, ParseError, Rel, Seq, Sym, Unit
from rewardkit.math.vocabulary import word_set
from rewardkit.math.walk import symbols

_TINY = arb(2) ** -100
_NARROW = arb(2) ** -160

MAX_EXPONENT_BITS = 62
"""No power with an exponent beyond 2**62."""

MAX_FACTORIAL_BITS = 40
"""No factorial beyond (2**40)!."""

MAX_SUM_TERMS = 200
"""Finite sums and products of at most so many terms are computed."""

MAX_TERMS = 1_000
"""Sums within sums: so many terms in all."""

MAX_SYMBOLIC_TERMS = 50
"""Of at most so many terms where a limit is a letter, which is tried at many whole numbers."""


class UndefinedError(ValueError):
    """The expression has no value at this point."""


class Balls:
    """Evaluate trees at one point. Unknown functions get fixed generic values, so that equal arguments give equal values."""

    def __init__(
        self, values: Mapping[str, acb], *, log_base: int = 0, careful: bool = False, in_plane: bool = False
    ) -> None:
        self.values = dict(values)
        self.in_plane = in_plane
        """Whether letters have complex values, so that bars and stars are conjugates."""
        self.log_base = log_base
        self.careful = careful
        self.terms = 0
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
        if name == "pi":
            return acb(arb.pi())
        if name == "e":
            return acb(arb(1).exp())
        if name == "i":
            return acb(0, 1)
        if name == "oo":
            raise UndefinedError
        return generic(name, ())

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
        if name == "add":
            left, right = self.value(args[0]), self.value(args[1])
            if self.careful and not self.negligible:
                a, b = abs(left), abs(right)
                self.negligible = bool((a > 0 and a < b * _TINY) or (b > 0 and b < a * _TINY))
            return left + right
        if name == "mul":
            return self.value(args[0]) * self.value(args[1])
        if name == "neg":
            return -self.value(args[0])
        if name == "div":
            return _divide(self.value(args[0]), self.value(args[1]))
        if name == "pow":
            return self.power(args[0], args[1])
        if name == "pct":
            return self.value(args[0]) / 100
        if name == "deg":
            return self.value(args[0]) * acb(arb.pi()) / 180
        if name.startswith("big:"):
            return self.big(node)
        if self.in_plane and name in _CONJUGATES and len(args) == 1:
            return self.value(args[0]).conjugate()
        if name.startswith("call:"):
            return generic(name, tuple(self.value(one) for one in args))
        if name == "log":
            value = _nonzero(self.value(args[0])).log()
            return value / acb(self.log_base).log() if self.log_base else value
        if name == "logb":
            return _divide(_nonzero(self.value(args[1])).log(), _nonzero(self.value(args[0])).log())
        if name in {"max", "min"}:
            return self.extreme(name, args)
        if name == "binom":
            return _binomial(self.value(args[0]), self.value(args[1]))
        if name == "root":
            return self.power(args[0], Op("div", (Num(fmpq(1)), args[1])))
        if name == "mod":
            top, bottom = self.value(args[0]), self.value(args[1])
            return top - bottom * _floor(_divide(top, bottom))
        if name in {"gcd", "lcm", "rank", "det", "dim", "ker", "tr", "sup", "inf"}:
            exact = rational(node)
            if exact is not None:
                return acb(arb(exact))
            values = tuple(self.value(one) for one in args)
            return generic(name, _symmetric(values) if name in {"gcd", "lcm"} else values)
        if len(args) != 1:
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
        result = _unary(name, inside)
        if not result.is_finite():
            raise UndefinedError
        return result

    def power(self, base: Node, exponent: Node) -> acb:
        """Base ** exponent, after a look at how large it may be."""
        power = rational(exponent)
        below = self.value(base)
        if power is not None:
            if power.q % 2 == 0 and below.imag == 0 and below.real < 0:
                self.imaginary = True
            return _rational_power(below, power)
        above = self.value(exponent)
        if below == 0:
            if above.real > 0:
                return acb(0)
            raise UndefinedError
        _check_exponent(above)
        if isinstance(base, Sym) and base.name == "e":
            return above.exp()
        integer = above.real.unique_fmpz() if above.imag == 0 and above.real.is_exact() else None
        if integer is not None and above.real == integer:
            return _rational_power(below, fmpq(integer))
        logarithm = _nonzero(below).log() * above
        _check_exponent(logarithm)
        return logarithm.exp()

    def extreme(self, name: str, args: tuple[Node, ...]) -> acb:
        """The largest or smallest of real values."""
        found = self.value(args[0])
        for one in args[1:]:
            value = self.value(one)
            if not (found.imag == 0 and value.imag == 0):
                raise UndefinedError
            if bool(value.real > found.real) == (name == "max") and not value.overlaps(found):
                found = value
        return found

    def big(self, node: Op) -> acb:
        """A finite sum or product is computed; every other one is a generic value of its limits and body."""
        low, high, *body = node.args
        name = node.name[4:]
        self.count()
        bound: str | None = None
        start: Node = low
        if isinstance(low, Rel) and len(low.args) == 2 and isinstance(low.args[0], Sym):
            bound, start = low.args[0].name, low.args[1]
        if name.endswith("int") and len(body) == 1:
            integrand = _differential(body[0])
            if integrand is not None:
                body, bound = [integrand[0]], integrand[1]
        if bound is not None and name in {"sum", "prod"}:
            first, last = self.whole(start), self.whole(high)
            if (
                first is not None
                and last is not None
                and symbols(start) | symbols(high)
                and not -1 <= last - first <= MAX_SYMBOLIC_TERMS
            ):
                raise UndefinedError
            if (
                first is not None
                and last is not None
                and first.q == 1
                and last.q == 1
                and -1 <= last - first < MAX_SUM_TERMS
            ):
                return self.finite(name, bound, int(first.p), int(last.p), body[0])
        kept = self.values.get(bound) if bound is not None else None
        parts: list[acb] = [self.limit(start), self.limit(high)]
        for dummy in ("1", "2"):
            if bound is not None:
                self.values[bound] = generic("bound" + dummy, ())
            parts.extend(self.value(one) for one in body)
        if bound is not None:
            if kept is None:
                del self.values[bound]
            else:
                self.values[bound] = kept
        return generic(node.name, tuple(parts))

    def count(self) -> None:
        """One more term of a sum, nested ones included. Raises LimitError beyond MAX_TERMS."""
        self.terms += 1
        if self.terms > MAX_TERMS:
            raise LimitError(f"more than {MAX_TERMS} terms")

    def whole(self, node: Node) -> fmpq | None:
        """The exact value of a limit that is a rational constant, or a whole number at this point."""
        exact = rational(node)
        if exact is not None or not isinstance(node, (Sym, Op)) or node == Sym("oo"):
            return exact
        value = self.value(node)
        integer = value.real.unique_fmpz() if value.imag == 0 and value.real.is_exact() else None
        return fmpq(integer) if integer is not None and value.real == integer else None

    def limit(self, node: Node) -> acb:
        """The value of a limit; infinity and words are generic."""
        if isinstance(node, Sym) and node.name == "oo":
            return generic("oo", ())
        if isinstance(node, (Op, Num, Sym, Rel, Seq)):
            return self.value(node)
        return generic(repr(node), ())

    def finite(self, name: str, bound: str, first: int, last: int, body: Node) -> acb:
        """A sum or product of few terms."""
        kept = self.values.get(bound)
        total = acb(0) if name == "sum" else acb(1)
        for index in range(first, last + 1):
            self.count()
            self.values[bound] = acb(index)
            term = self.value(body)
            total = total + term if name == "sum" else total * term
        if kept is None:
            self.values.pop(bound, None)
        else:
            self.values[bound] = kept
        return total


def _differential(body: Node) -> tuple[Node, str] | None:
    """(integrand, variable) of "... dx"."""
    if not (isinstance(body, Op) and body.name == "mul" and isinstance(body.args[1], Sym)):
        return None
    front, variable = body.args[0], body.args[1].name
    if front == Sym("d"):
        return Num(fmpq(1)), variable
    if isinstance(front, Op) and front.name == "mul" and front.args[1] == Sym("d"):
        return front.args[0], variable
    return None


def generic(name: str, args: tuple[acb, ...]) -> acb:
    """The value of an unknown function: a cubic with coefficients that the name fixes."""
    seed = zlib.crc32(name.encode()) or 1
    total = acb(arb(fmpq(seed % 9973 + 17, 1009)))
    for index, one in enumerate(args):
        seed = (seed * 1103515245 + 12345 + index) % 2147483647
        total += one * (
            arb(fmpq(seed % 997 + 3, 311)) + one * (arb(fmpq(seed % 89 + 2, 97)) + one * arb(fmpq(seed % 53 + 1, 211)))
        )
    return total


def _symmetric(values: tuple[acb, ...]) -> tuple[acb, ...]:
    """Sums of powers, which do not depend on the order."""
    return tuple(sum((one**power for one in values), acb(0)) for power in range(1, len(values) + 1))


def _divide(top: acb, bottom: acb) -> acb:
    if bottom.contains(0):
        raise UndefinedError
    return top / bottom


def _nonzero(value: acb) -> acb:
    if value.contains(0):
        raise UndefinedError
    return value


def _check_exponent(value: acb) -> None:
    size = abs(value)
    if not size < arb(2) ** MAX_EXPONENT_BITS:
        raise LimitError("an exponent that is too large")


def _rational_power(base: acb, power: fmpq) -> acb:
    if int(abs(power.p)).bit_length() > MAX_EXPONENT_BITS:
        raise LimitError("an exponent that is too large")
    if base == 0:
        if power > 0:
            return acb(0)
        if power == 0:
            return acb(1)
        raise UndefinedError
    if power.q == 1:
        if power < 0:
            return 1 / _nonzero(base) ** fmpz(-power.p)
        return base ** fmpz(power.p)
    if power.q == 2:
        rooted = base.sqrt()
        return _rational_power(rooted, fmpq(power.p))
    if base.imag == 0 and base.real < 0 and power.q % 2 == 1:
        rooted = (-base).root(int(power.q)) if power.q < 1000 else (-base) ** acb(arb(fmpq(1, power.q)))
        return _rational_power(-rooted, fmpq(power.p))
    return _nonzero(base) ** acb(arb(power))


def _floor(value: acb) -> acb:
    if value.imag != 0:
        raise UndefinedError
    down = value.real.floor()
    if not down.is_exact():  # log_2 8 is a ball around 3
        whole = value.real.unique_fmpz()
        if whole is None or not value.real.rad() < _NARROW:
            raise UndefinedError
        return acb(arb(whole))
    return acb(down)


def _binomial(top: acb, bottom: acb) -> acb:
    for one in (top, bottom):
        if not abs(one) < arb(2) ** MAX_FACTORIAL_BITS:
            raise LimitError("a binomial that is too large")
    if top.imag == 0 and bottom.imag == 0:
        n, k = top.real.unique_fmpz(), bottom.real.unique_fmpz()
        if n is not None and k is not None and top.real == n and bottom.real == k and 0 <= n <= 8_000:
            return acb(arb(math.comb(int(n), int(k)))) if k >= 0 else acb(0)
    value = (top + 1).gamma() / ((bottom + 1).gamma() * (top - bottom + 1).gamma())
    if not value.is_finite():
        raise UndefinedError
    return value


def _unary(name: str, x: acb) -> acb:
    if name == "sqrt":
        return x.sqrt()
    if name == "abs":
        return acb(abs(x))
    if name in {"fact", "gamma"}:
        if not abs(x) < arb(2) ** MAX_FACTORIAL_BITS:
            raise LimitError("a factorial that is too large")
        return (x + 1).gamma() if name == "fact" else x.gamma()
    if name == "dfact":
        integer = x.real.unique_fmpz() if x.imag == 0 else None
        if integer is None or not 0 <= integer <= 2_000:
            return generic("dfact", (x,))
        return acb(arb(_double_factorial(int(integer))))
    if name == "floor":
        return _floor(x)
    if name == "ceil":
        return -_floor(-x)
    if name in {"exp", "sinh", "cosh", "tanh", "coth", "sech", "csch", "sin", "cos", "tan", "cot", "sec", "csc"}:
        _check_exponent(x)
    if name in _INVERSE_OF:
        return _unary(_INVERSE_OF[name], 1 / _nonzero(x))
    if name == "acot" and x.real > 0:  # below 0, authors differ
        return acb(arb.pi() / 2) - x.atan()
    method = getattr(x, name, None) if name in _METHODS else None
    if method is not None:
        result: acb = method()
        return result
    if name == "ln":
        return _nonzero(x).log()
    if name in {"Re", "Im"}:
        return acb(x.real if name == "Re" else x.imag)
    if name == "conj":
        return x.conjugate()
    if name == "sgn":
        return acb(x.real.sgn())
    if name == "arg":
        return acb(x.arg())
    if name in {"max", "min"}:
        return x
    return generic(name, (x,))


_SATURATING = frozenset({"tanh", "coth", "erf", "zeta"})
_SATURATED = arb(30)
"""Beyond this, such functions are 1 but for less than can be seen."""

_CONJUGATES = frozenset({"call:overline", "call:^*"})
_COMPLEX_PARTS = frozenset({"Re", "Im", "conj", "arg"})
_METHODS = word_set(
    "exp sin cos tan cot sec csc sinh cosh tanh coth sech csch asin acos atan asinh acosh atanh erf zeta"
)
_INVERSE_OF = {"asec": "acos", "acsc": "asin"}


def _double_factorial(n: int) -> int:
    total = 1
    while n > 1:
        total *= n
        n -= 2
    return total
