"""`rewardkit list`: every reward and preset, its options and what it needs."""

from __future__ import annotations

import json
from typing import Any

import click

from rewardkit import registry
from rewardkit.errors import RewardkitError
from rewardkit.table import print_table
from rewardkit.text import signature


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_rewards(as_json: bool) -> int:
    """List rewards and presets, their options and what each needs."""
    entries = [describe(name) for name in registry.names()]
    if as_json:
        click.echo(json.dumps(entries, ensure_ascii=False, indent=2))
        return 0
    columns = ("reward", "what it judges", "options", "needs")
    rows = [(entry["name"], entry["about"], entry["options"], " ".join(entry["needs"])) for entry in entries]
    print_table(columns, rows, text=columns)
    return 0


def describe(name: str) -> dict[str, Any]:
    """One reward as plain values; one that does not import says why instead of hiding the others."""
    try:
        cls = registry.get(name)
    except (RewardkitError, ImportError) as error:
        return {"name": name, "version": 0, "about": f"not usable: {error}", "options": "", "needs": [], "source": ""}
    return {
        "name": name,
        "version": cls.version,
        "about": registry.first_sentence(cls),
        "options": signature(cls),
        "needs": list(cls.needs),
        "source": cls.source,
    }
