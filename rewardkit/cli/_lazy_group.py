"""A click group that imports a command only when it is used, which keeps `--help` fast."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

import click

from rewardkit.errors import UnknownNameError
from rewardkit.import_guard import OURS, import_ours


def hyphened(name: str) -> str:
    """The name by which an option is looked up: `_` and `-` between its words mean the same."""
    return name.replace("_", "-")


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "token_normalize_func": hyphened}


class LazyGroup(click.Group):
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
        if args and not args[0].startswith("-") and args[0] not in self.targets:
            raise UnknownNameError.of("command", args[0], self.targets)
        return super().resolve_command(ctx, args)
