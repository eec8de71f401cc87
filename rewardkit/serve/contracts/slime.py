"""slime's `--rm-type remote_rm --rm-url http://host:8000/slime`.

It posts one sample, `{"prompt": ..., "response": ..., "label": ...}`, and takes the JSON it gets back as the reward
(slime/rollout/rm_hub/__init__.py, `remote_rm`). With `?full=true` the answer is an object for `--reward-key score`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rewardkit.rollouts import slime_fields
from rewardkit.serve.contracts import Contract, Query, Row, Told
from rewardkit.types import Score


class RemoteSample(msgspec.Struct):
    """What slime sends."""

    response: str
    prompt: str | list[dict[str, Any]] | None = None
    label: Any = None
    metadata: dict[str, Any] | None = None
    """Not sent by slime today; taken as `extra_info`, with `data_source` in it."""


class FullReward(Told):
    """The answer with `?full=true`."""

    answer: str | None


def rows_of(asked: RemoteSample) -> list[Row]:
    """A sample of slime as one of ours."""
    return [slime_fields(asked.response, asked.prompt, asked.label, asked.metadata)]


def answer_of(_: RemoteSample, scores: list[Score], query: Query) -> float | FullReward | None:
    """The reward, or all that is known about it."""
    (score,) = scores
    if not query.full:
        return query.value(score)
    return FullReward(answer=score.answer, **query.told(score))


CONTRACTS = (
    Contract("/slime", "Judge one sample of slime.", RemoteSample, float | FullReward | None, rows_of, answer_of),
)
