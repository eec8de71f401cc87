"""A Docker sandbox for the tests marked `docker`: one for the whole run."""

import pytest

from rewardkit.code.shared import use_sandbox


@pytest.fixture(scope="session")
def docker_box():
    """A running Docker sandbox with two workers. These tests fail where there is none: they are only run on demand."""
    from sandboxes.registry import open_sandbox

    with open_sandbox("docker", workers=2, require_isolation="strong") as sandbox:
        yield sandbox


@pytest.fixture
def docker_sandbox(docker_box):
    """Every code reward of this test runs in Docker."""
    with use_sandbox(docker_box):
        yield docker_box
