"""Labelled pairs: words and odd places of the box, systems, units, parameters."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import sympy
from sympy import Rational, sqrt

from benchmarks.math_cases import Case, category, other, reasoning, signed, term, tex
from benchmarks.math_pairs_forms import x, y


@category("half_factors")
def half_factors(rng: Random) -> Case:
    d = rng.randint(2, 9)
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                f"\\frac{{x}}{{{d}}}",
                x / d,
                [f"\\frac{{1}}{{{d}}}x", f"x/{d}", f"{d}^{{-1}}x", f"\\frac1{d}x"],
                [(f"\\frac{{{d}}}{{x}}", d / x), (f"{d}x", d * x), (f"\\frac{{x}}{{{d + 1}}}", x / (d + 1))],
            ),
            (
                f"\\frac{{1}}{{x^{d}}}",
                x**-d,
                [f"x^{{-{d}}}", f"\\left(\\frac{{1}}{{x}}\\right)^{d}", f"1/x^{d}", f"\\frac{{x}}{{x^{{{d + 1}}}}}"],
                [(f"x^{d}", x**d), (f"-x^{d}", -(x**d)), (f"\\frac{{1}}{{{d}x}}", 1 / (d * x))],
            ),
            (
                f"{d}\\sqrt{{x}}",
                d * sqrt(x),
                [f"{d}x^{{1/2}}", f"{d}x^{{0.5}}", f"\\sqrt{{{d * d}x}}", f"{d}x^{{\\frac12}}"],
                [
                    (f"\\sqrt{{{d}x}}", sqrt(d * x)),
                    (f"{d}x^2", d * x**2),
                    (f"{d}\\sqrt[3]{{x}}", d * x ** Rational(1, 3)),
                ],
            ),
            (
                f"e^{{-{d}x^2}}",
                sympy.exp(-d * x**2),
                [f"\\frac{{1}}{{e^{{{d}x^2}}}}", f"\\exp(-{d}x^2)", f"\\left(e^{{x^2}}\\right)^{{-{d}}}"],
                [
                    (f"e^{{{d}x^2}}", sympy.exp(d * x**2)),
                    (f"-e^{{{d}x^2}}", -sympy.exp(d * x**2)),
                    (f"e^{{-{d}x}}", sympy.exp(-d * x)),
                ],
            ),
            (
                f"\\frac{{x + y}}{{{d}}}",
                (x + y) / d,
                [f"\\frac{{x}}{{{d}}} + \\frac{{y}}{{{d}}}", f"\\frac{{1}}{{{d}}}(x + y)", f"(y + x)/{d}"],
                [
                    (f"x + \\frac{{y}}{{{d}}}", x + y / d),
                    (f"\\frac{{x - y}}{{{d}}}", (x - y) / d),
                    (f"x + y/{d}", x + y / d),
                ],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in [gold, *rights]:
        case.yes(text, "the same")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    case.no(f"{gold} + 1", worth + 1, "one more")
    return case


@category("one_letter_equation")
def one_letter_equation(rng: Random) -> Case:
    """An equation with one solution, and the solution itself."""
    p, q = rng.randint(2, 9), rng.randint(1, 30)
    v = Fraction(q, p)
    case = Case(f"x = {tex(v)}", v)
    case.yes(tex(v), "value")
    case.yes(f"x = {tex(v, 'slash')}", "slash")
    case.yes(f"{p}x = {q}", "not solved")
    case.yes(f"{tex(v)} = x", "turned")
    case.no(f"{p}x = {q + 1}", Fraction(q + 1, p), "other equation")
    case.no(f"x = {tex(-v)}", -v, "sign")
    case.no(f"{p + 1}x = {q}", Fraction(q, p + 1), "coefficient")
    case.no(f"x \\ne {tex(v)}", "not equal", "not equal")
    return case


@category("answer_words_in_box")
def answer_words_in_box(rng: Random) -> Case:
    n = rng.randint(2, 999)
    w = other(rng, n, 2, 999)
    case = Case(str(n), n)
    for text in ["\\text{Answer: }{}", "\\text{The answer is }{}", "\\text{Answer} = {}", "\\text{Answer: {}}"]:
        case.yes(text.replace("{}", str(n)), "words around")
        case.no(text.replace("{}", str(w)), w, "words around another number")
    case.yes(str(n), "alone")
    case.no("\\text{Answer}", "word", "word only")
    return case


@category("odd_places_of_the_box")
def odd_places_of_the_box(rng: Random) -> Case:
    n = rng.randint(2, 999)
    w = other(rng, n, 2, 999)
    case = Case(str(n), n, raw=True)
    work = reasoning(rng, 1)
    for layout in [
        "{w}\n\n```\n\\boxed{N}\n```",
        "{w}\n\n| result |\n| --- |\n| $\\boxed{N}$ |",
        "{w}\n\n> $\\boxed{N}$",
        "I shall put the final answer in \\boxed{}.\n\n{w}\n\n$\\boxed{N}$",
        "{w}\n\n1. First case: nothing.\n2. Second case: $\\boxed{N}$",
        "{w} (see above). \u2234 \\boxed{N}",
        "\\boxed{N}",
        "\\boxed{N}\n\n{w}",
        "{w}\r\n\r\n$\\boxed{N}$\r\n",
        "{w} $$\\begin{aligned} x &= 1 \\\\ &= \\boxed{N} \\end{aligned}$$",
        "{w}\n\n- **Answer:** $\\boxed{N}$",
        "{w} \u7b54\u6848\uff1a$\\boxed{N}$",
    ]:
        case.yes(layout.replace("{w}", work).replace("{N}", f"{{{n}}}"), "box in an odd place")
        case.no(layout.replace("{w}", work).replace("{N}", f"{{{w}}}"), w, "another number in an odd place")
    case.no(
        f"I shall put the final answer in \\boxed{{}}.\n\n{work} It may be near {n}.",
        "nothing",
        "only the promise of a box",
    )
    return case


@category("aligned_system_in_box")
def aligned_system_in_box(rng: Random) -> Case:
    p, q = rng.sample(range(-30, 30), 2)
    case = Case(f"x = {p}, y = {q}", (p, q))
    case.yes(f"\\begin{{aligned}} x &= {p} \\\\ y &= {q} \\end{{aligned}}", "aligned")
    case.yes(f"x = {p},\\quad y = {q}", "quad")
    case.yes(f"x = {p} \\text{{ and }} y = {q}", "and")
    case.yes(f"y = {q}, x = {p}", "other order")
    case.yes(f"\\left(x, y\\right) = \\left({p}, {q}\\right)", "tuple")
    case.no(f"\\begin{{aligned}} x &= {q} \\\\ y &= {p} \\end{{aligned}}", (q, p), "swapped")
    case.no(f"x = {p},\\quad y = {q + 1}", (p, q + 1), "one off")
    case.no(f"x = {p} \\text{{ or }} y = {q}", "or", "or")
    case.no(f"x + y = {p + q}", "sum", "their sum")
    return case


@category("fraction_with_unit")
def fraction_with_unit(rng: Random) -> Case:
    n, d = rng.randint(1, 40), rng.choice([3, 7, 9, 11])
    v = Fraction(n * d + 1, d)
    unit, wrong = rng.choice(
        [
            ("hours", "minutes"),
            ("cm", "m"),
            ("miles", "km"),
            ("days", "weeks"),
            ("square inches", "square feet"),
            ("cubic meters", "square meters"),
            ("ounces", "pounds"),
            ("gallons", "liters"),
        ]
    )
    case = Case(f"{tex(v)} \\text{{ {unit}}}", (v, unit))
    case.yes(f"{tex(v, 'dfrac')}\\text{{ {unit}}}", "dfrac")
    case.yes(tex(v), "no unit")
    case.yes(f"{n}\\frac{{1}}{{{d}}} \\text{{ {unit}}}", "mixed number")
    case.yes(f"{tex(v, 'slash')} {unit}", "plain")
    case.yes(f"\\text{{{tex(v, 'slash')} {unit}}}", "all in text")
    case.no(f"{tex(v)} \\text{{ {wrong}}}", (v, wrong), "other unit")
    case.no(f"{tex(v + 1)} \\text{{ {unit}}}", (v + 1, unit), "one more")
    case.no(f"{float(v):.2f} \\text{{ {unit}}}", (Fraction(f"{float(v):.2f}"), unit), "rounded")
    case.no(f"{tex(1 / v)} \\text{{ {unit}}}", (1 / v, unit), "upside down")
    return case


@category("parametric_answers")
def parametric_answers(rng: Random) -> Case:
    p, q = rng.randint(2, 9), rng.randint(1, 9)
    case = Case(f"({p}t, t + {q})", ("t", p, q))
    case.yes(f"({p}t, {q} + t)", "commuted")
    case.yes(f"\\left( {p} t, t + {q} \\right)", "sized")
    case.yes(f"(t \\cdot {p}, t + {q})", "dot")
    case.no(f"(t + {q}, {p}t)", ("t", "swapped"), "swapped")
    case.no(f"({p}t, t - {q})", ("t", p, -q), "sign")
    case.no(f"({p + 1}t, t + {q})", ("t", p + 1, q), "coefficient")
    case.no(f"({p}, 1 + {q})", "number", "t left out")
    return case


@category("equation_with_roots_form")
def equation_with_roots_form(rng: Random) -> Case:
    p, q, r = (rng.choice([-1, 1]) * rng.randint(1, 9) for _ in range(3))
    gold = f"{term(2, 'x^2', first=True)}{term(p, 'xy')}{term(q, 'y')} = {r}"
    case = Case(gold, (2, p, q, r))
    case.yes(f"{r} = 2x^2{term(p, 'xy')}{term(q, 'y')}", "turned")
    case.yes(f"2x^2{term(p, 'xy')}{term(q, 'y')}{signed(-r)} = 0", "moved")
    case.yes(f"-2x^2{term(-p, 'xy')}{term(-q, 'y')}{signed(r)} = 0", "signs turned")
    case.yes(
        f"x^2{signed(p)} \\cdot \\frac{{xy}}{{2}}{signed(q)} \\cdot \\frac{{y}}{{2}} = \\frac{{{r}}}{{2}}", "halved"
    )
    case.no(f"2x^2{term(-p, 'xy')}{term(q, 'y')} = {r}", (2, -p, q, r), "sign of a term")
    case.no(f"2x^2{term(p, 'xy')}{term(q, 'y')} = {-r}", (2, p, q, -r), "sign of the constant")
    case.no(f"2x^2{term(p, 'xy')}{term(q, 'x')} = {r}", (2, p, "x", r), "letter")
    case.no(f"2x^2{term(p, 'xy')}{term(q, 'y')} \\le {r}", "inequality", "inequality")
    return case
