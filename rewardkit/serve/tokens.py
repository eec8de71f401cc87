"""Bearer tokens and their quotas."""

from __future__ import annotations

import hmac
import math
import os
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rewardkit.access import TOKEN_VARIABLE, token_lines
from rewardkit.errors import UsageError
from rewardkit.serve.http import RefusedError

if TYPE_CHECKING:
    from rewardkit.serve.http import Request

MIN_CHARS = 16
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_FORM = "a line is TOKEN [name=NAME] [rows_per_s=N] [rows=N]"


@dataclass(frozen=True)
class Token:
    """A secret that callers send, the name under which they are counted, and their quota."""

    secret: str = field(repr=False)
    name: str
    rows_per_s: float = math.inf
    """Rows a second that are judged for it, on average."""
    rows: float = math.inf
    """Rows that it may have under way. A larger request gets in where it is alone."""


class Usage:
    """What a caller has used of its quota. Callers without a token have no name and no quota."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.rows = 0
        """Rows admitted and not yet judged."""
        self._left = math.inf
        self._at = 0.0

    def admit(self, token: Token, rows: int, now: float) -> float:
        """Count rows that are asked for at this time, in seconds. 0, or the seconds to wait, and then they are not counted.

        The rate is a bucket that holds what one second brings. A request gets in, however large, unless earlier ones took more
        than was there; then it waits until that is made up for.
        """
        if rows and self.rows and self.rows + rows > token.rows:
            return 1.0
        if token.rows_per_s < math.inf:
            left = min(max(1.0, token.rows_per_s), self._left + (now - self._at) * token.rows_per_s)
            if rows and left < 0:
                return -left / token.rows_per_s
            self._left, self._at = left - rows, now
        self.rows += rows
        return 0.0

    def undo(self, rows: int) -> None:
        """The rows were admitted, but are not judged."""
        self.rows -= rows
        self._left += rows


class Tokens:
    """The tokens of a server and what was used of them. They can be replaced while requests are under way."""

    def __init__(self, tokens: Iterable[Token], *, processes: int = 1) -> None:
        self._processes = processes
        self._usage: dict[str, Usage] = {}
        self.replace(tokens)

    def __len__(self) -> int:
        return len(self._known)

    def replace(self, tokens: Iterable[Token]) -> None:
        """Accept these tokens from now on, each process its share of their quotas. A name that stays keeps what it has used."""
        self._known = [
            replace(token, rows_per_s=token.rows_per_s / self._processes, rows=token.rows / self._processes)
            for token in tokens
        ]

    def find(self, given: bytes) -> Token | None:
        """The token that a caller gave, if it is one."""
        matches = [token for token in self._known if hmac.compare_digest(given, token.secret.encode())]
        return matches[0] if matches else None  # all of them were compared: equal time for any

    def charge(self, request: Request, rows: int) -> Usage:
        """Count rows against the quota of the caller's token. Take them off the `rows` of what comes back once they are judged.

        Raises:
            RefusedError: 429 over the quota.
        """
        token = request.token
        if token is None:
            return Usage()
        usage = self._usage.setdefault(token.name, Usage(token.name))
        if wait_s := usage.admit(token, rows, time.monotonic()):
            seconds = math.floor(wait_s) + 1
            message = f"over the quota of {token.name}; try again in {seconds} s"
            raise RefusedError(429, message, why="quota", headers={"retry-after": str(seconds)})
        return usage


def read_tokens(path: Path | None) -> tuple[Token, ...]:
    """Tokens from the environment and a file, one a line.

    Raises:
        UsageError: the file cannot be read, holds none, or a line is not of the form. The message holds no secret.
    """
    lines = _lines(TOKEN_VARIABLE, os.environ.get(TOKEN_VARIABLE, ""))
    if path is not None:
        try:
            of_file = _lines(f"--token-file {path}", path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read --token-file {path}: {error}") from None
        if not of_file:
            raise UsageError(f"--token-file {path} holds no token")
        lines |= of_file
    tokens = tuple(_token(where, place, words) for place, (where, words) in enumerate(lines.values(), start=1))
    names = [token.name for token in tokens]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two tokens have the name {name}; give each its own")
    return tokens


def _lines(source: str, text: str) -> dict[str, tuple[str, list[str]]]:
    """Each token with where it stands and its words."""
    return {words[0]: (f"{source}, line {number}", words) for number, words in token_lines(text).items()}


def _token(where: str, place: int, words: list[str]) -> Token:
    secret, *options = words
    if len(secret) < MIN_CHARS or not secret.isascii() or not secret.isprintable():
        raise UsageError(
            f"{where}: a token has at least {MIN_CHARS} printable ASCII characters and no blanks: "
            "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    given = {key: value for key, _, value in (option.partition("=") for option in options)}
    name = given.pop("name", f"token-{place}")
    try:
        quota = {key: float(value) for key, value in given.items()}
        if not quota.keys() <= {"rows_per_s", "rows"} or not all(0 < value < math.inf for value in quota.values()):
            raise ValueError
    except ValueError:
        raise UsageError(f"{where}: {_FORM}, each N above 0") from None
    if not _NAME.fullmatch(name):
        raise UsageError(f"{where}: a name has letters, digits, dots, dashes and underscores, 64 at most")
    return Token(secret, name, **quota)
