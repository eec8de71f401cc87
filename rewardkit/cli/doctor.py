"""`rewardkit doctor`: what is installed, which sandboxes work, how strong each is, and how to fix what does not work."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import click
from rich.text import Text

from rewardkit import __version__, registry
from rewardkit.import_guard import import_ours, overwritten_files, reinstall_hint
from rewardkit.table import console, print_table

EXTRAS = {
    "math": ("sympy", "math-verify"),
    "harness": ("lm-eval", "datasets"),
    "litellm": ("litellm",),
    "trl": ("trl",),
    "verl": ("verl",),
    "vllm": ("vllm",),
    "serve": ("msgspec", "uvicorn"),
    "otel": ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"),
    "ray": ("ray",),
    "report": ("jinja2",),
    "parquet": ("pyarrow",),
    "url": ("fsspec",),
    "hub": ("datasets",),
    "docker": ("docker",),
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


def _print(title: str, facts: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    rows: list[list[str | Text]] = []
    for fact in facts:
        works = Text("yes", style="green") if fact["works"] else Text("no", style="yellow")
        rows.append([works if column == "works" else str(fact.get(column) or "-") for column in columns])
    print_table(columns, rows, title=title, text=columns)
