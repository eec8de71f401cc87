"""A pool of toy boxes, which is closed at the end of its test."""

import pytest
from toy_pool import Factory

from sandboxes.pool import Pool


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
