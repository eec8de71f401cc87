"""LaTeX commands: fractions, roots, functions, sums and integrals, matrices and systems."""

from __future__ import annotations

import re
from collections.abc import Callable

from flint import fmpq

from rewardkit.math.latex.cursor import split_names
from rewardkit.math.latex.quantities import Quantities
from rewardkit.math.latex.scripts import derivative
from rewardkit.math.latex.tree import (
    EMPTY_SET,
    Matrix,
    Node,
    Num,
    Op,
    ParseError,
    Rel,
    Seq,
    Sym,
    Unit,
    Words,
)
from rewardkit.math.latex.vocabulary import (
    ACCENTS,
    BIG,
    BRACKET,
    CONSTANTS,
    FRACTIONS,
    FUNCTIONS,
    GREEK,
    RELATIONS,
    SAME_LETTER,
    TRANSPARENT,
    word_set,
)

_SYSTEMS = word_set("aligned align gathered split equation gather center eqnarray")
ENVIRONMENTS = _SYSTEMS | word_set(
    "pmatrix bmatrix matrix Bmatrix smallmatrix array vmatrix Vmatrix cases tabular rcases"
)
_FIXED: dict[str, Node] = {
    **dict.fromkeys(word_set("ldots dots cdots dotsc dotsb vdots ddots hdots"), Sym("...")),
    **dict.fromkeys(("emptyset", "varnothing"), EMPTY_SET),
    "nexists": Words("does not exist"),
}
_OF_SETS = word_set("max min gcd lcm sup inf")
_VECTORS = word_set("mathbf boldsymbol bm vec hat widehat mathrm overrightarrow")
_NUMBER_SETS = frozenset("NZQRC")
_SAME_ACCENT = {"bar": "overline", "widehat": "hat", "widetilde": "tilde"}
_ARITY = dict.fromkeys(word_set("abs sqrt floor ceil fact gamma exp ln log sin cos tan"), 1) | {"binom": 2}
_INVERSES = {one: f"a{one}" for one in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh")}
_BASES = {"log10": 10, "log2": 2}
_CLOSING_BARS = {"lvert": "rvert", "lVert": "rVert"}
_CASE = re.compile(r"(?:if|when|for|for all) ([a-z]) (?:is |are )?(even|odd|prime|rational|irrational)", re.IGNORECASE)


class Commands(Quantities):
    """LaTeX commands."""

    def command(self, name: str) -> Node:
        """What a LaTeX command stands for."""
        if name in _FIXED:
            return _FIXED[name]
        handler = _HANDLERS.get(name)
        if handler is not None:
            return handler(self, name)
        if name in BIG and self.at("="):
            return Words(name)
        if name in BIG and (name not in FUNCTIONS or self.at("_")):
            return self.big(name)
        if name in FUNCTIONS:
            return self.function(FUNCTIONS[name])
        if name in GREEK:
            return self.letter(SAME_LETTER.get(name, name))
        if name in TRANSPARENT:
            return self.styled(name)
        if name.startswith("bb:"):
            return self.letter(name[3:]) if name in {"bb:P", "bb:E"} and self.peek().text in {"(", "["} else Sym(name)
        if RELATIONS.get(name) in {"<=", ">=", "<", ">"}:
            return self.bound(RELATIONS[name])
        raise ParseError(f"unknown command \\{name}")

    def fraction(self, _: str) -> Node:
        """A fraction, or a derivative."""
        self.enter()
        top = self.braced(single=True)
        bottom = self.braced(single=True)
        self.leave()
        return derivative(top, bottom) or Op("div", (top, bottom))

    def binomial(self, _: str) -> Node:
        """A binomial coefficient."""
        top = self.braced()
        return Op("binom", (top, self.braced()))

    def constant(self, name: str) -> Node:
        """A constant; of a lone letter in brackets, the function that counts primes."""
        bracketed = name == "pi" and self.at("(") and self.peek(2).text == ")"
        if bracketed and self.peek(1).kind == "word" and len(self.peek(1).text) == 1:
            self.position += 1
            return Op("call:pi", self.arguments_of(")"))
        return Sym(CONSTANTS[name])

    def probability(self, _: str) -> Node:
        """The letter of a probability."""
        return self.letter("P")

    def sign(self, _: str) -> Node:
        """A plus-minus in front of a factor."""
        self.position -= 1
        return self.signed()

    def skipped(self, _: str) -> Node:
        """What stands behind a blank."""
        return self.primary()

    def opening(self, name: str) -> Node:
        """A bracket."""
        return self.bracket(BRACKET[name])

    def opening_bars(self, name: str) -> Node:
        """Bars."""
        return self.bars(_CLOSING_BARS.get(name, name))

    def rounded(self, name: str) -> Node:
        """A floor or a ceiling."""
        inside = self.sum()
        if self.take().text != ("rfloor" if name == "lfloor" else "rceil"):
            raise ParseError("a floor that does not close")
        return Op("floor" if name == "lfloor" else "ceil", (inside,))

    def figure(self, name: str) -> Node:
        """An angle or a triangle named by its corners; an angle may be read from either side."""
        corners = self.peek()
        if corners.kind != "word" or len(corners.text) != 3 or not corners.text.isupper():
            return self.letter(name)
        self.position += 1
        text = corners.text
        if name == "angle" and text[0] > text[-1]:
            text = text[::-1]
        return Op("call:" + name, tuple(map(Sym, text)))

    def accented(self, name: str) -> Node:
        """A bar, hat or tilde; a unit vector may have a hat."""
        inside = self.braced()
        if name in {"hat", "widehat"} and isinstance(inside, Sym) and inside.name in {"i", "j", "k"}:
            return inside
        return Op("call:" + _SAME_ACCENT.get(name, name), (inside,))

    def styled(self, name: str) -> Node:
        """What stands in another font or under an arrow; AB under an arrow is one name, which has a direction."""
        if name in {"bf", "it", "rm"} and not self.at("{"):  # a switch, not a command with an argument
            return self.primary()
        before = self.peek(-2).text
        inside = self.braced()
        if name in {"overrightarrow", "vec"} and isinstance(inside, Op) and inside.name == "mul":
            if all(isinstance(one, Sym) and one.name.isupper() for one in inside.args):
                return Op("call:vector", inside.args)
        elif isinstance(inside, Sym) and len(inside.name) == 1:
            if inside.name in _NUMBER_SETS and name in {"mathbf", "bold"} and before == "in":
                return Sym("bb:" + inside.name)
            if self.at("(") or (self.at("[") and inside.name in {"E", "P"}):
                return self.letter(inside.name)
        return inside

    def root(self, name: str) -> Node:
        r"""`\sqrt{x}`, `\sqrt[n]{x}`, `\cbrt{x}`."""
        degree = {"cbrt": Num(fmpq(3)), "qdrt": Num(fmpq(4))}.get(name)
        if degree is None and self.skip("["):
            degree = None if self.at("]") else self.sum()
            self.expect("]")
        self.enter()
        inside = (
            self.closed("}") if self.skip("{") else self.whole_token() if self.peek().kind == "num" else self.primary()
        )
        self.leave()
        return Op("sqrt", (inside,)) if degree is None else Op("root", (inside, degree))

    def function(self, name: str) -> Node:
        """A known function with its exponent, base and argument."""
        kind, text = self.peek()
        if name == "sqrt":
            return self.root(name)
        if name == "inf" and (kind == "eof" or (kind == "op" and text in {",", ")", "]"})):
            return Sym("oo")
        if name == "gamma" and not self.at("("):
            return self.letter("Gamma")
        if text in {"=", ":"} and kind == "op":
            return Words(name)
        exponent: Node | None = None
        base: Node | None = None
        while True:
            if exponent is None and self.skip("^"):
                exponent = self.signed() if self.at("-") else self.braced()
            elif base is None and self.skip("_"):
                base = self.whole_token(argument=name == "log")
            else:
                break
        self.enter()
        arguments = self.function_arguments(name)
        self.leave()
        if isinstance(exponent, Num) and exponent.value == -1 and name in _INVERSES:
            return Op(_INVERSES[name], arguments)
        node = _applied(name, base, arguments)
        return node if exponent is None else Op("pow", (node, exponent))

    def function_arguments(self, name: str) -> tuple[Node, ...]:
        """Bracketed arguments, or the factors that follow up to the next operator or function."""
        for opened, closed in (("(", ")"), ("[", "]"), ("{", "}")):
            if (opened != "{" or name in _OF_SETS) and self.skip(opened):
                return self.arguments_of(closed)
        if name in _OF_SETS and self.peek().text in {"\\{", "lbrace"}:
            node = self.primary()
            if isinstance(node, Seq) and not node.items:
                raise ParseError("a function of nothing")
            return node.items if isinstance(node, Seq) else (node,)
        negative = self.skip("-")
        node = self.power()
        while self.starts(0) and not self.argument_ends():
            if self.peek().kind == "num" and isinstance(node, Num):
                raise ParseError("two numbers side by side")
            node = Op("mul", (node, self.power()))
        return (Op("neg", (node,)) if negative else node,)

    def argument_ends(self) -> bool:
        r"""Whether a factor begins here that is no part of an argument without brackets: \sin x \cos x, \ln x e^x, \cos t \mathbf{i}."""
        kind, text = self.peek()
        if text in FUNCTIONS or text in BIG or text in {"(", "["} or kind == "begin":
            return True
        if kind == "word" and len(text) > 2 and split_names(text) is not None:
            return True
        return (text == "e" and self.peek(1).text == "^") or (kind == "cmd" and text in _VECTORS)

    def big(self, name: str) -> Node:
        r"""`\sum`, `\int`, `\lim` and their like: limits and a body, taken as they stand."""
        limits: dict[str, Node] = {}
        while self.at("_") or self.at("^"):
            mark = self.take().text
            limits[mark] = self.closed("}") if self.skip("{") else self.whole_token()
        if not limits and name in {"bigcup", "bigcap"}:
            raise ParseError(f"a bare {name}")
        self.enter()
        body = self.function_arguments(name) if name in FUNCTIONS else (self.term(),)
        self.leave()
        return Op("big:" + name, (limits.get("_", Words("")), limits.get("^", Words("")), *body))

    def environment(self, name: str) -> Node:
        """A matrix, a system, or cases between begin and end."""
        if name not in ENVIRONMENTS:
            raise ParseError(f"unknown environment {name}")
        if name in {"array", "tabular"} and self.at("{"):
            while not self.skip("}"):
                if self.take().kind == "eof":
                    raise ParseError("an array without end")
        self.enter()
        rows: list[tuple[Node, ...]] = []
        row: list[Node] = []
        while self.peek().kind != "end":
            if self.peek().kind == "eof":
                raise ParseError(f"{name} without end")
            if self.skip("\\\\"):
                if row:
                    rows.append(tuple(row))
                row = []
            else:
                self.cell(row)
        self.position += 1
        if row:
            rows.append(tuple(row))
        self.leave()
        return _environment(name, rows)

    def cell(self, row: list[Node]) -> None:
        """One cell of a row, or what stands between two."""
        kind, text = self.peek()
        if (kind == "op" and text in {"&", ",", ";", "."}) or (
            kind == "cmd" and text in {"hline", "quad", "qquad", "newline"}
        ):
            self.position += 1
        elif kind == "cond" and " " in text:
            self.position += 1
            match = _CASE.fullmatch(text)
            row.append(Unit(Sym(match[1]), match[2].lower()) if match is not None else Sym(text))
        elif kind in {"cond", "and"}:
            self.position += 1
            if text in {"otherwise", "else"} and row:
                row.append(Words("otherwise"))
        else:
            row.append(self.statement())


_HANDLERS: dict[str, Callable[[Commands, str], Node]] = {
    **dict.fromkeys(ACCENTS, Commands.accented),
    **dict.fromkeys(CONSTANTS, Commands.constant),
    **dict.fromkeys(FRACTIONS, Commands.fraction),
    **dict.fromkeys(("sqrt", "surd", "cbrt", "qdrt"), Commands.root),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), Commands.binomial),
    **dict.fromkeys(("pm", "mp"), Commands.sign),
    **dict.fromkeys(("lbrace", "langle", "lbrack", "lparen"), Commands.opening),
    **dict.fromkeys(("lvert", "lVert", "vert", "Vert"), Commands.opening_bars),
    **dict.fromkeys(("lfloor", "lceil"), Commands.rounded),
    **dict.fromkeys(("angle", "triangle"), Commands.figure),
    **dict.fromkeys(("quad", "qquad"), Commands.skipped),
    "Pr": Commands.probability,
}


def _applied(name: str, base: Node | None, arguments: tuple[Node, ...]) -> Node:
    """A function of its arguments."""
    if name == "log" and base is not None:
        return Op("logb", (base, *arguments))
    if base is not None:
        return Op(f"call:{name}_", (base, *arguments))
    if name in _BASES:
        return Op("logb", (Num(fmpq(_BASES[name])), *arguments))
    if name == "det" and len(arguments) == 1 and isinstance(arguments[0], Matrix):
        return Matrix("det", arguments[0].rows)
    if len(arguments) != _ARITY.get(name, len(arguments)):
        raise ParseError(f"{name} of {len(arguments)} arguments")
    if name == "cis" and len(arguments) == 1:
        return Op("add", (Op("cos", arguments), Op("mul", (Sym("i"), Op("sin", arguments)))))
    return Op(name, arguments)


def _environment(name: str, rows: list[tuple[Node, ...]]) -> Node:
    """Rows of cells as a matrix, as cases, or as a list of equations."""
    single = bool(rows) and all(len(one) == 1 and isinstance(one[0], Rel) for one in rows)
    if name in _SYSTEMS or (single and name in {"cases", "array"}):
        flat = tuple(cell for one in rows for cell in one)
        return flat[0] if len(flat) == 1 else Seq("", "", flat, both=all(isinstance(one, Rel) for one in flat))
    if not rows or len({len(one) for one in rows}) != 1:
        raise ParseError("rows of different length")
    if name in {"array", "tabular"} and len(rows) == len(rows[0]) == 1:
        return rows[0][0]
    kind = "cases" if "cases" in name else "det" if name in {"vmatrix", "Vmatrix"} else "matrix"
    return Matrix(kind, tuple(rows))
