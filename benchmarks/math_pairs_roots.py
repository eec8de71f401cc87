"""Labelled pairs: roots, pi, logarithms, complex numbers and other single numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from random import Random

import sympy
from sympy import I, Rational, pi, sqrt

from benchmarks.math_cases import Case, category, other, signed, tex
from benchmarks.math_pairs_numbers import _fraction, _square_free


@category("nested_root")
def nested_root(rng: Random) -> Case:
    a, b = rng.sample([1, 2, 3, 5, 6, 7, 10, 11], 2)
    lo, hi = min(a, b), max(a, b)
    v = sqrt(hi) + sqrt(lo)
    first = "1" if lo == 1 else f"\\sqrt{{{lo}}}"
    text = f"{first} + \\sqrt{{{hi}}}"
    nested = f"\\sqrt{{{a + b} + 2\\sqrt{{{a * b}}}}}"
    case = Case(rng.choice([text, nested]), v)
    case.yes(nested, "one root over the other", sqrt(a + b + 2 * sqrt(a * b)))
    case.yes(text, "a sum of roots")
    case.yes(f"\\frac{{{hi - lo}}}{{\\sqrt{{{hi}}} - {first}}}", "conjugate", (hi - lo) / (sqrt(hi) - sqrt(lo)))
    case.yes(f"({first} + \\sqrt{{{hi}}})^1", "power one")
    case.no(f"\\sqrt{{{a + b} - 2\\sqrt{{{a * b}}}}}", sqrt(hi) - sqrt(lo), "sign inside")
    case.no(f"\\sqrt{{{a + b}}}", sqrt(a + b), "roots added under the root")
    case.no(f"\\sqrt{{{a + b} + \\sqrt{{{a * b}}}}}", sqrt(a + b + sqrt(a * b)), "factor lost")
    case.no(f"\\sqrt{{{hi}}} - {first}", sqrt(hi) - sqrt(lo), "sign")
    return case


@category("higher_root")
def higher_root(rng: Random) -> Case:
    k, n, p = rng.choice([3, 4, 5]), rng.choice([2, 3, 5, 6, 7]), rng.randint(2, 5)
    v = p * sympy.root(n, k)
    case = Case(f"{p}\\sqrt[{k}]{{{n}}}", v)
    case.yes(f"\\sqrt[{k}]{{{p**k * n}}}", "under the root", sympy.root(p**k * n, k))
    case.yes(f"{p} \\cdot {n}^{{1/{k}}}", "as a power")
    case.yes(f"{p} \\cdot {n}^{{\\frac{{1}}{{{k}}}}}", "as a power")
    case.yes(f"{p}*{n}^(1/{k})", "plain text")
    case.no(f"{p}\\sqrt[{k + 1}]{{{n}}}", p * sympy.root(n, k + 1), "other root")
    case.no(f"\\sqrt[{k}]{{{p * n}}}", sympy.root(p * n, k), "taken in wrongly")
    case.no(f"{p}\\sqrt{{{n}}}", p * sqrt(n), "square root")
    case.no(f"{p}^{{1/{k}}} \\cdot {n}", n * sympy.root(p, k), "swapped") if n != p else None
    return case


@category("pi_multiple")
def pi_multiple(rng: Random) -> Case:
    f = _fraction(rng, 15, 12) if rng.random() < 0.7 else Fraction(rng.randint(2, 40))
    a, b = f.numerator, f.denominator
    v = Rational(a, b) * pi
    lead = "" if a == 1 else str(a)
    gold = f"{lead}\\pi" if b == 1 else f"\\frac{{{lead}\\pi}}{{{b}}}"
    case = Case(gold, v)
    case.yes(gold, "the same")
    case.yes(f"{tex(f)}\\pi", "factor in front")
    case.yes(f"{tex(f)} \\cdot \\pi", "dot")
    case.yes(f"\\pi \\cdot {tex(f)}", "pi first")
    case.yes(f"{a}\\pi/{b}" if b > 1 else f"{a} \\pi", "slash")
    case.yes(f"{a}*pi/{b}" if b > 1 else f"{a}*pi", "plain text")
    case.yes(f"{a}\u03c0/{b}" if b > 1 else f"{a}\u03c0", "Unicode")
    case.yes(f"\\frac{{{a * 3}\\pi}}{{{b * 3}}}", "unreduced")
    case.no(f"{tex(f)}", f, "pi lost")
    case.no(f"{tex(f)}\\pi^2", v * pi, "pi squared")
    case.no(f"{tex(f + 1)}\\pi", v + pi, "one pi more")
    case.no(f"\\frac{{{a}}}{{{b}\\pi}}", Rational(a, b) / pi, "pi in the denominator")
    case.no(f"-{tex(f)}\\pi", -v, "sign")
    return case


@category("logarithm")
def logarithm(rng: Random) -> Case:
    b, e = rng.choice([2, 3, 5, 7]), rng.randint(2, 6)
    kind = rng.randrange(3)
    if kind == 0:
        v = e * sympy.log(b)
        case = Case(f"{e}\\ln {b}", v)
        case.yes(f"\\ln {b**e}", "power taken in", sympy.log(b**e))
        case.yes(f"\\ln({b}^{{{e}}})", "power inside")
        case.yes(f"{e} \\ln({b})", "brackets")
        case.yes(f"{e}\\ln{{{b}}}", "braces")
        case.yes(f"-\\ln \\frac{{1}}{{{b**e}}}", "inverse")
        case.no(f"\\ln {b * e}", sympy.log(b * e), "factor taken in wrongly")
        case.no(f"(\\ln {b})^{{{e}}}", sympy.log(b) ** e, "power outside")
        case.no(f"{e + 1}\\ln {b}", v + sympy.log(b), "factor one more")
        case.no(f"{e}\\log_{{10}} {b}", e * sympy.log(b, 10), "other base")
    elif kind == 1:
        v = e
        case = Case(str(e), v)
        case.yes(f"\\log_{{{b}}} {b**e}", "logarithm of a power", sympy.log(b**e, b))
        case.yes(f"\\log_{{{b}}}({b**e})", "brackets", sympy.log(b**e, b))
        case.yes(f"\\frac{{\\ln {b**e}}}{{\\ln {b}}}", "quotient of logarithms", sympy.log(b**e) / sympy.log(b))
        case.yes(f"\\frac{{\\log {b**e}}}{{\\log {b}}}", "quotient of logarithms", sympy.log(b**e) / sympy.log(b))
        case.no(f"\\log_{{{b}}} {b ** (e + 1)}", e + 1, "power one more")
        case.no(f"\\log_{{{b**e}}} {b}", Rational(1, e), "base and argument swapped")
        case.no(f"\\ln {b**e}", sympy.log(b**e), "natural logarithm")
        case.no(f"\\frac{{\\ln {b}}}{{\\ln {b**e}}}", Rational(1, e), "upside down")
    else:
        c = other(rng, b, 2, 9)
        v = sympy.log(b * c)
        case = Case(f"\\ln {b * c}", v)
        case.yes(f"\\ln {b} + \\ln {c}", "sum", sympy.log(b) + sympy.log(c))
        case.yes(f"\\ln({b} \\cdot {c})", "product inside")
        case.yes(f"\\frac{{1}}{{2}}\\ln {(b * c) ** 2}", "half of the square's")
        case.yes(f"\\frac{{\\log_{{2}} {b * c}}}{{\\log_2 e}}", "change of base", v)
        case.no(f"\\ln {b} \\cdot \\ln {c}", sympy.log(b) * sympy.log(c), "product of logarithms")
        case.no(f"\\ln {b} - \\ln {c}", sympy.log(b) - sympy.log(c), "difference")
        case.no(f"\\ln({b} + {c})", sympy.log(b + c), "sum inside") if b + c != b * c else None
        case.no(f"\\log_{{2}} {b * c}", sympy.log(b * c, 2), "other base")
    return case


@category("exponential_number")
def exponential_number(rng: Random) -> Case:
    a, b = rng.randint(2, 9), rng.randint(2, 6)
    e = sympy.E
    v = a * e**b
    case = Case(f"{a}e^{{{b}}}", v)
    case.yes(f"{a} e^{b}", "no braces")
    case.yes(f"{a}\\cdot e^{{{b}}}", "dot")
    case.yes(f"{a}\\exp({b})", "exp")
    case.yes(f"{a}\\mathrm{{e}}^{{{b}}}", "upright e")
    case.yes(f"\\frac{{{a}}}{{e^{{-{b}}}}}", "negative power below")
    case.yes(f"e^{{{b} + \\ln {a}}}", "factor in the exponent")
    case.no(f"{a}e^{{{b + 1}}}", v * e, "exponent one more")
    case.no(f"{a}e^{{-{b}}}", a / e**b, "exponent's sign")
    case.no(f"({a}e)^{{{b}}}", (a * e) ** b, "brackets")
    case.no(f"{a} + e^{{{b}}}", a + e**b, "sum")
    case.no(f"{a}\\pi^{{{b}}}", a * pi**b, "pi for e")
    return case


@category("trig_value")
def trig_value(rng: Random) -> Case:
    name, angle, v, text = rng.choice(
        [
            ("sin", "\\frac{\\pi}{6}", Rational(1, 2), "\\frac{1}{2}"),
            ("cos", "\\frac{\\pi}{4}", sqrt(2) / 2, "\\frac{\\sqrt{2}}{2}"),
            ("tan", "\\frac{\\pi}{3}", sqrt(3), "\\sqrt{3}"),
            ("sin", "\\frac{\\pi}{12}", (sqrt(6) - sqrt(2)) / 4, "\\frac{\\sqrt{6} - \\sqrt{2}}{4}"),
            ("cos", "\\frac{\\pi}{5}", (1 + sqrt(5)) / 4, "\\frac{1 + \\sqrt{5}}{4}"),
            ("tan", "\\frac{\\pi}{8}", sqrt(2) - 1, "\\sqrt{2} - 1"),
            ("arctan", "1", pi / 4, "\\frac{\\pi}{4}"),
            ("arcsin", "\\frac{1}{2}", pi / 6, "\\frac{\\pi}{6}"),
            ("arccos", "0", pi / 2, "\\frac{\\pi}{2}"),
        ]
    )
    k = rng.randint(2, 9)
    case = Case(
        f"{k} \\cdot \\left({text}\\right)" if rng.random() < 0.3 else f"{k}\\{name}\\left({angle}\\right)", k * v
    )
    case.yes(f"{k}\\{name}\\left({angle}\\right)", "function")
    case.yes(f"{k} \\{name}({angle})", "function with blank")
    case.yes(f"\\left({text}\\right) \\cdot {k}", "evaluated")
    case.yes(f"{k}\\left({text}\\right)", "evaluated in brackets")
    case.yes(f"\\frac{{{2 * k} \\{name}({angle})}}{{2}}", "over two")
    case.no(f"{k + 1}\\{name}\\left({angle}\\right)", (k + 1) * v, "factor one more")
    case.no(f"-{k} \\cdot \\left({text}\\right)", -k * v, "sign")
    case.no(f"{k} + {text}", k + v, "sum")
    case.no(f"\\{name}\\left({angle}\\right)", v, "factor lost")
    return case


@category("factorial_binomial")
def factorial_binomial(rng: Random) -> Case:
    n = rng.randint(4, 14)
    k = rng.randint(2, n - 2)
    if rng.random() < 0.5:
        v = comb(n, k)
        case = Case(rng.choice([str(v), f"\\binom{{{n}}}{{{k}}}"]), v)
        case.yes(str(v), "evaluated")
        case.yes(f"\\binom{{{n}}}{{{k}}}", "binomial")
        case.yes(f"\\dbinom{{{n}}}{{{n - k}}}", "symmetric binomial")
        case.yes(f"\\frac{{{n}!}}{{{k}!{n - k}!}}", "factorials")
        case.yes(f"\\frac{{{n}!}}{{{k}! \\cdot {n - k}!}}", "factorials with dot")
        case.yes(f"{{{n} \\choose {k}}}", "choose")
        case.no(f"\\binom{{{n + 1}}}{{{k}}}", comb(n + 1, k), "top one more")
        case.no(f"\\frac{{{n}!}}{{{k}!}}", Fraction(factorial(n), factorial(k)), "permutations")
        case.no(f"\\binom{{{n}}}{{{k}}} + 1", v + 1, "one more")
        case.no(str(v - 1), v - 1, "one less")
    else:
        v = factorial(n)
        case = Case(rng.choice([str(v), f"{n}!"]), v)
        case.yes(f"{n}!", "factorial")
        case.yes(str(v), "evaluated")
        case.yes(f"{n} \\cdot {n - 1}!", "one factor out")
        case.yes(f"\\frac{{{n + 1}!}}{{{n + 1}}}", "quotient")
        case.no(f"{n - 1}!", factorial(n - 1), "one less")
        case.no(f"{n}! - 1", v - 1, "minus one")
        case.no(f"\\frac{{{n}!}}{{2}}", v // 2, "half")
        case.no(f"{n}! \\cdot {n}", v * n, "times")
    return case


@category("complex_number")
def complex_number(rng: Random) -> Case:
    a, b = rng.randint(1, 15), rng.randint(2, 15)
    if rng.random() < 0.5:
        b = -b
    v = a + b * I
    sign, size = ("+", b) if b > 0 else ("-", -b)
    case = Case(f"{a} {sign} {size}i", v)
    case.yes(f"{a}{sign}{size}i", "no blanks")
    case.yes(f"{'' if b > 0 else '-'}{size}i + {a}", "other order")
    case.yes(f"{a} {sign} {size}\\mathrm{{i}}", "upright i")
    case.yes(f"{a} {sign} {size} \\cdot i", "dot")
    case.yes(f"{a} {sign} i{size}", "i first")
    case.yes(f"{a} {sign} i \\cdot {size}", "i first with dot")
    case.yes(f"\\frac{{{2 * a} {sign} {2 * size}i}}{{2}}", "over two")
    case.yes(f"{a} {sign} {size}\\sqrt{{-1}}", "root of minus one")
    case.yes(f"i({b}{signed(-a)}i)", "factor i out", I * (b - a * I))
    case.yes(f"{a} {sign} {size}\\, i", "thin space")
    case.no(f"{a} {'-' if b > 0 else '+'} {size}i", a - b * I, "conjugate")
    case.no(f"{-a} {sign} {size}i", -a + b * I, "real part's sign")
    case.no(f"{size} {sign} {a}i", size + (a if b > 0 else -a) * I, "parts swapped") if size != a else None
    case.no(f"{a} {sign} {size}", a + b, "i lost")
    case.no(f"{a} {sign} {size + 1}i", a + (b + (1 if b > 0 else -1)) * I, "imaginary part off")
    case.no(f"{a * b}i", a * b * I, "product")
    return case


@category("complex_power")
def complex_power(rng: Random) -> Case:
    a, b = rng.randint(1, 5), rng.randint(1, 5)
    square = sympy.expand((a + b * I) ** 2)
    re, im = int(sympy.re(square)), int(sympy.im(square))
    case = Case(f"{re} + {im}i" if re else f"{im}i", square)
    part = f"{a} + {'' if b == 1 else b}i"
    case.yes(f"({part})^2", "a square")
    case.yes(f"({part})({part})", "a product")
    case.yes(f"{im}i{signed(re)}", "other order")
    case.yes(f"\\frac{{{im} {signed(-re).strip()}i}}{{-i}}", "over i", (im - re * I) / (-I))
    case.no(f"({a} - {b}i)^2", sympy.expand((a - b * I) ** 2), "conjugate")
    case.no(f"({part})^3", sympy.expand((a + b * I) ** 3), "cube")
    case.no(f"{a * a - b * b + 1} + {im}i", square + 1, "real part one more")
    case.no(f"{a * a + b * b} + {im}i", a * a + b * b + im * I, "real part's sign rule") if b else None
    case.no(f"|{part}|^2", a * a + b * b, "modulus")
    return case


@category("arithmetic_expression")
def arithmetic_expression(rng: Random) -> Case:
    a, b, c, d = (rng.randint(2, 20) for _ in range(4))
    kind = rng.randrange(4)
    text, v = [
        (f"{a} \\cdot {b} + {c}", a * b + c),
        (f"{a}^2 - {b} \\times {c}", a * a - b * c),
        (f"\\frac{{{a} + {b}}}{{{c}}} \\cdot {d}", Fraction((a + b) * d, c)),
        (f"{a} - ({b} - {c})", a - b + c),
    ][kind]
    case = Case(tex(Fraction(v)), Fraction(v))
    case.yes(text, "not evaluated")
    case.yes(f"({text})", "not evaluated, in brackets")
    case.yes(f"{text} + 0", "plus zero")
    case.yes(f"{d} + {text} - {d}", "added and taken away")
    bad, worse = [
        (f"{a} \\cdot ({b} + {c})", a * (b + c)),
        (f"({a}^2 - {b}) \\times {c}", (a * a - b) * c),
        (f"{a} + \\frac{{{b}}}{{{c}}} \\cdot {d}", a + Fraction(b * d, c)),
        (f"{a} - {b} - {c}", a - b - c),
    ][kind]
    if worse != v:
        case.no(bad, Fraction(worse), "brackets moved")
    case.no(f"{text} + 1", Fraction(v) + 1, "one more")
    case.no(f"-({text})", -Fraction(v), "sign") if v else None
    case.no(tex(Fraction(v) + Fraction(1, 2)), Fraction(v) + Fraction(1, 2), "a half more")
    return case


@category("floor_ceiling_absolute")
def floor_ceiling_absolute(rng: Random) -> Case:
    n, part = rng.randint(2, 40), rng.randint(1, 9)
    case = Case(str(n), n)
    case.yes(f"\\lfloor {n}.{part} \\rfloor", "floor")
    case.yes(f"\\left\\lfloor \\frac{{{n * 3 + 1}}}{{3}} \\right\\rfloor", "floor of a fraction")
    case.yes(f"\\lceil {n - 1}.{part} \\rceil", "ceiling")
    case.yes(f"|-{n}|", "absolute value")
    case.yes(f"\\left|{n}\\right|", "sized bars")
    case.yes(f"|{n} - {2 * n}|", "absolute difference")
    case.no(f"\\lceil {n}.{part} \\rceil", n + 1, "ceiling for floor")
    case.no(f"\\lfloor {n - 1}.{part} \\rfloor", n - 1, "floor for ceiling")
    case.no(f"-|{n}|", -n, "sign outside")
    case.no(f"{n}.{part}", Fraction(f"{n}.{part}"), "not rounded")
    return case


@category("infinity")
def infinity(rng: Random) -> Case:
    negative = rng.random() < 0.4
    case = Case(
        "-\\infty" if negative else rng.choice(["\\infty", "+\\infty", "$\\infty$"]), "-inf" if negative else "inf"
    )
    if negative:
        for text, why in [
            ("-\\infty", "the same"),
            ("- \\infty", "blank"),
            ("-\u221e", "Unicode"),
            ("-infinity", "word"),
            ("\\text{-}\\infty", "sign in text"),
        ]:
            case.yes(text, why)
        case.no("\\infty", "inf", "sign")
        case.no("+\\infty", "inf", "sign")
    else:
        for text, why in [
            ("\\infty", "the same"),
            ("+\\infty", "plus sign"),
            ("\u221e", "Unicode"),
            ("infinity", "word"),
            ("\\text{infinity}", "word in text"),
            ("{\\infty}", "braces"),
        ]:
            case.yes(text, why)
        case.no("-\\infty", "-inf", "sign")
    n = rng.randint(0, 10**6)
    case.no(str(n), n, "a finite number")
    case.no("10^{100}", 10**100, "a large number")
    case.no("0", 0, "zero")
    case.no("\\pm\\infty", frozenset(["inf", "-inf"]), "both signs")
    return case


@category("base_n")
def base_n(rng: Random) -> Case:
    base = rng.choice([2, 3, 4, 5, 6, 7, 8, 9])
    n = rng.randint(base * base, base**5)
    digits = ""
    rest = n
    while rest:
        digits = str(rest % base) + digits
        rest //= base
    case = Case(rng.choice([f"{digits}_{{{base}}}", f"{digits}_{base}"]), (digits, base))
    case.yes(f"{digits}_{base}", "no braces")
    case.yes(f"{digits}_{{{base}}}", "braces")
    case.yes(f"({digits})_{{{base}}}", "brackets")
    case.yes(f"{digits}_{{({base})}}", "bracketed base")
    case.yes(f"\\left({digits}\\right)_{base}", "sized brackets")
    case.yes(f"{digits} _ {base}", "blanks")
    case.yes(f"\\text{{{digits}}}_{{{base}}}", "digits in text")
    wrong = other(rng, base, max(int(d) for d in digits) + 1, 10)
    case.no(f"{digits}_{{{wrong}}}", (digits, wrong), "other base")
    swapped = digits[:-1] + str((int(digits[-1]) + 1) % base)
    case.no(f"{swapped}_{{{base}}}", (swapped, base), "last digit changed")
    case.no(f"{digits}0_{{{base}}}", (digits + "0", base), "a zero appended")
    case.no(digits, (digits, 10), "base left out")
    case.no(f"1{digits}_{base}", ("1" + digits, base), "a digit in front")
    return case


@category("sum_of_terms")
def sum_of_terms(rng: Random) -> Case:
    """Numbers out of several irrational parts, in another order."""
    a, b, c = rng.randint(1, 9), rng.randint(2, 9), rng.randint(2, 9)
    n = _square_free(rng)
    v = a + b * pi - c * sqrt(n)
    case = Case(f"{a} + {b}\\pi - {c}\\sqrt{{{n}}}", v)
    case.yes(f"{b}\\pi + {a} - {c}\\sqrt{{{n}}}", "commuted")
    case.yes(f"-{c}\\sqrt{{{n}}} + {a} + {b}\\pi", "commuted")
    case.yes(f"{a} - ({c}\\sqrt{{{n}}} - {b}\\pi)", "bracketed")
    case.yes(f"{b}\\left(\\pi + \\frac{{{a}}}{{{b}}}\\right) - {c}\\sqrt{{{n}}}", "factor out")
    case.yes(f"{a} + {b}\u03c0 - {c}\u221a{n}" if n < 10 else f"{a} + {b}\u03c0 - {c}\u221a({n})", "Unicode")
    case.no(f"{a} - {b}\\pi - {c}\\sqrt{{{n}}}", a - b * pi - c * sqrt(n), "a sign")
    case.no(f"{a} + {b}\\pi + {c}\\sqrt{{{n}}}", a + b * pi + c * sqrt(n), "a sign")
    case.no(f"{a} + {c}\\pi - {b}\\sqrt{{{n}}}", a + c * pi - b * sqrt(n), "coefficients swapped") if b != c else None
    case.no(f"{a} + {b}\\pi", a + b * pi, "a term lost")
    case.no(f"{a + 1} + {b}\\pi - {c}\\sqrt{{{n}}}", v + 1, "one more")
    return case
