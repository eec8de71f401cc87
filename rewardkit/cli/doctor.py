"""`rewardkit doctor`: what is installed, which sandboxes work, how strong each is, and how to fix what does not work."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires
from itertools import chain
from typing import Any

import click
from packaging.requirements import Requirement
from rich.text import Text

from rewardkit import __version__, registry
from rewardkit.import_guard import import_ours, overwritten_files, reinstall_hint
from rewardkit.run import package_versions
from rewardkit.table import console, print_table

NOT_SHOWN = ("all", "test", "dev", "docs")
"""Extras for whoever works on rewardkit, and the one that is the sum of others."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> int:
    """Check this installation and print what works, and how to fix what does not."""
    facts = examine()
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return 0
    screen = console()
    screen.print(
        f"rewardkit {facts['rewardkit']}, Python {facts['python']}, {facts['cpus']} CPUs, {len(facts['rewards'])} rewards"
    )
    if facts["overwritten"]:
        tops = sorted({name.partition("/")[0] for name in facts["overwritten"]})
        screen.print(Text(f"overwritten by another package: {', '.join(facts['overwritten'])}", style="red"))
        screen.print(f"fix: {reinstall_hint(tops)}", markup=False)
    _print("extras", facts["extras"], ("extra", "works", "detail"))
    _print("sandboxes", facts["sandboxes"], ("name", "works", "isolation", "detail"))
    return 0


def examine() -> dict[str, Any]:
    """The facts as plain values."""
    return {
        "rewardkit": __version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "rewards": registry.names(),
        "overwritten": overwritten_files(),
        "extras": [_extra(name) for name in _extras()],
        "sandboxes": import_ours("sandboxes").diagnose(),
    }


def _extras() -> list[str]:
    try:
        found = metadata("rewardkit").get_all("Provides-Extra") or ()
    except PackageNotFoundError:  # run from its folder, not installed
        return []
    return [name for name in found if name not in NOT_SHOWN]


def _extra(name: str) -> dict[str, Any]:
    needed = dict.fromkeys(_requirements(name))
    installed = package_versions(*(one.name for one in needed))
    held = {one: installed.get(one.name) for one in needed}
    unmet = [
        one for one, number in held.items() if number is None or not one.specifier.contains(number, prereleases=True)
    ]
    detail = ", ".join(f"{one.name} {number}" for one, number in held.items())
    if unmet:
        detail = f"pip install 'rewardkit[{name}]'"
        if len(unmet) < len(needed):
            detail += f" for {', '.join(f'{one.name}{one.specifier}' for one in unmet)}"
    return {"extra": name, "works": not unmet, "detail": detail}


def _requirements(extra: str) -> Iterator[Requirement]:
    """What an extra asks for, with what the extras of ours among it ask for."""
    for one in map(Requirement, requires("rewardkit") or ()):
        if one.marker is None or not one.marker.evaluate({"extra": extra}):
            continue
        if one.name == "rewardkit":
            yield from chain.from_iterable(map(_requirements, one.extras))
        else:
            yield one


def _print(title: str, facts: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    rows: list[list[str | Text]] = []
    for fact in facts:
        works = Text("yes", style="green") if fact["works"] else Text("no", style="yellow")
        rows.append([works if column == "works" else str(fact.get(column) or "-") for column in columns])
    print_table(columns, rows, title=title, text=columns)
