"""Names in front of values: "x = 5" is 5, |AB| = 3 is 3, f(x) = x + 1 is a function, x^2 = 12 is an equation."""

from __future__ import annotations

import re

from rewardkit.math.latex.tree import Matrix, Node, Num, Op, Ratio, Seq, SetOp, Sym, Words
from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.latex.walk import CONSTANTS, symbols

MAX_LABEL_CHARS = 200
"""A name of more characters is not looked at for words that change what it names."""

_NO_NAMES = CONSTANTS | word_set("bb:R bb:Z bb:N bb:Q bb:C ...")
_FIGURES = frozenset({"call:vector", "call:angle", "call:triangle"})
_ARITHMETIC = word_set("add mul div neg abs sqrt")
_MEASURES = word_set("sin cos tan cot sec csc ln log logb det dim rank tr arg sup inf max min Re Im floor ceil")
_QUANTITIES = _MEASURES | word_set("deg gcd lcm exp")
_CHANGES = re.compile(
    r"(?:.* )?(?:not|no|never|except|but|without|neither|nor|or|and|other|different|half|twice|double|triple|thirds?|quarters?|squared?|root|cubed?|negative|minus|plus"
    r"|reciprocal|inverse|opposite|complement|more|less|fewer|greater|than|least|most|up|over|under|below|above|multiples?|divisors?|factors?|between|from|before|after"
    r"|outside|inside|derivative|integral|sum|product|difference|log|logarithm|absolute|remainder|boundary|percent|part|subset|element|some|almost|nearly|about|anything"
    r"|times|next|either|hundred|dozen|one|perpendicular|parallel|excluding|excluded|maybe|perhaps|possibly|near|reflection|reflected|slope|gradient|length|extraneous|rejected)(?: .*)? [a-z]"
)
"""Words before the name in an equation that make it the equation of something else: the derivative of y."""

_DENIES = word_set(
    "not never no except without neither incorrect wrong false bound rejected extraneous draft guess hint"
)


def is_label(node: Node) -> bool:
    """Whether `node` only names what the other side is: x, x_1, f(x), P(2), (x, y), words."""
    if isinstance(node, Sym):
        return node.name not in _NO_NAMES
    if isinstance(node, Op):
        return node.name.startswith("call:") and node.name not in {"call:^+", "call:^*"}
    if isinstance(node, (Ratio, SetOp)):
        return all(map(_is_name, node.args))
    if isinstance(node, Seq):
        if node.opened == "[" and len(node.items) != 1:
            return False
        distinct = bool(node.items) and len(set(node.items)) == len(node.items)
        return node.opened in {"(", "", "<", "{", "["} and distinct and all(map(_is_name, node.items))
    return (
        isinstance(node, Words)
        and _DENIES.isdisjoint(node.text.split(" ", 3)[:3])
        and _CHANGES.fullmatch(node.text[:MAX_LABEL_CHARS]) is None
    )


def _is_name(node: Node) -> bool:
    """A label, or letters side by side, which in front of an equals sign are a name: AB, P(x)."""
    return is_label(node) or (isinstance(node, Op) and node.name == "mul" and all(map(_is_name, node.args)))


def is_measure(node: Node) -> bool:
    """Whether `node` is a name that a ground truth puts before a value: AB, |AB|, a/b, tan x; no sum and no power."""
    if isinstance(node, Op):
        if node.name in {"mul", "div", "abs", "deg"}:
            return all(map(is_measure, node.args))
        if node.name == "pow":  # |z|^2, but not x^2
            base, exponent = node.args
            return isinstance(exponent, Num) and isinstance(base, Op) and base.name == "abs" and is_measure(base)
        if node.name in _MEASURES or node.name.startswith("big:"):
            return bool(symbols(node) - CONSTANTS)
    return is_label(node)


def is_quantity(node: Node) -> bool:
    """Whether `node` is a term a question asks for, built from letters alone: ab, x + y, a/b, x^2, |z|, an angle."""
    if is_label(node) or (isinstance(node, Sym) and node.name.startswith("bb:")):
        return True
    if isinstance(node, Op):
        if node.name in _ARITHMETIC:
            return all(map(is_quantity, node.args))
        if node.name == "pow":
            return is_quantity(node.args[0]) and (isinstance(node.args[1], Num) or is_quantity(node.args[1]))
        return (node.name in _QUANTITIES or node.name.startswith("big:")) and bool(symbols(node) - CONSTANTS)
    return isinstance(node, Matrix) and bool(symbols(node) - CONSTANTS)


def bare_length(label: Node) -> Node:
    """AB where |AB| or AB under a bar names a length; another node as it is."""
    if isinstance(label, Op) and label.name in {"abs", "call:overline"}:
        inside = label.args[0]
        if isinstance(inside, Op) and all(map(str.isupper, symbols(inside))):
            return inside
    return label


def parameters(label: Node | None) -> tuple[str, ...] | None:
    """The parameters of a function label: f(x, y) has (x, y)."""
    if not isinstance(label, Op) or label.name in _FIGURES or not label.name.startswith("call:"):
        return None
    names = tuple(one.name for one in label.args if isinstance(one, Sym))
    return names if len(names) == len(label.args) else None
