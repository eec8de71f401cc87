"""The restrictions of our containers, and the features of the daemon that they use."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from sandboxes.backends.docker_api import DockerApi
from sandboxes.errors import SandboxUnavailable

__all__ = ["Daemon", "container_config"]

MIB = 1 << 20
BOX_PROCESSES = 64
SCRATCH = {
    "/tmp": "rw,nosuid,nodev,noexec,size=64m,mode=1777,nr_inodes=4096",  # noqa: S108  (a mount of the box)
    "/dev/shm": "rw,nosuid,nodev,noexec,size=16m,mode=1777,nr_inodes=256",  # noqa: S108
}
CLOSED = {
    "/var/tmp": "ro,nosuid,nodev,noexec,size=4k",  # noqa: S108
    "/dev/mqueue": "ro,nosuid,nodev,noexec,size=4k",
}
"""Else open to the program: the first by Podman, below a read-only root; the second by Docker, where the names of message
queues (they are files there, and need no system call of their own) would be read by the next program."""
STACK = 512 * MIB
LIMITS = {"core": 0, "stack": STACK, "nofile": 4096, "nproc": 4096}
"""Without a limit, Podman asks for more open files than the machine may allow. With Docker a program may have a larger stack, as judges let it:
the memory of the box bounds it."""
UIDS, FEW_UIDS = range(1 << 21, 1 << 30), range(10_000, 60_000)
"""Each box has a user id of its own: the kernel counts processes, pipes and keys by user, across containers."""


@dataclass(frozen=True)
class Daemon:
    """What a box has to know of the daemon."""

    podman: bool
    cgroup_parent: str
    """Where boxes stand among the machine's processes.

    Docker's own group has the weight of one process, whatever it holds: beside 24 busy processes, all boxes together got a
    25th of the machine. At the root each box weighs as much as one process. Only if Docker manages the groups itself.
    """
    few_uids: bool
    """It maps user ids (`userns-remap`, rootless), of which there are 65536 then."""
    runtime: str

    @classmethod
    def ask(cls, api: DockerApi, runtime: str | None = None) -> Self:
        """Ask it; `SandboxUnavailable` if it does not know the runtime, or takes no request for one."""
        info: dict[str, Any] = api.request("GET", "/info")
        known = sorted(info.get("Runtimes") or {})
        if runtime is not None and known and runtime not in known:
            raise SandboxUnavailable(
                f"Docker has no runtime {runtime!r}",
                cure=f"it has: {', '.join(known)}; add it to /etc/docker/daemon.json",
            )
        options = " ".join(map(str, info.get("SecurityOptions") or ()))
        components = api.request("GET", "/version", timeout=10).get("Components") or ()
        podman = any("podman" in str(part.get("Name", "")).lower() for part in components)
        default = str(info.get("DefaultRuntime") or "")
        if podman and runtime not in {None, default}:  # it would run the box with its own and not say so
            raise SandboxUnavailable(
                f"Podman's service runs every container with {default or 'a runtime that it does not name'}",
                cure=f"start it with `podman --runtime {runtime} system service`",
            )
        return cls(
            podman=podman,
            cgroup_parent="/" if info.get("CgroupDriver") == "cgroupfs" and "rootless" not in options else "",
            few_uids="userns" in options or "rootless" in options,
            runtime=runtime or default,
        )


def container_config(
    image: str, labels: Mapping[str, str], daemon: Daemon, *, memory_mb: int, cgroup_parent: str = ""
) -> dict[str, Any]:
    """What a box may do: next to nothing. Podman knows no limit on inodes; there the box's memory bounds them."""
    podman = daemon.podman
    uid = secrets.choice(FEW_UIDS if daemon.few_uids else UIDS)
    scratch = {path: options.partition(",nr_inodes=")[0] for path, options in SCRATCH.items()} if podman else SCRATCH
    return {
        "Image": image,
        "Cmd": list(SCRATCH),
        "User": f"{uid}:{uid}",
        "WorkingDir": "/",
        "Labels": dict(labels),
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "NetworkDisabled": True,
        "StopSignal": "SIGKILL",  # PID 1 hears no other: a daemon that goes down or comes up would wait 10 s for each box
        "HostConfig": {
            "NetworkMode": "none",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "IpcMode": "none",
            "CgroupnsMode": "private",
            "Runtime": daemon.runtime,
            "PidsLimit": BOX_PROCESSES,
            "Memory": memory_mb * MIB,
            "MemorySwap": memory_mb * MIB,
            "NanoCpus": 10**9,
            "CgroupParent": cgroup_parent,
            "Tmpfs": {**scratch, **CLOSED},
            "Ulimits": [
                {"Name": name, "Soft": most, "Hard": -1 if name == "stack" and not podman else most}
                for name, most in LIMITS.items()
            ],
            "LogConfig": {"Type": "none", "Config": {}},
            "RestartPolicy": {"Name": "no"},
        },
    }
