"""The strong backend: warm containers without network, capabilities or a writable root. The agent is PID 1."""

import contextlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, ClassVar

from sandboxes.backends.docker_api import DockerApi, DockerError
from sandboxes.backends.docker_config import Daemon, container_config
from sandboxes.backends.docker_image import IMAGES, LABEL, check, image_name
from sandboxes.backends.unix_socket import INSIDE, NAME, UnixSocket
from sandboxes.base import Execution, Isolation, Job, Stop
from sandboxes.connection import Box, Cause
from sandboxes.errors import ImageMissing, SandboxError, SandboxUnavailable
from sandboxes.pool import Pool, PooledSandbox
from sandboxes.temp_dir import remove_abandoned

__all__ = ["LABEL_BOX", "LABEL_RUN", "DockerSandbox", "remove_all", "remove_dead"]

LABEL_BOX = f"{LABEL}=box"
LABEL_RUN = "rewardkit.run"
STILLBORN_S = 600.0
"""A box that was made and not started for so long has no owner any more."""
DEATH_S = 2.0
"""So long Docker may take to notice that a box has ended whose stream has."""


class Containers:
    """The containers of one run. Each bears a name of ours, so that one which Docker made without an answer to us is told apart."""

    def __init__(self, api: DockerApi, run_id: str) -> None:
        self.api = api
        self.label = f"{LABEL_RUN}={run_id}"
        self._held: set[str] = set()
        self._tidy = True
        """False if Docker failed us, and containers may be left that nobody holds."""

    def new_name(self) -> str:
        """The name of a container to be made; it is held until it is removed."""
        name = f"rewardkit-{secrets.token_hex(8)}"
        self._held.add(name)
        return name

    def remove(self, name: str) -> None:
        """Remove one, now or when a box starts again."""
        self._held.discard(name)
        try:
            self.api.remove(name)
        except (SandboxError, DockerError):
            self._tidy = False

    def abandon(self, name: str) -> None:
        """Remove one that did not start, and may be made only now."""
        self.remove(name)
        self._tidy = False

    def remove_leftovers(self) -> None:
        """Remove those that nobody holds, if there may be any."""
        if self._tidy:
            return
        self._tidy = True
        try:
            left = [found for found in self.api.containers(self.label) if not self._holds(found)]
            done = _remove(self.api, left) == len(left)
        except (SandboxError, DockerError):
            done = False
        if not done:
            self._tidy = False

    def _holds(self, found: Mapping[str, Any]) -> bool:
        return any(name.lstrip("/") in self._held for name in found["Names"] or ())

    def remove_all(self) -> None:
        """Remove every one, held or not."""
        with contextlib.suppress(SandboxError, DockerError):
            _remove(self.api, self.api.containers(self.label))


class DockerBox(Box):
    """One container."""

    def __init__(self, containers: Containers, config: dict[str, Any]) -> None:
        self.containers = containers
        self.api = api = containers.api
        self.name = containers.new_name()
        self._gone = threading.Lock()
        unix_socket = UnixSocket.for_docker(api.url.scheme)
        try:
            self._create(config, unix_socket)
            stream = api.attach(self.name)
            api.request("POST", f"/containers/{self.name}/start")
            super().__init__(unix_socket.wait(stream) if unix_socket else stream, "strong")
        except BaseException:
            containers.abandon(self.name)
            raise
        finally:
            if unix_socket:
                unix_socket.close()

    def _create(self, config: dict[str, Any], unix_socket: UnixSocket | None) -> None:
        """Create the container. If the daemon sees other directories than we do, the box gets no socket."""
        name = {"name": self.name}
        if unix_socket is not None:
            host = {**config["HostConfig"], "Mounts": [unix_socket.mount()]}
            inside = {**config, "Cmd": ["--socket", f"{INSIDE}/{NAME}", *config["Cmd"]], "HostConfig": host}
            with contextlib.suppress(DockerError):
                self.api.request("POST", "/containers/create", query=name, json_body=inside)
                return
        self.api.request("POST", "/containers/create", query=name, json_body=config)

    def cause_of_death(self) -> Cause:
        """Ask Docker. No process of a box can signal the agent, so a SIGKILL that ended it came from the host or the kernel.

        A daemon that is away took the box with it, or its end of the stream.
        """
        end = time.monotonic() + DEATH_S
        try:
            state = self.api.request("GET", f"/containers/{self.name}/json")["State"]
            while state.get("Running") and time.monotonic() < end:
                time.sleep(0.05)
                state = self.api.request("GET", f"/containers/{self.name}/json")["State"]
        except DockerError as error:
            return "outside" if error.status == 404 else "unknown"
        except SandboxError:
            return "outside"
        if state.get("Running") or state.get("ExitCode") != 128 + 9:
            return "unknown"
        return "memory" if state.get("OOMKilled") else "outside"

    def close(self) -> None:
        """Remove the container."""
        if self._gone.acquire(blocking=False):
            with contextlib.suppress(OSError):
                self.pipe.close()
            self.containers.remove(self.name)


class DockerSandbox(PooledSandbox):
    """A pool of warm containers. `workers` run at once; `spares` more wait so that no job waits for a container to start."""

    name: ClassVar[str] = "docker"
    isolation: Isolation = "strong"

    def __init__(
        self,
        *,
        workers: int | None = None,
        spares: int = 1,
        memory_mb: int = 1024,
        image: str = "python",
        host: str | None = None,
        runtime: str | None = None,
    ) -> None:
        """`image`: one of `IMAGES`, or any that bears our label. `runtime`: a runtime that the daemon knows, such as `runsc` (gVisor)."""
        self.api = DockerApi(host)
        self.memory_mb = memory_mb
        self.image = image_name(image)
        self.workers = workers or min(os.cpu_count() or 1, 8)
        self.run_id = secrets.token_hex(8)
        self._kind = image
        self._lock = threading.Lock()
        self._containers = Containers(self.api, self.run_id)
        try:
            self.agent = check(self.api, image)
            remove_dead(self.api)
            remove_abandoned()
            self.daemon = Daemon.ask(self.api, runtime)
            self.cgroup_parent = self.daemon.cgroup_parent
        except DockerError as error:
            raise SandboxUnavailable(
                f"Docker can't run the sandbox ({error})", cure="see `rewardkit doctor`"
            ) from error
        self.trusted = Pool(lambda: self._box("trusted", self.image), workers=self.workers, spares=0)
        self.pool = Pool(
            lambda: self._box("box", self.image), workers=self.workers, spares=spares, trusted=self.trusted
        )
        self._compiled: dict[bool, Pool] = {}
        """Boxes of the image `full`, by whether their jobs are trusted. Made when a job needs them."""
        try:
            self._warm_up()
        except BaseException:
            self.close()
            raise

    def _warm_up(self) -> None:
        try:
            self.pool.warm_up()
        except SandboxError:
            if not self.cgroup_parent:
                raise
            self.cgroup_parent = ""
            self.pool.warm_up()

    def pool_for(self, jobs: Sequence[Job], *, trusted: bool) -> Pool:
        """Boxes with what the jobs need: our other images hold Python alone."""
        own = super().pool_for(jobs, trusted=trusted)
        if self._kind not in IMAGES or self._kind == "full" or all(job.language == "python" for job in jobs):
            return own
        with self._lock:
            if self.pool.closed:
                return own  # which says so
            pool = self._compiled.get(trusted)
            if pool is None:
                check(self.api, "full")
                role, image = "trusted" if trusted else "box", image_name("full")
                drivers = None if trusted else self.trusted
                pool = Pool(lambda: self._box(role, image), workers=self.workers, spares=0, trusted=drivers)
                self._compiled[trusted] = pool
            return pool

    def _box(self, role: str, image: str) -> Box:
        labels = {LABEL: "box", LABEL_RUN: self.run_id, "rewardkit.role": role, "rewardkit.host": socket.gethostname()}
        config = container_config(
            image, labels, self.daemon, memory_mb=self.memory_mb, cgroup_parent=self.cgroup_parent
        )
        try:
            box = DockerBox(self._containers, config)
        except DockerError as error:
            raise SandboxError(f"a container did not start ({error})", cure="see `rewardkit doctor`") from error
        self._containers.remove_leftovers()
        return box

    def submit(self, jobs: Sequence[Job], *, stop: Stop | None = None) -> "Future[list[Execution]]":
        """Queue the jobs; without the image that their language needs, they are lost."""
        try:
            return super().submit(jobs, stop=stop)
        except ImageMissing as error:
            return _without_toolchain(jobs, error)

    def facts(self) -> Mapping[str, object]:
        """Backend, strength, image and counters."""
        return {**super().facts(), "image": self.image, "agent": self.agent, "runtime": self.daemon.runtime}

    def close(self) -> None:
        """Kill and remove every container of this sandbox, also those that Docker created without an answer to us."""
        if not self.pool.close():
            return
        with self._lock:
            compiled = list(self._compiled.values())
        for pool in compiled:
            pool.close()
        self._containers.remove_all()


def _without_toolchain(jobs: Sequence[Job], error: ImageMissing) -> "Future[list[Execution]]":
    """Nothing was run: rows in other languages are unjudged until the image is built."""
    done: Future[list[Execution]] = Future()
    done.set_result([Execution(lost=f"{job.language} programs: {error}", isolation="strong") for job in jobs])
    return done


def remove_dead(api: DockerApi) -> int:
    """Remove boxes that have ended or never began and whose owner died; return their number."""
    return _remove(api, [found for found in api.containers(LABEL_BOX) if _is_dead(found)])


def remove_all(api: DockerApi) -> int:
    """Remove all boxes of every run on this daemon, found by their label; return their number."""
    return _remove(api, api.containers(LABEL_BOX))


def _is_dead(found: Mapping[str, Any]) -> bool:
    if found["State"] == "created":
        return time.time() - found["Created"] > STILLBORN_S
    return found["State"] in ("exited", "dead")


def _remove(api: DockerApi, boxes: Sequence[Mapping[str, Any]]) -> int:
    """Remove boxes and return the number of those removed. An error of one does not keep the others."""
    removed = 0
    for found in boxes:
        with contextlib.suppress(SandboxError, DockerError):
            api.remove(found["Id"])
            removed += 1
    return removed
