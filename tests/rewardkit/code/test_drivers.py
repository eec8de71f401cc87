"""What the end of a test program says of the program under test."""

import pytest

from rewardkit.code import driver
from rewardkit.errors import GroundTruthError, RewardkitError
from rewardkit.types import Verdict
from sandboxes.base import DriverResult, Execution

RAN = Execution(exit_code=0, loaded=True)


def verdict(outcome, execution=RAN):
    return driver._driver_verdict(execution, outcome)


@pytest.mark.parametrize(
    ("error", "expected", "reason"),
    [
        ("AssertionError: 1 != 2", Verdict.WRONG, "an assert of the tests fails: 1 != 2"),
        ("AssertionError", Verdict.WRONG, "an assert of the tests fails"),
        ("cpu limit of 5 s", Verdict.TIME_LIMIT, "the tests do not end with this program: cpu limit of 5 s"),
        ("wall limit of 5 s", Verdict.TIME_LIMIT, "the tests do not end with this program: wall limit of 5 s"),
        ("ProgramError: KeyError: 3", Verdict.RUNTIME_ERROR, "KeyError: 3"),
        ("TypeError: no", Verdict.RUNTIME_ERROR, "TypeError: no"),
        (None, Verdict.RUNTIME_ERROR, "the test program did not end"),
    ],
)
def test_how_the_tests_end_is_the_verdict(error, expected, reason):
    assert verdict(DriverResult(passed=False, error=error, calls=1)) == (expected, reason)


def test_tests_that_pass_are_right_and_without_any_the_program_ended_first():
    assert verdict(DriverResult(passed=True, calls=1)) == (Verdict.CORRECT, "")
    assert verdict(None) == (Verdict.RUNTIME_ERROR, "the program ended before the tests did")
    assert verdict(None, Execution(exit_code=0, error="ValueError: x")) == (Verdict.RUNTIME_ERROR, "ValueError: x")


def test_how_the_program_ended_goes_before_the_assert_that_fails_with_it():
    failed = DriverResult(passed=False, error="AssertionError", calls=1)
    assert verdict(failed, Execution(exit_code=0, compile_error="no"))[0] is Verdict.COMPILE_ERROR
    assert verdict(failed, Execution(exit_code=1))[0] is Verdict.RUNTIME_ERROR


@pytest.mark.parametrize(
    "outcome",
    [DriverResult(passed=False, error=f"{driver.BROKEN}: no", calls=2), DriverResult(passed=True, calls=0)],
)
def test_tests_that_fail_by_themselves_or_ask_nothing_are_a_broken_row(outcome):
    with pytest.raises(GroundTruthError, match="fails by itself"):
        verdict(outcome)


def test_what_the_box_lacks_is_said_with_its_name():
    with pytest.raises(RewardkitError, match="torch"):
        verdict(DriverResult(passed=False, error=f"{driver.UNSUPPORTED}: torch", calls=1))
