"""One pool of boxes a machine, in a process of its own, for the worker processes of `rewardkit serve` and of Ray's actors."""
