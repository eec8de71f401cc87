"""Tests run in processes of their own only if each process finds the same tests in the same order."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_order_of_tests_does_not_depend_on_the_hash_seed():
    assert collected("1") == collected("4") == collected("7")


def collected(seed):
    """The ids of all tests, as one process with this seed finds them."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTEST_ADDOPTS": ""}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "-m",
        "",
        "-W",
        "ignore",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    found = [line for line in done.stdout.splitlines() if "::" in line]
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return found
