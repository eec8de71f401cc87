"""Judge the rows of a file through one user of the executor: `python users.py USER ROWS OUT SECONDS`.

OUT gets one line for each row, as `rewardkit score -o` writes it, once all are judged.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from live import BOUND_S, TOY, Server
from ports import free_port

from rewardkit import Sample, load
from rewardkit.types import Score

REWARD = f"{TOY}:Trouble"
Values = list[float | None]


def main(user: str, rows: str, out: str, seconds: str) -> None:
    found = [json.loads(line) for line in Path(rows).read_text().splitlines()]
    values = USERS[user]([row["completion"] for row in found], float(seconds))
    lines = [json.dumps({"id": str(row["id"]), "reward": value}) for row, value in zip(found, values, strict=True)]
    Path(out).write_text("".join(f"{line}\n" for line in lines))


def by_executor(words: Sequence[str], timeout_s: float) -> Values:
    from rewardkit.executor import Executor

    with Executor(load(REWARD), workers=2, row_timeout_s=timeout_s) as executor:
        return _values(executor.score(_samples(words)))


def by_attack(words: Sequence[str], timeout_s: float) -> Values:
    from rewardkit.attack.judge import Judge

    with Judge(load(REWARD), workers=2, row_timeout_s=timeout_s) as judge:
        return _values(judge.score(_samples(words)))


def by_harness(words: Sequence[str], timeout_s: float, workers: int = 2) -> Values:
    from harness.generation import Generation, Response
    from harness.judging import Judge

    with Judge(workers=workers, reward=REWARD, row_timeout_s=timeout_s) as judge:
        docs = [
            {"question": f"{i}", "ground_truth": f"{i}", "data_source": "toy", "id": f"{i}", "reward": REWARD}
            for i in range(len(words))
        ]
        answers = [
            Response.of(Generation(key=str(i), task="toy", doc_id=i, rep=0, seed=0, text=word))
            for i, word in enumerate(words)
        ]
        for doc, answer in zip(docs, answers, strict=True):
            judge.submit(doc, answer)
        scores = [judge.score(doc, answer) for doc, answer in zip(docs, answers, strict=True)]
    return [None if score is None else score.value for score in scores]


def by_harness_when_asked(words: Sequence[str], timeout_s: float) -> Values:
    return by_harness(words, timeout_s, workers=0)


def by_ray_actor(words: Sequence[str], timeout_s: float) -> Values:
    """What runs in each actor, without a cluster around it."""
    import pyarrow as pa

    from rewardkit.ray import Scorer

    scorer = Scorer(REWARD, row_timeout_s=timeout_s)
    try:
        return scorer(pa.Table.from_pylist([{"completion": word} for word in words])).column("reward").to_pylist()
    finally:
        scorer.close()


def by_serve(words: Sequence[str], timeout_s: float) -> Values:
    server = _server(timeout_s)
    try:
        body = {"samples": [{"completion": word} for word in words]}
        answer = server.client.post("/v1/score", json=body, timeout=10 * BOUND_S)
        return [score["value"] for score in answer.json()["scores"]]
    finally:
        server.stop()


def by_remote(words: Sequence[str], timeout_s: float) -> Values:
    """A server that is started again if it dies, as a service manager does."""
    from rewardkit import remote

    port, done = free_port(), threading.Event()

    def keep_up(server: Server) -> None:
        while not done.wait(0.1):
            if server.process.poll() is not None:
                server = _server(timeout_s, port)
        server.stop()

    url = (first := _server(timeout_s, port)).url
    keeper = threading.Thread(target=keep_up, args=(first,))
    keeper.start()
    try:
        return _values(remote(url, timeout_s=10 * BOUND_S).score(_samples(words)))
    finally:
        done.set()
        keeper.join()


USERS: dict[str, Callable[[Sequence[str], float], Values]] = {
    "Executor": by_executor,
    "attack": by_attack,
    "harness": by_harness,
    "harness --judge_workers 0": by_harness_when_asked,
    "Ray actor": by_ray_actor,
    "serve": by_serve,
    "remote": by_remote,
}


def _samples(words: Sequence[str]) -> list[Sample]:
    return [Sample(completion=word) for word in words]


def _values(scores: Sequence[Score]) -> Values:
    return [score.value for score in scores]


def _server(timeout_s: float, port: int = 0) -> Server:
    """A `rewardkit serve` of two workers."""
    bounds = {
        "--workers": 2,
        "--row-timeout": timeout_s,
        "--deadline": 10 * BOUND_S,
        "--worker-memory": 4096,
        "--port": port,
    }
    return Server("-r", f"trouble={REWARD}", *(str(each) for pair in bounds.items() for each in pair))


if __name__ == "__main__":
    main(*sys.argv[1:])
