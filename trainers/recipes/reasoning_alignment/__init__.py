"""Reasoning alignment: pre-SFT on 60 examples for the form, SFT, GRPO, and a boxed evaluation before and after."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from .. import files
from ..base import Data, Recipe
from ..files import Row, Sources, UnusableRowError

SYSTEM = "Think between <think> and </think>. Then give the final answer in \\boxed{}."
PRE_SFT_ROWS, SFT_ROWS, TEST_ROWS = 60, 2_000, 2_000
_CALCULATION = re.compile(r"<<[^<>]*>>")


def prepare(sources: Sources) -> Data:
    """OpenR1-Math, or GSM8K if it is not available: 2,000 rows kept for the test, 60 for the form, then SFT, then GRPO."""
    name = "openr1" if sources.has("openr1") else "gsm8k"
    rows = sources.usable(name, partial(_row, name))
    test = min(TEST_ROWS, len(rows) // 4)
    first, second = test + min(PRE_SFT_ROWS, len(rows) // 4), test + min(PRE_SFT_ROWS + SFT_ROWS, len(rows) // 2)
    instead = () if name == "openr1" else ("openr1: not available (--hub); GSM8K's train split takes its place",)
    return Data(
        train=rows[second:],
        validation=rows[:test],
        pre_sft=[files.demonstration(row) for row in rows[test:first]],
        sft=[files.demonstration(row) for row in rows[first:second]],
        notes=instead,
    )


def _row(source: str, _: int, item: Row) -> Row:
    if source == "gsm8k":
        steps, answer = files.gsm8k_solution(item)
    else:
        steps, answer = files.text_of(item, "solution"), files.text_of(item, "answer")
    if answer == "proof":
        raise UnusableRowError("a proof")
    thought = _CALCULATION.sub("", steps).strip()
    prompt = files.chat(SYSTEM, files.one_question(item))
    worked = f"<think>\n{thought}\n</think>\n\n\\boxed{{{answer}}}"
    return {"prompt": prompt, "ground_truth": answer, "data_source": source, "worked": worked}


RECIPE = Recipe(Path(__file__).parent, prepare, files.worked, system=SYSTEM)
