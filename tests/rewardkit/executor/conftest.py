"""Fixtures of the executor's tests."""

import gc

import pytest


@pytest.fixture
def no_gc():
    """What is in a circle of references stays."""
    gc.disable()
    yield
    gc.enable()
