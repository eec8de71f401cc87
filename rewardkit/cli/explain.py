"""`rewardkit explain`: each step of one judgement."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any, cast

import click
from rich.text import Text
from rich.tree import Tree

from rewardkit.base import Explanation
from rewardkit.cli import _console
from rewardkit.cli._ready import ready_reward
from rewardkit.cli._say import say
from rewardkit.errors import IncompleteError, UsageError, clip
from rewardkit.table import console
from rewardkit.types import Sample


@click.command(context_settings={"ignore_unknown_options": True})  # a completion may be -4
@click.argument("completion")
@click.option("-r", "--reward", "reward_text", required=True, help="Text form of the reward.")
@click.option(
    "-g",
    "--ground-truth",
    help='The ground truth. Text, unless it is JSON with text in it: {"a": 1} and ["a", "b"] are JSON, [-2, 7] and {1, 2} are text.',
)
@click.option("--data-source", help="Data source of the sample, which by_source routes by.")
@click.option("--extra-info", default="{}", help="JSON, such as '{\"num_turns\": 4}'.")
@click.option("--tokens", type=int, help="Length of the completion in tokens.")
def explain(
    completion: str,
    reward_text: str,
    ground_truth: str | None,
    data_source: str | None,
    extra_info: str,
    tokens: int | None,
) -> int:
    """Judge one COMPLETION (- reads it from stdin) and explain each step."""
    reward = ready_reward(reward_text)
    sample = Sample(
        completion=sys.stdin.read() if completion == "-" else completion,
        ground_truth=_truth(ground_truth),
        data_source=data_source,
        completion_tokens=tokens,
        extra_info=_object(extra_info, "--extra-info"),
    )
    explanation = reward.explain(sample)
    if explanation.score.value is None and ground_truth is None and "ground_truth" in reward.needed:
        raise UsageError(f"{reward.text} needs a ground truth; give it with -g")
    console().print(_tree(explanation))
    if explanation.score.value is None:
        raise IncompleteError(f"unjudged: {explanation.score.reason}")
    return 0


def _truth(text: str | None) -> object:
    """The ground truth as a row would hold it: an interval, a set or a matrix is text."""
    if text is None or text.lstrip()[:1] not in {"{", "["}:
        return text
    value: object = text
    if '"' in text:
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(text)
    say(f"ground truth read as {'text' if value is text else 'JSON'}", err=True)
    return value


def _object(text: str, option: str) -> dict[str, object]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{option} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{option} is not a JSON object")
    return cast("dict[str, object]", value)


def _tree(explanation: Explanation, tree: Tree | None = None) -> Tree:
    score = explanation.score
    value = "unjudged" if score.value is None else f"{score.value:g} {score.verdict}"
    line = Text.assemble((explanation.text, "bold"), "  ", (value, _console.verdict_style(score.verdict)))
    branch = Tree(line) if tree is None else tree.add(line)
    if score.answer is not None and not explanation.children:
        branch.add(Text(f"answer: {clip(score.answer, 200)}"))
    for step in explanation.steps:
        branch.add(Text(clip(step, 300)))
    if score.reason and not explanation.children and score.reason not in explanation.steps:
        branch.add(Text(f"because: {clip(score.reason, 300)}"))
    for child in explanation.children:
        _tree(child, branch)
    return branch
