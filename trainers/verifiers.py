"""verifiers and prime-rl: the terms of a reward as the functions and weights of a `Rubric`.

import verifiers as vf
from trainers.verifiers import rubric
env = vf.SingleTurnEnv(dataset=dataset, rubric=vf.Rubric(**rubric("math + 0.1 * think_format")))
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rewardkit import Reward, Score, load
from rewardkit.columns import samples_from_columns
from trainers.parts import terms
from trainers.verl import UNJUDGED, threads

__all__ = ["rubric"]


def rubric(reward: Reward | str) -> dict[str, list[Any]]:
    """`funcs` and `weights` for `vf.Rubric`, one function a term. What could not be judged is 0 there and warned of."""
    whole = load(reward) if isinstance(reward, str) else reward
    parts = terms(whole)
    return {"funcs": [_function(term) for _, term in parts], "weights": [weight for weight, _ in parts]}


def _function(term: Reward) -> Callable[..., Any]:
    async def function(prompt: Any, completion: Any, answer: Any = "", info: Any = None) -> float:
        def judge() -> Score:
            (sample,) = samples_from_columns(
                completions=[completion], prompts=[prompt], ground_truth=[answer], extra_info=[info or {}]
            )
            return term.score([sample])[0]

        score = await asyncio.get_running_loop().run_in_executor(threads(), judge)
        UNJUDGED.count(score)
        return score.value or 0.0

    function.__name__ = term.label
    return function
