"""Names in front of values, and words that say over what letters run."""

from __future__ import annotations

import re

from flint import fmpq

from rewardkit.math.compare.names import is_label, is_quantity, parameters
from rewardkit.math.compare.shapes import bare
from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.latex.tree import Builder, Cond, Labelled, Node, Op, Rel, Seq, Sym, Words
from rewardkit.math.latex.vocabulary import RELATIONS, word_set
from rewardkit.math.latex.walk import CONSTANTS, rename, symbols
from rewardkit.math.text.words import canonical_words

_DOMAIN_WORDS = {"integer": "Z", "integers": "Z", "bb:Z": "Z", "bb:R": "R", "real": "R", "reals": "R", "natural": "N", "bb:N": "N", "bb:N_0": "N_0", "bb:Q": "Q",
                 "rational": "Q", "rationals": "Q", "bb:C": "C", "complex": "C"}  # fmt: skip


_DOMAIN_REST = word_set(
    "for the all any every each some where with is an are a in number numbers forall and , ( ) over given that constant constants arbitrary"
)


def domain(text: str) -> tuple[str, str] | None:
    """(letter, set) of a condition that only says "k is an integer"; None where it says more."""
    letter = found = ""
    for word in text.replace(" _ 0", "_0").split():
        if word in _DOMAIN_WORDS:
            if found and found != _DOMAIN_WORDS[word]:
                return None
            found = _DOMAIN_WORDS[word]
        elif len(word) == 1 and word.isalpha() and word != "a":
            if letter and letter != word:
                return None
            letter = word
        elif word not in _DOMAIN_REST:
            return None
    return letter, found


_BOUND = re.compile(
    r"(?:(?:for|where|with|when|if|over|all|any|every|each|real|numbers?|values?|of|,|\() )*([a-z]) ?"
    r"(!=|<=|>=|<|>|leq?|geq?|neq?|lt|gt|leqslant|geqslant) ?(- ?)?([0-9]+(?:\.[0-9]+|/[0-9]+)?) ?\)?"
)


def bound_of(text: str) -> tuple[str, str, fmpq] | None:
    """(letter, relation, number) of a condition that bounds a letter: "for all x > 0"."""
    match = _BOUND.fullmatch(text)
    number = None if match is None else plain_number(match[4])
    if match is None or number is None:
        return None
    return match[1], RELATIONS[match[2]], -number if match[3] else number


def unlabelled(node: Seq) -> list[tuple[Node | None, Node]]:
    """(label, value) of each member; one label in front of several values is theirs."""
    found: list[tuple[Node | None, Node]] = []
    for item in node.items:
        one = bare(item)
        if isinstance(one, Labelled):
            found.append((Words(one.label), one.value))
        elif not isinstance(one, Rel):
            found.append((None, one))
        elif (
            one.ops == ("=",)
            and is_label(one.args[0])
            and not (symbols(one.args[0]) & symbols(one.args[1]) - CONSTANTS)
        ):
            found.append((one.args[0], one.args[1]))
        elif one.ops == ("=", "=") and is_label(one.args[0]) and is_label(one.args[1]):
            found.extend(((one.args[0], one.args[2]), (one.args[1], one.args[2])))
        elif one.ops == ("=",) and (
            parameters(one.args[0]) is not None or (is_quantity(one.args[0]) and not symbols(one.args[1]) - CONSTANTS)
        ):
            found.append((one.args[0], one.args[1]))
        else:
            found.append((None, one))
    found = [(label, value if label is None else fresh(label, value)) for label, value in found]
    if found and found[0][0] is not None and all(label is None for label, _ in found[1:]):
        label = found[0][0]
        found = [(label, value) for _, value in found]
    return found


def pointwise(node: Node) -> Node:
    """(x, y) = (1, 2) as x = 1, y = 2, coordinates in the order of their names; another node as it is."""
    if not isinstance(node, Rel) or node.ops != ("=",):
        return node
    names, values = node.args
    if not isinstance(names, Seq) or not isinstance(values, Seq) or len(names.items) != len(values.items):
        return node
    letters = [one.name for one in names.items if isinstance(one, Sym) and is_label(one)]
    if len(set(letters)) != len(names.items):
        return node
    pairs = list(zip(names.items, values.items, strict=True))
    if set(letters) <= _COORDINATES:
        pairs.sort(key=repr)
    return Seq("", "", tuple(Rel(("=",), pair) for pair in pairs))


_COORDINATES = frozenset("xyz")


def chained(node: Builder) -> Cond | None:
    """{x | 2k < x < 2k + 1, k in Z} as 2k < x < 2k + 1 for k in Z."""
    only = node.conditions[0]
    if len(node.conditions) != 1 or not isinstance(only, Cond):
        return None
    inside = only.value
    return only if isinstance(inside, Rel) and len(inside.args) == 3 and inside.args[1] == node.element else None


def values_of(node: Seq, labels: list[tuple[Node | None, Node]]) -> tuple[Node, ...]:
    """The values where every member has a label (or none has), else the members as they stand."""
    named = [label is not None for label, _ in labels]
    if all(named) or not any(named):
        return tuple(value for _, value in labels)
    return node.items


def ordered_labels(labels: list[tuple[Node | None, Node]]) -> bool:
    """Whether the members carry different names (x = 1, y = 2), so that their order means something."""
    names = [label for label, _ in labels]
    if len(names) < 2 or any(name is None for name in names):
        return False
    stems = {_stem(name) for name in names if name is not None}
    return len(stems) > 1


def stems(labels: list[tuple[Node | None, Node]]) -> set[str | None]:
    """The names of all labels, indices aside."""
    return {None if label is None else _stem(label) for label, _ in labels}


_INDEX = re.compile(r"_?\d+$")


def _stem(label: Node) -> str:
    if isinstance(label, Sym):
        return _INDEX.sub("", label.name)
    if parameters(label) is not None and isinstance(label, Op):
        return label.name
    return repr(label)


def renamed_elements(gold: Node, answer: Node) -> dict[str, str]:
    """The bound letters of a set-builder, renamed in the order of their names."""
    left, right = (sorted(one for one in symbols(node) - CONSTANTS if ":" not in one) for node in (gold, answer))
    return dict(zip(right, left, strict=True)) if len(left) == len(right) else {}


def same_label(gold: str, answer: str) -> bool:
    """Whether two labels in words are one, perhaps shortened: Max and Maximum."""
    a, b = canonical_words(gold), canonical_words(answer)
    return a == b or (len(a) >= 3 and len(b) >= 3 and (a.startswith(b) or b.startswith(a)))


_DENYING = word_set(
    "false wrong incorrect not no never except invalid rejected extraneous previous draft guess hint bound attempt more less fewer than twice half double triple reciprocal inverse"
    " negative opposite"
)


def denies(node: Node) -> bool:
    """Whether a label says that its value is none: "wrong: 17"."""
    return isinstance(node, Labelled) and not _DENYING.isdisjoint(node.label.split())


def fresh(label: Node | None, value: Node) -> Node:
    """The body of a function with its parameters renamed by their place."""
    names = parameters(label)
    return rename(value, {name: f"parameter:{index}" for index, name in enumerate(names)}) if names else value
