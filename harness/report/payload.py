"""The answers of runs as entries of the sample viewer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from harness.metrics import counts_of, flipped
from harness.store import Answer, Run
from rewardkit.report.samples import Entry, Problem, cut, turns


def entries(runs: Sequence[Run]) -> tuple[list[Entry], dict[Hashable, Problem]]:
    """The answers of all runs, and their problems by key."""
    problems: dict[Hashable, Problem] = {}
    for run in runs:
        for key, problem in run.problems.items():
            problems.setdefault(key, Problem(problem.question, problem.prompt, problem.target))
    changes = changed(runs)
    return [_entry(run.name, answer, changes) for run in runs for answer in run.answers], problems


def _entry(run: str, answer: Answer, changes: dict[tuple[str, str], int]) -> Entry:
    key = answer.task, answer.problem
    return Entry(
        id=f"{answer.task}/{answer.doc_id}/{answer.rep}",
        problem=key,
        kind=answer.kind,
        run=run,
        task=answer.task,
        source=answer.data_source,
        rep=answer.rep,
        tokens=answer.length,
        reward=answer.reward,
        answer=answer.answer,
        change=changes.get(key, 0),
        body={
            "text": cut(answer.text),
            "think": cut(answer.reasoning or ""),
            "turns": turns(answer.messages or ()),
            "answer": answer.answer,
            "verdict": str(answer.verdict) if answer.verdict else None,
            "reason": answer.reason,
            "score": answer.score,
            "reward": answer.reward,
            "parts": answer.parts,
            "error": answer.error,
            "facts": _facts(answer),
        },
    )


def _facts(answer: Answer) -> list[str]:
    facts = {
        "finish {}": answer.finish_reason,
        "stopped: {}": answer.stopped,
        "{} turns": answer.turns if answer.turns != 2 else None,
        "{} tool calls": answer.tool_calls,
        "{} s": answer.latency_s,
        "seed {}": answer.seed,
    }
    return [words.format(value) for words, value in facts.items() if value]


def changed(runs: Sequence[Run]) -> dict[tuple[str, str], int]:
    """1 for problems gained from the first run to the last, 2 for lost ones."""
    if len(runs) < 2:
        return {}
    found: dict[tuple[str, str], int] = {}
    first, last = runs[0], runs[-1]
    for task in first.tasks:
        after = last.by_problem(task)
        for problem, answers in first.by_problem(task).items():
            if flip := flipped(counts_of(answers), counts_of(after.get(problem, []))):
                found[task, problem] = 1 if flip > 0 else 2
    return found
