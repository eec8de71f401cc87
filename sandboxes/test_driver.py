"""A trusted test program in one box and the program under test in another; the host passes the calls between them."""

import json
from typing import Any

from sandboxes.base import DriverResult, Execution, Job
from sandboxes.connection import Box, BoxLost, SessionEnded, longest_wait
from sandboxes.lease import BoxLease
from sandboxes.results import call_result, result_line

__all__ = ["run_driver"]

MAX_CALLS = 100_000
"""Requests of one test."""
OWN_CPU_S = 10.0
"""CPU seconds of a test program between two calls, if those of a call are less: what tests compute is no fault of the program."""
BROKEN = "the program itself wrote to its result channel"


def run_driver(box: Box, trusted: BoxLease, job: Job) -> Execution:
    """The facts of the program's process, with the driver's outcome."""
    driver = trusted.take()
    try:
        execution = _TestDriver(box, driver, job).run()
    except BaseException:
        trusted.drop(driver)
        raise
    trusted.give(driver)
    return execution


class _TestDriver:
    def __init__(self, box: Box, driver: Box, job: Job) -> None:
        self.box = box
        self.driver = driver
        self.job = job
        self.wait = longest_wait(job.limits)
        self.calls = 0
        self.ended: SessionEnded | None = None

    def run(self) -> Execution:
        self.box.send(self.job, mode="session")
        header, body = self.box.hear(self.wait)
        if header.get("event") != "result":
            return self.box.read(self.job, header, body)()
        first = result_line(body)
        if "ready" not in first:
            # the program's own end, or something else on the channel of its results
            self.box.tell({"op": "end" if "e" in first or "c" in first else "kill"})
            execution = self.box.read(self.job, *self._final(self.box))()
            said = execution.compile_error or execution.error or execution.limit
            return execution if said else execution.model_copy(update={"error": BROKEN})
        outcome = self._drive()
        if self.ended is None:
            self.box.tell({"op": "end"})
            self.ended = SessionEnded(*self._final(self.box))
        execution = self.box.read(self.job, self.ended.header, self.ended.body)()
        return execution.model_copy(update={"driver": outcome})

    def _drive(self) -> DriverResult:
        """Serve the test program until it ends."""
        limits = self.job.limits.model_copy(update={"cpu_s": max(self.job.limits.cpu_s, OWN_CPU_S)})
        job = self.job.model_copy(update={"stdin": b"", "files": {}, "prelude": "", "limits": limits})
        self.driver.send(job, mode="driver")
        error: str | None = None
        passed = False
        while True:
            header, body = self.driver.hear(longest_wait(limits))
            if header.get("event") != "result":
                break
            for line in body.splitlines():
                found = result_line(line)
                if "call" in found:
                    unanswered = self._answer(found["call"])
                    error = error or unanswered
                passed = passed or "done" in found
                error = error or found.get("e") or found.get("c")
        facts = self.driver.read(job, header, body)()
        if facts.lost is not None:
            raise BoxLost(facts.lost)
        if not passed and error is None:
            error = facts.describe()
        return DriverResult(
            passed=passed and error is None, error=error, calls=self.calls, cpu_s=facts.cpu_s, asleep_s=facts.asleep_s
        )

    def _answer(self, call: Any) -> str | None:
        """Have a request answered. Why there is no answer, if there is none."""
        self.calls += 1
        if self.ended is not None or self.calls > MAX_CALLS:
            self.driver.tell({"op": "end"})
            return f"the tests make more than {MAX_CALLS:,} requests"
        try:
            line = self.box.call(json.dumps(call).encode() + b"\n", self.wait)
        except SessionEnded as ended:
            self.ended = ended
            self.driver.tell({"op": "end"})
            return "the program ended during a call"
        # read and written anew: the program's own bytes never reach the driver
        result = call_result(line, self.job.limits.output_bytes)
        answer = {"v": result.value} if result.error is None else {"e": result.error}
        try:
            text = json.dumps(answer)
        except (ValueError, RecursionError):
            text = json.dumps({"e": "unreadable result"})
        self.driver.tell({"op": "call"}, text.encode() + b"\n")
        return None

    def _final(self, box: Box) -> tuple[dict[str, Any], bytes]:
        while True:
            header, body = box.hear(self.wait)
            if header.get("event") != "result":
                return header, body
