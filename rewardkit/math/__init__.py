"""Judge mathematical answers: right where a mathematician says so, fast, with nothing to hang and nothing to run.

Pure functions: no signals, no processes, no output; the same from any thread, event loop or process.
"""

from rewardkit.errors import GroundTruthError
from rewardkit.math.extract import all_boxed, extract, last_boxed, strip_thinking
from rewardkit.math.judge import compare, judge
from rewardkit.math.policy import Policy
from rewardkit.math.results import Extraction, Found, Judgement, Status

BadGold = GroundTruthError

__all__ = [
    "BadGold",
    "Extraction",
    "Found",
    "GroundTruthError",
    "Judgement",
    "Policy",
    "Status",
    "all_boxed",
    "compare",
    "extract",
    "judge",
    "last_boxed",
    "strip_thinking",
]
