"""Search a file of scored completions for signs of reward hacking and of judge errors."""

from rewardkit.audit.checks import CHECKS, run_checks
from rewardkit.audit.facts import Facts, collect
from rewardkit.audit.finding import Effect, Finding

__all__ = ["CHECKS", "Effect", "Facts", "Finding", "collect", "run_checks"]
