"""Judge programs: tests are data, a sandbox reports facts, and the host decides the verdict."""

from rewardkit.import_guard import import_ours

import_ours("sandboxes")
