"""The `harness` command: one module per subcommand, imported only when it is called."""

from __future__ import annotations

import click

from rewardkit.cli import exit_with
from rewardkit.cli._lazy_group import LazyGroup

COMMANDS = {
    "run": ("harness.cli.run:command", "Evaluate a model on benchmarks and report scores with confidence intervals."),
    "merge": ("harness.cli.merge:command", "Join the runs of all shards (`harness run --shard I/N`) into one."),
    "tasks": (
        "harness.cli.tasks:command",
        "List the tasks or their directory, or check that each judges as it should.",
    ),
    "rescore": ("harness.cli.rescore:command", "Judge the saved answers of a run again, without sampling."),
    "compare": ("harness.cli.compare:command", "Compare runs problem by problem."),
    "gate": ("harness.cli.gate:command", "Check a run against a baseline or a threshold: pass, fail or inconclusive."),
    "contamination": (
        "harness.cli.contamination:command",
        "List the problems of a run that are in training data.",
    ),
    "report": ("harness.cli.report:command", "Write an HTML report of one or several runs."),
    "lm-eval": ("harness.cli.lm_eval:command", "lm-eval's own command line, with our tasks on its path."),
}


@click.group(cls=LazyGroup, targets=COMMANDS)
@click.version_option(package_name="rewardkit", prog_name="harness")
def cli() -> None:
    """Benchmarks with rewardkit as the judge, built on lm-eval.

    Exit codes: 0 done or passed, 1 gate failed, 2 usage, 3 inconclusive, 4 incomplete, 5 not comparable, 70 a bug of ours, 130 interrupted, 141 nobody reads the output.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line. An error that the user can fix is one line, never a traceback."""
    exit_with(cli, args)
