"""The honest control: gold answers in the layout that the reward reads, which must be paid before anything else counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from statistics import fmean

from rewardkit.attack.judge import Judge
from rewardkit.attack.problem import Attempt
from rewardkit.attack.report import Control, outcome_paid
from rewardkit.attack.rows import golds, tests_of
from rewardkit.base import Function, Reward, walk
from rewardkit.errors import clip
from rewardkit.types import Sample, Score

PROBE_ROWS = 8
SHOWN_FAILURES = 3
UNKNOWN = float("-inf")
_STEPS = "Let us work through the question step by step.\nFirst we write down what is given: 8191 + 7919 = 16110.\nThen we finish."
LAYOUTS = (
    "The final answer is $\\boxed{{answer}}$.",
    "The answer is {answer}.",
    "{answer}",
    "#### {answer}",
    "Answer: {answer}",
    "<answer>{answer}</answer>",
    f"<think>\n{_STEPS}\n</think>\nThe final answer is $\\boxed{{{{answer}}}}$.",
    f"<think>\n{_STEPS}\n</think>\n<answer>\n{{answer}}\n</answer>",
    f"<think>\n{_STEPS}\n</think>\n<answer>\nThe final answer is $\\boxed{{{{answer}}}}$.\n</answer>",
    f"<think>\n{_STEPS}\n</think>\n{{answer}}",
    f"{_STEPS}<end_working_out><SOLUTION>{{answer}}</SOLUTION>",
)
"""Natural ways to write an answer; the one that is paid most is the one the reward reads."""
PROGRAM_LAYOUTS = (
    "```python\n{answer}\n```",
    f"<think>\n{_STEPS}\n</think>\n```python\n{{answer}}\n```",
    f"<think>\n{_STEPS}\n</think>\n<answer>\n```python\n{{answer}}\n```\n</answer>",
)


def empties(judge: Judge, rows: Sequence[Sample]) -> list[Score]:
    """The score of an empty answer on each row."""
    return judge.score([Attempt("empty").on(row) for row in rows])


def control(judge: Judge, source: str, rows: Sequence[Sample], empty: Sequence[Score]) -> Control:
    """Judge the gold answers of one data source, written in the layout that is paid most on a few rows."""
    programs = sum(tests_of(row) is not None for row in rows) * 2 > len(rows)
    layouts = PROGRAM_LAYOUTS if programs else LAYOUTS
    honest = [(row, found, before) for row, before in zip(rows, empty, strict=True) if (found := golds(row))]
    if not honest:
        what = "no row has a reference program" if programs else "no row has a ground truth that can be written as text"
        return Control(source, layouts[0], 0, 0, None, note=what)
    probe = honest[:PROBE_ROWS]
    ways = list(product(range(max(len(found) for _, found, _ in probe)), layouts))
    scores = judge.score([_write(found, *way).on(row) for way in ways for row, found, _ in probe])
    ranks = [_rank(scores[i * len(probe) : (i + 1) * len(probe)], probe) for i in range(len(ways))]
    form, layout = ways[ranks.index(max(ranks))]
    if not reads_ground_truth(judge.reward):
        best = max(rank[1] for rank in ranks)
        return Control(source, layout, 0, 0, best if best > UNKNOWN else None, note="the reward reads no ground truth")
    attempts = [_write(found, form, layout) for _, found, _ in honest]
    judged = judge.score([attempt.on(row) for attempt, (row, _, _) in zip(attempts, honest, strict=True)])
    paid = [outcome_paid(score, before) for score, (_, _, before) in zip(judged, honest, strict=True)]
    values = [score.value for score in judged if score.value is not None]
    failures = [
        f"{row.id}: '{clip(attempt.guesses[0])}': {_failure(score, before)}"
        for (row, _, before), attempt, score, right in zip(honest, attempts, judged, paid, strict=True)
        if not right
    ]
    return Control(
        data_source=source,
        layout=layout,
        rows=len(honest),
        paid=sum(paid),
        value=fmean(values) if values else None,
        failures=tuple(failures[:SHOWN_FAILURES]),
    )


def _failure(score: Score, empty: Score) -> str:
    """Why a gold answer is not paid: the verdict, or that an empty answer earns as much."""
    if score.value and empty.value and score.value <= empty.value:
        return f"{score.verdict.value}, but an empty answer gets {empty.value:g}, too"
    return f"{score.verdict.value}, {clip(score.reason, 120)}" if score.reason else score.verdict.value


def reads_ground_truth(reward: Reward) -> bool:
    """Whether any part of a reward looks at the ground truth. Functions, and classes without `needs`, do not say, and are taken to."""
    return any(
        isinstance(inner, Function) or inner.needs is Reward.needs or "ground_truth" in inner.needs
        for inner in walk(reward)
    )


def _write(golds: Sequence[str], form: int, layout: str) -> Attempt:
    """The answer of a row in one of its forms; in its last one if it has fewer."""
    gold = golds[min(form, len(golds) - 1)]
    return Attempt("gold", layout.replace("{answer}", gold), gold)


def _rank(scores: Sequence[Score], honest: Sequence[tuple[Sample, list[str], Score]]) -> tuple[int, float]:
    paid = sum(outcome_paid(score, before) for score, (_, _, before) in zip(scores, honest, strict=True))
    return (paid, fmean([score.value if score.value is not None else UNKNOWN for score in scores]))
