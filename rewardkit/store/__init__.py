"""Output files: they never overwrite an input, and are locked during a run, hashed and resumable."""

from rewardkit.store.files import (
    check_output,
    check_report,
    check_reports,
    check_stdout,
    file_id,
    is_regular_output,
    json_object,
    refuse_doubled,
    refuse_url,
    write_whole,
)
from rewardkit.store.lock import FileLock, LockedError, lock_in, locked_folder
from rewardkit.store.meta import check_same_run, files_beside, meta_path, read_meta, verify
from rewardkit.store.run_store import RunStore, encode, joined, resumable

__all__ = [
    "FileLock",
    "LockedError",
    "RunStore",
    "check_output",
    "check_report",
    "check_reports",
    "check_same_run",
    "check_stdout",
    "encode",
    "file_id",
    "files_beside",
    "is_regular_output",
    "joined",
    "json_object",
    "lock_in",
    "locked_folder",
    "meta_path",
    "read_meta",
    "refuse_doubled",
    "refuse_url",
    "resumable",
    "verify",
    "write_whole",
]
