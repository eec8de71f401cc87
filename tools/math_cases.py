"""The ground of the labelled pairs: what a case is, how labels are proved, how an answer becomes a completion.

A category draws a `Case` from a random generator: a gold text with its value, right answers (other texts for the same
value) and wrong answers (texts whose value differs). Values are given beside the texts, as fractions, SymPy
expressions of our own or nested tuples of them, and `prove` checks that each right value equals the gold's and that each
wrong one does not, before a pair is let out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

import sympy

SAME: Any = object()
"""Stands for "the value of the gold" in a right form."""


@dataclass(frozen=True)
class Form:
    """One way to write an answer (or a whole response): the text, what it is worth, and what was done to it."""

    text: str
    value: Any
    why: str


@dataclass
class Case:
    """A gold with right and wrong answers; `raw` forms are whole completions, others go into a box.

    `unjudged` marks a gold that is itself broken: nothing may be accepted against it and a verifier should say so.
    """

    gold: Any
    value: Any
    right: list[Form] = field(default_factory=list)
    wrong: list[Form] = field(default_factory=list)
    raw: bool = False
    unjudged: bool = False

    def yes(self, text: str, why: str, value: Any = SAME) -> None:
        self.right.append(Form(text, self.value if value is SAME else value, why))

    def no(self, text: str, value: Any, why: str) -> None:
        self.wrong.append(Form(text, value, why))


Draw = Callable[[Random], Case]
CATEGORIES: dict[str, Draw] = {}
HOSTILE: set[str] = set()


def category(name: str, *, hostile: bool = False) -> Callable[[Draw], Draw]:
    """Register a category; hostile ones are left out of the speed figures for ordinary answers."""

    def register(draw: Draw) -> Draw:
        if name in CATEGORIES:
            raise ValueError(f"category {name!r} is there already")
        CATEGORIES[name] = draw
        if hostile:
            HOSTILE.add(name)
        return draw

    return register


def same(left: Any, right: Any) -> bool:
    """Whether two of our own values are equal: exact for numbers and texts, at random points for expressions."""
    if isinstance(left, (tuple, list)) or isinstance(right, (tuple, list)):
        return (
            isinstance(left, (tuple, list))
            and isinstance(right, (tuple, list))
            and len(left) == len(right)
            and all(same(a, b) for a, b in zip(left, right, strict=True))
        )
    if isinstance(left, frozenset) or isinstance(right, frozenset):
        return (
            isinstance(left, frozenset)
            and isinstance(right, frozenset)
            and len(left) == len(right)
            and all(any(same(a, b) for b in right) for a in left)
        )
    if isinstance(left, sympy.Basic) or isinstance(right, sympy.Basic):
        return _same_expression(left, right)
    return bool(left == right)


def _same_expression(left: Any, right: Any) -> bool:
    if isinstance(left, str) or isinstance(right, str) or left is None or right is None:
        return False
    difference = _expression(left) - _expression(right)
    if difference == 0:
        return True
    points = Random(7)
    for _ in range(3):
        at = {s: sympy.Rational(points.randint(200, 900), 1009) for s in sorted(difference.free_symbols, key=str)}
        size = sympy.N(difference.subs(at), 40)
        if not size.is_number or abs(complex(size)) > 1e-25:
            return False
    return True


def _expression(value: Any) -> Any:
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.sympify(value) if isinstance(value, (int, float)) else value


def prove(case: Case) -> None:
    """Check the labels of a case by its values.

    A right form with another value is a slip of the generator and an error; a change that happened to keep the value
    (2 \\ln 2 is \\ln 4) is dropped.
    """
    for form in case.right:
        if not same(form.value, case.value):
            raise AssertionError(f"labelled right but {form.value!r} is not {case.value!r}: {form}")
    case.wrong = [form for form in case.wrong if not same(form.value, case.value)]


# -- small writers ---------------------------------------------------------------------------------------------------


def tex(value: Fraction | int, style: str = "frac") -> str:
    """A rational in LaTeX, sign in front."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    if style == "slash":
        return f"{sign}{abs(value.numerator)}/{value.denominator}"
    return f"{sign}\\{style}{{{abs(value.numerator)}}}{{{value.denominator}}}"


def signed(value: int, *, first: bool = False) -> str:
    """An integer with its sign, for use inside a sum: ' + 3', ' - 3'; alone at the front: '3', '-3'."""
    if first:
        return str(value)
    return f" + {value}" if value >= 0 else f" - {-value}"


def term(coefficient: int, power: str, *, first: bool = False) -> str:
    """A term of a polynomial; a coefficient of one is not written, zero gives nothing."""
    if coefficient == 0:
        return ""
    size = abs(coefficient)
    body = (str(size) if size != 1 or not power else "") + power
    if first:
        return ("-" if coefficient < 0 else "") + body
    return (" - " if coefficient < 0 else " + ") + body


def polynomial(coefficients: list[int], letter: str = "x") -> str:
    """A polynomial from its coefficients, highest power first."""
    degree = len(coefficients) - 1
    text = ""
    for i, c in enumerate(coefficients):
        p = degree - i
        power = "" if p == 0 else letter if p == 1 else f"{letter}^{p}" if p < 10 else f"{letter}^{{{p}}}"
        text += term(c, power, first=not text)
    return text or "0"


def other(rng: Random, value: int, low: int, high: int) -> int:
    """A number from the range that is not `value`."""
    while True:
        draw = rng.randint(low, high)
        if draw != value:
            return draw


# -- from an answer to a completion ------------------------------------------------------------------------------------

OPENINGS = [
    "Let us work through this one step at a time.",
    "We start by writing down what is given.",
    "First, name the unknown quantities.",
    "I'll set this up carefully.",
    "The quickest route is a direct computation.",
    "Consider the small cases before the general one.",
]
MIDDLES = [
    "Substituting {a} into the first relation leaves {b}, so that part checks out.",
    "After cancelling the common factor {a}, only {b} remains.",
    "Note that ${a} \\cdot {b} = {p}$, which we shall need below.",
    "Since ${a} + {b} = {s}$, the middle term drops out.",
    "One might guess {a} here, but that ignores the case counted {b} times.",
    "Dividing by {a} keeps everything whole.\nThe second condition then follows at once.",
    "In the {a}th step we get $\\frac{{{a}}}{{{b}}}$ of the total, and we carry on.",
    "**Step {a}:** simplify, using $x_{{{a}}} = {b}$.",
    "The remaining {b} cases are alike by symmetry.",
]
BOXES = [
    "Therefore the answer is $\\boxed{{{0}}}$.",
    "So we end up with\n\n$$\\boxed{{{0}}}$$",
    "Hence \\(\\boxed{{{0}}}\\).",
    "Thus, the final answer is:\n\\[\n\\boxed{{{0}}}\n\\]",
    "**Final answer**\n\n\\boxed{{{0}}}",
    "\\[ \\boxed{{{0}}} \\]",
    "This gives $\\boxed{{{0}}}$ as required.",
    "Putting it together: $\\boxed{{{0}}}$",
    "$\\boxed{{{0}}}$",
]


def reasoning(rng: Random, sentences: int) -> str:
    """Made-up working with numbers in it that must not be taken for the answer."""
    parts = [rng.choice(OPENINGS)]
    for _ in range(sentences):
        a, b = rng.randint(2, 60), rng.randint(2, 60)
        parts.append(rng.choice(MIDDLES).format(a=a, b=b, p=a * b, s=a + b))
    return ("\n\n" if rng.random() < 0.3 else " ").join(parts)


def boxed(rng: Random, answer: str) -> str:
    """A completion whose final answer stands in a box."""
    closing = rng.choice(BOXES).replace("{0}", "\0").replace("{{", "{").replace("}}", "}").replace("\0", answer)
    return f"{reasoning(rng, rng.randint(0, 4))} {closing}"
