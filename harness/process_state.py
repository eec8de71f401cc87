"""What a run changes for its whole process is as before when it ends: a trainer may go on in it."""

import contextlib
import importlib
import os
import random
import sys
from collections.abc import Generator
from typing import Any


@contextlib.contextmanager
def environment(name: str, value: str) -> Generator[None]:
    """An environment variable of this process and those that it starts, meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


@contextlib.contextmanager
def random_states() -> Generator[None]:
    """The random numbers of Python, numpy and torch go on afterwards as if none had been drawn, and no seed set, meanwhile."""
    numpy: Any = importlib.import_module("numpy")
    torch: Any = sys.modules.get("torch")  # without it, nothing here has drawn from it
    states = random.getstate(), numpy.random.get_state()
    devices = range(torch.cuda.device_count()) if torch is not None and torch.cuda.is_initialized() else ()
    try:
        with torch.random.fork_rng(devices) if torch is not None else contextlib.nullcontext():
            yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
