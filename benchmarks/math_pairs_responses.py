"""Labelled pairs: answer lines, prose, tags, thoughts, cut-off text."""

from __future__ import annotations

from random import Random

from benchmarks.math_cases import Case, category, reasoning
from benchmarks.math_pairs_boxes import _answer, _both, _integer_answer


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


@category("think_block")
def think_block(rng: Random) -> Case:
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    a, b = reasoning(rng, 4), reasoning(rng, 1)
    for first, second, label in ((wrong, right, True), (right, wrong, False)):
        texts = [
            f"<think>\n{a} Maybe $\\boxed{{{first[0]}}}$.\n</think>\n\n{b} The answer is $\\boxed{{{second[0]}}}$.",
            f"<think>{a} The answer is {first[0]}. Wait, no.</think>{b}\n\n$\\boxed{{{second[0]}}}$",
            f"<think>\n{a} So \\boxed{{{first[0]}}}?\n</think>\n\nThe answer is ${second[0]}$.",
            f"{a} I first thought of $\\boxed{{{first[0]}}}$.\n</think>\n{b}\n\n**Answer:** ${second[0]}$",
            f"<|begin_of_thought|>\n{a} $\\boxed{{{first[0]}}}$\n<|end_of_thought|>\n\n<|begin_of_solution|>\n{b} $\\boxed{{{second[0]}}}$.\n<|end_of_solution|>",
        ]
        for text in texts:
            if label:
                case.yes(text, "the answer after the thought", right[1])
            else:
                case.no(text, wrong[1], "right in the thought only")
    return case


@category("no_final_answer")
def no_final_answer(rng: Random) -> Case:
    """The value occurs in the text, but no answer is stated."""
    right, wrong = _integer_answer(rng)
    case = Case(right[0], right[1], raw=True)
    a, b = reasoning(rng, 3), reasoning(rng, 2)
    s, n = right[0], right[1]
    for text in [
        f"{a} In one of the cases the count is ${s}$, but there are more cases to look at. {b}",
        f"{a} For instance, $x = {s}$ satisfies the first condition. Now we try the second one, and we",
        f"{a}\n\nStep 7: compute ${s} + 1 = {n + 1}$ and",
        f"I cannot solve this problem. It may have to do with {s}, or with {wrong[0]}.",
        f"{a} Let us double-check with {s}: the left side gives {wrong[0]}. {b} Let me try another way.",
        f"<think>\n{a} So perhaps {s}. Let me verify by trying all the",
        f"{s} {wrong[0]} {n + 1} {n + 2} {n + 3}",
    ]:
        case.no(text, "nothing stated", "no answer stated")
    case.yes(f"{a} In one of the cases the count is ${wrong[0]}$. {b} The answer is ${s}$.", "stated at the end")
    case.yes(
        f"{a} For instance, $x = {wrong[0]}$ satisfies the first condition. {b} So we get $\\boxed{{{s}}}$.",
        "boxed at the end",
    )
    case.yes(f"{a}\n\nStep 7: compute ${n - 1} + 1 = {s}$.\n\nAnswer: {s}", "answer line at the end")
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


@category("long_reasoning")
def long_reasoning(rng: Random) -> Case:
    """Thousands of words of working full of numbers, boxes of intermediate results among them."""
    right, wrong = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    chapters = [reasoning(rng, rng.randint(8, 20)) for _ in range(rng.randint(6, 14))]
    for i in range(1, len(chapters), 3):
        chapters[i] += f" For this part we note $\\boxed{{{rng.randint(1, 5000)}}}$."
    chapters[len(chapters) // 2] += f" At this point one would expect ${right[0]}$ or ${wrong[0]}$."
    body = "\n\n".join(chapters)
    _both(
        case,
        lambda s: f"{body}\n\nTaking all parts together, the answer is $\\boxed{{{s}}}$.",
        right,
        wrong,
        "box at the end",
    )
    _both(
        case,
        lambda s: f"<think>\n{body}\n</think>\n\n**Solution.** {reasoning(rng, 2)}\n\n$$\\boxed{{{s}}}$$",
        right,
        wrong,
        "after a long thought",
    )
    _both(
        case,
        lambda s: f"<think>\n{body}\n</think>\n\nThe answer is ${s}$.",
        right,
        wrong,
        "statement after a long thought",
    )
    case.no(f"{body}\n\nNow one would have to put the parts together, and", "nothing stated", "cut off") if not any(
        "boxed" in c for c in chapters
    ) else None
    return case


@category("words_inside_box")
def words_inside_box(rng: Random) -> Case:
    right, wrong = _integer_answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 1)
    for layout in [
        "\\boxed{\\text{X}}",
        "\\boxed{x = X}",
        "\\boxed{\\textbf{X}}",
        "\\boxed{\\mathbf{X}}",
        "\\boxed{X \\text{ ways}}",
        "\\boxed{N = X}",
        "\\boxed{\\$X}",
        "\\boxed{X\\text{ units}}",
        "\\boxed{\\mathrm{X}}",
        "\\boxed{X\\,}",
        "\\boxed{~X~}",
        "\\boxed{\\quad X \\quad}",
        "\\boxed{\\large X}",
        "\\boxed{\\color{blue}X}",
    ]:
        _both(case, lambda s, layout=layout: f"{work} ${layout.replace('X', s)}$", right, wrong, layout)
    return case


@category("gsm8k_style")
def gsm8k_style(rng: Random) -> Case:
    """Working with calculator marks and a last line `A: n` or `#### n`."""
    right, wrong = _integer_answer(rng)
    case = Case(right[0], right[1], raw=True)
    a, b = rng.randint(2, 30), rng.randint(2, 30)
    work = f"She buys {a} boxes of {b} pens, so {a} * {b} = <<{a}*{b}={a * b}>>{a * b} pens.\nAfter giving some away she counts what is left."
    for layout in [
        "#### X",
        "#### $X",
        "A: X",
        "The answer is: X",
        "#### X\nThe answer is: X",
        "The answer is X.",
        "####X",
    ]:
        _both(case, lambda s, layout=layout: f"{work}\n{layout.replace('X', s)}", right, wrong, layout)
    _both(case, lambda s: f"{work}\n#### {int(s):,}", right, wrong, "commas")
    return case


@category("empty_or_odd_box")
def empty_or_odd_box(rng: Random) -> Case:
    right, _ = _answer(rng)
    case = Case(right[0], right[1], raw=True)
    work = reasoning(rng, 2)
    for text in [
        "\\boxed{}",
        "\\boxed{ }",
        "\\boxed{?}",
        "\\boxed{\\ldots}",
        "\\boxed{\\text{}}",
        "\\boxed{-}",
        "\\boxed{answer}",
        "\\boxed{\\text{your answer here}}",
        "\\boxed{\\text{N/A}}",
        "\\boxed{,}",
        "\\boxed{()}",
        "\\boxed{\\frac{}{}}",
    ]:
        case.no(f"{work} ${text}$", "empty", "nothing in the box")
        if text in ("\\boxed{}", "\\boxed{?}"):
            case.no(f"{work} One gets {right[0]} at first. ${text}$", "empty", "nothing in the box")
    for text in [
        f"\\boxed{{{right[0]}}}",
        f"\\boxed{{ {right[0]} }}",
        f"\\boxed{{{{}}{right[0]}}}",
        f"\\boxed{{\\,{right[0]}}}",
        f"\\boxed{{\\left.{right[0]}\\right.}}",
    ]:
        case.yes(f"{work} ${text}$", "an answer in the box")
    return case
