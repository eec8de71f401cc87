"""The `rewardkit` command. Each command lives in a module of its own and is imported when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click
from click.exceptions import NoArgsIsHelpError

from rewardkit import __version__
from rewardkit.errors import RewardkitError

COMMANDS = {
    "attack": "rewardkit.cli.attack:attack",
    "audit": "rewardkit.cli.audit:audit",
    "doctor": "rewardkit.cli.doctor:doctor",
    "explain": "rewardkit.cli.explain:explain",
    "list": "rewardkit.cli.list:list_rewards",
    "sandbox": "rewardkit.cli.sandbox:sandbox",
    "score": "rewardkit.cli.score:score",
    "serve": "rewardkit.cli.serve:serve",
}
"""Name of each command and where it is."""


class LazyGroup(click.Group):
    """A group whose commands are imported on use, so that `--help` of one does not pay for all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All command names."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, _, name = target.partition(":")
        return getattr(importlib.import_module(module), name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command; an unknown one is answered with the nearest name."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from rewardkit.errors import UnknownNameError

            raise UnknownNameError.of("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rewardkit")
def rewardkit() -> None:
    """Verifiable rewards for language models.

    Judge completions with the same objects that reward them in training.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit: errors a user can fix are one line, with the exit code they carry."""
    sys.exit(run(rewardkit, args))


def run(command: click.Command, args: list[str] | None = None) -> int:
    """Run a click command and give its exit code."""
    try:
        result = command.main(args=args, standalone_mode=False)
    except RewardkitError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except NoArgsIsHelpError as error:
        names = error.ctx.command.list_commands(error.ctx) if isinstance(error.ctx.command, click.Group) else []
        path = error.ctx.command_path
        click.echo(f"error: name a command: {path} {'|'.join(names)}; {path} --help tells what each does", err=True)
        return error.exit_code
    except click.ClickException as error:
        click.echo(f"error: {error.format_message()}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads any more: leave without a traceback at shutdown
        return 0
    return result if isinstance(result, int) else 0
