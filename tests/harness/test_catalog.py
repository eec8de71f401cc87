"""The task files and the command line around them."""

import json
import subprocess
import sys
from types import SimpleNamespace

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


@pytest.fixture
def check(lm_eval, harness, small_data):
    """`harness tasks --check` on the small data."""
    return lambda *args: harness("tasks", "--check", *args, "--data-dir", small_data)


def test_a_task_whose_golds_are_right_passes_and_one_without_data_is_told(check):
    code, out, err = check("math500,gsm8k", "aime24")
    lines = out.splitlines()
    assert (code, lines[:2]) == (
        0,
        [f"{name}: 18 rows, gold right 18/18, wrong refused 18/18" for name in ("math500", "gsm8k")],
    )
    assert lines[2].startswith("aime24: no data (")
    assert err.splitlines()[-3:] == ["checking math500", "checking gsm8k", "checking aime24"]
    assert check("aime24")[0] == 4


def test_a_task_whose_judge_is_wrong_fails_with_the_first_rows_named(check, tmp_path):
    yaml = "include: _base_yaml\ntask: mine\ndataset_kwargs: {data: math500, shape: math, reward: exact}\n"
    (tmp_path / "mine.yaml").write_text(yaml)
    code, out, _ = check("mine", "--include_path", tmp_path, "--json")
    (found,) = json.loads(out)
    assert (code, found["state"], found["gold_right"], found["golds"], found["wrong_refused"]) == (
        1,
        "failed",
        0,
        18,
        18,
    )
    assert (len(found["problems"]), found["left_out"], found["rows"]) == (18, {}, 18)
    assert len(found["line"].splitlines()) == 5
    assert found["line"].endswith("and 15 more")


def test_the_catalogue_is_listed_for_people_and_for_machines(harness):
    listed = {row["name"]: row for row in json.loads(harness("tasks", "--json")[1])}
    assert {name for name, row in listed.items() if row["group"]} == catalog.groups()
    assert any(line.startswith("aime ") and "group: " in line for line in harness("tasks")[1].splitlines())
    assert harness("tasks", "--path")[:2] == (0, f"{catalog.TASKS}\n")


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["--tasks", "x"], ["--tasks", "x", "--include_path", str(catalog.TASKS)]),
        (["run", "--tasks", "x"], ["run", "--tasks", "x", "--include_path", str(catalog.TASKS)]),
        (["validate"], ["validate", "--include_path", str(catalog.TASKS)]),
        (["--tasks", "x", "--include_path", "mine"], ["--tasks", "x", "--include_path", "mine"]),
        (["--help"], ["--help"]),
        (["ls", "-h"], ["ls", "-h"]),
        (["other"], ["other"]),
        ([], []),
    ],
)
def test_lm_evals_own_command_gets_our_tasks_unless_it_names_others(lm_eval, harness, monkeypatch, given, passed):
    called = []
    monkeypatch.setattr(sys, "argv", ["kept"])
    main = SimpleNamespace(cli_evaluate=lambda: called.append(list(sys.argv)))
    monkeypatch.setitem(sys.modules, "lm_eval.__main__", main)
    harness("lm-eval", *given)
    assert called == [["lm_eval", *passed]]
