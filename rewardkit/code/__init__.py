"""Judging programs: tests as data, facts from a sandbox, verdicts on the host."""

from rewardkit.import_guard import import_ours

import_ours("sandboxes")
