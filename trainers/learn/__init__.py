"""Learning, shown: a tiny model from scratch, SFT, then GRPO through TRL with rewardkit's own rewards, on a CPU."""
