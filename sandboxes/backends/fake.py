"""A sandbox for tests: a function from job to facts, without processes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import ClassVar

from sandboxes.base import Execution, Isolation, Job, Sandbox, Stop, closed_error

__all__ = ["FakeSandbox"]


class FakeSandbox(Sandbox):
    """Answers each job with what `script` says and remembers the jobs in `seen`.

    >>> box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"3"))
    >>> box.run([Job(program="print(1 + 2)")])[0].stdout_text
    '3'
    """

    name: ClassVar[str] = "fake"

    def __init__(self, script: Callable[[Job], Execution], *, isolation: Isolation = "strong") -> None:
        self.script = script
        self.isolation = isolation
        self.seen: list[Job] = []
        self.closed = False

    def submit(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> "Future[list[Execution]]":
        """Answer at once, in this thread."""
        if self.closed:
            raise closed_error(self.name)
        facts: list[Execution] = []
        for index, job in enumerate(jobs):
            self.seen.append(job)
            execution = self.script(job).model_copy(update={"isolation": self.isolation})
            facts.append(execution)
            if stop is not None and stop(index, execution):
                break
        future: Future[list[Execution]] = Future()
        future.set_result(facts)
        return future

    def close(self) -> None:
        """Refuse further jobs."""
        self.closed = True
