"""Start a process from the fork server, without the caller's main module unless what it is given needs that.

`multiprocessing` runs the main module again in each process. A script without `if __name__ == "__main__":` would start workers from
within workers, one that is read from standard input cannot be run again, and a trainer's imports cost seconds and gigabytes.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from multiprocessing import current_process, forkserver, popen_forkserver, reduction, spawn, util
from multiprocessing import process as mp_process
from multiprocessing.context import ForkServerProcess, set_spawning_popen
from typing import Any

from rewardkit.processes import fork_safe_lock, sigchld_unblocked
from sandboxes.temp_dir import socket_folder

NEEDS_MAIN = "workers cannot import the script that defines it; define it in a module, or run the script's own work under `if __name__ == '__main__':`"
"""What to do if a process that needs the main module does not start."""

start_lock = fork_safe_lock()
"""Held while a process is started."""


def forget_fork_server() -> None:
    """Forget the fork server of the parent process, which runs for that process alone. The next start brings one of its own."""
    state: Any = forkserver._forkserver  # noqa: SLF001 # type: ignore[attr-defined] - there is no public way
    descriptor = state._forkserver_alive_fd  # noqa: SLF001
    if descriptor is not None:
        os.close(descriptor)
    state.__init__()


def make_socket_folder() -> None:
    """Have multiprocessing put its sockets into /tmp where the path of the temporary folder leaves no room for them. To be called with `start_lock` held."""
    if (folder := socket_folder()) != tempfile.gettempdir():
        given, tempfile.tempdir = tempfile.tempdir, folder
        try:
            util.get_temp_dir()  # made once in a process
        finally:
            tempfile.tempdir = given


def _after_fork() -> None:
    forget_fork_server()
    state: Any = mp_process
    state._children -= {child for child in state._children if isinstance(child, Process)}  # noqa: SLF001 - their end is not waited for here


os.register_at_fork(after_in_child=_after_fork)


def needs_main(given: object) -> bool:
    """Whether an object refers to the main module. Raises what pickling raises."""
    return b"__main__" in bytes(reduction.ForkingPickler.dumps(given))


class Process(ForkServerProcess):
    """A process of the fork server. Daemonic processes may start it, too: it ends with its parent, whatever that is."""

    def start(self) -> None:
        """Start it."""
        process: Any = current_process()
        config: dict[str, Any] = process._config  # noqa: SLF001 - asked by `start` alone
        daemonic = config.pop("daemon", None)
        try:
            with sigchld_unblocked():
                super().start()
        finally:
            if daemonic is not None:
                config["daemon"] = daemonic


class WithoutMain(Process):
    """One that knows nothing of the caller's main module."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - multiprocessing names it
        return _Popen(process_obj)


class _Popen(popen_forkserver.Popen):
    _fds: list[int]

    def _launch(self, process_obj: Any) -> None:
        settings: dict[str, Any] = spawn.get_preparation_data(process_obj._name)  # noqa: SLF001
        for name in ("init_main_from_name", "init_main_from_path"):
            settings.pop(name, None)
        sent = io.BytesIO()
        set_spawning_popen(self)
        try:
            reduction.dump(settings, sent)
            reduction.dump(process_obj, sent)
        finally:
            set_spawning_popen(None)
        self.sentinel, to_child = forkserver.connect_to_new_process(self._fds)
        with contextlib.ExitStack() as failed:
            failed.callback(os.close, self.sentinel)
            failed.callback(os.close, to_child)  # the child ends when nobody holds this any more
            with os.fdopen(to_child, "wb", closefd=False) as stream:
                stream.write(sent.getbuffer())
            self.pid = forkserver.read_signed(self.sentinel)
            failed.pop_all()
        self.finalizer = util.Finalize(self, _close, (to_child, self.sentinel))


def _close(*descriptors: int) -> None:
    for each in descriptors:
        os.close(each)
