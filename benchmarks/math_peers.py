"""Other people's graders, each in a process of its own with a kill deadline per pair.

The graders are used as installed (`pip install math-verify==0.9.0`, `pip install --no-deps verl==0.9.1 pylatexenc`);
nothing of them stands here but the calls. The interpreter that has them is named by REWARDKIT_PEERS_PYTHON.

As a script this file is the worker: one JSON request a line in, one JSON reply a line out.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import resource
import select
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

DEADLINE_S = 10.0
"""A pair that takes longer counts as not accepted, and the worker is killed."""
MEMORY_BYTES = 6 << 30
Grade = Callable[[str, str], bool]


@dataclass(frozen=True)
class Reply:
    """A peer's verdict on one pair; `how` is ok, error, hang or died."""

    accepted: bool
    seconds: float
    how: str
    cpu_s: float = 0.0


# -- the client ------------------------------------------------------------------------------------------------------


class Peer:
    """One grader in a killable subprocess."""

    def __init__(self, name: str, deadline_s: float = DEADLINE_S) -> None:
        self.name = name
        self.deadline_s = deadline_s
        self.peak_mb = 0.0
        self._start()

    def _start(self) -> None:
        python = os.environ.get("REWARDKIT_PEERS_PYTHON", sys.executable)
        self._process = subprocess.Popen(
            [python, str(Path(__file__).resolve()), self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        ready = self._read(60.0)
        if ready is None or "error" in ready:
            self.close()
            raise RuntimeError(f"peer {self.name} does not start: {ready}")

    def grade(self, completion: str, gold: Any) -> Reply:
        """Whether the peer accepts the completion; a list of golds is accepted when one of its members is."""
        began = time.perf_counter()
        golds = gold if isinstance(gold, list) else [gold]
        line = json.dumps({"completion": completion, "golds": [str(g) for g in golds]}) + "\n"
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode())
            answer = self._read(self.deadline_s)
        except (BrokenPipeError, OSError):
            answer = {"died": True}
        if answer is None or "died" in answer:
            self.close()
            self._start()
            waited = time.perf_counter() - began
            return Reply(False, waited, "hang" if answer is None else "died", waited)
        self.peak_mb = max(self.peak_mb, answer["rss_mb"])
        return Reply(bool(answer["accepted"]), answer["seconds"], answer["how"], answer["cpu_s"])

    def _read(self, deadline_s: float) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        buffer = b""
        end = time.monotonic() + deadline_s
        while not buffer.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                return None
            chunk = os.read(pipe, 65_536)
            if not chunk:
                return {"died": True}
            buffer += chunk
        return json.loads(buffer)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def grade_all(name: str, rows: Iterable[tuple[str, Any]], deadline_s: float = DEADLINE_S) -> tuple[list[Reply], float]:
    """All replies of a peer, and the largest resident memory its process reached (MB)."""
    with Peer(name, deadline_s) as peer:
        return [peer.grade(completion, gold) for completion, gold in rows], peer.peak_mb


def grade_cached(
    name: str, rows: list[tuple[str, Any]], cache: Path | None, deadline_s: float = DEADLINE_S
) -> list[Reply]:
    """All replies of a peer, those of earlier runs from a file of JSON lines; a peer's verdict does not change."""
    known: dict[str, Reply] = {}
    if cache is not None and cache.exists():
        for line in cache.read_text().splitlines():
            entry = json.loads(line)
            known[entry["key"]] = Reply(entry["accepted"], entry["seconds"], entry["how"])
    keys = [hashlib.sha256(json.dumps([name, completion, gold]).encode()).hexdigest()[:24] for completion, gold in rows]
    todo = {key: row for key, row in zip(keys, rows, strict=True) if key not in known}
    if todo:
        with Peer(name, deadline_s) as peer:
            for key, (completion, gold) in todo.items():
                reply = known[key] = peer.grade(completion, gold)
                if cache is not None:
                    with cache.open("a") as out:
                        out.write(json.dumps({"key": key, **asdict(reply)}) + "\n")
    return [known[key] for key in keys]


# -- the worker ------------------------------------------------------------------------------------------------------


def _math_verify_default() -> Grade:
    from math_verify import parse, verify

    return lambda completion, gold: verify(parse(f"${_bare(gold)}$"), parse(completion))


def _math_verify_boxed() -> Grade:
    from math_verify import LatexExtractionConfig, parse, verify

    target = [LatexExtractionConfig(boxed_match_priority=0, try_extract_without_anchor=False)]
    return lambda completion, gold: verify(parse(f"${_bare(gold)}$"), parse(completion, extraction_config=target))


def _trl() -> Grade:
    """TRL's accuracy_reward: LaTeX only, the box first, nothing without an anchor; the answer is printed for its log."""
    from latex2sympy2_extended import NormalizationConfig
    from math_verify import LatexExtractionConfig, parse, verify

    target = [
        LatexExtractionConfig(
            normalization_config=NormalizationConfig(units=True),
            boxed_match_priority=0,
            try_extract_without_anchor=False,
        )
    ]

    def grade(completion: str, gold: str) -> bool:
        gold_parsed = parse(f"${_bare(gold)}$", parsing_timeout=10)
        if not gold_parsed:
            return False
        answer = parse(completion, extraction_config=target, extraction_mode="first_match", parsing_timeout=10)
        accepted = verify(gold_parsed, answer, timeout_seconds=5)
        str(answer)
        return accepted

    return grade


def _verl(module: str) -> types.ModuleType:
    """A module of verl's reward_score without importing verl itself, which wants torch and ray."""
    found = importlib.util.find_spec("verl")
    if found is None or found.submodule_search_locations is None:
        raise ModuleNotFoundError("verl")
    root = Path(found.submodule_search_locations[0])
    for name, folder in (
        ("verl", root),
        ("verl.utils", root / "utils"),
        ("verl.utils.reward_score", root / "utils" / "reward_score"),
    ):
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]  # type: ignore[attr-defined]
        sys.modules[name] = package
    return importlib.import_module(f"verl.utils.reward_score.{module}")


def _verl_math_verify() -> Grade:
    """The function that verl's pool workers run, called directly."""
    inner = _verl("math_verify")._verify_in_subprocess
    return lambda completion, gold: inner("\\boxed{" + _bare(gold) + "}", completion) > 0


def _verl_prime_math() -> Grade:
    module = _verl("prime_math")
    return lambda completion, gold: bool(module.compute_score(completion, _bare(gold))[0])


def _verl_math_reward() -> Grade:
    module = _verl("math_reward")
    return lambda completion, gold: module.compute_score(completion, _bare(gold)) > 0


def _verl_dapo_strict() -> Grade:
    module = _verl("math_dapo")
    return lambda completion, gold: bool(module.compute_score(completion, _bare(gold), strict_box_verify=True)["acc"])


def _verl_dapo() -> Grade:
    module = _verl("math_dapo")
    return lambda completion, gold: bool(module.compute_score(completion, _bare(gold))["acc"])


def _lm_eval() -> Grade:
    """lm-eval's `hendrycks_math`, handed the content of the last box: on whole completions with text it accepts next to nothing."""
    module = importlib.import_module("lm_eval.tasks.hendrycks_math.utils")

    def grade(completion: str, gold: str) -> bool:
        boxed = module.last_boxed_only_string(completion)
        answer = module.remove_boxed(boxed) if boxed else completion
        return bool(
            module.process_results({"solution": "\\boxed{" + _bare(gold) + "}"}, [f"${answer}$"])["exact_match"]
        )

    return grade


GRADERS: dict[str, Callable[[], Grade]] = {
    "math_verify": _math_verify_default,
    "math_verify_boxed": _math_verify_boxed,
    "trl": _trl,
    "lm_eval": _lm_eval,
    "verl_math_verify": _verl_math_verify,
    "verl_prime_math": _verl_prime_math,
    "verl_math_reward": _verl_math_reward,
    "verl_dapo": _verl_dapo,
    "verl_dapo_strict": _verl_dapo_strict,
}


def _bare(gold: str) -> str:
    """The gold without dollar signs around it, since each grader wraps it in its own way."""
    text = gold.strip()
    for left, right in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
        if len(text) > len(left) + len(right) and text.startswith(left) and text.endswith(right):
            inner = text[len(left) : -len(right)]
            if "$" not in inner:
                return inner.strip()
    return text


def _cpu_s() -> float:
    """CPU seconds of this process and of the children it has waited for (some graders fork)."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _peak_mb() -> float:
    """Highest resident memory of this program alone; getrusage would count the parent's before exec."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _work(name: str) -> None:
    out = os.fdopen(os.dup(1), "w", buffering=1)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        grade = GRADERS[name]()
    except Exception as error:  # the one boundary: the client is told why this peer is absent
        out.write(json.dumps({"error": repr(error)}) + "\n")
        return
    out.write(json.dumps({"ready": name}) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        began, cpu = time.perf_counter(), _cpu_s()
        accepted, how = False, "ok"
        for gold in request["golds"]:
            try:
                accepted = bool(grade(request["completion"], gold))
            except BaseException as error:  # a grader may raise anything; math-verify's timeout is no Exception
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                how = "error"
            if accepted:
                break
        seconds, cpu_s = time.perf_counter() - began, _cpu_s() - cpu
        out.write(
            json.dumps({"accepted": accepted, "seconds": seconds, "cpu_s": cpu_s, "how": how, "rss_mb": _peak_mb()})
            + "\n"
        )


if __name__ == "__main__":
    _work(sys.argv[1])
