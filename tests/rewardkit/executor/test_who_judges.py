"""The table of CONTRIBUTING that says who judges rows names every user of the executor, and no one else."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGES = ("sandboxes", "rewardkit", "harness", "trainers")


def users() -> dict[str, set[str]]:
    """Each module that imports `Executor`, `executor_for` or `judge`, and which."""
    found: dict[str, set[str]] = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and re.match(r"rewardkit\.(executor|judging)\b", node.module or ""):
                names = {name.name for name in node.names} & {"Executor", "executor_for", "judge"}
                if names and not module.startswith("rewardkit.executor"):
                    found.setdefault(module, set()).update(names)
    return found


def documented() -> dict[str, set[str]]:
    """The same, as the table says."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]* \| (`[^|]*`) \| `(judge|executor_for|Executor)` \|$", text, re.MULTILINE)
    return {module: {name} for modules, name in rows for module in re.findall(r"`([\w.]+)`", modules)}


@pytest.mark.long
def test_the_table_names_every_user_of_the_executor():
    assert documented() == users()
