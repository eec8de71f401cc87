"""Labelled pairs: integers, fractions, decimals, percentages."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from random import Random

import sympy
from sympy import Rational, pi, sqrt

from benchmarks.math_cases import Case, category, other, tex


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


def _square_free(rng: Random) -> int:
    return rng.choice([2, 3, 5, 6, 7, 10, 11, 13, 14, 15])


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
