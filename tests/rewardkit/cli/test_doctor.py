"""`rewardkit doctor`: what works, and how to fix what does not."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from rewardkit.cli import doctor

SANDBOXES = [
    {"name": "docker", "works": True, "isolation": "strong", "detail": "fine"},
    {"name": "local", "works": False, "isolation": "", "detail": "no bwrap"},
]


@pytest.fixture
def installed(monkeypatch):
    """The packages that are installed, with their versions; sandboxes as told."""
    found = {"ray": "2.40", "jinja2": "3.1"}

    def version(package):
        if package not in found:
            raise PackageNotFoundError(package)
        return found[package]

    monkeypatch.setattr(doctor, "version", version)
    monkeypatch.setattr(doctor, "import_ours", lambda name: SimpleNamespace(diagnose=lambda: SANDBOXES))
    monkeypatch.setattr(doctor, "overwritten_files", list)
    return found


def test_an_extra_works_where_all_its_packages_are_and_else_is_installed_by_a_line(cli, installed):
    facts = json.loads(cli("doctor", "--json").out)
    extras = {row["extra"]: row for row in facts["extras"]}
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert set(extras) == set(project["optional-dependencies"]) - {"all", "test", "dev", "docs"}
    assert extras["ray"] == {"extra": "ray", "works": True, "detail": "ray 2.40"}
    assert extras["parquet"] == {"extra": "parquet", "works": False, "detail": "pip install 'rewardkit[parquet]'"}
    for name, packages in doctor.EXTRAS.items():
        installed.update(dict.fromkeys(packages, "1"))
        assert doctor._extra(name, packages)["works"]
        del installed[packages[0]]
        assert not doctor._extra(name, packages)["works"]
    assert facts["sandboxes"] == SANDBOXES
    assert (facts["overwritten"], "exact" in facts["rewards"]) == ([], True)


def test_people_get_a_table_and_exit_code_0_whatever_works(cli, installed):
    done = cli("doctor")
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert ["docker", "yes", "strong", "fine"] in lines
    assert ["local", "no", "-", "no", "bwrap"] in lines
    assert ["ray", "yes", "ray", "2.40"] in lines
    assert "overwritten" not in done.out


def test_overwritten_files_are_named_with_the_fix(cli, installed, monkeypatch):
    monkeypatch.setattr(doctor, "overwritten_files", lambda: ["harness/a.py", "harness/b.py", "trainers/c.py"])
    monkeypatch.setattr(doctor, "reinstall_hint", lambda tops: f"reinstall [{' '.join(tops)}]")
    out = " ".join(cli("doctor").out.split())
    assert "overwritten by another package: harness/a.py, harness/b.py, trainers/c.py" in out
    assert "fix: reinstall [harness trainers]" in out
