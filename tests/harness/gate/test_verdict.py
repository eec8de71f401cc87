"""How often a gate says PASS and FAIL, simulated on problems of known difficulty."""

import math
import random
import re
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path

import pytest

from harness.gate.baseline import Book, Ledger
from harness.gate.power import make_plan, plan_book, planned_error
from harness.gate.rules import Minimum, Regression, Rules
from harness.gate.verdict import EXIT, Outcome, binomial_tail, decide

MARGIN = 0.02
RULES = Rules(regression=Regression(margin=MARGIN))
SIZES = [(500, 1), (300, 4), (200, 16), (30, 16), (60, 1)]
GATES = 250


def book(counts, k) -> Book:
    ledger = Ledger(
        task="t",
        version="1",
        scorer="math math@1",
        template="None",
        task_file="None",
        data="None",
        k=k,
        sampling={},
        tools=None,
        counts={f"p{n}": (right, k) for n, right in enumerate(counts)},
        errors=0.0,
        truncated=0.0,
        format=1.0,
    )
    return Book("run", "place", {"t": ledger})


@lru_cache(maxsize=4096)
def shares(p: float, k: int) -> tuple[float, ...]:
    total, found = 0.0, []
    for right in range(k + 1):
        total += math.comb(k, right) * p**right * (1 - p) ** (k - right)
        found.append(total)
    return tuple(found)


def solved(rng, chances, k):
    found = []
    for p in chances:
        draw, right = rng.random(), 0
        for share in shares(p, k)[:-1]:
            right += draw > share
        found.append(right)
    return found


def difficulties(n: int) -> list[float]:
    rng = random.Random(3)
    return [round(0.05 + 0.9 * rng.betavariate(1.2, 0.8), 3) for _ in range(n)]


def dropped(chances, drop):
    """The same problems for a model that is worse by `drop` on average: most where there is most to lose."""
    mean = sum(chances) / len(chances)
    return [p * (1 - drop / mean) for p in chances]


@cache
def outcomes(n, k, drop):
    rng = random.Random(f"{n} {k} {drop} 0")
    before = difficulties(n)
    after = dropped(before, drop)
    found = [
        decide(book(solved(rng, after, k), k), book(solved(rng, before, k), k), RULES).outcome for _ in range(GATES)
    ]
    return {each: found.count(each) for each in Outcome}


def at_most(share, gates=GATES):
    """The count that a true rate of `share` exceeds in one of 1,000 simulations."""
    count, total = 0, (1 - share) ** gates
    while total < 0.999:
        count += 1
        total += math.comb(gates, count) * share**count * (1 - share) ** (gates - count)
    return count


@pytest.mark.long
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_a_drop_equal_to_the_margin_fails_and_passes_at_most_at_alpha(n, k):
    found = outcomes(n, k, MARGIN)
    assert found[Outcome.FAIL] <= at_most(0.05), found
    assert found[Outcome.PASS] <= at_most(0.05), found


@pytest.mark.long
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_an_unchanged_model_fails_at_most_once_in_a_hundred(n, k):
    assert outcomes(n, k, 0.0)[Outcome.FAIL] <= at_most(0.01)


@pytest.mark.long
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_a_planned_drop_is_seen_and_an_unchanged_model_passes_as_planned(n, k):
    chances = difficulties(n)
    noise = sum(p * (1 - p) for p in chances) / n
    plan = make_plan("t", n, k, noise, MARGIN, RULES.alpha)
    seen = outcomes(n, k, plan.sees)[Outcome.FAIL] / GATES
    assert seen == pytest.approx(0.8, abs=0.09)
    assert outcomes(n, k, 0.0)[Outcome.PASS] / GATES == pytest.approx(plan.passes, abs=0.09)


@pytest.mark.parametrize("n", [30, 150, 500])
def test_a_drop_that_sits_in_few_problems_is_not_passed(n):
    """All problems are solved before; each is lost for good with a chance equal to the margin. Plain t passes up to half of these."""
    rng = random.Random(n)
    base = book([1] * n, 1)
    found = [decide(book([int(rng.random() > MARGIN) for _ in range(n)], 1), base, RULES).outcome for _ in range(GATES)]
    assert found.count(Outcome.PASS) <= at_most(0.07)


@pytest.mark.long
@pytest.mark.parametrize("lost", [1, 2, 5])
@pytest.mark.parametrize(("n", "k"), [(30, 16), (60, 4), (100, 16)])
def test_a_drop_in_problems_that_are_asked_and_lost_altogether_is_not_passed(n, k, lost):
    """Few problems make up the whole margin, and nothing else changes."""
    rng, before = random.Random(n), 0.95
    after = [before] * (n - lost) + [0.0] * lost
    rules = Rules(regression=Regression(margin=lost * before / n))
    gates = (decide(book(solved(rng, after, k), k), book(solved(rng, [before] * n, k), k), rules) for _ in range(GATES))
    assert sum(each.outcome is Outcome.PASS for each in gates) <= at_most(0.05)


@pytest.mark.parametrize(("n", "k", "noise"), [(500, 1, 0.2), (200, 4, 0.1), (30, 16, 0.15), (1319, 1, 0.05)])
def test_the_answers_a_plan_asks_for_are_enough_and_no_fewer_are(n, k, noise):
    plan = make_plan("t", n, k, noise, MARGIN, 0.05)
    assert make_plan("t", n, plan.needed_k, noise, MARGIN, 0.05).enough
    assert plan.needed_k == 1 or not make_plan("t", n, plan.needed_k - 1, noise, MARGIN, 0.05).enough


def test_a_baseline_with_few_answers_needs_more_of_its_own():
    [plan] = plan_book(book([n % 2 for n in range(300)], 1), RULES)
    assert not plan.enough
    assert "in both runs" in plan.line()
    assert make_plan("t", 300, plan.needed_k, 0.25, MARGIN, 0.05).enough or plan.needed_k > 1
    [alone] = plan_book(book([n % 2 for n in range(300)], 1), RULES, k=10_000)
    assert not alone.enough


@pytest.mark.parametrize("n", [2, 20, 100, 400])
def test_no_message_promises_to_see_a_drop_of_nothing(n):
    decision = decide(book([1] * n, 1), book([1] * n, 1), RULES)
    [message] = [each.message for each in decision.findings if each.rule == "regression"]
    assert "a drop of 0.0 points" not in message
    assert decision.outcome is (Outcome.PASS if (1 - MARGIN) ** n <= 0.05 else Outcome.INCONCLUSIVE)
    [plan] = plan_book(book([1] * n, 1), RULES)
    assert plan.sees > MARGIN
    assert plan.enough is (decision.outcome is Outcome.PASS)


@pytest.mark.parametrize(("problems", "variance"), [(1, 1.0), (2, 0.75 / 2), (3, 0.5 / 3), (6, 0.35 / 6)])
def test_the_planned_error_is_that_of_the_problems_and_of_two_made_up_ones(problems, variance):
    """4 answers here and 1 there, 0.2 of noise: each problem has a spread of 0.25, and 0.5 is shared by n - 1."""
    assert planned_error(problems, 4, 1, 0.2) == pytest.approx(math.sqrt(variance))


def whole(tasks, k):
    """A run of several tasks: right answers by problem."""
    return Book(
        "run",
        "place",
        {f"t{n}": book(counts, k).ledgers["t"].model_copy(update={"task": f"t{n}"}) for n, counts in enumerate(tasks)},
    )


@pytest.mark.parametrize(
    ("tasks", "n", "k", "bar", "compared"),
    [
        (1, 100, 1, 0.5, False),
        (20, 60, 1, 0.6, False),
        (20, 40, 1, 0.95, False),
        (10, 30, 4, 0.7, False),
        (8, 30, 4, 0.93, False),
        pytest.param(20, 60, 8, 0.3, False, marks=pytest.mark.slow),
        pytest.param(20, 60, 8, 0.8, False, marks=pytest.mark.slow),
        (8, 30, 1, 0.9, True),
    ],
)
def test_accuracies_at_their_bars_fail_at_most_at_alpha_over_all_rules_together(tasks, n, k, bar, compared):
    """Each problem is a new draw; with several answers its difficulty is spread around the bar."""
    rng = random.Random(f"{tasks} {n} {k} {bar}")
    rules = Rules(minimum=Minimum(accuracy=bar), regression=Regression(margin=MARGIN) if compared else None)
    fails, gates = 0, 100
    for _ in range(gates):
        spread = [[bar if k == 1 else rng.betavariate(4 * bar, 4 - 4 * bar) for _ in range(n)] for _ in range(tasks)]
        now, before = (
            whole([[sum(rng.random() < p for _ in range(k)) for p in each] for each in spread], k) for _ in "ab"
        )
        fails += decide(now, before if compared else None, rules).outcome is Outcome.FAIL
    assert fails <= at_most(0.05, gates)


@pytest.mark.parametrize("bar", [0.0, 0.5, 0.6, 0.8, 1.0])
@pytest.mark.parametrize(("n", "k"), [(200, 8), (100, 16), (60, 32)])
def test_a_run_clearly_below_its_bar_fails_with_several_answers_a_problem(n, k, bar):
    """4 standard errors below: those of problems whose difficulty is spread, with k answers each."""
    rng = random.Random(f"{n} {k} {bar}")
    mean = max(0.0, bar - 4 * math.sqrt(bar * (1 - bar) * (1 / 17 + 16 / 17 / k) / n)) if bar < 1.0 else 0.8
    chances = [rng.betavariate(16 * mean, 16 - 16 * mean) if mean else 0.0 for _ in range(n)]
    counts = [sum(rng.random() < p for _ in range(k)) for p in chances]
    outcome = decide(book(counts, k), None, Rules(minimum=Minimum(accuracy=bar))).outcome
    assert outcome is (Outcome.FAIL if bar else Outcome.PASS)


@pytest.mark.parametrize("n", [10, 30, 100, 300])
@pytest.mark.parametrize("bar", [0.0, 0.02, 0.061, 0.18, 0.5, 0.8, 0.97, 1.0])
def test_an_accuracy_at_its_bar_passes_at_most_at_alpha_with_one_answer_a_problem(n, bar):
    """Exactly: the chances of all numbers of right answers that pass. Wilson's bound alone passes 11 of 100 at a bar of 0.061 of 30."""
    passed = 0.0
    for right in range(n + 1):
        chance = math.comb(n, right) * bar**right * (1 - bar) ** (n - right)
        counts = [1] * right + [0] * (n - right)
        if decide(book(counts, 1), None, Rules(minimum=Minimum(accuracy=bar))).outcome is Outcome.PASS:
            passed += chance
    assert passed == 1.0 if bar == 0.0 else passed <= RULES.alpha


def test_one_task_far_below_its_bar_fails_among_many():
    counts = [[1] * 60 for _ in range(19)]
    assert (
        decide(whole([*counts, [1] * 30 + [0] * 30], 1), None, Rules(minimum=Minimum(accuracy=0.8))).outcome
        is Outcome.FAIL
    )


@pytest.mark.parametrize("share", [0.0, 0.03, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("n", [1, 7, 1500])
def test_the_binomial_tail_is_that_of_exact_fractions(n, share):
    exact, p = Fraction(0), Fraction(share)
    for right in range(min(n, 9) + 1):
        exact += math.comb(n, right) * p**right * (1 - p) ** (n - right)
        assert binomial_tail(right, n, share) == pytest.approx(float(exact), rel=1e-6, abs=1e-12)
        assert binomial_tail(right - 0.5, n, share) == binomial_tail(right, n, share)


def test_exit_codes_are_those_of_the_docs():
    page = (Path(__file__).parents[3] / "docs/ci-gate.md").read_text()
    assert {outcome.value: code for outcome, code in EXIT.items()} == {
        "pass": 0,
        "fail": 1,
        "inconclusive": 3,
        "incomplete": 4,
    }
    for outcome, code in EXIT.items():
        assert re.search(
            rf"{outcome.value.upper()}.*\b{code}\b|\b{code}\b.*{outcome.value.upper()}", page, re.IGNORECASE
        ), outcome
