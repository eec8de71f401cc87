"""Set up a run: its tasks, sampling options and output directory."""

from __future__ import annotations

import importlib
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from harness import catalog, data, models
from harness.backends.base import MAX_TOKENS, count_of, max_tokens_of, number_of
from harness.errors import NotComparableError
from harness.identity import changes
from harness.journal import keys
from harness.options import Options
from harness.store import finished, holds_run, read_record, read_run, remove_run, write_record
from rewardkit.errors import UsageError, counted

MAX_GEN_TOKS = 256
"""Token limit of a task that names none, as lm-eval's models have it; `max_gen_toks` in model_args or gen_kwargs sets another."""


def load_tasks(options: Options) -> dict[str, Any]:
    """lm-eval's task objects with repeats, limits and options of this run set."""
    names = [catalog.stock_file(name) for name in options.tasks]
    found = catalog.manager(names, options.include)
    _seed_shuffles()
    loaded = catalog.load_tasks(found, names)
    extra = sampling(models.parse_args(options.gen_kwargs))
    limit = {"max_gen_toks": count_of(models.parse_args(options.model_args), "max_gen_toks", MAX_GEN_TOKS)}
    for name, task in loaded["tasks"].items():
        if (source := data.source_of(task)) and source.dropped:
            options.say(f"{name}: {len(task.eval_docs)} of {source.rows} rows{source.left_out}")
        _check_numbers(name, task)
        _set_fewshot(name, task, options)
        if options.repeats is not None:
            task.set_config("repeats", options.repeats)
        if task.get_config("output_type") == "generate_until":
            told = max_tokens_of(task.get_config("generation_kwargs") or {}, 0)
            task.set_config("generation_kwargs", {**({} if told else limit), **extra}, update=True)
    return loaded


def _seed_shuffles() -> None:
    """The seeds that `lm_eval` sets: GPQA shuffles its options while it loads."""
    random.seed(0)
    importlib.import_module("numpy").random.seed(1234)


def _check_numbers(name: str, task: Any) -> None:
    """Refuse numbers of a task's file that the command line refuses, too.

    Raises:
        UsageError: with the name and the value.
    """
    for key, value, least in (
        ("repeats", task.get_config("repeats"), 1),
        ("num_fewshot", task.get_config("num_fewshot") or 0, 0),
    ):
        if type(value) is not int or value < least:
            raise UsageError(f"{name}: {key} is {value!r}; give a whole number, {least} or more")


def _set_fewshot(name: str, task: Any, options: Options) -> None:
    """Few-shot examples as lm-eval has them: a task whose file says 0 keeps that, whatever `--num_fewshot` says.

    Raises:
        UsageError: the task has fewer.
    """
    own, asked = task.get_config("num_fewshot"), options.num_fewshot
    if asked and own == 0:
        options.say(f"{name} takes no few-shot examples: --num_fewshot {asked} is not used there")
    shots = (own if own == 0 or asked is None else asked) or 0
    if shots and (sampler := getattr(task, "sampler", None)) is not None:
        is_asked_too = task.get_config("fewshot_split") == task.get_config("test_split")
        if shots > (most := max(0, len(sampler.fewshot_indices or sampler.df) - is_asked_too)):
            raise UsageError(
                f"{name} has {most} few-shot examples for a problem, not {shots}; give --num_fewshot {most} or less"
            )
    task.set_config("num_fewshot", shots)
    task.set_fewshot_seed(seed=1234)


def sampling(extra: Mapping[str, Any]) -> dict[str, Any]:
    """`--gen_kwargs` in the words that tasks use: a temperature above 0 samples, 0 does not.

    Raises:
        UsageError: the temperature or the token limit is no number that works, or an option has a place of its own.
    """
    options = dict(extra)
    for name, instead in (("seed", "--seed"), ("n", "--repeats, or --model_args n= for several answers a request")):
        if name in options:
            raise UsageError(f"--gen_kwargs takes no {name}; give {instead}")
    for name in MAX_TOKENS[1:]:
        if name in options:
            options[MAX_TOKENS[0]] = options.pop(name)
    max_tokens_of(options)
    temperature = number_of(options, "temperature", 0.0)
    if "temperature" in options and "do_sample" not in options:
        options["do_sample"] = temperature > 0
    if isinstance(options.get("until"), str):
        options["until"] = [options["until"]]
    return options


def check_directory(options: Options, identity: Mapping[str, Any]) -> None:
    """Refuse a directory that cannot take this run. Changes nothing; called before the model is loaded and again after.

    Raises:
        UsageError: it holds a run already and neither `resume` nor `overwrite` is set, or a finished one with more than is asked now.
        NotComparableError: it holds another run than this one, or its record was changed.
    """
    if options.overwrite or not holds_run(options.output):
        return
    if not options.resume:
        raise UsageError(
            f"{options.output} holds a run already; continue it with --resume, replace it with --overwrite, or choose another -o"
        )
    check_continues(options.output, identity)
    if lost := _not_in_journal(options.output):
        raise UsageError(
            f"{options.output} holds {counted(lost, 'answer')} that its journal does not hold (it was merged, or the journal removed), which --resume would ask for again; choose another -o, or continue the shards and merge them again"
        )


def _not_in_journal(directory: Path) -> int:
    """How many answers of a finished run would be asked for again."""
    if not finished(directory):
        return 0
    try:
        run = read_run(directory)
    except (UsageError, NotComparableError):
        if keys(directory):
            return 0  # its files are written again from the journal
        raise
    return len({each.key for each in run.answers if run.generates(each.task) and not each.error} - keys(directory))


def check_continues(directory: Path, identity: Mapping[str, Any]) -> None:
    """Refuse a directory that holds another run than this one, or a finished one with more than is asked now.

    Raises:
        UsageError, NotComparableError: it does, or its record was changed.
    """
    record = read_record(directory)
    before = cast("dict[str, Any]", record["identity"])
    if "rescored" in record:
        raise UsageError(f"{directory} holds rescored answers, which cannot be continued; choose another -o")
    found = changes({name: before.get(name) for name in identity}, identity)
    if found:
        raise NotComparableError(f"{directory} holds a run with another {'; '.join(found)}; choose another -o")
    if less := _shrinks(directory, record, identity):
        raise UsageError(f"{directory} holds results of {less}, or choose another -o: --resume drops none")


def _shrinks(directory: Path, record: Mapping[str, Any], identity: Mapping[str, Any]) -> str | None:
    """What a finished run holds beyond what is asked now, and how to ask for it; None if nothing would be dropped."""
    had = cast("Mapping[str, Mapping[str, Any]]", record.get("tasks") or {})
    for task, facts in had.items():
        if task not in identity["tasks"]:
            return f"{task}, too; name all of its tasks (--tasks {','.join(had)})"
        if (repeats := facts["repeats"] or 1) > (identity["tasks"][task]["repeats"] or 1):
            return f"{repeats} answers to each problem of {task}; give --repeats {repeats} or more"
    limit, asked = record.get("limit"), identity.get("limit")
    if not had or asked is None or (limit is not None and limit <= asked):
        return None
    if all(problem.doc_id < asked for problem in read_run(directory).problems.values()):
        return None
    return (
        "all problems; leave out --limit" if limit is None else f"{limit} problems a task; give --limit {limit} or more"
    )


def claim_directory(options: Options, identity: Mapping[str, Any]) -> None:
    """Check the directory once more and write this run's identity into it. A finished run that grows stays as it is until it has grown."""
    check_directory(options, identity)
    if options.overwrite:
        remove_run(options.output)
    if not finished(options.output):
        write_record(options.output, {"state": "sampling", "identity": identity})
