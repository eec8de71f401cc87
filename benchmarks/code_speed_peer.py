"""One peer of code_speed.py, in an environment of its own: judge the submissions in FILE over and over, as told on stdin.

    python benchmarks/code_speed_peer.py PEER FILE WORKERS PLACE

PLACE is the checkout of a peer that is not on the package index. Each line on stdin starts a round; a line of JSON on stdout ends it:
wall and CPU seconds, and the verdict on each submission, null where the peer takes no such row. The peer's own
code judges, unchanged, in `WORKERS` threads or processes, as its own harness does.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import json
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def load(path: Path, name: str) -> Any:
    """A module or package by its path, without importing what stands around it."""
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def leetcode_dataset(row: Row) -> bool:
    problem = {"task_id": row["id"], "prompt": row["prompt"], "test": row["test"], "entry_point": row["entry_point"]}
    return sys.modules["lcd_execution"].check_correctness(problem, row["completion"], timeout=3.0)["passed"]


def prime_code(row: Row) -> bool:
    """verl's `prime_code.compute_score`."""
    completion = f"```python\n{row['program']}\n```"
    success, _ = sys.modules["prime_code"].compute_score(completion, taco_tests(row), continuous=True)
    return success is True


def livecodebench(row: Row) -> bool:
    sample = {"input_output": json.dumps(taco_tests(row))}
    results, _ = sys.modules["lcb"].check_correctness(sample, row["program"], timeout=6, debug=False)
    return bool(results) and all(result > 0 for result in results)


def taco_tests(row: Row) -> dict[str, Any]:
    """Tests as TACO, APPS and LiveCodeBench have them: lines of JSON for calls, or what is read and printed."""
    if "calls" not in row:
        return {"inputs": row["inputs"], "outputs": row["outputs"]}
    return {
        "fn_name": row["method"],
        "inputs": [
            "\n".join(json.dumps(value) for value in [*args, *kwargs.values()]) for args, kwargs, _ in row["calls"]
        ],
        "outputs": [json.dumps(expected) for _, _, expected in row["calls"]],
    }


def evalplus(row: Row) -> bool | None:
    if "calls" not in row:
        return None  # it calls functions only
    code = f"{row['program']}\ndef _entry(args, kwargs):\n    return {row['entry_point']}(*args, **kwargs)\n"
    inputs = [[args, kwargs] for args, kwargs, _ in row["calls"]]
    expected = [expected for *_, expected in row["calls"]]
    check = sys.modules["evalplus.eval"].untrusted_check
    status, _ = check("other", code, inputs, "_entry", expected, 0, [0.0] * len(inputs), fast_check=True)
    return status == "pass"


PEERS: dict[str, tuple[Callable[[Row], bool | None], type[Executor]]] = {
    "leetcode_dataset": (leetcode_dataset, ThreadPoolExecutor),
    "prime_code": (prime_code, ProcessPoolExecutor),
    "evalplus": (evalplus, ProcessPoolExecutor),
    "livecodebench": (livecodebench, ThreadPoolExecutor),
}


def prepare(peer: str, place: str) -> None:
    if peer == "livecodebench":
        sys.path.insert(0, place)
        sys.modules["lcb"] = importlib.import_module("lcb_runner.evaluation.compute_code_generation_metrics")
    elif peer == "leetcode_dataset":
        load(Path(place) / "eval_lcd" / "execution.py", "lcd_execution")
    elif peer == "prime_code":
        spec = importlib.util.find_spec("verl")  # found, not imported: its __init__ wants a trainer's stack
        assert spec is not None
        assert spec.submodule_search_locations
        load(
            Path(spec.submodule_search_locations[0]) / "utils" / "reward_score" / "prime_code" / "__init__.py",
            "prime_code",
        )
    else:
        import evalplus.eval  # noqa: F401


def main() -> None:
    peer, file, workers, place = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    prepare(peer, place)
    rows = json.loads(file.read_text(encoding="utf-8"))
    judge, kind = PEERS[peer]
    print("ready", flush=True)
    for _ in sys.stdin:
        start, used = time.perf_counter(), cpu_s()
        with kind(workers) as pool:  # anew each round, so that the children's CPU time is known at its end
            verdicts = list(pool.map(judge, rows))
        gc.collect()  # ends the peers' manager processes
        print()  # what is judged may have printed half a line
        print(json.dumps({"s": time.perf_counter() - start, "cpu_s": cpu_s() - used, "verdicts": verdicts}), flush=True)


def cpu_s() -> float:
    """CPU seconds of this process and of its ended children."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
