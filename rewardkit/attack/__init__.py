"""Measure the reward of completions that use the prompt but not the ground truth."""

from rewardkit.attack.problem import Attempt, Problem
from rewardkit.attack.report import Control, Finding, Floor, Report
from rewardkit.attack.runner import floor, run

__all__ = ["Attempt", "Control", "Finding", "Floor", "Problem", "Report", "floor", "run"]
