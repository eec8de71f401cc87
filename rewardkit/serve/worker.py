"""A judging process: reads jobs from its socket, scores them unit by unit, and may be killed at any time."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import socket
import sys
from dataclasses import dataclass
from multiprocessing import forkserver
from typing import Any

from rewardkit.base import Reward
from rewardkit.errors import UsageError
from rewardkit.grading import failure, score_batch
from rewardkit.serve.wire import HEAD, pack_scores, unpack_job
from rewardkit.text import load
from rewardkit.types import Sample, Score

_PR_SET_PDEATHSIG = 1
READY = b"+"
"""What a worker says once it can take jobs."""


@dataclass(frozen=True)
class Duty:
    """What a worker needs to know from its start."""

    texts: tuple[str, ...]
    memory_mb: int
    sandbox: str | None
    boxes: str | None
    """Socket of the process that holds the sandboxes; None where no reward needs one."""


def main(channel: socket.socket, duty: Duty) -> None:
    """Serve jobs until the socket closes."""
    _settle(duty)
    rewards = [load(text) for text in duty.texts]
    with channel, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        channel.sendall(READY)
        while (body := _receive(channel)) is not None:
            index, units = unpack_job(body)
            for unit in units:
                channel.sendall(pack_scores(judge(rewards[index], unit)))


def judge(reward: Reward, rows: list[dict[str, Any] | str]) -> list[Score]:
    """Score rows in one call. A row that is no sample is unjudged, with the reason, and the others are not touched."""
    samples: list[Sample] = []
    scores: list[Score | None] = []
    for row in rows:
        if isinstance(row, str):
            scores.append(Score.unjudged(row))
            continue
        try:
            samples.append(Sample.from_row(row))
            scores.append(None)
        except UsageError as error:
            scores.append(failure(error))
    judged = iter(score_batch(reward.score, samples))
    return [next(judged) if score is None else score for score in scores]


def _settle(duty: Duty) -> None:
    """Own process group, dies with the server, bounded memory, deaf to the terminal's Ctrl-C."""
    with contextlib.suppress(OSError):
        os.setsid()
    _let_go_of_fork_server()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if duty.memory_mb:
        limit = duty.memory_mb * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if duty.sandbox is not None:
        os.environ["REWARDKIT_SANDBOX"] = duty.sandbox
    if duty.boxes is not None:
        _hold_elsewhere(duty.boxes)


def _hold_elsewhere(path: str) -> None:
    from rewardkit.code.shared import hold_elsewhere
    from rewardkit.serve.shared_sandbox import SharedSandbox

    hold_elsewhere(lambda name, require, workers: SharedSandbox(path, name, require=require, workers=workers))


def _let_go_of_fork_server() -> None:
    """Close the inherited end of the pipe that keeps the fork server up, so that it ends with the server, and we with it."""
    state: Any = forkserver._forkserver  # noqa: SLF001 # type: ignore[attr-defined] - there is no public way
    fd = getattr(state, "_forkserver_alive_fd", None)
    if fd is not None:
        os.close(fd)
        state._forkserver_alive_fd = None  # noqa: SLF001


def _receive(channel: socket.socket) -> bytes | None:
    head = _exactly(channel, HEAD.size)
    return None if head is None else _exactly(channel, HEAD.unpack(head)[0])


def _exactly(channel: socket.socket, count: int) -> bytes | None:
    pieces: list[bytes] = []
    while count:
        piece = channel.recv(min(count, 2**20))
        if not piece:
            return None
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
