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


class DockerBox(Box):
    """One container."""

    def __init__(
        self,
        api: DockerApi,
        image: str,
        labels: Mapping[str, str],
        *,
        memory_mb: int,
        strays: set[str],
        cgroup_parent: str,
        daemon: "Daemon",
    ) -> None:
        self.api = api
        self.strays = strays
        self._gone = threading.Lock()
        config = container_config(image, labels, daemon, memory_mb=memory_mb, cgroup_parent=cgroup_parent)
        unix_socket = UnixSocket.for_docker(api.url.scheme)
        try:
            self.container = self._create(config, unix_socket)
            try:
                stream = api.attach(self.container)
                api.request("POST", f"/containers/{self.container}/start")
                super().__init__(unix_socket.wait(stream) if unix_socket else stream, "strong")
            except BaseException:
                self._remove()
                raise
        finally:
            if unix_socket:
                unix_socket.close()

    def _create(self, config: dict[str, Any], unix_socket: UnixSocket | None) -> str:
        """Create the container and return its id. If the daemon sees other directories than we do, the box gets no socket."""
        if unix_socket is not None:
            host = {**config["HostConfig"], "Mounts": [unix_socket.mount()]}
            inside = {**config, "Cmd": ["--socket", f"{INSIDE}/{NAME}", *config["Cmd"]], "HostConfig": host}
            with contextlib.suppress(DockerError):
                return str(self.api.request("POST", "/containers/create", json_body=inside)["Id"])
        return str(self.api.request("POST", "/containers/create", json_body=config)["Id"])

    def cause_of_death(self) -> Cause:
        """Ask Docker. No process of a box can signal the agent, so a SIGKILL that ended it came from the host or the kernel.

        A daemon that is away took the box with it, or its end of the stream.
        """
        end = time.monotonic() + DEATH_S
        try:
            state = self.api.request("GET", f"/containers/{self.container}/json")["State"]
            while state.get("Running") and time.monotonic() < end:
                time.sleep(0.05)
                state = self.api.request("GET", f"/containers/{self.container}/json")["State"]
        except DockerError as error:
            return "outside" if error.status == 404 else "unknown"
        except SandboxError:
            return "outside"
        if state.get("Running") or state.get("ExitCode") != 128 + 9:
            return "unknown"
        return "memory" if state.get("OOMKilled") else "outside"

    def close(self) -> None:
        """Remove the container, by its id."""
        if self._gone.acquire(blocking=False):
            with contextlib.suppress(OSError):
                self.pipe.close()
            self._remove()

    def _remove(self) -> None:
        """Now, or when a box starts again."""
        try:
            self.api.remove(self.container)
        except (SandboxError, DockerError):
            self.strays.add(self.container)


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
        self._strays: set[str] = set()
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
        try:
            box = DockerBox(
                self.api,
                image,
                labels,
                memory_mb=self.memory_mb,
                strays=self._strays,
                cgroup_parent=self.cgroup_parent,
                daemon=self.daemon,
            )
        except DockerError as error:
            raise SandboxError(f"a container did not start ({error})", cure="see `rewardkit doctor`") from error
        self._remove_strays()
        return box

    def _remove_strays(self) -> None:
        """Remove boxes that could not be removed earlier, since Docker was away."""
        for container in tuple(self._strays):
            with contextlib.suppress(SandboxError, DockerError):
                self.api.remove(container)
                self._strays.discard(container)

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
        if self.pool.closed:
            return
        self.pool.close()
        for pool in self._compiled.values():
            pool.close()
        with contextlib.suppress(SandboxError, DockerError):
            _remove(self.api, self.api.containers(f"{LABEL_RUN}={self.run_id}"))


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
