"""Judging programs: tests as data, facts from a sandbox, verdicts on the host."""

from rewardkit.guard import import_ours

import_ours("sandboxes")
