"""rewardkit."""
