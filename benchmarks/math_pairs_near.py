"""Labelled pairs: near coincidences, signs, inverse functions, sums, zero, undefined values."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import sympy
from sympy import Rational, pi, sqrt

from benchmarks.math_cases import Case, category

a, b, c, x, y, z = sympy.symbols("a b c x y z")


@category("near_coincidence")
def near_coincidence(rng: Random) -> Case:
    """Numbers that agree to many digits and are not equal."""
    k, e = rng.randint(2, 9), rng.randint(20, 400)
    gold, same_text, wrong, why = rng.choice(
        [
            ("\\pi", "\\frac{2\\pi}{2}", "\\frac{355}{113}", "six digits"),
            ("\\pi", "\\frac{3\\pi}{3}", "\\sqrt{2} + \\sqrt{3}", "two digits"),
            ("\\pi", "4\\arctan 1", "\\frac{\\ln(640320^3 + 744)}{\\sqrt{163}}", "thirty digits"),
            ("262537412640768744", "262537412640768743 + 1", "e^{\\pi\\sqrt{163}}", "twelve digits after the point"),
            (f"{k}", f"\\frac{{{2 * k}}}{{2}}", f"{k} + 10^{{-{e}}}", "far digits"),
            (f"{k}", f"{k}.0", f"\\frac{{{k} \\cdot 10^{{{e}}} + 1}}{{10^{{{e}}}}}", "far digits"),
            (f"{k}", f"\\sqrt{{{k * k}}}", f"\\sqrt{{{k * k} + 10^{{-{e}}}}}", "far digits"),
            (
                f"2^{{{e * 5}}}",
                f"4^{{{e * 5 // 2}}}" if e % 2 == 0 else f"2 \\cdot 2^{{{e * 5 - 1}}}",
                f"2^{{{e * 5}}} + 1",
                "one more",
            ),
            (
                f"\\frac{{2^{{{e * 5}}} - 1}}{{3}}",
                f"\\frac{{2^{{{e * 5}}}}}{{3}} - \\frac{{1}}{{3}}",
                f"\\frac{{2^{{{e * 5}}} + 1}}{{3}}",
                "sign of the one",
            ),
            (f"1 - \\left(\\frac{{1}}{{{k}}}\\right)^{{{e}}}", f"1 - {k}^{{-{e}}}", "1", "a tiny term left out"),
            (
                f"1 - \\frac{{1}}{{{k}^{{{e}}}}}",
                f"1 - {k}^{{-{e}}}",
                f"1 + \\frac{{1}}{{{k}^{{{e}}}}}",
                "sign of a tiny term",
            ),
            (
                f"1 - \\frac{{1}}{{{k}^{{{e}}}}}",
                f"\\frac{{{k}^{{{e}}} - 1}}{{{k}^{{{e}}}}}",
                f"1 - \\frac{{1}}{{{k}^{{{e + 1}}}}}",
                "exponent of a tiny term",
            ),
            (
                f"\\frac{{1}}{{{e + 40}!}}",
                f"\\frac{{{e + 41}}}{{{e + 41}!}}",
                f"\\frac{{1}}{{{e + 41}!}}",
                "another tiny number",
            ),
            (f"\\frac{{1}}{{{e + 40}!}}", f"\\frac{{{e + 41}}}{{{e + 41}!}}", "0", "zero"),
            ("\\sqrt{10^{40} + 1}", "\\sqrt{1 + 10^{40}}", "10^{20}", "twenty digits"),
            (
                f"10^{{{e}}} + \\sqrt{{2}}",
                f"\\sqrt{{2}} + 10^{{{e}}}",
                f"10^{{{e}}} + \\sqrt{{3}}",
                "a small term beside a big one",
            ),
            (f"10^{{{e}}}\\pi", f"\\pi \\cdot 10^{{{e}}}", f"10^{{{e}}}\\pi + 1", "one beside a big number"),
            (
                f"x^2 + 10^{{30}}x + {k}",
                f"{k} + 10^{{30}}x + x^2",
                f"x^2 + 10^{{30}}x + {k + 1}",
                "constant beside a big coefficient",
            ),
            (f"e^{{-{e}}}", f"\\frac{{1}}{{e^{{{e}}}}}", f"e^{{-{e + 1}}}", "another tiny number"),
            (f"\\cos(10^{{-{e}}})", f"\\cos\\left(\\frac{{1}}{{10^{{{e}}}}}\\right)", "1", "cosine of a tiny number"),
            ("\\frac{1+\\sqrt{5}}{2}", "\\frac{\\sqrt{5}+1}{2}", "1.6180339887498948482", "twenty digits"),
            (f"\\ln {k}", f"\\frac{{\\ln {k * k}}}{{2}}", f"{sympy.N(sympy.log(k), 40)}", "forty digits"),
        ]
    )
    case = Case(gold, gold)
    case.yes(same_text, "exact rewrite", gold)
    case.yes(gold, "the same")
    case.yes(f"{{{gold}}}", "braces")
    case.yes(f"\\displaystyle {gold}", "display style")
    case.no(wrong, wrong, why)
    case.no(f"{gold} + 1", "plus one", "one more")
    case.no(f"{gold} + 10^{{-{e + 10}}}", "plus a bit", "a tiny number added")
    return case


@category("sign_and_power")
def sign_and_power(rng: Random) -> Case:
    p, k = rng.randint(2, 9), rng.choice([2, 4])
    q = rng.randint(2, 9)
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                f"-{p}^{k}",
                -(p**k),
                [f"-({p}^{k})", str(-(p**k)), f"-1 \\cdot {p}^{k}", f"-{p}^{{{k}}}"],
                [(f"(-{p})^{k}", p**k), (f"{p}^{k}", p**k), (f"-{p}^{k + 1}", -(p ** (k + 1)))],
            ),
            (
                f"(-{p})^{k}",
                p**k,
                [f"{p}^{k}", str(p**k), f"\\left(-{p}\\right)^{{{k}}}", f"(-1)^{k} \\cdot {p}^{k}"],
                [(f"-{p}^{k}", -(p**k)), (f"(-{p})^{k + 1}", (-p) ** (k + 1)), (f"-(-{p})^{k}", -(p**k))],
            ),
            (
                f"2^{{{p}^2}}",
                2 ** (p * p),
                [f"2^{{({p}^2)}}", f"2^{{{p * p}}}", f"(2^{p})^{p}"],
                [
                    (f"(2^{p})^2", 2 ** (2 * p)) if p != 2 else (f"2^{p + 1}", 2 ** (p + 1)),
                    (f"2^{{{p}}} \\cdot 2", 2 ** (p + 1)),
                    (f"{p}^{{2^2}}", p**4),
                ],
            ),
            (
                f"\\frac{{-{p}}}{{{q}}}",
                Fraction(-p, q),
                [
                    f"-\\frac{{{p}}}{{{q}}}",
                    f"\\frac{{{p}}}{{-{q}}}",
                    f"-{p}/{q}",
                    f"\\frac{{-{3 * p}}}{{{3 * q}}}",
                    f"-\\frac{{-{p}}}{{-{q}}}",
                ],
                [
                    (f"\\frac{{-{p}}}{{-{q}}}", Fraction(p, q)),
                    (f"-\\frac{{-{p}}}{{{q}}}", Fraction(p, q)),
                    (f"\\frac{{{p}}}{{{q}}}", Fraction(p, q)),
                ],
            ),
            (
                f"\\frac{{\\frac{{{p}}}{{{q}}}}}{{3}}",
                Fraction(p, 3 * q),
                [
                    f"\\frac{{{p}}}{{{3 * q}}}",
                    f"\\frac{{{p}/{q}}}{{3}}",
                    f"{p}/{q}/3",
                    f"\\cfrac{{\\cfrac{{{p}}}{{{q}}}}}{{3}}",
                ],
                [
                    (f"\\frac{{{p}}}{{\\frac{{{q}}}{{3}}}}", Fraction(3 * p, q)),
                    (f"\\frac{{3 \\cdot {p}}}{{{q}}}", Fraction(3 * p, q)),
                    (f"{p}/({q}/3)", Fraction(3 * p, q)),
                ],
            ),
            (
                f"{p} - {q} - 3",
                p - q - 3,
                [f"({p} - {q}) - 3", f"{p} - ({q} + 3)", str(p - q - 3)],
                [(f"{p} - ({q} - 3)", p - q + 3), (f"{p} + {q} - 3", p + q - 3), (f"{p} - {q} + 3", p - q + 3)],
            ),
            (
                f"\\sqrt{{{p * p}}}",
                p,
                [str(p), f"+\\sqrt{{{p * p}}}", f"\\sqrt{{(-{p})^2}}", f"|-{p}|"],
                [(f"-{p}", -p), (f"\\pm {p}", frozenset([p, -p])), (str(p * p), p * p)],
            ),
            (
                f"{p} \\div {q} \\times 2",
                Fraction(2 * p, q),
                [f"\\frac{{{2 * p}}}{{{q}}}", f"({p} \\div {q}) \\times 2", f"2 \\cdot \\frac{{{p}}}{{{q}}}"],
                [(f"{p} \\div ({q} \\times 2)", Fraction(p, 2 * q)), (f"\\frac{{{p}}}{{{2 * q}}}", Fraction(p, 2 * q))],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in rights:
        case.yes(text, "the same value")
    for text, bad in wrongs:
        case.no(text, bad, "signs, order or brackets")
    return case


@category("difference_and_modulus")
def difference_and_modulus(rng: Random) -> Case:
    p = rng.randint(2, 9)
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                f"(a - {p})^2",
                (a - p) ** 2,
                [f"({p} - a)^2", f"a^2 - {2 * p}a + {p * p}", f"(a-{p})(a-{p})"],
                [(f"(a + {p})^2", (a + p) ** 2), (f"a^2 - {p * p}", a**2 - p * p), (f"a^2 + {p * p}", a**2 + p * p)],
            ),
            (
                "(a - b)^3",
                (a - b) ** 3,
                ["-(b - a)^3", "a^3 - 3a^2b + 3ab^2 - b^3", "(a-b)^2(a-b)"],
                [("(b - a)^3", (b - a) ** 3), ("a^3 - b^3", a**3 - b**3), ("(a-b)(a+b)^2", (a - b) * (a + b) ** 2)],
            ),
            (
                f"|x - {p}|",
                sympy.Abs(x - p),
                [f"|{p} - x|", f"\\left|x - {p}\\right|", f"\\lvert x - {p} \\rvert", f"\\sqrt{{(x - {p})^2}}"],
                [(f"|x + {p}|", sympy.Abs(x + p)), (f"|x| - {p}", sympy.Abs(x) - p), (f"x - {p}", "without bars")],
            ),
            (
                f"\\sqrt{{a^2 + {p}}}",
                sqrt(a**2 + p),
                [f"(a^2 + {p})^{{1/2}}", f"\\sqrt{{{p} + a^2}}", f"(a^2+{p})^{{0.5}}"],
                [
                    (f"a + \\sqrt{{{p}}}", a + sqrt(p)),
                    (f"\\sqrt{{a^2}} + {p}", a + p),
                    (f"\\sqrt{{a^2 - {p}}}", sqrt(a**2 - p)),
                ],
            ),
            (
                "\\frac{a}{b} - \\frac{b}{a}",
                a / b - b / a,
                ["\\frac{a^2 - b^2}{ab}", "\\frac{(a-b)(a+b)}{ab}", "-\\left(\\frac{b}{a} - \\frac{a}{b}\\right)"],
                [
                    ("\\frac{a^2 + b^2}{ab}", (a * a + b * b) / (a * b)),
                    ("\\frac{a - b}{ab}", (a - b) / (a * b)),
                    ("\\frac{b}{a} - \\frac{a}{b}", b / a - a / b),
                ],
            ),
            (
                "abc",
                a * b * c,
                ["bca", "a b c", "a \\cdot b \\cdot c", "cba"],
                [("ab + c", a * b + c), ("a b", a * b), ("-abc", -a * b * c), ("abc^2", a * b * c**2)],
            ),
            (
                "x^2y",
                x**2 * y,
                ["yx^2", "x \\cdot x \\cdot y", "x^{2} y", "y \\cdot x^2"],
                [("xy^2", x * y**2), ("(xy)^2", (x * y) ** 2), ("-x^2y", -(x**2) * y), ("x^{2y}", x ** (2 * y))],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in rights:
        case.yes(text, "the same value")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    return case


@category("inverse_functions")
def inverse_functions(rng: Random) -> Case:
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                "\\arctan 2",
                sympy.atan(2),
                ["\\tan^{-1} 2", "\\tan^{-1}(2)", "\\arctan(2)", "\\frac{\\pi}{2} - \\arctan\\frac{1}{2}"],
                [
                    ("\\frac{1}{\\tan 2}", 1 / sympy.tan(2)),
                    ("\\arctan \\frac{1}{2}", sympy.atan(Rational(1, 2))),
                    ("\\tan 2", sympy.tan(2)),
                ],
            ),
            (
                "\\frac{3\\pi}{4}",
                3 * pi / 4,
                ["\\arctan 2 + \\arctan 3", "\\pi - \\frac{\\pi}{4}", "\\arccos\\left(-\\frac{\\sqrt{2}}{2}\\right)"],
                [
                    ("\\arctan 2 + \\arctan 4", sympy.atan(2) + sympy.atan(4)),
                    ("-\\frac{\\pi}{4}", -pi / 4),
                    ("\\arcsin\\frac{\\sqrt{2}}{2}", pi / 4),
                ],
            ),
            (
                "\\arcsin\\frac{3}{5}",
                sympy.asin(Rational(3, 5)),
                [
                    "\\sin^{-1}\\left(\\frac{3}{5}\\right)",
                    "\\arctan\\frac{3}{4}",
                    "\\arccos\\frac{4}{5}",
                    "\\arcsin 0.6",
                ],
                [
                    ("\\arcsin\\frac{4}{5}", sympy.asin(Rational(4, 5))),
                    ("\\arctan\\frac{4}{3}", sympy.atan(Rational(4, 3))),
                    ("\\frac{1}{\\sin\\frac{3}{5}}", 1 / sympy.sin(Rational(3, 5))),
                ],
            ),
            (
                "\\frac{1}{2}\\ln 3",
                sympy.log(3) / 2,
                ["\\ln\\sqrt{3}", "\\ln 3^{1/2}", "\\frac{\\ln 3}{2}", "\\frac{\\ln 9}{4}"],
                [
                    ("\\ln\\frac{3}{2}", sympy.log(Rational(3, 2))),
                    ("\\sqrt{\\ln 3}", sqrt(sympy.log(3))),
                    ("\\ln 6", sympy.log(6)),
                ],
            ),
            (
                "\\sinh 1",
                sympy.sinh(1),
                ["\\frac{e - e^{-1}}{2}", "\\frac{e^2 - 1}{2e}", "\\frac{1}{2}\\left(e - \\frac{1}{e}\\right)"],
                [("\\frac{e + e^{-1}}{2}", sympy.cosh(1)), ("\\sin 1", sympy.sin(1)), ("\\cosh 1", sympy.cosh(1))],
            ),
            (
                "\\cot\\frac{\\pi}{6}",
                sqrt(3),
                [
                    "\\sqrt{3}",
                    "\\frac{1}{\\tan\\frac{\\pi}{6}}",
                    "\\tan\\frac{\\pi}{3}",
                    "\\frac{\\cos\\frac{\\pi}{6}}{\\sin\\frac{\\pi}{6}}",
                ],
                [
                    ("\\frac{\\sqrt{3}}{3}", sqrt(3) / 3),
                    ("\\tan\\frac{\\pi}{6}", sqrt(3) / 3),
                    ("\\cot\\frac{\\pi}{3}", sqrt(3) / 3),
                ],
            ),
            (
                "\\sec\\frac{\\pi}{3}",
                2,
                ["2", "\\frac{1}{\\cos\\frac{\\pi}{3}}", "\\csc\\frac{\\pi}{6}"],
                [
                    ("\\frac{1}{2}", Rational(1, 2)),
                    ("\\csc\\frac{\\pi}{3}", 2 / sqrt(3)),
                    ("\\cos\\frac{\\pi}{3}", Rational(1, 2)),
                ],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in [gold, *rights]:
        case.yes(text, "the same value")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    case.no(f"{gold} + 1", worth + 1, "one more")
    case.no(f"2 \\cdot {gold}", 2 * worth, "doubled")
    case.no(f"-{gold}", -worth, "sign")
    return case
