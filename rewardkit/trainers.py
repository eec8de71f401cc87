"""The package `trainers` under a name that no folder of yours hides: `rewardkit.trainers.openrlhf`, `pkg://rewardkit.trainers.verl_manager`.

Its modules import each other relatively, so that they work under either name. A process should keep to one of them.
"""

from pathlib import Path

__path__ = [str(Path(__file__).resolve().parents[1] / "trainers")]
