"""Errors of the sandbox itself; each message ends with a fix.

These are our failures, never a submission's: whoever judges turns them into `unjudged`.
"""

import functools

__all__ = [
    "ImageMissing",
    "ImageOutdated",
    "JobRefused",
    "SandboxError",
    "SandboxLost",
    "SandboxNameError",
    "SandboxUnavailable",
]

ENDS = "wait for the jobs before the program ends"
"""What to do if the interpreter ends, which starts no thread any more."""


class SandboxError(RuntimeError):
    """The sandbox failed. `cure` is one line that says how to fix it."""

    def __init__(self, problem: str, *, cure: str = "") -> None:
        super().__init__(f"{problem}; {cure}" if cure else problem)
        self.problem = problem
        self.cure = cure

    def __reduce__(self) -> tuple[object, ...]:
        return functools.partial(type(self), cure=self.cure), (self.problem,)


class SandboxUnavailable(SandboxError):  # noqa: N818  (a state, not a mishap: the name reads as one)
    """The backend does not work here, or is weaker than was asked for."""


class SandboxNameError(SandboxUnavailable):
    """There is no sandbox of that name, or it has no such option."""


class ImageMissing(SandboxUnavailable):
    """Docker works, but the sandbox image has not been built."""


class ImageOutdated(SandboxUnavailable):
    """The image was built for another version of the agent that runs inside."""


class SandboxLost(SandboxError):  # noqa: N818
    """Two boxes in a row died during the job, and not because of the job's memory use."""


class JobRefused(SandboxError, ValueError):  # noqa: N818
    """The job asks for something this sandbox can't give (more memory than a box has, a file path outside)."""
