"""Log a finished run to an experiment tracker or a hub dataset: `--log wandb:project=mine`."""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.identity import changes
from harness.models import parse_args
from harness.store import RECORD, read_record
from rewardkit.errors import IncompleteError, UsageError, describe_error
from rewardkit.stats import Estimate

if TYPE_CHECKING:
    from harness.run import Finished

PROJECT = "rewardkit"


@dataclass(frozen=True)
class Entry:
    """The data for a tracker."""

    name: str
    config: Mapping[str, Any]
    """The run's identity."""
    figures: Mapping[str, float]
    directory: Path
    args: Mapping[str, Any]
    """Those behind the tracker's name."""


def _wandb(package: Any, entry: Entry) -> None:
    run = package.init(**{"project": PROJECT, "name": entry.name, "config": dict(entry.config), **entry.args})
    run.log(dict(entry.figures))
    run.finish()


def _trackio(package: Any, entry: Entry) -> None:
    package.init(**{"project": PROJECT, "name": entry.name, "config": dict(entry.config), "embed": False, **entry.args})
    package.log(dict(entry.figures))
    package.finish()


def _mlflow(package: Any, entry: Entry) -> None:
    args = dict(entry.args)
    if "tracking_uri" in args:
        package.set_tracking_uri(args.pop("tracking_uri"))
    package.set_experiment(args.pop("experiment", PROJECT))
    with package.start_run(**{"run_name": entry.name, **args}):
        package.log_dict(dict(entry.config), "identity.json")
        package.log_metrics({name.replace("@", "_at_"): value for name, value in entry.figures.items()})


def _tensorboard(package: Any, entry: Entry) -> None:
    writer = package.Writer(str(Path(entry.args.get("logdir", "tensorboard")) / entry.name))
    for name, value in entry.figures.items():
        writer.add_scalar(name, value, step=int(entry.args.get("step", 0)))
    writer.close()


def _hub(package: Any, entry: Entry) -> None:
    api = package.HfApi(endpoint=os.environ.get("HF_ENDPOINT"))
    repo = {"repo_id": entry.args["repo"], "repo_type": "dataset"}
    api.create_repo(**repo, private=entry.args.get("private", True), exist_ok=True)
    record = {**repo, "filename": f"{entry.name}/{RECORD}"}
    if api.file_exists(**record):
        _refuse_another(Path(api.hf_hub_download(**record)).read_bytes(), entry)
    api.upload_folder(**repo, folder_path=entry.directory, path_in_repo=entry.name, commit_message=f"Add {entry.name}")


def _copy(package: Any, entry: Entry) -> None:
    place = f"{str(entry.args['to']).rstrip('/')}/{entry.name}/"
    system, path = package.url_to_fs(place)
    with contextlib.suppress(FileNotFoundError):
        _refuse_another(system.cat_file(f"{path.rstrip('/')}/{RECORD}"), entry)
    system.makedirs(path, exist_ok=True)
    system.put(f"{entry.directory}/", path, recursive=True)


def _refuse_another(record: bytes, entry: Entry) -> None:
    """A run replaces what it was before it grew. Raises: UsageError: the record there is of another one."""
    there, here = json.loads(record), read_record(entry.directory)
    if there.get("begun") != here.get("begun") or changes(there.get("identity") or {}, here["identity"]):
        raise UsageError(
            f"it holds another run named {entry.name!r}; give this one a --name of its own, or remove that"
        )


TRACKERS: Mapping[str, tuple[str, str, Callable[[Any, Entry], None]]] = {
    "wandb": ("wandb", "wandb", _wandb),
    "mlflow": ("mlflow", "mlflow", _mlflow),
    "trackio": ("trackio", "trackio", _trackio),
    "tensorboard": ("tensorboard.summary", "tensorboard", _tensorboard),
    "hub": ("huggingface_hub", "huggingface-hub", _hub),
    "copy": ("fsspec.core", "fsspec", _copy),
}
"""Module, package on PyPI, and what hands the run over."""
NEEDED = {"hub": ("repo", "owner/name"), "copy": ("to", "URL")}
"""The argument that a tracker cannot do without, and an example."""


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """A tracker and its arguments, as given to `--log`. Checks that its package is installed before the run.

    Raises:
        UsageError: no such tracker, no such package, or an argument is missing.
    """
    name, _, rest = text.partition(":")
    if name not in TRACKERS:
        raise UsageError(f"no tracker {name!r}; there are {', '.join(TRACKERS)}")
    module, package, _ = TRACKERS[name]
    try:
        importlib.import_module(module)
    except ImportError:
        raise UsageError(f"--log {name} needs a package: pip install {package}") from None
    args = parse_args(rest)
    needed, example = NEEDED.get(name, ("", ""))
    if needed and not args.get(needed):
        raise UsageError(f"--log {name} needs its place: --log {name}:{needed}={example}")
    return name, args


def log_run(text: str, finished: Finished) -> None:
    """Log a finished run to a tracker. Raises: IncompleteError: the tracker failed."""
    name, args = parse(text)
    module, _, send = TRACKERS[name]
    run = finished.run
    try:
        with contextlib.redirect_stdout(sys.stderr):  # trackers talk; stdout is for data
            send(importlib.import_module(module), Entry(run.name, run.identity, figures_of(finished), run.path, args))
    except UsageError as error:
        raise IncompleteError(f"the run is written to {run.path}, but {name} did not take it: {error}") from None
    except Exception as error:
        raise IncompleteError(
            f"the run is written to {run.path}, but {name} did not take it ({describe_error(error)}); "
            "the same command with --resume logs it without new requests"
        ) from error


def figures_of(finished: Finished) -> dict[str, float]:
    """The numbers of a run by `task/name`: each with the ends of its interval where it has one. None is infinite."""
    found: dict[str, float] = {}
    for summary in finished.summaries:
        figures = {
            "accuracy": summary.accuracy,
            "score": summary.score,
            "reward": summary.reward,
            f"maj@{summary.k}": summary.majority,
        }
        figures |= {f"pass@{k}": figure for k, figure in summary.pass_at.items()}
        for name, figure in figures.items():
            if isinstance(figure, Estimate):
                found |= {
                    f"{summary.task}/{name}": figure.value,
                    f"{summary.task}/{name}_low": figure.low,
                    f"{summary.task}/{name}_high": figure.high,
                }
        found |= {
            f"{summary.task}/{name}": float(getattr(summary, name))
            for name in ("truncated", "tokens_mean", "errors", "unjudged")
        }
    usage: Mapping[str, float | None] = finished.run.record["usage"]
    found |= {f"usage/{name}": float(value) for name, value in usage.items() if value is not None}
    return {name: value for name, value in found.items() if math.isfinite(value)}
