"""`harness run`: tasks and a model in, a directory with answers, judgements and honest numbers out."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from harness import catalog, data, models, outputs
from harness.answers import RECORD, Answer, Problem, Run, problem_hash, to_answer, write_run
from harness.generation import Response
from harness.journal import NAME as JOURNAL
from harness.journal import Journal
from harness.judging import Judge, default_workers
from harness.metrics import Summary, summarise
from harness.tools.loop import ToolBox
from rewardkit import Score, load
from rewardkit.errors import UsageError

MIN_FREE_BYTES = 64 << 20
"""A run does not start with less free disk than this."""


@dataclass(frozen=True)
class Options:
    """What a run is asked to do."""

    model: str
    tasks: Sequence[str]
    output: Path
    model_args: str = ""
    repeats: int | None = None
    reward: str | None = None
    gen_kwargs: str = ""
    limit: int | None = None
    num_fewshot: int | None = None
    seed: int = 0
    resume: bool = False
    apply_chat_template: bool | None = None
    system_instruction: str | None = None
    batch_size: str | None = None
    device: str | None = None
    concurrency: int | None = None
    include: Sequence[str] = ()
    data_dir: str | None = None
    tools: ToolBox | None = None
    judge_workers: int | None = None
    name: str | None = None
    note: Callable[[Any], None] | None = None
    say: Callable[[str], None] = field(default=lambda _line: None)


@dataclass(frozen=True)
class Finished:
    """A run that came to its end."""

    run: Run
    summaries: Sequence[Summary]
    results: Path
    seconds: float
    first_request_s: float | None

    @property
    def lost(self) -> float:
        """The share of expected answers that could not be had or judged."""
        expected = sum(summary.problems * summary.k for summary in self.summaries)
        return sum(summary.errors + summary.unjudged for summary in self.summaries) / max(1, expected)


def run(options: Options) -> Finished:
    """Do a whole run.

    Raises:
        UsageError: something the caller can fix; found before any request is sent.
        IncompleteError: the model, its server or the disk gave up on the way; `resume` goes on from there.
    """
    start = time.monotonic()
    check(options)
    data.require_data_dir(options.data_dir)
    choice = models.choose(options.model, options.model_args)
    tasks = load_tasks(options)
    identity = fingerprint(options, choice, tasks)
    prepare_directory(options, identity)
    judge = Judge(
        workers=default_workers() if options.judge_workers is None else options.judge_workers, reward=options.reward
    )
    with judge, Journal(options.output) as journal:
        backend = models.open_backend(
            choice,
            tools=options.tools,
            chat=options.apply_chat_template,
            batch_size=options.batch_size,
            device=options.device,
            concurrency=options.concurrency,
        )
        try:
            engine: Any = importlib.import_module("harness.engine")
            lm = engine.EngineLM(
                backend,
                journal,
                judge,
                seed=options.seed,
                identity=identity["sampling"],
                progress=engine.Progress(note=options.note),
            )
            results = _evaluate(lm, tasks, options, chat=backend.chat, recorded=_recorded(backend, choice))
            finished = _collect(lm, tasks, judge, results, options, choice, identity, start)
        finally:
            backend.close()
            if options.tools is not None:
                options.tools.interpreter.close()
    return finished


def check(options: Options) -> None:
    """Refuse what cannot work before anything is loaded."""
    if not options.tasks:
        raise UsageError("name at least one task: --tasks gsm8k,aime24 (`harness tasks` lists them)")
    if options.repeats is not None and options.repeats < 1:
        raise UsageError(f"--repeats is {options.repeats}; ask for at least one answer a problem")
    if options.limit is not None and options.limit < 1:
        raise UsageError(f"--limit is {options.limit}; give a whole number of problems, 1 or more")
    if options.tools is not None and options.tools.max_turns < 1:
        raise UsageError(f"--max_turns is {options.tools.max_turns}; a model needs at least one turn")
    if options.reward is not None:
        load(options.reward)
    writable(options.output)


def writable(directory: Path) -> None:
    """Make the output directory and try to write there.

    Raises:
        UsageError: it cannot be written, or the disk is all but full.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory) as file:
            file.write(b"x")
        free = shutil.disk_usage(directory).free
    except OSError as error:
        raise UsageError(f"cannot write to -o {directory}: {error.strerror}") from None
    if free < MIN_FREE_BYTES:
        raise UsageError(f"-o {directory} has {free >> 20} MB free; a run needs at least {MIN_FREE_BYTES >> 20} MB")


def load_tasks(options: Options) -> dict[str, Any]:
    """lm-eval's task objects with repeats, limits and options of this run set."""
    loaded = catalog.load_tasks(catalog.manager(options.tasks, options.include), options.tasks)
    extra = models.parse_args(options.gen_kwargs)
    for task in loaded["tasks"].values():
        if options.repeats is not None:
            task.set_config("repeats", options.repeats)
        if extra and task.get_config("output_type") == "generate_until":
            task.set_config("generation_kwargs", sampling(extra), update=True)
    return loaded


def sampling(extra: Mapping[str, Any]) -> dict[str, Any]:
    """`--gen_kwargs` in the words that tasks use: a temperature above 0 samples, 0 does not."""
    options = dict(extra)
    for name in ("max_tokens", "max_new_tokens"):
        if name in options:
            options["max_gen_toks"] = options.pop(name)
    if "temperature" in options and "do_sample" not in options:
        options["do_sample"] = float(options["temperature"]) > 0
    if isinstance(options.get("until"), str):
        options["until"] = [options["until"]]
    return options


def fingerprint(options: Options, choice: models.ModelChoice, tasks: Mapping[str, Any]) -> dict[str, str]:
    """What must be equal for a run to be continued, by name."""
    args = {
        name: value
        for name, value in choice.args.items()
        if name not in {"base_url", "num_concurrent", "max_retries", "timeout", "api_key", "auth_token", "retry_wait"}
    }
    sampled = {
        "model": [choice.kind, args],
        "tools": options.tools.facts() if options.tools else None,
        "chat": options.apply_chat_template,
        "system": options.system_instruction,
    }
    plan = {
        name: [task.config.repeats, task.config.generation_kwargs, task.VERSION]
        for name, task in tasks["tasks"].items()
    }
    return {
        "sampling": _digest(sampled),
        "model": json.dumps(sampled["model"], default=str),
        "tools": json.dumps(sampled["tools"], default=str),
        "tasks": json.dumps(plan, sort_keys=True, default=str),
        "seed": str(options.seed),
        "limit": str(options.limit),
        "system": str(options.system_instruction),
        "chat": str(options.apply_chat_template),
        "fewshot": str(options.num_fewshot),
    }


def prepare_directory(options: Options, identity: Mapping[str, str]) -> None:
    """Claim the directory for this run, or check that it holds the same one.

    Raises:
        UsageError: it holds a run already and `resume` is not set, or another run than this one.
    """
    path = options.output / RECORD
    if not (options.output / JOURNAL).is_file():
        _write_record(path, {"identity": dict(identity), "state": "sampling"})
        return
    if not options.resume:
        raise UsageError(f"{options.output} holds a run already; go on with --resume, or choose another -o")
    try:
        before = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))["identity"]
    except (OSError, ValueError, KeyError):
        raise UsageError(f"{path} is missing or damaged; choose another -o") from None
    grown = {"tasks", "limit"}  # more tasks, problems or repeats only add requests: the keys tell
    for name, value in identity.items():
        if name not in grown and before.get(name) != value:
            raise UsageError(
                f"{options.output} holds a run with another {name} ({before.get(name)}, now {value}); choose another -o"
            )


def _write_record(path: Path, record: Mapping[str, Any]) -> None:
    from harness.answers import write_text

    write_text(path, json.dumps(record, indent=2, ensure_ascii=False, default=str) + "\n")


def _recorded(backend: Any, choice: models.ModelChoice) -> Callable[[str], bool] | None:
    """With `replay` and `only=true`: ask only the questions that the file holds."""
    return backend.holds if choice.kind == "replay" and choice.args.get("only") else None


def _evaluate(
    lm: Any, tasks: Mapping[str, Any], options: Options, *, chat: bool, recorded: Callable[[str], bool] | None
) -> dict[str, Any]:
    evaluator: Any = importlib.import_module("lm_eval.evaluator")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with catalog.quiet(), _no_bars():
        if options.num_fewshot is not None:
            for task in tasks["tasks"].values():
                task.set_config("num_fewshot", options.num_fewshot)
        for task in tasks["tasks"].values():
            task.set_fewshot_seed(seed=1234)
        samples = _samples(tasks, recorded, options.limit) if recorded else None
        return evaluator.evaluate(
            lm=lm,
            task_dict=dict(tasks),
            limit=None if samples is not None else options.limit,
            samples=samples,
            bootstrap_iters=0,
            log_samples=True,
            apply_chat_template=chat,
            fewshot_as_multiturn=chat,
            system_instruction=options.system_instruction,
            confirm_run_unsafe_code=False,
        )


def _samples(tasks: Mapping[str, Any], recorded: Callable[[str], bool], limit: int | None) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name, task in tasks["tasks"].items():
        docs = enumerate(cast("Sequence[Mapping[str, Any]]", task.eval_docs))
        found[name] = [index for index, doc in docs if recorded(str(doc.get("question", "")))][:limit]
        if not found[name]:
            raise UsageError(f"the recorded answers hold no question of {name}")
    return found


@contextlib.contextmanager
def _no_bars() -> Generator[None]:
    """lm-eval's own progress bar counts prompts being built; ours counts answers."""
    module: Any = importlib.import_module("lm_eval.api.task")
    bar = module.tqdm
    module.tqdm = _plain
    try:
        yield
    finally:
        module.tqdm = bar


def _plain(items: Any, **_: Any) -> Any:
    return items


def _collect(
    lm: Any,
    tasks: Mapping[str, Any],
    judge: Judge,
    results: dict[str, Any],
    options: Options,
    choice: models.ModelChoice,
    identity: Mapping[str, str],
    start: float,
) -> Finished:
    samples = cast("dict[str, list[dict[str, Any]]]", results.pop("samples", {}))
    problems, answers = rows_of(lm, tasks["tasks"], judge, samples)
    seconds = round(time.monotonic() - start, 3)
    first = getattr(lm.backend, "first_request_at", None)
    first_s = None if first is None else round(first - start, 3)
    template = lm.chat_template(True) if lm.backend.chat else None
    model_name = str(lm.backend.served or choice.name)
    groups = cast("Mapping[str, Sequence[str]]", tasks.get("group_map") or {})
    record: dict[str, Any] = {
        "state": "done",
        "name": options.name or model_name,
        "identity": dict(identity),
        "model": options.model,
        "model_args": {name: value for name, value in choice.args.items() if name not in {"api_key", "auth_token"}},
        "backend": dict(lm.backend.facts()),
        "tasks": {name: _task_facts(task) for name, task in tasks["tasks"].items()},
        "groups": {name: list(children) for name, children in groups.items()},
        "reward": options.reward,
        "rewards": reward_versions(problems, options.reward),
        "tools": options.tools.facts() if options.tools else None,
        "seed": options.seed,
        "limit": options.limit,
        "chat_template_sha": _digest(template) if template else None,
        "system_instruction": options.system_instruction,
        "versions": outputs.package_versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": seconds,
        "first_request_s": first_s,
        "judged": judge.judged,
        "submitted": judge.submitted,
    }
    write_run(options.output, record, problems, answers)
    finished_run = Run(options.output, record, {(each.task, each.hash): each for each in problems}, answers)
    summaries = summarise(finished_run)
    facts = {
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
        "model_name": model_name,
        "system_instruction": options.system_instruction,
        "system_instruction_sha": _digest(options.system_instruction) if options.system_instruction else None,
        "fewshot_as_multiturn": lm.backend.chat,
        "chat_template": template,
        "chat_template_sha": record["chat_template_sha"],
        "total_evaluation_time_seconds": str(seconds),
    }
    path = outputs.write_lm_eval(options.output, results, samples, summaries, facts=facts)
    return Finished(finished_run, summaries, path, seconds, first_s)


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
        if score is None and generation.error is None and judge.reward_text(request.doc) is None:
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


def reward_versions(problems: Sequence[Problem], override: str | None) -> dict[str, Any]:
    """The rewards that judged, each with the versions of its classes: the scorer's version in a gate."""
    from harness.judging import parts_of

    texts = {override} if override else {problem.reward for problem in problems}
    found: dict[str, Any] = {}
    for text in sorted(text for text in texts if text):
        found[text] = {part.name: part.version for part in parts_of(load(text))}
    return found


def _digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


__all__ = ["Finished", "Options", "run"]
