"""Output of a run as a folder of shards, on a disk that all nodes share or behind a URL: each shard is there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from rewardkit.data.urls import file_system, unusable
from rewardkit.errors import IncompleteError, UsageError
from rewardkit.store import FileLock, check_same_run, joined, lock_in, write_whole

META = "run.meta.json"
"""Reward, versions, inputs and totals of the run that writes this folder."""


@dataclass(frozen=True)
class ShardFolder:
    """A folder of shards. Two writers of one shard are harmless: both write the same rows, the last one stays. Of two runs at once, one is
    refused where the folder is on a disk.
    """

    url: str
    """A folder or a URL, ending in a slash."""
    identity: dict[str, Any]
    """The identity of a run: two runs with equal identities write equal rows."""
    facts: dict[str, Any]
    """Other facts for its meta file."""
    lock: FileLock | None = None
    """Held until the run leaves it; behind a URL there is none."""

    @classmethod
    def open(
        cls, url: str, *, identity: Mapping[str, Any], facts: Mapping[str, Any], resume: bool, overwrite: bool
    ) -> Self:
        """Make a folder the output of a run.

        Raises:
            UsageError: it holds something and neither `resume` nor `overwrite` is given, or another run made it.
            LockedError: another process writes it.
        """
        if resume and overwrite:
            raise UsageError("--resume continues a run and --overwrite starts it again; give one of them")
        files, path = file_system(url)
        lock = lock_in(Path(path)) if _is_local(files) else None
        folder = cls(url, json.loads(json.dumps(dict(identity))), dict(facts), lock)
        try:
            folder._begin(resume=resume, overwrite=overwrite)
        except BaseException:
            folder.__exit__()
            raise
        return folder

    def _begin(self, *, resume: bool, overwrite: bool) -> None:
        there = self._names()
        if there and not (resume or overwrite):
            raise UsageError(
                f"{self.url} is not empty; continue its run with --resume, or start again with --overwrite"
            )
        if there and META not in there:
            raise UsageError(f"{self.url} holds files of something else than a run; name another folder")
        if there and resume:
            check_same_run(self.url, json.loads(self._get(META) or b"{}"), self.identity)
        for name in there:
            if overwrite and name.startswith("part-"):
                files, path = self._at(name)
                files.rm_file(path)
        self._write_meta("running", None)

    def finish(self, totals: Mapping[str, Any], *, status: str) -> None:
        """Note that all shards are there, and the totals."""
        self._write_meta(status, totals)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.lock is not None:
            self.lock.release()

    def read(self, name: str, ids: Sequence[str]) -> list[bytes] | None:
        """The output of rows with these ids, if it is written already.

        Raises:
            UsageError: the shard holds other rows.
        """
        data = self._get(name)
        if data is None:
            return None
        lines = data.splitlines()
        if [json.loads(line).get("id") for line in lines] != list(ids):
            raise UsageError(f"{self.url}{name} does not fit the input; start again with --overwrite")
        return lines

    def write(self, name: str, lines: Sequence[bytes]) -> None:
        """Write a shard, whole or not at all.

        Raises:
            IncompleteError: the disk is full, or the store refuses.
        """
        self._put(name, joined(lines))

    def check_shared(self, name: str) -> None:
        """Raises UsageError if a shard that a node has written on its disk cannot be seen from here."""
        files, path = self._at(name)
        if _is_local(files) and not Path(path).exists():
            raise UsageError(
                f"a node wrote {name} to a {self.url} of its own; name a folder that all nodes share, or a URL"
            )

    def _write_meta(self, status: str, totals: Mapping[str, Any] | None) -> None:
        meta = {**self.identity, **self.facts, "status": status, "totals": totals}
        self._put(META, json.dumps(meta, indent=2, ensure_ascii=False).encode() + b"\n")

    def _put(self, name: str, data: bytes) -> None:
        files, path = self._at(name)
        if _is_local(files):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(Path(path), data.decode())
            return
        try:
            files.pipe_file(path, data)
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            raise IncompleteError(str(unusable("write", self.url + name, error))) from None

    def _get(self, name: str) -> bytes | None:
        files, path = self._at(name)
        try:
            return files.cat_file(path)
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - as above
            raise unusable("read", self.url + name, error) from None

    def _names(self) -> list[str]:
        files, path = self._at("")
        try:
            found = files.ls(path, detail=False)
        except FileNotFoundError:
            return []
        except Exception as error:  # noqa: BLE001 - as above
            raise unusable("read", self.url, error) from None
        return [
            name
            for entry in found
            if (name := entry.rstrip("/").rpartition("/")[2]) and not name.endswith((".part", ".lock"))
        ]

    def _at(self, name: str) -> tuple[Any, str]:
        """The file system, and where a file of this folder is in it."""
        files, path = file_system(self.url)
        return files, f"{path.rstrip('/')}/{name}"


def _is_local(files: Any) -> bool:
    return "file" in files.protocol
