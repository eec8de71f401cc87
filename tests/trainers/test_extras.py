"""The table in docs/extras.md: each set is resolved with pip, without installing anything."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (`[^|]+`) \| (yes|no) \|", re.MULTILINE)
ROWS = [
    (re.findall(r"`([^`]+)`", cell), word == "yes")
    for cell, word in _ROW.findall((ROOT / "docs/extras.md").read_text())
]


def test_the_table_is_read():
    assert len(ROWS) >= 7
    assert {resolves for _, resolves in ROWS} == {True, False}


def test_every_extra_in_the_table_is_one_of_ours():
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    lists = [names for packages, _ in ROWS for names in re.findall(r"rewardkit\[(.*?)\]", " ".join(packages))]
    named = {name for names in lists for name in names.split(",")}
    assert named
    assert named <= set(extras)


@pytest.mark.trainer
@pytest.mark.slow
@pytest.mark.parametrize(("packages", "resolves"), ROWS, ids=[" ".join(packages) for packages, _ in ROWS])
def test_the_set_resolves_as_the_table_says(packages, resolves):
    wanted = [package.replace("rewardkit[", f"{ROOT}[") for package in packages]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--quiet",
        "--ignore-installed",
        "torch==2.13.0",
        *wanted,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    if resolves:
        assert done.returncode == 0, done.stderr[-2000:]
    else:
        assert "ResolutionImpossible" in done.stderr or "conflict" in done.stderr, done.stderr[-2000:]
