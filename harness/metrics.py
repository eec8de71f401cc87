"""The metrics of one task in one run. Every mean is over problems and has an interval."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.generation import CLASSES
from harness.store import Answer, Run
from rewardkit.stats import Estimate, bootstrap_interval, mean_interval, pass_at_k


@dataclass(frozen=True)
class Bounds:
    """Bounds of a metric with missing answers: its value if all of them are wrong, and if all of them are right."""

    least: float
    most: float
    low: float
    """Lower end of the 95 % interval of `least`."""
    high: float
    """Upper end of the 95 % interval of `most`."""
    n: int
    """Number of problems."""
    missing: int
    """Answers that could not be generated or judged."""

    def to_json(self) -> dict[str, float | int]:
        """Plain values for a results file."""
        return dict(vars(self))


@dataclass(frozen=True)
class Graders:
    """A reward of ours and a task's own metric on the same answers, of a task of lm-eval's own under `--reward`."""

    reward: str
    metric: str
    answers: int
    both: int
    """Right for both."""
    only_reward: int
    only_metric: int
    neither: int

    def line(self) -> str:
        """In words."""
        right, theirs = self.both + self.only_reward, self.both + self.only_metric
        return (
            f"{self.reward} {right}/{self.answers} right, {self.metric} {theirs}/{self.answers}; "
            f"right for {self.reward} alone {self.only_reward}, for {self.metric} alone {self.only_metric}"
        )


@dataclass(frozen=True)
class Summary:
    """The metrics of one task in one run, as a table shows them."""

    task: str
    data_source: str
    problems: int
    k: int
    """Answers asked for each problem."""
    answers: int
    accuracy: Estimate | None
    """avg@k: the mean over problems of the share of right answers among the judged ones."""
    score: Estimate | None
    reward: Estimate | None
    pass_at: Mapping[int, Estimate | Bounds]
    """pass@j over all problems: `Bounds` if a problem has fewer than j judged answers."""
    majority: Estimate | Bounds | None
    """maj@k: the most frequent answer by equivalence; a tie counts by the share of right ones in it. `Bounds` where answers are missing."""
    format: float | None
    """Share of judged answers out of which an answer could be read."""
    truncated: float
    tokens_mean: float
    tokens_median: float
    turns_mean: float
    tool_calls_mean: float
    classes: Mapping[str, int]
    errors: int
    """Answers that are not there (infrastructure failures): the request failed, or the run holds fewer than were asked for."""
    unjudged: int
    """Answers that could not be judged: our own failure, or a reply that the provider's content filter ended."""
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    tokens_estimated: int = 0
    """Answers whose length is a quarter of their characters, since the server gave no count of their tokens."""
    graders: Graders | None = None
    solved_never: int = 0
    solved_always: int = 0

    @property
    def complete(self) -> float:
        """Share of the expected answers that were generated and judged."""
        expected = self.problems * self.k
        return 1 - (self.errors + self.unjudged) / expected if expected else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values for a results file."""
        row = {
            name: value
            for name, value in vars(self).items()
            if not isinstance(value, (Estimate, Bounds, Mapping, Graders))
        }
        figures = {name: value for name, value in vars(self).items() if isinstance(value, (Estimate, Bounds))}
        row.update({name: value.to_json() for name, value in figures.items()})
        row["pass_at"] = {str(k): value.to_json() for k, value in self.pass_at.items()}
        row["classes"] = dict(self.classes)
        row["parts"] = dict(self.parts)
        row["complete"] = self.complete
        row["graders"] = vars(self.graders) if self.graders else None
        return row


def lost_share(summaries: Sequence[Summary]) -> float:
    """The share of expected answers that could not be generated or judged."""
    expected = sum(summary.problems * summary.k for summary in summaries)
    return sum(summary.errors + summary.unjudged for summary in summaries) / max(1, expected)


def summarise(run: Run) -> list[Summary]:
    """One summary a task, in the order they were run."""
    return [summarise_task(run, task) for task in run.tasks]


def summarise_task(run: Run, task: str) -> Summary:
    """The numbers of one task. Answers that could not be generated or judged are left out of means and counted apart."""
    table = run.by_problem(task)
    everything = [answer for answers in table.values() for answer in answers]
    judged = {problem: [each for each in answers if each.accuracy is not None] for problem, answers in table.items()}
    used = [answers for answers in judged.values() if answers]
    flat = [answer for answers in used for answer in answers]
    k = run.k(task)
    had = [answer for answer in everything if answer.error is None]
    return Summary(
        task=task,
        data_source=everything[0].data_source if everything else task,
        problems=len(table),
        k=k,
        answers=len(everything),
        accuracy=_mean([mean_of(answers, "accuracy") for answers in used]),
        score=_mean([mean_of(answers, "score") for answers in used], bounded=False),
        reward=_mean([mean_of(answers, "reward") for answers in used], bounded=False),
        pass_at={j: found for j in powers(k) if (found := pass_at(list(table.values()), j, k)) is not None},
        majority=majority_at_k(list(table.values()), k) if k > 1 and _votable(run, task) else None,
        format=statistics.fmean(bool(answer.formatted) for answer in flat) if flat else None,
        truncated=statistics.fmean(answer.truncated for answer in had) if had else 0.0,
        tokens_mean=statistics.fmean(answer.length for answer in had) if had else 0.0,
        tokens_median=statistics.median(answer.length for answer in had) if had else 0.0,
        turns_mean=statistics.fmean(answer.turns for answer in had) if had else 0.0,
        tool_calls_mean=statistics.fmean(answer.tool_calls for answer in had) if had else 0.0,
        classes=class_counts(everything),
        errors=len(table) * k - len(had),
        unjudged=sum(answer.kind in {"unjudged", "content_filter"} for answer in everything),
        parts=part_means(flat),
        tokens_estimated=sum(answer.tokens is None for answer in had),
        graders=graders(run, task, flat),
        solved_never=sum(not any(answer.accuracy for answer in answers) for answers in used),
        solved_always=sum(all(answer.accuracy for answer in answers) for answers in used),
    )


def counts_of(answers: Sequence[Answer]) -> tuple[int, int]:
    """Right and judged answers to one problem."""
    judged = [answer.accuracy for answer in answers if answer.accuracy is not None]
    return sum(judged), len(judged)


def flipped(before: tuple[int, int], after: tuple[int, int]) -> int:
    """1 if most of the judged answers to a problem were wrong and most are right now, -1 the other way round, else 0. Half is not most.

    >>> flipped((1, 4), (3, 4)), flipped((1, 1), (0, 4)), flipped((1, 4), (1, 2))
    (1, -1, 0)
    """
    was, now = (2 * right - judged for right, judged in (before, after))
    return (was < 0 < now) - (now < 0 < was)


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
    """The mean of each reward part if it was judged."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        for name, value in answer.parts.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {name: statistics.fmean(each) for name, each in values.items()}


def pass_at(table: Sequence[Sequence[Answer]], j: int, k: int) -> Estimate | Bounds | None:
    """pass@j over all problems, never over those alone that have j judged answers.

    Where a problem has fewer, those of its k answers that are missing could be right or wrong: `Bounds`. None if no answer was judged.
    """
    counts = [counts_of(answers) for answers in table]
    if not any(n for _, n in counts):
        return None
    interval = mean_interval if j == 1 else bootstrap_interval
    if all(n >= j for _, n in counts):
        return interval([pass_at_k(n, right, j) for right, n in counts])
    ends = [pass_bounds(right, n, k, j) for right, n in counts]
    return _bounds(interval([low for low, _ in ends]), interval([high for _, high in ends]), counts, k)


def pass_bounds(right: int, judged: int, asked: int, j: int) -> tuple[float, float]:
    """pass@j of one problem if all missing answers are wrong, and if all of them are right.

    >>> pass_bounds(right=0, judged=3, asked=4, j=2)
    (0.0, 0.5)
    """
    return pass_at_k(asked, right, j), pass_at_k(asked, right + asked - judged, j)


def majority_at_k(table: Sequence[Sequence[Answer]], k: int) -> Estimate | Bounds | None:
    """maj@k over all problems; `Bounds` where answers are missing."""
    counts = [counts_of(answers) for answers in table]
    if not any(n for _, n in counts):
        return None
    ends = [majority_bounds(answers, k) for answers in table]
    low, high = (mean_interval([end[side] for end in ends]) for side in (0, 1))
    return low if all(least == most for least, most in ends) else _bounds(low, high, counts, k)


def majority_bounds(answers: Sequence[Answer], k: int) -> tuple[float, float]:
    """Is the most frequent answer right: if all missing answers vote for the strongest wrong one, and if they are all right?

    Answers that mean the same vote together; ties share. All right answers are equal to the ground truth, so they are one
    class; the others are compared with our verifier.
    """
    votes: Counter[str] = Counter()
    right, judged = counts_of(answers)
    for answer in answers:
        if answer.accuracy == 0 and answer.answer:
            votes[answer.answer] += 1
    missing = k - judged
    wrong = sorted(merge_equal(votes).values(), reverse=True)
    strongest = [*([wrong[0] + missing, *wrong[1:]] if wrong else [missing])]
    return _vote(right, strongest), _vote(right + missing, wrong)


def _vote(right: int, wrong: Sequence[int]) -> float:
    top = max((right, *wrong))
    return 1 / (1 + sum(count == top for count in wrong)) if right == top > 0 else 0.0


def _bounds(low: Estimate, high: Estimate, counts: Sequence[tuple[int, int]], k: int) -> Bounds:
    missing = sum(k - judged for _, judged in counts)
    return Bounds(low.value, high.value, low.low, high.high, low.n, missing)


def merge_equal(votes: Mapping[str, int]) -> dict[str, int]:
    """Votes for texts that are the same as mathematics, added up under the first of them."""
    from rewardkit.math import compare

    merged: dict[str, int] = {}
    for text, count in votes.items():
        same = next((known for known in merged if compare(known, text).equal), text)
        merged[same] = merged.get(same, 0) + count
    return merged


def graders(run: Run, task: str, answers: Sequence[Answer]) -> Graders | None:
    """How often our reward and the task's own metric agree; None if only one of them judged."""
    problem = next((each for each in run.problems.values() if each.task == task and each.own_metric), None)
    pairs = Counter((bool(answer.accuracy), answer.own == 1) for answer in answers if answer.own is not None)
    if problem is None or not pairs:
        return None
    both, ours, theirs, neither = (pairs[pair] for pair in ((True, True), (True, False), (False, True), (False, False)))
    return Graders(str(problem.reward), str(problem.own_metric), sum(pairs.values()), both, ours, theirs, neither)


def _votable(run: Run, task: str) -> bool:
    """Programs do not vote: an answer must be a text that can be compared."""
    problems = [problem for problem in run.problems.values() if problem.task == task]
    return bool(problems) and all(isinstance(problem.ground_truth, (str, int, float)) for problem in problems)


def mean_of(answers: Sequence[Answer], name: str) -> float:
    """The mean of the numbers under this name, of the answers that have one; 0 if none has."""
    values = [float(getattr(answer, name)) for answer in answers if getattr(answer, name) is not None]
    return statistics.fmean(values) if values else 0.0


def _mean(values: Sequence[float], *, bounded: bool = True) -> Estimate | None:
    return mean_interval(values, bounded=bounded) if values else None
