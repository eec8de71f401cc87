"""Ray on clusters of 1, 2 and 4 nodes on this machine: rows/s, time to the first row, memory of the driver.

    flock /tmp/rewardkit-bench.lock python -P benchmarks/ray_nodes.py [--rows 20000] [--nodes 1 2 4]

Each node has one CPU. `nap` sleeps a known time for each row, so n nodes have a known best rate that no other process on these
cores takes from them: what is missing of it is what Ray costs an actor (loss). `exact` costs next to nothing, so its rate is
what one reading task and one driver move. The clock starts with the first row; other actors may start later.
Memory is measured on rows of 20 KB with an object store of 200 MB a node.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from benchmarks._common import load_average, machine, table, today  # noqa: E402
from rewardkit import load  # noqa: E402
from rewardkit.base import Reward  # noqa: E402
from rewardkit.data.reader import RowReader  # noqa: E402
from rewardkit.data.rows import Columns  # noqa: E402
from rewardkit.executor.worker import resident_mb  # noqa: E402
from rewardkit.judging import JudgeRecords, judge  # noqa: E402
from rewardkit.ray.pipeline import Work, score_files  # noqa: E402

TASK = JudgeRecords(Columns())
STORE_BYTES = 200 * 2**20
NAP_S = 0.005
NAP = f'''
import time
from dataclasses import dataclass
from typing import ClassVar
from rewardkit import Sample, SampleReward, Score

@dataclass(frozen=True)
class Nap(SampleReward):
    """Sleeps, then says yes."""
    name: ClassVar[str] = "nap"
    def grade(self, sample: Sample) -> Score:
        time.sleep({NAP_S})
        return Score.of(True)
'''


def write_rows(path: Path, rows: int, chars: int) -> str:
    """Math rows with so much text before the answer."""
    thought = "Let us see what follows from the equation above. "
    text = thought * (chars // len(thought) + 1)
    with path.open("w") as file:
        for index in range(rows):
            row = {"completion": f"{index}: {text[:chars]}\\boxed{{{index % 7}}}", "answer": "3"}
            file.write(json.dumps(row) + "\n")
    return str(path)


def rate(rows: Any, count: int) -> float:
    """Rows/s from the first rows to the last."""
    first = len(next(rows))
    start = time.perf_counter()
    found = sum(map(len, rows))
    assert first + found == count
    return found / (time.perf_counter() - start)


def on_ray(reward: Reward, file: str, count: int) -> float:
    return rate(score_files(Work(reward, TASK), RowReader([file])), count)


def here(reward: Reward, file: str, count: int) -> float:
    return rate(judge(RowReader([file]).records(), reward, TASK), count)


def first_row_and_memory(reward: Reward, file: str, every: int) -> tuple[float, int, list[float]]:
    """Seconds to the first row, rows, and resident MB of this process after each `every` rows."""
    start = time.perf_counter()
    rows = score_files(Work(reward, TASK), RowReader([file]))
    count = len(next(rows))
    first_s, sizes = time.perf_counter() - start, [resident_mb(os.getpid())]
    for shard in rows:
        count += len(shard)
        while count >= every * len(sizes):
            sizes.append(resident_mb(os.getpid()))
    return first_s, count, sizes


def slope_mb(sizes: list[float], every: int) -> float:
    """MB more for each 100,000 rows, by least squares."""
    xs = [index * every / 100_000 for index in range(len(sizes))]
    mean_x, mean_y = sum(xs) / len(xs), sum(sizes) / len(sizes)
    spread = sum((x - mean_x) ** 2 for x in xs)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, sizes, strict=True)) / spread if spread else 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--nodes", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument(
        "--large", type=int, nargs="*", default=[20_000, 60_000, 120_000], help="Runs of rows of 20 KB."
    )
    options = parser.parse_args()
    rows: int = options.rows
    warnings.simplefilter("ignore")
    os.environ["RAY_AUTH_MODE"] = "disabled"
    import ray
    from ray.cluster_utils import Cluster

    print(f"{machine()}, load {load_average()}, {rows:,} rows, {today()}\n", flush=True)
    found: list[tuple[str, ...]] = []
    memory: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "nap.py").write_text(NAP)
        nap, math, exact = load(f"{folder}/nap.py:Nap"), load("math"), load("exact")
        short = write_rows(Path(folder, "short.jsonl"), rows, 1_000)
        few = write_rows(Path(folder, "few.jsonl"), rows // 5, 1_000)
        found.append(
            (
                "this process",
                f"{here(nap, few, rows // 5):,.0f}",
                "",
                f"{here(math, short, rows):,.0f}",
                f"{here(exact, short, rows):,.0f}",
                load_average(),
            )
        )
        for nodes in options.nodes:
            cluster = Cluster()
            for index in range(nodes):
                head = {"include_dashboard": False, "_system_config": {"worker_niceness": 0}} if not index else {}
                cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES, **head)
            ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
            naps = write_rows(Path(folder, "naps.jsonl"), rows * nodes // 5, 1_000)
            nap_here = here(nap, few, rows // 5)  # in turns, as the load of the machine changes
            rates = [on_ray(nap, naps, rows * nodes // 5), *(on_ray(reward, short, rows) for reward in (math, exact))]
            loss = 1 - rates[0] / (nodes * nap_here)
            found.append(
                (
                    f"{nodes} nodes",
                    f"{rates[0]:,.0f}",
                    f"{loss:.0%}",
                    *(f"{one:,.0f}" for one in rates[1:]),
                    load_average(),
                )
            )
            print(*found[-1], sep="\t", file=sys.stderr, flush=True)
            if nodes == options.nodes[-1]:
                for count in options.large:
                    large = write_rows(Path(folder, "large.jsonl"), count, 20_000)
                    first_s, done, sizes = first_row_and_memory(math, large, 1_000)
                    memory.append(
                        (
                            f"{done:,}",
                            f"{first_s:.1f}",
                            f"{sizes[0]:.0f}",
                            f"{max(sizes):.0f}",
                            f"{slope_mb(sizes, 1_000):+.1f}",
                        )
                    )
                    print(*memory[-1], sep="\t", file=sys.stderr, flush=True)
            ray.shutdown()
            cluster.shutdown()
    print(table(("where", "nap, rows/s", "loss", "math, rows/s", "exact, rows/s", "load"), found))
    print()
    print(table(("rows of 20 KB", "first row, s", "driver MB at first row", "largest", "MB a 100,000 rows"), memory))


if __name__ == "__main__":
    main()
