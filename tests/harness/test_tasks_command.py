"""`harness tasks --check` ends with 0, 1 or 4."""

import json

import pytest

from harness.cli.tasks import _report


@pytest.mark.parametrize(
    ("states", "code"),
    [([], 0), (["ok"], 0), (["ok", "no data"], 0), (["no data", "no data"], 4), (["ok", "failed", "no data"], 1)],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_the_exit_code_says_whether_a_task_failed_or_all_data_are_missing(states, code, as_json):
    assert _report([{"task": "t", "state": state, "line": f"t: {state}"} for state in states], as_json=as_json) == code


@pytest.mark.parametrize("named", [["gsm8k"], ["math500,gsm8k"], ["aime24", "math500"]])
def test_only_the_tasks_that_are_named_are_listed(named, harness):
    wanted = {name for part in named for name in part.split(",")}
    code, out, _ = harness("tasks", *named, "--json")
    assert (code, {row["name"] for row in json.loads(out)}) == (0, wanted)
    assert {line.split()[0] for line in harness("tasks", *named)[1].splitlines()} == wanted


@pytest.mark.parametrize("named", [["gsm8q"], ["gsm8k", "gsm8q"], ["gsm8k,gsm8q"]])
def test_a_task_that_is_not_there_is_refused(named, harness):
    code, out, err = harness("tasks", *named)
    assert (code, out) == (2, "")
    assert err == "error: no task 'gsm8q'; did you mean 'gsm8k'?\n"
