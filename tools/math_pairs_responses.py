"""Labelled pairs: whole responses, with and without boxes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd
from random import Random

from sympy import pi, sqrt

from tools.math_cases import Case, category, other, reasoning, signed, tex


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
        if text[1:4] in {"sum", "max", "gcd", "pro"}:
            case.no(text, "the task", "names the task")
        else:
            case.yes(text, "a calculation with numbers")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    case.no(str(worth + 1), worth + 1, "one more")
    case.yes(str(worth), "the value")
    case.yes(f"{worth + p} - {p}", "a calculation with numbers")
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
    case.no(f"|{shift}| {le} {r}", "to be solved", "absolute value")
    case.yes(f"x \\in {left}{p - r}, {p + r}{right}", "x in")
    case.yes(f"\\{{x \\mid {p - r} {le} x {le} {p + r}\\}}", "set-builder")
    case.no(f"|{shift}| {lt_other} {r}", (p - r, p + r, not closed), "strictness")
    case.no(f"|{shift}| {le} {r + 1}", (p - r - 1, p + r + 1, closed), "radius")
    case.no(f"{p - r} {le} x {lt_other} {p + r}", (p - r, p + r, "half"), "one end")
    case.no(f"{p - r + 1} {le} x {le} {p + r}", (p - r + 1, p + r, closed), "lower end")
    case.no(f"x {le} {p - r} \\text{{ or }} x \\ge {p + r}", "outside", "outside")
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


@category("answer_tags")
def answer_tags(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "<think>{w}</think><answer>X</answer>",
        "<think>\n{w}\n</think>\n<answer>\nX\n</answer>",
        "<start_working_out>{w}<end_working_out><SOLUTION>X</SOLUTION>",
        "{w}<end_working_out>\n<SOLUTION>X</SOLUTION><|im_end|>",
        "{w}\n\nFINAL ANSWER:\n<answer>\nX\n</answer>",
        "<reasoning>\n{w}\n</reasoning>\n<answer>\nX\n</answer>\n",
        "<think>{w}</think>\n<answer>$\\boxed{X}$</answer>",
        "<think>{w}</think> <answer> $X$ </answer>",
    ]:
        _both(
            case,
            lambda s, layout=layout: layout.replace("X", "\0").replace("{w}", work).replace("\0", s),
            right,
            wrong,
            layout.replace("{w}", "..")[:30],
        )
    return case


@category("truncated")
def truncated(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 3)
    s = right[0]
    for text in [
        f"{work} The answer is $\\boxed{{{s}",
        f"{work} So we get \\boxed{{",
        f"{work} So \\[ \\boxed{{\\frac{{{s}}}{{",
        f"{work} Therefore, the final answer is:",
        f"{work} The answer is $\\boxed",
        f"{work} Therefore $x = {s}$, and it remains to",
    ]:
        case.no(text, "cut off", "cut off")
    for text in [
        f"{work} The answer is $\\boxed{{{s}}}$",
        f"{work} So we get \\boxed{{{s}}}",
        f"{work} So \\[ \\boxed{{{s}}} \\] which comp",
        f"{work} Therefore, the final answer is: $\\boxed{{{s}}}",
    ]:
        case.yes(text, "cut off after the answer")
    case.no(f"{work} The answer is $\\boxed{{{wrong[0]}}}$ and $\\boxed{{{s}", "cut off", "second box cut off")
    return case


Answer = tuple[str, object]


def _answer(rng: Random) -> tuple[Answer, Answer]:
    """A simple answer and a wrong one near it."""
    kind = rng.randrange(5)
    n, k = rng.randint(2, 900), rng.randint(2, 9)
    if kind <= 1:
        w = other(rng, n, 2, 900)
        return (str(n), n), (str(w), w)
    if kind == 2:
        v = Fraction(rng.randint(1, 30), rng.choice([7, 11, 13, 17]))
        return (tex(v), v), (tex(v + Fraction(1, 3)), v + Fraction(1, 3))
    if kind == 3:
        return (f"{k}\\sqrt{{{7}}}", k * sqrt(7)), (f"{k + 1}\\sqrt{{7}}", (k + 1) * sqrt(7))
    return (f"{k}\\pi", k * pi), (f"{k + 2}\\pi", (k + 2) * pi)


def _both(case: Case, make: Callable[[str], str], right: Answer, wrong: Answer, why: str) -> None:
    """One layout, once with the right answer and once with the wrong one."""
    case.yes(make(right[0]), why, right[1])
    case.no(make(wrong[0]), wrong[1], why)


@category("repeated_box")
def repeated_box(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    a, b = reasoning(rng, 2), reasoning(rng, 1)
    _both(
        case,
        lambda s: f"{a} Hence $\\boxed{{{s}}}$.\n\n{b}\n\n**Final answer:** $\\boxed{{{s}}}$",
        right,
        wrong,
        "twice",
    )
    _both(case, lambda s: f"$\\boxed{{{s}}}$\n\n{a}\n\n$\\boxed{{{s}}}$", right, wrong, "before and after")
    _both(case, lambda s: f"{a} The answer is {s}.\n\n$\\boxed{{{s}}}$", right, wrong, "statement and box")
    _both(case, lambda s: f"{a}\n\\boxed{{{s}}}\n\\boxed{{{s}}}\n\\boxed{{{s}}}", right, wrong, "three times")
    _both(
        case, lambda s: f"{a} We get $\\boxed{{{s}}}$, that is, $\\boxed{{{s}}}$.", right, wrong, "twice in a sentence"
    )
    return case


@category("several_boxes_one_answer")
def several_boxes_one_answer(rng: Random) -> Case:
    """A gold of several values, each in a box of its own in the closing sentence."""
    one, two = rng.sample(range(-40, 90), 2)
    w = 95
    case = Case(rng.choice([f"{one}, {two}", f"\\{{{one}, {two}\\}}"]), frozenset([one, two]), raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "The solutions are $\\boxed{P}$ and $\\boxed{Q}$.",
        "So $x = \\boxed{P}$ or $x = \\boxed{Q}$.",
        "Values: $\\boxed{P}, \\boxed{Q}$",
        "We find \\(\\boxed{P}\\) and \\(\\boxed{Q}\\).",
    ]:
        case.yes(f"{work} {layout.replace('{P}', f'{{{one}}}').replace('{Q}', f'{{{two}}}')}", "two boxes")
        case.no(
            f"{work} {layout.replace('{P}', f'{{{one}}}').replace('{Q}', f'{{{w}}}')}",
            frozenset([one, w]),
            "two boxes, one wrong",
        )
    case.yes(f"{work} The solutions are $\\boxed{{{two}}}$ and $\\boxed{{{one}}}$.", "two boxes, other order")
    case.no(f"{work} The only solution is $\\boxed{{{one}}}$.", one, "one of them")
    return case


@category("answer_in_prose")
def answer_in_prose(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "The answer is $X$.",
        "Therefore, the answer is $X$.",
        "So the final answer is $X$.",
        "Hence the answer is: $X$",
        "Thus, the answer is \\(X\\).",
        "The final answer is: $X$.",
        "the answer is X",
        "The correct answer is $X$.",
        "Therefore the final answer is **$X$**.",
        "The answer is $\\mathbf{X}$.",
    ]:
        _both(case, lambda s, layout=layout: f"{work} {layout.replace('X', s)}", right, wrong, layout[:24])
    return case
