"""Users' functions under attack, in a worker that can be killed; the leaks that the attacks must find."""

from dataclasses import dataclass

import pytest

from rewardkit import Reward, Sample, SampleReward, Score, load
from rewardkit.attack import run
from rewardkit.attack.control import reads_ground_truth

LEAKY = """
import re, time

def digit(completions, **columns):
    return [float("1" in text) for text in completions]

def pays_twice(completions, **columns):
    return [0.5 * len(re.findall("<think>.*?</think>", text, re.S)) for text in completions]

def open_end(completions, answer, **columns):
    return [float(bool(re.search("answer is.*" + re.escape(gold), text, re.S))) for text, gold in zip(completions, answer)]

def honest(sample):
    return sample.completion.strip() == sample.ground_truth

def hangs(sample):
    while sample.completion.startswith("(((("):
        time.sleep(0.01)
    return honest(sample)

def never_answers(sample):
    time.sleep(60)

def none(completions, **columns):
    return [None for _ in completions]
"""


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "leaky.py"
    path.write_text(LEAKY)
    return lambda name: load(f"{path}:{name}")


def samples():
    return [Sample(id=str(k), prompt=f"Question {k}?", ground_truth=str(4000 + 37 * k)) for k in range(30)]


def test_a_reward_that_reads_no_answer_is_found(target):
    assert run(target("digit"), samples(), budget=1200).worst > 0.9


def test_a_format_reward_that_pays_twice_has_a_floor_above_one_payment(target):
    report = run(target("pays_twice"), samples(), budget=600, attacks=["constants", "template"])
    assert report.worst > 0.9
    assert report.floor.value > 2


def test_a_pattern_with_an_open_end_is_found(target):
    rows = [Sample(id=str(k), prompt=f"Question {k}?", ground_truth=str(k % 19)) for k in range(30)]
    report = run(target("open_end"), rows, budget=1500)
    assert report.sound
    assert report.worst > 0.5


def test_an_honest_function_is_paid_for_gold_answers_alone(target):
    report = run(target("honest"), samples(), budget=1200)
    assert report.sound
    assert report.worst == 0


def test_a_reward_that_judges_nothing_is_not_attacked(target):
    rows = samples()[:1]
    report = run(target("never_answers"), rows, budget=400, row_timeout_s=0.1)
    assert report.judged <= 1 + 2 * 11 + 1, "an empty answer and the honest ones, in eleven layouts"
    assert (report.findings, report.floor.value) == ((), None)
    assert "no verdict within 0.1 s" in report.stalled


def test_a_completion_that_hangs_costs_its_form_alone(target):
    report = run(target("hangs"), samples()[:8], budget=400, attacks=["constants", "degenerate"], row_timeout_s=0.5)
    assert "no verdict within 0.5 s" in report.stalled
    assert report.sound
    assert sum(one.score.value is None for one in report.attempts) == 1


@dataclass(frozen=True)
class Silent(SampleReward):
    name = "silent"

    def grade(self, sample: Sample) -> Score:
        return Score.of(sample.completion == sample.ground_truth)


@pytest.mark.parametrize(("reward", "reads"), [(Silent(), True), (load("exact"), True), (load("think_format"), False)])
def test_a_class_that_does_not_say_what_it_needs_is_taken_to_read_the_ground_truth(reward: Reward, reads: bool) -> None:
    assert reads_ground_truth(reward) is reads
