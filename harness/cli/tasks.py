"""`harness tasks`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import click

from rewardkit.cli._say import say


@click.command("tasks")
@click.argument("names", nargs=-1)
@click.option("--path", "show_path", is_flag=True, help="Print the directory for `lm_eval --include_path`.")
@click.option(
    "--check", is_flag=True, help="Load, render and judge each task: every gold answer must score 1, a wrong one 0."
)
@click.option("--include_path", "include", multiple=True, help="Additional directory with task YAML.")
@click.option("--data-dir", help="Directory with local data [REWARDKIT_DATA].")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    names: tuple[str, ...], show_path: bool, check: bool, include: tuple[str, ...], data_dir: str | None, as_json: bool
) -> int:
    """List tasks, print their directory, or check that they judge correctly: all of ours, or those named."""
    from harness import catalog

    if show_path:
        click.echo(catalog.TASKS)
        return 0
    wanted = [part for name in names for part in name.split(",") if part]
    if check:
        from harness.check import check_tasks
        from harness.data import used_data_dir

        with used_data_dir(data_dir):
            checked = check_tasks(wanted, include=include, tell=partial(say, err=True))
        return _report(checked, as_json=as_json)
    catalog.check_folders(include)
    found = catalog.names([catalog.TASKS, *map(Path, include)])
    groups = catalog.groups()
    catalog.refuse_unknown(wanted, found)
    found = {name: text for name, text in found.items() if not wanted or name in wanted}
    if as_json:
        click.echo(json.dumps([{"name": name, "group": name in groups, "about": text} for name, text in found.items()]))
        return 0
    width = max(map(len, found))
    for name, text in found.items():
        say(f"{name.ljust(width)}  {'group: ' if name in groups else ''}{text}")
    return 0


def _report(checked: list[dict[str, object]], *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(checked, indent=2))
    else:
        for row in checked:
            say(str(row["line"]))
    states = {row["state"] for row in checked}
    return 1 if "failed" in states else 4 if states == {"no data"} else 0
