"""Print the numbers of the house: lines, longest files and functions, complexity, import circles, annotations, docstrings.

python tools/house_numbers.py [--write]     --write puts them into CONTRIBUTING.md
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PACKAGES = ("sandboxes", "rewardkit", "harness", "trainers")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = TypeVar("Node")
Places = list[tuple[int, str]]
"""A number of lines, and of what."""
TABLE = re.compile(r"(?<=<!-- printed by tools/house_numbers.py -->\n).*?(?=\n\n)", re.DOTALL)


def main() -> None:
    words = table()
    print(words)
    if "--write" in sys.argv:
        page = ROOT / "CONTRIBUTING.md"
        page.write_text(TABLE.sub(lambda _: words, page.read_text(encoding="utf-8")), encoding="utf-8")


def table() -> str:
    from tools.math_shape import circles

    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sources()}
    lines = {package: sum(count for count, where in files() if where.startswith(f"{package}/")) for package in PACKAGES}
    typing = {package: share(typed(each) for each in parts(trees, package, functions)) for package in PACKAGES}
    public = {package: share(map(has_docstring, parts(trees, package, public_names))) for package in PACKAGES}
    modules = {module(path) for path in trees}
    graph = {module(path): (imports(path, tree, modules) & modules) - {module(path)} for path, tree in trees.items()}
    noqa = subprocess.run(
        ["git", "grep", "-c", "noqa", "--", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    rows = [
        ("package", *PACKAGES, "all"),
        ("---", *(["--:"] * 5)),
        ("lines", *(f"{lines[package]:,}" for package in PACKAGES), f"{sum(lines.values()):,}"),
        ("functions with complete types", *typing.values(), ""),
        ("public names with a docstring", *public.values(), ""),
        ("longest file", *("",) * 4, named(files())),
        ("longest function (at most 60 lines)", *("",) * 4, named(function_lengths())),
        ("highest complexity (ruff's count; at most 20)", *("",) * 4, complexity()),
        ("import circles", *("",) * 4, str(len(circles(graph)))),
        ("lines with `noqa`", *("",) * 4, str(sum(int(line.rpartition(":")[2]) for line in noqa.stdout.splitlines()))),
    ]
    return "\n".join(f"| {' | '.join(row)} |".replace("  ", " ") for row in rows)


def sources() -> list[Path]:
    """The modules of all packages."""
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def files() -> Places:
    """Lines of each module."""
    return [(len(path.read_text(encoding="utf-8").splitlines()), name(path)) for path in sources()]


def function_lengths() -> Places:
    """Lines of each function, without its decorators."""
    return [
        ((function.end_lineno or 0) - function.lineno + 1, f"{name(path)}:{function.lineno} {function.name}")
        for path in sources()
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
    ]


def named(places: Places) -> str:
    count, where = max(places)
    return f"{count} ({where})"


def parts(trees: dict[Path, ast.Module], package: str, of: Callable[[ast.Module], Iterable[Node]]) -> Iterator[Node]:
    """What the trees of one package hold."""
    for path, tree in trees.items():
        if path.is_relative_to(ROOT / package):
            yield from of(tree)


def has_docstring(node: Function | ast.ClassDef) -> bool:
    return ast.get_docstring(node) is not None


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
    beside = Path(sys.executable).with_name("ruff")
    ruff = str(beside) if beside.exists() else shutil.which("ruff")
    if ruff is None:
        return "not measured: ruff is not installed"
    limit = ["--select", "C901", "--config", "lint.mccabe.max-complexity=1", "--output-format", "json"]
    done = subprocess.run([ruff, "check", *limit, *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=False)
    found = [
        (int(re.findall(r"\d+", entry["message"].rpartition("(")[2])[0]), entry)
        for entry in json.loads(done.stdout or "[]")
    ]
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
