"""The gate: check a run against a threshold or a baseline, with three verdicts."""
