"""What a kill leaves."""

import json
from pathlib import Path

from rewardkit.store.meta import meta_path


def cut_as_by_a_kill(out: Path, size: int) -> bytes:
    """Leave an output as a kill does once so many bytes are written."""
    out.write_bytes(content := out.read_bytes()[:size])
    meta = meta_path(out)
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "status": "running", "content": None, "totals": None}))
    return content
