"""The table in docs/extras.md: each set is resolved with uv, without installing anything, to versions at least as new as the table's."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/extras.md").read_text()
DATE = re.search(r"resolved to on (\d{4}-\d\d-\d\d), for Python (3\.\d+)", PAGE)
_ROW = re.compile(r"^\| (`[^|]+`) \| (yes|no) \| ([^|]*) \|", re.MULTILINE)
_WORD = re.compile(r"`([^`]+)`")
ROWS = [(_WORD.findall(cell), word == "yes", to.strip()) for cell, word, to in _ROW.findall(PAGE)]


def test_the_table_is_read():
    assert DATE is not None
    assert len(ROWS) >= 12
    assert {resolves for _, resolves, _ in ROWS} == {True, False}


def test_every_extra_in_the_table_is_one_of_ours():
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    lists = [names for packages, *_ in ROWS for names in re.findall(r"rewardkit\[(.*?)\]", " ".join(packages))]
    named = {name for names in lists for name in names.split(",")}
    assert named
    assert named <= set(extras)


def uv() -> list[str]:
    """The resolver, from this environment or from the path. pip takes up to half an hour for the same table."""
    beside = Path(sys.executable).parent / "uv"
    found = str(beside) if beside.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("no uv here: pip install uv")
    return [found, "pip", "compile", "--no-header", "--no-annotate", "--no-progress"]


def resolve(packages: list[str]) -> subprocess.CompletedProcess[str]:
    wanted = [re.sub(r"^rewardkit(\[.*?\])?$", rf"rewardkit\1 @ {ROOT.as_uri()}", package) for package in packages]
    command = [*uv(), "--exclude-newer", f"{DATE[1]}T23:59:59Z", "--python-version", DATE[2], "-"]
    if "PIP_INDEX_URL" in os.environ:
        command += ["--default-index", os.environ["PIP_INDEX_URL"]]
    patient = {**os.environ, "UV_HTTP_RETRIES": "10", "UV_HTTP_TIMEOUT": "120"}
    return subprocess.run(command, input="\n".join(wanted), env=patient, capture_output=True, text=True, timeout=900, check=False)  # fmt: skip


@pytest.mark.trainer
@pytest.mark.slow
@pytest.mark.parametrize(("packages", "resolves", "to"), ROWS, ids=[" ".join(packages) for packages, *_ in ROWS])
def test_the_set_resolves_as_the_table_says(packages, resolves, to):
    done = resolve(packages)
    if not resolves:
        assert "No solution found" in done.stderr, done.stdout
        assert to.strip("`") in done.stderr
        return
    assert done.returncode == 0, done.stderr[-2000:]
    versions = dict(line.split("==") for line in done.stdout.splitlines() if "==" in line)
    for name, version in re.findall(
        r"`([^`]+)` ([\d.]+)", to
    ):  # no older one was chosen to make it fit; an index may have newer ones
        assert Version(versions[name]) >= Version(version), f"{name} {versions[name]}"
