"""Judge the saved answers of a run again: with another reward, or with a newer version of the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.folder import new_run
from harness.generation import Response
from harness.judging import Judge, default_workers
from harness.lm_eval_output import versions
from harness.metrics import Summary, summarise
from harness.own_metric import PREFIX
from harness.provenance import reward_versions
from harness.store import Answer, Problem, Run, read_run, remove_run, to_answer, write_run
from rewardkit import load
from rewardkit.errors import UsageError


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
        UsageError: no finished run there, a reward that does not load or has nothing to judge, an output that cannot be written or holds a run.
    """
    before = read_run(directory)
    named: frozenset[str] = frozenset()
    if reward is not None:
        load(reward)
        named = frozenset(task for task in before.tasks if before.generates(task))
        if not named:
            raise UsageError(f"{directory} compares likelihoods of given answers, which no reward judges; leave out -r")
    with new_run(place, made_from=[before], overwrite=overwrite):
        workers = default_workers() if workers is None else workers
        return _rescored(before, place, reward, named, Judge(workers=workers, row_timeout_s=row_timeout_s))


def _rescored(before: Run, place: Path, reward: str | None, named: frozenset[str], judge: Judge) -> Rescored:
    """The run with the tasks in `named` under another reward, the rest as they are."""
    problems = {
        key: problem.model_copy(update={"reward": reward}) if problem.task in named else problem
        for key, problem in before.problems.items()
    }
    with judge:
        for answer in before.answers:
            judge.submit(problems[answer.task, answer.problem].doc(), Response.of(answer))
        answers = [_judged(before, problems[answer.task, answer.problem], answer, judge) for answer in before.answers]
    record: dict[str, Any] = {
        **before.record,
        "reward": reward or before.record.get("reward"),
        "rewards": _versions(before.record["rewards"], {each.reward for each in problems.values() if each.reward}),
        "identity": _identity(before, reward, named),
        "versions": {**before.record["versions"], **versions()},
        "results": None,
        "rescored": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    remove_run(place)
    write_run(place, record, problems.values(), answers)
    after = Run(place, record, problems, answers)
    pairs = zip(before.answers, answers, strict=True)
    changed = [(old, new) for old, new in pairs if (old.kind, old.reward) != (new.kind, new.reward)]
    return Rescored(before, after, summarise(after), changed)


def _identity(run: Run, reward: str | None, named: frozenset[str]) -> dict[str, Any]:
    """The run's identity with the rewards that judge it now."""
    tasks: dict[str, dict[str, Any]] = {}
    for name, facts in run.identity["tasks"].items():
        texts = {reward} if reward and name in named else set(facts["rewards"])
        tasks[name] = {**facts, "rewards": _versions(facts["rewards"], texts)}
    return {**run.identity, "reward": reward or run.identity["reward"], "tasks": tasks}


def _versions(known: Mapping[str, Any], texts: set[str]) -> dict[str, Any]:
    """The versions of the rewards as they are now; those of lm-eval's metrics as they were, since these do not judge again."""
    theirs = {text for text in texts if text.startswith(PREFIX)}
    return {**reward_versions(texts - theirs), **{text: known.get(text) for text in sorted(theirs)}}


def _judged(run: Run, problem: Problem, answer: Answer, judge: Judge) -> Answer:
    doc = problem.doc()
    if judge.reward_text(doc) is None:
        return answer  # judged by lm-eval's own metric, which needs the task
    was = run.problems[answer.task, answer.problem].reward
    own = answer.reward if was is None or was.startswith(PREFIX) else answer.own
    return to_answer(problem, answer, judge.score(doc, Response.of(answer))).model_copy(update={"own": own})
