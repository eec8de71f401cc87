"""Benchmarks on models, judged by rewardkit and built on lm-eval."""

DISTRIBUTION = "rewardkit"
"""Tells `rewardkit.import_guard` that this is our package and not another one of the same name."""
