"""The judge: rewardkit scores each answer in worker processes while the model generates.

`process_results` and `every_response` are what task YAMLs name; under stock lm-eval they judge on the spot. In a
harness run worker processes have the score ready by then.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import lru_cache
from statistics import fmean
from typing import Any, Self, cast

from harness.generation import Response, sample_of
from harness.identity import digest
from harness.own_metric import PREFIX
from rewardkit import Reward, Sample, Score, load
from rewardkit.code.shared import close_all
from rewardkit.executor import Executor, is_bounded, needs_sandbox
from rewardkit.grading import score_batch

CLOSE_S = 0.05
"""How often the sandboxes of a run that was interrupted are closed, until its last program has ended."""
SANDBOX_THREADS = 16
"""Code is judged in sandboxes, which do the work: threads that wait for them."""


def every_response(responses: Iterable[Sequence[str]], _docs: Any) -> list[list[str]]:
    """An lm-eval filter that keeps all repeats (the default keeps the first only)."""
    return [list(answers) for answers in responses]


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, float]:
    """Accuracy, score and reward of one problem: the mean over its judged answers, nothing if none was judged."""
    answers = cast("Sequence[str]", results[0])
    judge = current()
    scores = [judge.score(doc, answer) for answer in ([answers] if isinstance(answers, str) else answers)]
    judged = [score for score in scores if score is not None and score.value is not None]
    if not judged:
        return {}
    return {
        "accuracy": fmean(float(score.accuracy or 0) for score in judged),
        "score": fmean(score.outcome_value or 0.0 for score in judged),
        "reward": fmean(score.value or 0.0 for score in judged),
    }


class Judge:
    """Scores answers, each equal (reward, sample) once. Without workers it judges when asked, what may run in this process.

    Rewards that run code in a sandbox wait in threads of this process, so that the sandbox is shared; all others run in
    worker processes, `workers` for each reward.
    """

    def __init__(self, *, workers: int = 0, reward: str | None = None, row_timeout_s: float | None = None) -> None:
        self._reward = reward
        self._memo: dict[str, Future[Score]] = {}
        self._workers = workers
        self._row_timeout_s = row_timeout_s
        self._executors: dict[str, Executor] = {}
        self._threads: ThreadPoolExecutor | None = None
        self._in_sandboxes: list[Future[Score]] = []
        self._lock = threading.Lock()
        self.submitted = 0
        self.judged = 0

    def reward_text(self, doc: Mapping[str, Any]) -> str | None:
        """The reward that judges this doc: the run's, else the task's. None for tasks of lm-eval's own."""
        text = self._reward or doc.get("reward")
        return text if isinstance(text, str) and not text.startswith(PREFIX) else None

    def submit(self, doc: Mapping[str, Any], response: str) -> Future[Score] | None:
        """Start judging an answer. None if there is nothing to judge (a failed or filtered request, a task of lm-eval's own)."""
        future = self._future(doc, response)
        self.submitted += future is not None
        return future

    def _future(self, doc: Mapping[str, Any], response: str) -> Future[Score] | None:
        text = self.reward_text(doc)
        generation = getattr(response, "generation", None)
        if text is None or (generation is not None and (generation.error is not None or generation.filtered)):
            return None
        sample = sample_of(doc, response)
        key = _key(text, sample)
        with self._lock:
            future = self._memo.get(key)
            if future is None:
                self.judged += 1
                future = self._memo[key] = self._start(text, sample)
        return future

    def score(self, doc: Mapping[str, Any], response: str) -> Score | None:
        """The score of an answer; waits for it."""
        future = self._future(doc, response)
        if future is None:
            return None
        return future.result()

    def _start(self, text: str, sample: Sample) -> Future[Score]:
        reward = _load(text)
        bounded = is_bounded(reward)
        if self._workers == 0 and bounded:
            future: Future[Score] = Future()
            future.set_result(_score(text, sample))
            return future
        if bounded and needs_sandbox(reward):
            self._threads = self._threads or ThreadPoolExecutor(SANDBOX_THREADS, thread_name_prefix="judge")
            self._in_sandboxes.append(future := self._threads.submit(_score, text, sample))
            return future
        if text not in self._executors:
            workers = max(1, self._workers)
            self._executors[text] = Executor(reward, workers=workers, row_timeout_s=self._row_timeout_s)
        return _first(self._executors[text].submit([sample]).future)

    def close(self) -> None:
        """End the workers. Answers that nobody has asked for are not judged any more."""
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
            self._threads = None
        for executor in self._executors.values():
            executor.close()
        self._executors.clear()

    def __enter__(self) -> Self:
        use(self)
        return self

    def __exit__(self, kind: object, *_error: object) -> None:
        use(None)
        if kind is not None and self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            begun = [future for future in self._in_sandboxes if not future.cancelled()]
            while wait(begun, timeout=CLOSE_S).not_done:
                close_all()  # what runs would take its whole time, and a thread may just have opened another
        self.close()


_default = Judge()
_current: list[Judge] = []


def current() -> Judge:
    """The judge of this run; without a run, one that judges on the spot."""
    return _current[-1] if _current else _default


def use(judge: Judge | None) -> None:
    """Set the judge that `process_results` asks; None sets it back."""
    _current.clear()
    if judge is not None:
        _current.append(judge)


def default_workers() -> int:
    """Worker processes for judging: all cores but one, at most eight."""
    return max(1, min(8, (os.cpu_count() or 2) - 1))


@lru_cache(maxsize=64)
def _load(text: str) -> Reward:
    return load(text)


def _score(text: str, sample: Sample) -> Score:
    return score_batch(_load(text).score, [sample])[0]


def _first(scores: Future[list[Score]]) -> Future[Score]:
    """The score of the one sample of a job."""
    first: Future[Score] = Future()

    def done(_: Future[list[Score]]) -> None:
        if scores.cancelled():
            first.set_result(Score.unjudged("the run ended before this answer was judged"))
        elif (error := scores.exception()) is not None:
            first.set_exception(error)
        else:
            first.set_result(scores.result()[0])

    scores.add_done_callback(done)
    return first


def _key(text: str, sample: Sample) -> str:
    body = replace(sample, id=None, group=None).to_json()
    return digest(f"{text}\0{body}")


__all__ = [
    "Judge",
    "Response",
    "current",
    "default_workers",
    "every_response",
    "process_results",
    "use",
]
