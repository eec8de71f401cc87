"""Judge mathematical answers as a mathematician would, in bounded time and without executing them.

Pure functions: no signals, no processes, no output; the same from any thread, event loop or process.
"""

from rewardkit.errors import GroundTruthError
from rewardkit.math.dropin import Parsed, accuracy_reward, parse, process_results, verify
from rewardkit.math.extract.extract import all_boxed, extract, last_boxed
from rewardkit.math.extract.markup import strip_thinking
from rewardkit.math.judge import compare, explain, judge
from rewardkit.math.policy import Policy
from rewardkit.math.results import Extraction, Found, Judgement, Status

__all__ = [
    "Extraction", "Found", "GroundTruthError", "Judgement", "Parsed", "Policy", "Status", "accuracy_reward", "all_boxed", "compare",
    "explain", "extract", "judge", "last_boxed", "parse", "process_results", "strip_thinking", "verify",
]  # fmt: skip
