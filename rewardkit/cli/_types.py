"""Types of values on the command line that click's own take too much for, and an option that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


class FloatRange(click.FloatRange):
    """A range of numbers. click's own takes NaN, with which every limit is kept."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, if it is in the range."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail("nan is no number", param, ctx)
        return number


class FolderPath(click.Path):
    """A folder to write or read. click's own takes an empty name for the current folder."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The folder, if it has a name."""
        if value == "":
            self.fail("the name is empty; is a variable of the shell unset?", param, ctx)
        return super().convert(value, param, ctx)


def max_unjudged_option(things: str, what: str = "is unjudged") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--max-unjudged`, a share of rows or answers."""
    words = f"Exit 4 if a larger share of {things} {what}."
    return click.option(
        "--max-unjudged", type=FloatRange(0, 1), default=0.005, show_default=True, metavar="X", help=words
    )
