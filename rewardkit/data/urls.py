"""Files at URLs, through fsspec."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from rewardkit.errors import IncompleteError, MissingExtraError, UsageError, describe_error

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_url(path: str) -> bool:
    """True for `s3://...`, `hf://...`, `file://...` and the like."""
    return _URL.match(path) is not None


def file_system(url: str) -> tuple[Any, str]:
    """The fsspec file system of a URL and the path in it.

    Raises:
        MissingExtraError: fsspec, or the package for this protocol, is not installed.
    """
    try:
        fsspec: Any = import_module("fsspec")
    except ImportError:
        raise MissingExtraError.of(f"opening {url}", "url") from None
    try:
        return fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(f"cannot open {url}: {error}") from None


class Upload:
    """An output at a URL: written to `path`, a temporary file on this machine, and uploaded when it is complete.

    Object stores know neither appending nor locks, so such a run cannot be resumed.

    Raises:
        UsageError: the URL cannot be opened, or something is there while `overwrite` is off.
    """

    def __init__(self, url: str, *, overwrite: bool) -> None:
        self.url = url
        self._files, self._target = file_system(url)
        with usable("write", url):
            exists = self._files.exists(self._target)
        if exists and not overwrite:
            raise UsageError(f"{url} exists; replace it with --overwrite, or write to another URL")
        self._folder = Path(tempfile.mkdtemp(prefix="rewardkit-upload-"))
        self.path = self._folder / self._target.rpartition("/")[2]

    def send(self) -> None:
        """Send all files of the folder, the rows last, so that who finds them finds the rest.

        Raises:
            IncompleteError: it failed; the files stay on this machine, and the message says where.
        """
        try:
            for file in sorted(self._folder.iterdir(), key=lambda file: file == self.path):
                self._files.put_file(str(file), self._target.removesuffix(self.path.name) + file.name)
        except Exception as error:  # noqa: BLE001 - each file system has errors of its own
            raise IncompleteError(f"{unusable('write', self.url, error)}; the rows are in {self.path}") from None
        shutil.rmtree(self._folder)


def unusable(verb: str, name: str, error: Exception) -> UsageError:
    """One line for whatever a file system or the hub raised."""
    return UsageError(f"cannot {verb} {name}: {describe_error(error)}")


@contextmanager
def usable(verb: str, name: str) -> Generator[None]:
    """Turn whatever a file system or the hub raises into one line."""
    try:
        yield
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - each has errors of its own
        raise unusable(verb, name, error) from None
