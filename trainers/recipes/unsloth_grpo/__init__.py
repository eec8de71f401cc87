"""Unsloth's GRPO-only recipe: four markers, four rewards, LoRA; runs in plain TRL, and under Unsloth unchanged."""

from __future__ import annotations

from pathlib import Path

from trainers.recipes import files
from trainers.recipes.base import Data, Recipe
from trainers.recipes.dapo_math import integer
from trainers.recipes.files import Row

SYSTEM = (
    "You are given a problem. Work it out between <start_working_out> and <end_working_out>. "
    "Then give the solution between <SOLUTION> and </SOLUTION>."
)


def prepare(folder: Path, limit: int | None) -> Data:
    """DAPO-Math-17k with the four markers in the system prompt; AMC23 for the table."""
    train = files.read(folder / "dapo_math_17k" / "dapo_math_17k_processed.parquet", limit)
    rows = [
        _row(_question(item["prompt"][-1]["content"]), item["reward_model"]["ground_truth"], "dapo_math")
        for item in train
    ]
    test = files.read(folder / "amc23" / "test.jsonl.gz", limit)
    return Data(rows, [_row(item["problem"], integer(item["answer"]), "amc23") for item in test])


def _question(text: str) -> str:
    return text.partition(" Please reason step by step")[0]


def _row(question: str, answer: str, source: str) -> Row:
    prompt = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    return {"prompt": prompt, "ground_truth": answer, "data_source": source}


def right_answer(row: Row) -> str | None:
    """An answer in the asked form."""
    return f"<start_working_out>2 + 2<end_working_out>\n<SOLUTION>{row['ground_truth']}</SOLUTION>"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer)
