"""Labelled pairs: spacing noise, padded integers, mixed signs, degrees, lists of equations and functions."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import sympy
from sympy import I, cos, pi, sin, sqrt

from benchmarks.math_cases import Case, category, tex

x, y = sympy.symbols("x y")


def _around(rng: Random, mark: str) -> str:
    space = ["", " ", "\\,", "\\;", "\\ ", "~", "\\:", "\\!"]
    return rng.choice(space) + mark + rng.choice(space)


@category("tex_noise")
def tex_noise(rng: Random) -> Case:
    """Spacing commands strewn around operators, commas and brackets."""
    p, q, r = rng.randint(2, 9), rng.randint(2, 9), rng.randint(2, 9)
    gold, wrong = rng.choice(
        [
            (f"{p}x^2 + {q}x - {r}", f"{p}x^2 - {q}x - {r}"),
            (f"({p}, -{q}, {r})", f"({p}, {q}, {r})"),
            (f"\\frac{{{p} + \\sqrt{{{q}}}}}{{{r}}}", f"\\frac{{{p} - \\sqrt{{{q}}}}}{{{r}}}"),
            (f"\\{{{p}, {p + q}, {p + q + r}\\}}", f"\\{{{p}, {p + q}, {p + q + r + 1}\\}}"),
            (f"[{-p}, {q})", f"({-p}, {q})"),
            (f"x = {p} + {q}i", f"x = {p} - {q}i"),
            (f"{p}\\pi - {q}", f"{p}\\pi + {q}"),
        ]
    )

    def noisy(text: str) -> str:
        out = re.sub(r"(?<!\\)([-+=,()\[\]])", lambda m: _around(rng, m.group(1)), text)
        return rng.choice(["", "\\,", "\\displaystyle ", " "]) + out + rng.choice(["", "\\,", "\\ ", "~"])

    case = Case(gold, gold)
    for _ in range(4):
        case.yes(noisy(gold), "noise", gold)
        case.no(noisy(wrong), wrong, "noise and a change")
    return case


@category("padded_integer")
def padded_integer(rng: Random) -> Case:
    """Answers of contests are written with leading zeros."""
    n = rng.randint(1, 99)
    case = Case(f"{n:03d}", n)
    for text in (str(n), f"{n:03d}", f"{n:04d}", f"{n}.0", f"\\text{{{n:03d}}}"):
        case.yes(text, "padding")
    for text, bad in (
        (f"{n}0", 10 * n),
        (f"{n + 1:03d}", n + 1),
        (f"{n}00", 100 * n),
        (f"0.{n:03d}", Fraction(n, 1000)),
        (f"-{n:03d}", -n),
    ):
        case.no(text, bad, "another number")
    return case


@category("negative_mixed_number")
def negative_mixed_number(rng: Random) -> Case:
    w, b = rng.randint(1, 9), rng.randint(2, 9)
    a = rng.randint(1, b - 1)
    v = -(w + Fraction(a, b))
    case = Case(rng.choice([tex(v), f"-{w}\\frac{{{a}}}{{{b}}}"]), v)
    case.yes(f"-{w}\\frac{{{a}}}{{{b}}}", "mixed")
    case.yes(f"-\\left({w}\\frac{{{a}}}{{{b}}}\\right)", "brackets")
    case.yes(f"-{w} - \\frac{{{a}}}{{{b}}}", "written out")
    case.yes(f"-{w} {a}/{b}", "plain")
    case.yes(tex(v), "improper")
    case.no(f"-{w} + \\frac{{{a}}}{{{b}}}", -w + Fraction(a, b), "fraction added")
    case.no(f"{w}\\frac{{{a}}}{{{b}}}", -v, "sign lost")
    case.no(tex(-w + Fraction(a, b)), -w + Fraction(a, b), "fraction added")
    case.no(f"-{w + 1}\\frac{{{a}}}{{{b}}}", v - 1, "whole part")
    return case


@category("prime_factors")
def prime_factors(rng: Random) -> Case:
    e, f, g = rng.randint(1, 5), rng.randint(1, 4), rng.randint(1, 2)
    v = 2**e * 3**f * 7**g
    text = f"2^{e} \\cdot 3^{f} \\cdot 7^{g}"
    case = Case(rng.choice([str(v), text]), v)
    case.yes(text, "factors")
    case.yes(f"7^{g} \\times 2^{e} \\times 3^{{{f}}}", "other order")
    case.yes(str(v), "number")
    case.yes(f"2^{e}3^{f}7^{g}", "side by side")
    case.yes(f"2^{{{e}}} * 3^{{{f}}} * 7^{{{g}}}", "stars")
    case.no(f"2^{e + 1} \\cdot 3^{f} \\cdot 7^{g}", 2 * v, "exponent")
    case.no(f"2^{e} \\cdot 3^{f} + 7^{g}", 2**e * 3**f + 7**g, "plus")
    case.no(f"2^{e} \\cdot 3^{f}", 2**e * 3**f, "factor lost")
    case.no(f"2^{e} \\cdot 5^{f} \\cdot 7^{g}", 2**e * 5**f * 7**g, "base")
    return case


@category("degrees_in_functions")
def degrees_in_functions(rng: Random) -> Case:
    name, f = rng.choice([("sin", sin), ("cos", cos)])
    d, k = rng.choice([30, 45, 60, 120, 150, 36, 72, 15]), rng.randint(2, 9)
    v = k * f(pi * d / 180)
    case = Case(f"{k}\\{name} {d}^\\circ", v)
    case.yes(f"{k}\\{name}({d}^\\circ)", "brackets")
    case.yes(f"{k}\\{name}\\left({d}^{{\\circ}}\\right)", "sized")
    case.yes(f"{k} \\cdot \\{name} {d}\u00b0", "Unicode")
    case.yes(f"{k}\\{name}\\frac{{{d}\\pi}}{{180}}", "radians")
    case.yes(
        f"{k}\\{'cos' if name == 'sin' else 'sin'} {90 - d}^\\circ" if d < 90 else f"{k}\\{name}({d}^\\circ)",
        "complement",
    )
    case.no(
        f"{k}\\{'cos' if name == 'sin' else 'sin'} {d}^\\circ",
        k * (cos if name == "sin" else sin)(pi * d / 180),
        "other function",
    )
    case.no(f"{k}\\{name} {d}", k * f(sympy.Integer(d)), "radians by mistake")
    case.no(f"{k + 1}\\{name} {d}^\\circ", (k + 1) * f(pi * d / 180), "factor")
    case.no(f"-{k}\\{name} {d}^\\circ", -v, "sign")
    return case


@category("polar_form")
def polar_form(rng: Random) -> Case:
    d, r = rng.choice([30, 45, 60, 120, 135, 150]), rng.randint(2, 9)
    v = r * (cos(pi * d / 180) + I * sin(pi * d / 180))
    case = Case(f"{r}(\\cos {d}^\\circ + i\\sin {d}^\\circ)", v)
    case.yes(f"{r}\\left(\\cos\\frac{{{d}\\pi}}{{180}} + i\\sin\\frac{{{d}\\pi}}{{180}}\\right)", "radians")
    case.yes(f"{r}e^{{i{d}\\pi/180}}", "exponential")
    case.yes(f"{r}\\cos {d}^\\circ + {r}i\\sin {d}^\\circ", "multiplied out")
    case.yes(f"{r}(\\cos {d}^\\circ + i \\cdot \\sin {d}^\\circ)", "dot")
    case.no(f"{r}(\\cos {d}^\\circ - i\\sin {d}^\\circ)", sympy.conjugate(v), "conjugate")
    case.no(f"{r}(\\sin {d}^\\circ + i\\cos {d}^\\circ)", r * (sin(pi * d / 180) + I * cos(pi * d / 180)), "swapped")
    case.no(f"{r + 1}(\\cos {d}^\\circ + i\\sin {d}^\\circ)", v * (r + 1) / r, "modulus")
    case.no(
        f"{r}(\\cos {d + 10}^\\circ + i\\sin {d + 10}^\\circ)",
        r * (cos(pi * (d + 10) / 180) + I * sin(pi * (d + 10) / 180)),
        "angle",
    )
    return case


@category("list_of_equations")
def list_of_equations(rng: Random) -> Case:
    m, k = rng.randint(2, 9), rng.randint(1, 9)
    one, two = f"y = {m}x + {k}", f"y = -{m}x + {k}"
    case = Case(f"{one}, {two}", frozenset([(m, k), (-m, k)]))
    case.yes(f"{two}, {one}", "other order")
    case.yes(f"{one} \\text{{ and }} {two}", "and")
    case.yes(f"{two} \\text{{ or }} {one}", "or")
    case.yes(f"y = \\pm {m}x + {k}", "plus-minus")
    case.no(f"{one}, y = -{m}x - {k}", frozenset([(m, k), (-m, -k)]), "second changed")
    case.no(one, (m, k), "one lost")
    case.no(f"{one}, {one}, y = x", frozenset([(m, k), (1, 0)]), "another")
    case.no(f"y = \\pm {m + 1}x + {k}", frozenset([(m + 1, k), (-m - 1, k)]), "slope")
    return case


@category("list_of_functions")
def list_of_functions(rng: Random) -> Case:
    k = rng.randint(2, 9)
    one, two, three = "f(x) = 0", f"f(x) = {k}x", f"f(x) = x^2 + {k}"
    case = Case(f"{one}, {two}, {three}", "three functions")
    case.yes(f"{three}, {one}, {two}", "other order")
    case.yes(f"{one}, {two} \\text{{ and }} {three}", "and")
    case.yes(f"f(x) = 0, f(x) = {k}x, f(x) = {k} + x^2", "commuted")
    case.yes(f"{one} \\text{{ or }} {two} \\text{{ or }} {three}", "or")
    case.yes(f"f(t) = 0, f(t) = {k}t, f(t) = t^2 + {k}", "other letter")
    case.no(f"{one}, {two}", "two", "one lost")
    case.no(f"{one}, {two}, f(x) = x^2 - {k}", "changed", "third changed")
    case.no(f"f(x) = 1, {two}, {three}", "changed", "first changed")
    case.no(f"{two}", "one", "one only")
    return case


@category("tuples_with_plus_minus")
def tuples_with_plus_minus(rng: Random) -> Case:
    p, q = rng.randint(1, 20), rng.randint(1, 20)
    case = Case(rng.choice([f"({p}, {q}), ({p}, -{q})", f"({p}, \\pm {q})"]), frozenset([(p, q), (p, -q)]))
    case.yes(f"({p}, \\pm {q})", "plus-minus")
    case.yes(f"({p}, -{q}), ({p}, {q})", "two points")
    case.yes(f"({p}, {q}) \\text{{ and }} ({p}, -{q})", "and")
    case.no(f"({p}, {q})", (p, q), "one point")
    case.no(f"(\\pm {p}, {q})", frozenset([(p, q), (-p, q)]), "sign in the other place")
    case.no(f"({p}, \\pm {q + 1})", frozenset([(p, q + 1), (p, -q - 1)]), "value")
    case.no(f"({p}, {q}), (-{p}, {q})", frozenset([(p, q), (-p, q)]), "sign in the other place")
    return case


@category("intervals_with_roots")
def intervals_with_roots(rng: Random) -> Case:
    p, n = rng.randint(1, 9), rng.choice([2, 3, 5, 6, 7])
    low, high = f"{p} - \\sqrt{{{n}}}", f"{p} + \\sqrt{{{n}}}"
    case = Case(f"[{low}, {high}]", (p, n, "closed"))
    case.yes(f"[-\\sqrt{{{n}}} + {p}, \\sqrt{{{n}}} + {p}]", "commuted")
    case.yes(f"{low} \\le x \\le {high}", "inequality")
    case.yes(f"\\left[{low}, {high}\\right]", "sized")
    case.yes(f"\\left[\\frac{{{2 * p} - 2\\sqrt{{{n}}}}}{{2}}, {high}\\right]", "rewritten end")
    case.no(f"({low}, {high})", (p, n, "open"), "ends")
    case.no(f"[{low}, {p + 1} + \\sqrt{{{n}}}]", (p, n, "upper"), "upper end")
    case.no(f"{low} < x \\le {high}", (p, n, "half"), "one end")
    case.no(f"[{low}, {float(p + n**0.5):.3f}]", (p, n, "rounded"), "rounded end")
    return case


@category("integer_set_builder")
def integer_set_builder(rng: Random) -> Case:
    low = rng.randint(-6, 5)
    high = low + rng.randint(2, 5)
    members = list(range(low, high + 1))
    listed = ", ".join(map(str, members))
    case = Case(f"\\{{{listed}\\}}", frozenset(members))
    case.yes(f"\\{{{', '.join(map(str, members[::-1]))}\\}}", "other order")
    case.yes(listed, "list")
    case.yes(f"\\{{{listed.replace(', ', ',')}\\}}", "no blanks")
    case.no(f"\\{{x \\mid {low} \\le x \\le {high}\\}}", "interval", "all reals between")
    case.no(f"[{low}, {high}]", "interval", "interval")
    case.no(f"\\{{{', '.join(map(str, members[:-1]))}\\}}", frozenset(members[:-1]), "one lost")
    case.no(
        f"\\{{{low}, {high}\\}}" if len(members) > 2 else "\\{0\\}",
        frozenset([low, high]) if len(members) > 2 else frozenset([0]),
        "ends only",
    )
    return case


@category("ratio_of_roots")
def ratio_of_roots(rng: Random) -> Case:
    n, k = rng.choice([2, 3, 5, 7]), rng.randint(2, 6)
    case = Case(f"1 : \\sqrt{{{n}}}", sqrt(n))
    case.yes(f"1:\\sqrt{{{n}}}", "no blanks")
    case.yes(f"{k} : {k}\\sqrt{{{n}}}", "multiplied")
    case.yes(f"\\sqrt{{{n}}} : {n}", "multiplied by the root")
    case.yes(f"\\frac{{1}}{{\\sqrt{{{n}}}}}", "fraction")
    case.no(f"\\sqrt{{{n}}} : 1", 1 / sqrt(n), "turned")
    case.no(f"1 : {n}", sympy.Integer(n), "root lost")
    case.no(f"{k} : \\sqrt{{{n}}}", sqrt(n) / k, "one term")
    case.no(f"1 : \\sqrt{{{n + 4}}}", sqrt(n + 4), "radicand")
    return case
