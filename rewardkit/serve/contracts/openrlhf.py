"""OpenRLHF's `--reward.remote_url http://host:8000/get_reward` (before 0.9: `--remote_rm_url`).

Its body is `{"query": [...], "prompts": [...], "labels": [...]}`, where a query is prompt and answer in one text, special
tokens and all (openrlhf/utils/agent.py, `_fetch_rewards_via_http`; openrlhf/cli/serve_rm.py answers in the same shape).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from rewardkit.serve.contracts import Contract, Query, Row, columns
from rewardkit.types import Score

_SPECIAL = re.compile(r"<\|[A-Za-z0-9_.\-]{1,40}\|>|</s>|<pad>|<eos>|<end_of_turn>|<\|eot_id\|>")
"""Tokens that end a turn or pad it, in the templates of Qwen, Llama, Mistral, Gemma and their kin."""
LONGEST_SPECIAL = 44
"""Characters of the longest text that `_SPECIAL` matches."""


class RewardRequest(msgspec.Struct):
    """What OpenRLHF sends."""

    query: list[str]
    """Prompt and answer, decoded with special tokens."""
    prompts: list[str | None] = []
    labels: list[Any] = []
    """Ground truths."""


class RewardResponse(msgspec.Struct):
    """What OpenRLHF reads: `rewards` train, `scores` filter (dynamic sampling), `extra_logs` are logged."""

    rewards: list[float | None]
    scores: list[float | None]
    extra_logs: dict[str, list[float]]


def rows_of(asked: RewardRequest) -> list[Row]:
    """One sample a query."""
    lists = columns(len(asked.query), prompts=asked.prompts, labels=asked.labels)
    return [
        {"completion": completion_of(query, prompt), "prompt": prompt, "ground_truth": label}
        for query, (prompt, label) in zip(asked.query, lists, strict=True)
    ]


def answer_of(_: RewardRequest, scores: list[Score], query: Query) -> RewardResponse:
    """One reward a query."""
    return RewardResponse(
        rewards=[query.value(score) for score in scores],
        scores=[query.outcome(score) for score in scores],
        extra_logs={
            "correct": [float(score.accuracy or 0) for score in scores],
            "unjudged": [float(score.value is None) for score in scores],
        },
    )


def completion_of(query: str, prompt: str | None) -> str:
    r"""The answer in a query: what follows the prompt, without the special tokens at its end.

    A tokenizer may give back a prompt that differs in blanks or has a start token before it; then the prompt is looked for,
    and if it is not found the whole query is the completion.

    >>> completion_of("<s>1 + 1?2<|im_end|>", "1 + 1?")
    '2'
    """
    if prompt:
        place = query.find(prompt)
        if place >= 0:
            query = query[place + len(prompt) :]
    end = len(query)
    while (start := _last_special(query, end)) is not None:
        end = start
    return query[:end]


def _last_special(text: str, end: int) -> int | None:
    """Where the special token starts that the first `end` characters close with, blanks aside; None if there is none."""
    while end and text[end - 1].isspace():
        end -= 1
    start = max(0, end - LONGEST_SPECIAL)
    matches = [match for match in _SPECIAL.finditer(text[start:end]) if start + match.end() == end]
    return start + matches[-1].start() if matches else None


CONTRACTS = (
    Contract("/get_reward", "Judge OpenRLHF's queries.", RewardRequest, RewardResponse, rows_of, answer_of),
)  # fmt: skip
