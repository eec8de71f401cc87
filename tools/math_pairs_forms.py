"""Labelled pairs: one value in many forms."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import sympy
from sympy import I, cos, pi, sin

from tools.math_cases import Case, category, tex


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
