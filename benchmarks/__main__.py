"""Run one benchmark again: `python -m benchmarks NAME [ARGS]`. Without a name, list them."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
HIDDEN = {
    "__main__",
    "_common",
    "code_languages",
    "code_speed_peer",
    "math_peers",
    "math_sets",
    "math_worker",
    "audit_sets",
}
"""Parts of others."""


def names() -> list[str]:
    """The benchmarks that can be run."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in HIDDEN)


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in names():
        for known in names():
            print(f"{known:<22}{_first_line(known)}")
        return 0 if not name else 2
    if "--help" in sys.argv and "argparse" not in (source := _source(name)):
        print(_docstring(source))
        return 0
    sys.argv = [str(FOLDER / f"{name}.py"), *sys.argv[2:]]
    sys.path[:0] = [str(FOLDER.parent), str(FOLDER)]
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    return 0


def _first_line(name: str) -> str:
    return _docstring(_source(name)).split("\n")[0]


def _source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def _docstring(source: str) -> str:
    return source.split('"""')[1].strip()


if __name__ == "__main__":
    sys.exit(main())
