"""Text for people, on stdout or stderr."""

from __future__ import annotations

import click

from rewardkit.errors import visible


def say(text: str, *, err: bool = False) -> None:
    """Print text. What would steer the terminal, as in a name from a file, is shown as a replacement character."""
    click.echo(visible(text), err=err)
