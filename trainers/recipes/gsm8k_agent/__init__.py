"""The GSM8K agent of the agentic RL book chapter: SFT with LoRA, merge, GRPO on the five-part reward, a table."""

from __future__ import annotations

import re
from pathlib import Path

from trainers.recipes import files
from trainers.recipes.base import Data, Recipe
from trainers.recipes.files import Row

SYSTEM = (
    "You solve school problems. Think inside <think> and </think>, step by step, then state the answer as a number."
)
_CALCULATION = re.compile(r"<<[^<>]*>>")


def prepare(folder: Path, limit: int | None) -> Data:
    """GSM8K's train split for both stages, its test split for the table."""
    train = [row(item) for item in files.read(folder / "gsm8k" / "train.jsonl.gz", limit)]
    test = [row(item) for item in files.read(folder / "gsm8k" / "test.jsonl.gz", limit)]
    sft = [
        {"prompt": item["prompt"], "completion": [{"role": "assistant", "content": item["solution"]}]} for item in train
    ]
    return Data(
        train=[_without_solution(item) for item in train],
        validation=[_without_solution(item) for item in test],
        sft=sft,
    )


def row(item: Row) -> Row:
    """One problem with its demonstration: worked steps as thinking, then the number."""
    steps, _, answer = item["answer"].partition("####")
    answer = answer.strip().replace(",", "")
    thought = _CALCULATION.sub("", steps).strip()
    return {
        "prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": item["question"].strip()}],
        "ground_truth": answer,
        "data_source": "gsm8k",
        "solution": f"<think>\n{thought}\n</think>\n\nThe answer is {answer}.",
    }


def _without_solution(item: Row) -> Row:
    return {**{name: value for name, value in item.items() if name != "solution"}, "worked": item["solution"]}


def right_answer(item: Row) -> str | None:
    """The demonstration itself."""
    return item["worked"]


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer)
