# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch and Transformers carry no types)
"""Answers to validation rows and what the reward says of them, as one line of a recipe's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rewardkit import Sample, Score

BATCH = 32
"""Rows that are answered at a time."""


def answers(
    model: Any,
    tokenizer: Any,
    rows: Sequence[dict[str, Any]],
    *,
    max_tokens: int,
    temperature: float = 0.0,
    batch: int = BATCH,
) -> list[Sample]:
    """One answer a row. Greedy if the temperature is 0."""
    return [
        sample
        for start in range(0, len(rows), batch)
        for sample in _answers(model, tokenizer, rows[start : start + batch], max_tokens, temperature)
    ]


def summary(samples: Sequence[Sample], scores: Sequence[Score]) -> dict[str, float]:
    """Accuracy, unjudged share, the mean of each part of the reward, length in tokens and words, share that was cut.

    `score` and `reward` are verl's columns; parts are means over the samples that could be judged.
    """
    judged = [score for score in scores if score.value is not None]
    total: Counter[str] = Counter()
    for score in judged:
        total.update({name: value for name, value in score.parts.items() if value is not None})
    names = dict.fromkeys(name for score in judged for name in score.parts)
    few = max(1, len(judged))
    return {
        "accuracy": sum(score.accuracy or 0 for score in judged) / few,
        "score": sum(score.outcome_value or 0 for score in judged) / few,
        "reward": sum(score.value or 0 for score in judged) / few,
        "unjudged": (len(scores) - len(judged)) / max(1, len(scores)),
        **{name: total[name] / few for name in names},
        "tokens": sum(sample.tokens or 0 for sample in samples) / max(1, len(samples)),
        "words": sum(len(sample.completion.split()) for sample in samples) / max(1, len(samples)),
        "cut": sum(sample.finish_reason == "length" for sample in samples) / max(1, len(samples)),
    }


def table(results: Mapping[str, Mapping[str, float]], columns: Mapping[str, str] | None = None) -> str:
    """One line a stage: the comparison that the recipe is about, under the published headings if it has some."""
    shown = columns or {name: name for name in next(iter(results.values()))}
    lines = ["| stage | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for stage, values in results.items():
        lines.append(f"| {stage} | " + " | ".join(f"{values[name]:.3f}" for name in shown.values()) + " |")
    return "\n".join(lines)


def _answers(
    model: Any, tokenizer: Any, rows: Sequence[dict[str, Any]], max_tokens: int, temperature: float
) -> list[Sample]:
    import torch

    from .files import trl_row

    flat = [trl_row(row) if "reward_model" in row else row for row in rows]
    texts = [tokenizer.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True) for row in flat]
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    inputs = tokenizer(texts, return_tensors="pt", padding=True, add_special_tokens=False).to(model.device)
    tokenizer.padding_side = side
    inputs.pop("token_type_ids", None)
    model.eval()
    sampling = {"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False}
    with torch.inference_mode():
        output = model.generate(**inputs, max_new_tokens=max_tokens, **sampling)
    ids = output[:, inputs["input_ids"].shape[1] :].tolist()
    return [_sample(tokenizer, row, answer) for row, answer in zip(flat, ids, strict=True)]


def _sample(tokenizer: Any, row: dict[str, Any], ids: list[int]) -> Sample:
    stopped = tokenizer.eos_token_id in ids
    ids = ids[: ids.index(tokenizer.eos_token_id) + 1] if stopped else ids
    return Sample(
        messages=({"role": "assistant", "content": tokenizer.decode(ids, skip_special_tokens=True)},),
        prompt=tuple(row["prompt"]),
        ground_truth=row.get("ground_truth"),
        data_source=row.get("data_source"),
        completion_tokens=len(ids),
        finish_reason="stop" if stopped else "length",
        id=row.get("id"),
    )
