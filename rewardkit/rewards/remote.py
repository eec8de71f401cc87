"""A reward that one or more `rewardkit serve` processes judge, used like a local one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, ClassVar
from urllib.parse import urlsplit

from rewardkit.base import Reward
from rewardkit.client import TIME_IS_UP, RemoteError, check_url, shared_client
from rewardkit.errors import UsageError
from rewardkit.grading import failure
from rewardkit.tracing import span
from rewardkit.types import Sample, Score

SPLIT_ROWS = 32
"""At least this many rows are spread over several servers, even if they fit into one request."""


@dataclass(frozen=True, kw_only=True)
class Remote(Reward):
    """The scores of a reward that `rewardkit serve` offers at one URL, or at several URLs that share the work.

    Batches go to the healthy server with the fewest requests in flight. Lost connections, restarts, 429 and 503 are retried until
    `timeout_s` have passed; then rows without an answer are `unjudged`. Of several servers, one that dies, hangs or is too slow
    loses its batches to the others; a row that was judged twice counts once. The token, if one is needed, is read from the
    environment variable REWARDKIT_TOKEN, so that it is never part of a reward's text.
    """

    name: ClassVar[str] = "remote"
    source: ClassVar[str] = "docs/serve.md"
    needs: ClassVar[tuple[str, ...]] = ("completion", "server")
    bounded: ClassVar[bool] = True

    urls: str | tuple[str, ...] = field(kw_only=False)
    """`http://host:port`, or several of them."""
    reward: str | None = None
    """Name or text of a reward that the server offers. None: its first one."""
    timeout_s: float = 120.0
    """Time for one batch, retries included."""
    batch: int = 256
    """Rows in one request. Neighbouring rows of one group stay together."""
    concurrency: int = 8
    """Requests in flight at once, for each URL."""

    def __post_init__(self) -> None:
        urls: Any = self.urls
        object.__setattr__(self, "urls", urls if isinstance(urls, str) else tuple(urls))
        if not self._urls:
            raise UsageError("remote needs at least one URL")
        for url in self._urls:
            check_url(url)  # a URL with a password is refused here, before it can be in a text
        if self.batch < 1 or self.concurrency < 1 or not self.timeout_s > 0:
            raise UsageError("remote: batch and concurrency are 1 or more, timeout_s is above 0")

    @property
    def _urls(self) -> tuple[str, ...]:
        return (self.urls,) if isinstance(self.urls, str) else self.urls

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Send the samples in batches, several at once, and put the scores back in order."""
        try:
            return self._score(samples)
        except RuntimeError as error:  # the system has no thread left
            return [failure(error)] * len(samples)

    def _score(self, samples: Sequence[Sample]) -> list[Score]:
        parts = len(self._urls) if len(samples) >= SPLIT_ROWS else 1
        batches = list(_batches(samples, min(self.batch, -(-len(samples) // parts) or 1)))
        with span("rewardkit.remote", rows=len(samples)):
            if len(batches) <= 1:
                return [score for batch in batches for score in self._score_batch(batch)]
            with ThreadPoolExecutor(min(len(batches), self.concurrency * len(self._urls)), "rewardkit-remote") as pool:
                asked = [pool.submit(copy_context().run, self._score_batch, batch) for batch in batches]
                return [score for answer in asked for score in answer.result()]

    def _score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        """Rows that a server had no time for are sent to another one; each counts once."""
        deadline = time.monotonic() + self.timeout_s
        rows = [_plain(sample) for sample in samples]
        scores = [Score.unjudged(row if isinstance(row, str) else f"{TIME_IS_UP} {self.timeout_s:g} s") for row in rows]
        todo: list[int] = [place for place, row in enumerate(rows) if isinstance(row, dict)]
        while todo and (left_s := deadline - time.monotonic()) > 0:
            for place, score in zip(todo, self._ask([rows[place] for place in todo], left_s), strict=True):
                scores[place] = score
            late = [place for place in todo if scores[place].reason.startswith(TIME_IS_UP)]
            alone = all(samples[place].group is None for place in late)
            todo = late if len(self._urls) > 1 and alone else []
            if todo:
                shared_client(self._urls).spend_retry()
        return scores

    def _ask(self, rows: Sequence[dict[str, Any] | str], left_s: float) -> list[Score]:
        body = {"samples": rows} if self.reward is None else {"samples": rows, "reward": self.reward}
        client = shared_client(self._urls)
        try:
            answer = client.post("/v1/score", body, timeout_s=left_s)
            scores = [Score.from_row(score) for score in answer["scores"]]
            if len(scores) != len(rows):
                raise ValueError(f"{len(scores)} scores for {len(rows)} samples")
        except RemoteError as error:
            return [Score.unjudged(str(error))] * len(rows)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            hosts = ", ".join(urlsplit(url).netloc for url in self._urls)
            reason = f"{hosts} does not answer as rewardkit serve does ({type(error).__name__})"
            return [Score.unjudged(reason)] * len(rows)
        return scores


def _plain(sample: Sample) -> dict[str, Any] | str:
    """The sample as JSON values, or why it has none."""
    try:
        return json.loads(sample.to_json())
    except UsageError as error:
        return str(error)


def _batches(samples: Sequence[Sample], size: int) -> Iterator[Sequence[Sample]]:
    start = 0
    while start < len(samples):
        end = min(start + size, len(samples))
        while end < len(samples) and samples[end].group is not None and samples[end].group == samples[end - 1].group:
            end += 1
        yield samples[start:end]
        start = end


def remote(urls: str | Sequence[str], **options: Any) -> Reward:
    """The reward that `rewardkit serve` offers at one URL, or at several URLs that share the work. Options as in `load("remote(...)")`."""
    return Remote(urls if isinstance(urls, str) else tuple(urls), **options)
