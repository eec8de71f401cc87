"""Rewards on completions of real models, against the verdicts that came with the data. Skipped where the data is absent."""

import gzip
import json
from collections import Counter
from dataclasses import replace

from rewardkit import Sample, load


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_gsm8k_agrees_with_its_authors_on_every_solution(data_dir):
    samples, verdicts = [], []
    for row in read(data_dir / "completions_gsm8k_openai" / "gsm8k_openai_175b_6b.jsonl.gz"):
        truth = row["ground_truth"].rsplit("A:", 1)[-1].strip()
        for system in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"):
            samples.append(Sample(completion=row[system]["solution"], ground_truth=truth))
            verdicts.append(float(row[system]["is_correct"]))
    assert len(samples) == 2696
    assert [score.value for score in load("gsm8k").score(samples)] == verdicts


def test_choice_finds_each_letter_that_was_chosen(data_dir):
    rows = read(data_dir / "completions_aqua_gpt4" / "pot__gpt4__aqua.jsonl.gz")
    samples = [Sample(completion=str(row["generated_prediction"]), ground_truth=row["answer"]) for row in rows]
    verdicts = Counter(score.verdict.value for score in load("choice(letters='ABCDE')").score(samples))
    # Read by hand: the eight without an answer refuse to choose or break off.
    assert verdicts == {"correct": 86, "wrong": 23, "no_answer": 8}


def dialogue(row):
    for turn in row["conversations"]:
        text = turn["value"]
        match turn["from"]:
            case "human":
                yield {"role": "user", "content": text}
            case "gpt":
                yield {"role": "assistant", "content": text}
            case "function_call":
                yield {"role": "assistant", "content": "", "tool_calls": [{"function": json.loads(text)}]}
            case _:
                yield {"role": "tool", "content": text}


def test_well_formed_tool_dialogues_pass_every_tool_reward(data_dir):
    rows = read(data_dir / "tool_calls" / "glaive_toolcall_en_demo.jsonl.gz")
    samples = [
        Sample(messages=tuple(dialogue(row)), extra_info={"tools": json.loads(row["tools"] or "[]")}) for row in rows
    ]
    calls = [
        [call["function"] for turn in sample.messages for call in turn.get("tool_calls", [])] for sample in samples
    ]
    with_truth = [replace(sample, ground_truth=made) for sample, made in zip(samples, calls, strict=True)]
    assert sum(map(bool, calls)) == 83
    assert {score.value for score in load("turn_protocol").score(samples)} == {1.0}
    assert {score.value for score in load("tool_efficiency").score(samples)} == {0.0}
    assert {score.value for score in load("tool_match").score(with_truth)} == {1.0}
    formats = load("tool_call_format").score(samples)
    assert [score.value for score in formats] == [float(bool(made)) for made in calls]
