"""Go on with a job's calls after one of them ended the process."""

from sandboxes.base import CallResult, Execution, Job
from sandboxes.box import Box

__all__ = ["MAX_DEATHS", "resume"]

MAX_DEATHS = 8
"""New processes for one job; calls after the last death stay without a result."""


def resume(box: Box, job: Job, execution: Execution) -> Execution:
    """The first run's facts with more calls answered; a call that ended its process has that end as its error."""
    calls = list(execution.calls)
    wanted = len(job.calls or ())
    latest = execution
    for _ in range(MAX_DEATHS):
        if len(calls) == wanted or not latest.loaded or latest.error is not None:
            break
        calls.append(CallResult(error=latest.describe(), cpu_s=latest.cpu_s, wall_s=latest.wall_s))
        if len(calls) < wanted:
            box.send(job, skip=len(calls))
            latest = box.receive(job)
            calls += latest.calls
    return execution.model_copy(update={"calls": tuple(calls)})
