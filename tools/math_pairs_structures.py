"""Labelled pairs: sets, intervals, tuples, vectors and matrices."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from sympy import sqrt

from tools.math_cases import Case, category, signed, tex


def _entries(rng: Random, count: int) -> list[int | Fraction]:
    """Different numbers, mostly whole."""
    out: list[int | Fraction] = []
    while len(out) < count:
        draw: int | Fraction = (
            rng.randint(-20, 30) if rng.random() < 0.8 else Fraction(rng.randint(1, 9), rng.choice([2, 3, 4, 5]))
        )
        if draw not in out:
            out.append(draw)
    return out


def _join(values: list[int | Fraction], mark: str = ", ") -> str:
    return mark.join(tex(v) for v in values)


def _changed(rng: Random, values: list[int | Fraction]) -> list[int | Fraction]:
    at = rng.randrange(len(values))
    return [v + rng.choice([1, -1, 10]) if i == at else v for i, v in enumerate(values)]


def _interval(rng: Random) -> tuple[int | Fraction, int | Fraction, str, str]:
    low = rng.randint(-12, 8)
    high: int | Fraction = low + rng.randint(1, 15)
    if rng.random() < 0.25:
        high += Fraction(1, rng.choice([2, 3, 4]))
    return low, high, rng.choice("(["), rng.choice(")]")


@category("tuple_labelled")
def tuple_labelled(rng: Random) -> Case:
    values = _entries(rng, rng.choice([2, 3]))
    names = rng.choice([["x", "y", "z"], ["a", "b", "c"], ["m", "n", "p"], ["r", "s", "t"]])[: len(values)]
    body, letters = _join(values), ", ".join(names)
    case = Case(rng.choice([f"({body})", f"({letters}) = ({body})"]), tuple(values))
    case.yes(f"({letters}) = ({body})", "named tuple")
    case.yes(f"\\left({letters}\\right) = \\left({body}\\right)", "named, sized")
    case.yes(f"({body})", "tuple alone")
    case.yes(", ".join(f"{name} = {tex(v)}" for name, v in zip(names, values, strict=True)), "one by one")
    case.yes(", \\ ".join(f"{name}={tex(v)}" for name, v in zip(names, values, strict=True)), "one by one with spacing")
    bad = _changed(rng, values)
    case.no(f"({letters}) = ({_join(bad)})", tuple(bad), "an entry changed")
    turned = values[1:] + values[:1]
    case.no(
        ", ".join(f"{name} = {tex(v)}" for name, v in zip(names, turned, strict=True)), tuple(turned), "values turned"
    )
    case.no(f"({letters}) = ({_join(turned)})", tuple(turned), "values turned")
    case.no(f"{names[0]} = {tex(values[0])}", values[0], "one of them")
    return case


@category("surd_list")
def surd_list(rng: Random) -> Case:
    p, q, d = rng.randint(-9, 9), rng.randint(1, 6), rng.choice([2, 3, 5, 6, 7])
    one, two = p + q * sqrt(d), p - q * sqrt(d)
    root = f"{'' if q == 1 else q}\\sqrt{{{d}}}"
    lead = "" if p == 0 else str(p)
    plus, minus = (f"{lead} + {root}", f"{lead} - {root}") if lead else (root, f"-{root}")
    key = frozenset([one, two])
    case = Case(rng.choice([f"{lead} \\pm {root}".strip(), f"{plus}, {minus}"]), key)
    case.yes(f"{minus}, {plus}", "two values")
    case.yes(f"{lead} \\pm {root}".strip(), "plus-minus")
    case.yes(f"x = {lead} \\pm {root}".strip(), "plus-minus, named")
    case.yes(f"\\{{{plus}, {minus}\\}}", "set")
    case.yes(f"\\frac{{{2 * p} \\pm {2 * q}\\sqrt{{{d}}}}}{{2}}" if p else f"\\pm \\sqrt{{{q * q * d}}}", "fraction")
    case.yes(f"x = {plus} \\text{{ or }} x = {minus}", "or")
    case.no(plus, one, "one of them")
    case.no(minus, two, "one of them")
    case.no(
        f"{lead} \\pm {q + 1}\\sqrt{{{d}}}".strip(),
        frozenset([p + (q + 1) * sqrt(d), p - (q + 1) * sqrt(d)]),
        "coefficient",
    )
    case.no(f"{p + 1} \\pm {root}", frozenset([p + 1 + q * sqrt(d), p + 1 - q * sqrt(d)]), "middle")
    case.no(f"{plus}, {lead} + {q + 1}\\sqrt{{{d}}}", frozenset([one, p + (q + 1) * sqrt(d)]), "second changed")
    return case


@category("interval")
def interval(rng: Random) -> Case:
    low, high, left, right = _interval(rng)
    key = ("interval", low, high, left, right)
    case = Case(f"{left}{tex(low)}, {tex(high)}{right}", key)
    case.yes(f"\\left{left}{tex(low)}, {tex(high)}\\right{right}", "sized")
    case.yes(f"{left}{tex(low)},{tex(high)}{right}", "no blank")
    case.yes(f"x \\in {left}{tex(low)}, {tex(high)}{right}", "x in")
    case.yes(f"{left}\\frac{{{2 * low}}}{{2}}, {tex(high)}{right}", "end unreduced")
    case.yes(f"\\bigl{left}{tex(low)}, {tex(high)}\\bigr{right}", "big")
    other_left, other_right = "[" if left == "(" else "(", "]" if right == ")" else ")"
    case.no(f"{other_left}{tex(low)}, {tex(high)}{right}", ("interval", low, high, other_left, right), "left end")
    case.no(f"{left}{tex(low)}, {tex(high)}{other_right}", ("interval", low, high, left, other_right), "right end")
    case.no(f"{left}{tex(low)}, {tex(high + 1)}{right}", ("interval", low, high + 1, left, right), "upper end")
    case.no(f"{left}{tex(low - 1)}, {tex(high)}{right}", ("interval", low - 1, high, left, right), "lower end")
    case.no(f"{left}{tex(low)}, \\infty)", ("interval", low, "inf", left, ")"), "unbounded")
    return case


@category("inequality")
def inequality(rng: Random) -> Case:
    p = rng.randint(-15, 25)
    sign = rng.choice(["<", ">", "\\le", "\\ge"])
    mirror = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}[sign]
    strict = {"<": "\\leq", ">": "\\geq", "\\le": "<", "\\ge": ">"}[sign]
    spellings = {
        "<": ["<", "\\lt"],
        ">": [">", "\\gt"],
        "\\le": ["\\le", "\\leq", "\\leqslant", "\u2264"],
        "\\ge": ["\\ge", "\\geq", "\\geqslant", "\u2265"],
    }[sign]
    case = Case(f"x {sign} {p}", (sign, p))
    for spelling in spellings:
        case.yes(f"x {spelling} {p}", "spelling of the sign")
    case.yes(f"{p} {mirror} x", "turned")
    case.no(f"2x {sign} {2 * p}", "to be solved", "doubled")
    case.no(f"x {signed(-p).strip()} {sign} 0", "to be solved", "moved") if p else None
    case.no(f"-x {mirror} {-p}", "to be solved", "signs turned")
    case.no(f"x {mirror} {p}", (mirror, p), "direction")
    case.no(f"x {strict} {p}", (strict, p), "strictness")
    case.no(f"x {sign} {p + 1}", (sign, p + 1), "bound")
    case.no(f"{p} {sign} x", (mirror, p), "turned without the sign")
    case.no(f"x = {p}", p, "equation")
    return case
