"""Groups of commands: they refuse an option that is given twice, and import a command only when it is used, so that `--help` is fast."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import click

from rewardkit.errors import UnknownNameError, UsageError
from rewardkit.import_guard import OURS, import_ours


def hyphened(name: str) -> str:
    """The name by which an option is looked up: `_` and `-` between its words mean the same."""
    return name.replace("_", "-")


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "token_normalize_func": hyphened}


class Group(click.Group):
    """A group whose commands refuse a second value for an option that takes one; click takes the last."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command, and look at its options unless a shell asks how to complete them."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group) and not ctx.resilient_parsing:
            own = click.Context(command, info_name=name, parent=ctx, **command.context_settings)
            _refuse_twice(command.make_parser(own).parse_args(list(rest))[2])
        return name, command, rest


def _refuse_twice(given: list[click.Parameter]) -> None:
    """Refuse the options among the parameters of a command line that have one value, and two there."""
    for option, count in Counter(given).items():
        if count > 1 and isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
            raise UsageError(
                f"{max(option.opts, key=len)} is given {'twice' if count == 2 else f'{count} times'}; give it once"
            )


class LazyGroup(Group):
    """A group of commands, each with name, import path and one line of help."""

    def __init__(self, *args: Any, targets: Mapping[str, tuple[str, str]], **options: Any) -> None:
        """Take `targets`: name -> ("module:attribute", help)."""
        super().__init__(*args, context_settings=SETTINGS, **options)
        self.targets = targets

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order given."""
        return list(self.targets)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in self.targets:
            return None
        module, _, name = self.targets[cmd_name][0].partition(":")
        load = import_ours if module.partition(".")[0] in OURS else importlib.import_module
        return cast("click.Command", getattr(load(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Names and one-line helps, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.targets.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        """Find the command; an unknown one is answered with the nearest name."""
        if args and not args[0].startswith("-") and args[0] not in self.targets and not ctx.resilient_parsing:
            raise UnknownNameError.of("command", args[0], self.targets)
        return super().resolve_command(ctx, args)
