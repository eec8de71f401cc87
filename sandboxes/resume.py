"""Go on with a job's calls after one of them ended the process."""

from sandboxes.base import CallResult, Execution, Job, Limits
from sandboxes.box import Box

__all__ = ["MAX_DEATHS", "resume"]

MAX_DEATHS = 8
"""New processes for one job; calls after the last death stay without a result."""


def resume(box: Box, job: Job, execution: Execution) -> Execution:
    """The first run's facts with more calls answered; a call that ended its process has that end as its error.

    The totals of the limits hold for all these processes together.
    """
    calls = list(execution.calls)
    wanted = job.calls or ()
    latest = execution
    left: Limits | None = job.limits
    for _ in range(MAX_DEATHS):
        if len(calls) == len(wanted) or not latest.loaded or latest.error is not None or latest.limit == "output":
            break
        calls.append(CallResult(error=latest.describe(), cpu_s=latest.cpu_s, wall_s=latest.wall_s))
        left = _left(left, latest)
        if len(calls) < len(wanted) and left is not None:
            rest = job.model_copy(update={"calls": wanted[len(calls) :], "limits": left})
            box.send(rest)
            latest = box.receive(rest)
            calls += latest.calls
        elif left is None:
            break
    return execution.model_copy(update={"calls": tuple(calls)})


def _left(limits: Limits, spent: Execution) -> Limits | None:
    """The limits for what is left of a job; None where a total is used up."""
    totals: dict[str, float] = {}
    for name, used in (("total_cpu_s", spent.cpu_s), ("total_wall_s", max(spent.wall_s - spent.cpu_s, 0.0))):
        total = getattr(limits, name)
        if total is not None:
            totals[name] = total - used
    return limits.model_copy(update=totals) if all(total > 0 for total in totals.values()) else None
