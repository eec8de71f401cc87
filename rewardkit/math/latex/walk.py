"""Questions about a tree that need no value: its variables, its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from typing import Any, cast, get_args

from rewardkit.math.latex.tree import Facts, Node, Num, Op, Rel, Seq, Sym

_UNORDERED = frozenset({"add", "mul", "gcd", "lcm", "max", "min"})
CONSTANTS = frozenset({"pi", "e", "i", "oo"})


def canonical(node: Node) -> str:
    """`node` as text, with the terms of sums and the factors of products in one order."""
    if not isinstance(node, Op):
        return repr(node)
    args = list(node.args)
    if node.name not in _UNORDERED:
        return f"{node.name}({','.join(map(canonical, args))})"
    flat: list[str] = []
    for one in args:  # which grows
        if isinstance(one, Op) and one.name == node.name:
            args += one.args
        else:
            flat.append(canonical(one))
    return f"{node.name}({','.join(sorted(flat))})"


def infinite(node: Node) -> int:
    """1 for infinity, -1 for minus infinity, else 0."""
    if isinstance(node, Sym):
        return int(node.name == "oo")
    if isinstance(node, Op) and node.name == "neg":
        return -infinite(node.args[0])
    return 0


def facts(node: Node) -> Facts:
    """What occurs in `node`."""
    if isinstance(node, _KEEPING):
        if node.facts is None:
            node.facts = _collected(node)
        return node.facts
    if isinstance(node, Sym):
        return _name(node.name)
    return _NUMBER if isinstance(node, Num) else _collected(node)


def _collected(node: Node) -> Facts:
    names: set[str] = set()
    operations: set[str] = set()
    plain = True
    stack: list[Node] = [node]
    for one in stack:
        kind = type(one)
        if kind is Num:
            continue
        if isinstance(one, Sym):
            names.add(one.name)
        elif isinstance(one, Op):
            if one.facts is None:
                operations.add(one.name)
                stack += one.args
            else:
                names |= one.facts.names
                operations |= one.facts.operations
                plain = plain and one.facts.plain
        else:
            plain = False
            stack += children(one)
    return Facts(frozenset(names), frozenset(operations), plain)


_KEEPING = (Op, Rel, Seq)
"""The nodes that keep what is found, since they are asked often."""

_NUMBER = Facts(frozenset(), frozenset(), plain=True)


@lru_cache(maxsize=512)
def _name(name: str) -> Facts:
    return Facts(frozenset({name}), frozenset(), plain=True)


def symbols(node: Node) -> frozenset[str]:
    """The names of variables and constants in `node`."""
    return facts(node).names


def uses(operations: frozenset[str], *nodes: Node) -> bool:
    """Whether one of the operations occurs."""
    return not all(operations.isdisjoint(facts(one).operations) for one in nodes)


def children(node: Node) -> tuple[Node, ...]:
    """The direct parts of `node`."""
    if isinstance(node, (Op, Rel)):
        return node.args
    return node.items if isinstance(node, Seq) else tuple(_nodes(getattr(node, one) for one in _FIELDS[type(node)]))


def _nodes(values: Iterable[Any]) -> Iterator[Node]:
    for one in values:
        if isinstance(one, tuple):
            yield from _nodes(cast("tuple[Any, ...]", one))
        elif type(one) in _FIELDS:
            yield one


_FIELDS = {kind: tuple(one.name for one in fields(kind) if one.init) for kind in get_args(Node)}


def mapped(node: Node, leaf: Callable[[Node], Node | None]) -> Node:
    """`node` with parts replaced: those for which `leaf` gives another one."""
    found = leaf(node)
    if type(node) is Op and found is None:
        return Op(node.name, tuple(mapped(one, leaf) for one in node.args))  # as most are
    return found if found is not None else type(node)(*(_part(getattr(node, one), leaf) for one in _FIELDS[type(node)]))


def _part(part: Any, leaf: Callable[[Node], Node | None]) -> Any:
    if isinstance(part, tuple):
        return tuple(_part(one, leaf) for one in cast("tuple[Any, ...]", part))
    return mapped(part, leaf) if type(part) in _FIELDS else part


def rename(node: Node, names: dict[str, str]) -> Node:
    """`node` with variables renamed."""
    return mapped(node, lambda one: Sym(names.get(one.name, one.name)) if isinstance(one, Sym) else None)


def unwrapped(node: Node) -> Node:
    """Square brackets around one factor group like round ones."""
    return node.items[0] if isinstance(node, Seq) and node.opened == "[" and len(node.items) == 1 else node


def parts(node: Node) -> Iterator[Node]:
    """`node` and all below it."""
    pending = [node]
    while pending:
        one = pending.pop()
        yield one
        pending.extend(children(one))
