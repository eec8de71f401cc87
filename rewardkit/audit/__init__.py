"""Look for signs of gaming, and of our own judges' faults, in a file of scored completions."""

from rewardkit.audit.checks import CHECKS, run_checks
from rewardkit.audit.facts import Facts, collect
from rewardkit.audit.finding import Effect, Finding

__all__ = ["CHECKS", "Effect", "Facts", "Finding", "collect", "run_checks"]
