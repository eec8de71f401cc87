"""Names in front of values: "x = 5" is 5, |AB| = 3 is 3, f(x) = x + 1 is a function, x^2 = 12 is an equation; words over what letters run."""

from __future__ import annotations

from itertools import permutations

from flint import fmpq

from rewardkit.math.compare.shapes import bare
from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.latex.tree import Cond, Labelled, Matrix, Node, Num, Op, Ratio, Rel, Seq, SetOp, Sym, Words
from rewardkit.math.latex.vocabulary import RELATIONS, word_set
from rewardkit.math.latex.walk import CONSTANTS, facts, parts, rename, symbols
from rewardkit.math.patterns import lazy
from rewardkit.math.text.words import canonical_words

MAX_LABEL_CHARS = 200
"""A name of more characters is not looked at for words that change what it names."""

_NO_NAMES = CONSTANTS | word_set("bb:R bb:Z bb:N bb:Q bb:C ...")
_FIGURES = word_set("call:vector call:angle call:triangle")
_RATIOS = word_set("mul div abs deg")
_ARITHMETIC = word_set("add mul div neg abs sqrt")
_MEASURES = word_set(
    "sin cos tan cot sec csc ln log logb det dim rank tr arg sup inf max min Re Im floor ceil big:int big:lim"
)
_QUANTITIES = _MEASURES | word_set("deg gcd lcm exp")
_CHANGES = lazy(
    r"(?:.* )?(?:not|no|never|except|but|without|neither|nor|or|and|other|different|half|twice|double|triple|thirds?|quarters?|squared?|root|cubed?|negative|minus|plus"
    r"|reciprocal|inverse|opposite|complement|more|less|fewer|greater|than|least|most|up|over|under|below|above|multiples?|divisors?|factors?|between|from|before|after"
    r"|outside|inside|derivative|integral|sum|product|difference|log|logarithm|absolute|remainder|boundary|percent|part|subset|element|some|almost|nearly|about|anything"
    r"|times|next|either|hundred|dozen|one|perpendicular|parallel|excluding|excluded|maybe|perhaps|possibly|near|reflection|reflected|slope|gradient|length|extraneous|rejected)(?: .*)? [a-z]"
)
"""Words before the name in an equation that make it the equation of something else: the derivative of y."""

_DENIES = word_set(
    "false wrong incorrect not no never except without neither invalid rejected extraneous previous draft guess hint bound attempt more less fewer than twice half double triple"
    " reciprocal inverse negative opposite"
)
"""Words of a label whose value is none, or another one: "wrong: 17", "twice the value: 17"."""


def is_label(node: Node) -> bool:
    """Whether `node` only names what the other side is: x, x_1, f(x), P(2), (x, y), words."""
    if isinstance(node, Sym):
        return node.name not in _NO_NAMES
    if isinstance(node, Op):
        return node.name.startswith("call:") and node.name not in {"call:^+", "call:^*"}
    if isinstance(node, (Ratio, SetOp)):
        return all(map(_is_name, node.args))
    if isinstance(node, Seq):
        distinct = bool(node.items) and len(set(node.items)) == len(node.items)
        return distinct and all(map(_is_name, node.items))
    if not isinstance(node, Words) or not _DENIES.isdisjoint(node.text.split(" ", 3)[:3]):
        return False
    return _CHANGES.fullmatch(node.text[:MAX_LABEL_CHARS]) is None


def _is_name(node: Node) -> bool:
    """A label, or letters side by side, which in front of an equals sign are a name: AB, P(x)."""
    return is_label(node) or (isinstance(node, Op) and node.name == "mul" and all(map(_is_name, node.args)))


def is_quantity(node: Node, *, given: bool = False) -> bool:
    """Whether `node` is a term a question asks for, built from letters alone: ab, x + y, a/b, x^2, |z|, an angle.

    Whether it is one that a ground truth puts before a value, if `given`: AB, |AB|, a/b, tan x, |z|^2; no sum and no power.
    """
    letters = bool(symbols(node) - CONSTANTS)
    if isinstance(node, Matrix):
        return letters
    if isinstance(node, Op):
        if node.name in (_MEASURES if given else _QUANTITIES):
            return letters
        if node.name == "pow":
            base, exponent = node.args
            named = not given or (isinstance(base, Op) and base.name == "abs")
            return named and is_quantity(base, given=given) and (isinstance(exponent, Num) or is_quantity(exponent))
        if node.name in (_RATIOS if given else _ARITHMETIC):
            return all(is_quantity(one, given=given) for one in node.args)
        if node.name.startswith("big:"):
            valued = node.name in {"big:sum", "big:prod"} and len(node.args) == 3 and isinstance(node.args[1], Num)
            return letters and not valued  # a sum between two numbers has a value of its own
    return is_label(node) or (not given and isinstance(node, Sym) and node.name.startswith("bb:"))


def parameters(label: Node | None) -> tuple[str, ...] | None:
    """The parameters of a function label: f(x, y) has (x, y)."""
    if not isinstance(label, Op) or label.name in _FIGURES or not label.name.startswith("call:"):
        return None
    names = tuple(one.name for one in label.args if isinstance(one, Sym))
    return names if len(names) == len(label.args) else None


def fresh(label: Node | None, value: Node) -> Node:
    """The body of a function with its parameters renamed by their place."""
    names = parameters(label)
    return rename(value, {name: f"parameter:{index}" for index, name in enumerate(names)}) if names else value


def same_label(gold: str, answer: str) -> bool:
    """Whether two labels in words are one, perhaps shortened: Max and Maximum; not Day 1 and Day 12."""
    short, long = sorted((canonical_words(gold), canonical_words(answer)), key=len)
    left_out = long[len(short) :]
    return long == short or (len(short) >= 3 and long.startswith(short) and not any(map(str.isdigit, left_out)))


def denies(node: Node) -> bool:
    """Whether a label says that its value is none: "wrong: 17"."""
    return isinstance(node, Labelled) and not _DENIES.isdisjoint(node.label.split())


# -- lists of named values -------------------------------------------------------------------------------------------

Named = list[tuple[Node | None, Node]]
"""(label, value) of each member of a list."""


def unlabelled(node: Seq) -> Named:
    """(label, value) of each member; one label in front of several values is theirs."""
    found = [_named(bare(item)) for item in node.items]
    label = found[0][0] if found and all(name is None for name, _ in found[1:]) else None
    return found if label is None else [(label, value) for _, value in found]


def _named(node: Node) -> tuple[Node | None, Node]:
    if isinstance(node, Labelled):
        return Words(node.label), node.value
    if isinstance(node, Rel) and node.ops == ("=",):
        label, value = node.args
        letters = symbols(value) - CONSTANTS
        plain = is_label(label) and not symbols(label) & letters
        if plain or parameters(label) is not None or (is_quantity(label) and not letters):
            return label, fresh(label, value)
    return None, node


def values_of(node: Seq, labels: Named) -> tuple[Node, ...]:
    """The values where every member has a label (or none has), else the members as they stand."""
    if len({label is not None for label, _ in labels}) < 2:
        return tuple(value for _, value in labels)
    return node.items


def ordered_labels(labels: Named) -> bool:
    """Whether the members carry different names (x = 1, y = 2), so that their order means something."""
    return len(stems(labels) | {None}) > 2 and None not in stems(labels)


def stems(labels: Named) -> set[str | None]:
    """The names of all labels, indices aside."""
    return {None if label is None else _stem(label) for label, _ in labels}


_INDEX = lazy(r"_?\d+$")


def _stem(label: Node) -> str:
    if isinstance(label, Sym):
        return _INDEX.sub("", label.name)
    if parameters(label) is not None and isinstance(label, Op):
        return label.name
    return repr(label)


# -- over what letters run -------------------------------------------------------------------------------------------

_DOMAIN_WORDS = {"integer": "Z", "integers": "Z", "bb:Z": "Z", "bb:R": "R", "real": "R", "reals": "R", "natural": "N", "bb:N": "N", "bb:N_0": "N_0", "bb:Q": "Q",
                 "rational": "Q", "rationals": "Q", "bb:C": "C", "complex": "C"}  # fmt: skip


_DOMAIN_REST = word_set(
    "for the all any every each some where with is an are a in number numbers forall and , ( ) over given that constant constants arbitrary"
)
_POSITIVE = lazy(r"\bpositive\b|(?<=bb:[NQRZ]) [_^] (?:\+|\{ \+ \})|(?<=bb:N) \^ (?:\*|\{ \* \})")
_NOT_NEGATIVE = lazy(r"\bnon ?-? ?negative\b")


def domain(text: str) -> tuple[str, str] | None:
    """(letter, set) of a condition that only says "k is an integer"; None where it says more. N is N_0 or N+."""
    text = text.replace(" _ 0", "_0")
    signed = _POSITIVE.sub("", text)
    sign = "+" if signed != text else "_0" if _NOT_NEGATIVE.search(text) else ""
    words = [word for word in _NOT_NEGATIVE.sub("", signed).split() if word not in _DOMAIN_REST]
    sets = {_DOMAIN_WORDS[word] for word in words if word in _DOMAIN_WORDS}
    letters = {word for word in words if word not in _DOMAIN_WORDS}
    if len(sets) > 1 or len(letters) > 1 or not all(len(one) == 1 and one.isalpha() for one in letters):
        return None
    kind = "".join(sets)
    return "".join(letters), ({"Z": "N", "": "R"}.get(kind, kind) + sign if sign else kind)


_BOUND = lazy(
    r"(?:(?:for|where|with|when|if|over|all|any|every|each|real|numbers?|values?|of|,|\() )*([a-z]) ?"
    r"(!=|<=|>=|<|>|leq?|geq?|neq?|lt|gt|leqslant|geqslant) ?(- ?)?([0-9]+(?:\.[0-9]+|/[0-9]+)?) ?\)?"
)


def bound_of(text: str) -> tuple[str, str, fmpq] | None:
    """(letter, relation, number) of a condition that bounds a letter: "for all x > 0", "x positive"."""
    letter, kind = domain(text) or ("", "")
    return (letter, {"R+": ">", "R_0": ">="}[kind], fmpq(0)) if kind in {"R+", "R_0"} else _bound(text)


def narrows(node: Node, text: str) -> bool:
    """Whether a condition says of a constant in a function (f(x) = cx, c in Z), or of the turns of an angle (x = k pi, k > 0), more than its name."""
    letter, kind = domain(text) or ("", "")
    if not isinstance(node, Rel) or letter not in symbols(node.args[-1]):
        return False
    label, body = node.args[0], node.args[-1]
    if isinstance(label, Sym) and label.name in {"x", "y", "z", "t", "theta"}:  # x_n is a sequence, S a sum
        turns = not {"pi", "deg"}.isdisjoint(facts(body).names | facts(body).operations)
        return turns and kind[:1] == "N" and letter in COUNTERS
    function = isinstance(label, Op) and label.name.startswith("call:") and letter not in symbols(label)
    return function and letter in FREE_CONSTANTS and kind not in {"", "R", "C"}


def _bound(text: str) -> tuple[str, str, fmpq] | None:
    match = _BOUND.fullmatch(text)
    number = None if match is None else plain_number(match[4])
    if match is None or number is None:
        return None
    return match[1], RELATIONS[match[2]], -number if match[3] else number


# -- letters without a name of their own --------------------------------------------------------------------------------


def renamings(gold: Node, answer: Node) -> tuple[Node, ...]:
    """The answer with its free letters spelled as in the ground truth: c for C, A and B for C_1 and C_2, n pi for k pi."""
    body, other = _body(gold), _body(answer)
    left, right = (symbols(one) - CONSTANTS for one in (body, other))
    mine, theirs = sorted(left - right), sorted(right - left)
    if not mine:
        both = sorted(left & FREE_CONSTANTS)
        swapped = len(both) == 2 and left == right  # which of the two has which name
        return (answer, rename(answer, dict(zip(both, both[::-1], strict=True)))) if swapped else (answer,)
    if len(mine) != len(theirs) or len(mine) > MAX_CONSTANTS:
        return (answer,)
    constants = FREE_CONSTANTS.issuperset(mine) and _OTHER_CONSTANTS.issuperset(theirs)
    if constants and (body is gold or Sym(mine[0]) in getattr(gold, "args", ())):
        constants = all(_is_term(body, one) for one in mine) and all(_is_term(other, one) for one in theirs)
    if not constants and not (len(mine) == 1 and _counts(gold, answer, mine[0], theirs[0], left)):
        return (answer,)
    return tuple(rename(answer, dict(zip(theirs, names, strict=True))) for names in permutations(mine))


def _body(node: Node) -> Node:
    """What is said of a name, or of one in each member of a list."""
    node = bare(node)
    if isinstance(node, Seq) and not node.opened:
        return Seq("", "", tuple(map(_body, node.items)))
    return node.args[-1] if isinstance(node, Rel) and node.ops == ("=",) else node


def _is_term(node: Node, name: str) -> bool:
    """Whether a letter is a term of a sum."""
    terms = node.args if isinstance(node, Op) and node.name == "add" else ()
    return any(one == Sym(name) or _is_term(one, name) for one in terms)


def _counts(gold: Node, answer: Node, mine: str, theirs: str, letters: frozenset[str]) -> bool:
    """Whether two letters run over the integers: one is said to, or is alone in a sum with pi, or a name is 4k + 3."""
    stated = [domain(one.text) for one in (gold, answer) if isinstance(one, Cond)]
    if any(one is not None and one[1] == "Z" and one[0] in {mine, theirs} for one in stated):
        return True
    if stated or not {mine, theirs} <= COUNTERS or not letters <= {mine}:
        return False
    found = facts(gold)
    squared = any(isinstance(one, Op) and one.name == "pow" and mine in symbols(one.args[0]) for one in parts(gold))
    if squared or found.operations.isdisjoint({"add", "pm"}):
        return False
    turns = "pi" in found.names or "deg" in found.operations
    return turns or any(isinstance(one, Rel) for one in parts(gold))


COUNTERS = frozenset({"k", "n", "m", "l", "t", "j", "K", "N"})
"""Letters that may run over the integers."""

MAX_CONSTANTS = 3
"""So many free constants may have other names."""

FREE_CONSTANTS = frozenset({"C", "c", "C_1", "C_2", "C_3", "c_1", "c_2", "c_3"})
_OTHER_CONSTANTS = FREE_CONSTANTS | {"K", "k", "D", "A", "B", "C_0", "c_0"}
"""Names of constants of integration."""
