"""Labelled pairs: integers, fractions, decimals, roots, logarithms, complex numbers and other single numbers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, gcd
from random import Random

import sympy
from sympy import I, Rational, pi, sqrt

from benchmarks.math_cases import Case, category, other, signed, tex


def _grouped(value: int, mark: str) -> str:
    return f"{value:,}".replace(",", mark)


def _other_digit(rng: Random, value: int) -> int:
    """The number with one digit changed."""
    digits = list(str(abs(value)))
    at = rng.randrange(len(digits))
    low = "123456789" if at == 0 else "0123456789"
    digits[at] = rng.choice([d for d in low if d != digits[at]])
    return int("".join(digits)) * (1 if value >= 0 else -1)


def _fraction(rng: Random, top: int = 40, bottom: int = 24) -> Fraction:
    while True:
        value = Fraction(rng.randint(1, top), rng.randint(2, bottom))
        if value.denominator > 1:
            return value


@category("integer")
def integer(rng: Random) -> Case:
    n = rng.randint(2, 9999)
    case = Case(str(n), n)
    case.yes(str(n), "the same digits")
    case.yes(f"{n}.", "full stop inside the box")
    case.yes(f" {n} ", "blanks")
    case.yes(f"+{n}", "plus sign")
    case.yes(f"\\text{{{n}}}", "text")
    case.yes(f"\\mathbf{{{n}}}", "bold")
    case.yes(f"{{{n}}}", "braces")
    case.yes(f"({n})", "brackets around a number")
    case.no(str(n + 1), n + 1, "one more")
    case.no(str(_other_digit(rng, n)), 0, "a digit changed")
    case.no(f"-{n}", -n, "sign")
    case.no(f"{n}0", n * 10, "a zero appended")
    case.no(str(n)[:-1] or "0", int(str(n)[:-1] or 0), "last digit lost")
    return case


@category("negative_integer")
def negative_integer(rng: Random) -> Case:
    n = rng.randint(2, 999)
    case = Case(rng.choice([f"-{n}", f"- {n}", f"$-{n}$"]), -n)
    case.yes(f"-{n}", "the same")
    case.yes(f"- {n}", "blank after the sign")
    case.yes(f"\u2212{n}", "Unicode minus")
    case.yes(f"-({n})", "brackets")
    case.yes(f"(-{n})", "brackets")
    case.yes(f"\\left(-{n}\\right)", "sized brackets")
    case.yes(f"-{n}.0", "decimal point")
    case.yes(f"{3}-{n + 3}", "a difference")
    case.no(str(n), n, "sign lost")
    case.no(f"-{n + 1}", -n - 1, "one off")
    case.no(f"-(-{n})", n, "two signs")
    case.no(f"|-{n}|", n, "absolute value")
    case.no(f"-{n}^{{2}}", -n * n, "squared")
    return case


@category("thousands")
def thousands(rng: Random) -> Case:
    n = rng.choice([rng.randint(1000, 9999), rng.randint(10_000, 999_999), rng.randint(1_000_000, 99_999_999)])
    case = Case(rng.choice([str(n), f"{n:,}", _grouped(n, "{,}"), _grouped(n, "\\,")]), n)
    for mark, name in [
        (",", "commas"),
        ("{,}", "TeX commas"),
        ("\\,", "thin spaces"),
        (",\\!", "commas with negative space"),
        ("", "no marks"),
        ("\\;", "wider spaces"),
        ("\u202f", "narrow no-break spaces"),
    ]:
        case.yes(_grouped(n, mark), name)
    bad = _other_digit(rng, n)
    case.no(f"{bad:,}", bad, "a digit changed")
    case.no(f"{n:,}"[:-4] + "." + f"{n:,}"[-3:], Fraction(n, 1000), "decimal point in place of the last comma")
    case.no(f"{n * 10:,}", n * 10, "ten times")
    case.no(_grouped(n + 1000, "{,}"), n + 1000, "a thousand more")
    case.no(_grouped(n // 10, "\\,"), n // 10, "a digit lost")
    return case


@category("decimal")
def decimal(rng: Random) -> Case:
    places = rng.randint(1, 4)
    n = rng.randint(1, 10**places * 20)
    n += n % 10 == 0
    value = Fraction(n, 10**places)
    text = f"{n / 10**places:.{places}f}"
    case = Case(text, value)
    case.yes(text, "the same")
    case.yes(text + "0", "a final zero")
    case.yes(text + "000", "final zeros")
    case.yes(tex(value), "as a fraction")
    case.yes(f"\\frac{{{n}}}{{{10**places}}}", "over a power of ten")
    case.yes(f"{n} \\times 10^{{-{places}}}", "with a power of ten")
    case.yes(f"{n} / {10**places}", "with a slash")
    if text.startswith("0."):
        case.yes(text[1:], "no leading zero")
    case.yes(f"+{text}", "plus sign")
    case.no(f"{n / 10 ** (places + 1):.{places + 1}f}", value / 10, "point moved left")
    case.no(f"{(n + 1) / 10**places:.{places}f}", value + Fraction(1, 10**places), "last digit one more")
    case.no(text + "1", value + Fraction(1, 10 ** (places + 1)), "a digit appended")
    case.no(f"-{text}", -value, "sign")
    case.no(str(round(n / 10**places)), round(n / 10**places), "rounded to a whole number")
    case.no(f"{n / 10**places:.{places - 1}f}", Fraction(f"{n / 10**places:.{places - 1}f}"), "rounded by a digit")
    return case


@category("fraction_style")
def fraction_style(rng: Random) -> Case:
    v = _fraction(rng) * rng.choice([1, 1, -1])
    a, b, sign = abs(v.numerator), v.denominator, "-" if v < 0 else ""
    case = Case(rng.choice([tex(v), tex(v, "dfrac"), tex(v, "slash"), f"${tex(v)}$"]), v)
    case.yes(tex(v), "frac")
    case.yes(tex(v, "dfrac"), "dfrac")
    case.yes(tex(v, "tfrac"), "tfrac")
    case.yes(tex(v, "slash"), "slash")
    case.yes(f"{sign}{a} / {b}", "slash with blanks")
    case.yes(f"{sign}{{{a} \\over {b}}}", "over")
    case.yes(f"{sign}\\frac {{{a}}} {{{b}}}", "blanks in frac")
    case.yes(f"\\frac{{{sign}{a}}}{{{b}}}", "sign in the numerator")
    case.yes(f"{sign}\\left(\\frac{{{a}}}{{{b}}}\\right)", "brackets")
    case.yes(f"{sign}{a} \\div {b}", "division sign")
    case.yes(f"{sign}{a} \\cdot {b}^{{-1}}", "inverse power")
    if v < 0:
        case.yes(f"\\frac{{{a}}}{{-{b}}}", "sign in the denominator")
    if a < 10 and b < 10:
        case.yes(f"{sign}\\frac{a}{b}", "no braces")
    if a < 10:
        case.yes(f"{sign}\\frac{a}{{{b}}}", "one pair of braces")
    case.no(tex(1 / v), 1 / v, "upside down")
    case.no(tex(-v), -v, "sign")
    case.no(tex(Fraction(v.numerator + b, b)), v + 1, "one more")
    case.no(f"{sign}\\frac{{{a}}}{{{b + 1}}}", Fraction(v.numerator, b + 1), "denominator one more")
    case.no(f"{sign}\\frac{{{a + 1}}}{{{b}}}", (1 if v > 0 else -1) * Fraction(a + 1, b), "numerator one more")
    case.no(f"{sign}{a}{b}", v.numerator * 10 ** len(str(b)) + (b if v > 0 else -b), "bar lost")
    return case


@category("fraction_unreduced")
def fraction_unreduced(rng: Random) -> Case:
    v, k = _fraction(rng, 20, 15), rng.randint(2, 12)
    a, b = v.numerator, v.denominator
    case = Case(tex(v), v)
    case.yes(f"\\frac{{{a * k}}}{{{b * k}}}", "multiplied through")
    case.yes(f"{a * k}/{b * k}", "multiplied through, slash")
    case.yes(f"\\frac{{{a * k} \\cdot 3}}{{{b * k} \\cdot 3}}", "unevaluated products")
    case.yes(f"\\frac{{{a * k}}}{{{b}}} \\cdot \\frac{{1}}{{{k}}}", "a product of fractions")
    case.yes(f"1 - \\frac{{{b - a}}}{{{b}}}", "one minus the rest")
    case.yes(f"\\frac{{-{a * k}}}{{-{b * k}}}", "two signs")
    case.no(f"\\frac{{{a * k + 1}}}{{{b * k}}}", Fraction(a * k + 1, b * k), "numerator off")
    case.no(f"\\frac{{{a * k}}}{{{b * (k + 1)}}}", Fraction(a * k, b * (k + 1)), "multiplied by different numbers")
    case.no(f"{b * k}/{a * k}", 1 / v, "upside down") if v != 1 else None
    case.no(f"1 + \\frac{{{b - a}}}{{{b}}}", 1 + Fraction(b - a, b), "sign of the rest") if a != b else None
    return case


@category("fraction_and_decimal")
def fraction_and_decimal(rng: Random) -> Case:
    b = rng.choice([2, 4, 5, 8, 16, 20, 25, 40, 50, 125])
    a = rng.randint(1, 3 * b)
    v = Fraction(a, b)
    if v.denominator == 1:
        v += Fraction(1, b)
    text = f"{float(v):.7f}".rstrip("0")
    gold_first = rng.random() < 0.5
    case = Case(tex(v) if gold_first else text, v)
    case.yes(text if gold_first else tex(v), "the other notation")
    case.yes(text + "00" if gold_first else tex(v, "slash"), "the other notation")
    case.yes(f"0{text}" if text.startswith(".") else text, "decimal")
    bad = v + Fraction(rng.choice([1, -1]), 10 ** len(text.split(".")[1]))
    case.no(f"{float(bad):.7f}".rstrip("0") if gold_first else tex(bad), bad, "last digit off")
    case.no(
        text.replace(".", "") if gold_first else tex(v / 10),
        Fraction(text.replace(".", "")) if gold_first else v / 10,
        "point lost",
    )
    if len(text.split(".")[1]) > 1:
        cut = text[:-1]
        case.no(cut if gold_first else tex(Fraction(cut)), Fraction(cut), "cut to fewer digits")
    return case


@category("rounded_is_not_exact")
def rounded_is_not_exact(rng: Random) -> Case:
    """A decimal that is only near the gold; right forms are exact rewrites."""
    kind = rng.randrange(4)
    if kind == 0:
        b = rng.choice([3, 6, 7, 9, 11, 12, 13, 15])
        a = other(rng, 0, 1, 40)
        while Fraction(a, b).denominator in (1, 2, 4, 5):
            a += 1
        v, gold, exact = Fraction(a, b), tex(Fraction(a, b)), f"{2 * a}/{2 * b}"
    elif kind == 1:
        n = rng.choice([2, 3, 5, 6, 7, 10, 11, 13])
        v, gold, exact = sqrt(n), f"\\sqrt{{{n}}}", f"\\frac{{{n}}}{{\\sqrt{{{n}}}}}"
    elif kind == 2:
        k = rng.randint(1, 12)
        v, gold, exact = k * pi, f"{k if k > 1 else ''}\\pi", f"\\frac{{{2 * k}\\pi}}{{2}}"
    else:
        k = rng.randint(2, 9)
        v, gold, exact = sympy.log(k), f"\\ln {k}", f"\\frac{{1}}{{2}}\\ln {k * k}"
    case = Case(gold, v)
    case.yes(exact, "exact rewrite")
    case.yes(gold, "the same")
    number = float(v)
    for digits in (2, 3, 5, 8):
        short = f"{number:.{digits}f}"
        case.no(short, Fraction(short), f"rounded to {digits} places")
    case.no(f"{number:.4f}\\ldots", Fraction(f"{number:.4f}"), "cut, with dots")
    if kind == 2:
        case.no(f"{k if k > 1 else ''}\\cdot 3.14" if k > 1 else "3.14", Fraction(314 * k, 100), "3.14 for pi")
        case.no(f"\\frac{{{22 * k}}}{{7}}", Fraction(22 * k, 7), "22/7 for pi")
    return case


@category("mixed_number")
def mixed_number(rng: Random) -> Case:
    whole, part = rng.randint(1, 12), _fraction(rng, 1, 12)
    b = rng.randint(2, 12)
    a = rng.choice([i for i in range(1, b) if gcd(i, b) == 1])
    part = Fraction(a, b)
    v = whole + part
    case = Case(rng.choice([tex(v), f"{whole}\\frac{{{a}}}{{{b}}}", f"{whole} \\frac{{{a}}}{{{b}}}"]), v)
    case.yes(f"{whole}\\frac{{{a}}}{{{b}}}", "mixed number")
    case.yes(f"{whole}\\dfrac{{{a}}}{{{b}}}", "mixed number")
    case.yes(f"{whole} \\tfrac{{{a}}}{{{b}}}", "mixed number with a blank")
    case.yes(f"{whole}\\,\\frac{{{a}}}{{{b}}}", "mixed number with a thin space")
    case.yes(f"{whole} {a}/{b}", "mixed number in plain text")
    case.yes(tex(v), "improper fraction")
    case.yes(f"{whole} + \\frac{{{a}}}{{{b}}}", "sum")
    case.no(tex(whole * part), whole * part, "product instead of sum")
    case.no(f"{whole + 1}\\frac{{{a}}}{{{b}}}", v + 1, "whole part one more")
    case.no(f"{whole}\\frac{{{a}}}{{{b + 1}}}", whole + Fraction(a, b + 1), "denominator one more")
    case.no(f"{whole} \\cdot \\frac{{{a}}}{{{b}}}", whole * part, "multiplied")
    case.no(f"{whole} - \\frac{{{a}}}{{{b}}}", whole - part, "difference")
    case.no(str(whole), whole, "fraction lost")
    return case


@category("scientific")
def scientific(rng: Random) -> Case:
    digits, exponent = rng.randint(11, 999), rng.choice([-6, -5, -4, -3, 3, 4, 5, 6, 7, 8])
    digits += digits % 10 == 0
    mantissa = Fraction(digits, 10 ** (len(str(digits)) - 1))
    m = f"{float(mantissa):.{len(str(digits)) - 1}f}"
    v = mantissa * Fraction(10) ** exponent
    plain = f"{float(v):.12f}".rstrip("0").rstrip(".")
    if Fraction(plain) != v:
        plain = str(v.numerator) if v.denominator == 1 else tex(v)
    case = Case(rng.choice([f"{m} \\times 10^{{{exponent}}}", f"{m} \\cdot 10^{{{exponent}}}", plain]), v)
    case.yes(f"{m} \\times 10^{{{exponent}}}", "times")
    case.yes(f"{m}\\cdot10^{{{exponent}}}", "dot")
    case.yes(f"{m}e{exponent}", "e notation")
    case.yes(f"{m}E{exponent:+d}", "E notation with sign")
    case.yes(f"{m} * 10^{{{exponent}}}", "star")
    case.yes(f"{m} * 10^({exponent})", "plain text")
    case.yes(plain, "written out")
    case.yes(f"{digits} \\times 10^{{{exponent - len(str(digits)) + 1}}}", "other mantissa")
    case.no(f"{m} \\times 10^{{{exponent + 1}}}", v * 10, "exponent one more")
    case.no(f"{m} \\times 10^{{{-exponent}}}", mantissa * Fraction(10) ** -exponent, "exponent's sign")
    case.no(f"{m}e{exponent - 1}", v / 10, "exponent one less")
    case.no(
        f"{float(mantissa + Fraction(1, 10 ** (len(str(digits)) - 1))):.{len(str(digits)) - 1}f} \\times 10^{{{exponent}}}",
        (mantissa + Fraction(1, 10 ** (len(str(digits)) - 1))) * Fraction(10) ** exponent,
        "mantissa one off",
    )
    case.no(f"-{m} \\cdot 10^{{{exponent}}}", -v, "sign")
    return case


@category("tiny_number")
def tiny_number(rng: Random) -> Case:
    k, n = rng.randint(6, 14), rng.randint(1, 9)
    v = Fraction(n, 10**k)
    case = Case(rng.choice([f"0.{'0' * (k - 1)}{n}", f"{n} \\times 10^{{-{k}}}", f"\\frac{{{n}}}{{10^{{{k}}}}}"]), v)
    case.yes(f"0.{'0' * (k - 1)}{n}", "decimal")
    case.yes(f"{n} \\times 10^{{-{k}}}", "power of ten")
    case.yes(f"\\frac{{{n}}}{{10^{{{k}}}}}", "over a power of ten")
    case.yes(f"{n}e-{k}", "e notation")
    bad = other(rng, n, 1, 9)
    case.no(f"0.{'0' * (k - 1)}{bad}", Fraction(bad, 10**k), "digit changed")
    case.no(f"0.{'0' * k}{n}", v / 10, "one zero more")
    case.no(f"{n} \\times 10^{{-{k + 1}}}", v / 10, "exponent")
    case.no("0", 0, "zero")
    case.no(f"\\frac{{{n}}}{{10^{{{k - 1}}}}}", v * 10, "exponent")
    return case


@category("large_integer")
def large_integer(rng: Random) -> Case:
    n = rng.randint(10**14, 10**40)
    case = Case(str(n), n)
    case.yes(str(n), "the same")
    case.yes(f"{n:,}", "commas")
    case.yes(_grouped(n, "\\,"), "thin spaces")
    q, rest = divmod(n, 1000)
    case.yes(f"{q} \\cdot 1000 + {rest}", "a sum")
    case.yes(f"10^{{50}} - {10**50 - n}", "a difference")
    for d in (1, -1, 10**9):
        case.no(str(n + d), n + d, f"differs by {d}")
    swapped = str(n)
    at = next((i for i in range(2, len(swapped)) if swapped[i] != swapped[i - 1]), None)
    if at:
        swapped = swapped[: at - 1] + swapped[at] + swapped[at - 1] + swapped[at + 1 :]
        case.no(swapped, int(swapped), "neighbouring digits swapped")
    head, places = str(n)[0] + "." + str(n)[1:8], len(str(n)) - 1
    case.no(f"{head} \\times 10^{{{places}}}", Fraction(head) * 10**places, "rounded, in scientific notation")
    return case


@category("big_power")
def big_power(rng: Random) -> Case:
    b, e = rng.choice([2, 3, 5, 6, 7]), rng.randint(40, 400) * 2
    v = b**e
    case = Case(f"{b}^{{{e}}}", v)
    case.yes(f"{b * b}^{{{e // 2}}}", "squared base")
    case.yes(f"{b} \\cdot {b}^{{{e - 1}}}", "one factor out")
    case.yes(f"({b}^{{{e // 2}}})^2", "a power of a power")
    case.yes(f"\\frac{{{b}^{{{e + 5}}}}}{{{b**5}}}", "a quotient")
    case.no(f"{b}^{{{e + 1}}}", v * b, "exponent one more")
    case.no(f"{b}^{{{e}}} - 1", v - 1, "one less")
    case.no(f"{b}^{{{e}}} + 1", v + 1, "one more")
    case.no(f"{b * b}^{{{e}}}", (b * b) ** e, "base squared only")
    case.no(f"{b + 1}^{{{e}}}", (b + 1) ** e, "other base")
    return case


@category("percent")
def percent(rng: Random) -> Case:
    p = Fraction(rng.choice([5, 10, 12, 15, 20, 25, 30, 35, 37, 40, 45, 55, 60, 64, 75, 80, 85, 110, 125, 150]))
    if rng.random() < 0.3:
        p += Fraction(1, 2)
    shown = f"{float(p):g}"
    v = p / 100
    case = Case(rng.choice([f"{shown}\\%", f"{shown}%", f"${shown}\\%$"]), v)
    case.yes(f"{shown}\\%", "percent sign")
    case.yes(f"{shown}%", "bare percent sign")
    case.yes(f"{shown} \\%", "blank before the sign")
    case.yes(f"{shown}\\,\\%", "thin space")
    case.yes(f"{shown}.0\\%" if "." not in shown else f"{shown}0\\%", "final zero")
    case.yes(tex(v), "as a fraction")
    case.yes(f"{float(v):.6f}".rstrip("0").rstrip("."), "as a decimal")
    case.yes(f"{shown}\\text{{%}}", "sign in text")
    case.yes(f"{shown} \\text{{ percent}}", "word")
    case.no(f"{float(p + 1):g}\\%", (p + 1) / 100, "one percent more")
    case.no(f"{float(p / 10):g}\\%", p / 1000, "point moved")
    case.no(f"{float(v):g}\\%", v / 100, "hundredth with a percent sign")
    case.no(tex(v + Fraction(1, 100)), v + Fraction(1, 100), "other fraction")
    case.no(f"-{shown}\\%", -v, "sign")
    return case


@category("number_gold_percent_answer")
def number_gold_percent_answer(rng: Random) -> Case:
    b = rng.choice([2, 4, 5, 8, 10, 20, 25])
    v = Fraction(rng.randint(1, b - 1), b)
    p = v * 100
    case = Case(rng.choice([tex(v), f"{float(v):g}"]), v)
    case.yes(f"{float(p):g}\\%", "as a percentage")
    case.yes(f"{float(p):g} \\%", "as a percentage with a blank")
    case.yes(f"{float(p):g}%", "bare percent sign")
    case.no(f"{float(p + 1):g}\\%", (p + 1) / 100, "one percent more")
    case.no(f"{float(p):g}", p, "percent sign lost")
    case.no(f"{float(p / 100):g}\\%", p / 10000, "a hundredth of it")
    case.no(
        f"{float(100 - p):g}\\%" if p != 50 else "49\\%",
        (100 - p) / 100 if p != 50 else Fraction(49, 100),
        "the rest to the whole",
    )
    return case


@category("repeating_decimal")
def repeating_decimal(rng: Random) -> Case:
    block = str(rng.randint(1, 98))
    head = rng.choice(["", "", str(rng.randint(0, 9))])
    whole = rng.choice([0, 0, rng.randint(1, 9)])
    v = whole + (Fraction(int(head or 0)) + Fraction(int(block), 10 ** len(block) - 1)) / 10 ** len(head)
    bar = f"{whole}.{head}\\overline{{{block}}}"
    as_fraction = rng.random() < 0.5
    case = Case(tex(v) if as_fraction else bar, v)
    case.yes(bar, "bar")
    case.yes(tex(v), "fraction")
    case.yes(f"{whole}.{head}{block}\\overline{{{block}}}", "one period written out")
    case.yes(f"{whole}.{head}\\overline{{{block}{block}}}", "double period")
    case.no(f"{whole}.{head}{block}", Fraction(f"{whole}.{head}{block}"), "bar lost")
    case.no(f"{whole}.{head}{block}{block}{block}", Fraction(f"{whole}.{head}{block * 3}"), "cut after three periods")
    case.no(f"{whole + 1}.{head}\\overline{{{block}}}", v + 1, "one more")
    wrong = int(block) % 97 + 1
    if len(str(wrong)) == len(block) and wrong != int(block):
        case.no(
            f"{whole}.{head}\\overline{{{wrong}}}",
            v + Fraction(wrong - int(block), 10 ** len(block) - 1) / 10 ** len(head),
            "other period",
        )
    return case


@category("gold_as_float")
def gold_as_float(rng: Random) -> Case:
    n = rng.randint(1, 5000)
    case = Case(f"{n}.0", n)
    case.yes(str(n), "integer")
    case.yes(f"{n}.", "point only")
    case.yes(f"{n}.00", "two zeros")
    case.yes(f"\\frac{{{2 * n}}}{{2}}", "fraction")
    case.no(f"{n}.1", Fraction(10 * n + 1, 10), "a tenth more")
    case.no(str(n * 10), n * 10, "point lost")
    case.no(str(n + 1), n + 1, "one more")
    case.no(f"0.{n}", Fraction(f"0.{n}"), "point moved")
    return case


def _square_free(rng: Random) -> int:
    return rng.choice([2, 3, 5, 6, 7, 10, 11, 13, 14, 15])


@category("surd")
def surd(rng: Random) -> Case:
    n, k, a = _square_free(rng), rng.randint(2, 9), rng.randint(1, 12)
    v = a + k * sqrt(n)
    kind = rng.randrange(3)
    if kind == 0:
        v = k * sqrt(n)
        case = Case(f"{k}\\sqrt{{{n}}}", v)
        case.yes(f"\\sqrt{{{k * k * n}}}", "coefficient under the root", sqrt(k * k * n))
        case.yes(f"\\frac{{{k * n}}}{{\\sqrt{{{n}}}}}", "root in the denominator")
        case.yes(f"{k} \\cdot \\sqrt{{{n}}}", "dot")
        case.yes(f"{k}\\sqrt {n}" if n < 10 else f"{k}\\sqrt {{{n}}}", "blank after the root")
        case.yes(f"{k} \\cdot {n}^{{1/2}}", "half power")
        case.yes(f"{k}*sqrt({n})", "plain text")
        case.yes(f"\\sqrt{{{n}}} \\times {k}", "other order")
        case.no(f"\\sqrt{{{k * n}}}", sqrt(k * n), "coefficient taken in without squaring")
        case.no(f"{k}\\sqrt{{{n + 1}}}", k * sqrt(n + 1), "radicand one more")
        case.no(f"\\frac{{{k}}}{{\\sqrt{{{n}}}}}", k / sqrt(n), "divided")
        case.no(f"{k + 1}\\sqrt{{{n}}}", (k + 1) * sqrt(n), "coefficient one more")
        case.no(f"{k}\\sqrt[3]{{{n}}}", k * sympy.cbrt(n), "cube root")
    elif kind == 1:
        case = Case(f"{a} + {k}\\sqrt{{{n}}}", v)
        case.yes(f"{k}\\sqrt{{{n}}} + {a}", "other order")
        case.yes(f"{a} + \\sqrt{{{k * k * n}}}", "under the root")
        case.yes(f"\\frac{{{2 * a} + {2 * k}\\sqrt{{{n}}}}}{{2}}", "over two")
        case.yes(f"{a}+{k}\\sqrt{{{n}}}", "no blanks")
        case.yes(f"\\frac{{{a * a - k * k * n}}}{{{a} - {k}\\sqrt{{{n}}}}}", "conjugate in the denominator")
        case.no(f"{a} - {k}\\sqrt{{{n}}}", a - k * sqrt(n), "conjugate")
        case.no(f"{a + k}\\sqrt{{{n}}}", (a + k) * sqrt(n), "added up wrongly")
        case.no(f"{k} + {a}\\sqrt{{{n}}}", k + a * sqrt(n), "swapped") if a != k else None
        case.no(f"{a} + \\sqrt{{{k * n}}}", a + sqrt(k * n), "under the root wrongly")
    else:
        v = sqrt(n) / k
        case = Case(f"\\frac{{\\sqrt{{{n}}}}}{{{k}}}", v)
        case.yes(f"\\frac{{{n}}}{{{k}\\sqrt{{{n}}}}}", "root in the denominator")
        case.yes(f"\\sqrt{{\\frac{{{n}}}{{{k * k}}}}}", "all under the root", sqrt(Rational(n, k * k)))
        case.yes(f"\\frac{{1}}{{{k}}}\\sqrt{{{n}}}", "factor in front")
        case.yes(f"\\sqrt{{{n}}}/{k}", "slash")
        case.yes(f"sqrt({n})/{k}", "plain text")
        case.no(f"\\sqrt{{\\frac{{{n}}}{{{k}}}}}", sqrt(Rational(n, k)), "denominator taken in without squaring")
        case.no(f"\\frac{{{n}}}{{{k}}}", Rational(n, k), "root lost")
        case.no(f"\\frac{{{k}}}{{\\sqrt{{{n}}}}}", k / sqrt(n), "upside down")
        case.no(f"-\\frac{{\\sqrt{{{n}}}}}{{{k}}}", -v, "sign")
    return case


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
