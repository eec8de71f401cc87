"""Labelled pairs: plain statements, denials, units in boxes, inequalities, unions."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from random import Random

from benchmarks.math_cases import Case, category, other, reasoning, signed


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
