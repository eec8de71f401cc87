"""The answers of runs as entries of the sample viewer."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from harness.compare import Comparison
from harness.generation import split_thinking
from harness.store import Answer, Run
from rewardkit.report.samples import Entry, Problem, cut, turns


def entries(runs: Sequence[Run], compared: Sequence[Comparison]) -> tuple[list[Entry], dict[Hashable, Problem]]:
    """The answers of all runs, and their problems by key."""
    problems: dict[Hashable, Problem] = {}
    for run in runs:
        for key, problem in run.problems.items():
            problems.setdefault(key, Problem(problem.question, problem.prompt, problem.target))
    changes = changed(compared)
    return [_entry(run.name, answer, changes) for run in runs for answer in run.answers], problems


def _entry(run: str, answer: Answer, changes: dict[tuple[str, str, str], int]) -> Entry:
    key = answer.task, answer.problem
    thinking, text = split_thinking(answer.text, answer.reasoning)
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
        change=changes.get((run, *key), 0),
        body={
            "text": cut(text),
            "think": cut(thinking or ""),
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


def changed(compared: Sequence[Comparison]) -> dict[tuple[str, str, str], int]:
    """1 for problems that a run gained against the first, 2 for those that it lost; for the first run, against the first run that has either."""
    found: dict[tuple[str, str, str], int] = {}
    for each in compared:
        for flip in each.flips if each.metric == "accuracy" else ():
            for run in (each.other, each.base):
                found.setdefault((run, each.task, flip.problem), 1 if flip.gained else 2)
    return found
