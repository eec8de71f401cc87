"""A dockerd of one's own, to be restarted and killed without touching the machine's. Needs root."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from live import descendants

from sandboxes.backends.docker_image import image_name

START_S = 180.0
STOP_S = 120.0


class PrivateDocker:
    """A daemon with folders and a socket of its own, and the sandbox image in it. Leaves nothing behind, whatever happened to it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="rewardkit-dockerd-"))
        self.host = f"unix://{self.folder}/docker.sock"
        self._image = image_name("python")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
            with subprocess.Popen(["docker", "save", self._image], stdout=subprocess.PIPE) as save:
                subprocess.run(["docker", "-H", self.host, "load", "-q"], stdin=save.stdout, check=True, capture_output=True, timeout=300)  # fmt: skip
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop the daemon, kill what it left, and remove its folder."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.stop(signal.SIGTERM)
        if self._process is not None and self._process.poll() is None:
            self.stop(signal.SIGKILL)
        for pid in (*self._containerd(), *self.shims()):
            for victim in (*descendants(pid), pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
        for mount in reversed(self._mounts()):
            subprocess.run(["umount", "-l", mount], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> float:
        """Start it and wait until it answers; the seconds that took. One that ends is started again, as systemd does."""
        begin = time.monotonic()
        while time.monotonic() - begin < START_S:
            if self._process is None or self._process.poll() is not None:
                self._process = self._dockerd()
            if self.docker("version").returncode == 0:
                return time.monotonic() - begin
            time.sleep(0.2)
        raise RuntimeError(f"dockerd did not start: {(self.folder / 'log').read_text()[-500:]}")

    def stop(self, signum: int) -> None:
        """End it with a signal. Containers outlive a kill -9, until the next daemon of this folder kills them."""
        if self._process is None or self._process.poll() is not None:
            return
        below = self._containerd()
        self._process.send_signal(signum)
        self._process.wait(STOP_S)
        for _ in range(100):  # a new dockerd takes a dying containerd for a living one, waits 15 s for it, and gives up
            if not any(Path(f"/proc/{pid}").exists() for pid in below):
                return
            time.sleep(0.1)

    def restart(self, signum: int) -> float:
        """End it with a signal and start it again; the seconds it was away."""
        begin = time.monotonic()
        self.stop(signum)
        self.start()
        return time.monotonic() - begin

    def docker(self, *args: str) -> subprocess.CompletedProcess[str]:
        """A command of Docker's client to this daemon."""
        return subprocess.run(["docker", "-H", self.host, *args], capture_output=True, text=True, check=False, timeout=120)  # fmt: skip

    def boxes(self) -> list[str]:
        """Our containers, in any state."""
        return self.docker("ps", "-aq", "--filter", "label=rewardkit.sandbox=box").stdout.split()

    def shims(self) -> list[int]:
        """Processes that hold its containers."""
        return [pid for pid, line in _processes() if b"containerd-shim" in line and bytes(self.folder) in line]

    def _dockerd(self) -> subprocess.Popen[bytes]:
        folder = self.folder
        command = [
            "dockerd", "--iptables=false", "--ip6tables=false", "--bridge=none", "--data-root", f"{folder}/data",
            "--exec-root", f"{folder}/exec", "--pidfile", f"{folder}/pid", "-H", self.host,
        ]  # fmt: skip
        with (folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    def _containerd(self) -> list[int]:
        wanted = f"{self.folder}/exec/containerd/containerd.toml".encode()
        return [pid for pid, line in _processes() if wanted in line.split(b"\0")]

    def _mounts(self) -> list[str]:
        places = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        return [place for place in places if Path(place).is_relative_to(self.folder)]


def _processes() -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                found.append((int(folder.name), (folder / "cmdline").read_bytes()))
    return found
