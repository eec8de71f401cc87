"""`harness run`: evaluates a model on tasks and writes a directory with answers, judgements and metrics."""

from __future__ import annotations

import contextlib
import importlib
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from harness import catalog, data, lm_eval_output, models
from harness.folder import output_folder
from harness.identity import digest, source_of
from harness.journal import Journal
from harness.judging import Judge, default_workers
from harness.metrics import Summary, lost_share, summarise
from harness.options import Options, Shard, check
from harness.own_metric import is_own
from harness.process_state import environment, random_states
from harness.provenance import model_identity, options_identity
from harness.record import results_facts, rows_of, run_record
from harness.setup import check_directory, claim_directory, load_tasks
from harness.store import Run, read_record, write_run
from harness.store import finished as holds_finished
from harness.usage import Usage
from rewardkit.errors import UsageError
from rewardkit.store import resumable


@dataclass(frozen=True)
class Finished:
    """A finished run."""

    run: Run
    summaries: Sequence[Summary]
    results: Path
    seconds: float
    first_request_s: float | None
    resumed: int = 0
    """Answers that an earlier call had asked for."""

    @property
    def lost(self) -> float:
        """The share of expected answers that could not be generated or judged."""
        return lost_share(self.summaries)


def run(options: Options) -> Finished:
    """Do a whole run.

    Raises:
        UsageError: the caller can fix it; raised before any request is sent.
        NotComparableError: the directory holds another run, or the server answers with another model than before.
        IncompleteError: the model, its server or the disk failed; `resume` continues from there.
    """
    start = time.monotonic()
    check(options)
    catalog.require_engine()
    choice = models.choose(options.model, options.model_args)
    with data.used_data_dir(options.data_dir), random_states(), output_folder(options.output):
        tasks = load_tasks(options)
        likelihoods = _compares_likelihoods(tasks, choice)
        identity = options_identity(options, choice, tasks)
        check_directory(options, identity)
        backend = models.open_backend(
            choice,
            tools=options.tools,
            chat=options.apply_chat_template,
            batch_size=options.batch_size,
            device=options.device,
            concurrency=options.concurrency,
        )
        try:
            if likelihoods:
                _ = backend.likelihoods  # a missing tokenizer is told before anything is asked
            identity |= model_identity(backend)
            _narrow(tasks, options, _recorded(backend, choice))
            claim_directory(options, identity)
            return _sample(backend, tasks, options, choice, identity, start)
        finally:
            backend.close()
            if options.tools is not None:
                options.tools.interpreter.close()


def _compares_likelihoods(tasks: Mapping[str, Any], choice: models.ModelChoice) -> bool:
    """Whether a task compares likelihoods. Refuses such tasks if the model only generates."""
    names = [name for name, task in tasks["tasks"].items() if task.OUTPUT_TYPE != "generate_until"]
    if names and choice.kind in {"chat", "litellm", "replay"}:
        raise UsageError(
            f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''} compares likelihoods of given answers, which needs token "
            "probabilities, and a chat gives none; use --model local-completions, hf or vllm, or a generative form of the task"
        )
    return bool(names)


def _sample(
    backend: Any,
    tasks: Mapping[str, Any],
    options: Options,
    choice: models.ModelChoice,
    identity: Mapping[str, Any],
    start: float,
) -> Finished:
    engine: Any = importlib.import_module("harness.engine")
    judge = Judge(
        workers=default_workers() if options.judge_workers is None else options.judge_workers,
        reward=options.reward,
        row_timeout_s=options.row_timeout_s,
    )
    journal = Journal(options.output)
    with judge, resumable(lambda: len(journal.answers), "answers"), journal:
        lm = engine.EngineLM(
            backend,
            journal,
            judge,
            seed=options.seed,
            identity=digest({name: identity[name] for name in ("model", "tools", "chat", "system")}),
            source=source_of(identity),
            progress=engine.Progress(note=options.note),
            tasks=tasks["tasks"],
            reward=options.reward,
        )
        results = _evaluate(lm, tasks, options, chat=backend.chat)
        if unused := backend.unused(lm.requests) if choice.kind == "replay" else 0:
            options.say(
                f"recorded answers to these questions that were not judged: {unused}; a larger --repeats judges them"
            )
        return _finish(lm, tasks, judge, results, options, choice, identity, start)


def _recorded(backend: Any, choice: models.ModelChoice) -> Callable[[str], bool] | None:
    """With `replay` and `only=true`: ask only the questions that the file holds."""
    return backend.holds if choice.kind == "replay" and choice.args.get("only") else None


def _narrow(tasks: Mapping[str, Any], options: Options, recorded: Callable[[str], bool] | None) -> None:
    """Leave the tasks the problems of this run: those of its shard, or those that are recorded. They keep their numbers.

    Raises:
        UsageError: there are none, or both are asked for.
    """
    if recorded and options.shard:
        raise UsageError("--shard takes parts of all problems, only=true those of the file; give one of them")
    for name, task in tasks["tasks"].items():
        if recorded:
            places = _recorded_places(name, task, recorded, options.limit)
        elif options.shard:
            places = _shard_places(name, task, options.shard, options.limit)
        else:
            return
        task.doc_iterator = partial(_docs_at, frozenset(places), task.doc_iterator)


def _evaluate(lm: Any, tasks: Mapping[str, Any], options: Options, *, chat: bool) -> dict[str, Any]:
    evaluator: Any = importlib.import_module("lm_eval.evaluator")
    in_parallel = os.environ.get("TOKENIZERS_PARALLELISM", "false")
    with environment("TOKENIZERS_PARALLELISM", in_parallel), catalog.quiet(), _no_bars(), _failures_left_out(tasks):
        return evaluator.evaluate(
            lm=lm,
            task_dict=dict(tasks),
            limit=options.limit,
            bootstrap_iters=0,
            log_samples=True,
            apply_chat_template=chat,
            fewshot_as_multiturn=chat,
            system_instruction=options.system_instruction,
            confirm_run_unsafe_code=False,
        )


def _recorded_places(name: str, task: Any, recorded: Callable[[str], bool], limit: int | None) -> list[int]:
    docs = enumerate(cast("Sequence[Mapping[str, Any]]", task.eval_docs))
    found = [place for place, doc in docs if recorded(str(doc.get("question", "")))][:limit]
    if not found:
        raise UsageError(f"the recorded answers hold no question of {name}")
    return found


def _shard_places(name: str, task: Any, shard: Shard, limit: int | None) -> list[int]:
    count = min(limit or len(task.eval_docs), len(task.eval_docs))
    if count < shard.of:
        raise UsageError(f"{name} has {count} problems, too few for {shard.of} shards; give --shard 1/{count} or less")
    return [place for place in range(count) if shard.holds(place)]


def _docs_at(
    places: frozenset[int], docs: Callable[..., Iterator[tuple[int, Any]]], **options: Any
) -> Iterator[tuple[int, Any]]:
    return ((place, doc) for place, doc in docs(**{**options, "limit": None}) if place in places)


@contextlib.contextmanager
def _failures_left_out(tasks: Mapping[str, Any]) -> Generator[None]:
    """A task's own code may fail on an answer: lm-eval gets no metric of it then, and `OwnMetric` leaves it unjudged with the reason."""
    for task in tasks["tasks"].values():
        task.process_results = partial(_metrics_or_none, task.process_results)
    try:
        yield
    finally:
        for task in tasks["tasks"].values():
            del task.process_results


def _metrics_or_none(process: Callable[..., Mapping[str, Any]], doc: Any, results: Any) -> Mapping[str, Any]:
    try:
        return process(doc, results)
    except Exception:
        if is_own(doc):
            raise
        return {}


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


def _finish(
    lm: Any,
    tasks: Mapping[str, Any],
    judge: Judge,
    results: dict[str, Any],
    options: Options,
    choice: models.ModelChoice,
    identity: Mapping[str, Any],
    start: float,
) -> Finished:
    samples = cast("dict[str, list[dict[str, Any]]]", results.pop("samples", {}))
    problems, answers = rows_of(lm, tasks["tasks"], judge, samples, source_of(identity))
    first = getattr(lm.backend, "first_request_at", None)
    seconds, first_s = round(time.monotonic() - start, 3), None if first is None else round(first - start, 3)
    record = run_record(lm, tasks, problems, options, choice, identity, judge)
    record |= {"seconds": seconds, "first_request_s": first_s, "usage": asdict(Usage.of(answers, options.price))}
    resumed = lm.progress.resumed
    before = record | read_record(options.output) if resumed and holds_finished(options.output) else record
    record["begun"] = before.get("begun", before["date"])
    of_before = before["usage"]["answers"]  # fewer if this run grew, and was killed when all were there
    record["date"] = before["date"] if resumed == len(answers) == of_before else record["date"]
    finished = Run(options.output, record, {(each.task, each.hash): each for each in problems}, answers)
    summaries = summarise(finished)
    facts = results_facts(lm, options, choice, record)
    path = lm_eval_output.write_lm_eval(options.output, results, samples, summaries, facts=facts)
    record["results"] = str(path.relative_to(options.output))
    write_run(options.output, record, problems, answers)
    return Finished(finished, summaries, path, seconds, first_s, resumed)


__all__ = ["Finished", "Options", "run"]
