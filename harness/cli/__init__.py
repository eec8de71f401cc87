"""The `harness` command: one module a subcommand, imported only when it is called."""

from __future__ import annotations

import importlib
import sys
import traceback
from typing import cast

import click

BUG = 70
"""Exit code of an error that nobody foresaw (EX_SOFTWARE of sysexits.h)."""
COMMANDS = {
    "run": ("harness.cli.run", "Sample a model on benchmarks, judge, and say honest numbers."),
    "tasks": ("harness.cli.tasks", "List the tasks, their directory, or check that each judges as it should."),
    "rescore": ("harness.cli.rescore", "Judge the saved answers of a run again, without sampling."),
    "compare": ("harness.cli.compare", "Compare runs problem by problem."),
    "gate": ("harness.cli.gate", "Pass, fail or inconclusive: a run against a baseline or a bar."),
    "report": ("harness.cli.report", "Write one HTML file about one or several runs."),
    "lm-eval": ("harness.cli.lm_eval", "lm-eval's own command line, with our tasks on its path."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and loads one when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of a user's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in COMMANDS:
            return None
        return cast("click.Command", importlib.import_module(COMMANDS[cmd_name][0]).command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names and one-line helps, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command where there is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}"
            ctx.fail(f"no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rewardkit", prog_name="harness")
def cli() -> None:
    """Benchmarks with rewardkit as the judge, built on lm-eval.

    Exit codes: 0 done or passed, 1 gate failed, 2 usage, 3 inconclusive, 4 incomplete, 5 not comparable, 70 a bug of ours, 130 interrupted.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line; a mistake that a user can fix is one line, never a traceback."""
    from rewardkit.cli import run

    try:
        code = run(cli, args)
    except ModuleNotFoundError as error:
        click.echo(
            f"error: package {error.name!r} is not installed: pip install 'rewardkit[harness,math]' torch", err=True
        )
        code = 2
    except Exception:  # noqa: BLE001 - the traceback is printed; exit code 1 would say that a gate failed
        traceback.print_exc()
        click.echo("error: this is a bug of ours; please report it with the lines above", err=True)
        code = BUG
    sys.exit(code)
