"""Print the numbers of the house: lines, longest files and functions, complexity, import circles, annotations, docstrings.

python tools/house_numbers.py
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PACKAGES = ("sandboxes", "rewardkit", "harness", "trainers")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> None:
    from tools.math_shape import circles

    rows: list[list[str]] = []
    total = 0
    longest: list[tuple[int, str]] = []
    files: list[tuple[int, str]] = []
    graph: dict[str, set[str]] = {}
    modules = {module(path) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    for package in PACKAGES:
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / package).rglob("*.py"))}
        lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in trees}
        found = [(path, function) for path, tree in trees.items() for function in functions(tree)]
        public = [node for tree in trees.values() for node in public_names(tree)]
        rows.append([
            package, f"{sum(lines.values()):,}", str(len(trees)), share(typed(function) for _, function in found),
            share(ast.get_docstring(node) is not None for node in public),
        ])  # fmt: skip
        total += sum(lines.values())
        files += [(count, name(path)) for path, count in lines.items()]
        places = [(function, f"{name(path)}:{function.lineno} {function.name}") for path, function in found]
        longest += [((function.end_lineno or 0) - function.lineno + 1, where) for function, where in places]
        graph |= {module(path): imports(path, tree, modules) for path, tree in trees.items()}
    graph = {key: (targets & modules) - {key} for key, targets in graph.items()}
    print("| package | lines | files | functions with types | public names with docstring |\n|---|--:|--:|--:|--:|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"| all | {total:,} | {len(files)} | | |\n")
    for words, found_places in (
        ("longest file", files),
        ("longest function", longest),
    ):
        count, where = max(found_places)
        print(f"- {words}: {count} ({where})")
    print(f"- highest complexity: {complexity()}")
    print(f"- import circles: {len(circles(graph))}")
    noqa = subprocess.run(
        ["git", "grep", "-c", "noqa", "--", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    print(f"- `noqa`: {sum(int(line.rpartition(':')[2]) for line in noqa.stdout.splitlines())}")


def functions(tree: ast.AST) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def public_names(tree: ast.Module) -> Iterator[Function | ast.ClassDef]:
    """Functions, classes and methods whose names have no underscore."""
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from (
                    inner for inner in node.body if isinstance(inner, Function) and not inner.name.startswith("_")
                )


def typed(function: Function) -> bool:
    """Whether each parameter and the result are annotated."""
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return function.returns is not None and all(arg.annotation or arg.arg in {"self", "cls"} for arg in named)


def complexity() -> str:
    """The most complex function, as ruff counts."""
    command = [
        "ruff",
        "check",
        "--select",
        "C901",
        "--config",
        "lint.mccabe.max-complexity=1",
        "--output-format",
        "json",
        *PACKAGES,
    ]
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    found = [
        (int(re.findall(r"\d+", entry["message"].rpartition("(")[2])[0]), entry)
        for entry in json.loads(done.stdout or "[]")
    ]
    if not found:
        return "not measured: ruff is not installed"
    count, entry = max(found, key=lambda pair: pair[0])
    return f"{count} ({name(Path(entry['filename']))}:{entry['location']['row']})"


def imports(path: Path, tree: ast.Module, modules: set[str]) -> set[str]:
    """Modules that a module imports while it is imported itself."""
    parents = module(path).split(".") if path.name == "__init__.py" else module(path).split(".")[:-1]
    out: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            out |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(
                [
                    *(parents[: len(parents) - node.level + 1] if node.level else []),
                    *([node.module] if node.module else []),
                ]
            )
            inner = {f"{base}.{alias.name}" for alias in node.names}
            out |= inner if inner <= modules else inner | {base}
    return out


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def share(values: Iterator[bool]) -> str:
    found = list(values)
    return f"{100 * sum(found) / len(found):.1f} %"


if __name__ == "__main__":
    main()
