"""Qwen3-4B-Base-GRPO: GRPO with verl on DAPO-Math-17k, boxed answers, validated on AIME25, AMC23 and AIME24."""

from __future__ import annotations

from pathlib import Path

from trainers.recipes import files
from trainers.recipes.base import Data, Recipe
from trainers.recipes.files import Row

ASK = "\n\nReason step by step and put the final answer in \\boxed{}."
VALIDATION = (("aime25", "aime/aime25.jsonl.gz"), ("amc23", "amc23/test.jsonl.gz"), ("aime24", "aime/aime24.jsonl.gz"))


def prepare(folder: Path, limit: int | None) -> Data:
    """The processed training file as it is, and the three test sets with the same question form."""
    train = files.read(folder / "dapo_math_17k" / "dapo_math_17k_processed.parquet", limit)
    validation = [
        files.verl_row(item["problem"] + ASK, integer(item["answer"]), data_source=name, index=index, split="test")
        for name, file in VALIDATION
        for index, item in enumerate(files.read(folder / file, limit))
    ]
    return Data(train=[tidy(row) for row in train], validation=validation)


def tidy(row: Row) -> Row:
    r"""The row with the doubled braces of its instruction undone: the file says `\\boxed{{}}`."""
    prompt = [{**turn, "content": turn["content"].replace("\\boxed{{}}", "\\boxed{}")} for turn in row["prompt"]]
    return {
        **row,
        "prompt": prompt,
        "reward_model": {**row["reward_model"], "ground_truth": integer(row["reward_model"]["ground_truth"])},
    }


def integer(answer: str) -> str:
    """Integers in one spelling: AMC writes 27.0, AIME 2024 writes 033, and the strict box compares letter by letter.

    >>> integer("033"), integer("27.0"), integer("x")
    ('33', '27', 'x')
    """
    try:
        return str(int(float(answer)))
    except ValueError:
        return answer


def right_answer(row: Row) -> str | None:
    """The ground truth in a box."""
    return f"\\boxed{{{row['reward_model']['ground_truth']}}}"


RECIPE = Recipe(Path(__file__).parent, prepare, right_answer)
