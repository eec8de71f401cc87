"""`rewardkit sandbox` without a daemon, and with one."""

import json

import pytest

from sandboxes.backends.docker_image import image_name


@pytest.fixture
def no_docker(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    monkeypatch.setenv("PATH", str(tmp_path))


def test_building_without_docker_is_one_line_with_the_cure(cli, no_docker):
    done = cli("sandbox", "build")
    assert done.code == 4
    assert done.out == ""
    assert done.err.startswith("error: Docker at unix://")
    assert "install and start Docker" in done.err
    assert len(done.err.splitlines()) == 1


def test_the_list_says_what_does_not_work_and_why(cli, no_docker):
    done = cli("sandbox", "list", "--json")
    assert done.code == 0
    rows = {row["name"]: row for row in json.loads(done.out)["sandboxes"]}
    assert not rows["docker"]["works"]
    assert "install and start Docker" in rows["docker"]["detail"]
    assert not rows["local"]["works"]
    assert "--sandbox unsafe" in rows["local"]["detail"]
    assert rows["unsafe"]["isolation"] == "none"


def test_checking_what_is_not_there_is_one_line(cli, no_docker):
    done = cli("sandbox", "check", "docker")
    assert done.code == 4
    assert "error: " in done.err


def test_an_unknown_sandbox_lists_the_known_ones(cli):
    done = cli("sandbox", "check", "podrun")
    assert done.code == 4
    assert "choose one of: docker, local" in done.err


MINE = """
from sandboxes import Sandbox

class MyBox(Sandbox):
    name = "mine"
    isolation = "none"
    def __init__(self, *, workers=None): pass
    def submit(self, jobs, *, stop=None): raise RuntimeError("boom")
    def close(self): pass
"""


def test_a_backend_of_a_file_that_raises_fails_every_check_that_is_asked_of_it(cli, tmp_path):
    (tmp_path / "mybox.py").write_text(MINE)
    done = cli("sandbox", "check", f"{tmp_path}/mybox.py:MyBox")
    words = [line.split()[0] for line in done.out.splitlines()]
    assert done.code == 4
    assert set(words) == {"FAILED", "skipped"}
    assert f"0 of {words.count('FAILED')} checks passed, {words.count('skipped')} skipped, isolation none" in done.err
    assert done.out.count("RuntimeError: boom") == words.count("FAILED")


@pytest.mark.docker
def test_building_again_changes_nothing_and_names_the_image(cli):
    done = cli("sandbox", "build")
    assert done.code == 0
    assert done.out == f"{image_name('python')}\n"
    assert "up to date" in done.err


@pytest.mark.docker
def test_the_contract_is_checked_from_the_command_line(cli):
    done = cli("sandbox", "check", "docker")
    assert done.code == 0, done.out
    assert "FAILED" not in done.out
    assert "isolation strong" in done.err
