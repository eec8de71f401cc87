"""Facts to verdicts, with a fake sandbox: modes, limits, early stop, lost boxes, special judges."""

import asyncio
import math

import pytest
from fake_calls import fake_calls

from rewardkit.code.formats import read_problem
from rewardkit.code.judge import CALLS_A_JOB, entry_point, judge, with_stub
from rewardkit.code.policy import Policy
from rewardkit.errors import GroundTruthError
from rewardkit.types import Verdict
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import CallResult, DriverResult, Execution
from sandboxes.errors import SandboxLost

SQUARES = {"inputs": [str(i) for i in range(16)], "outputs": [str(i * i) for i in range(16)]}
COUNT = 2 * CALLS_A_JOB + 50
CALLS = {"inputs": [[i] for i in range(COUNT)], "outputs": [i * i for i in range(COUNT)], "fn_name": "f"}


def judged(truth, sandbox, context=None, **policy):
    problem = read_problem(truth, context)
    return asyncio.run(judge(problem, "program", sandbox, Policy(**policy)))


def squares_up_to(bound):
    return FakeSandbox(lambda job: Execution(exit_code=0, stdout=str(min(int(job.stdin), bound) ** 2).encode()))


@pytest.mark.parametrize(
    ("mode", "good", "value", "verdict"),
    [
        ("all_or_nothing", 16, 1.0, "correct"), ("all_or_nothing", 7, 0.0, "wrong"), ("fraction", 16, 1.0, "correct"),
        ("fraction", 7, 0.4375, "partial"), ("fraction", 0, 0.0, "wrong"), ("first_k", 16, 1.0, "correct"),
        ("first_k", 7, 0.7, "partial"), ("first_k", 12, 1.0, "partial"), ("weighted", 16, 1.1, "correct"),
        ("weighted", 7, 0.04375, "partial"), ("weighted", 0, 0.0, "wrong"),
    ],
)  # fmt: skip
def test_modes(mode, good, value, verdict):
    sandbox = FakeSandbox(
        lambda job: Execution(exit_code=0, stdout=str(int(job.stdin) ** 2 if int(job.stdin) < good else -1).encode())
    )
    judgement = judged(SQUARES, sandbox, mode=mode)
    assert judgement.value == pytest.approx(value)
    assert judgement.verdict.value == verdict
    assert judgement.total == 16


@pytest.mark.parametrize("truth", [SQUARES, CALLS, {"functional": "assert f(1) == 1"}])
def test_a_judgement_says_how_its_program_was_isolated(truth):
    done = Execution(
        exit_code=0, stdout=b"0", calls=[CallResult()], driver=DriverResult(passed=True, calls=1), isolation="strong"
    )
    assert judged(truth, FakeSandbox(lambda job: done)).isolation == "strong"


def test_all_or_nothing_stops_at_the_first_failure():
    sandbox = squares_up_to(2)
    judgement = judged(SQUARES, sandbox)
    assert len(sandbox.seen) == 4
    assert [fact.passed for fact in judgement.facts] == [True, True, True, False]
    assert judgement.reason == "test 4 of 16: word 1 is '4', expected '9'; input '3'"


def test_fraction_runs_every_test():
    sandbox = squares_up_to(2)
    judgement = judged(SQUARES, sandbox, mode="fraction")
    assert len(sandbox.seen) == 16
    assert judgement.passed == 3
    assert judgement.reason.startswith("3 of 16 tests passed; test 4 of 16: ")


def test_first_k_runs_the_others_only_after_a_clean_start():
    sandbox = squares_up_to(2)
    assert judged(SQUARES, sandbox, mode="first_k", k=5).value == pytest.approx(0.6)
    assert len(sandbox.seen) == 5
    sandbox = squares_up_to(8)
    judgement = judged(SQUARES, sandbox, mode="first_k", k=5)
    assert (judgement.value, judgement.verdict) == (1.0, Verdict.PARTIAL)
    assert len(sandbox.seen) == 10


def test_weights_of_the_row_count_in_weighted_mode():
    truth = {**SQUARES, "weights": [9.0] + [1.0] * 15}
    assert judged(truth, squares_up_to(0), mode="weighted").value == pytest.approx(0.1 * 9 / 24)
    assert judged(truth, squares_up_to(0), mode="fraction").value == pytest.approx(1 / 16)


@pytest.mark.parametrize("first", [-1.0, 1e9, "1", math.inf, math.nan])
def test_weights_that_are_no_bounded_numbers_are_refused(first):
    with pytest.raises(GroundTruthError, match="weights must be 16 numbers"):
        read_problem({**SQUARES, "weights": [first] + [1.0] * 15})


def test_max_tests_runs_the_first_ones():
    sandbox = squares_up_to(2)
    judgement = judged(SQUARES, sandbox, max_tests=3)
    assert (judgement.verdict, judgement.total, len(sandbox.seen)) == (Verdict.CORRECT, 3, 3)


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        ({"limit": "cpu", "cpu_s": 5.0}, "time_limit"),
        ({"limit": "wall", "wall_s": 11.0}, "time_limit"),
        ({"limit": "memory"}, "memory_limit"),
        ({"limit": "output", "truncated": True}, "output_limit"),
        ({"limit": "file"}, "output_limit"),
        ({"limit": "processes"}, "runtime_error"),
        ({"exit_code": 0, "truncated": True}, "output_limit"),
        ({"exit_code": 1, "error": "ValueError: no"}, "runtime_error"),
        ({"signal": 11}, "runtime_error"),
        ({"compile_error": "SyntaxError: bad"}, "compile_error"),
        ({"exit_code": 0}, "correct"),
    ],
)
@pytest.mark.parametrize("mode", ["all_or_nothing", "fraction"])
def test_how_a_run_ended_is_its_verdict(facts, verdict, mode):
    sandbox = FakeSandbox(lambda _: Execution(stdout=b"0", **facts))
    judgement = judged({"inputs": ["0"], "outputs": ["0"]}, sandbox, mode=mode)
    assert judgement.verdict.value == verdict
    assert judgement.value == float(verdict == "correct")
    assert "\n" not in judgement.reason


def test_the_right_output_and_a_bad_exit_is_a_runtime_error():
    sandbox = FakeSandbox(lambda _: Execution(stdout=b"0", exit_code=1))
    assert judged({"inputs": ["0"], "outputs": ["0"]}, sandbox).verdict is Verdict.RUNTIME_ERROR


def test_a_lost_box_is_never_a_verdict():
    for mode in ("all_or_nothing", "fraction"):
        with pytest.raises(SandboxLost):
            judged(SQUARES, FakeSandbox(lambda _: Execution(lost="killed")), mode=mode)
        with pytest.raises(SandboxLost):
            judged(CALLS, FakeSandbox(lambda _: Execution(lost="killed")), mode=mode)


def test_a_box_lost_now_and_then_is_made_up_for():
    lost = iter([True, False, True] + [False] * 100)

    def script(job):
        return (
            Execution(lost="killed") if next(lost) else Execution(exit_code=0, stdout=str(int(job.stdin) ** 2).encode())
        )

    judgement = judged(SQUARES, FakeSandbox(script))
    assert (judgement.value, judgement.passed) == (1.0, 16)


def test_output_that_is_no_utf8_is_compared_as_it_is():
    sandbox = FakeSandbox(lambda _: Execution(stdout=b"\xff\xfe", exit_code=0))
    assert judged({"inputs": ["0"], "outputs": ["0"]}, sandbox).verdict is Verdict.WRONG


def test_calls_of_one_submission_share_jobs():
    sandbox = fake_calls(lambda x: x * x)
    judgement = judged(CALLS, sandbox)
    assert (judgement.value, judgement.verdict, len(judgement.facts)) == (1.0, Verdict.CORRECT, COUNT)
    assert [len(job.calls) for job in sandbox.seen] == [CALLS_A_JOB, CALLS_A_JOB, 50]


def test_a_wrong_call_ends_the_run_after_its_job():
    sandbox = fake_calls(lambda x: x * x if x != 5 else -1)
    judgement = judged(CALLS, sandbox)
    assert len(sandbox.seen) == 1
    assert judgement.reason == f"test 6 of {COUNT:,}: returned -1, expected 25; input 5"
    assert judged(CALLS, sandbox, mode="fraction").value == pytest.approx((COUNT - 1) / COUNT)


def test_an_exception_in_a_call_is_a_runtime_error_and_others_go_on():
    sandbox = fake_calls(lambda x: x * x if x else 1 // x)
    assert judged(CALLS, sandbox).verdict is Verdict.RUNTIME_ERROR
    judgement = judged(CALLS, sandbox, mode="fraction")
    assert judgement.passed == COUNT - 1
    assert "ZeroDivisionError" in judgement.reason


def test_a_process_that_dies_fails_the_call_it_was_in_and_the_rest():
    answers = tuple(CallResult(value=i * i) for i in range(3))
    sandbox = FakeSandbox(lambda _: Execution(limit="cpu", cpu_s=5.0, calls=answers))
    judgement = judged(
        {**CALLS, "inputs": CALLS["inputs"][:6], "outputs": CALLS["outputs"][:6]}, sandbox, mode="fraction"
    )
    assert judgement.value == 0.5
    assert [fact.verdict.value for fact in judgement.facts] == ["correct"] * 3 + ["time_limit"] * 3
    assert judgement.facts[5].reason.startswith("not reached: ")


@pytest.mark.parametrize(
    ("error", "verdict"),
    [("cpu limit after 5.0 s", "time_limit"), ("memory limit", "memory_limit"), ("output limit", "output_limit"),
     ("MemoryError", "memory_limit"), ("KeyError: 3", "runtime_error"), ("killed by SIGKILL", "runtime_error")],
)  # fmt: skip
def test_call_errors_have_verdicts(error, verdict):
    sandbox = FakeSandbox(lambda job: Execution(exit_code=0, calls=tuple(CallResult(error=error) for _ in job.calls)))
    assert judged(CALLS, sandbox).verdict.value == verdict


def test_a_program_that_ends_before_its_calls_is_no_success():
    sandbox = FakeSandbox(lambda _: Execution(exit_code=0, loaded=True))
    for mode in ("all_or_nothing", "fraction"):
        judgement = judged(CALLS, sandbox, mode=mode)
        assert (judgement.value, judgement.verdict) == (0.0, Verdict.RUNTIME_ERROR)


def test_more_results_than_calls_change_nothing():
    sandbox = FakeSandbox(
        lambda job: Execution(exit_code=0, calls=tuple(CallResult(value=0) for _ in range(3 * COUNT)))
    )
    judgement = judged(CALLS, sandbox, mode="fraction")
    assert len(judgement.facts) == COUNT
    assert judgement.passed == 1


DRIVEN = {
    "test": "def check(candidate):\n    for i in range(3):\n        assert candidate(i) == i\n",
    "entry_point": "f",
}


@pytest.mark.parametrize(
    ("execution", "verdict"),
    [
        (Execution(exit_code=0, driver=DriverResult(passed=True, calls=3)), "correct"),
        (Execution(exit_code=0, driver=DriverResult(passed=False, error="AssertionError", calls=1)), "wrong"),
        (Execution(exit_code=0, driver=DriverResult(passed=False, error="ValueError: x", calls=1)), "runtime_error"),
        (Execution(limit="cpu", driver=DriverResult(passed=False, error="EOFError", calls=1)), "time_limit"),
        (Execution(compile_error="SyntaxError: x"), "compile_error"),
        (Execution(exit_code=0, loaded=True), "runtime_error"),
    ],
)
def test_driver_outcomes(execution, verdict):
    sandbox = FakeSandbox(lambda _: execution)
    judgement = judged(DRIVEN, sandbox)
    assert judgement.verdict.value == verdict
    assert sandbox.seen[0].driver
    assert sandbox.seen[0].calls is None


def test_a_driver_that_fails_before_any_call_is_our_failure():
    outcome = DriverResult(passed=False, error="NameError: name 'Node' is not defined")
    with pytest.raises(GroundTruthError, match="fails by itself"):
        judged(DRIVEN, FakeSandbox(lambda _: Execution(exit_code=0, driver=outcome)))


def test_a_driver_that_calls_nothing_or_asks_for_what_is_not_there_is_our_failure():
    refused = DriverResult(passed=False, error="RewardkitUnsupported: tests that use 'g'", calls=2)
    broken = DriverResult(passed=False, error="RewardkitBroken: ValueError: 3", calls=1)
    for outcome in (DriverResult(passed=True), refused, broken):
        with pytest.raises(GroundTruthError, match=r"not supported: tests that use 'g'|fails by itself"):
            judged(DRIVEN, FakeSandbox(lambda _, outcome=outcome: Execution(exit_code=0, driver=outcome)))


CHECKED = {"inputs": ["5", "7"], "outputs": ["2 3", "3 4"], "special_judge": True, "generated_checker": "CHECKER"}


def checked_by(answer):
    def script(job):
        if not job.trusted:
            return Execution(exit_code=0, stdout=b"4 1\n")
        assert job.program == "CHECKER"
        assert job.argv == ("input.txt", "correct_output.txt", "solution_output.txt")
        return answer(job.files)

    return FakeSandbox(script)


def said(word):
    return Execution(exit_code=0, stdout=f"{word}\n".encode())


def test_a_special_judge_decides_in_a_box_of_its_own():
    assert judged(CHECKED, checked_by(lambda _: said("1"))).verdict is Verdict.CORRECT
    right = ("5", b"3 4")  # the first test's input, the second's expected output

    def answer(files):
        return said("1" if files["input.txt"] in right or files["solution_output.txt"] in right else "0")

    judgement = judged(CHECKED, checked_by(answer))
    assert (judgement.verdict, judgement.facts[1].passed) == (Verdict.WRONG, False)
    assert "checker refuses" in judgement.reason


def test_a_special_judge_that_breaks_on_an_output_refuses_it():
    def answer(files):
        return (
            said("1")
            if files["solution_output.txt"] == files["correct_output.txt"].encode()
            else Execution(exit_code=1)
        )

    assert judged(CHECKED, checked_by(answer)).verdict is Verdict.WRONG


def test_a_special_judge_that_never_works_is_our_failure():
    for broken in (Execution(exit_code=1), said(""), said("maybe"), Execution(limit="cpu"), said("0")):
        with pytest.raises(GroundTruthError, match="checker does not work"):
            judged(CHECKED, checked_by(lambda _, broken=broken: broken))


def test_expected_outputs_never_enter_a_submissions_job():
    secret = "expected-7f3a"
    sandbox = FakeSandbox(lambda _: Execution(exit_code=0, loaded=True))
    for truth in (
        {"inputs": ["1"], "outputs": [secret]},
        {"inputs": [["1"]], "outputs": [secret], "fn_name": "f"},
        {**CHECKED, "outputs": [secret] * 2},
    ):
        judged(truth, sandbox if "generated_checker" not in truth else checked_by(lambda _: said("1")))
    assert sandbox.seen
    assert not any(secret in job.model_dump_json() for job in sandbox.seen)


@pytest.mark.parametrize(
    ("program", "entry"),
    [
        ("def merge(a): ...", "merge"),
        ("class Solution:\n    def merge(self, a): ...", "Solution.merge"),
        ("from heapq import *\nclass Solution:\n    def merge(self, a): ...", "Solution.merge"),
        ("class Solution: ...\ndef merge(a): ...", "merge"),
        ("class Solution: ...\nmerge = lambda a: a", "merge"),
        ("async def merge(a): ...", "merge"),
        ("x = 1", "merge"),
    ],
)
def test_the_program_decides_what_is_called(program, entry):
    problem = read_problem({"inputs": [[1]], "outputs": [1], "fn_name": "merge"})
    assert entry_point(problem, program) == entry


def test_a_body_continues_its_prompt():
    prompt = "import math\n\ndef f(x):\n    '''Doc.'''\n"
    problem = read_problem(
        {"test": "def check(candidate):\n    assert candidate(1) == 1\n", "entry_point": "f", "prompt": prompt}
    )
    assert with_stub(problem, "    return x\n") == prompt + "    return x\n"
    assert with_stub(problem, "\n    return x\n") == prompt + "    return x\n"
    assert with_stub(problem, "def f(x):\n    return x\n") == "def f(x):\n    return x\n"
    assert with_stub(problem, "g = 1\n") == "g = 1\n"
