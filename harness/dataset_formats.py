"""Rows of public benchmarks turned into docs: question, ground truth and, for `harness tasks --check`, a right answer.

One function a benchmark family, named in the task YAML as `shape` (see `SHAPES`). It takes a row as the hub or a public repository
spells it and returns a doc, or in a few words why the row is not asked.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from rewardkit.data.problems import answer_text, answer_texts, turns
from rewardkit.math.extract.extract import last_boxed

Row = dict[str, Any]
Shape = Callable[[Row], Row | str | None]
"""A function of the user's may give None for a row that is not asked."""

NO_ANSWER, NO_QUESTION = "no answer", "no question"
SEVERAL_TURNS = "a chat of several turns"
MAX_STEP_BY_STEP = "Let's think step by step"
LETTERS = "ABCDEFGHIJ"


def question_hash(text: str) -> str:
    """A hash of a question that ignores white space: the same problem has the same hash in any file."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def math(row: Row) -> Row | str:
    """A maths problem with its answer: MATH-500, AIME, AMC, DeepScaleR, NuminaMath, Omni-MATH, verl's Parquet.

    A list of answers are alternatives. Of a chat its one message is the problem; a system message says how to answer and is not asked.
    """
    if row.get("problem_is_valid", "Yes") != "Yes":
        return "marked as not valid"
    if row.get("question_type") == "proof":
        return "a proof"
    answer = _first(row, "answer", "ground_truth", "final_answer")
    if answer is None and isinstance(row.get("reward_model"), Mapping):
        answer = cast("Mapping[str, Any]", row["reward_model"]).get("ground_truth")
    if answer is None and row.get("solution") is not None:
        answer = last_boxed(str(row["solution"]))
    answers, asked = answer_texts(answer), turns(_first(row, "problem", "question", "prompt"))
    if not answers or not {"proof", "notfound"}.isdisjoint(map(str.lower, answers)):
        return NO_ANSWER
    if len(asked) > 1:
        return SEVERAL_TURNS
    return {"question": _without_request("".join(asked)), "ground_truth": _truth(answers)}


def gsm8k(row: Row) -> Row | str:
    """GSM8K: the number after `####`."""
    answer = answer_text(row["answer"]).rpartition("####")[2].strip().replace(",", "")
    return {"question": answer_text(row["question"]), "ground_truth": answer} if answer else NO_ANSWER


def olympiadbench(row: Row) -> Row | str:
    """OlympiadBench, open-ended and text only: `final_answer` is a list of one text, the unit is apart."""
    answers, question = answer_texts(row["final_answer"]), answer_text(row["question"])
    if not answers or not question:
        return NO_QUESTION if answers else NO_ANSWER
    if row.get("context"):
        question = f"{str(row['context']).strip()}\n\n{question}"
    several = bool(row.get("is_multiple_answer"))
    extra = {"several": several, "unit": row.get("unit")}
    return {"question": question, "ground_truth": _truth(answers), "extra_info": extra}


def gpqa(row: Row) -> Row | str:
    """GPQA: four options, shuffled by a seed that is the question's hash, so that order is the same in every run."""
    question, right = answer_text(row["Question"]), answer_text(row["Correct Answer"])
    options = [right, *(answer_text(row[f"Incorrect Answer {number}"]) for number in (1, 2, 3))]
    if not all(options):
        return "an option is empty" if right else NO_ANSWER
    random.Random(question_hash(question)).shuffle(options)
    return {
        "question": question,
        "choices": options,
        "ground_truth": LETTERS[options.index(right)],
        "extra_info": {"choices": options},
    }


def taco(row: Row) -> Row | str:
    """TACO and APPS: `input_output` holds the tests as JSON text. Rows without tests cannot be judged."""
    tests = row.get("input_output", row.get("tests"))
    if isinstance(tests, str):
        tests = json.loads(tests) if tests.strip() else None
    if not isinstance(tests, Mapping) or not cast("Mapping[str, Any]", tests).get("inputs"):
        return "no tests"
    doc: Row = {
        "question": answer_text(_first(row, "question", "problem")),
        "starter_code": row.get("starter_code") or "",
        "ground_truth": dict(cast("Mapping[str, Any]", tests)),
    }
    solutions = row.get("solutions")
    if isinstance(solutions, str):
        solutions = json.loads(solutions) if solutions.strip() else None
    if solutions:
        doc["reference"] = str(solutions[0])
    return doc


def leetcode(row: Row) -> Row:
    """LeetCodeDataset: `test` defines `check(candidate)`; `prompt` holds the imports."""
    truth = {"prompt": row["prompt"], "test": row["test"], "entry_point": row["entry_point"]}
    if row.get("input_output"):
        truth["input_output"] = row["input_output"]
    question = answer_text(_first(row, "problem_description", "query"))
    return {
        "question": question,
        "starter_code": row.get("starter_code") or "",
        "ground_truth": truth,
        "reference": row.get("completion") or "",
    }


def humaneval(row: Row) -> Row:
    """HumanEval: complete the function."""
    return {
        "question": row["prompt"],
        "ground_truth": {"prompt": row["prompt"], "test": row["test"], "entry_point": row["entry_point"]},
        "reference": row["prompt"] + row["canonical_solution"],
    }


SETUP_NEEDS_THE_PROGRAM = (
    "the tests' setup calls a class that only the reference program defines, and no prompt names it"
)


def mbpp(row: Row) -> Row | str:
    """MBPP, the test split: task ids 11 to 510. A row whose setup does not run by itself is not asked (task 367)."""
    if not 11 <= int(row["task_id"]) <= 510:
        return "not of the test split"
    setup = row.get("test_setup_code") or ""
    if _uses_own_class(setup, row["code"]):
        return SETUP_NEEDS_THE_PROGRAM
    if not (text := answer_text(row["text"])):
        return NO_QUESTION
    tests = list(row["test_list"])
    truth: Row = {"test_list": tests}
    if setup:
        truth["test_setup_code"] = setup
    return {
        "question": text + "\n\nYour code should pass these tests:\n\n" + "\n".join(tests),
        "ground_truth": truth,
        "reference": row["code"],
    }


def _uses_own_class(setup: str, code: str) -> bool:
    return any(re.search(rf"\b{name}\s*\(", setup) for name in re.findall(r"^class\s+(\w+)", code, re.MULTILINE))


def livecodebench(row: Row) -> Row:
    """LiveCodeBench: stdin tests, or calls of the starter code's method."""
    tests = _first(row, "tests", "public_test_cases")
    if isinstance(tests, str):
        tests = json.loads(tests)
    cases = [dict(test) for test in cast("list[Any]", tests)]
    starter = row.get("starter_code") or ""
    truth: Row = {"inputs": [case["input"] for case in cases], "outputs": [case["output"] for case in cases]}
    if cases and cases[0].get("testtype") == "functional":
        match = re.search(r"def\s+(\w+)\s*\(", starter[starter.find("class ") :] if "class " in starter else starter)
        truth = {
            "inputs": [[json.loads(line) for line in case["input"].splitlines() if line.strip()] for case in cases],
            "outputs": [json.loads(case["output"]) for case in cases],
            "fn_name": match[1] if match else None,
        }
    return {
        "question": answer_text(_first(row, "problem", "question_content")),
        "starter_code": starter,
        "ground_truth": truth,
    }


SHAPES: dict[str, Shape] = {
    each.__name__: each for each in (math, gsm8k, olympiadbench, gpqa, taco, leetcode, humaneval, mbpp, livecodebench)
}


def _first(row: Row, *names: str) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _truth(answers: list[str]) -> str | list[str]:
    return answers if len(answers) > 1 else answers[0]


def _without_request(text: str) -> str:
    cut = text.find(MAX_STEP_BY_STEP)
    return text[:cut].strip() if cut > 0 and len(text) - cut < 120 else text
