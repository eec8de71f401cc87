"""What the statements of a list mean together: groups between semicolons, one modulus for several residues, a domain at the end."""

from __future__ import annotations

import itertools

from rewardkit.math.latex.tree import Node, Num, Op, Rel, Seq, Sym
from rewardkit.math.latex.walk import symbols

_NUMBERS = (Num, Sym, Op)
_INDICES = frozenset({"n", "k", "m", "j"})
_BOUNDS = frozenset({"!=", "<", ">", "<=", ">="})
_STARTS = frozenset({(">=", 0), (">=", 1), (">", 0)})


def grouped(found: list[Node], breaks: list[int]) -> list[Node]:
    """Members between semicolons or "or": x = 1, y = 2; x = 3, y = 4. Kept flat unless each group has as many equations."""
    edges = [0, *(one for one in breaks if one < len(found)), len(found)]
    groups = [found[low:high] for low, high in itertools.pairwise(edges)]
    if len({len(one) for one in groups}) != 1 or len(groups[0]) < 2:
        return found
    if not all(isinstance(one, Rel) and one.ops == ("=",) for group in groups for one in group):
        return found
    return [Seq("", "", tuple(one)) for one in groups]


def residues(found: list[Node]) -> list[Node]:
    """One modulus behind several residues is the modulus of each, n = 1, 5 (mod 6); x is neither of 0, 1 is said of each."""
    first, last = found[0], found[-1]
    if not isinstance(first, Rel) or len(found) < 2:
        return found
    if first.ops == ("!=",) and all(isinstance(one, (Num, Op)) for one in found[1:]):
        return [first, *(Rel(("!=",), (first.args[0], one)) for one in found[1:])]
    if first.ops != ("=",) or not isinstance(last, Op) or last.name != "modclass":
        return found
    values = [first.args[1], *found[1:-1], last.args[0]]
    if not all(isinstance(one, _NUMBERS) for one in values):
        return found
    return [Rel(("equiv", "mod"), (first.args[0], one, last.args[1])) for one in values]


def split_domain(found: list[Node]) -> tuple[list[Node], str | None]:
    r"""Take a trailing "k \in \mathbb{Z}", "n \ge 1" or "x \ne 0" off a list: it says over what a letter runs."""
    last = found[-1] if len(found) > 1 else None
    if not isinstance(last, Rel) or len(last.args) != 2:
        return found, None
    letter, domain = last.args
    if last.ops == ("in",) and _is_domain(domain):
        kept = found[:-1]
        while len(kept) > 1 and isinstance(kept[-1], Sym) and _counts_in(kept[-1].name, kept[:-1]):  # m, l in Z
            kept = kept[:-1]
        return kept, f"{_text(letter)} in {_text(domain)}"
    if len(found) == 2 and isinstance(letter, Sym) and letter.name in _INDICES and isinstance(domain, Num):
        first = found[0]
        value = first.args[1] if isinstance(first, Rel) and first.ops == ("=",) and len(first.args) == 2 else first
        if (last.ops[0], domain.value) in _STARTS and isinstance(value, Op) and letter.name in symbols(value):
            return found[:1], f"{letter.name} in bb:N"
    if len(found) == 2 and isinstance(letter, Sym) and isinstance(domain, Num) and last.ops[0] in _BOUNDS:
        first = found[0]
        value = first.args[1] if isinstance(first, Rel) and first.ops == ("=",) else first
        if isinstance(value, Op) and letter.name in symbols(value):
            return found[:1], f"{letter.name} {last.ops[0]} {domain.value}"  # 1/x, x != 0
    return found, None


def _counts_in(name: str, nodes: list[Node]) -> bool:
    """Whether a letter occurs in formulas."""
    return any(isinstance(one, (Op, Rel)) and name in symbols(one) for one in nodes)


def _text(node: Node) -> str:
    return node.name if isinstance(node, Sym) else repr(node)


def _is_domain(node: Node) -> bool:
    """Whether `node` is a set of numbers such as Z, Z^+, R_0."""
    if isinstance(node, Sym):
        return node.name.startswith("bb:") or node.name in {"Z", "N", "R", "Q"}
    if not isinstance(node, Op) or node.name not in {"pow", "call:^+", "call:^*", "call:_", "add", "neg"}:
        return False
    return any(map(_is_domain, node.args))
