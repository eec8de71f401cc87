# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch and Transformers carry no types)
"""Answers to validation rows and what the reward says of them, as one line of a recipe's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


def summary(samples: Sequence[Sample], scores: Sequence[Score]) -> dict[str, float | None]:
    """Accuracy, unjudged share, the mean of each part of the reward, length in tokens and words, share that was cut.

    `score` and `reward` are verl's columns. They, the accuracy and the parts are means over the samples that could be judged, None where none
    could.
    """
    judged = [score for score in scores if score.value is not None]
    names = dict.fromkeys(name for score in judged for name in score.parts)

    def mean(values: Iterable[float | None]) -> float | None:
        return sum(value or 0 for value in values) / len(judged) if judged else None

    return {
        "accuracy": mean(score.accuracy for score in judged),
        "score": mean(score.outcome_value for score in judged),
        "reward": mean(score.value for score in judged),
        "unjudged": (len(scores) - len(judged)) / max(1, len(scores)),
        **{name: mean(score.parts.get(name) for score in judged) for name in names},
        "tokens": sum(sample.tokens or 0 for sample in samples) / max(1, len(samples)),
        "words": sum(len(sample.completion.split()) for sample in samples) / max(1, len(samples)),
        "cut": sum(sample.finish_reason == "length" for sample in samples) / max(1, len(samples)),
    }


def table(results: Mapping[str, Mapping[str, float | None]], columns: Mapping[str, str] | None = None) -> str:
    """One line a stage: the comparison that the recipe is about, under the published headings if it has some. The share that could not be
    judged is always shown where there is one.
    """
    shown = dict(columns or {name: name for name in next(iter(results.values()))})
    if any(values.get("unjudged") for values in results.values()):
        shown.setdefault("unjudged", "unjudged")
    lines = ["| stage | " + " | ".join(shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for stage, values in results.items():
        cells = [values.get(name) for name in shown.values()]
        lines.append(f"| {stage} | " + " | ".join("-" if cell is None else f"{cell:.3f}" for cell in cells) + " |")
    return "\n".join(lines)


def _answers(
    model: Any, tokenizer: Any, rows: Sequence[dict[str, Any]], max_tokens: int, temperature: float
) -> list[Sample]:
    import torch

    from .files import trl_row

    flat = [*map(trl_row, rows)]
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
