"""Results in lm-eval's layout: `OUT/<model>/results_<time>.json` and `samples_<task>_<time>.jsonl`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from harness.identity import digest
from harness.metrics import Summary
from harness.store import Run
from rewardkit.errors import UsageError, describe_error
from rewardkit.run import package_versions
from rewardkit.stats import Estimate
from rewardkit.store import write_whole

MAX_NAME_CHARS = 120


def sanitize(name: str) -> str:
    """A model name as a directory name, as lm-eval writes it, cut to what a file system takes."""
    return re.sub(r"[\"<>:/|\\?*\[\]]+", "__", name)[:MAX_NAME_CHARS]


def write_lm_eval(
    directory: Path,
    results: dict[str, Any],
    samples: Mapping[str, Sequence[dict[str, Any]]],
    summaries: Sequence[Summary],
    *,
    facts: Mapping[str, Any],
) -> Path:
    """Write results and samples as lm-eval does; our results are added to lm-eval's own for each task.

    Unlike lm-eval's writer, a file that cannot be written is an error, not a warning.
    """
    stamp = datetime.now().isoformat().replace(":", "-")  # noqa: DTZ005 - lm-eval's file names carry local time
    place = directory / sanitize(str(facts["model_name"]))
    place.mkdir(parents=True, exist_ok=True)
    for task, rows in samples.items():  # a row that was read from such a file is written as it is
        write_whole(place / f"samples_{task}_{stamp}.jsonl", "".join(f"{_sample_line(row)}\n" for row in rows))
    results["task_hashes"] = {
        task: digest("".join(row["doc_hash"] + row["prompt_hash"] + row["target_hash"] for row in rows))
        for task, rows in samples.items()
    }
    results.update(facts)
    results["model_name_sanitized"] = sanitize(str(facts["model_name"]))
    for summary in summaries:
        row = cast("dict[str, Any]", results["results"].get(summary.task, {}))
        figures = {f"pass@{k},all": figure for k, figure in summary.pass_at.items()} | {
            f"maj@{summary.k},all": summary.majority
        }
        row.update({name: figure.value for name, figure in figures.items() if isinstance(figure, Estimate)})
    results["rewardkit"] = {summary.task: summary.to_json() for summary in summaries}
    path = place / f"results_{stamp}.json"
    write_whole(path, json.dumps(results, indent=2, ensure_ascii=False, default=_plain))
    return path


def read_lm_eval(run: Run) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """The results that a run's record names, and their samples by task.

    Raises:
        UsageError: there are none, or one cannot be read.
    """
    if not run.record.get("results"):
        raise UsageError(
            f"{run.path} was made from another run, so its record names no results of lm-eval; run it again"
        )
    path = run.path / str(run.record["results"])
    stamp = path.stem.removeprefix("results_")
    try:
        results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        samples = {
            task: [
                json.loads(row)
                for row in (path.parent / f"samples_{task}_{stamp}.jsonl").read_text(encoding="utf-8").split("\n")
                if row
            ]
            for task in results["task_hashes"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"cannot read {path} and its samples: {describe_error(error)}") from None
    return results, samples


def _sample_line(row: dict[str, Any]) -> str:
    if isinstance(row["arguments"], dict):
        return json.dumps(row, ensure_ascii=False)
    arguments = {
        f"gen_args_{index}": {f"arg_{place}": value for place, value in enumerate(args)}
        for index, args in enumerate(row["arguments"])
    }
    return json.dumps({**row, "arguments": arguments, "target": str(row["target"])}, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else str(value)


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    return package_versions("rewardkit", "lm_eval", "datasets", "transformers", "torch", "vllm", "math-verify")
