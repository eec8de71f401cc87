"""The GSM8K agent of the agentic RL book chapter: SFT with QLoRA, merge, GRPO on the five-part reward, a table."""

from __future__ import annotations

import re
from pathlib import Path

from .. import files
from ..base import Data, Recipe
from ..files import Row, Sources

SYSTEM = (
    "You are a math assistant. When solving problems, first write out the complete reasoning process in <think> tags, "
    "and use the calculator tool for precise calculations."
)
SELECTION_ROWS = 200
"""Training rows kept apart to choose the best checkpoint by; the chapter chose on the test set it reports."""
_CALCULATION = re.compile(r"<<(.+?)=.+?>>")


def prepare(sources: Sources) -> Data:
    """GSM8K's train split for both stages, its test split for the table."""
    train = sources.usable("train", row)
    kept = min(SELECTION_ROWS, len(train) // 10)
    demonstrations = [files.demonstration(item) for item in train]
    return Data(
        train=train,
        validation=sources.usable("test", row),
        sft=demonstrations[kept:],
        sft_eval=demonstrations[:kept],
    )


def row(_: int, item: Row) -> Row:
    """One problem with its demonstration: worked steps as thinking, the last calculation as a tool call, the number."""
    steps, answer = files.gsm8k_solution(item)
    calculations = _CALCULATION.findall(steps)
    thought = "\n".join(_CALCULATION.sub("", line).strip() for line in steps.splitlines() if line.strip())
    call = ""
    if calculations:
        thought += f"\nFinal calculation needed: {calculations[-1]}"
        call = f'<tool_call>\ncalculator(expression="{calculations[-1]}")\n</tool_call>\n\n'
    return {
        "prompt": files.chat(SYSTEM, files.text_of(item, "question")),
        "ground_truth": answer,
        "data_source": "gsm8k",
        "worked": f"<think>\n{thought}\n</think>\n\n{call}The final answer is **{answer}**.",
    }


RECIPE = Recipe(Path(__file__).parent, prepare, files.worked, system=SYSTEM)
