"""Judge the saved answers of a run again: with another reward, or with a newer version of the same one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.folder import new_run
from harness.generation import Response
from harness.judging import Judge, default_workers
from harness.lm_eval_output import package_versions
from harness.metrics import Summary, summarise
from harness.provenance import reward_versions
from harness.store import Answer, Run, read_run, remove_run, to_answer, write_run
from rewardkit import load


@dataclass(frozen=True)
class Rescored:
    """The run with its old and its new judgements."""

    before: Run
    after: Run
    summaries: Sequence[Summary]
    changed: Sequence[tuple[Answer, Answer]]
    """Answers whose class or score changed."""


def rescore(
    directory: str | Path,
    place: Path,
    *,
    reward: str | None,
    workers: int | None,
    row_timeout_s: float | None,
    overwrite: bool,
) -> Rescored:
    """Judge every answer of a run and write the result to another directory.

    Raises:
        UsageError: no finished run there, a reward that does not load, an output that cannot be written or holds a run.
    """
    before = read_run(directory)
    if reward is not None:
        load(reward)
    with new_run(place, made_from=[before], overwrite=overwrite):
        workers = default_workers() if workers is None else workers
        return _rescored(before, place, reward, Judge(workers=workers, reward=reward, row_timeout_s=row_timeout_s))


def _rescored(before: Run, place: Path, reward: str | None, judge: Judge) -> Rescored:
    with judge:
        docs = {key: problem.doc() for key, problem in before.problems.items()}
        for answer in before.answers:
            judge.submit(docs[answer.task, answer.problem], Response.of(answer))
        answers = [_judged(before, docs, answer, judge) for answer in before.answers]
    problems = [problem.model_copy(update={"reward": reward or problem.reward}) for problem in before.problems.values()]
    record: dict[str, Any] = {
        **before.record,
        "reward": reward or before.record.get("reward"),
        "rewards": reward_versions({problem.reward for problem in problems if problem.reward}),
        "versions": {**dict(before.record.get("versions") or {}), **package_versions()},
        "rescored": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    remove_run(place)
    write_run(place, record, problems, answers)
    after = Run(place, record, {(each.task, each.hash): each for each in problems}, answers)
    pairs = zip(before.answers, answers, strict=True)
    changed = [(old, new) for old, new in pairs if (old.kind, old.reward) != (new.kind, new.reward)]
    return Rescored(before, after, summarise(after), changed)


def _judged(run: Run, docs: dict[tuple[str, str], dict[str, Any]], answer: Answer, judge: Judge) -> Answer:
    key = (answer.task, answer.problem)
    if judge.reward_text(docs[key]) is None:
        return answer  # judged by lm-eval's own metric, which needs the task
    return to_answer(run.problems[key], answer, judge.score(docs[key], Response.of(answer))).model_copy(
        update={"own": answer.own}
    )
