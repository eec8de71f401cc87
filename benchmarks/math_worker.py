"""The measured process of `math_speed`: judge the rows of a file one by one and print CPU seconds. Imports only ours."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from rewardkit.math import judge


def memory_mb(field: str) -> float:
    """Resident memory now (VmRSS) or at its highest (VmHWM), of this program alone."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    judge("The answer is $\\boxed{\\frac{1}{2}}$.", "0.5")
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
