"""What can go wrong with a sandbox itself; each message ends with the cure.

These are our failures, never a submission's: whoever judges turns them into `unjudged`.
"""

__all__ = ["ImageMissing", "ImageOutdated", "JobRefused", "SandboxError", "SandboxLost", "SandboxUnavailable"]


class SandboxError(RuntimeError):
    """A sandbox could not do its work. `cure` is one line that says what to do."""

    def __init__(self, problem: str, *, cure: str = "") -> None:
        super().__init__(f"{problem}; {cure}" if cure else problem)
        self.problem = problem
        self.cure = cure

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.problem, self.cure))


class SandboxUnavailable(SandboxError):  # noqa: N818  (a state, not a mishap: the name reads as one)
    """The backend does not work here, or is weaker than was asked for."""


class ImageMissing(SandboxUnavailable):
    """Docker works, but the sandbox image has not been built."""


class ImageOutdated(SandboxUnavailable):
    """The image was built for another version of the agent that runs inside."""


class SandboxLost(SandboxError):  # noqa: N818
    """The box died under a job twice, in two different boxes, and not by the job's own memory use."""


class JobRefused(SandboxError, ValueError):  # noqa: N818
    """The job asks for something this sandbox can't give (more memory than a box has, a file path outside)."""


def _rebuild(kind: type[SandboxError], problem: str, cure: str) -> SandboxError:
    return kind(problem, cure=cure)
