"""Backends by name."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from sandboxes import SandboxUnavailable, open_sandbox, registry
from sandboxes.backends.fake import FakeSandbox

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
