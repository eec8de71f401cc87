"""Compare runs problem by problem: what changed, by how much, and whether it could be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal, cast

from harness.errors import NotComparableError
from harness.identity import model_words
from harness.metrics import counts_of, flipped, mean_of
from harness.store import Answer, Run
from rewardkit.paired_tests import Difference, compare_counts, compare_values, holm

Metric = Literal["accuracy", "score", "reward"]
METRICS: tuple[Metric, ...] = ("accuracy", "score", "reward")


@dataclass(frozen=True)
class Flip:
    """A problem whose majority answer flipped: mostly right in one run, mostly wrong in the other."""

    problem: str
    doc_id: int
    question: str
    before: float
    after: float

    @property
    def gained(self) -> bool:
        """Right now, wrong before."""
        return self.after > self.before


@dataclass(frozen=True)
class Comparison:
    """One task, one run against the first."""

    task: str
    metric: Metric
    base: str
    other: str
    before: float
    after: float
    change: Difference
    p_holm: float
    """The two-sided p, corrected over all tasks and runs of this comparison."""
    flips: tuple[Flip, ...]
    notes: tuple[str, ...]
    """What differs without forbidding the comparison (temperature, k, ...)."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        row = {name: value for name, value in vars(self).items() if name not in {"change", "flips"}}
        row["notes"] = list(self.notes)
        row["change"] = vars(self.change)
        row["flips"] = [vars(flip) for flip in self.flips]
        return row


def compare_runs(runs: Sequence[Run], *, confidence: float = 0.95) -> list[Comparison]:
    """Compare each further run with the first, on every task that both hold, by accuracy, score and reward.

    Raises:
        NotComparableError: no common task, or a task that was asked or judged differently, or has no problem judged in both.
    """
    found, refused = compare_each(runs, confidence=confidence)
    if refused:
        raise refused[0]
    return found


def compare_each(runs: Sequence[Run], *, confidence: float) -> tuple[list[Comparison], list[NotComparableError]]:
    """Compare what can be compared with the first run, on each task; and why the rest cannot be."""
    base, *others = runs
    found: list[Comparison] = []
    refused: list[NotComparableError] = []
    for other in others:
        tasks = [task for task in base.tasks if task in set(other.tasks)]
        if not tasks:
            refused.append(
                NotComparableError(
                    f"{base.name} ({', '.join(base.tasks)}) and {other.name} ({', '.join(other.tasks)}) have no task in common"
                )
            )
        for task in tasks:
            try:
                found.extend(compare_task(base, other, task, confidence=confidence))
            except NotComparableError as error:
                refused.append(error)
    return correct(found), refused


def correct(found: Sequence[Comparison]) -> list[Comparison]:
    """Holm's correction over tasks and runs, for each metric by itself."""
    corrected = list(found)
    for metric in METRICS:
        places = [index for index, each in enumerate(found) if each.metric == metric]
        adjusted = holm([found[index].change.p for index in places])
        for index, p in zip(places, adjusted, strict=True):
            corrected[index] = replace(found[index], p_holm=p)
    return corrected


def compare_task(base: Run, other: Run, task: str, *, confidence: float) -> list[Comparison]:
    """One task: accuracy by exact tests on counts, score and reward by a permutation test if they are not accuracy."""
    reasons, notes = differences(base, other, task)
    if reasons:
        raise NotComparableError(f"{task}: {base.name} and {other.name} are not comparable: {'; '.join(reasons)}")
    pairs = paired_answers(base, other, task)
    if not pairs:
        raise NotComparableError(f"{task}: no problem has judged answers in both {base.name} and {other.name}")
    before, after = [counts_of(a) for _, a, _ in pairs], [counts_of(b) for _, _, b in pairs]
    change = compare_counts(before, after, confidence=confidence)
    means = [right / n for right, n in before], [right / n for right, n in after]
    flips = tuple(
        Flip(problem, a[0].doc_id, base.problems[task, problem].question, x, y)
        for (problem, a, b), x, y in zip(pairs, *means, strict=True)
        if flipped(counts_of(a), counts_of(b))
    )
    for run, than in ((base, other), (other, base)):
        answers = run.by_problem(task).values()
        judged = sum(answer.accuracy is not None for each in answers for answer in each)
        if judged < (asked := len(answers) * run.k(task)):
            notes.append(f"{asked - judged} of {asked} answers of {run.name} are missing or unjudged")
        if missing := len(run.by_problem(task)) - len(pairs):
            notes.append(f"{missing} problems of {run.name} have no judged pair and are left out")
        if alone := [each for each in run.tasks if each not in than.tasks]:
            notes.append(f"{run.name} alone holds {', '.join(alone)}, left out")
    first = Comparison(
        task, "accuracy", base.name, other.name, fmean(means[0]), fmean(means[1]), change, change.p, flips, tuple(notes)
    )
    return [first, *_value_comparisons(pairs, first, confidence)]


def _value_comparisons(
    pairs: Sequence[tuple[str, Sequence[Answer], Sequence[Answer]]], first: Comparison, confidence: float
) -> list[Comparison]:
    found: list[Comparison] = []
    accuracy = [[mean_of(answers, "accuracy") for answers in (a, b)] for _, a, b in pairs]
    for metric in METRICS[1:]:
        values = [[mean_of(answers, metric) for answers in (a, b)] for _, a, b in pairs]
        if values == accuracy:
            continue
        before, after = [x for x, _ in values], [y for _, y in values]
        change = compare_values(before, after, confidence=confidence)
        found.append(
            replace(
                first, metric=metric, before=fmean(before), after=fmean(after), change=change, p_holm=change.p, flips=()
            )
        )
    return found


def paired_answers(base: Run, other: Run, task: str) -> list[tuple[str, list[Answer], list[Answer]]]:
    """Problems that both runs have judged answers to, with these answers."""
    table = other.by_problem(task)
    pairs: list[tuple[str, list[Answer], list[Answer]]] = []
    for problem, answers in base.by_problem(task).items():
        left = [answer for answer in answers if answer.accuracy is not None]
        right = [answer for answer in table.get(problem, []) if answer.accuracy is not None]
        if left and right:
            pairs.append((problem, left, right))
    return pairs


def differences(base: Run, other: Run, task: str) -> tuple[list[str], list[str]]:
    """Why two runs cannot be compared on a task, and what differs without forbidding it."""
    reasons: list[str] = []
    left, right = base.by_problem(task), other.by_problem(task)
    common = left.keys() & right.keys()
    if not common:
        reasons.append("no problem with the same prompt and target in both (another prompt, template or data set)")
    elif len(common) < min(len(left), len(right)):
        reasons.append(
            f"only {len(common)} of {min(len(left), len(right))} problems have the same prompt and target in both"
        )
    a, b = facts_of(base, task), facts_of(other, task)
    reasons += [f"{words} {a[name]} and {b[name]}" for name, words in FACTS.items() if a[name] != b[name]]
    notes = [f"{base.name} is {model_words(base.identity)}, {other.name} is {model_words(other.identity)}"]
    notes += [
        f"{name} {a} and {b}"
        for name, a, b in (
            ("k", fact(base, task, "repeats"), fact(other, task, "repeats")),
            ("sampling", fact(base, task, "generation_kwargs"), fact(other, task, "generation_kwargs")),
            ("tools", base.record.get("tools"), other.record.get("tools")),
        )
        if a != b
    ]
    return reasons, notes


FACTS = {
    "version": "task version",
    "task_file": "task file",
    "data": "data",
    "scorer": "scorer",
    "template": "chat template",
}
"""What must be equal for two runs to be comparable on a task, beside prompts and targets; and its words."""


def facts_of(run: Run, task: str) -> dict[str, str]:
    """The `FACTS` of a task as this run knew it.

    The task file is a hash of the task's YAML and of the functions that it names, the data one of all its rows,
    the template one of the chat template, if this side rendered it.
    """
    own = cast("Mapping[str, Mapping[str, Any]]", run.identity.get("tasks") or {}).get(task, {})
    hashes = {
        "task_file": own.get("task_file"),
        "data": own.get("data"),
        "template": run.record.get("chat_template_sha"),
    }
    told = {name: str(value)[:12] for name, value in hashes.items()}
    return {"version": str(fact(run, task, "version")), "scorer": scorer(run, task), **told}


def scorer(run: Run, task: str) -> str:
    """The reward that judged a task, with the versions of its classes."""
    texts = {problem.reward for problem in run.problems.values() if problem.task == task}
    versions = cast("Mapping[str, Any]", run.record.get("rewards") or {})
    return ", ".join(f"{text} {_at(versions.get(str(text)))}".strip() for text in sorted(map(str, texts)))


def _at(versions: Any) -> str:
    known = cast("Mapping[str, Any]", versions or {})
    return " ".join(f"{name}@{number}" for name, number in sorted(known.items()))


def fact(run: Run, task: str, name: str) -> Any:
    """One fact that the record holds about a task."""
    tasks = cast("Mapping[str, Mapping[str, Any]]", run.record.get("tasks") or {})
    return tasks.get(task, {}).get(name)
