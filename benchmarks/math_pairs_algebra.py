"""Labelled pairs: polynomials, rational functions, powers, identities, named functions."""

from __future__ import annotations

from math import gcd
from random import Random

import sympy
from sympy import Rational, cos, exp, log, pi, sin, sqrt, tan

from benchmarks.math_cases import Case, category, other, polynomial, signed, term

x, y, n, a, b, c, k, m, t, C = sympy.symbols("x y n a b c k m t C")


def _nonzero(rng: Random, low: int = -9, high: int = 9) -> int:
    return other(rng, 0, low, high)


def _linear(p: int, q: int, letter: str = "x") -> str:
    return polynomial([p, q], letter)


@category("polynomial_expanded")
def polynomial_expanded(rng: Random) -> Case:
    p, q, r, s = rng.choice([1, 1, 2, 3]), _nonzero(rng), rng.choice([1, 1, 2]), _nonzero(rng)
    ca, cb, cd = p * r, p * s + q * r, q * s
    v = ca * x**2 + cb * x + cd
    expanded = polynomial([ca, cb, cd])
    factored = f"({_linear(p, q)})({_linear(r, s)})"
    case = Case(rng.choice([expanded, factored]), v)
    case.yes(factored, "factored", (p * x + q) * (r * x + s))
    case.yes(expanded, "expanded")
    case.yes(f"({_linear(r, s)})({_linear(p, q)})", "factors swapped")
    case.yes(f"({_linear(p, q)}) \\cdot ({_linear(r, s)})", "dot")
    case.yes(f"x({_linear(ca, cb)}){signed(cd)}", "Horner", x * (ca * x + cb) + cd)
    case.yes(f"{cd}{term(cb, 'x')}{term(ca, 'x^2')}", "rising powers")
    case.yes(f"-({polynomial([-ca, -cb, -cd])})", "sign in front")
    case.yes(f"\\left({_linear(p, q)}\\right)\\left({_linear(r, s)}\\right)", "sized brackets")
    case.no(polynomial([ca, cb, -cd]), ca * x**2 + cb * x - cd, "constant's sign")
    case.no(polynomial([ca, cb + 1, cd]), v + x, "middle coefficient")
    case.no(polynomial([ca, 0, cb, cd]), ca * x**3 + cb * x + cd, "exponent")
    case.no(f"({_linear(p, -q)})({_linear(r, s)})", (p * x - q) * (r * x + s), "sign in a factor")
    case.no(f"({_linear(p, q)}) + ({_linear(r, s)})", (p * x + q) + (r * x + s), "sum of the factors")
    case.no(polynomial([ca, cb, cd], "y"), v.subs(x, y), "other letter")
    return case


@category("polynomial_two_letters")
def polynomial_two_letters(rng: Random) -> Case:
    p, q = rng.randint(1, 5), rng.randint(1, 5)
    v = sympy.expand((p * x + q * y) ** 2)
    px, qy = term(p, "x", first=True), term(q, "y", first=True)
    expanded = f"{term(p * p, 'x^2', first=True)} + {2 * p * q}xy + {term(q * q, 'y^2', first=True)}"
    case = Case(rng.choice([expanded, f"({px} + {qy})^2"]), v)
    case.yes(expanded, "expanded")
    case.yes(f"({px} + {qy})^2", "square")
    case.yes(f"({qy} + {px})^{{2}}", "square, commuted")
    case.yes(f"(-{px} - {qy})^2", "sign inside")
    case.yes(expanded.replace("xy", "yx"), "yx for xy")
    case.yes(expanded.replace("xy", " \\cdot x \\cdot y"), "dots")
    case.no(f"({px} - {qy})^2", (p * x - q * y) ** 2, "sign")
    case.no(
        f"{term(p * p, 'x^2', first=True)} + {term(q * q, 'y^2', first=True)}",
        p * p * x**2 + q * q * y**2,
        "mixed term lost",
    )
    case.no(expanded.replace("xy", "x"), p * p * x**2 + 2 * p * q * x + q * q * y**2, "a letter lost")
    case.no(f"({px} + {qy})^3", (p * x + q * y) ** 3, "cube")
    case.no(f"({px})^2 + 2({qy})^2 + {2 * p * q}xy", p * p * x**2 + 2 * q * q * y**2 + 2 * p * q * x * y, "coefficient")
    return case


@category("rational_function")
def rational_function(rng: Random) -> Case:
    p, q = _nonzero(rng), _nonzero(rng)
    while p == q:
        q = _nonzero(rng)
    v = 1 / (x + p) + 1 / (x + q)
    one = f"\\frac{{1}}{{{_linear(1, p)}}} + \\frac{{1}}{{{_linear(1, q)}}}"
    top = _linear(2, p + q)
    bottom = polynomial([1, p + q, p * q])
    two = f"\\frac{{{top}}}{{({_linear(1, p)})({_linear(1, q)})}}"
    three = f"\\frac{{{top}}}{{{bottom}}}"
    case = Case(rng.choice([one, two, three]), v)
    case.yes(one, "partial fractions")
    case.yes(two, "one fraction", (2 * x + p + q) / ((x + p) * (x + q)))
    case.yes(three, "one fraction, expanded", (2 * x + p + q) / (x**2 + (p + q) * x + p * q))
    case.yes(f"({top})/({bottom})", "slash")
    case.yes(f"\\dfrac{{{polynomial([-2, -p - q])}}}{{{polynomial([-1, -p - q, -p * q])}}}", "signs in both parts")
    case.yes(f"({top})({bottom})^{{-1}}", "inverse power")
    case.no(one.replace(" + \\frac", " - \\frac"), 1 / (x + p) - 1 / (x + q), "difference")
    case.no(f"\\frac{{{bottom}}}{{{top}}}", 1 / v, "upside down")
    case.no(f"\\frac{{2}}{{{_linear(2, p + q)}}}", 2 / (2 * x + p + q), "denominators added")
    case.no(
        f"\\frac{{{_linear(2, p + q + 1)}}}{{{bottom}}}",
        (2 * x + p + q + 1) / (x**2 + (p + q) * x + p * q),
        "numerator one more",
    )
    case.no(three.replace("x", "t"), v.subs(x, t), "other letter")
    return case


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


@category("trig_identity")
def trig_identity(rng: Random) -> Case:
    f = rng.randint(1, 6)
    lead = "" if f == 1 else str(f)
    kind = rng.randrange(5)
    if kind == 0:
        v = f * sin(2 * x)
        rights = [
            (f"{2 * f}\\sin x \\cos x", 2 * f * sin(x) * cos(x)),
            (f"{lead}\\sin(2x)", v),
            (f"{2 * f}\\cos(x)\\sin(x)", v),
            (f"\\frac{{{2 * f}\\tan x}}{{1 + \\tan^2 x}}", 2 * f * tan(x) / (1 + tan(x) ** 2)),
        ]
        wrongs = [
            (f"{2 * f}\\sin x", 2 * f * sin(x)),
            (f"{lead}\\sin(x^2)", f * sin(x**2)),
            (f"{lead}\\cos(2x)", f * cos(2 * x)),
            (f"{2 * f}\\sin^2 x", 2 * f * sin(x) ** 2),
        ]
    elif kind == 1:
        v = f * cos(2 * x)
        rights = [
            (f"{lead}\\cos 2x", v),
            (f"{f} - {2 * f}\\sin^2 x", f - 2 * f * sin(x) ** 2),
            (f"{2 * f}\\cos^2 x - {f}", v),
            (f"{f}(\\cos^2 x - \\sin^2 x)", v),
            (f"{f}(\\cos x - \\sin x)(\\cos x + \\sin x)", v),
        ]
        wrongs = [
            (f"{2 * f}\\cos x", 2 * f * cos(x)),
            (f"{f} - \\sin^2 x", f - sin(x) ** 2),
            (f"{2 * f}\\cos^2 x + {f}", 2 * f * cos(x) ** 2 + f),
            (f"{f}(\\cos^2 x + \\sin^2 x)", f),
        ]
    elif kind == 2:
        v = f * sin(x) ** 2
        rights = [
            (f"{lead}\\sin^2 x", v),
            (f"{lead}\\sin^{{2}}(x)", v),
            (f"{lead}(\\sin x)^2", v),
            (f"{f} - {lead}\\cos^2 x", f - f * cos(x) ** 2),
            (f"\\frac{{{f}(1 - \\cos 2x)}}{{2}}", f * (1 - cos(2 * x)) / 2),
        ]
        wrongs = [
            (f"{lead}\\sin x^2", f * sin(x**2)),
            (f"{f} + {lead}\\cos^2 x", f + f * cos(x) ** 2),
            (f"{lead}\\sin(2x)", f * sin(2 * x)),
            (f"{lead}\\cos^2 x", f * cos(x) ** 2),
        ]
    elif kind == 3:
        v = f / cos(x) ** 2
        rights = [
            (f"{lead}\\sec^2 x", v),
            (f"\\frac{{{f}}}{{\\cos^2 x}}", v),
            (f"{f} + {lead}\\tan^2 x", f + f * tan(x) ** 2),
            (f"{f}(\\cos x)^{{-2}}", v),
        ]
        wrongs = [
            (f"{lead}\\csc^2 x", f / sin(x) ** 2),
            (f"{f} - {lead}\\tan^2 x", f - f * tan(x) ** 2),
            (f"\\frac{{{f}}}{{\\cos x}}", f / cos(x)),
            (f"{lead}\\cos^2 x", f * cos(x) ** 2),
        ]
    else:
        v = f * sin(x + pi / 4)
        rights = [
            (f"{lead}\\sin\\left(x + \\frac{{\\pi}}{{4}}\\right)", v),
            (f"\\frac{{{f}\\sqrt{{2}}}}{{2}}(\\sin x + \\cos x)", f * sqrt(2) / 2 * (sin(x) + cos(x))),
            (f"{lead}\\cos\\left(\\frac{{\\pi}}{{4}} - x\\right)", f * cos(pi / 4 - x)),
        ]
        wrongs = [
            (f"{lead}\\sin x + \\frac{{\\pi}}{{4}}", f * sin(x) + pi / 4),
            (f"{lead}\\sin\\left(x - \\frac{{\\pi}}{{4}}\\right)", f * sin(x - pi / 4)),
            (f"{f}(\\sin x + \\cos x)", f * (sin(x) + cos(x))),
            (f"{lead}\\cos\\left(x + \\frac{{\\pi}}{{4}}\\right)", f * cos(x + pi / 4)),
        ]
    case = Case(rights[rng.randrange(2)][0], v)
    for text, value in rights:
        case.yes(text, "identity", value)
    for text, value in wrongs:
        case.no(text, value, "not an identity")
    case.no(f"-{rights[0][0]}", -v, "sign")
    return case


@category("log_exp_function")
def log_exp_function(rng: Random) -> Case:
    p, q = rng.randint(2, 7), rng.randint(2, 7)
    if rng.random() < 0.5:
        v = exp(p * x) * q
        case = Case(f"{q}e^{{{p}x}}", v)
        case.yes(f"{q}(e^x)^{p}", "power of a power")
        case.yes(f"{q}\\exp({p}x)", "exp")
        case.yes(f"{q}e^{{x}} \\cdot e^{{{p - 1}x}}", "product")
        case.yes(f"\\frac{{{q}}}{{e^{{-{p}x}}}}", "negative power below")
        case.yes(f"{q} \\cdot e^{{{p} \\cdot x}}", "dots")
        case.yes(f"{q}*e^({p}*x)", "plain text")
        case.no(f"{q}e^{p}x", q * sympy.E**p * x, "letter out of the exponent")
        case.no(f"{q}e^{{x^{p}}}", q * exp(x**p), "power in the exponent")
        case.no(f"{q}e^{{-{p}x}}", q * exp(-p * x), "sign in the exponent")
        case.no(f"{q}e^{{{p}x}} + 1", v + 1, "one more")
        case.no(f"{p}e^{{{q}x}}", p * exp(q * x), "numbers swapped") if p != q else case.no(
            f"e^{{{p}x}}", exp(p * x), "factor lost"
        )
    else:
        v = p * log(x) + log(y)
        case = Case(f"{p}\\ln x + \\ln y", v)
        case.yes(f"\\ln(x^{p} y)", "one logarithm", log(x**p * y))
        case.yes(f"\\ln(y) + {p}\\ln(x)", "commuted")
        case.yes(f"\\ln x^{p} + \\ln y", "power inside", log(x**p) + log(y))
        case.yes(f"\\ln\\left(\\frac{{x^{p}}}{{y^{{-1}}}}\\right)", "quotient inside")
        case.yes(f"{p}\\log_e x + \\log_e y", "base e")
        case.no(f"\\ln({p}xy)", log(p * x * y), "factor inside")
        case.no(f"{p}\\ln(xy)", p * log(x * y), "brackets")
        case.no(f"{p}\\ln x \\cdot \\ln y", p * log(x) * log(y), "product")
        case.no(f"{p}\\ln x - \\ln y", p * log(x) - log(y), "sign")
        case.no(f"\\ln(x^{p} + y)", log(x**p + y), "sum inside")
    return case


@category("letter_names")
def letter_names(rng: Random) -> Case:
    """Capital and small letters, Greek letters and indices are different quantities."""
    first, second = rng.sample(
        ["r", "R", "t", "T", "\\alpha", "\\theta", "x_1", "x_2", "\\lambda", "v_0", "g", "G", "h", "H"], 2
    )
    p = rng.randint(2, 9)
    u, w = sympy.Symbol(first), sympy.Symbol(second)
    v = p * u**2 / w
    upper = f"({first})" if "_" in first else first
    case = Case(f"\\frac{{{p}{upper}^2}}{{{second}}}", v)
    case.yes(f"{p}{upper}^2/{second}", "slash")
    case.yes(f"\\frac{{{p}}}{{{second}}} \\cdot {upper}^{{2}}", "factor in front")
    case.yes(f"\\frac{{{p} \\cdot {first} \\cdot {first}}}{{{second}}}", "product")
    case.yes(f"\\dfrac{{{p}\\,{upper}^2}}{{{second}}}", "thin space")
    case.no(f"\\frac{{{p}({second})^2}}{{{first}}}", p * w**2 / u, "letters swapped")
    case.no(f"\\frac{{{p}{upper}}}{{{second}}}", p * u / w, "power lost")
    case.no(f"\\frac{{{p + 1}{upper}^2}}{{{second}}}", (p + 1) * u**2 / w, "factor")
    if first.swapcase() != first and len(first) == 1 and first.swapcase() != second:
        case.no(
            f"\\frac{{{p}{first.swapcase()}^2}}{{{second}}}", p * sympy.Symbol(first.swapcase()) ** 2 / w, "letter case"
        )
    if first == "x_1" or first == "x_2":
        case.no(f"\\frac{{{p}(x_3)^2}}{{{second}}}", p * sympy.Symbol("x_3") ** 2 / w, "index")
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


@category("function_definition")
def function_definition(rng: Random) -> Case:
    """`f(x) = e`, `y = e` and `e` are the same answer."""
    p, q = _nonzero(rng), _nonzero(rng)
    v = p * x**2 + q
    body = f"{polynomial([p, 0, q])}"
    head = rng.choice(["f(x)", "g(x)", "y", "P(x)", "h(x)"])
    case = Case(rng.choice([body, f"{head} = {body}"]), v)
    case.yes(f"{head} = {body}", "named")
    case.yes(body, "the body alone")
    case.yes(f"{head} = {q}{term(p, 'x^2')}", "named, commuted")
    case.yes(f"{q}{term(p, 'x^{2}')}", "commuted")
    case.no(f"{head} = {polynomial([p, 0, -q])}", p * x**2 - q, "constant's sign")
    case.no(f"{head} = {polynomial([p, q])}", p * x + q, "power lost")
    case.no(polynomial([p + 1 or 1, 0, q]), (p + 1 or 1) * x**2 + q, "coefficient")
    case.no(f"{head} = {polynomial([p, 0, 0, q])}", p * x**3 + q, "exponent")
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
