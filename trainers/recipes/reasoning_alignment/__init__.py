"""Reasoning alignment: pre-SFT on some 60 examples for the form, SFT, GRPO, and a boxed evaluation before and after."""

from __future__ import annotations

import re
from pathlib import Path

from trainers.recipes import files
from trainers.recipes.base import Data, Recipe
from trainers.recipes.files import Row

SYSTEM = "Think between <think> and </think>. Then give the final answer in \\boxed{}."
PRE_SFT_ROWS = 60
_CALCULATION = re.compile(r"<<[^<>]*>>")


def prepare(folder: Path, limit: int | None) -> Data:
    """GSM8K: its first 60 rows for the form, the next for SFT, all others for GRPO, the test split for the evaluation."""
    rows = [_row(item) for item in files.read(folder / "gsm8k" / "train.jsonl.gz", limit)]
    test = [_row(item) for item in files.read(folder / "gsm8k" / "test.jsonl.gz", limit)]
    first, second = min(PRE_SFT_ROWS, len(rows) // 3), min(2_000, 2 * len(rows) // 3)
    return Data(
        train=rows[second:],
        validation=test,
        pre_sft=[_demonstration(row) for row in rows[:first]],
        sft=[_demonstration(row) for row in rows[first:second]],
    )


def _row(item: Row) -> Row:
    steps, _, answer = item["answer"].partition("####")
    answer = answer.strip().replace(",", "")
    thought = _CALCULATION.sub("", steps).strip()
    prompt = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": item["question"].strip()}]
    worked = f"<think>\n{thought}\n</think>\n\n\\boxed{{{answer}}}"
    return {"prompt": prompt, "ground_truth": answer, "data_source": "gsm8k", "worked": worked}


def _demonstration(row: Row) -> Row:
    return {"prompt": row["prompt"], "completion": [{"role": "assistant", "content": row["worked"]}]}


def right_answer(row: Row) -> str | None:
    """The demonstration itself."""
    return row["worked"]


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer)
