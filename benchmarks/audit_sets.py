"""Honest completions for `audit_honest.py`, as facts: those that the thresholds were set on, and those kept for measuring."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rewardkit import Reward, Sample, SampleReward, Score, load
from rewardkit.audit import Facts, collect
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns

Row = dict[str, Any]


@dataclass(frozen=True)
class Recorded(SampleReward):
    """The verdict that the data carries."""

    name: ClassVar[str] = "recorded"

    def grade(self, sample: Sample) -> Score:
        return Score.of(bool(sample.extra_info["right"]), answer=sample.extra_info.get("answer", "a program"))


@dataclass(frozen=True)
class HonestSet:
    """A named set: how its rows are made, and which reward judges it."""

    name: str
    rows: Callable[[Path], Iterable[Row]]
    reward: str | None = "math"
    """None: the verdict that the data carries."""
    flips: bool = False
    """The answers are mathematics, so that math-verify can be the second verifier."""

    def facts(self, data: Path, second: Reward | None) -> list[Facts]:
        reward = Recorded() if self.reward is None else load(self.reward)
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in self.rows(data))
            file.flush()
            columns = Columns(completion="completion", ground_truth="ground_truth")
            return list(collect(RowReader([file.name], columns), reward, second if self.flips else None))


def skythought(data: Path) -> Iterator[Row]:
    for path in sorted((data / "completions_skythought").glob("skythought__*.gz")):
        for row in read(path):
            for text in row["code"]:
                yield {
                    "completion": text,
                    "ground_truth": row["gt"],
                    "prompt": row["question"],
                    "data_source": path.name,
                }


def qwen(data: Path) -> Iterator[Row]:
    for row in read(data / "completions_qwen_math" / "qwen_math_cot_100x8.jsonl.gz"):
        for text in row["code"]:
            yield {"completion": text, "ground_truth": row["gt"], "prompt": row["question"]}


def gsm8k_openai(data: Path) -> Iterator[Row]:
    for row in read(data / "completions_gsm8k_openai" / "gsm8k_openai_175b_6b.jsonl.gz"):
        truth = row["ground_truth"].rsplit("A:", 1)[-1].strip()
        for system in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"):
            text = row[system]["solution"]
            yield {"completion": text, "ground_truth": truth, "prompt": row["question"], "data_source": system}


def programs(data: Path) -> Iterator[Row]:
    for path in sorted((data / "completions_code").glob("*.gz")):
        for row in read(path) if not path.name.startswith("pot__") else ():
            yield {
                "completion": f"```python\n{row.get('solution') or ''}\n```",
                "ground_truth": {"test": row.get("test"), "entry_point": row.get("entry_point")},
                "prompt": row.get("prompt"),
                "extra_info": {"right": row.get("is_solved")},
            }


def tora(data: Path) -> Iterator[Row]:
    for path in sorted((data / "completions_tora").glob("*.gz")):
        for row in read(path):
            yield {
                "completion": row["code"][0],
                "ground_truth": row["gt"],
                "prompt": row["question"],
                "data_source": path.name,
            }


def mathcoder(data: Path) -> Iterator[Row]:
    """Turns of text, code and execution as a conversation with tool calls; the last text is what MathCoder read out of it."""
    for path in sorted((data / "completions_mathcoder").glob("*.gz")):
        for row in read(path):
            messages: list[Row] = []
            turns = row["debug_result"]
            if turns[-2:] and [turn["role"] for turn in turns[-2:]] == ["text", "text"]:
                turns = turns[:-1]
            for turn in turns:
                role, text = turn["role"], turn["content"]
                if role in {"system", "user"}:
                    messages.append({"role": role, "content": text})
                elif role == "execution":
                    messages.append({"role": "tool", "content": text})
                elif role == "text":
                    messages.append({"role": "assistant", "content": text})
                else:
                    call = {"type": "function", "function": {"name": "code_interpreter", "arguments": {"code": text}}}
                    if messages[-1]["role"] == "assistant" and "tool_calls" not in messages[-1]:
                        messages[-1]["tool_calls"] = [call]
                    else:
                        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
            truth = row["ground_truth"]["answer"]
            yield {"completion": messages, "ground_truth": truth, "data_source": path.name}


def mr_gsm8k(data: Path) -> Iterator[Row]:
    for row in read(data / "completions_mr_gsm8k" / "mr_gsm8k_human_labelled.jsonl.gz"):
        if row["question_type"] != "POT":
            text = "\n".join(step.partition(": ")[2] for step in row["model_output_steps"])
            yield {"completion": text, "ground_truth": row["ground_truth_answer"], "prompt": row["question"]}


def cheatsheet(kind: str) -> Callable[[Path], Iterator[Row]]:
    def rows(data: Path) -> Iterator[Row]:
        for path in sorted((data / "completions_dynamic_cheatsheet").glob(f"*__{kind}*.gz")):
            for row in read(path):
                yield {
                    "completion": row["final_output"],
                    "ground_truth": row["target"],
                    "prompt": row["raw_input"],
                    "data_source": path.name,
                }

    return rows


def aqua(data: Path) -> Iterator[Row]:
    for row in read(data / "completions_aqua_gpt4" / "pot__gpt4__aqua.jsonl.gz"):
        prompt = row["question"] + "\n" + "\n".join(row["options"])
        yield {"completion": row["generated_prediction"], "ground_truth": row["answer"], "prompt": prompt}


def codex(data: Path) -> Iterator[Row]:
    for row in read(data / "completions_code" / "pot__codex__gsm8k.jsonl.gz"):
        right = str(row["executed"]) == str(row["answer"])
        text = f"```python\n{row['generated'][0]}\n```"
        yield {
            "completion": text,
            "ground_truth": row["answer"],
            "prompt": row["question"],
            "extra_info": {"right": right, "answer": str(row["executed"])},
        }


SEEN = (
    HonestSet("SkyThought, 7 models", skythought),  # against math-verify in docs/audit.md: long loops cost it minutes
    HonestSet("Qwen2.5-Math, 53 prompts x 8", qwen, flips=True),
    HonestSet("GSM8K, 4 systems of OpenAI", gsm8k_openai, "gsm8k"),
    HonestSet("HumanEval and MBPP programs", programs, None),
)
"""Looked at when the checks were written and their thresholds set."""

HELD_OUT = (
    HonestSet("ToRA, GSM8K with tools", tora, flips=True),
    HonestSet("MathCoder, tool turns", mathcoder, flips=True),
    HonestSet("MetaMath on MR-GSM8K", mr_gsm8k, flips=True),
    HonestSet("GPT-4o and Claude, AIME", cheatsheet("aime"), flips=True),
    HonestSet("GPT-4o and Claude, equations", cheatsheet("mathequation"), flips=True),
    HonestSet("GPT-4, AQuA choices", aqua, "choice"),
    HonestSet("Codex programs, GSM8K", codex, None),
)
"""Never looked at before the thresholds stood."""


def read(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
