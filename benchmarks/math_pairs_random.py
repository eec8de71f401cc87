"""Labelled pairs from random expressions: trees of our own, printed in random dress, rewritten or changed in one place.

A tree is a tuple: ("n", Fraction), ("x", letter), ("+", a, b), ("-", a, b), ("*", a, b), ("/", a, b), ("^", a, k),
("sqrt", a), ("neg", a), ("sin", a), ("cos", a), ("ln", a), ("exp", a), ("pi",). Its value is computed by SymPy from the
tree, never from the printed text, so the printer and the value are independent.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import sympy

from benchmarks.math_cases import Case, category, same

Tree = tuple[Any, ...]
LETTERS = ["x", "y", "a", "b", "n", "t", "k", "m"]


# -- making and changing trees -----------------------------------------------------------------------------------------


def number_tree(rng: Random, depth: int) -> Tree:
    """A random constant expression."""
    if depth == 0 or rng.random() < 0.2:
        kind = rng.random()
        if kind < 0.62:
            return ("n", Fraction(rng.randint(1, 20)))
        if kind < 0.78:
            return ("n", Fraction(rng.randint(1, 12), rng.randint(2, 9)))
        if kind < 0.9:
            return ("sqrt", ("n", Fraction(rng.choice([2, 3, 5, 6, 7, 10]))))
        return ("pi",)
    op = rng.choice(
        ["+", "+", "-", "*", "*", "/", "^", "neg", "sqrt", "ln"] if depth > 1 else ["+", "-", "*", "/", "^"]
    )
    if op == "^":
        return ("^", number_tree(rng, depth - 1), rng.randint(2, 3))
    if op in ("sqrt", "ln"):
        return (op, ("n", Fraction(rng.randint(2, 30))))
    if op == "neg":
        return ("neg", number_tree(rng, depth - 1))
    return (op, number_tree(rng, depth - 1), number_tree(rng, depth - 1))


def letter_tree(rng: Random, depth: int, letters: list[str]) -> Tree:
    """A random expression with letters."""
    if depth == 0 or rng.random() < 0.15:
        return ("x", rng.choice(letters)) if rng.random() < 0.62 else ("n", Fraction(rng.randint(1, 12)))
    op = rng.choice(["+", "+", "-", "*", "*", "/", "^", "neg", "sin", "cos", "exp", "sqrt"])
    if op == "^":
        return ("^", letter_tree(rng, depth - 1, letters), rng.randint(2, 4))
    if op in ("sin", "cos", "exp"):
        return (op, ("*", ("n", Fraction(rng.randint(1, 5))), ("x", rng.choice(letters))))
    if op == "sqrt":
        return ("sqrt", ("+", ("^", ("x", rng.choice(letters)), 2), ("n", Fraction(rng.randint(1, 9)))))
    if op == "neg":
        return ("neg", letter_tree(rng, depth - 1, letters))
    return (op, letter_tree(rng, depth - 1, letters), letter_tree(rng, depth - 1, letters))


def value(tree: Tree) -> Any:
    """The tree's value as a SymPy expression."""
    op = tree[0]
    if op == "n":
        return sympy.Rational(tree[1].numerator, tree[1].denominator)
    if op == "x":
        return sympy.Symbol(tree[1])
    if op == "pi":
        return sympy.pi
    if op == "^":
        return value(tree[1]) ** tree[2]
    parts = [value(part) for part in tree[1:]]
    return {
        "+": lambda: parts[0] + parts[1],
        "-": lambda: parts[0] - parts[1],
        "*": lambda: parts[0] * parts[1],
        "/": lambda: parts[0] / parts[1],
        "neg": lambda: -parts[0],
        "sqrt": lambda: sympy.sqrt(parts[0]),
        "sin": lambda: sympy.sin(parts[0]),
        "cos": lambda: sympy.cos(parts[0]),
        "ln": lambda: sympy.log(parts[0]),
        "exp": lambda: sympy.exp(parts[0]),
    }[op]()


def rewritten(rng: Random, tree: Tree) -> Tree:
    """Another tree of the same value: parts swapped, moved, multiplied out, doubled and halved."""
    op = tree[0]
    if op in ("n", "x", "pi"):
        kind = rng.randrange(6)
        if kind == 0:
            k = Fraction(rng.randint(2, 6))
            return ("/", ("*", ("n", k), tree), ("n", k))
        if kind == 1:
            k = Fraction(rng.randint(1, 9))
            return ("-", ("+", tree, ("n", k)), ("n", k))
        return tree
    if op == "^":
        inner = rewritten(rng, tree[1])
        if rng.random() < 0.3:
            return ("*", inner, inner) if tree[2] == 2 else ("*", inner, ("^", inner, tree[2] - 1))
        return ("^", inner, tree[2])
    parts = [rewritten(rng, part) for part in tree[1:]]
    if op in ("+", "*") and rng.random() < 0.5:
        return (op, parts[1], parts[0])
    if op == "-" and rng.random() < 0.4:
        return ("neg", ("-", parts[1], parts[0]))
    if op == "-" and rng.random() < 0.4:
        return ("+", ("neg", parts[1]), parts[0])
    if op == "*" and parts[1][0] in ("+", "-") and rng.random() < 0.5:
        return (parts[1][0], ("*", parts[0], parts[1][1]), ("*", parts[0], parts[1][2]))
    if op == "/" and parts[0][0] in ("+", "-") and rng.random() < 0.4:
        return (parts[0][0], ("/", parts[0][1], parts[1]), ("/", parts[0][2], parts[1]))
    if op == "/" and rng.random() < 0.3:
        return ("*", parts[0], ("/", ("n", Fraction(1)), parts[1]))
    return (op, *parts)


def changed(rng: Random, tree: Tree) -> Tree:
    """The tree with one leaf or operation changed; the caller checks that the value did change."""
    spots = _spots(tree)
    path, node = rng.choice(spots)
    op = node[0]
    if op == "n":
        new: Tree = ("n", node[1] + rng.choice([1, -1, 2, 10]))
    elif op == "x":
        new = ("x", rng.choice([letter for letter in LETTERS if letter != node[1]]))
    elif op == "pi":
        new = ("n", Fraction(22, 7))
    elif op == "^":
        new = ("^", node[1], node[2] + 1)
    elif op in ("+", "-", "*", "/"):
        new = (rng.choice([o for o in "+-*/" if o != op]), node[1], node[2])
    elif op == "neg":
        new = node[1]
    else:
        new = ({"sin": "cos", "cos": "sin", "ln": "sqrt", "sqrt": "ln", "exp": "sin"}[op], node[1])
    return _with(tree, path, new)


def _spots(tree: Tree, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Tree]]:
    out = [(path, tree)]
    for i, part in enumerate(tree[1:], start=1):
        if isinstance(part, tuple):
            out += _spots(part, (*path, i))
    return out


def _with(tree: Tree, path: tuple[int, ...], new: Tree) -> Tree:
    if not path:
        return new
    return (*tree[: path[0]], _with(tree[path[0]], path[1:], new), *tree[path[0] + 1 :])


# -- printing ----------------------------------------------------------------------------------------------------------

RANK = {"+": 1, "-": 1, "neg": 1, "*": 2, "/": 2, "^": 4}


class Printer:
    """One dress: how this text writes fractions, products, brackets and functions."""

    def __init__(self, rng: Random, *, plain: bool = False) -> None:
        self.rng = rng
        self.plain = plain
        self.fraction = rng.choice(["\\frac", "\\dfrac", "\\frac", "\\tfrac"])
        self.times = rng.choice([" \\cdot ", "\\cdot ", " \\times "])
        self.left, self.right = rng.choice([("(", ")"), ("\\left(", "\\right)")])
        self.space = rng.choice([" ", "", " "])
        self.call = rng.choice(["(", " ("])
        self.implicit = rng.random() < 0.6
        if plain:
            self.times, self.left, self.right = "*", "(", ")"

    def text(self, tree: Tree) -> str:
        op = tree[0]
        if op == "n":
            return self._number(tree[1])
        if op == "x":
            return tree[1]
        if op == "pi":
            return "pi" if self.plain else "\\pi"
        if op in ("+", "-"):
            right = self._wrap(tree[2], 2, also=("neg",))
            return f"{self.text(tree[1])}{self.space}{op}{self.space}{right}"
        if op == "neg":
            return f"-{self._wrap(tree[1], 2)}"
        if op == "*":
            first, second = self._wrap(tree[1], 2), self._wrap(tree[2], 3, also=("neg",))
            joined = " " if second[0].isalpha() and first[-1].isalpha() else ""
            return first + (joined if self._joins(first, second) else self.times) + second
        if op == "/":
            if self.plain:
                return f"{self._wrap(tree[1], 2)}/{self._wrap(tree[2], 3)}"
            return f"{self.fraction}{{{self.text(tree[1])}}}{{{self.text(tree[2])}}}"
        if op == "^":
            power = f"{tree[2]}" if self.rng.random() < 0.5 else f"{{{tree[2]}}}"
            return f"{self._wrap(tree[1], 5)}{'**' if self.plain else '^'}{tree[2] if self.plain else power}"
        inner = self.text(tree[1])
        if self.plain:
            return f"{op}({inner})"
        if op == "sqrt":
            return f"\\sqrt{{{inner}}}"
        if op == "exp":
            return f"e^{{{inner}}}"
        return f"\\{op}{self.left}{inner}{self.right}"

    def _joins(self, first: str, second: str) -> bool:
        """Whether a product may be written side by side: no digit, fraction or letter-bracket pair meets."""
        if (
            self.plain
            or not self.implicit
            or second[0].isdigit()
            or second.startswith(("\\frac", "\\dfrac", "\\tfrac", "-"))
        ):
            return False
        if second.startswith(("(", "\\left(")):
            return first[-1].isdigit() or first[-1] == ")"
        return first[-1].isalnum() or first[-1] in ")}"

    def _number(self, number: Fraction) -> str:
        if number.denominator == 1:
            return str(number.numerator)
        if self.plain:
            return f"({number.numerator}/{number.denominator})"
        sign = "-" if number < 0 else ""
        return f"{sign}{self.fraction}{{{abs(number.numerator)}}}{{{number.denominator}}}"

    def _wrap(self, tree: Tree, rank: int, also: tuple[str, ...] = ()) -> str:
        text = self.text(tree)
        own = RANK.get(tree[0], 9)
        if tree[0] == "/" and not self.plain and rank <= 3:
            own = 9
        if tree[0] == "n" and (tree[1] < 0 or (tree[1].denominator > 1 and rank > 3)):
            own = 1
        if tree[0] == "exp" and rank > 3:
            own = 1
        if own < rank or tree[0] in also:
            return f"{self.left}{text}{self.right}"
        return text


def _case(rng: Random, tree: Tree, *, plain: bool = False) -> Case | None:
    worth = value(tree)
    if worth.has(sympy.zoo, sympy.nan, sympy.oo) or worth.has(sympy.I) or len(str(worth)) > 200:
        return None
    if worth.is_number and (abs(complex(sympy.N(worth))) > 1e9 or abs(complex(sympy.N(worth))) < 1e-6):
        return None
    case = Case(Printer(rng).text(tree), worth)
    for _ in range(3):
        twin = rewritten(rng, tree)
        twin_value = value(twin)
        if twin_value.has(sympy.zoo, sympy.nan):
            continue
        case.yes(Printer(rng, plain=plain).text(twin), "rewritten", twin_value)
    case.yes(Printer(rng, plain=plain).text(tree), "other dress")
    for _ in range(8):
        bad = changed(rng, rewritten(rng, tree) if rng.random() < 0.5 else tree)
        bad_value = value(bad)
        if bad_value.has(sympy.zoo, sympy.nan, sympy.oo) or same(bad_value, worth):
            continue
        case.no(Printer(rng, plain=plain).text(bad), bad_value, "one thing changed")
    return case


def _until(rng: Random, make: Any, *, plain: bool = False) -> Case:
    while True:
        case = _case(rng, make(), plain=plain)
        if case is not None and case.right and case.wrong:
            return case


@category("random_number")
def random_number(rng: Random) -> Case:
    return _until(rng, lambda: number_tree(rng, rng.choice([1, 2, 2, 3])))


@category("random_number_plain_text")
def random_number_plain_text(rng: Random) -> Case:
    return _until(rng, lambda: number_tree(rng, rng.choice([1, 2, 2])), plain=True)


@category("random_expression")
def random_expression(rng: Random) -> Case:
    letters = rng.sample(LETTERS, rng.choice([1, 2, 3]))
    return _until(rng, lambda: letter_tree(rng, rng.choice([2, 2, 3]), letters))


@category("random_expression_plain_text")
def random_expression_plain_text(rng: Random) -> Case:
    letters = rng.sample(LETTERS, rng.choice([1, 2]))
    return _until(rng, lambda: letter_tree(rng, 2, letters), plain=True)


@category("random_entries")
def random_entries(rng: Random) -> Case:
    """Tuples, sets, intervals' ends and matrices whose entries are random numbers."""
    trees: list[Tree] = []
    values: list[Any] = []
    while len(trees) < 3:
        tree = number_tree(rng, rng.choice([0, 1, 1, 2]))
        worth = value(tree)
        if worth.is_real and abs(float(worth)) < 1e6 and not any(same(worth, v) for v in values):
            trees.append(tree)
            values.append(worth)
    kind = rng.choice(["tuple", "set", "list", "matrix"])

    def text(items: list[Tree], printer: Printer) -> str:
        cells = [printer.text(item) for item in items]
        if kind == "tuple":
            return f"{printer.left}{', '.join(cells)}{printer.right}"
        if kind == "set":
            return "\\{" + ", ".join(cells) + "\\}"
        if kind == "list":
            return ", ".join(cells)
        return "\\begin{pmatrix} " + " \\\\ ".join(cells) + " \\end{pmatrix}"

    ordered = kind in ("tuple", "matrix")
    key: Any = tuple(values) if ordered else frozenset(values)
    case = Case(text(trees, Printer(rng)), key)
    for _ in range(3):
        twins = [rewritten(rng, tree) for tree in trees]
        if any(value(twin).has(sympy.zoo, sympy.nan) for twin in twins):
            continue
        if not ordered:
            rng.shuffle(twins)
        case.yes(text(twins, Printer(rng)), "entries rewritten")
    for _ in range(4):
        bad = list(trees)
        at = rng.randrange(3)
        bad[at] = changed(rng, bad[at])
        worths = [value(tree) for tree in bad]
        if any(w.has(sympy.zoo, sympy.nan) for w in worths) or any(same(worths[at], v) for v in values):
            continue
        case.no(text(bad, Printer(rng)), tuple(worths) if ordered else frozenset(worths), "an entry changed")
    if ordered:
        case.no(text(trees[1:] + trees[:1], Printer(rng)), tuple(values[1:] + values[:1]), "turned")
    case.no(text(trees[:2], Printer(rng)), tuple(values[:2]) if ordered else frozenset(values[:2]), "one lost")
    return case
