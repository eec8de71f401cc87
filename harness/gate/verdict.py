"""The verdicts: PASS, FAIL or INCONCLUSIVE for each rule, and one for the gate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import variance

from harness.errors import NotComparableError
from harness.gate.baseline import Book, Ledger, incomparable
from harness.gate.power import NO_CHANGE_SHARE, seen_drop
from harness.gate.rules import Guard, Minimum, Regression, Rules
from harness.identity import model_words
from rewardkit.errors import UsageError
from rewardkit.paired_tests import compare_counts, holm, margin_test
from rewardkit.stats import Estimate, mean_interval, rarer_kind, t_cdf
from rewardkit.summary import ROUNDING


class Outcome(StrEnum):
    """The outcome of a rule or of the whole gate."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    INCOMPLETE = "incomplete"


EXIT = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.INCONCLUSIVE: 3, Outcome.INCOMPLETE: 4}
"""Exit code of each outcome."""
FEW = 10
"""Below this many problems' worth of right or of wrong answers, a t test that would fail a gate is not trusted."""
_ORDER = (Outcome.INCOMPLETE, Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS)


@dataclass(frozen=True)
class Finding:
    """One rule on one task."""

    task: str
    rule: str
    outcome: Outcome
    message: str
    numbers: Mapping[str, float]
    p: float | None = None
    """One-sided p of the evidence for FAIL, before Holm's correction."""


@dataclass(frozen=True)
class Decision:
    """All findings and the gate's outcome."""

    outcome: Outcome
    findings: Sequence[Finding]
    run: str
    baseline: str | None
    alpha: float
    top_up: int | None
    """Answers a problem to sample up to, if a declared second look is still open."""
    models: tuple[str, str]
    """Which model answered in the run and in the baseline, in words."""
    warned: bool
    """Inconclusive, and the rules say that this is a warning."""
    same_run: bool
    """The baseline was made from this very run."""

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive, 4 incomplete; an inconclusive gate that only warns exits 0."""
        return 0 if self.warned else EXIT[self.outcome]


def decide(run: Book, baseline: Book | None, rules: Rules) -> Decision:
    """Check a run against its rules.

    Raises:
        NotComparableError: the run asked or judged differently from the baseline.
        UsageError: rules that need a baseline without one, or for a task that is not there; a number of answers that was not declared.
    """
    rules.unused(run.ledgers, run.place)
    alpha, again = _look(run, rules)
    findings = [Finding(task, "min", Outcome.INCOMPLETE, "the run holds no problem of it", {}) for task in run.empty]
    for task, ledger in run.ledgers.items():
        least, drop, guard = rules.for_task(task)
        findings += guards(ledger, guard)
        if least is not None:
            findings.append(minimum(ledger, least, alpha, run.scope))
        if drop is not None and baseline is None:
            raise UsageError("a regression rule needs a baseline: --baseline FILE or a run's directory")
        new = baseline is not None and ledger.task not in baseline.ledgers
        if new and least is not None and rules.by_default and rules.by_task.get(task):
            continue
        if drop is not None and baseline is not None:
            base = _partner(baseline, ledger, rules)
            findings += [replace(each, rule="baseline errors") for each in guards(base, Guard(errors=guard.errors))]
            findings.append(regression(base, ledger, drop, alpha))
    if not any(finding.rule in {"min", "regression"} for finding in findings):
        raise UsageError("no rule to judge by: give --min accuracy=X, --baseline B, or rules with --config")
    if baseline is not None and (missing := [task for task in baseline.ledgers if task not in run.ledgers]):
        raise NotComparableError(f"the baseline holds {', '.join(missing)}, which are missing in this run")
    findings = corrected(findings, alpha)
    outcome = next(each for each in _ORDER if each is Outcome.PASS or any(f.outcome is each for f in findings))
    undecided = outcome is Outcome.INCONCLUSIVE
    return Decision(
        outcome,
        findings,
        run.name,
        baseline.name if baseline else None,
        alpha,
        again if undecided else None,
        (_model(run), _model(baseline)),
        warned=undecided and rules.on_inconclusive == "warn",
        same_run=baseline is not None
        and bool(run.date)
        and (run.date, run.ledgers) == (baseline.date, baseline.ledgers),
    )


def _model(book: Book | None) -> str:
    return model_words(book.model) if book is not None and book.model else ""


def _look(run: Book, rules: Rules) -> tuple[float, int | None]:
    """Alpha of this look and, at the first of two, the number of answers for the second."""
    if rules.top_up is None:
        return rules.look_alpha, None
    asked = {ledger.k for ledger in run.ledgers.values()}
    if asked == {rules.top_up.first}:
        return rules.look_alpha, rules.top_up.then
    if asked == {rules.top_up.then}:
        return rules.look_alpha, None
    raise UsageError(
        f"the rules declare looks at {rules.top_up.first} and {rules.top_up.then} answers a problem; "
        f"this run has {', '.join(map(str, sorted(asked)))}"
    )


def _partner(baseline: Book, ledger: Ledger, rules: Rules) -> Ledger:
    base = baseline.ledgers.get(ledger.task)
    if base is None:
        raise NotComparableError(f"the baseline {baseline.place} does not hold {ledger.task}")
    declared = frozenset({rules.top_up.first, rules.top_up.then} if rules.top_up else ())
    reasons = incomparable(base, ledger, also_k=declared)
    if reasons:
        raise NotComparableError(f"{ledger.task} is not comparable with {baseline.place}: {'; '.join(reasons)}")
    return base


def guards(ledger: Ledger, guard: Guard) -> list[Finding]:
    """The shares that must hold whatever the accuracy."""
    found: list[Finding] = []
    checks = (
        ("errors", ledger.errors, guard.errors, True, "of the answers are missing or unjudged"),
        ("truncated", ledger.truncated, guard.truncated, True, "of the answers were cut off"),
        ("format", ledger.format, guard.format, False, "of the answers could be read"),
    )
    for name, value, limit, at_most, words in checks:
        if limit is None:
            continue
        had = 0.0 if value is None else value
        good = had <= limit + ROUNDING if at_most else had >= limit - ROUNDING
        bad = Outcome.INCOMPLETE if name == "errors" else Outcome.FAIL
        message = f"{had:.1%} {words} ({'at most' if at_most else 'at least'} {limit:.1%})"
        found.append(Finding(ledger.task, name, Outcome.PASS if good else bad, message, {"value": had, "limit": limit}))
    return found


def minimum(ledger: Ledger, rule: Minimum, alpha: float, scope: str = "") -> Finding:
    """Accuracy against a threshold: by one-sided bounds at alpha, or by the point estimate if the rule says so.

    By its bounds, FAIL also needs a test, whose p is corrected for all rules: the bounds alone fail too often near 0 and 1, and over many tasks.
    PASS needs the exact binomial test beside Wilson's bound, which accuracies at a low bar reach up to 11 times in 100.
    `scope`: stands behind the number of problems in the message.
    """
    values = [right / n for right, n in ledger.counts.values() if n]
    if not values:
        return Finding(ledger.task, "min", Outcome.INCOMPLETE, "no answer was judged", {})
    estimate = mean_interval(values, confidence=1 - 2 * alpha)
    numbers = {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high, "bar": rule.accuracy}
    numbers["problems"] = float(len(values))
    p = None if rule.judged_on == "point" else _below(values, estimate, rule.accuracy)
    if p is None:
        outcome = Outcome.PASS if estimate.value >= rule.accuracy - ROUNDING else Outcome.FAIL
    elif estimate.low >= rule.accuracy and _above(values, estimate, rule.accuracy) <= alpha:
        outcome = Outcome.PASS
    else:
        outcome = Outcome.FAIL if estimate.high < rule.accuracy and p <= alpha else Outcome.INCONCLUSIVE
    place = "the lower bound" if rule.judged_on == "low" else "it"
    said = f"accuracy {estimate.value:.1%} (one-sided bounds {estimate.low:.1%} and {estimate.high:.1%}) over {len(values)} problems{scope}"
    return Finding(ledger.task, "min", outcome, f"{said}, {place} must reach {rule.accuracy:.1%}", numbers, p)


def _above(values: Sequence[float], estimate: Estimate, bar: float) -> float:
    """One-sided p against "the accuracy is at most the bar" where the bounds are Wilson's; 0 where they are trusted alone."""
    exact = estimate.method == "wilson" and bar > 0
    return binomial_tail(len(values) - sum(values), len(values), 1 - bar) if exact else 0.0


def _below(values: Sequence[float], estimate: Estimate, bar: float) -> float:
    """One-sided p against "the accuracy is at least the bar": Student's t over problems, with the spread that they have at the bar.

    That is theirs around the mean, scaled as p (1 - p). Where t is not trusted, the exact binomial test over problems, which ignores
    that several answers to a problem say more than one.
    """
    few = rarer_kind(values, [1] * len(values)) < FEW
    if estimate.method != "score-t" or few or bar in (0.0, 1.0):
        return binomial_tail(sum(values), len(values), bar)
    scale = bar * (1 - bar) / (estimate.value * (1 - estimate.value))
    error = math.sqrt(scale * variance(values) / len(values))
    return t_cdf((estimate.value - bar) / error, len(values) - 1)


def binomial_tail(right: float, n: int, share: float) -> float:
    """The chance of at most this many right answers to n problems, each right with this chance. Parts of one are rounded up.

    >>> round(binomial_tail(1, 2, 0.5), 6)
    0.75
    """
    most = math.ceil(right - 1e-9)
    if share in (0.0, 1.0) or most >= n:
        return float(share < 1.0 or most >= n)
    terms = (
        math.lgamma(n + 1)
        - math.lgamma(i + 1)
        - math.lgamma(n - i + 1)
        + i * math.log(share)
        + (n - i) * math.log1p(-share)
        for i in range(most + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def regression(base: Ledger, run: Ledger, rule: Regression, alpha: float) -> Finding:
    """Accuracy against the baseline, problem by problem.

    PASS needs evidence that the drop stays within the margin, FAIL that it is beyond it (one-sided t against the margin, each at
    alpha). FAIL also needs the exact test against "nothing changed" at alpha / 5. Neither: INCONCLUSIVE, too little evidence.
    """
    pairs = [(base.counts[p], run.counts[p]) for p in base.counts if base.counts[p][1] and run.counts[p][1]]
    if not pairs:
        return Finding(run.task, "regression", Outcome.INCOMPLETE, "no problem has judged answers in both", {})
    change = compare_counts([b for b, _ in pairs], [a for _, a in pairs])
    diffs = [a / n - b / m for (b, m), (a, n) in pairs]
    test = margin_test(diffs, rule.margin, alpha=alpha)
    p = min(1.0, max(test.p_beyond, NO_CHANGE_SHARE * change.p_worse))
    numbers = {
        "change": change.delta,
        "low": test.low,
        "high": test.high,
        "margin": rule.margin,
        "problems": float(len(pairs)),
        "p_within": test.p_within,
        "p_beyond": test.p_beyond,
        "p_no_change": change.p_worse,
    }
    message = (
        f"accuracy changed by {100 * change.delta:+.1f} points (one-sided bounds {100 * test.low:+.1f} and {100 * test.high:+.1f}) "
        f"over {len(pairs)} problems; allowed drop {100 * rule.margin:.1f} (p against a larger drop {test.p_within:.3g}, "
        f"against a smaller one {test.p_beyond:.3g}, against no change {change.p_worse:.3g})"
    )
    if p <= alpha:
        return Finding(run.task, "regression", Outcome.FAIL, message, numbers, p)
    if test.p_within <= alpha:
        return Finding(run.task, "regression", Outcome.PASS, message, numbers, p)
    seen = seen_drop(test.error, rule.margin, alpha, len(pairs), max(base.k, run.k))
    if seen < 1:
        message += f"; with these numbers a drop of {100 * seen:.1f} points that is spread over the problems would be seen 4 times in 5"
    return Finding(run.task, "regression", Outcome.INCONCLUSIVE, message, numbers, p)


def corrected(findings: Sequence[Finding], alpha: float) -> list[Finding]:
    """Holm over all rules that have a p: together they raise a false alarm no more often than alpha."""
    places = [index for index, finding in enumerate(findings) if finding.p is not None]
    adjusted = holm([findings[index].p or 0.0 for index in places])
    result = list(findings)
    for index, p in zip(places, adjusted, strict=True):
        finding = findings[index]
        numbers = {**finding.numbers, "p": finding.p or 0.0, "p_holm": p}
        outcome = finding.outcome
        message = finding.message
        if outcome is Outcome.FAIL and p > alpha:
            outcome = Outcome.INCONCLUSIVE
            message += f"; not significant over {len(places)} rules (Holm p {p:.3g})"
        result[index] = replace(finding, outcome=outcome, message=message, numbers=numbers)
    return result
