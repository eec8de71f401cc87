"""A sandbox for tests: a function from job to facts, without processes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import ClassVar

from sandboxes.base import Call, CallResult, Execution, Isolation, Job, Sandbox, Stop, closed_error
from sandboxes.values import decode, encode

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

    @classmethod
    def from_function(cls, function: Callable[..., object]) -> "FakeSandbox":
        """Answers each call of a job with `function(*args, **kwargs)`, exceptions included. For the test's own functions only."""

        def answer(call: Call) -> CallResult:
            args = [decode(value) for value in call.args]
            kwargs = {key: decode(value) for key, value in call.kwargs.items()}
            try:
                return CallResult(value=encode(function(*args, **kwargs)))
            except Exception as error:  # noqa: BLE001  (the boundary: any exception of the function is its result)
                return CallResult(error=f"{type(error).__name__}: {error}")

        return cls(
            lambda job: Execution(exit_code=0, loaded=True, calls=tuple(answer(call) for call in job.calls or ()))
        )

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
