"""Rewards and tools of rewardkit inside trainers: TRL, verl and, through a few lines each, the others.

Importing this package needs neither torch nor a trainer.
"""
