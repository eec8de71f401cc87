"""The measured process of `math_speed`: judge the rows of a file one by one and print CPU seconds. Imports only ours."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from rewardkit.math import judge

FIRST = (
    ("The answer is $\\boxed{\\frac{1}{2}}$.", "0.5"),
    ("It is not \\boxed{3}, it is $\\boxed{4}$ or 5.\n\nCorrection: it is 6.", "4"),
    ("Therefore, the area is 12 square meters, because the side is 3.", "12"),
    ("Thus x = 3 or x = 4.\n\nThe final answer is (3, 4).", "\\{3, 4\\}"),
    ("**Answer:** No, since the sum is odd.", "No"),
    ("So \\boxed{\\text{five and a half hours}}.", "5.5\\text{ h}"),
    ("So \\boxed{x \\in (0, \\infty) \\cup \\{-1\\}}.", "x > 0 \\text{ or } x = -1"),
    ("So \\boxed{\\begin{pmatrix} 1 & \\sqrt{2} \\\\ a & b \\end{pmatrix}}.", "3"),
    ("So \\boxed{y = \\sin x + C, \\quad x \\in \\mathbb{R}}.", "y = C + \\sin x"),
    ("So \\boxed{25\\%}.", "1/4"),
    ("So \\boxed{\\$1{,}200 \\text{ per month}}.", "1200"),
)
"""Patterns are compiled at their first use, some 30 ms once a process: one text of each kind is judged before the clock runs."""


def memory_mb(field: str) -> float:
    """Resident memory now (VmRSS) or at its highest (VmHWM), of this program alone."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
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
