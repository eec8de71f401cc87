"""`harness run`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rewardkit.cli._say import say
from rewardkit.cli._types import FolderPath, max_unjudged_option
from rewardkit.errors import UsageError

if TYPE_CHECKING:
    from harness.run import Finished
    from harness.tools.loop import ToolBox

OF_THE_WHOLE = frozenset({"engine", "shards", "output", "log_dir", "log", "max_unjudged", "as_json"})
"""Options that the shards of a run are not given."""


@click.command("run")
@click.option(
    "--model",
    required=True,
    help="A URL, a local path, a hub id, or a model of lm-eval (hf, vllm, local-chat-completions, ...).",
)
@click.option(
    "--model_args",
    default="",
    metavar="K=V,...",
    help="Model arguments as in lm-eval: pretrained=..., base_url=URL;URL, ...",
)
@click.option(
    "--tasks",
    required=True,
    metavar="A,B",
    help="Tasks and groups, separated by commas: ours (`harness tasks` lists them), yours, lm-eval's.",
)
@click.option("--repeats", type=int, help="Samples per problem (k). [default: the task's own]")
@click.option("-r", "--reward", help="Judge with this reward instead of each task's own.")
@click.option(
    "-o",
    "--output",
    "--output_path",
    type=FolderPath(),
    help="Directory of the run [<log-dir>/<model>-<time>].",
)
@click.option(
    "--log-dir",
    envvar="REWARDKIT_LOG_DIR",
    type=FolderPath(),
    default=Path("runs"),
    show_default=True,
    show_envvar=True,
    help="Directory of runs without -o.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    help="Run shards in parallel, here or on a Ray cluster, and merge them.",
)
@click.option("--shards", type=click.IntRange(1), help="Number of shards for --engine [one per GPU].")
@click.option("--resume", is_flag=True, help="Continue the run in -o and request only missing answers.")
@click.option("--overwrite", is_flag=True, help="Replace the run in -o.")
@click.option("--limit", type=int, help="At most this many problems per task.")
@click.option(
    "--shard",
    metavar="I/N",
    help="Evaluate part I of N of the problems; `harness merge` joins the runs of all parts.",
)
@click.option(
    "--gen_kwargs",
    default="",
    metavar="K=V,...",
    help="Sampling options: temperature=1.0,top_p=0.95,max_gen_toks=4096.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed from which all sampling seeds are derived.")
@click.option("--num_fewshot", type=int, help="Number of few-shot examples.")
@click.option(
    "--apply_chat_template/--no_chat_template",
    "chat",
    default=None,
    help="For hf, vllm, ...: apply the model's chat template. [default: if it has one]",
)
@click.option("--system_instruction", help="System message for every prompt.")
@click.option("--tools", type=click.Choice(["code_interpreter"]), help="Tool that the model may call.")
@click.option(
    "--max_turns",
    type=int,
    default=16,
    show_default=True,
    help="Most messages of the model in one conversation with tools.",
)
@click.option(
    "--tool_format",
    type=click.Choice(["hermes", "openai"]),
    default="hermes",
    show_default=True,
    help="Read calls from the text (hermes), or as parsed by the server (openai).",
)
@click.option(
    "--tool_state",
    type=click.Choice(["conversation", "call"]),
    default="conversation",
    show_default=True,
    help="Keep variables between calls (conversation), or start each call fresh.",
)
@click.option("--sandbox", default="auto", show_default=True, help="Sandbox for tools.")
@click.option("--batch_size", help="For hf, vllm, ...")
@click.option("--device", help="For hf, ...")
@click.option("--concurrency", type=int, help="Most HTTP requests in flight [64, or num_concurrent].")
@click.option("--judge_workers", type=int, help="Number of judge processes [cores - 1].")
@click.option(
    "--row_timeout",
    "row_timeout_s",
    type=float,
    help="Seconds to judge one answer [60; for code 1800].",
)
@click.option("--include_path", "include", multiple=True, help="Additional directory with task YAML.")
@click.option("--data-dir", help="Directory with local data [REWARDKIT_DATA].")
@click.option(
    "--price", metavar="IN,OUT", help="Price of a million prompt and completion tokens, to print the cost of the run."
)
@click.option(
    "--log",
    multiple=True,
    metavar="TRACKER[:K=V,...]",
    help="Log the results: wandb, mlflow, trackio, tensorboard, a dataset (hub:repo=OWNER/NAME), storage (copy:to=URL).",
)
@click.option("--name", help="Name of the run in tables.")
@max_unjudged_option("answers")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(**given: Any) -> int:
    """Evaluate a model on benchmarks and report scores with confidence intervals.

    \b
    harness run --model http://127.0.0.1:8000/v1 --tasks aime24,math500 --repeats 16
    harness run --model hf --model_args pretrained=Qwen/Qwen3-0.6B --tasks gsm8k --limit 100
    """  # noqa: D301 - click's mark
    from harness.options import Shard
    from harness.run import Options, run
    from harness.trackers import parse
    from harness.usage import Price
    from rewardkit.executor import check_row_timeout

    check_row_timeout(given["row_timeout_s"])
    for tracker in given["log"]:
        parse(tracker)
    output = given["output"] or given["log_dir"] / _default_name(given["model"], given["model_args"])
    if given["shards"] and not given["engine"]:
        raise UsageError("--shards is for --engine, which asks them all; give --engine local, or one --shard 1/8")
    if given["engine"]:
        return _report(_sharded(given, output), given)
    own: dict[str, Any] = {field.name: given[field.name] for field in fields(Options) if field.name in given} | {
        "tasks": [name.strip() for name in given["tasks"].split(",") if name.strip()],
        "output": output,
        "shard": None if given["shard"] is None else Shard.parse(given["shard"]),
        "price": None if given["price"] is None else Price.parse(given["price"]),
        "tools": _tools(given),
    }
    options = Options(**own, apply_chat_template=given["chat"], note=Ticker(), say=partial(say, err=True))
    return _report(run(options), given)


def _sharded(given: dict[str, Any], output: Path) -> Finished:
    from harness.spread import local_devices, run_shards

    if given["shard"]:
        raise UsageError("--engine asks all shards and --shard one of them; give one of the two")
    shards = given["shards"] or (len(local_devices()) if given["engine"] == "local" else 0)
    if not shards:
        raise UsageError(f"--engine {given['engine']} needs the number of shards: --shards 8")
    return run_shards(
        [*_arguments(), "--max-unjudged", "1"],
        output,
        engine=given["engine"],
        shards=shards,
        resume=given["resume"],
        overwrite=given["overwrite"],
        say=partial(say, err=True),
    )


def _arguments() -> list[str]:
    """What was given on the command line, but for what concerns the whole run alone."""
    context = click.get_current_context()
    found: list[str] = []
    for option in context.command.params:
        name = str(option.name)
        if name in OF_THE_WHOLE or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if isinstance(option, click.Option) and option.is_flag:
            found.append(option.opts[0] if value else option.secondary_opts[0])
        else:
            found += [text for each in (value if option.multiple else [value]) for text in (option.opts[-1], str(each))]
    return found


def _report(finished: Finished, given: dict[str, Any]) -> int:
    """Print, log, and say how it ended: the exit code."""
    from harness.cli.tables import exit_code, print_summaries, run_table
    from harness.trackers import log_run

    if given["as_json"]:
        click.echo(json.dumps(run_table(finished), indent=2))
    else:
        print_summaries([(finished.run.name, finished.summaries)])
    _say_end(finished, finished.run.path)
    if given["price"] and finished.run.record["usage"]["cost"] is None:
        say("cost unknown: the server did not count the tokens of all answers", err=True)
    for tracker in given["log"]:
        log_run(tracker, finished)
    return exit_code(finished.summaries, given["max_unjudged"])


def _tools(given: dict[str, Any]) -> ToolBox | None:
    if not given["tools"]:
        return None
    from harness.tools.interpreter import ConversationTool
    from harness.tools.loop import ToolBox
    from rewardkit.interpreter import CodeInterpreter

    tool = ConversationTool(CodeInterpreter(sandbox=given["sandbox"]), state=given["tool_state"])
    return ToolBox(tool, max_turns=given["max_turns"], format=given["tool_format"])


def _default_name(model: str, model_args: str) -> str:
    from harness.lm_eval_output import sanitize
    from harness.models import parse_args

    args = parse_args(model_args)
    name = str(args.get("model") or args.get("pretrained") or model)
    return f"{sanitize(name.rstrip('/').rpartition('/')[2] or name)}-{time.strftime('%Y%m%d-%H%M%S')}"


def _say_end(finished: Finished, output: Path) -> None:
    from harness.usage import Usage

    record = finished.run.record
    if used := Usage(**record["usage"]).line():
        say(used, err=True)
    count, judged = record["submitted"], record["judged"]
    total = len(finished.run.answers)
    told = f"{total} answers in {finished.seconds:.0f} s"
    if total and finished.resumed == total:
        told = f"nothing was asked: all {total} answers are from before {record['date']}"
    elif finished.resumed:
        told += f", {finished.resumed} of them from before"
    if judged < count:
        told += f", {count - judged} of them equal to another and judged with it"
    say(f"{told}; written to {output}", err=True)


class Ticker:
    """Says how far a run is: a live line on a terminal, a plain line every ten seconds elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._next = 0.0
        self._start = time.monotonic()

    def __call__(self, progress: Any) -> None:
        """Told after each answer."""
        now = time.monotonic()
        last = progress.done >= progress.total
        if now < self._next and not last:
            return
        self._next = now + (0.2 if self._live else 10.0)
        taken = max(0.1, now - self._start)
        rate = (progress.done - progress.resumed) / taken
        left = (progress.total - progress.done) / rate if rate > 0 else 0.0
        line = f"{progress.done}/{progress.total} answers, {progress.errors} failed, {rate:.1f}/s, {left:.0f} s left"
        if progress.tokens:
            line += f", {progress.tokens / taken:,.0f} tokens/s"
        if progress.resumed:
            line += f" ({progress.resumed} from the journal)"
        click.echo(f"\r{line}   " if self._live else line, err=True, nl=not self._live or last)
