"""The measured process of `math_speed`: judge the rows of a file one by one and print CPU seconds. Imports only ours."""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import sys
import time
from pathlib import Path

import rewardkit.math
from rewardkit.math import judge
from rewardkit.math.patterns import lazy

FIRST = (
    ("The answer is $\\boxed{\\frac{1}{2}}$.", "0.5"),
    ("So \\boxed{x \\in (0, \\infty) \\cup \\{-1\\}}.", "x > 0 \\text{ or } x = -1"),
    ("Thus x = 3 or x = 4.\n\nThe final answer is (3, 4).", "\\{3, 4\\}"),
    ("**Answer:** No, since the sum is odd.", "No"),
)
"""Judged before the clock runs."""


def compile_patterns() -> None:
    """Compile what the verifier compiles at its first use, some 50 ms a process, so that no row pays for it."""
    for module in pkgutil.walk_packages(rewardkit.math.__path__, "rewardkit.math."):
        if not module.name.endswith(".fallback"):  # math-verify in a worker process, which nothing here asks
            importlib.import_module(module.name)
    kind = type(lazy(""))
    for pattern in [value for value in gc.get_objects() if type(value) is kind]:  # also those in tables
        assert hasattr(pattern, "match")


def memory_mb(field: str) -> float:
    """Resident memory now (VmRSS) or at its highest (VmHWM), of this program alone."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    compile_patterns()
    for completion, gold in FIRST:
        judge(completion, gold)
    before = memory_mb("VmRSS")
    seconds: list[float] = []
    with Path(sys.argv[1]).open() as handle:
        for line in handle:
            completion, gold = json.loads(line)
            began = time.process_time()
            judge(completion, gold)
            seconds.append(time.process_time() - began)
    figures = {"before_mb": before, "after_mb": memory_mb("VmRSS"), "peak_mb": memory_mb("VmHWM")}
    print(json.dumps({"seconds": seconds, **figures}))


if __name__ == "__main__":
    main()
