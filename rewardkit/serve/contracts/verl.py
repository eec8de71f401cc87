"""verl's `compute_score` over HTTP: its keyword arguments as a JSON body, its dictionary back.

For where rewardkit isn't installed: a `custom_reward_function` posts what verl's reward managers pass (verl/experimental/reward_loop/
reward_manager/naive.py): `{"data_source", "solution_str", "ground_truth", "extra_info"}`, or the plural names with a
list each, as the batch manager does. verl takes the first row's keys as the schema of all
rows, so the keys are always the same.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rewardkit.rollouts import verl_fields
from rewardkit.serve.contracts import Contract, Query, Row, Told, columns
from rewardkit.types import Score


class ComputeScore(msgspec.Struct):
    """One rollout, as verl's naive manager describes it."""

    solution_str: str
    ground_truth: Any = None
    data_source: Any = None
    extra_info: dict[str, Any] | None = None


class ComputeScores(msgspec.Struct):
    """A batch of rollouts, as verl's batch manager describes it."""

    solution_strs: list[str]
    ground_truths: list[Any] = []
    data_sources: list[Any] = []
    extra_infos: list[dict[str, Any] | None] = []


class VerlScore(Told):
    """The dictionary that `compute_score` returns. `score` is null if unjudged, unless `?unjudged=` gives a number."""

    pred: str


def row_of(asked: ComputeScore) -> Row:
    """The arguments as a sample."""
    return verl_fields(asked.solution_str, asked.data_source, asked.ground_truth, asked.extra_info)


def rows_of_one(asked: ComputeScore) -> list[Row]:
    """The only row."""
    return [row_of(asked)]


def rows_of(asked: ComputeScores) -> list[Row]:
    """One sample a rollout."""
    count, truths = len(asked.solution_strs), asked.ground_truths
    lists = columns(count, ground_truths=truths, data_sources=asked.data_sources, extra_infos=asked.extra_infos)
    return [row_of(ComputeScore(text, *rest)) for text, rest in zip(asked.solution_strs, lists, strict=True)]


def verl_score(score: Score, query: Query) -> VerlScore:
    """A score in verl's words; always the same keys."""
    return VerlScore(pred=score.answer or "", **query.told(score))


def answer_of_one(_: ComputeScore, scores: list[Score], query: Query) -> VerlScore:
    """The only score."""
    return verl_score(scores[0], query)


def answer_of(_: ComputeScores, scores: list[Score], query: Query) -> list[VerlScore]:
    """One score a rollout."""
    return [verl_score(score, query) for score in scores]


CONTRACTS = (
    Contract("/verl/compute_score", "Judge one rollout.", ComputeScore, VerlScore, rows_of_one, answer_of_one),
    Contract(
        "/verl/compute_scores", "Judge a batch of rollouts.", ComputeScores, list[VerlScore], rows_of, answer_of
    ),
)  # fmt: skip
