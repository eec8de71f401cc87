"""Nothing of a program outlives its run: kill every process, empty the scratch mounts, check that this worked.

Wiping goes through a directory descriptor that was opened at start, before any program ran, and only for a directory that is
a tmpfs mount of its own and was empty then (or that the agent made itself); it never crosses to another device or follows a link.
"""

import contextlib
import errno
import os
import resource
import stat

from .wire import pour, read_exactly

__all__ = ["NotOurs", "Wiper", "descendants", "own_address_mb", "read", "residue"]

MAX_ROUNDS = 10_000
"""Each round takes one level of a tree away; the mounts have fewer inodes than this."""
SYSV = ("/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem")


class NotOurs(Exception):  # noqa: N818
    """The directory is not a mount made for this box; it is not touched."""


class Wiper:
    """Empties one mounted directory that belongs to this box."""

    def __init__(self, path: str, *, made_here: bool = False) -> None:
        self.path = path
        kind = mounted_as(path)
        if kind != "tmpfs" and not made_here:
            raise NotOurs(f"{path} is not a tmpfs mount of this box ({kind or 'not a mount point'})")
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        found = os.fstat(self.fd)
        self.device, self.mode = found.st_dev, stat.S_IMODE(found.st_mode)
        self.owned = found.st_uid == os.geteuid()
        if self.names():
            raise NotOurs(f"{path} was not empty at start")
        room = os.fstatvfs(self.fd)
        self.free = room.f_ffree if kind == "tmpfs" and room.f_files else -1
        """Inodes that are free in an empty mount; negative where they are not counted."""

    @classmethod
    def make(cls, path: str) -> "Wiper":
        """A directory that this call itself creates; one that exists is refused."""
        try:
            os.mkdir(path, 0o700)  # noqa: PTH102
        except FileExistsError:
            raise NotOurs(f"{path} was there before") from None
        return cls(path, made_here=True)

    def write(self, source: int, name: str, size: int) -> None:
        """Make a file below the (empty) directory of the next `size` bytes of a stream."""
        target = self._open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            pour(source, size, target)
        finally:
            os.close(target)

    def read(self, name: str, most_bytes: int) -> bytes | None:
        """A regular file below the directory, which a program left; None where there is none, or a longer one."""
        try:
            file = self._open(name, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_size > most_bytes:
                return None
            return read_exactly(file, found.st_size)
        finally:
            os.close(file)

    def _open(self, name: str, flags: int) -> int:
        """A file below the directory; no link is followed. With O_CREAT, its folders are made."""
        *parents, last = name.split("/")
        where = os.dup(self.fd)
        try:
            for parent in parents:
                if flags & os.O_CREAT:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(parent, 0o700, dir_fd=where)
                inner = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=where)
                os.close(where)
                where = inner
            return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=where)
        finally:
            os.close(where)

    def names(self) -> list[str]:
        """What lies in it now."""
        return os.listdir(self.fd)  # noqa: PTH208  (a descriptor, not a path)

    def wipe(self) -> bool:
        """Remove everything; False when something could not be removed."""
        if self.owned:
            self._restore()
        if os.fstatvfs(self.fd).f_ffree == self.free:
            return True  # not even a file that has no name any more
        moved = 0
        for _ in range(MAX_ROUNDS):
            names = self.names()
            if not names:
                return True
            before = moved
            gone = 0
            for name in names:
                with contextlib.suppress(OSError):  # what is left shows in the next round
                    moved = self._remove(name, moved)
                    gone += 1
            if not gone and moved == before:
                return False
        return not self.names()

    def _restore(self) -> None:
        """Give the directory itself its mode back, and times and attributes that tell nothing: a program of its owner may change them."""
        os.fchmod(self.fd, self.mode)  # else attributes may not be removed
        names: list[str] = []
        with contextlib.suppress(OSError):  # not every file system has attributes
            names = os.listxattr(self.fd)
        for name in names:
            with contextlib.suppress(OSError):  # what the kernel's security modules keep there is no program's
                os.removexattr(self.fd, name)
        os.fchmod(self.fd, self.mode)  # an access list had changed it
        os.utime(self.fd, (0, 0))

    def _remove(self, name: str, moved: int) -> int:
        """Remove one entry. Directories inside it move up to the top first, so that no depth is too deep to reach."""
        found = os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode):
            os.unlink(name, dir_fd=self.fd)
            return moved
        if found.st_dev != self.device:
            raise OSError(errno.EXDEV, "another mount")
        os.chmod(name, 0o700, dir_fd=self.fd)  # no process is left that could put a link in its place
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self.fd)
        try:
            for child in os.listdir(inner):  # noqa: PTH208
                if stat.S_ISDIR(os.stat(child, dir_fd=inner, follow_symlinks=False).st_mode):
                    os.chmod(child, 0o700, dir_fd=inner)  # a directory can only be moved by who may write to it
                    os.rename(child, f".moved-{os.getpid()}-{id(self)}-{moved}", src_dir_fd=inner, dst_dir_fd=self.fd)
                    moved += 1
                else:
                    os.unlink(child, dir_fd=inner)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=self.fd)
        return moved


def mounted_as(path: str) -> str | None:
    """The file system type mounted exactly at `path`; None if nothing is."""
    kind = None
    for line in read("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        if before.split()[4] == path:
            kind = after.split()[0]
    return kind


def descendants(root: int) -> list[int]:
    """Children of a process, with their children, as far as /proc tells."""
    found: list[int] = []
    todo = [root]
    while todo:
        parent = todo.pop()
        try:
            tasks = os.listdir(f"/proc/{parent}/task")  # noqa: PTH208
            children = [int(pid) for task in tasks for pid in read(f"/proc/{parent}/task/{task}/children").split()]
        except OSError:
            continue
        found += children
        todo += children
    return found


def read(path: str) -> str:
    """A kernel file's text."""
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  (pathlib is heavy, and each fork would pay)
        return file.read()


def own_address_mb() -> int:
    """Address space of this process."""
    return int(read("/proc/self/statm").split()[0]) * resource.getpagesize() >> 20


_tables: list[tuple[str, int]] = []
for _path in SYSV:
    with contextlib.suppress(OSError):
        _tables.append((_path, os.open(_path, os.O_RDONLY | os.O_CLOEXEC)))


def residue() -> str | None:
    """What is left that can't be wiped; None when nothing is."""
    for path, fd in _tables:
        if os.pread(fd, 4096, 0).count(b"\n") > 1:
            return f"SysV objects in {path}"
    return None
