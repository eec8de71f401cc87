"""The terms of a reward."""

from rewardkit import load
from trainers.parts import terms

SUM = "exact + 0.1 * think_format"


def test_a_sum_has_its_terms_and_any_other_reward_is_its_own():
    assert [(weight, term.label) for weight, term in terms(load(SUM))] == [(1.0, "exact"), (0.1, "think_format")]
    assert terms(load("exact")) == ((1.0, load("exact")),)


def test_a_sum_under_another_name_keeps_its_terms():
    assert terms(load(f"named('mine', {SUM})")) == terms(load(SUM))
    assert terms(load("named('mine', exact)")) == ((1.0, load("named('mine', exact)")),)


def test_a_gated_sum_is_one_term_since_it_is_paid_only_sometimes():
    gated = load(f"gated(think_format, {SUM})")
    assert terms(gated) == ((1.0, gated),)
