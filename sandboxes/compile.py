"""Compile programs in other languages than Python: once for each source, in the box that runs it, with separate limits."""

import errno
import os
import threading
from collections import OrderedDict
from pathlib import PurePosixPath

from sandboxes.base import Execution, Job, Limits, as_bytes
from sandboxes.connection import Box, BoxLost
from sandboxes.languages import LANGUAGES

__all__ = ["COMPILE_LIMITS", "Compiler", "first_error"]

COMPILE_LIMITS = Limits(cpu_s=30, wall_s=120, memory_mb=1024, processes=60, output_bytes=1 << 20, file_bytes=32 << 20)
"""Limits for compiling one program, independent of the job's limits."""
KEPT_BYTES = 256 << 20
"""Binaries that are kept for the next test of the same program, on the host."""
Key = tuple[str, str | bytes, tuple[tuple[str, str | bytes], ...]]


class Compiler:
    """Binaries by source. What a program compiles to goes back into boxes for jobs with the very same source only."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, bytes | Execution] = OrderedDict()
        self._bytes = 0
        self._works: set[str] = set()
        self._lock = threading.Lock()

    def prepare(self, box: Box, job: Job) -> Job | Execution:
        """The job with the binary for its program; an `Execution` instead if it does not compile, or can't be compiled here."""
        sources = _sources(job)
        key = job.language, job.program, tuple(sorted(sources.items()))
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        if found is None:
            found = _compile(box, job, sources)
            if isinstance(found, Execution):
                found = self._blame(box, job, found)
                if found.lost is not None:
                    return found
            else:
                self._works.add(job.language)
            self._keep(key, found)
            if box.unclean is not None:
                raise BoxLost(box.unclean)
        return found if isinstance(found, Execution) else job.model_copy(update={"program": found})

    def _blame(self, box: Box, job: Job, failed: Execution) -> Execution:
        """What failed is the program's fault only if the smallest program compiles, which is tried until one did, and where the disk was full."""
        full = os.strerror(errno.ENOSPC) in (failed.compile_error or "")
        if failed.lost is None and (full or job.language not in self._works):
            if box.unclean is not None:
                raise BoxLost(box.unclean)
            probe = _compile(box, job.model_copy(update={"program": LANGUAGES[job.language].probe}), {})
            if isinstance(probe, Execution):
                why = probe.lost or probe.compile_error
                return Execution(lost=f"no {job.language} program compiles here: {why}", isolation=box.isolation)
            self._works.add(job.language)
        return failed

    def _keep(self, key: Key, found: bytes | Execution) -> None:
        with self._lock:
            self._bytes += _size(found) - _size(self._kept.pop(key, b""))
            self._kept[key] = found
            while self._bytes > KEPT_BYTES and len(self._kept) > 1:
                self._bytes -= _size(self._kept.popitem(last=False)[1])


def _compile(box: Box, job: Job, sources: dict[str, str | bytes]) -> bytes | Execution:
    language = LANGUAGES[job.language]
    fetch = (language.binary,) if language.binary else ()
    update = {"stdin": b"", "argv": (), "files": sources, "fetch": fetch, "limits": COMPILE_LIMITS}
    compiling = job.model_copy(update=update)
    box.send(compiling, mode="compile")
    execution = box.receive(compiling)
    if execution.lost is not None:
        return execution
    if execution.finished and not fetch:
        return as_bytes(job.program)
    if execution.finished and language.binary in execution.files:
        return execution.files[language.binary]
    said = first_error(execution.stderr_text)
    said = f"{execution.describe()}: {said}" if execution.limit else said
    return Execution(compile_error=said, stderr=execution.stderr, isolation=execution.isolation)


def first_error(text: str) -> str:
    """The first line of what a compiler said that speaks of an error, else the first line."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return next(
        (line for line in lines if "error" in line.lower()), lines[0] if lines else "the compiler wrote no program"
    )[:500]


def _sources(job: Job) -> dict[str, str | bytes]:
    suffixes = LANGUAGES[job.language].sources
    return {name: data for name, data in job.files.items() if PurePosixPath(name).suffix in suffixes}


def _size(found: bytes | Execution) -> int:
    return len(found) if isinstance(found, bytes) else len(found.stderr) + 1000
