"""Run untrusted programs and report facts about each run, independent of rewards."""

from sandboxes.base import Call, CallResult, DriverResult, Execution, Isolation, Job, Limit, Limits, Sandbox, Stop
from sandboxes.diagnose import Diagnosis, diagnose
from sandboxes.errors import ImageMissing, ImageOutdated, JobRefused, SandboxError, SandboxLost, SandboxUnavailable
from sandboxes.registry import open_sandbox
from sandboxes.selfcheck import Check, selfcheck

DISTRIBUTION = "rewardkit"
"""Tells `rewardkit.import_guard` that this is our package and not another one of the same name."""

__all__ = [
    "Call",
    "CallResult",
    "Check",
    "Diagnosis",
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
    "diagnose",
    "open_sandbox",
    "selfcheck",
]
