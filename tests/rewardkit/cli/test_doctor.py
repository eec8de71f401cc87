"""`rewardkit doctor`: what works, and how to fix what does not."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from rewardkit import run
from rewardkit.cli import doctor

SANDBOXES = [
    {"name": "docker", "works": True, "isolation": "strong", "detail": "fine"},
    {"name": "local", "works": False, "isolation": "", "detail": "no bwrap"},
]


PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
EXTRAS = {
    name: [Requirement(text) for text in texts]
    for name, texts in PROJECT["optional-dependencies"].items()
    if name not in {"all", "test", "dev", "docs"}
}


@pytest.fixture
def installed(monkeypatch):
    """The packages that are installed, with their versions; sandboxes as told."""
    found = {"ray": "2.60", "jinja2": "3.1"}

    def version(package):
        if package not in found:
            raise PackageNotFoundError(package)
        return found[package]

    monkeypatch.setattr(run, "version", version)
    monkeypatch.setattr(doctor, "import_ours", lambda name: SimpleNamespace(diagnose=lambda: SANDBOXES))
    monkeypatch.setattr(doctor, "overwritten_files", list)
    return found


def test_every_extra_is_shown_with_what_works_or_how_to_install_it(cli, installed):
    facts = json.loads(cli("doctor", "--json").out)
    extras = {row["extra"]: row for row in facts["extras"]}
    assert set(extras) == set(EXTRAS)
    assert extras["ray"] == {"extra": "ray", "works": True, "detail": "ray 2.60"}
    assert extras["parquet"] == {"extra": "parquet", "works": False, "detail": "pip install 'rewardkit[parquet]'"}
    assert facts["sandboxes"] == SANDBOXES
    assert (facts["overwritten"], "exact" in facts["rewards"]) == ([], True)


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_works_where_all_its_packages_are_new_enough(extra, installed):
    oldest = {
        one.name: next(spec.version for spec in one.specifier if ">" in spec.operator)
        for one in EXTRAS[extra]
        if one.name != "rewardkit"
    }
    installed |= oldest
    assert doctor._extra(extra)["works"]
    for name in oldest:
        for held in (None, "0.0.1"):
            installed |= oldest
            installed.pop(name) if held is None else installed.update({name: held})
            found = doctor._extra(extra)
            assert not found["works"]
            assert (name in found["detail"].partition("]'")[2]) == (len(EXTRAS[extra]) > 1)


def test_people_get_a_table_and_exit_code_0_whatever_works(cli, installed):
    done = cli("doctor")
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert ["docker", "yes", "strong", "fine"] in lines
    assert ["local", "no", "-", "no", "bwrap"] in lines
    assert ["ray", "yes", "ray", "2.60"] in lines
    assert "overwritten" not in done.out


def test_overwritten_files_are_named_with_the_fix(cli, installed, monkeypatch):
    monkeypatch.setattr(doctor, "overwritten_files", lambda: ["harness/a.py", "harness/b.py", "trainers/c.py"])
    monkeypatch.setattr(doctor, "reinstall_hint", lambda tops: f"reinstall [{' '.join(tops)}]")
    out = " ".join(cli("doctor").out.split())
    assert "overwritten by another package: harness/a.py, harness/b.py, trainers/c.py" in out
    assert "fix: reinstall [harness trainers]" in out
