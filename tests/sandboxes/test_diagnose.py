"""What `rewardkit doctor` says of each sandbox: whether one small program runs in it, and if not, why in one line."""

from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace

import pytest

from sandboxes import Execution, SandboxUnavailable, diagnose

MODULE = import_module("sandboxes.diagnose")  # `sandboxes.diagnose` is the function
FACTS = {"name": "x", "isolation": "weak", "lost": 0, "version": "1.2", "memory": "ok"}


@pytest.fixture
def found(monkeypatch):
    """Diagnose with sandboxes that run the program with this result, or cannot be opened."""

    def call(result, named=""):
        @contextmanager
        def opened(name, workers):
            if isinstance(result, Exception):
                raise result
            yield SimpleNamespace(isolation="weak", run=lambda jobs: [result for _ in jobs], facts=lambda: FACTS)

        monkeypatch.setenv("REWARDKIT_SANDBOX", named)
        monkeypatch.setattr(MODULE, "open_sandbox", opened)
        return diagnose()

    return call


UNSAFE = {
    "name": "unsafe",
    "works": True,
    "isolation": "none",
    "detail": "plain processes, used only when asked for by name",
}


def test_a_sandbox_that_works_tells_its_facts(found):
    row = {"works": True, "isolation": "weak", "detail": "version 1.2, memory ok"}
    assert found(Execution(exit_code=0, stdout=b"42\n")) == [
        {"name": "docker", **row},
        {"name": "local", **row},
        UNSAFE,
    ]


@pytest.mark.parametrize("result", [Execution(exit_code=0, stdout=b"41\n"), Execution(exit_code=1)])
def test_a_sandbox_whose_program_fails_does_not_work(found, result):
    docker, local, unsafe = found(result)
    assert not docker["works"]
    assert local["detail"] == f"a test program {result.describe()}"
    assert unsafe == UNSAFE


@pytest.mark.parametrize("error", [SandboxUnavailable("no daemon;\n start  it"), OSError("no daemon; start it")])
def test_a_sandbox_that_cannot_be_opened_says_why_in_one_line(found, error):
    assert found(error) == [
        {"name": "docker", "works": False, "isolation": "strong", "detail": "no daemon; start it"},
        {"name": "local", "works": False, "isolation": "weak", "detail": "no daemon; start it"},
        UNSAFE,
    ]


@pytest.mark.parametrize(
    ("named", "more"),
    [("", []), ("auto", []), ("docker", []), ("unsafe", []), ("remote:http://h", ["remote:http://h"])],
)
def test_the_sandbox_that_the_environment_names_is_tried_too(found, named, more):
    rows = found(OSError("none"), named)
    assert [row["name"] for row in rows] == ["docker", "local", *more, "unsafe"]
    assert {row["isolation"] for row in rows[2:]} == {"none"}
