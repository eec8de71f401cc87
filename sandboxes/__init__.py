"""Runs untrusted programs and reports facts about each run. Knows nothing of rewards."""

from sandboxes.base import Call, CallResult, DriverResult, Execution, Isolation, Job, Limit, Limits, Sandbox, Stop
from sandboxes.errors import ImageMissing, ImageOutdated, JobRefused, SandboxError, SandboxLost, SandboxUnavailable
from sandboxes.open import open_sandbox

__all__ = [
    "Call",
    "CallResult",
    "DriverResult",
    "Execution",
    "ImageMissing",
    "ImageOutdated",
    "Isolation",
    "Job",
    "JobRefused",
    "Limit",
    "Limits",
    "Sandbox",
    "SandboxError",
    "SandboxLost",
    "SandboxUnavailable",
    "Stop",
    "open_sandbox",
]
