"""Labelled pairs: numbers, roots and large values."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from random import Random

import sympy
from sympy import sqrt

from tools.math_cases import Case, category, other, tex


def _grouped(value: int, mark: str) -> str:
    return f"{value:,}".replace(",", mark)


def _other_digit(rng: Random, value: int) -> int:
    """The number with one digit changed."""
    digits = list(str(abs(value)))
    at = rng.randrange(len(digits))
    low = "123456789" if at == 0 else "0123456789"
    digits[at] = rng.choice([d for d in low if d != digits[at]])
    return int("".join(digits)) * (1 if value >= 0 else -1)


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


@category("floor_ceiling_absolute")
def floor_ceiling_absolute(rng: Random) -> Case:
    n, part = rng.randint(2, 40), rng.randint(1, 9)
    case = Case(str(n), n)
    case.no(f"\\lfloor {n}.{part} \\rfloor", "the task", "names the task (floor)")
    case.no(
        f"\\left\\lfloor \\frac{{{n * 3 + 1}}}{{3}} \\right\\rfloor", "the task", "names the task (floor of a fraction)"
    )
    case.no(f"\\lceil {n - 1}.{part} \\rceil", "the task", "names the task (ceiling)")
    case.yes(f"|-{n}|", "absolute value")
    case.yes(f"\\left|{n}\\right|", "sized bars")
    case.yes(f"|{n} - {2 * n}|", "absolute difference")
    case.no(f"\\lceil {n}.{part} \\rceil", n + 1, "ceiling for floor")
    case.no(f"\\lfloor {n - 1}.{part} \\rfloor", n - 1, "floor for ceiling")
    case.no(f"-|{n}|", -n, "sign outside")
    case.no(f"{n}.{part}", Fraction(f"{n}.{part}"), "not rounded")
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


@category("long_text_answer")
def long_text_answer(rng: Random) -> Case:
    words = [
        "the",
        "set",
        "of",
        "all",
        "points",
        "on",
        "perpendicular",
        "bisector",
        "through",
        "vertex",
        "without",
        "midpoint",
        "segment",
        "circle",
        "inside",
    ]
    chosen = [rng.choice(words) for _ in range(rng.randint(12, 40))]
    chosen[-1] = rng.choice(["midpoint", "segment", "circle", "vertex"])
    sentence = " ".join(chosen)
    case = Case(f"\\text{{{sentence}}}", sentence)
    case.yes(f"\\text{{{sentence.capitalize()}}}", "capital")
    case.yes(f"\\text{{{sentence}.}}", "full stop")
    case.yes(sentence, "plain")
    case.no(f"\\text{{{' '.join(chosen[:-1])}}}", " ".join(chosen[:-1]), "last word lost")
    case.no(f"\\text{{not {sentence}}}", f"not {sentence}", "negated")
    case.no(f"\\text{{{' '.join([*chosen[:-1], 'nowhere'])}}}", "other", "last word changed")
    return case
