"""Judge on a Ray cluster: `Scorer` in pipelines of Ray Data, and `score_files` behind `rewardkit score --engine ray`."""

from rewardkit.ray.scorer import Scorer

__all__ = ["Scorer"]
