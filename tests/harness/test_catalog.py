"""The task files and the command line around them."""

import json
import subprocess
import sys

import pytest

from harness import catalog

WANTED = {
    "deepscaler", "omni_math", "numina_math", "gpqa_diamond", "aime24", "aime25", "amc23", "gsm8k", "math500", "olympiadbench",
    "taco", "aime26", "brumo25", "hmmt_feb25", "hmmt_nov25", "hmmt_feb26", "leetcode", "humaneval", "mbpp", "livecodebench", "aime", "opd_val", "grpo_tcr_val", "gsm8k_stages",
}  # fmt: skip


def test_all_tasks_and_groups_are_there():
    assert set(catalog.names()) >= WANTED
    assert catalog.groups() == {"aime", "opd_val", "grpo_tcr_val", "gsm8k_stages"}


def test_each_task_says_what_it_is_and_no_problem_text_is_shipped():
    assert all(text.endswith(".") for text in catalog.names().values())
    assert all(path.suffix in {".yaml", ""} for path in catalog.TASKS.iterdir())
    assert max(path.stat().st_size for path in catalog.TASKS.iterdir()) < 2_000


def test_tasks_are_listed_without_lm_eval(harness):
    code, out, _ = harness("tasks")
    assert code == 0
    assert "gpqa_diamond" in out
    code, out, _ = harness("tasks", "--json")
    assert {row["name"] for row in json.loads(out)} >= WANTED
    assert harness("tasks", "--path")[1].strip() == str(catalog.TASKS)


@pytest.mark.parametrize("command", ["run", "tasks", "compare", "gate", "report", "rescore"])
def test_help_imports_nothing_heavy(command):
    code = f"""
import sys
from harness.cli import cli
try:
    cli.main([{command!r}, "--help"])
except SystemExit:
    pass
heavy = {{"torch", "lm_eval", "datasets", "transformers", "numpy", "aiohttp"}} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage" in done.stdout


def test_an_unknown_command_names_the_nearest(harness):
    code, _, err = harness("compere")
    assert (code, "'compare'" in err) == (2, True)


@pytest.mark.engine
def test_groups_hold_their_tasks_and_the_recipes_numbers(shared_data, monkeypatch):
    monkeypatch.setenv("REWARDKIT_DATA", str(shared_data))
    loaded = catalog.load_tasks(catalog.manager(["opd_val"]), ["opd_val"])
    assert set(loaded["tasks"]) == {"opd_aime24", "opd_aime25", "opd_amc23"}
    for task in loaded["tasks"].values():
        options = task.config.generation_kwargs
        assert (task.config.repeats, options["max_gen_toks"], options["temperature"], options["top_p"]) == (
            16,
            31_744,
            1.0,
            0.95,
        )


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("task", ["aime24", "aime25", "amc23", "math500", "gsm8k", "olympiadbench", "gsm8k_agent"])
def test_every_gold_answer_is_right_and_a_wrong_one_is_not(harness, shared_data, task):
    code, out, err = harness("tasks", "--check", task, "--data-dir", shared_data)
    assert code == 0, out + err
