"""A disk that is full after a number of writes of this process."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest

from rewardkit.store import run_store


class Disk:
    """A disk with room for a number of writes; what one of them does not finish stays half written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = self.writes = 0
        self._write_all, self._fsync = run_store._write_all, os.fsync
        monkeypatch.setattr(run_store, "_write_all", self.write_all)
        monkeypatch.setattr(os, "fsync", self.fsync)

    def use(self) -> None:
        self.writes += 1
        if self.writes > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write_all(self, file: Any, data: bytes) -> None:
        try:
            self.use()
        except OSError:
            file.write(data[: len(data) // 2])
            raise
        self._write_all(file, data)

    def fsync(self, descriptor: int) -> None:
        self.use()
        self._fsync(descriptor)
