"""One exchange over HTTP: an end to its time, and what a server says of the next one. Standard library only."""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import socket
import threading
import time
from collections.abc import Generator

MAX_PAUSE_S = 10.0
"""Longest pause before a request is sent again."""


class Exchange:
    """A request and its answer on a connection that stands, until it is cut."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.started = time.monotonic()
        self.was_cut = False
        self._socket = connection.sock  # the connection lets go of it where the answer is the last one

    def cut(self) -> None:
        """Have the thread that waits for it fail at once."""
        self.was_cut = True
        with contextlib.suppress(OSError):  # it is closed
            self._socket.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def ending_after(self, seconds: float) -> Generator[None]:
        """Cut it when its time is over, however slowly its bytes keep coming: the timeout of a socket begins anew with each of them.

        Raises:
            TimeoutError: it was cut, here or elsewhere.
        """
        timer = threading.Timer(seconds, self.cut)
        timer.daemon = True
        with contextlib.suppress(RuntimeError):  # no thread is left
            timer.start()
        try:
            yield
        except (OSError, http.client.HTTPException):
            if not self.was_cut:
                raise
        finally:
            timer.cancel()
        if self.was_cut:
            raise TimeoutError("timed out")


def retry_after(header: str | None, *, most_s: float = MAX_PAUSE_S) -> float | None:
    """Seconds that a Retry-After header asks for, given in seconds or as a date; None if it says nothing.

    >>> retry_after("0.5")
    0.5
    """
    if header is None:
        return None
    with contextlib.suppress(ValueError):
        seconds = float(header)
        return min(most_s, seconds) if seconds >= 0 else None
    with contextlib.suppress(ValueError):
        return max(0.0, min(most_s, email.utils.parsedate_to_datetime(header).timestamp() - time.time()))
    return None
