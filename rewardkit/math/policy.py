"""The options of the math verifier. docs/math.md explains the defaults."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Literal

from rewardkit.errors import MissingExtraError

Units = Literal["ignore_missing", "require", "convert", "ignore"]
Percent = Literal["number", "stated", "optional"]
Order = Literal["by_brackets", "strict", "ignore"]
Finished = Literal["task", "value"]
Fallback = Literal["none", "math-verify"]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """One reading of "the same answer". The defaults are strict: when unsure, the answers are different."""

    boxed_only: bool = False
    r"""Only `\boxed{}` (or `\fbox{}`) states an answer; statements, tags and plain answers do not."""
    lenient: bool = False
    """For evaluation, not for training: in a response without a stated answer, take the last formula or number."""
    unfinished_thought: bool = False
    """Also read an answer from thinking (`<think>`) that was never closed."""
    rtol: float | None = 0.0
    """Relative tolerance between two numbers; 0 (or None) compares exactly, so 3.14 is not pi."""
    gold_digits: bool = False
    """A decimal ground truth also accepts a value that rounds to its printed digits (0.33 accepts 1/3)."""
    units: Units = "ignore_missing"
    """`ignore_missing`: a unit may be added or left out, but not replaced by another. `require`: both or neither carry it.
    `convert`: 1 km is 1000 m. `ignore`: units do not matter."""
    percent: Percent = "stated"
    r"""`number`: 25\% is the number 1/4 and nothing else. `stated`: the sign may also be left out (25\% and 25) if the
    response mentions per cent outside its answer. `optional`: it may always be left out."""
    order: Order = "by_brackets"
    """`by_brackets`: (a, b) is ordered, {a, b} and plain lists are not. `strict`: lists are ordered too. `ignore`:
    tuples are compared in any order as well."""
    intervals_as_inequalities: bool = True
    """x > 3 and (3, oo) are the same answer."""
    degrees_as_radians: bool = True
    r"""180^\circ and \pi are the same angle."""
    any_gold: bool = True
    """If true, any one of a list of ground truths is enough. If false, all are required."""
    finished: Finished = "task"
    """`task`: refuse an answer that restates the task, an unsolved equation, or a tautology. `value`: also refuse
    arithmetic that is not carried out (3 + 4, 2^10, 5!)."""
    fallback: Fallback = "none"
    """`math-verify`: ask math-verify and sympy, in a worker that can be killed, if our verifier cannot decide. Needs
    the `math` extra."""

    def __post_init__(self) -> None:
        """Without math-verify, refuse what asks it: a row must not be wrong because a package is missing."""
        if self.fallback == "math-verify" and importlib.util.find_spec("math_verify") is None:
            raise MissingExtraError.of("fallback='math-verify'", "math")

    def __hash__(self) -> int:
        """Cheap, since each look into the cache of judgements asks for it and few policies are in use."""
        return hash(self.percent)


DEFAULT = Policy()
