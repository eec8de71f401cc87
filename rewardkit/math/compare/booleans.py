"""Formulas of logic and of sets in letters: equal where no choice of their letters tells them apart, as De Morgan has it."""

from __future__ import annotations

import re
from itertools import product

from rewardkit.math.text.patterns import lazy

MAX_CHARS = 200
"""Longer formulas are not read."""

MAX_LETTERS = 6
"""Formulas with more letters are not compared."""

MAX_NESTING = 24

_SIGNS = {
    **dict.fromkeys(("neg", "lnot", "sim"), "not"),
    **dict.fromkeys(("land", "wedge"), "and"),
    **dict.fromkeys(("lor", "vee"), "or"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "implies", "Longrightarrow", "longrightarrow", "supset"), "if"),
    **dict.fromkeys(("leftrightarrow", "Leftrightarrow", "iff", "Longleftrightarrow"), "iff"),
    "oplus": "xor", "cap": "inter", "cup": "union", "setminus": "minus", "smallsetminus": "minus", "triangle": "apart",
    "forall": "all", "exists": "some", "overline": "bar", "bar": "bar",
}  # fmt: skip
_LOGIC = frozenset({"not", "and", "or", "if", "iff", "xor", "all", "some"})
_SETS = frozenset({"inter", "union", "minus", "apart"})
_TOKEN = lazy(
    r"\s+|\\[,;:! ]|\\(?:left|right)(?![A-Za-z])|(?P<atom>[A-Za-z](?:\([a-z](?:,[a-z])?\))?)"
    r"|\\(?P<sign>" + "|".join(sorted(_SIGNS, key=len, reverse=True)) + r")(?![A-Za-z])"
    r"|(?P<complement>\^ ?(?:[cC]|\{ ?[cC] ?\}|\{? ?\\complement ?\}?)|')|(?P<mark>[(){}\[\]:.,])"
)
_TIGHT = {"and": 3, "inter": 3, "minus": 3, "or": 2, "union": 2, "xor": 2, "apart": 2, "if": 1, "iff": 0}
_CLOSED = {"(": ")", "[": "]", "{": "}"}

Formula = tuple[str, *tuple["Formula | str", ...]]
"""A sign with its arguments, or an atom with its name."""


def same_formula(gold: str, answer: str) -> bool:
    """Whether two texts are formulas of logic, or of sets, that are the same for all values of their letters."""
    if ("\\" not in gold and "\\" not in answer) or len(gold) + len(answer) > 2 * MAX_CHARS:
        return False
    first = _tokens(gold)
    second = _tokens(answer) if first is not None else None
    if first is None or second is None:
        return False
    kinds = [_kinds(one) for one in (first, second)]
    if not (kinds[0] | kinds[1]) or kinds[0] >= _BOTH or kinds[1] >= _BOTH or (all(kinds) and kinds[0] != kinds[1]):
        return False
    try:
        left, right = _Reader(first).whole(), _Reader(second).whole()
        if left[0] == right[0] == "if":  # what follows from what: no converse, no contrapositive
            return all(_equivalent(one, other) for one, other in zip(_parts(left), _parts(right), strict=True))
        return _equivalent(left, right)
    except _NoFormulaError:
        return False


class _NoFormulaError(ValueError):
    """The text is no formula that we read."""


_BOTH = frozenset({"logic", "sets"})


def _kinds(tokens: list[str]) -> set[str]:
    return {"logic" if one in _LOGIC else "sets" for one in tokens if one in _LOGIC | _SETS}


def _tokens(text: str) -> list[str] | None:
    """The signs by name, atoms as they are written with their arguments; None where there is anything else."""
    found: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        if match["sign"]:
            found.append(_SIGNS[match["sign"]])
        elif match["complement"]:
            found.append("complement")
        elif match["atom"] or match["mark"]:
            found.append(match["atom"] or match["mark"])
    return found


class _Reader:
    """A formula, loosest signs last."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = [*tokens, ""]
        self.position = 0
        self.depth = 0

    def take(self) -> str:
        """The next token."""
        self.position += 1
        return self.tokens[self.position - 1]

    def whole(self) -> Formula:
        """All of the text."""
        found = self.binary(0)
        if self.take() != "":
            raise _NoFormulaError
        return found

    def binary(self, tight: int) -> Formula:
        """Parts joined by signs that bind as tightly as `tight`, or more."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise _NoFormulaError
        left = self.single()
        while _TIGHT.get(sign := self.tokens[self.position], -1) >= tight:
            self.position += 1
            above = _TIGHT[sign]
            right = self.binary(above if sign == "if" else above + 1)
            left = (sign, left, right)
        self.depth -= 1
        return left

    def single(self) -> Formula:
        """A letter, a bracket, or what is denied, with the complements behind it."""
        word = self.take()
        if word == "not":
            return ("not", self.single())
        if word in {"all", "some"}:
            return self.quantified(word)
        if word == "bar":
            if self.tokens[self.position] == "{":
                self.position += 1
                found = ("not", self.closed("{"))
            else:
                found = ("not", self.single())
        elif word in _CLOSED:
            found = self.closed(word)
        elif word[:1].isalpha() and (len(word) == 1 or word[1] == "("):
            found = ("atom", word)
        else:
            raise _NoFormulaError
        while self.tokens[self.position] == "complement":
            self.position += 1
            found = ("not", found)
        return found

    def closed(self, opened: str) -> Formula:
        """What stands in brackets."""
        found = self.binary(0)
        if self.take() != _CLOSED[opened]:
            raise _NoFormulaError
        return found

    def quantified(self, name: str) -> Formula:
        """For all x, P(x): the rest behind a mark, or what stands beside it."""
        letter = self.take()
        if len(letter) != 1 or not letter.isalpha():
            raise _NoFormulaError
        if self.tokens[self.position] in {":", ".", ","}:
            self.position += 1
            body = self.binary(0)
        else:
            bracketed = self.tokens[self.position] in _CLOSED or self.tokens[self.position] in {"all", "some"}
            body = self.single()
            if not bracketed and self.tokens[self.position] in _TIGHT:  # how far it reaches is not said
                raise _NoFormulaError
        return (name, letter, body)


def _parts(node: Formula) -> list[Formula]:
    return [one for one in node[1:] if isinstance(one, tuple)]


def _equivalent(left: Formula, right: Formula) -> bool:
    left, right = _plain(left, 0), _plain(right, 0)
    atoms = sorted(_atoms(left) | _atoms(right))
    if len(atoms) > MAX_LETTERS:
        return False
    return all(
        _holds(left, values) == _holds(right, values)
        for row in product((False, True), repeat=len(atoms))
        for values in (dict(zip(atoms, row, strict=True)),)
    )


def _plain(node: Formula, depth: int) -> Formula:
    """`node` with each quantified part as an atom that its body names."""
    name = node[0]
    if name == "atom":
        return node
    if name not in {"all", "some"}:
        return (name, *(_plain(one, depth) for one in _parts(node)))
    letter, body = node[1], node[2]
    assert isinstance(letter, str)
    assert isinstance(body, tuple)
    inner = _plain(_bound(body, letter, f"${depth}"), depth + 1)
    if name == "all":  # for all P: for none not P
        inner = ("not", inner)
    found: Formula = ("atom", f"some{_table(inner)}")
    return ("not", found) if name == "all" else found


def _bound(node: Formula, letter: str, name: str) -> Formula:
    """`node` with a letter under another name."""
    if node[0] == "atom":
        text = str(node[1])
        return ("atom", text[0] + re.sub(rf"\b{letter}\b", lambda _: name, text[1:]))
    return (node[0], *(_bound(one, letter, name) if isinstance(one, tuple) else one for one in node[1:]))


def _table(node: Formula) -> str:
    """The letters on which a formula depends, with what it is for all of their values."""
    atoms = sorted(_atoms(node))
    if len(atoms) > MAX_LETTERS:
        raise _NoFormulaError
    rows = list(product((False, True), repeat=len(atoms)))
    values = {row: _holds(node, dict(zip(atoms, row, strict=True))) for row in rows}
    kept = [
        place
        for place in range(len(atoms))
        if any(value != values[(*row[:place], not row[place], *row[place + 1 :])] for row, value in values.items())
    ]
    shown = "".join(
        str(int(values[row])) for row in rows if not any(row[place] for place in range(len(atoms)) if place not in kept)
    )
    return f"({','.join(atoms[place] for place in kept)}:{shown})"


def _atoms(node: Formula) -> set[str]:
    if node[0] == "atom":
        return {str(node[1])}
    return {name for one in _parts(node) for name in _atoms(one)}


def _holds(node: Formula, values: dict[str, bool]) -> bool:
    name = node[0]
    if name == "atom":
        return values[str(node[1])]
    args = [_holds(one, values) for one in _parts(node)]
    if name == "not":
        return not args[0]
    left, right = args
    if name in {"and", "inter"}:
        return left and right
    if name in {"or", "union"}:
        return left or right
    if name == "minus":
        return left and not right
    if name == "if":
        return not left or right
    return (left == right) == (name == "iff")
