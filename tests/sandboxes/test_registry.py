"""Backends by name."""

import contextlib
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sandboxes import Job, SandboxError, SandboxUnavailable, open_sandbox, registry, selfcheck
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import STRENGTH

ROOT = Path(__file__).parents[2]


def test_our_backends_are_registered_as_anyones():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["rewardkit.sandboxes"] == registry.OURS
    for name, target in registry.OURS.items():
        assert callable(EntryPoint(name, target, registry.GROUP).load())


@pytest.mark.parametrize("name", ["nowhere", "remote", "remote:", "docker:x", "local:", "unsafe:now", ""])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(SandboxUnavailable, match=r"no sandbox .*docker, local, remote:URL, unsafe"):
        open_sandbox(name)


def test_a_backend_of_ones_own_is_found_and_gets_what_follows_the_colon(monkeypatch):
    seen = []

    def make(*address, **options):
        seen.append((address, options))
        return FakeSandbox(lambda job: None)

    class Mine:
        name = "mine"

        def load(self):
            return make

    def found(*, group, name=None):
        assert group == "rewardkit.sandboxes"
        return [Mine()] if name in ("mine", None) else []

    monkeypatch.setattr(registry, "entry_points", found)
    for name in ("mine", "mine:there"):
        open_sandbox(name, workers=3, colour="red").close()
    assert seen == [((), {"workers": 3, "colour": "red"}), (("there",), {"workers": 3, "colour": "red"})]
    with pytest.raises(SandboxUnavailable, match="mine"):
        open_sandbox("yours")


@pytest.mark.parametrize("option", ["workers", "name", "backend", "kind", "address", "options"])
def test_an_option_of_any_name_reaches_the_backend_and_one_given_apart_goes_first(option, monkeypatch):
    seen = []
    monkeypatch.setattr(registry, "_find", lambda kind: Opens(seen))
    open_sandbox(f"mine({option}=2)").close()
    assert seen == [{"workers": None, option: 2}]
    open_sandbox("mine(workers=2)", workers=3).close()
    assert seen[1:] == [{"workers": 3}]


def test_a_program_that_ends_says_so(monkeypatch):
    def find(_kind):
        raise RuntimeError("can't register atexit after shutdown")

    monkeypatch.setattr(registry, "_find", find)
    with pytest.raises(SandboxError, match="wait for the jobs before the program ends"):
        open_sandbox("docker")


def test_options_stand_in_the_name(monkeypatch):
    seen = []
    monkeypatch.setattr(registry, "_find", lambda kind: seen.append(kind) or Opens(seen))
    open_sandbox('docker(image="full", memory_mb=2048)', workers=2, runtime="runsc").close()
    assert seen == ["docker", {"image": "full", "memory_mb": 2048, "runtime": "runsc", "workers": 2}]


class Opens:
    def __init__(self, seen):
        self.seen = seen

    def load(self):
        return lambda **options: self.seen.append(options) or FakeSandbox(lambda job: None)


@pytest.mark.parametrize(
    "name", ["docker(", "docker(image)", "docker('full')", "docker(image=open('x'))", "docker(**{})", "docker()x"]
)
def test_options_that_cannot_be_read_are_one_line(name):
    with pytest.raises(SandboxUnavailable, match=r"unreadable sandbox|no sandbox"):
        open_sandbox(name)


def test_an_unknown_option_lists_the_known_ones():
    with pytest.raises(SandboxUnavailable, match=r"no option 'imagee'; it has: .*image.*runtime"):
        open_sandbox("docker(imagee='full')")


def test_a_backend_from_a_file(tmp_path):
    file = tmp_path / "mybox.py"
    file.write_text(
        "from sandboxes.backends.fake import FakeSandbox\nfrom sandboxes import Execution\n"
        "def MyBox(*, workers=None, answer='1'):\n"
        "    return FakeSandbox(lambda job: Execution(exit_code=0, stdout=answer.encode()))\n"
    )
    with open_sandbox(f"{file}:MyBox(answer='7')") as opened:
        assert opened.run([Job(program="")])[0].stdout == b"7"
    with pytest.raises(SandboxUnavailable, match="defines no 'YourBox'"):
        open_sandbox(f"{file}:YourBox")
    with pytest.raises(SandboxUnavailable, match="no file"):
        open_sandbox(f"{tmp_path}/none.py:MyBox")


def test_a_backend_that_raises_fails_the_check():
    def raises(job):
        raise ZeroDivisionError("broken")

    with FakeSandbox(raises) as broken:
        checks = selfcheck(broken)
    assert {check.passed for check in checks} == {False}
    assert checks[0].detail == "ZeroDivisionError: broken"


@pytest.mark.parametrize("given", STRENGTH)
@pytest.mark.parametrize("required", [None, *STRENGTH])
def test_a_sandbox_is_refused_where_it_is_weaker_than_required_and_nowhere_else(given, required):
    weaker = required is not None and STRENGTH[given] < STRENGTH[required]
    with pytest.raises(SandboxUnavailable, match="is required") if weaker else contextlib.nullcontext():
        registry.check_isolation("toy", given, required)


def test_strong_is_more_than_weak_and_weak_more_than_none():
    assert sorted(["strong", "none", "weak"], key=STRENGTH.__getitem__) == ["none", "weak", "strong"]
    assert len(set(STRENGTH.values())) == 3
