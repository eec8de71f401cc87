"""The files of a run: problems, answers, the record of how it was made, and lm-eval's results file."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, cast

from harness import data, lm_eval_output, models
from harness.generation import Response
from harness.identity import digest
from harness.judging import Judge
from harness.options import Options
from harness.own_metric import OwnMetric, ground_truth_of, is_own, likelihood_answers
from harness.provenance import reward_versions
from harness.store import Answer, Problem, problem_hash, to_answer
from rewardkit import Score


def run_record(
    lm: Any,
    tasks: Mapping[str, Any],
    problems: Sequence[Problem],
    options: Options,
    choice: models.ModelChoice,
    identity: Mapping[str, Any],
    judge: Judge,
) -> dict[str, Any]:
    """How the run was made: `run.json`, times aside."""
    template = lm.chat_template(True) if lm.backend.chat else None
    groups = cast("Mapping[str, Sequence[str]]", tasks.get("group_map") or {})
    return {
        "state": "done",
        "name": options.name or model_name(lm, choice),
        "identity": dict(identity),
        "model": options.model,
        "model_args": {name: value for name, value in choice.args.items() if name not in models.SECRETS},
        "backend": dict(lm.backend.facts()),
        "tasks": {name: _task_facts(task) for name, task in tasks["tasks"].items()},
        "groups": {name: list(children) for name, children in groups.items()},
        "reward": options.reward,
        "rewards": reward_versions({problem.reward for problem in problems if problem.reward}),
        "tools": options.tools.facts() if options.tools else None,
        "seed": options.seed,
        "limit": options.limit,
        "chat_template_sha": digest(template) if template else None,
        "system_instruction": options.system_instruction,
        "versions": lm_eval_output.versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "judged": judge.judged,
        "submitted": judge.submitted,
    }


def model_name(lm: Any, choice: models.ModelChoice) -> str:
    """The model's name as its server says it, else as the user wrote it."""
    return str(lm.backend.served or choice.name)


def results_facts(lm: Any, options: Options, choice: models.ModelChoice, record: Mapping[str, Any]) -> dict[str, Any]:
    """What lm-eval's results file says about the run, under lm-eval's names."""
    return {
        "config": {
            "model": options.model,
            "model_args": record["model_args"],
            "batch_size": options.batch_size,
            "device": options.device,
            "limit": options.limit,
            "bootstrap_iters": 0,
            "gen_kwargs": models.parse_args(options.gen_kwargs),
            "seed": options.seed,
        },
        "git_hash": None,
        "date": time.time(),
        "pretty_env_info": json.dumps(record["versions"]),
        "lm_eval_version": record["versions"].get("lm_eval"),
        "transformers_version": record["versions"].get("transformers"),
        "model_source": options.model,
        "model_name": model_name(lm, choice),
        "system_instruction": options.system_instruction,
        "system_instruction_sha": digest(options.system_instruction) if options.system_instruction else None,
        "fewshot_as_multiturn": lm.backend.chat,
        "chat_template": lm.chat_template(True) if lm.backend.chat else None,
        "chat_template_sha": record["chat_template_sha"],
        "total_evaluation_time_seconds": str(record["seconds"]),
    }


def rows_of(
    lm: Any, tasks: Mapping[str, Any], judge: Judge, samples: Mapping[str, Sequence[Mapping[str, Any]]], source: str
) -> tuple[list[Problem], list[Answer]]:
    """Problems and answers out of the engine's requests and generations, and out of lm-eval's samples for likelihood tasks.

    A task of lm-eval's own is judged by its own metric; under `--reward` that metric is beside the reward's judgement.
    """
    owns, names = _own_scores(lm, tasks)
    rows: dict[tuple[str, int], Any] = {}
    for request in lm.requests:
        rows.setdefault((request.task, request.doc_id), request)
    made = numbered(_problem(request, tasks[request.task], judge) for request in rows.values())
    problems = {(each.task, each.doc_id): each for each in made}
    answers: list[Answer] = []
    for request, generation in zip(lm.requests, lm.generations, strict=True):
        score = judge.score(request.doc, Response.of(generation))
        own = owns.get(generation.key, score)
        score = score or own
        answer = to_answer(problems[request.task, request.doc_id], generation, score)
        answers.append(answer if own is score else answer.model_copy(update={"own": own.value if own else None}))
    found = [
        each.model_copy(update={"own_metric": names[each.task], "reward": each.reward or names[each.task]})
        if each.task in names
        else each
        for each in made
    ]
    for name in tasks.keys() - {request.task for request in lm.requests}:
        for fields, generation, score in likelihood_answers(name, tasks[name], samples.get(name, ()), source):
            problem = _likelihood_problem(name, tasks[name], fields)
            found.append(problem)
            answers.append(to_answer(problem, generation, score))
    return found, answers


def numbered(problems: Iterable[Problem]) -> list[Problem]:
    """The problems in their order, each with a hash of its own: some data sets hold a question twice."""
    times: Counter[tuple[str, str]] = Counter()
    found: list[Problem] = []
    for each in problems:
        times[each.task, each.hash] += 1
        n = times[each.task, each.hash]
        again = {"hash": problem_hash(each.prompt, f"{each.target}\0{n}")} if n > 1 else {}
        found.append(each.model_copy(update=again))
    return found


def _own_scores(lm: Any, tasks: Mapping[str, Any]) -> tuple[dict[str, Score], dict[str, str]]:
    """What lm-eval's own tasks say of their answers, by key; and the metric's name by task."""
    scores: dict[str, Score] = {}
    names: dict[str, str] = {}
    pairs = [
        (request, generation)
        for request, generation in zip(lm.requests, lm.generations, strict=True)
        if not is_own(request.row) and generation.error is None and not generation.filtered
    ]
    for name in dict.fromkeys(request.task for request, _ in pairs):
        metric = OwnMetric(tasks[name])
        own = [(request, generation) for request, generation in pairs if request.task == name]
        found = metric.scores([(request.row, generation.full_text) for request, generation in own])
        scores |= {generation.key: score for (_, generation), score in zip(own, found, strict=True)}
        if metric.name:
            names[name] = metric.name
    return scores, names


def _likelihood_problem(name: str, task: Any, fields: Mapping[str, Any]) -> Problem:
    return Problem(
        task=name,
        doc_id=fields["doc_id"],
        hash=problem_hash(f"{fields['asked']} {fields['doc_id']}", fields["target"]),
        data_source=name,
        question=fields["prompt"],
        prompt=fields["prompt"],
        target=fields["target"],
        ground_truth=fields["target"],
        reward=fields["reward"],
        version=str(task.VERSION),
    )


def _problem(request: Any, task: Any, judge: Judge) -> Problem:
    doc = cast("Mapping[str, Any]", request.doc)
    gold = task.doc_to_target(request.row)
    target = str(gold)
    ours = isinstance(doc.get("reward"), str)
    return Problem(
        task=request.task,
        doc_id=request.doc_id,
        hash=problem_hash(str(request.prompt), target),
        data_source=str(doc["data_source"]) if ours else request.task,
        question=str(doc["question"]) if ours else str(request.prompt),
        prompt=str(request.prompt),
        target=target,
        ground_truth=doc.get("ground_truth") if ours else ground_truth_of(request.row, gold),
        extra_info=dict(doc.get("extra_info") or {}) if ours else {},
        reward=judge.reward_text(doc),
        version=str(task.VERSION),
    )


def _task_facts(task: Any) -> dict[str, Any]:
    source = data.source_of(task)
    return {
        "version": str(task.VERSION),
        "output_type": task.OUTPUT_TYPE,
        "repeats": task.config.repeats,
        "generation_kwargs": dict(task.config.generation_kwargs or {}),
        "num_fewshot": task.config.num_fewshot,
        "data": asdict(source) if source else None,
    }
