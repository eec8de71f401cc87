"""Merge the runs of all shards into the run that `harness run` without `--shard` would have written."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from harness.errors import NotComparableError
from harness.folder import new_run
from harness.identity import changes, source_of
from harness.lm_eval_output import read_lm_eval, write_lm_eval
from harness.metrics import summarise
from harness.options import Shard
from harness.record import numbered
from harness.run import Finished
from harness.setup import check_continues
from harness.store import Answer, Problem, Run, holds_run, problem_hash, read_run, remove_run, write_run
from rewardkit.errors import UsageError

MAY_DIFFER = frozenset({"shard", "base_url"})
"""Each shard may have asked a server of its own."""
Rows = list[dict[str, Any]]


def merge(
    directories: Sequence[str | Path], output: Path, *, overwrite: bool = False, resume: bool = False
) -> Finished:
    """Write the whole run to `output`; with `resume` in the place of the same run with no more than this one.

    Raises:
        UsageError: a directory holds no shard or lacks results of lm-eval, a shard is missing or there twice, or the output holds a run.
        NotComparableError: the shards are of different runs.
    """
    shards = [read_run(each) for each in directories]
    _check(shards)
    with new_run(output, made_from=shards, overwrite=overwrite or resume):
        return _merged(sorted(shards, key=lambda each: each.identity["shard"]["index"]), output, overwrite=overwrite)


def _check(shards: Sequence[Run]) -> None:
    places: dict[int, Path] = {}
    for run in shards:
        told = run.identity.get("shard")
        if not told:
            raise UsageError(f"{run.path} holds no shard: it was run without --shard")
        shard = Shard(**told)
        if shard.index in places:
            raise UsageError(
                f"{places[shard.index]} and {run.path} both hold shard {shard.index}/{shard.of}; give each once"
            )
        places[shard.index] = run.path
        first, this = (
            {**each.identity, **dict.fromkeys(MAY_DIFFER), "rescored": "rescored" in each.record}
            for each in (shards[0], run)
        )
        found = changes({**first, "shards": shards[0].identity["shard"]["of"]}, {**this, "shards": shard.of})
        if (
            first != this and not found
        ):  # limit, tasks and repeats may grow in a run that is continued, here they may not
            found = ["set of tasks, limit or number of repeats"]
        if found:
            raise NotComparableError(
                f"{run.path} is a shard of another run than {shards[0].path}; another {'; '.join(found)}"
            )
        stray = next((each for each in run.problems.values() if not shard.holds(each.doc_id)), None)
        if stray is not None:
            raise NotComparableError(
                f"{run.path} holds problem {stray.doc_id} of {stray.task}, which is not of shard {shard.index}/{shard.of}"
            )
    if "rescored" in shards[0].record:
        raise UsageError(
            f"{shards[0].path} was rescored and holds no results of lm-eval; merge the shards as they were run, then rescore the whole"
        )
    of = shards[0].identity["shard"]["of"]
    if missing := sorted(set(range(1, of + 1)) - places.keys()):
        raise UsageError(
            f"of {of} shards {', '.join(f'{each}/{of}' for each in missing)} are missing; run them and name their directories, too"
        )


def _merged(shards: Sequence[Run], output: Path, *, overwrite: bool) -> Finished:
    first = shards[0]
    urls = sorted({url for run in shards for url in run.identity.get("base_url") or ()})
    identity = {**first.identity, "shard": None, "base_url": urls or None}
    problems = _problems(shards)
    hashes = {(each.task, each.doc_id): each.hash for each in problems}
    order = {task: place for place, task in enumerate(first.tasks)}
    problems.sort(key=lambda each: (order[each.task], each.doc_id))
    source = source_of(identity)
    answers = [
        answer.model_copy(update={"source": source, "problem": hashes[answer.task, answer.doc_id]})
        for run in shards
        for answer in run.answers
    ]
    answers.sort(key=lambda each: (order[each.task], each.doc_id, each.rep))
    _check_complete(problems, answers)
    results, samples = _results([read_lm_eval(run) for run in shards])
    record: dict[str, Any] = {**first.record, "identity": identity, **_sums([run.record for run in shards])}
    record["merged"] = [str(run.path) for run in shards]
    if holds_run(output) and not overwrite:
        check_continues(output, identity)
    remove_run(output)
    whole = Run(output, record, {(each.task, each.hash): each for each in problems}, answers)
    summaries = summarise(whole)
    path = write_lm_eval(output, results, samples, summaries, facts={"model_name": results["model_name"]})
    record["results"] = str(path.relative_to(output))
    write_run(output, record, problems, answers)
    return Finished(whole, summaries, path, record["seconds"], record["first_request_s"])


def _problems(shards: Sequence[Run]) -> list[Problem]:
    """The problems with the hashes of a whole run, in which repeated questions of a task are numbered."""
    return numbered(
        each.model_copy(update={"hash": problem_hash(each.prompt, each.target)})
        if shards[0].generates(each.task)
        else each
        for each in sorted((each for run in shards for each in run.problems.values()), key=lambda each: each.doc_id)
    )


def _check_complete(problems: Sequence[Problem], answers: Sequence[Answer]) -> None:
    """Refuse a whole with gaps: each task's problems are numbered without one, and each answer is there once.

    Raises:
        NotComparableError: one is missing or there twice.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for problem in problems:
        places[problem.task].append(problem.doc_id)
    for task, found in places.items():
        if sorted(found) != list(range(len(found))):
            gap = next(place for place, doc_id in enumerate([*sorted(found), -1]) if place != doc_id)
            raise NotComparableError(
                f"the shards do not make a whole: problem {gap} of {task} is missing or there twice"
            )
    if len({(each.task, each.doc_id, each.rep) for each in answers}) != len(answers):
        raise NotComparableError("the shards do not make a whole: an answer is there twice")


def _sums(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What adds up over shards: tokens, cost, judgements. The time is that of the longest."""
    usages = [cast("Mapping[str, float | None]", record["usage"]) for record in records]
    costs = [usage["cost"] for usage in usages]
    usage = {name: sum(each[name] or 0 for each in usages) for name in usages[0]}
    counts = {name: sum(record[name] for record in records) for name in ("judged", "submitted")}
    seconds = max(record["seconds"] for record in records)
    return {**counts, "seconds": seconds, "usage": {**usage, "cost": None if None in costs else usage["cost"]}}


def _results(parts: Sequence[tuple[dict[str, Any], dict[str, Rows]]]) -> tuple[dict[str, Any], dict[str, Rows]]:
    """lm-eval's results of the whole. A metric that is the mean over the samples is that mean; others are left out."""
    results = dict(parts[0][0])
    tasks = parts[0][1].keys()
    samples = {
        task: sorted((row for _, rows in parts for row in rows[task]), key=lambda row: row["doc_id"]) for task in tasks
    }
    table: dict[str, dict[str, Any]] = {}
    for task, row in cast("dict[str, dict[str, Any]]", results["results"]).items():
        told = {name: value for name, value in row.items() if not _is_metric(name, value)}
        if task not in samples:  # a group
            table[task] = {name: value for name, value in told.items() if name != "sample_len"}
            continue
        table[task] = {**told, "sample_len": len({each["doc_id"] for each in samples[task]})}
        for name in (name for name, value in row.items() if _is_metric(name, value)):
            own = [(part["results"][task].get(name), _mean(rows[task], name)) for part, rows in parts]
            if all(value is not None and mean is not None and math.isclose(value, mean) for value, mean in own):
                table[task][name] = _mean(samples[task], name)
    results["results"] = table
    results["groups"] = {name: table[name] for name in results.get("groups") or ()}
    results["n-samples"] = {
        task: {**counts, "effective": table[task]["sample_len"]} for task, counts in results["n-samples"].items()
    }
    results["total_evaluation_time_seconds"] = str(
        max(float(part["total_evaluation_time_seconds"]) for part, _ in parts)
    )
    return results, samples


def _is_metric(name: str, value: Any) -> bool:
    return "," in name and isinstance(value, (int, float)) and not name.startswith(("pass@", "maj@"))


def _mean(rows: Rows, name: str) -> float | None:
    metric, _, kind = name.partition(",")
    values = [row[metric] for row in rows if row["filter"] == kind and metric in row]
    return fmean(values) if values and all(isinstance(value, (int, float)) for value in values) else None
