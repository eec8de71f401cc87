"""The sandboxes of these tests. Those marked `docker` fail where there is none: they are only run on demand."""

import shutil

import pytest

from rewardkit.code.shared import use_sandbox


def pytest_collection_modifyitems(items):
    """Skip what needs g++ where there is none. In Docker it is slow: testlib compiles for seconds, in any box the same."""
    for item in items:
        if item.get_closest_marker("cpp"):
            if item.callspec.params.get("sandbox") == "docker":
                item.add_marker("slow")
            if shutil.which("g++") is None:
                item.add_marker(pytest.mark.skip("no g++ on this machine"))


@pytest.fixture(scope="session")
def docker_box():
    """A running Docker sandbox with two workers, one for the whole run."""
    from sandboxes.registry import open_sandbox

    with open_sandbox("docker", workers=2, require_isolation="strong") as sandbox:
        yield sandbox


@pytest.fixture
def docker_sandbox(docker_box):
    """Every code reward of this test runs in Docker."""
    with use_sandbox(docker_box):
        yield docker_box


@pytest.fixture(scope="module", params=["unsafe", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request):
    """Every code reward of this module runs in a sandbox of one worker, without isolation and in Docker in turn."""
    from sandboxes.registry import open_sandbox

    with open_sandbox(request.param, workers=1) as opened, use_sandbox(opened):
        yield opened
