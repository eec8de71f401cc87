"""`harness tasks --check` ends with 0, 1 or 4."""

import pytest

from harness.cli.tasks import _report


@pytest.mark.parametrize(
    ("states", "code"),
    [([], 0), (["ok"], 0), (["ok", "no data"], 0), (["no data", "no data"], 4), (["ok", "failed", "no data"], 1)],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_the_exit_code_says_whether_a_task_failed_or_all_data_are_missing(states, code, as_json):
    assert _report([{"task": "t", "state": state, "line": f"t: {state}"} for state in states], as_json=as_json) == code
