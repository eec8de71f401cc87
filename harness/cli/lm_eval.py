"""`harness lm-eval`: lm-eval's own command line, with our tasks on its path."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click


@click.command("lm-eval", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """lm-eval's own command line, unchanged. `--include_path` defaults to our task directory."""
    from harness import catalog

    catalog.require_lm_eval()
    given = list(arguments)
    takes_path = not given or given[0].startswith("-") or given[0] in {"run", "ls", "validate"}
    if takes_path and given and "--include_path" not in given and not {"-h", "--help"} & set(given):
        given += ["--include_path", str(catalog.TASKS)]
    catalog.prepare_lm_eval()
    sys.argv = ["lm_eval", *given]
    library: Any = importlib.import_module("lm_eval.__main__")
    library.cli_evaluate()
