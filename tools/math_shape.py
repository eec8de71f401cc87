"""Measure the math verifier of the current directory: files, lines, imports, functions, patterns, and time by stage.

python tools/math_shape.py [--data DATA_FOLDER]
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path.cwd() / "rewardkit" / "math"
sys.path.insert(0, str(Path.cwd()))
ROWS = 1_500


def modules() -> dict[str, ast.Module]:
    """The syntax trees by module name."""
    found: dict[str, ast.Module] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(("rewardkit", "math", *path.relative_to(PACKAGE).with_suffix("").parts))
        found[name.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(name: str, tree: ast.Module, names: set[str]) -> set[str]:
    """Which modules of the package a module imports while it is imported itself."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner | {node.module}) & names
    return found - {name, "rewardkit.math"}


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules that import each other, by reach."""
    reach = {name: set(targets) for name, targets in graph.items()}
    for middle in graph:
        for name in graph:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    groups: list[set[str]] = []
    for name in graph:
        group = {other for other in reach[name] if name in reach[other]}
        if len(group) > 1 and group not in groups:
            groups.append(group)
    return groups


def floors(graph: dict[str, set[str]]) -> int:
    """Modules in the longest chain of imports, a circle counted as one."""
    member = {name: index for index, group in enumerate(circles(graph)) for name in group}
    depth: dict[str, int] = {}

    def of(name: str, path: frozenset[str]) -> int:
        if name in path:
            return 0
        if name not in depth:
            below = [of(other, path | {name}) for other in graph[name] if member.get(other, -1) != member.get(name, -2)]
            depth[name] = 1 + max(below, default=0)
        return depth[name]

    return max(of(name, frozenset()) for name in graph)


def functions(trees: dict[str, ast.Module]) -> Iterator[tuple[int, str]]:
    """Lines of each function."""
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield (node.end_lineno or node.lineno) - node.lineno + 1, f"{name}.{node.name}"


def patterns() -> Iterator[str]:
    """Every regular expression that a module holds, also in tuples and dictionaries."""
    seen: set[int] = set()

    def inside(value: Any, deep: int) -> Iterator[str]:
        if id(value) in seen or deep > 3:
            return
        seen.add(id(value))
        if isinstance(value, re.Pattern) or type(value).__name__ in {"_Lazy", "Lazy", "LazyPattern"}:
            yield str(value.pattern)
        elif isinstance(value, tuple | list | set | frozenset):
            for one in value:
                yield from inside(one, deep + 1)
        elif isinstance(value, dict):
            for one in value.values():
                yield from inside(one, deep + 1)

    package = importlib.import_module("rewardkit.math")
    for module in pkgutil.walk_packages(package.__path__, "rewardkit.math."):
        for value in list(vars(importlib.import_module(module.name)).values()):
            yield from inside(value, 0)


def alternatives(pattern: str) -> int:
    """Branches of a pattern; a pattern without `|` has one."""
    bare = re.sub(r"\\.|\[[^\]]*\]", "", pattern)
    return 1 + bare.count("|")


def times(data: Path) -> dict[str, float]:
    """Median microseconds of a real completion seen for the first time: reading the answer, and all of it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from benchmarks import math_sets
    from rewardkit.math import extract, judge

    rows = [*math_sets.skythought(data), *math_sets.gsm8k_openai(data), *math_sets.tora(data)]
    rows = rows[:: max(1, len(rows) // ROWS)]
    boxed, plain = (
        [row for row in rows if "\\boxed" in row.completion],
        [r for r in rows if "\\boxed" not in r.completion],
    )
    for row in rows[:200]:
        judge(row.completion + " ", row.gold)
    found: dict[str, float] = {}
    for name, chosen in (("with a box", boxed[100:]), ("without a box", plain[100:])):
        reading = [_timed(lambda row=row: extract(row.completion)) for row in chosen]
        whole = [_timed(lambda row=row: judge(row.completion + "\n", row.gold)) for row in chosen]
        found[f"{name}: reading"] = statistics.median(reading)
        found[f"{name}: reading and comparing"] = statistics.median(whole)
    return found


def _timed(call: Any) -> float:
    began = time.process_time_ns()
    call()
    return (time.process_time_ns() - began) / 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of real completions, for the times")
    args = parser.parse_args()
    trees = modules()
    names = set(trees)
    graph = {name: imports(name, tree, names) for name, tree in trees.items()}
    lines = {name: len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py") for name in [path.stem]}
    total = sum(len(path.read_text().splitlines()) for path in PACKAGE.rglob("*.py"))
    longest, where = max(functions(trees))
    found = list(patterns())
    print(f"lines: {total:,}\nfiles: {len(trees)}\nfloors: {floors(graph)}")
    print(f"circles: {[len(group) for group in circles(graph)]}")
    print(f"longest file: {max(lines.values())} ({max(lines, key=lambda name: lines[name])})")
    print(f"longest function: {longest} ({where})")
    print(f"patterns: {len(found)}, alternatives: {sum(map(alternatives, found)):,}")
    if args.data is not None:
        for name, value in times(args.data).items():
            print(f"{name}: {value:.0f} us")


if __name__ == "__main__":
    main()
