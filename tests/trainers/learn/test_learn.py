"""The learning demo: its tasks, its report, its picture; the runs themselves are marked trainer and slow."""

import contextlib
import json
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from types import SimpleNamespace

import pytest
import recorded
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit import Sample, Score, UsageError, load
from rewardkit.errors import IncompleteError
from tools.learning_picture import picture, tool_picture
from trainers.learn import __main__ as learn_command
from trainers.learn.__main__ import PLAIN, main
from trainers.learn.addition import Problem, split
from trainers.learn.calculator import Product, calculator, demonstrations, products
from trainers.learn.config import TOOL_CONTROL, TOOL_REWARD, LearnConfig, tool_config
from trainers.learn.report import (
    Run,
    Stage,
    curve_of,
    mean,
    read,
    stage_of,
    table,
    tool_table,
    write,
    write_rows,
)


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(0, 99))
def test_every_taught_solution_gets_full_marks(a, b):
    problem = Problem(a, b)
    sample = Sample(completion=problem.solution, ground_truth=problem.answer, completion_tokens=24)
    assert load(LearnConfig.reward).score([sample])[0].value == pytest.approx(1.1)


def test_held_out_problems_are_never_trained_on():
    train, held_out = split(0, held_out=500)
    assert (len(train), len(held_out)) == (9500, 500)
    assert not set(train) & set(held_out)
    assert split(0, held_out=500) == (train, held_out)
    assert split(1, held_out=500)[1] != held_out


def test_a_solution_is_written_digit_by_digit():
    assert Problem(24, 13).solution == "<think>4+3=7,2+1+0=3</think>\\boxed{37}"


@pytest.mark.parametrize(("expression", "result"), [("57*68", "3876"), ("0*5", "0")])
def test_the_calculator_multiplies(expression, result):
    assert calculator(expression) == result


@pytest.mark.parametrize("expression", ["", "5*", "2**9", "1+1", "12*13*14", "__import__('os')", "9" * 9 + "*1"])
def test_the_calculator_refuses_all_else(expression):
    with pytest.raises(ValueError, match="error"):
        calculator(expression)


def test_few_demonstrations_call_the_tool_and_its_text_is_never_trained_on():
    rows = demonstrations(products(0)[:1000], seed=0, tool_share=0.15)
    calls = [row for row in rows if row["completion"][0].get("tool_calls")]
    assert 100 < len(calls) < 200
    assert all(len(row["completion"]) == 1 and row["completion"][0]["role"] == "assistant" for row in rows)
    assert Product(12, 13).with_tool()[1]["prompt"][-1]["content"] == "156"


def test_the_control_is_the_same_run_without_the_tool_term():
    assert replace(tool_config(0, TOOL_REWARD), reward=TOOL_CONTROL) == tool_config(0, TOOL_CONTROL)
    assert load(TOOL_REWARD).text == "tool_call(dapo_math)"


def test_an_unjudged_answer_stops_the_run_instead_of_counting_as_wrong():
    with pytest.raises(IncompleteError, match="could not be judged: no gold"):
        stage_of("sft", [Sample()], [Score.unjudged("no gold")], 1.0)


@pytest.mark.parametrize("name", PLAIN)
def test_the_tool_variant_refuses_options_that_it_does_not_take(name):
    value = {"reward": ["math"], "random_reward": []}.get(name, ["7"])
    result = CliRunner().invoke(main, ["--tools", f"--{name.replace('_', '-')}", *value])
    assert result.exit_code == 2
    assert f"leave out --{name.replace('_', '-')}" in result.output


@pytest.mark.parametrize(
    "option", ["--jobs=0", "--held-out=0", "--held-out=10000", "--grpo-steps=0", "--sft-steps=-1", "--jobs=-3"]
)
def test_a_number_that_makes_no_run_is_one_line(option):
    result = CliRunner().invoke(main, [option])
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    assert "is not in the range" in result.output


@pytest.mark.parametrize("error", [IncompleteError("no sandbox"), UsageError("no reward 'maths'")])
def test_a_run_that_fails_is_one_line_with_the_exit_code_of_its_error(error, monkeypatch):
    def fail(*_):
        raise error

    pool = contextlib.nullcontext(SimpleNamespace(map=fail))
    monkeypatch.setattr(learn_command, "ProcessPoolExecutor", lambda *_, **__: pool)
    result = CliRunner().invoke(main, [])
    assert (result.exit_code, result.output) == (error.exit_code, f"error: {error}\n")


def a_run(seed=0, *, random_reward=False, stages=(0.0, 0.5, 0.8)):
    run = Run(LearnConfig(seed=seed, random_reward=random_reward))
    for name, share in zip(("baseline", "sft", "grpo"), stages, strict=True):
        run.stages.append(Stage(name, tuple(int(i < share * 100) for i in range(100)), share, 21.0, 10.0))
    run.curve = [{"step": float(i), "reward": 0.5, "a+b/accuracy": i / 40} for i in range(40)]
    return run


def test_a_run_is_written_and_read_back(tmp_path):
    run = a_run()
    write(run, tmp_path)
    assert read(tmp_path) == run


def test_rows_are_what_rewardkit_score_reads(tmp_path):
    sample = Sample(completion="\\boxed{2}", ground_truth="2", id="1+1", completion_tokens=5)
    write_rows([sample], tmp_path / "rows.jsonl")
    assert Sample(**json.loads((tmp_path / "rows.jsonl").read_text())) == sample


def test_the_table_has_a_line_a_run_with_the_change_and_its_interval():
    lines = table([a_run(), a_run(1, random_reward=True, stages=(0.0, 0.5, 0.1))]).splitlines()
    assert lines[2] == (
        "| 0 | rewardkit | 0.000 | 0.500 | 0.800 | +0.500 (+0.396 to +0.604) | +0.300 (+0.204 to +0.396) "
        "| 30, 0 | 2e-09 | 10 |"
    )
    assert lines[3].startswith("| 1 | random | 0.000 | 0.500 | 0.100 | +0.500 (+0.396 to +0.604) | -0.400")


def test_the_tool_table_compares_first_and_last_steps():
    run = Run(tool_config(0, TOOL_REWARD))
    run.curve = [{"step": i, "reward": -1.0, "tools/call_frequency": i / 20, "x/accuracy": 0.0} for i in range(20)]
    assert "| 0.23 | 0.72 |" in tool_table([run])
    assert mean([], "x") == 0.0


def test_trls_log_becomes_a_curve_and_its_summary_line_is_left_out():
    log = [{"reward": "0.5", "step": 1, "loss": 0.1, "a/accuracy": "0.25"}, {"train_runtime": 3.0, "step": 1}]
    assert curve_of(log) == [{"reward": 0.5, "step": 1.0, "a/accuracy": 0.25}]


def test_pictures_are_well_formed_svg_inside_their_frame():
    runs = [a_run(), a_run(1), a_run(2, random_reward=True, stages=(0.0, 0.5, 0.06))]
    tools = [Run(tool_config(0, text)) for text in (TOOL_REWARD, TOOL_CONTROL)]
    for run in tools:
        run.curve = [{"step": i, "reward": -1.0, "tools/call_frequency": i / 40} for i in range(40)]
    for svg in (picture(runs), tool_picture(tools)):
        root = ET.fromstring(svg)
        assert root.tag.endswith("svg")
        numbers = [float(x) for line in root.iter() for x in re.findall(r"[-\d.]+", line.get("points") or "")]
        assert all(math.isfinite(x) and 0 <= x <= 860 for x in numbers)
    assert "random reward" in picture(runs)
    recorded.check("learn_pictures.svg", picture(runs) + tool_picture(tools))
    recorded.check("learn_tables.md", f"{table(runs)}\n\n{tool_table(tools)}\n")


@pytest.mark.trainer
@pytest.mark.slow
def test_accuracy_rises_with_sft_and_again_with_grpo(tmp_path):
    """The regression test of everything: TRL, adapter, rewards. Held-out accuracy rises beyond doubt at each stage."""
    pytest.importorskip("trl")
    from trainers.learn.run import learn

    run = learn(LearnConfig(sft_examples=300, sft_steps=300, grpo_steps=60), tmp_path)
    assert run.change("baseline", "sft").low > 0
    assert run.change("sft", "grpo").low > 0


@pytest.mark.trainer
@pytest.mark.slow
def test_accuracy_does_not_rise_when_a_coin_pays(tmp_path):
    pytest.importorskip("trl")
    from trainers.learn.run import learn

    run = learn(LearnConfig(random_reward=True, grpo_steps=30), tmp_path)
    assert run.change("sft", "grpo").low <= 0


@pytest.mark.trainer
@pytest.mark.slow
def test_shaping_that_touches_normal_answers_makes_the_model_collapse(tmp_path):
    """Group scaling turns an overlong term inside the usual length into full-size advantages for shortness alone."""
    pytest.importorskip("trl")
    from trainers.learn.run import learn

    reward = "exact(tag='boxed') + 0.1 * think_format + overlong(max_tokens=22, buffer=12)"
    config = LearnConfig(reward=reward, scale_rewards="group", grpo_learning_rate=3e-4, grpo_steps=40)
    run = learn(config, tmp_path)
    assert run.change("sft", "grpo").high < 0
    assert run.stages[-1].tokens < run.stages[-2].tokens


@given(st.integers(0, 99), st.integers(0, 99))
def test_each_step_of_the_work_that_sft_teaches_is_right(a, b):
    work, box = re.fullmatch(r"<think>(.+)</think>(.+)", Problem(a, b).solution).groups()
    (units, carried), (tens, last) = [step.split("=") for step in work.split(",")]
    assert sum(map(int, units.split("+"))) == int(carried)
    assert sum(map(int, tens.split("+"))) == int(last)
    assert int(last) * 10 + int(carried) % 10 == a + b
    assert box == rf"\boxed{{{a + b}}}"
