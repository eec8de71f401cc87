"""Compare values with conditions, units and labels, and words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from rewardkit.math.compare.names import COUNTERS, bound_of, denies, domain, narrows, same_label
from rewardkit.math.compare.sets import NAMED_SETS, is_set, real_set, same_sets, thinned
from rewardkit.math.compare.shapes import degrees_of, percent_of
from rewardkit.math.latex.tree import Builder, Cond, Labelled, Node, Num, Op, Rel, Seq, SetOp, Unit, Words
from rewardkit.math.latex.units import conversion, same_unit
from rewardkit.math.latex.walk import children
from rewardkit.math.prove.proof import is_natural
from rewardkit.math.text.words import EMPTY_WORDS, canonical_words, says_more

if TYPE_CHECKING:
    from rewardkit.math.compare.compare import Comparing

# -- conditions ------------------------------------------------------------------------------------------------------


def conditions(c: Comparing, gold: Node, answer: Node) -> bool:
    """A condition that both sides state must agree; one side alone may say over what its letters run."""
    if isinstance(gold, Cond) and isinstance(answer, Cond):
        first, second = domain(gold.text), domain(answer.text)
        if first is None or second is None:
            same = gold.text == answer.text or ((bound := bound_of(gold.text)) and bound == bound_of(answer.text))
            return bool(same) and c.equal(gold.value, answer.value)
        kinds = {first[1], second[1]}
        unsigned = "" in kinds and (first[0] in COUNTERS or kinds.isdisjoint({"R+", "R_0", "Q+", "N+", "N_0"}))
        open_to_both = len(kinds) == 1 or unsigned or kinds in ({"N", "N_0"}, {"N", "N+"})
        return open_to_both and c.equal(gold.value, answer.value)
    one = gold if isinstance(gold, Cond) else answer
    assert isinstance(one, Cond)
    bound = bound_of(one.text) if domain(one.text) is None else None
    natural = bound is not None and one is answer and is_natural(one.value, *bound)
    if (bound is not None and not natural) or (one is answer and narrows(one.value, one.text)):
        return c.differ("a condition that only one side has")
    if not natural and (not one.universal or says_more(one.text)):
        return False
    value = one.value
    ranges = isinstance(value, (Rel, SetOp, Builder)) or (isinstance(value, Seq) and is_set(value))
    found = real_set(value) if ranges and domain(one.text) is not None else None
    if found is not None and thinned(found, one.text):
        return c.differ("a range of numbers of one kind alone")
    return c.equal(one.value, answer) if one is gold else c.equal(gold, one.value)


# -- units -----------------------------------------------------------------------------------------------------------


def units(c: Comparing, gold: Node, answer: Node) -> bool:
    """A unit may be left out or added, not exchanged."""
    policy = c.policy.units
    if isinstance(gold, Unit) and isinstance(answer, Unit):
        if policy == "ignore" or same_unit(gold.unit, answer.unit):
            return c.equal(gold.value, answer.value)
        factor = conversion(answer.unit, gold.unit) if policy == "convert" else None
        if factor is None:
            return c.differ(f"another unit: {answer.unit or 'none'}, not {gold.unit or 'none'}")
        scaled = Op("mul", (answer.value, Num(fmpq(factor.numerator, factor.denominator))))
        return c.equal(gold.value, scaled) and c.note(f"{answer.unit} converted to {gold.unit}")
    unit, other = (gold, answer) if isinstance(gold, Unit) else (answer, gold)
    assert isinstance(unit, Unit)
    if not isinstance(other, Unit) and _holds_unit(other):  # V = 36 cm against 36 m: what is stated has its own unit
        return c.as_kind_of(other, gold, answer)
    if unit is answer and unit.unit == "K|k":
        return c.differ("a letter that may stand for thousand")
    if policy == "require" and unit.unit not in {"unit", "th"}:
        return False
    shown = other.args[-1] if isinstance(other, Rel) and other.ops == ("=",) else other
    degrees = degrees_of(shown) is not None
    if unit.unit == "rad" and degrees:
        return c.policy.degrees_as_radians and c.values(shown, unit.value)
    percent = percent_of(shown) is not None and percent_of(unit.value) is None
    if policy != "ignore" and (percent or (degrees and not unit.unit.startswith("deg"))):
        return False
    same = c.equal(unit.value, other) if unit is gold else c.equal(other, unit.value)
    return same and c.note("a unit was left out")


def _holds_unit(node: Node) -> bool:
    """Whether a quantity with a unit stands in a statement, behind a label or in a list."""
    return isinstance(node, Unit) or (isinstance(node, (Rel, Labelled, Seq)) and any(map(_holds_unit, children(node))))


# -- words -----------------------------------------------------------------------------------------------------------


def labelled(c: Comparing, gold: Node, answer: Node) -> bool:
    """Values behind labels in words."""
    if denies(gold) != denies(answer):
        return c.differ("a label that denies its value")
    if isinstance(gold, Labelled) and isinstance(answer, Labelled) and not same_label(gold.label, answer.label):
        return False
    left, right = (one.value if isinstance(one, Labelled) else one for one in (gold, answer))
    return c.equal(left, right)


def words(c: Comparing, gold: Node, answer: Node) -> bool:
    """Words against words, or words that name a set."""
    if isinstance(gold, Words) and isinstance(answer, Words):
        return canonical_words(gold.text) == canonical_words(answer.text) and c.note("the same words")
    word, other = (gold, answer) if isinstance(gold, Words) else (answer, gold)
    assert isinstance(word, Words)
    described, second = real_set(word), real_set(other)
    if described is not None:
        return second is not None and same_sets(c, described, second)
    meant = NAMED_SETS.get("no solution" if word.text in EMPTY_WORDS else canonical_words(word.text))
    return meant is not None and meant == (other.args[1] if isinstance(other, Rel) and other.ops == ("in",) else other)
