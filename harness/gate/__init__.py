"""The gate: a run against a bar or a baseline, with three verdicts and no guessing."""
