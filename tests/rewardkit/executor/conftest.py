"""Fixtures of the executor's tests."""

import gc

import pytest


@pytest.fixture
def no_gc():
    """No garbage collection: what is in a reference cycle is not freed."""
    gc.disable()
    yield
    gc.enable()
