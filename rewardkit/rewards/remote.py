"""A reward that one or more `rewardkit serve` processes judge, used like a local one."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, fields
from itertools import chain
from typing import Any, ClassVar

from rewardkit.access import check_url
from rewardkit.base import Reward
from rewardkit.client import DRAINED, NO_ANSWER, PATIENCE_S, TIME_IS_UP, RemoteError, shared_client
from rewardkit.errors import UsageError
from rewardkit.grading import failure
from rewardkit.groups import MAX_GROUP_ROWS, group_key, packed, together
from rewardkit.tracing import span
from rewardkit.types import Sample, Score

SPLIT_ROWS = 32
"""At least this many rows are spread over several servers, even if they fit into one request."""
MAX_TIMEOUT_S = 1e6
"""Eleven days; sockets take twice as much at most."""
TOO_LARGE = 413
KNOWN_S = 10.0
"""What a server says of its reward is asked again after this time."""


@dataclass(frozen=True, kw_only=True)
class Remote(Reward):
    """The scores of a reward that `rewardkit serve` offers at one URL, or at several URLs that share the work.

    Batches go to the healthy server with the fewest requests in flight. Lost connections, restarts, 408, 429, 502, 503 and 504 are retried until
    `timeout_s` have passed, and other 5xx three times; then rows without an answer are `unjudged`, and batches that have not begun are given up if
    none was answered meanwhile. A server that refuses rests while another one may judge. Of several servers, one that dies, hangs or is too slow
    loses its batches to the others; a row that was judged twice counts once. The token, if one is needed, is read from the
    environment variable REWARDKIT_TOKEN, so that it is never part of a reward's text. Facts in `extra_info` that have no form in
    JSON, as images, are left out; a ground truth without one leaves its row `unjudged`.
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
    """Rows in one request, and more where a group (`group`, else the prompt) is longer and the served reward does not judge row by row. A
    batch that is too large for the server is halved, and a group if the reward does not compare its completions."""
    concurrency: int = 8
    """Requests in flight at once, for each URL."""

    def __post_init__(self) -> None:
        urls: Any = self.urls
        object.__setattr__(self, "urls", urls if isinstance(urls, str) else tuple(urls))
        if not self._urls:
            raise UsageError("remote needs at least one URL")
        for url in self._urls:
            check_url(url)  # a URL with a password is refused here, before it can be in a text
        if self.batch < 1 or self.concurrency < 1 or not 0 < self.timeout_s <= MAX_TIMEOUT_S:
            raise UsageError(
                f"remote: batch and concurrency are 1 or more, timeout_s is above 0 and at most {MAX_TIMEOUT_S:,.0f}"
            )

    def __getstate__(self) -> dict[str, Any]:
        """The options alone."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

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
        answered: list[bool] = []
        down: list[Score] = []

        def ask(batch: Sequence[int]) -> list[Score]:
            before = len(answered)
            if down:  # the servers were asked in vain for `timeout_s`: once is enough
                return down[:1] * len(batch)
            found = self._score_batch([samples[place] for place in batch])
            lost = [score for score in found if score.reason.startswith(NO_ANSWER)]
            if len(lost) < len(found):
                answered.append(True)
            elif before == len(answered):
                down.extend(lost)
            return found

        parts = len(self._urls) if len(samples) >= SPLIT_ROWS else 1
        size = min(self.batch, -(-len(samples) // parts))
        groups = list(_groups(samples, self.batch))
        if max(map(len, groups), default=0) > size and self._info().get("row_wise", False):
            groups = [[place] for place in range(len(samples))]
        batches = list(packed(groups, size))
        with span("rewardkit.remote", rows=len(samples)):
            if len(batches) <= 1:
                answers = list(map(ask, batches))
            else:
                with ThreadPoolExecutor(
                    min(len(batches), self.concurrency * len(self._urls)), "rewardkit-remote"
                ) as pool:
                    asked = [pool.submit(copy_context().run, ask, batch) for batch in batches]
                    answers = [answer.result() for answer in asked]
        scores = dict(zip(chain(*batches), chain(*answers), strict=True))
        return [scores[place] for place in range(len(samples))]

    def _score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        """Rows that a server had no time for are sent again, those of which none was judged once to each server; each counts once. Halves of
        a batch share its time.
        """
        deadline = time.monotonic() + self.timeout_s
        rows = [_plain(sample) for sample in samples]
        scores = [Score.unjudged(row if isinstance(row, str) else f"{TIME_IS_UP} {self.timeout_s:g} s") for row in rows]
        servers = len(self._urls)
        todo = deque([([place for place, row in enumerate(rows) if isinstance(row, dict)], servers)])
        while todo and (left_s := deadline - time.monotonic()) > 0:
            places, tries = todo.popleft()
            try:
                answer = self._ask([rows[place] for place in places], left_s / (1 + len(todo))) if places else []
            except RemoteError as error:
                if error.status == TOO_LARGE and len(halves := self._halves(samples, places)) > 1:
                    todo.extend((half, tries) for half in halves)
                    continue
                answer = [Score.unjudged(str(error))] * len(places)
            for place, score in zip(places, answer, strict=True):
                scores[place] = score
            late = [place for place in places if scores[place].reason.startswith((TIME_IS_UP, DRAINED))]
            drained = any(scores[place].reason.startswith(DRAINED) for place in late)
            tries = servers if len(late) < len(places) or drained else tries - 1
            if late and tries and deadline - time.monotonic() > PATIENCE_S:
                shared_client(self._urls).spend_retry()
                todo.append((late, tries))
        return scores

    def _ask(self, rows: Sequence[dict[str, Any] | str], left_s: float) -> list[Score]:
        body = {"samples": rows} if self.reward is None else {"samples": rows, "reward": self.reward}

        def read(answer: Any) -> list[Score]:
            scores = [Score.from_row(score) for score in answer["scores"]]
            if len(scores) != len(rows):
                raise ValueError(f"{len(scores)} scores for {len(rows)} samples")
            return scores

        return shared_client(self._urls).request("/v1/score", body, timeout_s=left_s, read=read)

    def _halves(self, samples: Sequence[Sample], places: Sequence[int]) -> list[list[int]]:
        """The groups of these places in two batches; in one if it is a single group that the reward compares."""
        found = together(group_key(samples[place]) for place in places)
        groups = [[places[index] for index in group] for group in found]
        if len(groups) == 1 and not self._info().get("compares_groups", True):
            groups = [[place] for place in places]
        middle = len(groups) // 2
        return [sorted(chain(*half)) for half in (groups[:middle], groups[middle:]) if half]

    def compares_groups(self, sample: Sample | None = None) -> bool:  # noqa: ARG002 - the server judges all samples alike
        """Whether the served reward compares the completions of a group, as far as a server has said so."""
        return bool(self._info().get("compares_groups", False))

    def _info(self) -> Mapping[str, Any]:
        """What a server says of the reward, or said last; nothing if none has answered."""
        asked_at, info = vars(self).get("_known", (-KNOWN_S, {}))
        if time.monotonic() - asked_at >= KNOWN_S:
            info = self._ask_info() or info
            vars(self)["_known"] = time.monotonic(), info
        return info

    def _ask_info(self) -> Mapping[str, Any]:
        try:
            return shared_client(self._urls).request("/v1/rewards", timeout_s=PATIENCE_S, read=self._own_info)
        except RemoteError:
            return {}

    def _own_info(self, served: Any) -> Mapping[str, Any]:
        names = [{"".join(one[key].split()) for key in ("name", "reward")} for one in served]
        place = 0 if self.reward is None else ["".join(self.reward.split()) in own for own in names].index(True)
        return dict(served[place])


def _groups(samples: Sequence[Sample], batch: int) -> Iterator[list[int]]:
    """The places of each group. Rows that share only their prompt are no group if they are more than a server takes at once."""
    for group in together(map(group_key, samples)):
        most = len(group) if samples[group[0]].group is not None else max(batch, MAX_GROUP_ROWS)
        yield from (group[start : start + most] for start in range(0, len(group), most))


def _plain(sample: Sample) -> dict[str, Any] | str:
    """The sample as JSON values, or why it has none."""
    try:
        return json.loads(sample.to_json())
    except UsageError as error:
        return str(error)


def remote(urls: str | Sequence[str], **options: Any) -> Reward:
    """The reward that `rewardkit serve` offers at one URL, or at several URLs that share the work. Options as in `load("remote(...)")`."""
    return Remote(urls if isinstance(urls, str) else tuple(urls), **options)
