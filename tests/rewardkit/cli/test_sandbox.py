"""`rewardkit sandbox` without a daemon, and with one."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

import sandboxes
from sandboxes.backends import docker_api, docker_image
from sandboxes.backends.docker_api import DockerError
from sandboxes.backends.docker_image import image_name
from sandboxes.errors import SandboxError
from sandboxes.selfcheck import Check


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
    assert done.code == 2
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


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), ("python", "auto", None)),
        (("full", "--method", "debootstrap", "--mirror", "http://deb"), ("full", "debootstrap", "http://deb")),
    ],
)
def test_building_prints_the_image_alone_and_talks_on_stderr(cli, monkeypatch, words, asked):
    told = []

    def build(*, image, method, mirror, say):
        told.append((image, method, mirror))
        say("pulling")
        return "the-image:1"

    monkeypatch.setattr(docker_image, "build", build)
    done = cli("sandbox", "build", *words)
    assert (done.code, done.out, done.err, told) == (0, "the-image:1\n", "pulling\n", [asked])
    assert cli("sandbox", "build", "ruby").code == 2
    assert len(told) == 1


@pytest.mark.parametrize("error", [SandboxError("lost"), DockerError(500, "lost")])
def test_building_that_fails_says_so_in_one_line(cli, monkeypatch, error):
    def build(**_):
        raise error

    monkeypatch.setattr(docker_image, "build", build)
    done = cli("sandbox", "build")
    assert (done.code, done.out, "lost" in done.err, len(done.err.splitlines())) == (4, "", True, 1)


@pytest.mark.parametrize(
    ("outcomes", "code", "said"),
    [
        ((True, True), 0, "2 of 2 checks passed, isolation weak"),
        ((True, None), 0, "1 of 1 checks passed, 1 skipped, isolation weak"),
        ((True, False, None), 4, "1 of 2 checks passed, 1 skipped, isolation weak"),
    ],
)
def test_a_failed_check_is_exit_code_4_and_one_that_was_not_asked_is_not(cli, monkeypatch, outcomes, code, said):
    checks = [Check(f"c{place}", passed, "why") for place, passed in enumerate(outcomes)]
    monkeypatch.setattr(sandboxes, "selfcheck", lambda opened: checks)
    monkeypatch.setattr(sandboxes, "open_sandbox", lambda *_, **__: nullcontext(SimpleNamespace(isolation="weak")))
    done = cli("sandbox", "check")
    words = {True: "ok      c{}", False: "FAILED  c{}: why", None: "skipped c{}: why"}
    assert done.out.splitlines() == [words[passed].format(place) for place, passed in enumerate(outcomes)]
    assert (done.code, done.err.splitlines()[0]) == (code, said)
    assert ("error: 1 of 2 checks failed" in done.err) == (code == 4)


class Daemon:
    """Docker with two boxes and an image."""

    def containers(self, label):
        return [
            {"Id": "0123456789abcdef", "State": "running", "Labels": {"rewardkit.run": "r"}},
            {"Id": "b" * 64, "State": "exited", "Labels": {}},
        ]

    def remove(self, container):
        pass

    def request(self, method, path, *, query=None):
        return [{"Id": "i"}] if method == "GET" else None


def test_boxes_that_run_are_listed_and_all_of_them_removed(cli, no_docker, monkeypatch):
    monkeypatch.setattr(docker_api, "DockerApi", Daemon)
    assert json.loads(cli("sandbox", "list", "--json").out)["boxes"] == [
        {"id": "0123456789ab", "state": "running", "run": "r"}, {"id": "b" * 12, "state": "exited", "run": ""},
    ]  # fmt: skip
    assert "box 0123456789ab  running  run r\n" in cli("sandbox", "list").out
    assert cli("sandbox", "clean").err == "removed 2 boxes\n"
    assert cli("sandbox", "clean", "--image").err == "removed 2 boxes\nremoved 1 images\n"


@pytest.mark.docker
def test_building_again_changes_nothing_and_names_the_image(cli):
    done = cli("sandbox", "build")
    assert done.code == 0
    assert done.out == f"{image_name('python')}\n"
    assert "up to date" in done.err


@pytest.mark.docker
@pytest.mark.slow
def test_the_contract_is_checked_from_the_command_line(cli):
    done = cli("sandbox", "check", "docker")
    assert done.code == 0, done.out
    assert "FAILED" not in done.out
    assert "isolation strong" in done.err


@pytest.mark.parametrize("name", ["nosuch", "remote", "docker(workers", "docker(nosuch=1)", "./none.py:Box"])
def test_a_sandbox_that_is_none_is_an_error_in_the_command(cli, name):
    done = cli("sandbox", "check", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1
