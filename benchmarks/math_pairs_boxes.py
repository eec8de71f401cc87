"""Labelled pairs: where the box stands in a response."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

from sympy import pi, sqrt

from benchmarks.math_cases import Case, category, other, reasoning, tex

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


def _integer_answer(rng: Random) -> tuple[Answer, Answer]:
    n = rng.randint(10, 99_999)
    w = other(rng, n, 10, 99_999)
    return (str(n), n), (str(w), w)


def _both(case: Case, make: Callable[[str], str], right: Answer, wrong: Answer, why: str) -> None:
    """One layout, once with the right answer and once with the wrong one."""
    case.yes(make(right[0]), why, right[1])
    case.no(make(wrong[0]), wrong[1], why)


@category("box_delimiters")
def box_delimiters(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "{w} $\\boxed{X}$",
        "{w} \\boxed{X}",
        "{w} \\(\\boxed{X}\\).",
        "{w}\n\\[\n\\boxed{X}\n\\]",
        "{w} $$\\boxed{X}$$",
        "{w} **\\boxed{X}**",
        "{w} \\boxed {X}",
        "{w} \\boxed{ X }",
        "{w} $\\fbox{X}$",
        "{w} $\\boxed{\\boxed{X}}$",
        "{w} \\begin{align*} x &= \\boxed{X} \\end{align*}",
        "{w} \\boxed{$X$}",
        "{w} $\\boxed{X.}$",
        "{w} \\boxed{\\displaystyle X}",
        "{w} \\boxed{{X}}",
        "{w} \\boxed{\\text{$X$}}",
        "{w} $x = \\boxed{X}$ units.",
        "{w} \\boxed{\\(X\\)}",
        "{w} $\\boxed{x = X}$",
        "{w} \\boxed{\nX\n}",
    ]:
        _both(
            case,
            lambda a, layout=layout: layout.replace("{w}", work).replace("X", a),
            right,
            wrong,
            layout.replace("{w}", "").strip()[:30],
        )
    return case


@category("last_box_wins")
def last_box_wins(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    a, b = reasoning(rng, 2), reasoning(rng, 3)
    for turn in [
        "Wait, that is not right, the last case was counted twice.",
        "Let me check this again. There is a slip in the second step.",
        "Hmm, but the problem asks for something else.",
        "Correction: the sign was wrong.",
    ]:
        case.yes(
            f"{a} This would give $\\boxed{{{wrong[0]}}}$.\n\n{turn} {b}\n\nSo the answer is $\\boxed{{{right[0]}}}$.",
            "corrected",
            right[1],
        )
        case.no(
            f"{a} This would give $\\boxed{{{right[0]}}}$.\n\n{turn} {b}\n\nSo the answer is $\\boxed{{{wrong[0]}}}$.",
            wrong[1],
            "spoilt",
        )
    return case


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


@category("boxes_that_disagree")
def boxes_that_disagree(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "The answer is $\\boxed{A}$ or $\\boxed{B}$.",
        "It is either $\\boxed{A}$ or $\\boxed{B}$, depending on how one reads it.",
        "Final answer: $\\boxed{A}$ or maybe $\\boxed{B}$.",
    ]:
        for one, two in ((right, wrong), (wrong, right)):
            case.no(
                f"{work} {layout.replace('{A}', '{' + one[0] + '}').replace('{B}', '{' + two[0] + '}')}",
                "alternatives",
                "two boxes with or",
            )
    for layout in [
        "The answer is $\\boxed{A}$.",
        "It is $\\boxed{A}$, not less and not more.",
        "Final answer: $\\boxed{A}$",
    ]:
        case.yes(f"{work} {layout.replace('{A}', '{' + right[0] + '}')}", "one box")
    return case


@category("nested_braces_in_box")
def nested_braces_in_box(rng: Random) -> Case:
    p, q, r = rng.randint(2, 9), rng.randint(2, 9), rng.choice([2, 3, 5])
    gold = f"\\frac{{\\sqrt{{{r}}} + \\frac{{1}}{{{p}}}}}{{{q}}}"
    case = Case(gold, ("nested", r, p, q), raw=True)
    work = reasoning(rng, 1)

    def text(r_: int, p_: int, q_: int) -> str:
        return f"\\frac{{\\sqrt{{{r_}}} + \\frac{{1}}{{{p_}}}}}{{{q_}}}"

    case.yes(f"{work} $\\boxed{{{text(r, p, q)}}}$", "nested fractions")
    case.yes(f"{work} $\\boxed{{{{{text(r, p, q)}}}}}$", "one pair of braces more")
    case.yes(f"{work} $\\boxed{{\\left({{{text(r, p, q)}}}\\right)}}$", "brackets and braces")
    case.yes(f"{work} \\[\\boxed{{\\dfrac{{\\sqrt{{{r}}}}}{{{q}}} + \\dfrac{{1}}{{{p * q}}}}}\\]", "split")
    case.no(f"{work} $\\boxed{{{text(r, p + 1, q)}}}$", ("nested", r, p + 1, q), "inner denominator")
    case.no(f"{work} $\\boxed{{{text(r, p, q + 1)}}}$", ("nested", r, p, q + 1), "outer denominator")
    case.no(
        f"{work} $\\boxed{{\\frac{{\\sqrt{{{r} + \\frac{{1}}{{{p}}}}}}}{{{q}}}}}$", ("other", r, p, q), "root over all"
    )
    case.no(
        f"{work} \\[\\boxed{{\\dfrac{{\\sqrt{{{r}}}}}{{{q}}} + \\dfrac{{1}}{{{p}}}}}\\]",
        ("split", r, p, q),
        "split wrongly",
    )
    return case


@category("text_after_box")
def text_after_box(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for tail in [
        "I hope this helps! Let me know if you have further questions.",
        f"(As a check, {wrong[0]} fails the second condition.)",
        "This completes the solution.\n\n---\n\n*Note: 17 other cases were left out.*",
        "<|endoftext|>",
        "</s>",
        "<|im_end|>",
        "```",
        f"One may compare this with the easier problem of {rng.randint(2, 99)} points.",
        "\n\n\n",
    ]:
        _both(
            case,
            lambda s, tail=tail: f"{work} The answer is $\\boxed{{{s}}}$. {tail}",
            right,
            wrong,
            "text after the box",
        )
    return case


@category("answer_line")
def answer_line(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "Answer: $X$",
        "Answer: X",
        "**Answer:** $X$",
        "**Answer: X**",
        "Final Answer: $X$",
        "Final answer: X.",
        "### Answer\n$X$",
        "ANSWER: X",
        "**Final Answer:** \\(X\\)",
        "#### X",
        "Answer:\n\n$$X$$",
        "Final Answer:\n\\[\nX\n\\]",
    ]:
        _both(case, lambda s, layout=layout: f"{work}\n\n{layout.replace('X', s)}", right, wrong, layout[:24])
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


@category("bold_answer")
def bold_answer(rng: Random) -> Case:
    right, wrong = _integer_answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for layout in [
        "The answer is **X**.",
        "Therefore the answer is **X**",
        "The final answer is **$X$**.",
        "**The answer is X.**",
        "**Answer: X**",
        "**Final answer:** **X**",
    ]:
        _both(case, lambda s, layout=layout: f"{work}\n\n{layout.replace('X', s)}", right, wrong, layout[:24])
    return case
