"""The control comes first, the base rate is no leak, shares and floors are exact and repeatable."""

import json
from dataclasses import replace

import pytest

from rewardkit import Sample, Score, Verdict, load
from rewardkit.attack import floor, run
from rewardkit.attack.problem import Attempt
from rewardkit.attack.report import Finding, Judged
from rewardkit.base import Function

NUMBERS = [str(17 * k + 23) for k in range(40)]
SHAPED = "math + 0.1 * think_format + overlong(max_tokens=4096, buffer=1024)"


def samples(truths, **fields):
    return [Sample(id=str(k), prompt=f"Question {k}?", ground_truth=truth, **fields) for k, truth in enumerate(truths)]


def by_attack(report):
    return {finding.attack: finding for finding in report.findings}


@pytest.mark.long
def test_gold_answers_in_the_natural_format_are_paid():
    for text, truths in [
        ("math", NUMBERS), ("dapo_math", NUMBERS), ("gsm8k", [f"steps\n#### {n}" for n in NUMBERS]), ("exact(tag='answer')", NUMBERS),
        ("choice", list("ABCD") * 10), ("unsloth_answer", NUMBERS), ("math_agent", NUMBERS), ("boxed_accuracy", NUMBERS),
        ("tool_match", [[{"name": "f", "arguments": {"x": k}}] for k in range(20)]), (SHAPED, NUMBERS),
    ]:  # fmt: skip
        report = run(load(text), samples(truths), budget=400)
        assert report.sound, (text, report.controls)
        assert report.controls[0].paid == report.controls[0].rows > 0, text


def test_a_control_that_fails_names_rows_and_reasons():
    report = run(load("gsm8k"), samples(["no number"] * 20), budget=300)
    assert not report.sound
    assert report.controls[0].failures


def test_what_leaks_has_an_example_whatever_the_whole_reward_is():
    asked = [Sample(id=str(n), prompt=f"What is 3+{n}?", ground_truth=str(n + 3)) for n in range(20, 40)]
    report = run(load("-1 * math"), asked, budget=400)
    assert report.worst > 0
    assert all(finding.examples for finding in report.findings if finding.leaked)


def test_a_right_guess_is_the_base_rate_and_no_leak():
    report = run(load("exact(tag='answer')"), samples(["7"] * 30 + NUMBERS[:10]), budget=2000)
    found = by_attack(report)["constants"]
    assert found.variant == "always 7"
    assert 0.6 < found.base_rate == found.paid < 0.9
    assert report.worst == 0


@pytest.mark.long
@pytest.mark.parametrize("text", ["choice(letters='ABCD')", "exact(tag='answer')"])
def test_a_letter_that_is_read_whatever_is_right_is_no_leak(text):
    report = run(load(text), samples(list("ABCD") * 6), budget=3000)
    assert report.sound
    assert report.worst == 0
    assert 0.1 < report.floor.value < 0.5


def lenient(sample):
    return Score.of(f" {sample.ground_truth}" in sample.completion, answer=sample.ground_truth)


def test_the_right_letter_found_in_a_list_is_a_leak():
    assert run(Function(lenient), samples(list("ABCD") * 6), budget=3000).worst == 1


LISTS = [["Lima", "Rome"], ["Oslo", "Bern", "Kyiv"], ["Cairo", "Quito"]]
CALLS = [{"name": "f", "arguments": {"x": k}} for k in range(4)]
TABLES = [[{"a": f"x|{k}", "b": k}, {"a": None, "b": "é"}] for k in range(3)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "truths"),
    [
        ("tool_match(partial=False)", CALLS),
        ("tool_match(partial=False)", [CALLS[:2], CALLS[2:]]),
        ("tool_match(partial=False)", [json.dumps(call) for call in CALLS]),
        ("tool_match(partial=False)", [json.dumps([call]) for call in CALLS]),
        ("tool_match(partial=False)", [[{"type": "function", "function": call}] for call in CALLS]),
        ("tool_match(partial=False)", [[{"function": {**call, "arguments": json.dumps(call["arguments"])}}] for call in CALLS]),
        ("list_match(partial=False)", LISTS),
        ("list_match(partial=False)", [json.dumps(one) for one in LISTS]),
        ("list_match(partial=False)", [", ".join(one) for one in LISTS]),
        ("exact", LISTS),
        ("table_match(partial=False)", TABLES),
        ("table_match(partial=False)", [json.dumps(one) for one in TABLES]),
        ("table_match(partial=False)", [[["a", "b"], ["1", 2]]]),
    ],
)  # fmt: skip
def test_honest_answers_have_the_form_of_the_ground_truth(text, truths):
    (control,) = run(load(text), samples(truths), budget=300).controls
    assert (control.rows, control.paid, control.value) == (len(truths), len(truths), 1.0)


def test_an_honest_reward_leaks_nothing_on_numbers():
    report = run(load("math"), samples(NUMBERS), budget=2000)
    assert report.worst == 0
    assert report.floor.value < 0.1


def test_the_floor_of_a_shaped_reward_is_its_free_share():
    found = floor(load(SHAPED), samples(NUMBERS), seed=1, budget=2000)
    assert found.value == pytest.approx(0.1, abs=0.03)
    assert found.gold == pytest.approx(1.1)
    assert found.parts["think_format"] == 1


def test_the_floor_counts_turns_that_do_nothing():
    """GRPO-TCR forgives a wrong answer for empty tool rounds: -0.6 in place of -1.0."""
    found = floor(load("tool_call(dapo_math)"), samples(NUMBERS), budget=2000)
    assert found.value == pytest.approx(-0.6, abs=0.1)
    assert found.empty == pytest.approx(-1.0)


def test_the_same_seed_gives_the_same_report():
    one, two = (run(load(SHAPED), samples(NUMBERS), seed=5, budget=600) for _ in range(2))
    assert one.as_dict() == two.as_dict()
    assert one.rows() == two.rows()


@pytest.mark.parametrize("budget", [1, 30, 200, 1000])
def test_a_budget_is_kept_up_to_the_control(budget):
    report = run(load("math"), samples(NUMBERS), budget=budget)
    assert report.judged <= max(budget, 0) + 150  # the control and the first row of each data source come in any case
    assert report.findings


def test_shaping_terms_are_paid_and_not_counted_as_leaks():
    report = run(load("math + 0.1 * think_format"), samples(NUMBERS), budget=1000)
    found = by_attack(report)["template"]
    assert (found.paid, found.leaked) == (1.0, 0.0)


@pytest.mark.long
def test_data_sources_are_attacked_apart():
    rows = [*samples(NUMBERS, data_source="numbers"), *samples(["A", "B"] * 10, data_source="letters")]
    report = run(load("by_source({'numbers': math, 'letters': choice})"), rows, budget=2000)
    assert {control.data_source for control in report.controls} == {"numbers", "letters"}
    assert {finding.data_source for finding in report.findings} == {"numbers", "letters"}
    assert report.sound


def test_rows_that_cannot_be_judged_are_never_paid():
    report = run(load("math + overlong(max_tokens=100, buffer=10)"), samples([None] * 8), budget=300)
    assert "unjudged" in report.stalled
    assert all(finding.paid == 0 for finding in report.findings)
    assert report.floor.value is None


def leaks_on_sixes(sample):
    """Pays everything where the ground truth ends with a 6, if there is one."""
    if sample.ground_truth is None:
        return None
    return float(bool(sample.completion) and sample.ground_truth.endswith("6"))


@pytest.mark.long
@pytest.mark.parametrize("text", ["math", "choice", SHAPED, "leaks_on_sixes"])
def test_rows_that_cannot_be_judged_change_no_share(text):
    reward = Function(leaks_on_sixes) if text == "leaks_on_sixes" else load(text)
    rows = samples(list("ABCD") * 3 if text == "choice" else NUMBERS[:12])
    before = by_attack(run(reward, rows, budget=5000))
    for lost in (1, 50):
        odd = [Sample(id=f"odd {k}", prompt=f"Question {k}?", completion_tokens=5) for k in range(lost)]
        for attack, one in by_attack(run(reward, [*odd, *rows], budget=5000)).items():
            other = before[attack]
            same = replace(one, variant=other.variant, unjudged=other.unjudged, examples=other.examples)
            assert same == other
            assert one.rows == 12


def test_the_floor_is_the_mean_of_the_rows_it_says():
    rows = [*samples(NUMBERS[:5]), *(Sample(id=f"odd {k}", prompt="?") for k in range(60))]
    found = run(Function(leaks_on_sixes), rows, budget=2000).floor
    assert (found.value, found.rows) == (sum(number.endswith("6") for number in NUMBERS[:5]) / 5, 5)


def test_attempts_that_were_not_judged_are_in_no_share():
    def judged(value):
        score = Score.unjudged("no sandbox") if value is None else Score.of(value)
        return Judged(Sample(), "guess", Attempt("text"), score, Score.of(0), by_chance=False)

    known = [judged(1.0), judged(0.0), judged(1.0)]
    alone = Finding.of("guess", "text", "numbers", known)
    for lost in (1, 7, 1000):
        found = Finding.of("guess", "text", "numbers", [*known, *[judged(None)] * lost])
        assert replace(found, unjudged=0, examples=()) == replace(alone, examples=())
        assert found.unjudged == lost
    assert (alone.rows, alone.leaked, alone.paid, alone.mean) == (3, 2 / 3, 2 / 3, pytest.approx(2 / 3))


def test_proposals_of_a_model_take_part_in_the_search():
    asked = []

    def propose(reward, findings):
        asked.append((reward.text, len(findings)))
        return ["<answer>{prompt}</answer>"]

    rows = [Sample(prompt=f"q{k}", ground_truth=f"q{k}") for k in range(8)]
    report = run(load("exact(tag='answer')"), rows, budget=400, attacks=["degenerate"], propose=propose)
    assert asked == [("exact(tag='answer')", 1)]
    assert report.floor.value == 1
    assert "proposed" in report.floor.recipe


def test_leaks_are_shown_first_then_what_is_paid_most():
    def judged(value, outcome=None, **facts):
        score = Score.unjudged("no sandbox") if value is None else replace(Score.of(value, **facts), outcome=outcome)
        return Judged(Sample(id=str(value)), "guess", Attempt("text"), score, Score.of(0), by_chance=False)

    def shaped(value):
        return judged(value, verdict=Verdict.WRONG, outcome=0.0)

    rows = [judged(None), shaped(0.25), judged(0.125, verdict=Verdict.CORRECT), shaped(0.5)]
    assert [row.leaked for row in rows] == [False, False, True, False]
    finding = Finding.of("guess", "text", "numbers", rows)
    assert [example["id"] for example in finding.examples] == ["0.125", "0.5", "0.25"]
