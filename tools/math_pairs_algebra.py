"""Labelled pairs: expressions and equations."""

from __future__ import annotations

from math import gcd
from random import Random

import sympy
from sympy import Rational, cos, exp, sin

from tools.math_cases import Case, category, other, polynomial, signed, term

x, y, n, a, b, c, k, m, t, C = sympy.symbols("x y n a b c k m t C")


def _nonzero(rng: Random, low: int = -9, high: int = 9) -> int:
    return other(rng, 0, low, high)


def _linear(p: int, q: int, letter: str = "x") -> str:
    return polynomial([p, q], letter)


@category("power_rewrites")
def power_rewrites(rng: Random) -> Case:
    p, q = rng.randint(2, 6), rng.randint(2, 5)
    while gcd(p, q) > 1:
        p, q = rng.randint(2, 6), rng.randint(2, 5)
    v = x ** Rational(p, q)
    reduced = Rational(p, q)
    case = Case(f"x^{{{reduced.p}/{reduced.q}}}", v)
    case.yes(f"x^{{\\frac{{{p}}}{{{q}}}}}", "fraction in the exponent")
    case.yes(f"\\sqrt[{q}]{{x^{p}}}" if q > 2 else f"\\sqrt{{x^{p}}}", "root of a power")
    case.yes(f"(x^{p})^{{1/{q}}}", "power of a power")
    case.yes(f"x^({p}/{q})", "plain text")
    case.yes(f"\\frac{{1}}{{x^{{-{p}/{q}}}}}", "negative power below")
    case.yes(f"x \\cdot x^{{{(reduced - 1).p}/{reduced.q}}}", "a factor out")
    case.no(f"x^{{{q}/{p}}}", x ** Rational(q, p), "exponent upside down")
    case.no(f"x^{{-{p}/{q}}}", 1 / v, "exponent's sign")
    case.no(f"\\frac{{x^{p}}}{{{q}}}", x**p / q, "divided instead")
    case.no(f"x^{p} \\cdot x^{{1/{q}}}", x ** (p + Rational(1, q)), "exponents added")
    case.no(f"{p}x^{{1/{q}}}", p * x ** Rational(1, q), "exponent as a factor")
    return case


@category("variable_assigned")
def variable_assigned(rng: Random) -> Case:
    """`x = v` and `v` are the same answer."""
    value = rng.randint(2, 200)
    name = rng.choice(
        [
            "x",
            "n",
            "k",
            "a",
            "m",
            "y",
            "p",
            "N",
            "\\alpha",
            "\\theta",
            "AB",
            "S",
            "P(A)",
            "f(3)",
            "a_{10}",
            "\\text{Area}",
            "\\angle ABC",
            "|z|",
        ]
    )
    with_name = rng.random() < 0.4
    case = Case(f"{name} = {value}" if with_name else str(value), value)
    case.yes(str(value), "the value alone")
    case.yes(f"{name} = {value}", "named")
    case.yes(f"{name}={value}", "named, no blanks")
    case.yes(f"{name} = \\frac{{{2 * value}}}{{2}}", "named fraction")
    case.yes(f"{name} &= {value}", "alignment mark")
    case.no(f"{name} = {value + 1}", value + 1, "one more")
    case.no(f"{name} = -{value}", -value, "sign")
    case.no(f"{value + 3}", value + 3, "value alone, other")
    case.no(f"{name} = {value}0", value * 10, "a zero appended")
    case.no(name if "(" not in name else "x", "name", "the name alone")
    return case


@category("dummy_variable")
def dummy_variable(rng: Random) -> Case:
    """The letter of a function's argument does not matter when the function is named with it."""
    p, q = _nonzero(rng), _nonzero(rng)
    u = rng.choice(["t", "z", "n", "u", "s"])
    f = rng.choice(["f", "g", "P", "h"])
    v = p * x**2 + q * x

    def text(letter: str, first: int, second: int) -> str:
        return f"{f}({letter}) = {polynomial([first, second, 0], letter)}"

    case = Case(text("x", p, q), v)
    case.yes(text(u, p, q), "other letter")
    case.yes(text("x", p, q), "the same")
    case.yes(f"{f}({u}) = {u}({_linear(p, q, u)})", "other letter, factored")
    case.yes(text("w", p, q), "other letter")
    case.yes(f"{f}(y) = {term(q, 'y', first=True)}{term(p, 'y^2')}", "other letter, commuted")
    case.no(text(u, p, -q), p * x**2 - q * x, "other letter and a sign")
    case.no(text(u, p, q + 1 or 2), p * x**2 + (q + 1 or 2) * x, "other letter and a coefficient")
    case.no(f"{f}({u}) = {polynomial([p, q], u)}", p * x + q, "other letter, power lost")
    case.no(f"{f}({u}) = {polynomial([p, q, 0], 'w')}", "free", "the letter is not the argument's")
    return case


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
