"""Prompts: one function per task family, named in the task YAML as `doc_to_text`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from harness.dataset_formats import LETTERS

Doc = Mapping[str, Any]

BOXED = "Please reason step by step, and put your final answer within \\boxed{}."
STDIN = (
    "Write a Python 3 program that solves the problem: it reads from standard input and prints to standard output. "
    "Put the whole program in one ```python code block."
)
FUNCTION = "Complete this code, and put the whole program in one ```python code block:\n\n```python\n{starter}\n```"
CALLED = (
    "Write a Python 3 function `{name}` that solves the problem. Put the whole program in one ```python code block."
)
AGENT = (
    "Think about the problem between <think> and </think>, writing your calculation on several lines, then give the "
    "final answer as a number on the last line."
)


def boxed(doc: Doc) -> str:
    r"""A maths problem with the answer asked for in `\boxed{}`."""
    return f"{doc['question']}\n\n{BOXED}"


def boxed_all(doc: Doc) -> str:
    r"""Like `boxed`; if several answers or a unit are expected, says so."""
    extra = cast("Mapping[str, Any]", doc.get("extra_info") or {})
    hint = (
        " If there are several answers, put them in one \\boxed{}, separated by commas." if extra.get("several") else ""
    )
    if extra.get("unit"):
        hint += f" Give the answer in {extra['unit']}."
    return f"{doc['question']}\n\n{BOXED}{hint}"


def thinking(doc: Doc) -> str:
    """A word problem for the GSM8K agent: think in tags, then a number."""
    return f"{doc['question']}\n\n{AGENT}"


def choice(doc: Doc) -> str:
    r"""A question with lettered options; the letter is asked for in `\boxed{}`."""
    options = "\n".join(f"{LETTERS[index]}) {text}" for index, text in enumerate(doc["choices"]))
    return (
        f"{doc['question']}\n\n{options}\n\nPlease reason step by step, and put the letter of the right option within "
        "\\boxed{}."
    )


def code(doc: Doc) -> str:
    """A programming problem: from standard input, or with starter code, or with a function name."""
    truth = doc["ground_truth"]
    if doc.get("starter_code"):
        task = FUNCTION.format(starter=doc["starter_code"].rstrip())
    elif truth.get("fn_name"):
        task = CALLED.format(name=truth["fn_name"])
    else:
        task = STDIN
    return f"{doc['question']}\n\n{task}"


def complete(doc: Doc) -> str:
    """HumanEval: the function's head and docstring to be completed."""
    return FUNCTION.format(starter=doc["question"].rstrip())


def function(doc: Doc) -> str:
    """MBPP: a description with its tests."""
    return f"{doc['question']}\n\nPut the whole program in one ```python code block."


def target(doc: Doc) -> str:
    """The ground truth as text, for lm-eval's sample files and the problem's hash."""
    truth = doc["ground_truth"]
    if isinstance(truth, str):
        return truth
    import json

    return json.dumps(truth, ensure_ascii=False, sort_keys=True, default=str)


def gold(doc: Doc) -> str:
    """A completion that must be judged right: the ground truth in the form that was asked for."""
    reference = doc.get("reference")
    if reference:
        return f"```python\n{reference}\n```"
    if doc["reward"].startswith("math_agent"):
        return f"<think>\nWe calculate step by step: 1 + 1 = 2.\nThe result follows.\n</think>\n{answer(doc)}"
    return f"The final answer is $\\boxed{{{answer(doc)}}}$."


def answer(doc: Doc) -> str | None:
    """The ground truth, or the first of a list of them; None for tests of programs."""
    truth: Any = doc["ground_truth"]
    if isinstance(truth, list) and truth and not doc["reward"].startswith("code"):
        truth = cast("list[Any]", truth)[0]
    return truth if isinstance(truth, str) else None


def wrong(doc: Doc) -> str:
    """A completion of the right form with a wrong answer."""
    truth = answer(doc)
    if truth is None:
        return "```python\nraise SystemExit('wrong on purpose')\n```"
    if doc.get("choices"):
        return f"The final answer is $\\boxed{{{LETTERS[(LETTERS.index(truth) + 1) % len(doc['choices'])]}}}$."
    return "The final answer is $\\boxed{-918273645546}$."
