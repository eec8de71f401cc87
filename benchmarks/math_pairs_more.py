"""Labelled pairs: signs and brackets, near coincidences, plain statements, more sets, units, answers in odd dress."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from random import Random

import sympy
from sympy import E, Rational, pi, sqrt

from benchmarks.math_cases import Case, category, other, polynomial, reasoning, signed, tex

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


@category("sums_gcd_max")
def sums_gcd_max(rng: Random) -> Case:
    n, p, q = rng.randint(3, 30), rng.randint(4, 60), rng.randint(4, 60)
    worth, rights, wrongs = rng.choice(
        [
            (
                n * (n + 1) // 2,
                [f"\\sum_{{k=1}}^{{{n}}} k", f"\\sum_{{i=1}}^{{{n}}} i", f"\\frac{{{n} \\cdot {n + 1}}}{{2}}"],
                [
                    (f"\\sum_{{k=1}}^{{{n + 1}}} k", (n + 1) * (n + 2) // 2),
                    (f"\\sum_{{k=1}}^{{{n}}} k^2", n * (n + 1) * (2 * n + 1) // 6),
                ],
            ),
            (
                max(p, q),
                [f"\\max({p}, {q})", f"\\max\\{{{p}, {q}\\}}"],
                [(f"\\min({p}, {q})", min(p, q)), (f"\\max({p}, {q}) + 1", max(p, q) + 1)],
            ),
            (
                gcd(p, q),
                [f"\\gcd({p}, {q})", f"\\gcd({q},{p})"],
                [(f"\\operatorname{{lcm}}({p}, {q})", p * q // gcd(p, q)), (f"\\gcd({p}, {q}) + 1", gcd(p, q) + 1)],
            ),
            (
                2 ** (n % 7 + 2),
                [f"2^{{{n % 7 + 2}}}", f"\\prod_{{k=1}}^{{{n % 7 + 2}}} 2"],
                [(f"2 \\cdot {n % 7 + 2}", 2 * (n % 7 + 2)), (f"2^{{{n % 7 + 3}}}", 2 ** (n % 7 + 3))],
            ),
        ]
    )
    case = Case(str(worth), worth)
    for text in rights:
        case.yes(text, "not evaluated")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    case.no(str(worth + 1), worth + 1, "one more")
    case.yes(str(worth), "the value")
    return case


@category("zero")
def zero(rng: Random) -> Case:
    n = rng.randint(2, 99)
    case = Case(rng.choice(["0", "0.0", "$0$"]), 0)
    for text in [
        "0",
        "0.0",
        "0.00",
        "-0",
        f"{n} - {n}",
        f"\\frac{{0}}{{{n}}}",
        "x = 0",
        "{0}",
        f"0 \\cdot {n}",
        "\\ln 1",
        "\\sin 0",
        "0\\%",
        "\\sin \\pi",
    ]:
        case.yes(text, "zero")
    for text, value in [
        ("\\emptyset", "none"),
        ("\\text{none}", "none"),
        ("\\text{no solution}", "none"),
        (f"10^{{-{n}}}", Fraction(1, 10**n)),
        ("1", 1),
        ("", "empty"),
        (f"0.{'0' * n}1", Fraction(1, 10 ** (n + 1))),
        ("O", "letter"),
        ("\\infty", "inf"),
        ("\\text{undefined}", "undefined"),
        (f"\\frac{{{n}}}{{0}}", "undefined"),
        ("(0, 0)", (0, 0)),
        ("0, 1", frozenset([0, 1])),
    ]:
        case.no(text, value, "not zero")
    return case


@category("undefined_value")
def undefined_value(rng: Random) -> Case:
    """An answer without a value equals no number."""
    n = rng.randint(1, 99)
    case = Case(str(n), n)
    for text in [
        f"\\frac{{{n}}}{{0}}",
        f"\\frac{{{n} - {n}}}{{{n} - {n}}}",
        "\\frac{0}{0}",
        "0^{-1}",
        "\\ln 0",
        "\\infty - \\infty",
        f"{n} + \\frac{{1}}{{0}}",
        "\\tan\\frac{\\pi}{2}",
        "\\log_{1} 5",
        f"{n} \\cdot \\frac{{0}}{{0}}",
    ]:
        case.no(text, "undefined", "undefined")
    for text in [str(n), f"{n} + 0", f"\\frac{{{n}}}{{1}}", f"{n}^1", f"{n} \\cdot 1"]:
        case.yes(text, "defined")
    return case


@category("plain_statement_forms")
def plain_statement_forms(rng: Random) -> Case:
    """A closing statement without TeX, with full stops, units, money, signs."""
    n, d = rng.randint(11, 400), rng.randint(3, 9)
    cents = rng.choice([25, 50, 75])
    gold, right, wrong = rng.choice(
        [
            (f"{n}.5", f"{n}.5", f"{n}.6"),
            (f"\\frac{{{n * d + 1}}}{{{d}}}", f"{n * d + 1}/{d}", f"{n * d + 2}/{d}"),
            (f"{n}", f"${n}", f"${n + 1}"),
            (f"{n}.{cents}", f"${n}.{cents}", f"${n}.{cents + 1}"),
            (f"{n}", f"{n} cm", f"{n + 1} cm"),
            (f"{n}", f"{n} apples", f"{n + 2} apples"),
            (f"{n}\\%", f"{n}%", f"{n + 1}%"),
            (f"({n}, {d})", f"({n}, {d})", f"({d}, {n})"),
            (f"x^2 + {d}", f"x^2 + {d}", f"x^2 - {d}"),
            (f"{d}\\pi", f"{d}\u03c0", f"{d + 1}\u03c0"),
            (f"-{n}", f"-{n}", f"{n}"),
            (f"{n * 1000}", f"{n},000", f"{n},001"),
            (f"{d}\\sqrt{{2}}", f"{d}\u221a2", f"{d + 1}\u221a2"),
            ("\\text{Yes}", "yes", "no"),
            ("B", "(B)", "(C)"),
            ("B", "B", "D"),
            (f"x = {n}", f"x = {n}", f"x = {n + 1}"),
            (f"{n}^\\circ", f"{n} degrees", f"{n + 1} degrees"),
        ]
    )
    case = Case(gold, gold, raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "The answer is {}.",
        "Therefore, the answer is {}",
        "Answer: {}",
        "**Answer:** {}",
        "The final answer is {}.",
        "Final Answer: {}",
        "So the answer is **{}**.",
        "Hence the answer is: {}.",
        "#### {}",
        "<answer>{}</answer>",
        "**Final answer: {}**",
        "Answer: **{}**",
        "The answer is: **{}**",
    ]:
        case.yes(f"{work}\n\n{layout.format(right)}", layout[:20], gold)
        case.no(f"{work}\n\n{layout.format(wrong)}", wrong, layout[:20])
    return case


@category("statement_denied")
def statement_denied(rng: Random) -> Case:
    """A sentence about the answer that does not give it."""
    n = rng.randint(11, 999)
    w = other(rng, n, 11, 999)
    case = Case(str(n), n, raw=True)
    work = reasoning(rng, 2)
    for text in [
        f"The answer is not {n}.",
        f"I don't know the answer, it could be {n}.",
        f"The answer is not {n}, nor is it {w}.",
        f"The answer is either {n} or {w}.",
        f"The answer is {w} or {n}.",
        f"The answer cannot be {n}.",
        "The answer is unknown.",
        "Answer:",
        "The answer is",
        f"The answer is {w}, not {n}.",
        f"The answer is greater than {n}.",
        f"The answer is at least {n}.",
        f"The answer is less than {n}.",
        f"The answer is about {w}.",
    ]:
        case.no(f"{work} {text}", "not given", "denied or open")
    for text in [
        f"The answer is {n}.",
        f"The answer is not {w}. The answer is {n}.",
        f"The answer is {n}, not {w}.",
        f"It cannot be {w}. The answer is {n}.",
        f"The answer is exactly {n}.",
        f"The answer is indeed {n}.",
        f"The answer is therefore {n}.",
    ]:
        case.yes(f"{work} {text}", "given")
    return case


@category("boxed_sentence_units")
def boxed_sentence_units(rng: Random) -> Case:
    """Counted things after the number in the box."""
    n = rng.randint(2, 990)
    word = rng.choice(
        [
            "apples",
            "students",
            "ways",
            "people",
            "books",
            "square units",
            "units",
            "cubic units",
            "points",
            "triangles",
            "coins",
            "marbles",
        ]
    )
    case = Case(rng.choice([str(n), f"{n} \\text{{ {word}}}"]), n)
    case.yes(str(n), "number")
    case.yes(f"{n} \\text{{ {word}}}", "number and word")
    case.yes(f"{n} \\ \\text{{{word}}}", "spacing")
    case.yes(f"\\text{{{n} {word}}}", "all in text")
    case.yes(f"{n}\\text{{ {word}}}.", "full stop")
    case.yes(f"{n} \\mbox{{ {word}}}", "mbox")
    for bad in (n + 1, n * 10, n + 100):
        case.no(f"{bad} \\text{{ {word}}}", bad, "other number")
    case.no(f"\\text{{{n + 2} {word}}}", n + 2, "other number in text")
    case.no(f"\\text{{{word}}}", word, "the word alone")
    case.no(f"-{n} \\text{{ {word}}}", -n, "sign")
    return case


@category("absolute_inequality")
def absolute_inequality(rng: Random) -> Case:
    p, r = rng.randint(-9, 9), rng.randint(1, 9)
    closed = rng.random() < 0.5
    le, lt_other = ("\\le", "<") if closed else ("<", "\\le")
    left, right = "[]" if closed else "()"
    shift = f"x {signed(-p).strip()}" if p else "x"
    key = (p - r, p + r, closed)
    case = Case(f"{left}{p - r}, {p + r}{right}", key)
    case.yes(f"{p - r} {le} x {le} {p + r}", "chain")
    case.yes(f"|{shift}| {le} {r}", "absolute value")
    case.yes(f"x \\in {left}{p - r}, {p + r}{right}", "x in")
    case.yes(f"\\{{x \\mid {p - r} {le} x {le} {p + r}\\}}", "set-builder")
    case.no(f"|{shift}| {lt_other} {r}", (p - r, p + r, not closed), "strictness")
    case.no(f"|{shift}| {le} {r + 1}", (p - r - 1, p + r + 1, closed), "radius")
    case.no(f"{p - r} {le} x {lt_other} {p + r}", (p - r, p + r, "half"), "one end")
    case.no(f"{p - r + 1} {le} x {le} {p + r}", (p - r + 1, p + r, closed), "lower end")
    case.no(f"x {le} {p - r} \\text{{ or }} x \\ge {p + r}", "outside", "outside")
    return case


@category("unions_of_three")
def unions_of_three(rng: Random) -> Case:
    cuts = sorted(rng.sample(range(-15, 16), 4))
    p, q, r, s = cuts
    key = ("three", p, q, r, s)
    case = Case(f"(-\\infty, {p}) \\cup ({q}, {r}] \\cup ({s}, \\infty)", key)
    case.yes(f"({q}, {r}] \\cup (-\\infty, {p}) \\cup ({s}, \\infty)", "other order")
    case.yes(f"({s}, +\\infty) \\cup ({q}, {r}] \\cup (-\\infty, {p})", "other order")
    case.yes(f"x < {p} \\text{{ or }} {q} < x \\le {r} \\text{{ or }} x > {s}", "inequalities")
    case.yes(f"x \\in (-\\infty,{p})\\cup({q},{r}]\\cup({s},\\infty)", "no blanks")
    case.no(f"(-\\infty, {p}) \\cup ({q}, {r}) \\cup ({s}, \\infty)", ("other end",), "end")
    case.no(f"(-\\infty, {p}) \\cup ({s}, \\infty)", ("lost",), "part lost")
    case.no(f"(-\\infty, {p}) \\cup ({q}, {s}]", ("other",), "merged")
    case.no(f"x < {p} \\text{{ or }} {q} < x < {r} \\text{{ or }} x > {s}", ("other end",), "end")
    case.no(f"(-\\infty, {p}] \\cup ({q}, {r}] \\cup ({s}, \\infty)", ("first end",), "first end")
    return case


@category("interval_and_points")
def interval_and_points(rng: Random) -> Case:
    p = rng.randint(-9, 5)
    q, r = p + rng.randint(1, 4), p + rng.randint(6, 12)
    case = Case(rng.choice([f"(-\\infty, {p}] \\cup \\{{{q}\\}}", f"x \\le {p} \\text{{ or }} x = {q}"]), (p, q))
    case.yes(f"(-\\infty, {p}] \\cup \\{{{q}\\}}", "union with a point")
    case.yes(f"x \\leq {p} \\text{{ or }} x = {q}", "inequality and equation")
    case.yes(f"\\{{{q}\\}} \\cup (-\\infty, {p}]", "other order")
    case.no(f"(-\\infty, {p}]", p, "point lost")
    case.no(f"(-\\infty, {p}) \\cup \\{{{q}\\}}", (p, q, "open"), "end")
    case.no(f"(-\\infty, {p}] \\cup \\{{{r}\\}}", (p, r), "other point")
    case.no(f"x \\le {p} \\text{{ or }} x \\ge {q}", (p, q, "ray"), "ray for the point")
    case.no(f"x < {p} \\text{{ or }} x = {q}", (p, q, "open"), "end")
    return case


@category("all_but_two")
def all_but_two(rng: Random) -> Case:
    p = rng.randint(-9, 5)
    q = p + rng.randint(1, 8)
    case = Case(
        rng.choice(
            [f"(-\\infty, {p}) \\cup ({p}, {q}) \\cup ({q}, \\infty)", f"\\mathbb{{R}} \\setminus \\{{{p}, {q}\\}}"]
        ),
        (p, q),
    )
    case.yes(f"(-\\infty, {p}) \\cup ({p}, {q}) \\cup ({q}, \\infty)", "union")
    case.yes(f"\\mathbb{{R}} \\setminus \\{{{q}, {p}\\}}", "difference")
    case.yes(f"x \\ne {p} \\text{{ and }} x \\ne {q}", "two conditions")
    case.yes(f"({q}, \\infty) \\cup (-\\infty, {p}) \\cup ({p}, {q})", "other order")
    case.no(f"(-\\infty, {p}) \\cup ({q}, \\infty)", "gap", "middle lost")
    case.no(f"\\mathbb{{R}} \\setminus \\{{{p}\\}}", (p,), "one point only")
    case.no(f"\\mathbb{{R}} \\setminus \\{{{p}, {q + 1}\\}}", (p, q + 1), "other point")
    case.no(f"x = {p} \\text{{ or }} x = {q}", frozenset([p, q]), "the points themselves")
    return case


@category("linear_inequality_two_letters")
def linear_inequality_two_letters(rng: Random) -> Case:
    m, k = rng.randint(2, 9), rng.randint(1, 9)
    case = Case(f"y > {m}x + {k}", ("above", m, k))
    case.yes(f"{m}x + {k} < y", "turned")
    case.yes(f"y - {m}x > {k}", "moved")
    case.yes(f"y - {m}x - {k} > 0", "moved")
    case.yes(f"2y > {2 * m}x + {2 * k}", "doubled")
    case.yes(f"{m}x - y < -{k}", "signs turned")
    case.no(f"y < {m}x + {k}", ("below", m, k), "direction")
    case.no(f"y \\ge {m}x + {k}", ("above or on", m, k), "strictness")
    case.no(f"y > {m}x - {k}", ("above", m, -k), "constant's sign")
    case.no(f"y = {m}x + {k}", ("line", m, k), "equation")
    case.no(f"x > {m}y + {k}", ("other", m, k), "letters swapped")
    return case


@category("curves_rearranged")
def curves_rearranged(rng: Random) -> Case:
    p, q = rng.randint(1, 9), rng.randint(2, 9)
    gold, rights, wrongs = rng.choice(
        [
            (
                f"y = (x - {p})^2 + {q}",
                [f"y = x^2 - {2 * p}x + {p * p + q}", f"y - {q} = (x - {p})^2", f"(x-{p})^2 = y - {q}"],
                [f"y = (x + {p})^2 + {q}", f"y = (x - {p})^2 - {q}", f"x = (y - {p})^2 + {q}", f"y = {q}(x - {p})^2"],
            ),
            (
                f"y^2 = {4 * p}x",
                [f"x = \\frac{{y^2}}{{{4 * p}}}", f"y^2 - {4 * p}x = 0", f"{4 * p}x = y^2"],
                [f"x^2 = {4 * p}y", f"y^2 = -{4 * p}x", f"y = {4 * p}x^2", f"y^2 = {4 * p + 1}x"],
            ),
            (
                f"\\frac{{x^2}}{{{p * p + 1}}} + \\frac{{y^2}}{{{q * q}}} = 1",
                [
                    f"\\frac{{y^2}}{{{q * q}}} + \\frac{{x^2}}{{{p * p + 1}}} = 1",
                    f"{q * q}x^2 + {p * p + 1}y^2 = {q * q * (p * p + 1)}",
                ],
                [
                    f"\\frac{{x^2}}{{{p * p + 1}}} - \\frac{{y^2}}{{{q * q}}} = 1",
                    f"\\frac{{x^2}}{{{p * p + 1}}} + \\frac{{y^2}}{{{q * q}}} = 2",
                    f"\\frac{{x^2}}{{{p * p + 2}}} + \\frac{{y^2}}{{{q * q}}} = 1",
                ],
            ),
            (
                f"xy = {q}",
                [f"yx = {q}", f"2xy = {2 * q}", f"xy - {q} = 0"],
                [f"xy = -{q}", f"x + y = {q}", f"xy = {q + 1}", f"x = {q}"],
            ),
            (
                "a^2 + b^2 = c^2",
                ["c^2 = a^2 + b^2", "a^2 = c^2 - b^2", "b^2 + a^2 - c^2 = 0"],
                ["a + b = c", "a^2 - b^2 = c^2", "a^2 + b^2 = c", "(a+b)^2 = c^2"],
            ),
            (
                f"x^2 - {p + q}x + {p * q} = 0",
                [f"(x - {p})(x - {q}) = 0", f"2x^2 - {2 * (p + q)}x + {2 * p * q} = 0", f"x^2 + {p * q} = {p + q}x"],
                [f"x^2 + {p + q}x + {p * q} = 0", f"x^2 - {p + q}x - {p * q} = 0", f"(x - {p})(x - {q}) = 1"],
            ),
        ]
    )
    case = Case(gold, gold)
    for text in [gold, *rights]:
        case.yes(text, "the same curve", gold)
    for text in wrongs:
        case.no(text, text, "another curve")
    return case


@category("scaled_matrix")
def scaled_matrix(rng: Random) -> Case:
    grid = [[rng.randint(-9, 9) for _ in range(2)] for _ in range(2)]
    while not any(any(row) for row in grid):
        grid[0][0] = rng.randint(1, 9)
    d = rng.randint(2, 7)

    def text(cells: list[list[str]], kind: str = "pmatrix") -> str:
        return f"\\begin{{{kind}}} " + " \\\\ ".join(" & ".join(row) for row in cells) + f" \\end{{{kind}}}"

    plain = [[str(e) for e in row] for row in grid]
    divided = [[tex(Fraction(e, d)) for e in row] for row in grid]
    case = Case(text(divided), tuple(tuple(Fraction(e, d) for e in row) for row in grid))
    case.yes(f"\\frac{{1}}{{{d}}}{text(plain)}", "factor in front")
    case.yes(f"\\frac{{1}}{{{d}}} \\cdot {text(plain, 'bmatrix')}", "factor and dot")
    case.yes(text(divided, "bmatrix"), "square brackets")
    case.yes(text([[tex(Fraction(e, d), "slash") for e in row] for row in grid]), "slashes")
    case.no(text(plain), tuple(tuple(map(Fraction, row)) for row in grid), "factor lost")
    case.no(f"{d}{text(plain)}", tuple(tuple(Fraction(e * d) for e in row) for row in grid), "multiplied instead")
    case.no(
        f"\\frac{{1}}{{{d + 1}}}{text(plain)}",
        tuple(tuple(Fraction(e, d + 1) for e in row) for row in grid),
        "other factor",
    )
    bad = [row[:] for row in grid]
    bad[1][0] += 1
    case.no(
        f"\\frac{{1}}{{{d}}}{text([[str(e) for e in row] for row in bad])}",
        tuple(tuple(Fraction(e, d) for e in row) for row in bad),
        "an entry changed",
    )
    return case


@category("unit_vectors")
def unit_vectors(rng: Random) -> Case:
    p, q, r = (rng.choice([-1, 1]) * rng.randint(2, 12) for _ in range(3))
    i, j, k = "\\mathbf{i}", "\\mathbf{j}", "\\mathbf{k}"
    case = Case(f"{p}{i}{signed(q)}{j}{signed(r)}{k}", (p, q, r))
    case.yes(f"{p}{i}{signed(q)}{j}{signed(r)}{k}", "the same")
    case.yes(f"{q}{j}{signed(p)}{i}{signed(r)}{k}", "commuted")
    case.yes(f"{r} {k}{signed(p)} {i}{signed(q)} {j}", "commuted, blanks")
    case.yes(f"\\frac{{{2 * p}}}{{2}}{i}{signed(q)}{j}{signed(r)}{k}", "unreduced")
    case.no(f"{p}{i}{signed(-q)}{j}{signed(r)}{k}", (p, -q, r), "sign")
    case.no(f"{p}{j}{signed(q)}{i}{signed(r)}{k}", (q, p, r), "swapped")
    case.no(f"{p}{i}{signed(q)}{j}", (p, q, 0), "one lost")
    case.no(f"{p}{i}{signed(q)}{j}{signed(r + 1)}{k}", (p, q, r + 1), "an entry changed")
    return case


@category("lists_in_other_dress")
def lists_in_other_dress(rng: Random) -> Case:
    values = sorted(rng.sample(range(-30, 60), 3))
    p, q, r = values
    case = Case(f"{p}, {q}, {r}", frozenset(values))
    for text in [
        f"{p}, {q} \\text{{, and }} {r}",
        f"{r}, {q}, \\text{{ and }} {p}",
        f"{p}; {q}; {r}",
        f"x \\in \\{{{q}, {p}, {r}\\}}",
        f"x = {p}, x = {q}, x = {r}",
        f"x = {p} \\lor x = {q} \\lor x = {r}",
        f"x_1 = {p}, x_2 = {q}, x_3 = {r}",
        f"\\text{{{p}, {q} and {r}}}",
        f"\\{{{r}; {p}; {q}\\}}",
        f"{p},\\quad {q},\\quad {r}",
        f"x = {p}, {q}, {r}",
        f"\\{{ {p}, {q}, {r} \\}}",
    ]:
        case.yes(text, "other dress")
    for text, bad in [
        (f"{p}, {q}", [p, q]),
        (f"{p}, {q}, {r + 1}", [p, q, r + 1]),
        (f"x = {p} \\lor x = {q}", [p, q]),
        (f"x_1 = {p}, x_2 = {q}, x_3 = {-r - 1}", [p, q, -r - 1]),
        (f"\\{{{p}, {q}, {r}, {r + 1}\\}}", [p, q, r, r + 1]),
        (f"{p}{q}{r}" if min(values) > 0 else f"{p} + {q} + {r}", [p + q + r, 0]),
        (f"[{p}, {r}]", [p, r]),
    ]:
        case.no(text, frozenset(bad), "other list")
    return case


@category("named_results")
def named_results(rng: Random) -> Case:
    """Geometry and probability labels in front of the value."""
    n, d = rng.randint(2, 90), rng.randint(2, 9)
    v = Fraction(n, d)
    name = rng.choice(
        [
            "\\overline{AB}",
            "AB",
            "|AB|",
            "\\triangle ABC",
            "[ABC]",
            "S_{ABC}",
            "P(X = 2)",
            "P(A \\cap B)",
            "E[X]",
            "\\mathbb{E}(X)",
            "f'(2)",
            "f^{-1}(3)",
            "\\angle BAC",
            "m\\angle ABC",
            "a_{2024}",
            "S_{10}",
            "\\frac{AB}{CD}",
            "\\text{Probability}",
            "\\text{Area}",
            "\\text{The area}",
            "x_{\\max}",
            "\\cos A",
            "\\tan\\theta",
            "|z|^2",
            "d",
            "\\lambda",
            "\\text{Var}(X)",
        ]
    )
    named = rng.random() < 0.4
    case = Case(f"{name} = {tex(v)}" if named else tex(v), v)
    case.yes(f"{name} = {tex(v)}", "named")
    case.yes(tex(v), "value")
    case.yes(f"{name} = {tex(v, 'slash')}", "named, slash")
    case.yes(f"{name}={tex(v, 'dfrac')}", "named, dfrac")
    case.no(f"{name} = {tex(v + 1)}", v + 1, "one more")
    case.no(f"{name} = {tex(-v)}", -v, "sign")
    case.no(tex(v + Fraction(1, 7)), v + Fraction(1, 7), "other value")
    case.no(f"{name} = {tex(v)} + 1", v + 1, "plus one")
    return case


@category("approximate_tail")
def approximate_tail(rng: Random) -> Case:
    """An exact value followed by its decimal approximation."""
    n, k = rng.choice([2, 3, 5, 6, 7]), rng.randint(2, 9)
    v = k * sqrt(n)
    near = f"{float(v):.2f}"
    case = Case(f"{k}\\sqrt{{{n}}}", v)
    case.yes(f"{k}\\sqrt{{{n}}} \\approx {near}", "with its approximation")
    case.yes(f"x = {k}\\sqrt{{{n}}} \\approx {near}", "named, with its approximation")
    case.yes(f"{k}\\sqrt{{{n}}}", "alone")
    case.yes(f"\\sqrt{{{k * k * n}}} \\approx {near}", "rewritten, with its approximation")
    case.no(near, Fraction(near), "the approximation alone")
    case.no(
        f"{k + 1}\\sqrt{{{n}}} \\approx {float((k + 1) * sqrt(n)):.2f}",
        (k + 1) * sqrt(n),
        "other value, with its approximation",
    )
    case.no(f"{k}\\sqrt{{{n + 1}}} \\approx {near}", k * sqrt(n + 1), "other value, with the right approximation")
    case.no(f"\\approx {near}", Fraction(near), "approximation only")
    return case


@category("currency_in_prose")
def currency_in_prose(rng: Random) -> Case:
    """Dollar amounts in a statement, where the dollar sign is money and not mathematics."""
    n, cents = rng.randint(2, 900), rng.choice(["", ".50", ".25", ".00"])
    w = n + rng.randint(1, 9)
    case = Case(f"{n}{cents}" if cents != ".00" else str(n), Fraction(f"{n}{cents or '.0'}"), raw=True)
    work = f"He pays ${w} first and gets ${rng.randint(2, 90)} back."
    for layout in [
        "{w} The answer is ${v}.",
        "{w} So the answer is \\${v}.",
        "{w} Answer: ${v}",
        "{w}\n#### {v}",
        "{w} The answer is {v} dollars.",
        "{w} $\\boxed{\\${v}}$",
        "{w} \\boxed{{v}\\text{ dollars}}",
        "{w} The final answer is **${v}**.",
    ]:
        case.yes(layout.replace("{w}", work).replace("{v}", f"{n}{cents}"), layout[4:24])
        case.no(
            layout.replace("{w}", work).replace("{v}", f"{w}{cents}"), Fraction(f"{w}{cents or '.0'}"), layout[4:24]
        )
    return case


@category("open_answers_wrong_kind")
def open_answers_wrong_kind(rng: Random) -> Case:
    """Answers of another kind than the gold."""
    p, q = rng.randint(2, 30), rng.randint(31, 60)
    gold, wrongs = rng.choice(
        [
            (
                f"({p}, {q})",
                [str(p), f"{p} + {q}", f"\\{{{p}, {q}\\}} \\cup \\{{0\\}}", f"[{p}, {q}]", f"y = {p}x + {q}"],
            ),
            (f"[{p}, {q}]", [f"({p}, {q})", f"\\{{{p}, {q}\\}}", str(q), f"{p} < x < {q}", f"[{q}, {p}]"]),
            (
                f"\\{{{p}, {q}\\}}",
                [str(p), f"{p} < x < {q}", f"[{p}, {q}]", f"\\{{{p}\\}}"],
            ),
            (f"y = {p}x + {q}", [f"{p}", f"({p}, {q})", f"y > {p}x + {q}", f"y = {p}x", f"{p}x + {q} = 0"]),
            (f"x > {p}", [str(p), f"x = {p}", f"x \\ge {p}", f"x < {p}", f"x \\ne {p}"]),
            (
                f"\\begin{{pmatrix}} {p} \\\\ {q} \\end{{pmatrix}}",
                [
                    str(p),
                    f"\\begin{{pmatrix}} {p} & {q} \\\\ {q} & {p} \\end{{pmatrix}}",
                    f"{p} + {q}",
                    f"\\begin{{pmatrix}} {q} \\\\ {p} \\end{{pmatrix}}",
                ],
            ),
            ("\\text{Yes}", [str(p), "\\text{No}", "x", f"({p}, {q})"]),
        ]
    )
    case = Case(gold, gold)
    for text in wrongs:
        case.no(text, text, "another kind")
    case.yes(gold, "the same")
    case.yes(f"{{{gold}}}", "braces")
    case.yes(f"\\displaystyle {gold}", "display style")
    case.yes(f" {gold} ", "blanks")
    case.yes(f"{gold}.", "full stop")
    return case


@category("constants_named")
def constants_named(rng: Random) -> Case:
    k = rng.randint(2, 9)
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                f"{k}e",
                k * E,
                [f"{k}\\mathrm{{e}}", f"{k}\\cdot e", f"{k}\\exp(1)", f"{k}e^1", f"{k}*e"],
                [(f"{k}e^2", k * E**2), (f"{k}\\pi", k * pi), (f"{k}x", k * x), (f"{k}", k)],
            ),
            (
                f"\\frac{{e}}{{{k}}}",
                E / k,
                [f"e/{k}", f"\\frac{{1}}{{{k}}}e", f"\\frac{{\\mathrm{{e}}}}{{{k}}}", f"e \\cdot {k}^{{-1}}"],
                [
                    (f"\\frac{{{k}}}{{e}}", k / E),
                    (f"\\frac{{e^{k}}}{{{k}}}", E**k / k),
                    (f"\\frac{{\\pi}}{{{k}}}", pi / k),
                ],
            ),
            (
                f"{k}\\phi",
                k * sympy.Symbol("phi"),
                [f"\\phi \\cdot {k}", f"{k} \\phi", f"{k}\\cdot\\phi"],
                [
                    (f"{k}\\varphi^2", "other"),
                    (f"{k}\\psi", k * sympy.Symbol("psi")),
                    (f"{k + 1}\\phi", (k + 1) * sympy.Symbol("phi")),
                ],
            ),
            (
                f"\\frac{{\\pi^2}}{{{k}}}",
                pi**2 / k,
                [f"\\frac{{1}}{{{k}}}\\pi^2", f"\\pi^{{2}}/{k}", f"pi^2/{k}", f"\\frac{{\\pi \\cdot \\pi}}{{{k}}}"],
                [
                    (f"\\frac{{\\pi}}{{{k}}}", pi / k),
                    (f"\\left(\\frac{{\\pi}}{{{k}}}\\right)^2", (pi / k) ** 2),
                    (f"\\frac{{2\\pi}}{{{k}}}", 2 * pi / k),
                ],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in [gold, *rights]:
        case.yes(text, "the same value")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    case.no(f"{gold} - 1", worth - 1, "one less")
    return case


@category("quotient_polynomials")
def quotient_polynomials(rng: Random) -> Case:
    """Expanded products of three factors and their quotients."""
    p, q, r = (other(rng, 0, -6, 6) for _ in range(3))
    worth = sympy.expand((x + p) * (x + q) * (x + r))
    cs = [int(e) for e in sympy.Poly(worth, x).all_coeffs()]
    f = "".join(f"(x {signed(v).strip()})" for v in (p, q, r))
    case = Case(rng.choice([f, polynomial(cs)]), worth)
    case.yes(f, "factored")
    case.yes(polynomial(cs), "expanded")
    case.yes("".join(f"(x {signed(v).strip()})" for v in (r, p, q)), "other order")
    case.yes(
        f"x^3{signed(p + q + r)}x^2{signed(p * q + q * r + p * r)}x{signed(p * q * r)}", "with ones and zeros written"
    )
    case.yes(f"-(-x {signed(-p).strip()})(x {signed(q).strip()})(x {signed(r).strip()})", "sign in a factor")
    for at in (1, 2, 3):
        bad = cs[:]
        bad[at] += rng.choice([1, -1])
        case.no(polynomial(bad), sum(v * x ** (3 - i) for i, v in enumerate(bad)), "a coefficient")
    case.no(
        f"(x {signed(-p).strip()})(x {signed(q).strip()})(x {signed(r).strip()})",
        (x - p) * (x + q) * (x + r),
        "a root's sign",
    )
    case.no(f"(x {signed(p).strip()})(x {signed(q).strip()})", (x + p) * (x + q), "a factor lost")
    return case
