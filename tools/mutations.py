"""Small changes of Python source: where they can be made, and how."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_SIGNS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv}


@dataclass(frozen=True)
class Place:
    """One change: the number of the node in its file, and what is done to it."""

    path: str
    node: int
    line: int
    change: str


def changes(node: ast.AST) -> Iterator[str]:
    """What can be changed at a node; imports that only a type checker reads stay."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
            yield "comparison"
        case ast.BoolOp():
            yield "and/or"
        case ast.UnaryOp(op=ast.Not()):
            yield "not"
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            pass
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition"
        case ast.BinOp(op=op) if type(op) in _SIGNS:
            yield "sign"
        case ast.Constant(value=bool()):
            yield "truth"
        case ast.Constant(value=int()):
            yield "number"
        case ast.Return(value=value) if value is not None and not (
            isinstance(value, ast.Constant) and value.value is None
        ):
            yield "return"
        case _:
            pass


def places(folders: Sequence[str], without: Sequence[str] = (), root: Path = ROOT) -> list[Place]:
    """Every change in these folders and files."""
    found: list[Place] = []
    left_out = [root / name for name in without]
    roots = [root / name for name in folders]
    for path in sorted(path for each in roots for path in ([each] if each.is_file() else each.rglob("*.py"))):
        if any(path.is_relative_to(folder) for folder in left_out):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        ignored = {id(inner) for node in ast.walk(tree) for part in _annotations(node) for inner in ast.walk(part)}
        for number, node in enumerate(ast.walk(tree)):
            if id(node) not in ignored:
                name = str(path.relative_to(root))
                found += [Place(name, number, getattr(node, "lineno", 0), change) for change in changes(node)]
    return found


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        part = getattr(node, name, None)
        if isinstance(part, ast.AST):
            yield part


def changed_tree(source: str, number: int) -> ast.Module:
    """The tree of a source with the node of this number changed."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[number]
    match node:
        case ast.Compare():
            node.ops = [_COMPARISONS[type(node.ops[0])]()]
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.BinOp():
            node.op = _SIGNS[type(node.op)]()
        case ast.Constant():
            node.value = not node.value if isinstance(node.value, bool) else int(str(node.value)) + 1
        case ast.Return():
            node.value = ast.Constant(None)
        case _:
            pass
    return ast.fix_missing_locations(tree)


def changed(place: Place, root: Path = ROOT) -> tuple[str, str]:
    """The source with the change, and the change in words."""
    before = (root / place.path).read_text(encoding="utf-8")
    plain, source = ast.unparse(ast.parse(before)), ast.unparse(changed_tree(before, place.node))
    was, now = next(pair for pair in zip(plain.split("\n"), source.split("\n"), strict=True) if pair[0] != pair[1])
    return source, f"{was.strip()} -> {now.strip()}"


def runs_at_import(place: Place, root: Path = ROOT) -> bool:
    """Whether a line is outside of all functions."""
    tree = ast.parse((root / place.path).read_text(encoding="utf-8"))
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return not any(body[0].lineno <= place.line <= (body[-1].end_lineno or 0) for body in bodies)
