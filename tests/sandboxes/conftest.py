"""What the tests of sandboxes share: one sandbox of each kind, and a pool of toy boxes, which is closed at the end of its test."""

import shutil

import pytest
from toy_pool import Factory

from sandboxes import open_sandbox
from sandboxes.pool import Pool


@pytest.fixture(scope="module", params=[pytest.param("docker", marks=pytest.mark.docker), "local", "unsafe"])
def sandbox(request):
    if request.param == "local" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with open_sandbox(request.param, workers=1) as opened:
        yield opened


@pytest.fixture
def make_pool():
    pools = []

    def make(script=lambda box, job: None, workers=1, spares=1):
        factory = Factory(script)
        pool = Pool(factory, workers=workers, spares=spares)
        pools.append((pool, factory))
        return pool, factory

    yield make
    for pool, factory in pools:
        pool.close()
        assert all(box.closed for box in factory.boxes)
