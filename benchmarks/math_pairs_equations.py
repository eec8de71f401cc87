"""Labelled pairs: equations, families of solutions, sequences, antiderivatives, style."""

from __future__ import annotations

from math import gcd
from random import Random

import sympy
from sympy import I, Rational, cos, exp, pi, sin, sqrt

from benchmarks.math_cases import Case, category, signed, term
from benchmarks.math_pairs_algebra import C, _linear, _nonzero, a, b, c, n, x


def _solved(ca: int, cb: int, cd: int) -> str:
    slope, shift = Rational(-ca, cb), Rational(-cd, cb)
    sign = "-" if slope < 0 else ""
    front = f"{sign}\\frac{{{abs(slope.p)}}}{{{slope.q}}}x" if slope.q > 1 else f"{term(int(slope), 'x', first=True)}"
    size = abs(shift)
    back = f"\\frac{{{size.p}}}{{{size.q}}}" if size.q > 1 else str(size)
    return f"{front} {'-' if shift < 0 else '+'} {back}"


@category("for_all_tail")
def for_all_tail(rng: Random) -> Case:
    p, q = _nonzero(rng), _nonzero(rng)
    v = p * x + q
    body = _linear(p, q)
    case = Case(rng.choice([f"f(x) = {body}", f"f(x) = {body} \\text{{ for all }} x"]), v)
    tails = [
        "\\text{ for all } x \\in \\mathbb{R}",
        "\\text{ for all real } x",
        "\\quad \\forall x \\in \\mathbb{R}",
        "\\text{ for all } x",
        "\\text{ for every real number } x",
        ", x \\in \\mathbb{R}",
        "\\ (x \\in \\mathbb{R})",
    ]
    for tail in tails:
        case.yes(f"f(x) = {body}{tail if tail.startswith((',', chr(92))) else ' ' + tail}", "tail")
    case.yes(f"f(x) = {body}", "no tail")
    for tail in rng.sample(tails, 3):
        case.no(f"f(x) = {_linear(p, -q)}{tail}", p * x - q, "tail and a sign")
        case.no(f"f(x) = {_linear(p + 1 or 2, q)}{tail}", (p + 1 or 2) * x + q, "tail and a coefficient")
    case.no(f"f(x) = {q} \\text{{ for all }} x", sympy.Integer(q), "constant function")
    return case


@category("line_equation")
def line_equation(rng: Random) -> Case:
    ca, cb, cd = rng.randint(1, 7), _nonzero(rng, -7, 7), _nonzero(rng)
    while gcd(gcd(ca, cb), cd) > 1:
        cd = _nonzero(rng)
    key = ("line", Rational(cb, ca), Rational(cd, ca))
    gold = f"{term(ca, 'x', first=True)}{term(cb, 'y')}{signed(cd)} = 0"
    case = Case(gold, key)
    f = rng.randint(2, 5)
    case.yes(f"{term(ca, 'x', first=True)}{term(cb, 'y')} = {-cd}", "constant on the right")
    case.yes(f"{term(ca * f, 'x', first=True)}{term(cb * f, 'y')}{signed(cd * f)} = 0", "multiplied")
    case.yes(f"0 = {term(ca, 'x', first=True)}{term(cb, 'y')}{signed(cd)}", "sides swapped")
    case.yes(f"{term(-ca, 'x', first=True)}{term(-cb, 'y')}{signed(-cd)} = 0", "all signs turned")
    case.yes(f"y = {_solved(ca, cb, cd)}", "solved for y")
    case.yes(f"{term(cb, 'y', first=True)} = {term(-ca, 'x', first=True)}{signed(-cd)}", "term moved")
    case.no(
        f"{term(ca, 'x', first=True)}{term(cb, 'y')} = {cd}",
        ("line", Rational(cb, ca), Rational(-cd, ca)),
        "constant's sign",
    )
    case.no(
        f"{term(ca, 'x', first=True)}{term(-cb, 'y')}{signed(cd)} = 0",
        ("line", Rational(-cb, ca), Rational(cd, ca)),
        "a coefficient's sign",
    )
    case.no(
        f"{term(ca, 'x', first=True)}{term(cb, 'y')}{signed(cd + 1)} = 0",
        ("line", Rational(cb, ca), Rational(cd + 1, ca)),
        "constant one more",
    )
    case.no(f"y = {_solved(ca, cb, -cd)}", ("line", Rational(cb, ca), Rational(-cd, ca)), "solved with a slip")
    case.no(
        f"{term(ca * f, 'x', first=True)}{term(cb * f, 'y')}{signed(cd)} = 0",
        ("line", Rational(cb, ca), Rational(cd, ca * f)),
        "only half multiplied",
    )
    return case


@category("curve_equation")
def curve_equation(rng: Random) -> Case:
    p, q, r = _nonzero(rng, -6, 6), _nonzero(rng, -6, 6), rng.randint(1, 9)
    cd, ce, cf = -2 * p, -2 * q, p * p + q * q - r * r
    key = ("circle", p, q, r)

    def centred(p_: int, q_: int, r_: int) -> str:
        return f"(x {signed(-p_).strip()})^2 + (y {signed(-q_).strip()})^2 = {r_ * r_}"

    case = Case(centred(p, q, r), key)
    case.yes(f"x^2 + y^2{term(cd, 'x')}{term(ce, 'y')}{signed(cf)} = 0", "expanded")
    case.yes(f"x^2{term(cd, 'x')} + y^2{term(ce, 'y')} = {-cf}", "constant on the right")
    case.yes(f"(y {signed(-q).strip()})^2 + (x {signed(-p).strip()})^2 = {r}^2", "commuted, radius squared")
    case.yes(f"2x^2 + 2y^2{term(2 * cd, 'x')}{term(2 * ce, 'y')}{signed(2 * cf)} = 0", "doubled")
    case.yes(
        f"\\frac{{(x {signed(-p).strip()})^2}}{{{r * r}}} + \\frac{{(y {signed(-q).strip()})^2}}{{{r * r}}} = 1"
        if r > 1
        else centred(p, q, r),
        "divided",
    )
    case.no(centred(-p, q, r), ("circle", -p, q, r), "sign of the centre")
    case.no(
        f"(x {signed(-p).strip()})^2 + (y {signed(-q).strip()})^2 = {r * r + 1}",
        ("circle", p, q, sqrt(r * r + 1)),
        "radius",
    )
    case.no(
        f"(x {signed(-p).strip()})^2 - (y {signed(-q).strip()})^2 = {r * r}", "hyperbola", "sign between the squares"
    )
    case.no(
        f"x^2 + y^2{term(cd, 'x')}{term(-ce, 'y')}{signed(cf)} = 0", ("circle", p, -q, r), "a sign in the expanded form"
    )
    return case


@category("trig_general_solution")
def trig_general_solution(rng: Random) -> Case:
    """Families of solutions with an integer parameter."""
    d = rng.choice([2, 3, 4, 6, 12])
    step = rng.choice(["", "2"])
    period = f"{step}\\pi"
    tail = rng.choice([", k \\in \\mathbb{Z}", "", " \\quad (k \\in \\mathbb{Z})"])
    key = ("family", Rational(1, d), step or "1")
    case = Case(f"x = \\frac{{\\pi}}{{{d}}} + {step}k\\pi{tail}", key)
    case.yes(f"x = \\frac{{\\pi}}{{{d}}} + {step}k\\pi, k \\in \\mathbb{{Z}}", "same letter")
    case.yes(f"x = \\frac{{\\pi}}{{{d}}} + {step}n\\pi, n \\in \\mathbb{{Z}}", "other letter")
    case.yes(f"x = {step}k\\pi + \\frac{{\\pi}}{{{d}}}", "commuted")
    case.yes(f"\\frac{{\\pi}}{{{d}}} + {period} k, k \\in \\mathbb{{Z}}", "no name")
    case.yes(f"x = \\frac{{\\pi}}{{{d}}} + {step}k\\pi \\text{{ for any integer }} k", "tail in words")
    case.no(f"x = \\frac{{\\pi}}{{{d + 1}}} + {step}k\\pi{tail}", ("family", Rational(1, d + 1), step), "other start")
    case.no(
        f"x = \\frac{{\\pi}}{{{d}}} + {'' if step else '2'}k\\pi{tail}",
        ("family", Rational(1, d), "other"),
        "other period",
    )
    case.no(f"x = \\frac{{\\pi}}{{{d}}}", ("one", Rational(1, d)), "one solution only")
    case.no(
        f"x = -\\frac{{\\pi}}{{{d}}} + {step}k\\pi{tail}", ("family", Rational(-1, d), step), "sign"
    ) if d > 2 or step else None
    case.no(f"x = \\frac{{\\pi}}{{{d}}} + 3k\\pi{tail}", ("family", Rational(1, d), "3"), "other period")
    return case


@category("sequence_formula")
def sequence_formula(rng: Random) -> Case:
    p, q = rng.randint(2, 9), _nonzero(rng)
    if rng.random() < 0.5:
        v = p * n + q
        body = _linear(p, q, "n")
        rights = [
            (body, v),
            (f"a_n = {body}", v),
            (f"{p + q} + (n-1) \\cdot {p}", v),
            (f"a_{{n}} = {q} + {p}n", v),
            (f"{p}(n - 1){signed(p + q)}", v),
        ]
        wrongs = [
            (_linear(p, q + p, "n"), v + p),
            (f"a_n = {_linear(p, -q, 'n')}", p * n - q),
            (f"a_n = {p}^n{signed(q)}", p**n + q),
            (f"{p + q} + n \\cdot {p}", v + p),
        ]
    else:
        v = q * sympy.Integer(p) ** (n - 1)
        rights = [
            (f"{q} \\cdot {p}^{{n-1}}", v),
            (f"a_n = {q} \\cdot {p}^{{n-1}}", v),
            (f"\\frac{{{q}}}{{{p}}} \\cdot {p}^n", Rational(q, p) * sympy.Integer(p) ** n),
            (f"\\frac{{{q} \\cdot {p}^{{n}}}}{{{p}}}", v),
            (f"{q} \\times {p}^{{n - 1}}", v),
        ]
        wrongs = [
            (f"{q} \\cdot {p}^{{n}}", v * p),
            (f"a_n = {q} \\cdot {p}^{{n+1}}", v * p * p),
            (f"{q} + {p}^{{n-1}}", q + sympy.Integer(p) ** (n - 1)),
            (f"{q} \\cdot {p + 1}^{{n-1}}", q * sympy.Integer(p + 1) ** (n - 1)),
        ]
    case = Case(rights[rng.randrange(2)][0], v)
    for text, value in rights:
        case.yes(text, "rewrite", value)
    for text, value in wrongs:
        case.no(text, value, "changed")
    return case


@category("antiderivative")
def antiderivative(rng: Random) -> Case:
    p, q = rng.randint(2, 8), rng.randint(2, 8)
    kind = rng.randrange(3)
    if kind == 0:
        body, v, alternatives = (
            f"\\frac{{x^{p}}}{{{p}}} + {q}x",
            x**p / p + q * x,
            [
                f"{q}x + \\frac{{1}}{{{p}}}x^{p}",
                f"x\\left(\\frac{{x^{p - 1}}}{{{p}}} + {q}\\right)" if p > 2 else f"\\frac{{x^2 + {2 * q}x}}{{2}}",
            ],
        )
        wrongs = [
            (f"\\frac{{x^{p}}}{{{p + 1}}} + {q}x", x**p / (p + 1) + q * x),
            (f"\\frac{{x^{p}}}{{{p}}} - {q}x", x**p / p - q * x),
            (f"\\frac{{x^{p + 1}}}{{{p}}} + {q}x", x ** (p + 1) / p + q * x),
        ]
    elif kind == 1:
        body, v, alternatives = (
            f"\\frac{{1}}{{{p}}}e^{{{p}x}}",
            exp(p * x) / p,
            [f"\\frac{{e^{{{p}x}}}}{{{p}}}", f"\\frac{{1}}{{{p}}}\\exp({p}x)"],
        )
        wrongs = [
            (f"{p}e^{{{p}x}}", p * exp(p * x)),
            (f"\\frac{{1}}{{{p}}}e^{{-{p}x}}", exp(-p * x) / p),
            (f"e^{{{p}x}}", exp(p * x)),
        ]
    else:
        body, v, alternatives = (
            f"-\\frac{{1}}{{{p}}}\\cos({p}x)",
            -cos(p * x) / p,
            [f"-\\frac{{\\cos {p}x}}{{{p}}}", f"-\\frac{{\\cos({p}x)}}{{{p}}}"],
        )
        wrongs = [
            (f"\\frac{{1}}{{{p}}}\\cos({p}x)", cos(p * x) / p),
            (f"-{p}\\cos({p}x)", -p * cos(p * x)),
            (f"-\\frac{{1}}{{{p}}}\\sin({p}x)", -sin(p * x) / p),
        ]
    case = Case(f"{body} + C", v + C)
    case.yes(f"{body} + C", "the same")
    case.yes(f"{body}+C", "no blanks")
    case.yes(f"C {body if body.startswith('-') else '+ ' + body}", "constant first")
    for text in alternatives:
        case.yes(f"{text} + C", "rewrite")
    for text, value in wrongs:
        case.no(f"{text} + C", value + C, "changed")
    case.no(f"{body} \\cdot C" if not body.startswith("\\frac{x") else f"({body}) \\cdot C", v * C, "times C")
    return case


@category("symbolic_style")
def symbolic_style(rng: Random) -> Case:
    """The same expression in other clothes: products, stars, spacing commands, sized brackets."""
    p, q = rng.randint(2, 9), rng.randint(2, 9)
    v = p * a * b**2 * (a + q * c)
    case = Case(f"{p}ab^2(a+{q}c)", v)
    case.yes(f"{p} a b^{{2}} \\left( a + {q} c \\right)", "sized brackets")
    case.yes(f"{p}\\cdot a\\cdot b^2\\cdot(a+{q}\\cdot c)", "dots")
    case.yes(f"{p}*a*b^2*(a+{q}*c)", "stars")
    case.yes(f"{p}*a*b**2*(a + {q}*c)", "Python")
    case.yes(f"{p}\\,a\\,b^2\\,(a+{q}c)", "thin spaces")
    case.yes(f"{p}a^2b^2 + {p * q}ab^2c", "expanded")
    case.yes(f"{p}ab^2\\bigl(a+{q}c\\bigr)", "big brackets")
    case.yes(f"{p}b^2a[a+{q}c]", "square brackets")
    case.no(f"{p}ab^2a+{q}c", p * a * b**2 * a + q * c, "brackets lost")
    case.no(f"{p}(ab)^2(a+{q}c)", p * (a * b) ** 2 * (a + q * c), "brackets")
    case.no(f"{p}ab^2(a-{q}c)", p * a * b**2 * (a - q * c), "sign")
    case.no(f"{p}a^2b(a+{q}c)", p * a**2 * b * (a + q * c), "power on the other letter")
    case.no(f"{p}ab^2(a+{q}C)", p * a * b**2 * (a + q * C), "letter case")
    return case


@category("sums_and_products")
def sums_and_products(rng: Random) -> Case:
    p = rng.randint(1, 6)
    v = n * (n + 1) / 2 + p
    case = Case(f"\\frac{{n(n+1)}}{{2}} + {p}", v)
    case.yes(f"\\frac{{n^2 + n + {2 * p}}}{{2}}", "one fraction")
    case.yes(f"\\binom{{n+1}}{{2}} + {p}", "binomial", n * (n + 1) / 2 + p)
    case.yes(f"\\frac{{n^2}}{{2}} + \\frac{{n}}{{2}} + {p}", "three terms")
    case.yes(f"{p} + \\frac12 n(n+1)", "half in front")
    case.yes(f"0.5n^2 + 0.5n + {p}", "decimals")
    case.no(f"\\frac{{n(n-1)}}{{2}} + {p}", n * (n - 1) / 2 + p, "sign")
    case.no(f"\\binom{{n}}{{2}} + {p}", n * (n - 1) / 2 + p, "binomial's top")
    case.no(f"\\frac{{n(n+1)}}{{2}} - {p}", v - 2 * p, "sign of the constant")
    case.no(f"\\frac{{n^2 + 1}}{{2}} + {p}", (n**2 + 1) / 2 + p, "a term changed")
    case.no(f"\\frac{{n(n+1) + {p}}}{{2}}", (n * (n + 1) + p) / 2, "constant divided too")
    return case


@category("complex_expression")
def complex_expression(rng: Random) -> Case:
    d = rng.choice([3, 4, 5, 6, 8])
    r = rng.randint(1, 6)
    v = r * exp(2 * pi * I / d)
    lead = "" if r == 1 else str(r)
    case = Case(f"{lead}e^{{2\\pi i/{d}}}", v)
    case.yes(f"{lead}e^{{\\frac{{2\\pi i}}{{{d}}}}}", "fraction")
    case.yes(
        f"{r}\\left(\\cos\\frac{{2\\pi}}{{{d}}} + i\\sin\\frac{{2\\pi}}{{{d}}}\\right)",
        "cosine and sine",
        r * (cos(2 * pi / d) + I * sin(2 * pi / d)),
    )
    case.yes(f"{lead}e^{{\\frac{{2}}{{{d}}}\\pi i}}", "factor in front")
    case.yes(f"{r}\\exp\\left(\\frac{{2 \\pi i}}{{{d}}}\\right)", "exp")
    case.yes(f"{lead}e^{{i \\cdot 2\\pi/{d}}}", "i first")
    case.no(f"{lead}e^{{-2\\pi i/{d}}}", r * exp(-2 * pi * I / d), "conjugate")
    case.no(f"{lead}e^{{\\pi i/{d}}}", r * exp(pi * I / d), "half the angle")
    case.no(f"{lead}e^{{2\\pi/{d}}}", r * exp(2 * pi / d), "i lost")
    case.no(
        f"{r}\\left(\\cos\\frac{{2\\pi}}{{{d}}} - i\\sin\\frac{{2\\pi}}{{{d}}}\\right)",
        r * (cos(2 * pi / d) - I * sin(2 * pi / d)),
        "sign",
    )
    case.no(str(r), sympy.Integer(r), "modulus")
    return case
