"""verifiers and prime-rl: a reward as a function that scores a `Trace` (0.4), or as the parts of a `Rubric` (up to 0.3).

import verifiers.v1 as vf
from trainers.verifiers import task_reward
judge = task_reward("math + 0.1 * think_format")
class Problem(vf.Task[ProblemData]):
    @vf.reward
    async def rewardkit(self, task, trace):
        return await judge(task, trace)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from rewardkit import Reward, RewardkitError, Sample
from rewardkit.columns import samples_from_columns

from .parts import loaded, terms
from .scorer import Scorer
from .unjudged import GROUP_MEAN
from .verl import in_thread

__all__ = ["UnjudgedError", "rubric", "sample_of", "task_reward"]


class UnjudgedError(RewardkitError):
    """The rollout could not be judged. verifiers records it on the trace, and prime-rl trains on traces without errors."""


def task_reward(reward: Reward | str) -> Callable[[Any, Any], Awaitable[dict[str, float]]]:
    """A function `(task, trace)` for `@vf.reward`, or for the configuration `task.rewards.NAME.fn = "file.py:function"`.

    It gives one weighted value a term, which verifiers logs apart and adds up. The ground truth is the field of the task's
    data that is called `answer`, `ground_truth`, `solution`, ... as in a data set.
    """
    whole = loaded(reward)
    parts = terms(whole)

    async def rewardkit(task: Any, trace: Any) -> dict[str, float]:
        (score,) = await in_thread(lambda: whole.score([sample_of(task, trace)]))
        if score.value is None:
            raise UnjudgedError(f"{whole.text}: {score.reason}")
        if len(parts) == 1:
            return {whole.label: score.value}
        return {term.label: weight * (score.parts.get(term.label) or 0.0) for weight, term in parts}

    return rewardkit


def sample_of(task: Any, trace: Any) -> Sample:
    """The sample in a trace of verifiers 0.4: what follows the prompt on the last branch (or the root agent's
    reply, if it had agents below it), and the fields of the task's data.

    Tokens are counted as in TRL and verl: all after the first prompt, a tool's included.
    """
    branches: Sequence[Any] = trace.branches
    branch = branches[-1] if branches else None
    nodes: Sequence[Any] = branch.nodes if branch else ()
    first = next((index for index, node in enumerate(nodes) if node.sampled), len(nodes))
    messages = [cast("dict[str, Any]", node.message.model_dump(exclude_none=True)) for node in nodes]
    used = [call.usage for call in branch.calls if call.usage is not None] if branch else []
    row = cast("Mapping[str, Any]", task.model_dump(exclude_none=True, exclude={"prompt"}))
    columns = {name: [value] for name, value in row.items()}
    columns["finish_reason"] = ["length" if trace.is_truncated else "stop"]
    if used:
        columns["completion_tokens"] = [used[-1].total_tokens - used[0].input_tokens]
    completion = trace.root_reply if trace.root_reply is not None else messages[first:] or ""
    (sample,) = samples_from_columns(completions=[completion], prompts=[messages[:first]], **columns)
    return sample


def rubric(reward: Reward | str, *, unjudged: float | str = GROUP_MEAN) -> dict[str, list[Any]]:
    """`funcs` and `weights` for `vf.Rubric(**rubric(...))` of verifiers up to 0.3, one function a term.

    A rubric must have numbers and calls its functions a rollout at a time: a term that could not be judged pays the lowest
    value it lately had. Each function pays its term with the weight in it, so that the lowest is also the least paid.
    """
    whole = loaded(reward)
    parts = terms(whole)
    return {
        "funcs": [_function(weight * term, term.label, unjudged) for weight, term in parts],
        "weights": [1.0] * len(parts),
    }


def _function(term: Reward, label: str, unjudged: float | str) -> Callable[..., Any]:
    scorer = Scorer(term, unjudged=unjudged)

    async def function(prompt: Any, completion: Any, answer: Any = "", info: Any = None) -> float:
        return await in_thread(scorer.one, completion, prompt=prompt, ground_truth=answer, extra_info=info or {})

    function.__name__ = label
    return function
