"""Variants of a golden row, always the same ones: small changes of its texts, numbers and lists, and other options of its reward."""

from __future__ import annotations

import copy
import random
import typing
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from rewardkit import Reward, Sample, Score, UsageError, load

COUNT = 40
"""Changed samples of a row."""
FEW = 8
"""So many of them also meet each other option."""
PIECES = (
    "\\boxed{", "}", "{", "$", "<think>", "</think>\n", "\n<answer>\n", "</answer>", "####", "Answer: ", "The answer is ", "(B)", "A", "B or C",
    "1,234", "-", ".5", "7", "0", "3/4", "12%", "e3", "=", "an ", "```python\nx = 1\n```", "```", "\n", "\n\n", " ", "  ", ",", "- ", "* ", "1. ", "Step 2:",
    "First,", '"', "'", ".", "!", "? ", "***", "P.S. ", "<<t>>", "[x]", "|a|b|\n", "|---|---|\n", "<SOLUTION>", "</SOLUTION>", "<end_working_out>", "<|endoftext|>",
    '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>', "<tool_call>", '{"a": [1, 2.0, null]}', "[", "]", "true", "the", "der die und", "日本語", "é", "X",
)  # fmt: skip


def values(row: dict[str, Any]) -> list[str]:
    """What the changed samples of one golden row earn, and the first of them with each other option."""
    reward, samples = load(row["reward"]), variants(row)
    found = [
        f"{_said(score)} {sample.to_row()!r}" for score, sample in zip(reward.score(samples), samples, strict=True)
    ]
    for name, other in other_options(reward):
        found.append(f"{name}: {' '.join(map(_said, other.score(samples[:FEW])))}")
    return found


def _said(score: Score) -> str:
    return f"{score.verdict} {score.value and round(score.value, 9)}"


def variants(row: dict[str, Any]) -> list[Sample]:
    """Changed samples of one golden row."""
    rng = random.Random(repr(sorted(row["sample"].items())))
    found: list[Sample] = []
    while len(found) < COUNT:
        changed = copy.deepcopy(row["sample"])
        for _ in range(1 + rng.randrange(3)):
            _change(changed, rng)
        try:
            found.append(Sample(**changed))
        except UsageError:
            continue
    return found


def other_options(reward: Reward) -> Iterator[tuple[str, Reward]]:
    """The reward with one option changed, and which."""
    hints = typing.get_type_hints(type(reward))
    for field in fields(reward):
        value = getattr(reward, field.name)
        for other in _other_values(value, typing.get_args(hints[field.name])):
            try:
                yield f"{field.name}={other!r}", replace(reward, **{field.name: other})
            except UsageError:
                yield f"{field.name}={other!r}", reward


def _other_values(value: Any, choices: tuple[Any, ...]) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str) and value in choices:
        return [choice for choice in choices if choice != value]
    if isinstance(value, int | float):
        return [value - 1, value + 1, value * 3, value / 2 if isinstance(value, float) else value // 2, 0]
    return []


def _change(sample: dict[str, Any], rng: random.Random) -> None:
    """Change one field in place."""
    match rng.randrange(10):
        case 0:
            sample["completion_tokens"] = rng.randrange(1 << rng.randrange(1, 16))
        case 1:
            sample["finish_reason"] = _pick(["stop", "length", "tool_calls"], rng)
        case 2 if "ground_truth" in sample:
            sample["ground_truth"] = changed(sample["ground_truth"], rng)
        case 3 if "extra_info" in sample:
            sample["extra_info"] = changed(sample["extra_info"], rng)
        case 4 | 5 | 6 if sample.get("messages"):
            sample["messages"] = changed(sample["messages"], rng)
        case 7 if sample.get("prompt"):
            sample["prompt"] = changed(sample["prompt"], rng)
        case _:
            text = sample.get("completion")
            sample["completion"] = text_changed(text, rng) if isinstance(text, str) else changed(text, rng)


def changed(value: Any, rng: random.Random) -> Any:
    """A value with one thing in it changed."""
    if isinstance(value, dict):
        return _mapping(value, rng)
    if isinstance(value, list):
        return _list(value, rng)
    if isinstance(value, str):
        return text_changed(value, rng)
    if isinstance(value, bool) or value is None:
        return not value
    return value + _pick([1, -1, 0.5, 10], rng)


def _mapping(value: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    if not value:
        return {"x": 1}
    key = _pick(sorted(value), rng)
    if rng.randrange(6) == 0:
        return {name: inner for name, inner in value.items() if name != key}
    return {**value, key: changed(value[key], rng)}


def _list(value: list[Any], rng: random.Random) -> list[Any]:
    if not value:
        return [1]
    place = rng.randrange(len(value))
    match rng.randrange(6):
        case 0:
            return value[:place] + value[place + 1 :]
        case 1:
            return [*value[:place], value[place], *value[place:]]
        case 2:
            return value[place:] + value[:place]
        case _:
            return [*value[:place], changed(value[place], rng), *value[place + 1 :]]


def text_changed(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + 1 + rng.randrange(12))
    match rng.randrange(8):
        case 0 | 1:
            return text[:start] + _pick(PIECES, rng) + text[start:]
        case 2:
            return text[:start] + text[end:]
        case 3:
            return text[:start] + _pick(PIECES, rng) + text[end:]
        case 4:
            return text[:end] + text[start:end] + text[end:]
        case 5:
            return text[:start] + text[start:end].swapcase() + text[end:]
        case 6:
            lines = text.split("\n")
            place = rng.randrange(len(lines))
            return "\n".join(lines[place:] + lines[:place])
        case _:
            digits = [place for place, letter in enumerate(text) if letter.isdigit()]
            if not digits:
                return text + _pick(PIECES, rng)
            place = _pick(digits, rng)
            return text[:place] + str(rng.randrange(10)) + text[place + 1 :]


def _pick(values: typing.Sequence[Any], rng: random.Random) -> Any:
    return values[rng.randrange(len(values))]
