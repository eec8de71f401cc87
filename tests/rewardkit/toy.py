"""Small rewards for tests of the machinery around them."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import struct
import threading
import time
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import ClassVar

from rewardkit import GroundTruthError, Sample, SampleReward, Score


@dataclass(frozen=True)
class Same(SampleReward):
    """1 where the completion is the ground truth."""

    name: ClassVar[str] = "same"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")

    def grade(self, sample: Sample) -> Score:
        if sample.ground_truth is None:
            raise GroundTruthError("no ground truth")
        return Score.of(sample.completion == sample.ground_truth, answer=sample.completion)


def group_sizes(completions: list[str], group: list[str], **_: object) -> list[int]:
    """How many completions of its group each is called with."""
    return [group.count(one) for one in group]


def nap(sample: Sample) -> float:
    """1 after as many seconds as the completion says."""
    time.sleep(float(sample.completion))
    return 1.0


@dataclass(frozen=True)
class Length(SampleReward):
    """Minus a tenth a character."""

    name: ClassVar[str] = "length"
    unit: float = 0.1

    def grade(self, sample: Sample) -> Score:
        return Score.of(-self.unit * len(sample.completion))


@dataclass(frozen=True)
class Environment(SampleReward):
    """Tells an environment variable, and its process."""

    name: ClassVar[str] = "environment"

    def grade(self, sample: Sample) -> Score:
        return Score.of(True, answer=str(os.environ.get("TOY")), reason=str(os.getpid()))


@dataclass(frozen=True)
class Later(SampleReward):
    """Async: 1 where the completion is the ground truth."""

    name: ClassVar[str] = "later"

    async def grade(self, sample: Sample) -> Score:
        import asyncio

        await asyncio.sleep(0)
        return Score.of(sample.completion == sample.ground_truth)


@dataclass(frozen=True)
class Trouble(SampleReward):
    """Does what the completion says: raise, hang, loop, stop, die (now or soon), crash, take all memory, spoil or close every descriptor,
    send a long answer or one without end, wait for a file, return nonsense. Where a file is named, one beside it tells the process.
    """

    name: ClassVar[str] = "trouble"

    def grade(self, sample: Sample) -> Score:
        match sample.completion:
            case "raise":
                raise RuntimeError("a bug")
            case "recurse":
                return self.grade(sample)
            case "hang":
                time.sleep(3600)
            case "loop":
                while True:
                    pass
            case "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "die":
                os._exit(7)
            case "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "nap":
                time.sleep(0.003)
            case "die soon":
                threading.Timer(0.01, os._exit, [7]).start()
            case "noise":
                make_noise()
            case "drip":
                drip()
            case "talk":
                return Score.of(True, reason="x" * 5_000_000)
            case "close":
                os.closerange(3, 64)
            case "bomb":
                return Score.of(len([bytearray(2**28) for _ in range(10_000)]))
            case text if text.startswith(("wait for ", "loop at ")):
                gate = Path(text.split(maxsplit=2)[2])
                gate.with_name(f"{gate.name}.at-{os.getpid()}").touch()
                while text.startswith("loop") or not gate.exists():
                    time.sleep(0.01 * text.startswith("wait"))
            case "nonsense":
                return 1.0  # type: ignore[return-value]
        return Score.of(True)


def make_noise() -> None:
    """Write to every descriptor what is no answer."""
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\0\0\0\4noise\n")


def drip() -> None:
    """Begin an answer on every socket, and go on without end."""
    sockets: list[int] = []
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                sockets.append(descriptor)
    for piece in chain([struct.pack(">Q", 2**29)], repeat(b"x")):
        for descriptor in sockets:
            os.write(descriptor, piece)
        time.sleep(0.01)


def get_ready() -> None:
    """What a worker does before its first row."""
    os.environ["TOY"] = "ready"
