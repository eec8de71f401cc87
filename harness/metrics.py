"""The numbers of one task in one run: every mean is over problems, every one has an interval."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.generation import CLASSES
from harness.stats import Estimate, bootstrap_interval, mean_interval, pass_at_k
from harness.store import Answer, Run


@dataclass(frozen=True)
class Summary:
    """What a table says about one task of one run."""

    task: str
    data_source: str
    problems: int
    k: int
    """Answers asked for each problem."""
    answers: int
    accuracy: Estimate | None
    """avg@k: the mean over problems of the share of right answers."""
    score: Estimate | None
    reward: Estimate | None
    pass_at: Mapping[int, Estimate]
    majority: Estimate | None
    """maj@k: the most frequent answer by equivalence; a tie counts by the share of right ones in it."""
    format: float | None
    """Share of judged answers out of which an answer could be read."""
    truncated: float
    tokens_mean: float
    tokens_median: float
    turns_mean: float
    tool_calls_mean: float
    classes: Mapping[str, int]
    errors: int
    """Requests without an answer (infrastructure)."""
    unjudged: int
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    solved_never: int = 0
    solved_always: int = 0

    @property
    def complete(self) -> float:
        """Share of the expected answers that were had and judged."""
        expected = self.problems * self.k
        return 1 - (self.errors + self.unjudged) / expected if expected else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values for a results file."""
        row = {name: value for name, value in vars(self).items() if not isinstance(value, (Estimate, Mapping))}
        row.update({name: value.to_json() for name, value in vars(self).items() if isinstance(value, Estimate)})
        row["pass_at"] = {str(k): value.to_json() for k, value in self.pass_at.items()}
        row["classes"] = dict(self.classes)
        row["parts"] = dict(self.parts)
        row["complete"] = self.complete
        return row


def summarise(run: Run) -> list[Summary]:
    """One summary a task, in the order they were run."""
    return [summarise_task(run, task) for task in run.tasks]


def summarise_task(run: Run, task: str) -> Summary:
    """The numbers of one task. Answers that could not be had or judged are left out of means and counted apart."""
    table = run.by_problem(task)
    everything = [answer for answers in table.values() for answer in answers]
    judged = {problem: [each for each in answers if each.accuracy is not None] for problem, answers in table.items()}
    used = [answers for answers in judged.values() if answers]
    flat = [answer for answers in used for answer in answers]
    k = max((len(answers) for answers in table.values()), default=0)
    had = [answer for answer in everything if answer.error is None]
    return Summary(
        task=task,
        data_source=everything[0].data_source if everything else task,
        problems=len(table),
        k=k,
        answers=len(everything),
        accuracy=_mean([accuracy_of(answers) for answers in used]),
        score=_mean([_part(answers, "score") for answers in used], bounded=False),
        reward=_mean([_part(answers, "reward") for answers in used], bounded=False),
        pass_at={j: estimate for j in powers(k) if (estimate := _pass(used, j)) is not None},
        majority=_mean([majority(answers) for answers in used]) if k > 1 and _votable(run, task) else None,
        format=statistics.fmean(bool(answer.formatted) for answer in flat) if flat else None,
        truncated=statistics.fmean(answer.truncated for answer in had) if had else 0.0,
        tokens_mean=statistics.fmean(answer.length for answer in had) if had else 0.0,
        tokens_median=statistics.median(answer.length for answer in had) if had else 0.0,
        turns_mean=statistics.fmean(answer.turns for answer in had) if had else 0.0,
        tool_calls_mean=statistics.fmean(answer.tool_calls for answer in had) if had else 0.0,
        classes=class_counts(everything),
        errors=sum(answer.error is not None for answer in everything),
        unjudged=sum(answer.kind == "unjudged" for answer in everything),
        parts=part_means(flat),
        solved_never=sum(not any(answer.accuracy for answer in answers) for answers in used),
        solved_always=sum(all(answer.accuracy for answer in answers) for answers in used),
    )


def accuracy_of(answers: Sequence[Answer]) -> float:
    """Share of right answers to one problem."""
    return statistics.fmean(float(answer.accuracy or 0) for answer in answers)


def counts_of(answers: Sequence[Answer]) -> tuple[int, int]:
    """Right and judged answers to one problem."""
    judged = [answer.accuracy for answer in answers if answer.accuracy is not None]
    return sum(judged), len(judged)


def powers(k: int) -> list[int]:
    """1, 2, 4, ... below k, and k itself.

    >>> powers(6)
    [1, 2, 4, 6]
    """
    found = [1 << power for power in range(k.bit_length()) if 1 << power < k]
    return [*found, k] if k else []


def class_counts(answers: Sequence[Answer]) -> dict[str, int]:
    """Answers by class, the classes in their fixed order, empty ones left out."""
    counts = Counter(answer.kind for answer in answers)
    return {name: counts[name] for name in CLASSES if counts[name]}


def part_means(answers: Sequence[Answer]) -> dict[str, float]:
    """The mean of each reward part where it was judged."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        for name, value in answer.parts.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {name: statistics.fmean(each) for name, each in values.items()}


def majority(answers: Sequence[Answer]) -> float:
    """Is the most frequent answer right? Answers that mean the same vote together; ties share.

    All right answers are equal to the ground truth, so they are one class; the others are compared with our verifier.
    """
    votes: Counter[str] = Counter()
    right = 0
    for answer in answers:
        if answer.accuracy:
            right += 1
        elif answer.answer:
            votes[answer.answer] += 1
    classes = [*([right] if right else []), *merge_equal(votes).values()]
    if not classes:
        return 0.0
    top = max(classes)
    tied = classes.count(top)
    return (1.0 / tied) if right == top else 0.0


def merge_equal(votes: Mapping[str, int]) -> dict[str, int]:
    """Votes for texts that are the same as mathematics, added up under the first of them."""
    from rewardkit.math import compare

    merged: dict[str, int] = {}
    for text, count in votes.items():
        same = next((known for known in merged if compare(known, text).equal), text)
        merged[same] = merged.get(same, 0) + count
    return merged


def _votable(run: Run, task: str) -> bool:
    """Programs do not vote: an answer must be a text that can be compared."""
    problems = [problem for problem in run.problems.values() if problem.task == task]
    return bool(problems) and all(isinstance(problem.ground_truth, (str, int, float)) for problem in problems)


def _part(answers: Sequence[Answer], name: str) -> float:
    values = [float(getattr(answer, name)) for answer in answers if getattr(answer, name) is not None]
    return statistics.fmean(values) if values else 0.0


def _mean(values: Sequence[float], *, bounded: bool = True) -> Estimate | None:
    return mean_interval(values, bounded=bounded) if values else None


def _pass(used: Sequence[Sequence[Answer]], j: int) -> Estimate | None:
    counts = [counts_of(answers) for answers in used]
    values = [pass_at_k(n, c, j) for c, n in counts if n >= j]
    if not values:
        return None
    return mean_interval(values) if j == 1 else bootstrap_interval(values)
