"""`~` in paths, also for a user without a home folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from rewardkit.paths import expanded
from sandboxes import SandboxUnavailable
from sandboxes.backends import docker_api


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user that no password file knows, as in containers that run under any number."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 54321)


def test_a_home_folder_is_put_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expanded("~/a") == tmp_path / "a"
    assert expanded(Path("b")) == Path("b")


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("path", ["~", "~/a", "~nobody-of-this-name/a"])
def test_where_there_is_none_the_path_stays_as_it_is(path: str) -> None:
    assert expanded(path) == Path(path)


@pytest.mark.usefixtures("homeless")
def test_without_a_home_docker_is_looked_for_in_the_other_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(docker_api.Path, "is_socket", lambda _: False)
    with pytest.raises(SandboxUnavailable, match="no Docker socket found"):
        docker_api.find_host()
