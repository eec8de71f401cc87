"""Where rows come from: local files, folders, globs, standard input, fsspec URLs and data sets on the Hugging Face hub."""

from __future__ import annotations

import glob
import hashlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, filterfalse, islice
from pathlib import Path
from socket import getaddrinfo
from typing import Any, cast
from urllib.parse import urlsplit

from rewardkit.data.formats import COMPRESSED, NOT_READ, SUFFIXES, Found, records
from rewardkit.data.urls import file_system, is_url, usable
from rewardkit.errors import UsageError
from rewardkit.store import file_id

STDIN = "-"
_HUB_ID = re.compile(r"(?P<id>[\w-][\w.-]*/[\w-][\w.-]*)(?::(?P<config>[\w.-]+))?(?::(?P<split>[\w.-]+))?")
_GLOB = re.compile(r"[*?\[]")
_FACTS = ("dataset_info.json", "dataset_dict.json", "dataset_infos.json", "state.json")
"""Files in a folder of data that hold facts about it, beside `*.meta.json`."""
_BLOCK_BYTES = 2**20
_HASHED_BLOCKS = 64


def expand(paths: Sequence[str]) -> list[Source]:
    """One source for each file that the paths name: folders give the data files in them, globs what they match, sorted.

    Raises:
        UsageError: nothing is there, or a file is named twice, so that its rows would count twice.
    """
    sources = [source for path in paths for source in _expand(path)]
    seen: dict[object, str] = {}
    for source in sources:
        file = file_id(source.name) or source.name
        if file in seen:
            other = "" if seen[file] == source.shown else f" (as {seen[file]}, too)"
            raise UsageError(f"{source.shown} is named twice{other}, so that its rows would count twice; name it once")
        seen[file] = source.shown
    return sources


def refuse_streams(sources: Iterable[Source], why: str) -> None:
    """Refuse input that can be read only once, where it is read again.

    Raises:
        UsageError: a source is a stream.
    """
    for source in sources:
        if source.is_stream:
            raise UsageError(f"{why}, and {source.shown} can be read only once; save it to a file")


@dataclass
class Source:
    """A local file, standard input, or another stream: a pipe, a device."""

    name: str
    is_stream: bool = field(default=False, init=False)
    """Whether it can be read only once, so that its size and its hash are not known."""
    _left: Iterator[Found] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._raw: Any = None
        try:
            status = None if self.name == STDIN else Path(self.name).stat()
        except OSError as error:
            raise UsageError(f"cannot read {self.name}: {error.strerror or error}") from None
        self.is_stream = status is None or not stat.S_ISREG(status.st_mode)
        self.size = None if status is None or self.is_stream else status.st_size

    @property
    def is_on_disk(self) -> bool:
        """Whether it can be read twice at little cost."""
        return type(self) is Source and not self.is_stream

    @property
    def shown(self) -> str:
        """The name in messages."""
        return "stdin" if self.name == STDIN else self.name

    @property
    def position(self) -> int:
        """How many bytes are read so far."""
        return 0 if self._raw is None or self._raw.closed else self._raw.tell()

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Name, size and SHA-256; if it is large, of blocks that are spread evenly over it."""
        return {"name": self.name} if self.is_stream else {"name": Path(self.name).name, **file_hash(self.name)}

    def peek(self, count: int) -> list[Found]:
        """The first records. Those of a stream are read again by `read`, which goes on behind them."""
        found = self.read()
        head = list(islice(found, count))
        if self.is_stream:
            self._left = chain(head, found)
        return head

    def read(self) -> Iterator[Found]:
        """The records with their line or row number.

        Raises:
            UsageError: the source cannot be read, or is of no known format.
        """
        if self._left is not None:
            left, self._left = self._left, None
            yield from left
            return
        if self.name == STDIN:
            yield from records(cast("io.BufferedReader", sys.stdin.buffer), self.shown)
            return
        try:
            with self._open() as stream:
                self._raw = stream
                yield from records(stream, self.shown)
        except OSError as error:
            raise UsageError(f"cannot read {self.shown}: {error.strerror or error}") from None

    def _open(self) -> io.BufferedReader:
        return Path(self.name).open("rb")


@dataclass
class UrlSource(Source):
    """A file that fsspec opens."""

    def __post_init__(self) -> None:
        self._raw = None
        self._files, self._path = file_system(self.name)
        with usable("read", self.name):
            self._info: dict[str, Any] = self._files.info(self._path)
        self.size = self._info.get("size")

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Size and the store's own mark of the content."""
        marks = ("ETag", "etag", "md5", "md5Hash", "checksum", "blob_id", "mtime", "LastModified", "last_modified")
        mark = next((str(self._info[name]) for name in marks if self._info.get(name)), None)
        return {"name": self.name, "bytes": self.size, "mark": mark}

    def read(self) -> Iterator[Found]:
        """The records, read while they are used."""
        with usable("read", self.name):
            yield from super().read()

    def _open(self) -> io.BufferedReader:
        return io.BufferedReader(self._files.open(self._path, "rb"), 2**16)


@dataclass
class HubSource(Source):
    """A data set on the Hugging Face hub: `owner/name`, `owner/name:split` or `owner/name:config:split`, streamed."""

    def __post_init__(self) -> None:
        self._raw, self.size = None, None
        match = _HUB_ID.fullmatch(self.name)
        assert match is not None
        self._id, config, split = match["id"], match["config"], match["split"]
        self._config, self._split = (config, split) if split else (None, config)
        self._data: Any = None

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The revision that the hub gave."""
        info: Any = getattr(self._load(), "info", None)
        checksums = cast("dict[str, Any]", getattr(info, "download_checksums", None) or {})
        return {"name": self.name, "files": sorted(map(str, checksums))}

    def read(self) -> Iterator[Found]:
        """The rows of the split."""
        with usable("read", self.name):
            for number, row in enumerate(self._load(), start=1):
                yield number, dict(row), None

    def _load(self) -> Any:
        if self._data is not None:
            return self._data
        try:
            from importlib import import_module

            load_dataset = import_module("datasets").load_dataset
            hub = import_module("huggingface_hub.constants")
        except ImportError:
            raise UsageError(
                f"no file {self.name!r}; to read this data set from the hub: pip install 'rewardkit[hub]'"
            ) from None
        from urllib.request import getproxies

        if not (
            hub.HF_HUB_OFFLINE or getproxies() or _resolves(hub.ENDPOINT)
        ):  # its client would try for half a minute
            raise UsageError(
                f"no file {self.name!r}, and the hub at {hub.ENDPOINT} cannot be reached; "
                "set HF_HUB_OFFLINE=1 to read what its cache holds"
            )
        with usable("read", f"{self.name} from the hub"):
            data = load_dataset(self._id, self._config, split=self._split, streaming=True)
        if isinstance(data, dict):
            splits = list(cast("dict[str, Any]", data))
            if len(splits) > 1:
                raise UsageError(f"{self.name} has the splits {', '.join(splits)}; name one: {self.name}:{splits[-1]}")
            data = cast("dict[str, Any]", data)[splits[0]]
        self._data = data
        return data


def _resolves(url: str) -> bool:
    """Whether the host of a URL has an address."""
    try:
        return bool(getaddrinfo(urlsplit(url).hostname, None))
    except OSError:
        return False


def file_hash(path: str) -> dict[str, Any]:
    """Size and SHA-256 of up to `_HASHED_BLOCKS` MiB of a file, from first to last."""
    file = Path(path)
    size = file.stat().st_size
    blocks = min(_HASHED_BLOCKS, -(-size // _BLOCK_BYTES))
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        for index in range(blocks):
            stream.seek(index * max(0, size - _BLOCK_BYTES) // max(1, blocks - 1))
            digest.update(stream.read(_BLOCK_BYTES))
    return {"bytes": size, "sha256": digest.hexdigest()}


def _expand(path: str) -> list[Source]:
    if path == STDIN:
        return [Source(path)]
    if not path:  # pathlib takes it for the current folder
        raise UsageError("the name of an input is empty; is a variable of the shell unset?")
    if is_url(path):
        return _expand_url(path)
    local = Path(path)
    if local.is_dir() and (local / "run.json").is_file() and (local / "answers.jsonl").is_file():
        raise UsageError(f"{path} is a run of the harness; name the answers in it: {local / 'answers.jsonl'}")
    if local.is_dir():
        try:
            found = [str(file) for file in sorted(_files_in(local)) if _holds_rows(file.name)]
        except OSError as error:
            raise UsageError(f"cannot read {error.filename}: {error.strerror}") from None
        return _some(found, f"{path} is a folder without data files ({', '.join(SUFFIXES)})", Source)
    if local.exists():
        return [Source(path)]
    if _GLOB.search(path):
        found = sorted(filterfalse(os.path.isdir, glob.glob(path, recursive=True)))  # noqa: PTH207 - Path.glob refuses absolute patterns
        return _some(found, f"no file matches {path}", Source)
    if _HUB_ID.fullmatch(path) and not path.endswith(_ALL_SUFFIXES) and not local.parent.is_dir():
        return [HubSource(path)]
    if path == "+":
        raise UsageError("no file '+'; quote the reward: -r \"math + ...\"")
    return [Source(path)]  # says that it is not there


def _files_in(folder: Path) -> Iterator[Path]:
    """All files below a folder and the folders linked in it. One that cannot be listed is an error: `rglob` would leave its rows out in silence."""

    def stop(error: OSError) -> None:
        raise error

    seen: set[str] = set()
    for place, folders, names in os.walk(folder, onerror=stop, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:  # links may go round in circles
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(place, name) for name in names)


def _expand_url(url: str) -> list[Source]:
    files, path = file_system(url)
    with usable("read", url):
        if _GLOB.search(path):
            found = files.glob(path)
        elif files.isdir(path):
            found = [name for name in files.find(path) if _holds_rows(name.rpartition("/")[2])]
        else:
            return [UrlSource(url)]
    return _some([files.unstrip_protocol(name) for name in sorted(found)], f"no data file at {url}", UrlSource)


_ALL_SUFFIXES = (*SUFFIXES, *COMPRESSED)


def _holds_rows(name: str) -> bool:
    lower = name.lower()
    bare = lower.removesuffix(next((end for end in (*COMPRESSED, *NOT_READ) if lower.endswith(end)), ""))
    facts = name.endswith(".meta.json") or name in _FACTS
    return bare.endswith(SUFFIXES) and not name.startswith(".") and not facts


def _some(names: list[str], complaint: str, kind: type[Source]) -> list[Source]:
    if not names:
        raise UsageError(complaint)
    return [kind(name) for name in names]
