"""What a run writes down: problems, answers, the record of how it was made, and lm-eval's results file."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from harness import data, lm_eval_output, models
from harness.generation import Response
from harness.identity import digest
from harness.judging import Judge
from harness.options import Options
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
        "model_args": {name: value for name, value in choice.args.items() if name not in {"api_key", "auth_token"}},
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
        "versions": lm_eval_output.package_versions(),
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
    lm: Any, tasks: Mapping[str, Any], judge: Judge, samples: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[list[Problem], list[Answer]]:
    """Problems and answers out of the engine's requests and generations.

    Tasks of lm-eval's own are judged by their own metric, where there is one answer a problem and the metric is a share.
    """
    problems: dict[tuple[str, int], Problem] = {}
    answers: list[Answer] = []
    for request, generation in zip(lm.requests, lm.generations, strict=True):
        place = (request.task, request.doc_id)
        if place not in problems:
            problems[place] = _problem(request, tasks[request.task], judge)
        score = judge.score(request.doc, Response.of(generation))
        if (
            score is None
            and generation.error is None
            and not generation.filtered
            and judge.reward_text(request.doc) is None
        ):
            score = own_metric(samples.get(request.task, ()), request.doc_id, tasks[request.task].config.repeats)
        answers.append(to_answer(problems[place], generation, score))
    return list(problems.values()), answers


OWN_METRICS = ("exact_match", "acc", "accuracy", "math_verify", "pass@1", "prompt_level_strict_acc", "f1")
"""Metrics of lm-eval's own tasks that stand for accuracy, the first present one wins."""


def own_metric(rows: Sequence[Mapping[str, Any]], doc_id: int, repeats: int) -> Score:
    """What lm-eval's own metric says of a problem."""
    for row in rows:
        if row.get("doc_id") != doc_id or repeats != 1:
            continue
        for name in OWN_METRICS:
            value = row.get(name)
            if isinstance(value, (bool, int, float)) and 0 <= value <= 1:
                return Score.of(float(value), reason=f"lm-eval's {name}")
    return Score.unjudged("a task of lm-eval's own without a metric that could stand for accuracy")


def _problem(request: Any, task: Any, judge: Judge) -> Problem:
    doc = cast("Mapping[str, Any]", request.doc)
    target = str(task.doc_to_target(doc))
    ours = isinstance(doc.get("reward"), str)
    return Problem(
        task=request.task,
        doc_id=request.doc_id,
        hash=problem_hash(str(request.prompt), target),
        data_source=str(doc["data_source"]) if ours else request.task,
        question=str(doc["question"]) if ours else str(request.prompt),
        prompt=str(request.prompt),
        target=target,
        ground_truth=doc.get("ground_truth") if ours else target,
        extra_info=dict(doc.get("extra_info") or {}) if ours else {},
        reward=judge.reward_text(doc),
        version=str(task.VERSION),
    )


def _task_facts(task: Any) -> dict[str, Any]:
    arguments = cast("dict[str, Any]", task.config.dataset_kwargs or {})
    name = arguments.get("data")
    return {
        "version": str(task.VERSION),
        "repeats": task.config.repeats,
        "generation_kwargs": dict(task.config.generation_kwargs or {}),
        "num_fewshot": task.config.num_fewshot,
        "data": data.fingerprint([str(name)]).get(str(name)) if name else None,
    }
