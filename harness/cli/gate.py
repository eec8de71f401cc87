"""`harness gate`."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rewardkit.cli._say import say
from rewardkit.cli._types import FloatRange

if TYPE_CHECKING:
    from harness.gate.baseline import Book
    from harness.gate.rules import Rules


@click.command("gate")
@click.argument("directory", required=False, metavar="RUN")
@click.option("--baseline", metavar="FILE|DIR", help="A baseline file, or the directory of a run to compare with.")
@click.option("--config", type=click.Path(), help="Rules as TOML; docs/ci-gate.md describes them.")
@click.option("--min", "bar", metavar="accuracy=X", help="The lower end of the accuracy's interval must reach X.")
@click.option(
    "--max-drop",
    type=FloatRange(0, 1, min_open=True, max_open=True),
    help="Allowed drop against the baseline [0.02].",
)
@click.option("--on-inconclusive", type=click.Choice(["fail", "warn"]), help="Exit 3, or 0 with a warning [fail].")
@click.option("--update-baseline", type=click.Path(), metavar="FILE", help="Write this run as the baseline and exit.")
@click.option(
    "--plan",
    is_flag=True,
    help="Print which drop the gate could detect, without a run. Needs --baseline or --problems.",
)
@click.option("--repeats", type=int, help="With --plan: samples per problem.")
@click.option("--problems", type=int, help="With --plan and no baseline: number of problems.")
@click.option(
    "--accuracy",
    type=FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="With --problems: expected accuracy.",
)
@click.option("--accept-power", is_flag=True, help="With --plan: exit 0 even if the margin cannot be decided.")
@click.option("--junit", type=click.Path(), metavar="FILE", help="Also write JUnit XML.")
@click.option("--overwrite", is_flag=True, help="Replace the files of --update-baseline and --junit if they exist.")
@click.option(
    "--github",
    is_flag=True,
    help="Also print GitHub annotations (on stderr with --json) and write the step summary and output `outcome`.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(**given: Any) -> int:
    """Check a run against a threshold or a baseline: PASS, FAIL or INCONCLUSIVE.

    Exit codes: 0 pass, 1 fail, 3 inconclusive, 4 incomplete run, 5 not comparable.
    """
    from harness.gate.baseline import read_book, write_baseline
    from harness.gate.output import lines, tell_github, to_json, write_junit
    from harness.gate.verdict import decide
    from rewardkit.errors import UsageError

    _refuse_unused(given)
    rules = _rules(given)
    if given["plan"]:
        return _plan(given, rules)
    if not given["directory"]:
        raise UsageError("name the run: harness gate RUN --baseline B")
    if given["baseline"] is not None and os.path.realpath(given["baseline"]) == os.path.realpath(given["directory"]):
        raise UsageError(f"--baseline {given['baseline']} is the run itself; name the run or file to compare it with")
    _check_outputs(given)
    run = read_book(given["directory"])
    if given["update_baseline"] is not None:
        _refuse_incomplete(run, rules)
        write_baseline(run, given["update_baseline"])
        say(f"baseline of {', '.join(run.ledgers)}{run.scope} written to {given['update_baseline']}", err=True)
        return 0
    _tell_unused(rules, run)
    decision = decide(run, read_book(given["baseline"]) if given["baseline"] is not None else None, rules)
    try:  # whoever reads the lines may be gone after the first, and the disk may be full
        if given["junit"] is not None:
            write_junit(decision, given["junit"])
    finally:
        if given["as_json"]:
            click.echo(json.dumps(to_json(decision), indent=2))
        else:
            for line in lines(decision):
                say(line)
    if given["github"]:
        tell_github(decision, partial(say, err=given["as_json"]))
    return decision.exit_code


def _refuse_unused(given: dict[str, Any]) -> None:
    """What is given and would change nothing is a mistake of whoever gives it."""
    from rewardkit.errors import UsageError

    of_plan = {"repeats", "problems", "accuracy", "accept_power"}
    if given["plan"]:
        place = "with --plan" + " and --baseline" * (given["baseline"] is not None)
        unused = {"directory", "on_inconclusive", "update_baseline", "junit", "overwrite", "github"}
        unused |= {"problems", "accuracy"} if given["baseline"] is not None else set()
    elif given["update_baseline"] is not None:
        place = "with --update-baseline"
        unused = {"baseline", "bar", "max_drop", "on_inconclusive", "junit", "github", "as_json"} | of_plan
    else:
        place, unused = "without --plan", of_plan
    context = click.get_current_context()
    for param in context.command.params:
        if param.name in unused and context.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            name = param.opts[-1] if isinstance(param, click.Option) else param.human_readable_name
            raise UsageError(f"{name} is not used {place}; leave it out")


def _check_outputs(given: dict[str, Any]) -> None:
    from harness.store import input_files
    from rewardkit.store import check_reports

    reads = input_files(
        [place for place in (given["directory"], given["baseline"], given["config"]) if place is not None]
    )
    outputs = [Path(given[option]) for option in ("update_baseline", "junit") if given[option] is not None]
    check_reports(outputs, reads, overwrite=given["overwrite"])


def _rules(given: dict[str, Any]) -> Rules:
    from harness.gate.rules import Minimum, Regression, Rules, read_rules
    from rewardkit.errors import UsageError

    rules = read_rules(given["config"]) if given["config"] is not None else Rules()
    change: dict[str, Any] = {}
    entries: dict[str, dict[str, float]] = {}
    if given["bar"] is not None:
        name, _, value = given["bar"].partition("=")
        try:
            entries["min"] = {"accuracy": float(value)}
            general = rules.minimum.model_dump(exclude_unset=True) if rules.minimum else {}
            change["minimum"] = Minimum.model_validate({**general, **entries["min"]})
        except ValueError:
            name = ""
        if name.strip() != "accuracy":
            raise UsageError(f"--min {given['bar']!r}: write accuracy=X with X between 0 and 1")
    if given["max_drop"] is not None:
        change["regression"] = Regression(margin=given["max_drop"])
        entries["regression"] = {"margin": given["max_drop"]}
    elif given["baseline"] is not None and rules.regression is None:
        change |= {"regression": Regression(), "by_default": True}
    change["by_task"] = {
        task: {name: {**table, **entries.get(name, {})} for name, table in own.items()}
        for task, own in rules.by_task.items()
    }
    if given["on_inconclusive"]:
        change["on_inconclusive"] = given["on_inconclusive"]
    return rules.model_copy(update=change)


def _refuse_incomplete(run: Book, rules: Rules) -> None:
    from harness.gate.verdict import Outcome, guards
    from rewardkit.errors import IncompleteError

    if run.empty:
        raise IncompleteError(f"{run.place} is no baseline: it holds no problem of {', '.join(run.empty)}")
    for task, ledger in run.ledgers.items():
        for each in guards(ledger, rules.for_task(task)[2]):
            if each.outcome is Outcome.INCOMPLETE:
                raise IncompleteError(f"{run.place} is no baseline: {task}: {each.message}; complete it with --resume")


def _tell_unused(rules: Rules, book: Book) -> None:
    if told := rules.unused(book.ledgers, book.place):
        say(f"warning: {told}", err=True)


def _plan(given: dict[str, Any], rules: Rules) -> int:
    from harness.gate.baseline import read_book
    from harness.gate.power import FLAT_DIFFICULTY, make_plan, plan_book
    from rewardkit.errors import UsageError

    if given["repeats"] is not None and given["repeats"] < 1:
        raise UsageError(f"--repeats is {given['repeats']}; give 1 or more")
    if given["baseline"] is not None:
        baseline = read_book(given["baseline"])
        _tell_unused(rules, baseline)
        plans = plan_book(baseline, rules, k=given["repeats"])
    elif given["problems"] and given["problems"] > 0:
        p = given["accuracy"]
        margin = rules.regression.margin if rules.regression else None
        noise = FLAT_DIFFICULTY * p * (1 - p)
        k, count = given["repeats"] or 1, max(1, rules.corrected(["plan"]))
        plans = [make_plan("plan", given["problems"], k, noise, margin, rules.look_alpha, count=count)]
    else:
        raise UsageError("--plan needs --baseline, or --problems N (with --repeats K and --accuracy P)")
    if given["as_json"]:
        click.echo(json.dumps([{**vars(plan), "enough": plan.enough} for plan in plans], indent=2))
    else:
        for plan in plans:
            say(plan.line())
    return 0 if given["accept_power"] or all(plan.enough for plan in plans) else 3
