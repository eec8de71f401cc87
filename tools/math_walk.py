"""Follow five answers through the math verifier and print which of its files each one visits.

python tools/math_walk.py
"""

from __future__ import annotations

import functools
import gc
import sys
from pathlib import Path
from types import FrameType

ROOT = Path.cwd()
sys.path.insert(0, str(ROOT))
WALKS = {
    "an integer": (r"So the total is $\boxed{42}$.", "42"),
    "3/4 and 0.75": (r"Hence $\boxed{0.75}$.", r"\frac{3}{4}"),
    "an interval and an inequality": (r"So $\boxed{-2\le x<7}$.", "[-2,7)"),
    "a sentence without a box": ("We add both sides. Therefore, the area is 12.", "12"),
    "a matrix": (r"\[\boxed{\begin{pmatrix}1&2\\3&4\end{pmatrix}}\]", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"),
}


def visited(completion: str, gold: str) -> tuple[bool, list[str]]:
    """The verdict, and the files in which a function is called, in order, with empty caches."""
    from rewardkit.math import judge

    judge(completion, gold)  # modules are imported and patterns compiled at their first use
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and str(one.__module__).startswith("rewardkit.math"):
            one.cache_clear()
    files: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and "/rewardkit/math/" in name:
            files.setdefault(name.split("/rewardkit/math/")[1])

    sys.setprofile(note)
    try:
        equal = judge(completion, gold).equal
    finally:
        sys.setprofile(None)
    return equal, list(files)


def main() -> None:
    for name, (completion, gold) in WALKS.items():
        equal, files = visited(completion, gold)
        print(f"{name}: {len(files)} files, {'equal' if equal else 'DIFFERENT'}\n    {' '.join(files)}")


if __name__ == "__main__":
    main()
