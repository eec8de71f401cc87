"""`rewardkit doctor`: what is installed, which sandboxes work here, how strong each is, how to fix what does not work."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from rewardkit import __version__, registry
from rewardkit.cli import _console
from rewardkit.import_guard import import_ours, overwritten_files, reinstall_hint

EXTRAS = {
    "math": ("sympy", "math-verify"),
    "harness": ("lm-eval", "datasets"),
    "trl": ("trl",),
    "verl": ("verl",),
    "vllm": ("vllm",),
    "serve": ("fastapi", "uvicorn"),
    "ray": ("ray",),
    "report": ("jinja2",),
    "parquet": ("pyarrow",),
}
"""The packages that stand for each extra."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(as_json: bool) -> int:
    """Check this installation and print what works, and how to fix what does not."""
    facts = examine()
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return 0
    screen = _console.console()
    screen.print(
        f"rewardkit {facts['rewardkit']}, Python {facts['python']}, {facts['cpus']} CPUs, {len(facts['rewards'])} rewards"
    )
    if facts["overwritten"]:
        tops = sorted({name.partition("/")[0] for name in facts["overwritten"]})
        screen.print(Text(f"overwritten by another package: {', '.join(facts['overwritten'])}", style="red"))
        screen.print(f"fix: {reinstall_hint(tops)}", markup=False)
    screen.print(_table("extra", facts["extras"], ("extra", "works", "detail")))
    screen.print(_table("sandbox", facts["sandboxes"], ("name", "works", "isolation", "detail")))
    return 0


def examine() -> dict[str, Any]:
    """The facts as plain values."""
    return {
        "rewardkit": __version__,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "rewards": registry.names(),
        "overwritten": overwritten_files(),
        "extras": [_extra(name, packages) for name, packages in EXTRAS.items()],
        "sandboxes": import_ours("sandboxes").diagnose(),
    }


def _extra(name: str, packages: tuple[str, ...]) -> dict[str, Any]:
    found = {package: _version(package) for package in packages}
    missing = [package for package, number in found.items() if number is None]
    works = not missing
    detail = ", ".join(f"{package} {number}" for package, number in found.items() if number)
    return {"extra": name, "works": works, "detail": detail if works else f"pip install 'rewardkit[{name}]'"}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _table(title: str, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        works = Text("yes", style="green") if row["works"] else Text("no", style="yellow")
        table.add_row(*(works if column == "works" else Text(str(row.get(column) or "-")) for column in columns))
    return table
