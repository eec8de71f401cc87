"""Run the shards of a run in parallel and merge them: as processes on this machine, or as tasks on a Ray cluster."""

from __future__ import annotations

import importlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from harness.errors import NotComparableError
from harness.merge import merge
from harness.store import holds_run
from rewardkit.errors import IncompleteError, RewardkitError, UsageError
from rewardkit.processes import die_with_parent

if TYPE_CHECKING:
    from harness.run import Finished

ERRORS: dict[int, type[RewardkitError]] = {2: UsageError, 5: NotComparableError}


@dataclass(frozen=True)
class _Shard:
    name: str
    arguments: Sequence[str]
    folder: Path
    log: Path
    """What the process says."""

    def ask(self, processes: Processes, devices: Sequence[str] | None = None) -> tuple[str, int, str]:
        """Its name, the exit code of `harness run`, and the last line that this said."""
        gpus = {} if devices is None else {"CUDA_VISIBLE_DEVICES": ",".join(devices)}
        command = [sys.executable, "-m", "harness.spread", str(os.getpid()), *self.arguments]
        with self.log.open("w") as log:
            code = processes.run(command, stderr=log, env={**os.environ, **gpus})
        lines = self.log.read_text(errors="replace").split("\n")
        return self.name, code, next((line for line in reversed(lines) if line.strip()), "")


class Processes:
    """Processes that are ended together; after that, none starts. Safe to share between threads."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[Any]] = set()
        self._lock = threading.Lock()
        self._ended = False

    def run(self, command: Sequence[str], *, stderr: IO[str], env: Mapping[str, str]) -> int:
        """The exit code of a command."""
        with self._lock:
            if self._ended:
                return -signal.SIGTERM
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr, env=env)
            self._running.add(process)
        with process:
            code = process.wait()
        with self._lock:
            self._running.discard(process)
        return code

    def end(self) -> None:
        """Ask all that run to end."""
        with self._lock:
            self._ended = True
            for process in self._running:
                process.terminate()


def run_shards(
    arguments: Sequence[str],
    output: Path,
    *,
    engine: str,
    shards: int,
    resume: bool,
    overwrite: bool,
    say: Callable[[str], None],
) -> Finished:
    """`harness run ARGUMENTS` on all shards; their runs go to `OUTPUT.shards`, the whole one to `output`.

    Each shard has an equal share of the GPUs; where there are fewer GPUs than shards, the others wait.

    Raises:
        UsageError: `output` holds a run that is neither continued nor replaced, or a shard cannot be asked.
        NotComparableError: `output` or a shard's directory holds another run.
        IncompleteError: a shard's model, server or disk gave up.
    """
    if holds_run(output) and not (resume or overwrite):
        raise UsageError(
            f"{output} holds a run; continue it with --resume, replace it with --overwrite, or choose another -o"
        )
    place = output.with_name(f"{output.name}.shards").absolute()
    place.mkdir(parents=True, exist_ok=True)
    asked = [
        _Shard(
            name,
            ["run", *arguments, "--shard", name, "-o", str(place / number)],
            place / number,
            place / f"{number}.log",
        )
        for number, name in ((f"{index}", f"{index}/{shards}") for index in range(1, shards + 1))
    ]
    failed: list[tuple[str, int, str]] = []
    for ended in _on_ray(asked) if engine == "ray" else _here(asked):
        name, code, line = ended
        say(f"shard {name}: {line}")
        failed += [ended] if code else []
    if failed:
        name, code, line = failed[0]
        words = line.removeprefix("error: ")
        raise ERRORS.get(code, IncompleteError)(f"shard {name}: {words} (see {place}; continue with --resume)")
    return merge([each.folder for each in asked], output, overwrite=overwrite, resume=resume)


def shares(devices: Sequence[str], shards: int) -> list[Sequence[str]]:
    """The GPUs of each process that runs at once: as many as there are for each shard, at least one.

    >>> shares(["0", "1", "2", "3"], 2)
    [['0', '1'], ['2', '3']]
    >>> shares(["0", "1"], 8)
    [['0'], ['1']]
    """
    width = max(1, len(devices) // shards)
    return [devices[start : start + width] for start in range(0, len(devices) - width + 1, width)][:shards]


def local_devices() -> list[str]:
    """The GPUs of this machine, as CUDA_VISIBLE_DEVICES names them."""
    told = os.environ.get("CUDA_VISIBLE_DEVICES")
    if told is not None:
        return [each for each in told.split(",") if each]
    return sorted((path.name.removeprefix("nvidia") for path in Path("/dev").glob("nvidia[0-9]*")), key=int)


def _here(asked: Sequence[_Shard]) -> Iterator[tuple[str, int, str]]:
    free: queue.SimpleQueue[Sequence[str] | None] = queue.SimpleQueue()
    groups = shares(local_devices(), len(asked)) or [None] * len(asked)
    for group in groups:
        free.put(group)

    processes = Processes()

    def ask(shard: _Shard) -> tuple[str, int, str]:
        devices = free.get()
        try:
            return shard.ask(processes, devices)
        finally:
            free.put(devices)

    with ThreadPoolExecutor(len(groups)) as pool:
        try:
            for done in as_completed([pool.submit(ask, shard) for shard in asked]):
                yield done.result()
        finally:
            processes.end()  # interrupted: those that run end, and those that wait do not start


def _on_ray(asked: Sequence[_Shard]) -> Iterator[tuple[str, int, str]]:
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise UsageError("--engine ray needs an extra: pip install 'rewardkit[ray]'") from None
    ray.init(ignore_reinit_error=True, log_to_driver=False)
    gpus = [str(number) for number in range(int(ray.cluster_resources().get("GPU", 0)))]
    width = len(shares(gpus, len(asked))[0]) if gpus else 0
    task: Any = ray.remote(num_cpus=1, num_gpus=width)(_ask_there)
    waiting: list[Any] = [task.remote(shard, str(Path.cwd())) for shard in asked]
    while waiting:
        [done], waiting = ray.wait(waiting)
        yield ray.get(done)


def _ask_there(shard: _Shard, folder: str) -> tuple[str, int, str]:
    """On a node that sees the same folders; Ray has set its GPUs."""
    os.chdir(folder)
    return shard.ask(Processes())


def main() -> None:
    """The `harness` command for a shard: it ends with the process that started it."""
    from harness.cli import main

    die_with_parent(signal.SIGTERM, parent_pid=int(sys.argv.pop(1)))
    main()


if __name__ == "__main__":
    main()
