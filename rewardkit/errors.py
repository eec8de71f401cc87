"""Errors with a message for the user. Each class has an exit code for the command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import ClassVar

NO_COLUMN = "needs a column"
"""Why a function of columns has judged nothing."""


class RewardkitError(Exception):
    """Base class of all errors that rewardkit raises on purpose."""

    exit_code: ClassVar[int] = 2


class UsageError(RewardkitError, ValueError):
    """The caller can fix it: a wrong option, a missing file, an unreadable reward text."""


class UnknownNameError(UsageError):
    """The name is not registered."""

    @classmethod
    def of(cls, kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
        """The error for `name`, with the nearest known name or the list of known names."""
        names = sorted(known)
        return cls(f"no {kind} {name!r}; {did_you_mean(name, names) or 'installed: ' + ', '.join(names)}")


class NoColumnError(UsageError):
    """The input has no column of a name that was given."""

    column: str = ""

    @classmethod
    def of(cls, where: str, name: str, present: Iterable[str]) -> NoColumnError:
        """The error for `name`, with the nearest column or the first ones that there are."""
        names = list(map(str, present))
        hint = did_you_mean(name, names) or f"its columns: {one_line(', '.join(names[:12])) or 'none'}"
        error = cls(f"{where} has no column {quoted(name)}; {hint}")
        error.column = name
        return error


class MissingExtraError(UsageError, ImportError):
    """A feature whose packages are not installed."""

    @classmethod
    def of(cls, what: str, extra: str) -> MissingExtraError:
        """The error that names the install line for `extra`."""
        return cls(f"{what} needs an extra: pip install 'rewardkit[{extra}]'")


class GroundTruthError(RewardkitError, ValueError):
    """The ground truth cannot be used. The sample is `unjudged`, since this is not the completion's fault."""


class MissingDataError(RewardkitError, ValueError):
    """The sample lacks a field that the reward needs (a turn count, a token count). It is `unjudged`."""


class IncompleteError(RewardkitError):
    """Too much of a run could not be judged, or the infrastructure failed."""

    exit_code: ClassVar[int] = 4


def visible(text: str) -> str:
    """The text with a replacement character for all that cannot be shown, control characters above all; line breaks stay."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)


def one_line(text: str) -> str:
    """`visible` text on one line."""
    return visible(" ".join(text.split()))


def clip(text: str, limit: int = 60) -> str:
    """`one_line` of at most `limit` characters, with "…" where the text was longer."""
    line = one_line(text[: 20 * limit])
    return line if len(line) <= limit and len(text) <= 20 * limit else line[: limit - 1] + "…"


def quoted(value: object, limit: int = 60) -> str:
    """A value as an error message quotes it: its `repr` on one line, with "…" where it was longer than `limit`."""
    if isinstance(value, str):
        return repr(value if len(value) <= limit else value[: limit - 1] + "…")
    try:
        return clip(repr(value), limit)
    except Exception:  # noqa: BLE001 - an object whose code fails, a number of more digits than Python writes
        return f"<{type(value).__name__}>"


def describe_error(error: BaseException) -> str:
    """What an error of others says, on one line: its type and at most 300 characters of its text."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - their text is code, too
        said = ""
    return f"{type(error).__name__}: {clip(said, 300)}".rstrip(": ")


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """The question whether the nearest of the known names was meant; empty if none is near."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else ""


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 row", "1,204 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
