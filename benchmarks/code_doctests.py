"""Whether the code judge agrees with plain Python on the doctests of a collection of programs, read as tests that are programs.

    python -m benchmarks.code_doctests CHECKOUT [--sandbox docker] [--out FILE]

CHECKOUT is a folder of programs that import nothing but the standard library, such as a clone of TheAlgorithms/Python. Each docstring with
doctests becomes one row: `>>> f(1)` with `3` below is `assert f(1) == 3`, an expected traceback is a `try`. Plain Python runs the same text
beside the program, in a process of its own. Rows that differ are listed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import os
import signal
import sys
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks._common import machine, table, today, version
from rewardkit import Sample
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from sandboxes import open_sandbox

MODULES = sys.stdlib_module_names - {"tkinter", "urllib", "http", "socket", "subprocess", "multiprocessing", "turtle"}
LIMIT_S = 8


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The name, tests and program of each docstring."""
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8", errors="replace")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        if "```" in source or not _imports(tree) <= MODULES:
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                tests = _asserts(ast.get_docstring(node) or "")
                if "assert" in tests:
                    yield f"{path.relative_to(folder)}:{getattr(node, 'name', '')}", tests, source


def _imports(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("" if node.level else str(node.module).partition(".")[0])
    return found


def _asserts(docstring: str) -> str:
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return ""
    lines: list[str] = []
    for example in examples:
        if doctest.SKIP not in example.options:
            try:
                ast.parse(example.source)
            except SyntaxError:  # what follows may need it
                break
            lines.append(_assert(example))
    return "\n".join(lines)


def _assert(example: doctest.Example) -> str:
    source, wanted = example.source.rstrip("\n"), example.want.rstrip("\n")
    if example.exc_msg is not None:
        name = example.exc_msg.partition(":")[0].strip().rpartition(".")[2]
        body = "\n".join(f"    {line}" for line in source.split("\n"))
        caught = f"except Exception as error_:\n    assert type(error_).__name__ == {name!r}"
        return f"try:\n{body}\n{caught}\nelse:\n    raise AssertionError('nothing is raised')"
    body = ast.parse(source).body
    if not wanted or "..." in wanted or len(body) != 1 or not isinstance(body[0], ast.Expr):
        return source
    value = body[0].value
    match value:
        case ast.Call(func=ast.Name(id="print"), args=[only], keywords=[]) if "\n" not in wanted:
            return f"assert str({ast.unparse(only)}) == {wanted!r}"
        case ast.Call(func=ast.Name(id="print")):
            return source
        case _:
            pass
    try:
        ast.literal_eval(wanted)
    except (ValueError, SyntaxError):
        return source if "\n" in wanted else f"assert repr({ast.unparse(value)}) == {wanted!r}"
    return f"assert {ast.unparse(value)} == {wanted}"


def passes_in_python(tests: str, program: str) -> bool:
    """Whether the tests pass beside the program, within `LIMIT_S` seconds."""
    child = os.fork()
    if not child:
        status = 1
        try:
            signal.alarm(LIMIT_S)
            with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
                module = sys.modules["solution"] = types.ModuleType("solution")
                exec(compile(program, "solution.py", "exec", dont_inherit=True), vars(module))
                exec(compile(tests, "tests.py", "exec", dont_inherit=True), {**vars(module), "__name__": "tests"})
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--sandbox", default="docker")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    found = list(rows(args.checkout))
    truth = [passes_in_python(tests, program) for _, tests, program in found]
    samples = [Sample(completion=f"```python\n{program}\n```", ground_truth={"functional": tests}) for _, tests, program in found]  # fmt: skip
    with open_sandbox(args.sandbox, workers=2) as sandbox, use_sandbox(sandbox):
        scores = Code().score(samples)
    counts = Counter((passed, score.value) for passed, score in zip(truth, scores, strict=True))
    lines = [f"{today()}; {machine()}; rewardkit {version('rewardkit')}; {len(found)} rows\n"]
    outcomes = {1.0: "1", 0.0: "0", None: "unjudged"}
    cells = [[name, *(counts[passed, value] for value in outcomes)] for passed, name in ((True, "passes"), (False, "fails"))]  # fmt: skip
    lines += [table(["in plain Python", *outcomes.values()], cells), ""]
    lines += [
        f"{name}: {'passes' if passed else 'fails'} in Python, {outcomes.get(score.value)}: {' '.join(score.reason.split())}"
        for (name, _, _), passed, score in zip(found, truth, scores, strict=True)
        if score.value != float(passed)
    ]
    print("\n".join(lines))
    if args.out:
        args.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
