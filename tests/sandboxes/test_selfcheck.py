"""The self-check itself: what it says of sandboxes that do not do what they should."""

import pytest

from sandboxes import Execution, JobRefused, selfcheck
from sandboxes.backends.fake import FakeSandbox
from sandboxes.base import CallResult, Job
from sandboxes.selfcheck import CHECKS, _Case, _found_nothing, _is, _limit, _run, _says, _values
from sandboxes.values import encode

DONE = Execution(exit_code=0)


def said(*outputs, **facts):
    return [Execution(exit_code=0, stdout=output, **facts) for output in outputs]


@pytest.mark.parametrize(
    ("judge", "facts", "fine"),
    [
        (_says("a", "b"), said(b"a", b"b"), True),
        (_says("a", "b"), said(b"a", b"c"), False),
        (_says("a"), [Execution(exit_code=1, stdout=b"a")], False),
        (_is("empty", lambda e: not e.stdout), said(b"a", b""), True),
        (_is("empty", lambda e: not e.stdout), said(b"", b"a"), False),
        (_limit("cpu", "wall"), [Execution(limit="wall", signal=9)], True),
        (_limit("cpu", "wall"), [Execution(limit="memory", signal=9)], False),
        (_values(1, [2]), [Execution(calls=(CallResult(value=1), CallResult(value=encode([2]))))], True),
        (_values(1, [2]), [Execution(calls=(CallResult(value=1), CallResult(error="no")))], False),
        (_values(1), [Execution(calls=())], False),
        (_found_nothing, said(b"seen: []\n", b"seen: []\n"), True),
        (_found_nothing, said(b"seen: []\n", b"seen: ['x']\n", b"seen: []\n"), False),
        (_found_nothing, said(b"seen: []\n", b"no look"), True),
        (_found_nothing, said(b"seen: []\n", b"no look", b"no look"), False),
    ],
)
def test_a_check_passes_on_the_facts_that_it_asks_for_and_else_says_what_came(judge, facts, fine):
    wrong = judge(facts)
    assert wrong is None if fine else wrong


@pytest.mark.parametrize(
    ("case", "passed", "detail"),
    [
        ({}, True, "ok"),
        ({"judge": lambda facts: "not so"}, False, "not so"),
        ({"needs": "strong"}, None, "needs isolation 'strong'"),
        ({"needs": "weak"}, True, "ok"),
        ({"then": [Job(program="")] * 2, "judge": lambda facts: None if len(facts) == 2 else "first"}, True, "ok"),
    ],
)
def test_a_check_is_passed_failed_or_not_asked(case, passed, detail):
    made = _Case("c", [Job(program="")], **{"judge": lambda facts: None, **case})
    assert _run(FakeSandbox(lambda job: DONE, isolation="weak"), made) == ("c", passed, detail)


@pytest.mark.parametrize(("optional", "passed", "detail"), [(True, None, "no gcc"), (False, False, "lost: no gcc")])
def test_jobs_that_are_lost_fail_a_check_unless_it_is_optional(optional, passed, detail):
    made = _Case("c", [Job(program="")], lambda facts: None, optional=optional)
    assert _run(FakeSandbox(lambda job: Execution(lost="no gcc")), made) == ("c", passed, detail)


@pytest.mark.parametrize(
    ("error", "driver", "passed"),
    [
        (JobRefused("no drivers"), "pass", None),
        (JobRefused("no files"), None, False),
        (RuntimeError("boom"), "pass", False),
    ],
)
def test_a_refusal_counts_unless_the_check_brings_a_test_program(error, driver, passed):
    def script(job):
        raise error

    found = _run(FakeSandbox(script), _Case("c", [Job(program="", driver=driver)], lambda facts: None))
    assert (found.passed, str(error) in found.detail) == (passed, True)


def test_too_few_results_fail_a_check():
    class Short(FakeSandbox):
        def run(self, jobs, *, stop=None):
            return super().run(jobs[1:], stop=stop)

    found = _run(Short(lambda job: DONE), _Case("c", [Job(program="")] * 3, lambda facts: None))
    assert (found.passed, found.detail) == (False, "2 results for 3 jobs")


@pytest.mark.parametrize(("one_box", "told"), [(True, True), (False, False)])
def test_jobs_of_one_box_are_run_in_order(one_box, told):
    class Noted(FakeSandbox):
        def run(self, jobs, *, stop=None):
            stops.append(stop)
            return super().run(jobs, stop=stop)

    stops = []
    _run(Noted(lambda job: DONE), _Case("c", [Job(program="")], lambda facts: None, one_box=one_box))
    assert [stop is not None and stop(0, DONE) is False for stop in stops] == [told]


def test_checks_are_chosen_by_their_names():
    box = FakeSandbox(lambda job: DONE)
    assert [check.name for check in selfcheck(box, only="exit code")] == ["exit code is a fact"]
    assert len(selfcheck(box)) == len(CHECKS)
    assert not any(check.passed for check in selfcheck(box, only="limit"))
