"""List tasks and load them through lm-eval. lm-eval's own index is read only if one of its tasks is named."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import importlib.util
import inspect
import logging
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from harness.data import load
from harness.task_index import folders_of, read_names, stock_tasks
from rewardkit.errors import MissingExtraError, UsageError, describe_error, did_you_mean
from rewardkit.paths import expanded

TASKS = Path(__file__).with_name("tasks")
"""The directory for `lm_eval --include_path`."""
GREEDY = {"do_sample": False, "temperature": 0.0, "max_gen_toks": 256}
"""How lm-eval asks a task without `generation_kwargs`."""
STOCK = "lm-eval:"
"""What comes before the name of a task of lm-eval's own."""


def names(folders: Sequence[Path] = (TASKS,)) -> dict[str, str]:
    """All tasks and groups in these folders with their first comment line, sorted; reads files only, imports nothing heavy."""
    found: dict[str, str] = {}
    for path in (path for folder in folders for path in folder.rglob("*.yaml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        comment = lines[0].removeprefix("#").strip() if lines and lines[0].startswith("#") else ""
        for line in lines:
            key, _, value = line.partition(":")
            if key in {"task", "group"} and value.strip() and not value.strip().startswith("["):
                found[value.strip()] = comment
                break
    return dict(sorted(found.items()))


def groups() -> set[str]:
    """The names that stand for several tasks."""
    return {path.stem.removeprefix("group_") for path in TASKS.glob("group_*.yaml")}


def require_lm_eval() -> None:
    """Raise the error that names the install line where lm-eval is absent."""
    if importlib.util.find_spec("lm_eval") is None:
        raise MissingExtraError.of("the harness", "harness")


def require_engine() -> None:
    """Raise the error that names the install line where a run would fail on a missing package."""
    require_lm_eval()
    if importlib.util.find_spec("torch") is None:
        raise MissingExtraError(
            "harness run needs torch, which lm-eval imports but does not install: pip install torch"
        )


def stock_file(name: str) -> str:
    """For `lm-eval:NAME` lm-eval's own task, by its file where one of ours has the same name (`gsm8k`); other names as they are.

    Raises:
        UsageError: lm-eval has no such task.
    """
    own = name.removeprefix(STOCK)
    if own == name:
        return name
    require_lm_eval()
    files = stock_tasks()
    if own not in files:
        raise UsageError(f"lm-eval has no task {own!r}; {_near(own, files)}")
    return files[own] if own in {*read_names([TASKS]), *groups()} else own


def manager(wanted: Sequence[str], include: Sequence[str] = ()) -> Any:
    """An lm-eval TaskManager that knows `wanted`. lm-eval's own index (46 s to build) is read only if ours (`task_index`) is not enough.

    Raises:
        UsageError: a name that neither we, nor `include`, nor lm-eval know.
    """
    require_lm_eval()
    check_folders(include)
    own = {**read_names([TASKS, *map(Path, include)]), **dict.fromkeys(groups(), "")}
    missing = [name for name in wanted if name not in own and not Path(name).is_file()]
    stock = stock_tasks() if missing else {}
    refuse_unknown(missing, own, stock)
    library: Any = importlib.import_module("lm_eval.tasks")
    prepare_lm_eval()
    with quiet():
        places = [str(TASKS), *folders_of(missing, stock), *include]
        try:
            found = library.TaskManager(include_path=places, include_defaults=False)
        except TypeError as error:  # it sorts the names
            raise UsageError(
                f"lm-eval cannot read the tasks in {', '.join(include)}: {error}; write each `task:` as text, quoted if it is a number"
            ) from None
        if _known(found, wanted):
            return found
        for name in wanted:
            _refuse_unreadable(own.get(name, ""))
        return library.TaskManager(include_path=[str(TASKS), *include], include_defaults=True)


def refuse_unknown(names: Iterable[str], *known: Collection[str]) -> None:
    """Refuse a task that none of the `known` lists holds.

    Raises:
        UsageError: with the name that may be meant.
    """
    for name in names:
        if not any(name in each for each in known):
            raise UsageError(f"no task {name!r}; {_near(name, *known)}")


def _near(name: str, *known: Iterable[str]) -> str:
    """What the user may have meant: of the first of these names where one is close, else of the next."""
    near = next(filter(None, (difflib.get_close_matches(name, each, n=3, cutoff=0.7) for each in known)), None)
    return f"did you mean {', '.join(map(repr, near))}?" if near else "`harness tasks` lists ours"


def check_folders(include: Sequence[str]) -> None:
    """Refuse an `--include_path` that is not a directory."""
    for path in include:
        if not Path(path).is_dir():
            raise UsageError(f"--include_path {path!r} is not a directory")


def prepare_lm_eval() -> None:
    """Let lm-eval read tasks on our data as they are meant. Again, it does nothing."""
    _include_ours()
    _read_ours_as_meant()


def _include_ours() -> None:
    """Let task files anywhere include ours by their bare names (`include: _base_yaml`); a file beside the task goes first."""
    modules = [
        importlib.import_module(f"lm_eval.tasks.{name}") for name in ("_yaml_loader", "_index", "_factory", "manager")
    ]
    plain: Any = vars(modules[0])["load_yaml"]
    if hasattr(plain, "__wrapped__"):
        return

    @functools.wraps(plain)
    def load_yaml(path: str | Path, **options: Any) -> Any:
        ours = TASKS / Path(path).name
        return plain(path if expanded(path).exists() or not ours.is_file() else ours, **options)

    for module in modules:
        vars(module)["load_yaml"] = load_yaml


def _read_ours_as_meant() -> None:
    """Refuse `dataset_kwargs` that `load` does not read, and let a task on our data end no answer early unless told.

    Where `generation_kwargs`, its own or its group's, name no `until`, lm-eval would end each at the first blank line.
    """
    factory = vars(importlib.import_module("lm_eval.tasks._factory"))
    make: Any = factory["ConfigurableTask"]
    if hasattr(make, "__wrapped__"):
        return

    @functools.wraps(make, updated=())
    def make_task(config: dict[str, Any], **options: Any) -> Any:
        ours = config.get("custom_dataset") is load
        if ours:
            _refuse_unread(config.get("task", ""), config.get("dataset_kwargs") or {})
        if ours and config.get("output_type", "generate_until") == "generate_until":
            told = config.get("generation_kwargs")
            config = {**config, "generation_kwargs": {"until": [], **(GREEDY if told is None else told)}}
        return make(config=config, **options)

    factory["ConfigurableTask"] = make_task


def _refuse_unread(task: str, kwargs: Iterable[str]) -> None:
    """Refuse a key of `dataset_kwargs` that `load` does not read (`load` cannot tell, since it gets the task's metadata, too).

    Raises:
        UsageError: with the key that may be meant, else with all.
    """
    known = [name for name in inspect.signature(load).parameters if name not in {"config_source", "_"}]
    for name in map(str, kwargs):
        if name not in known and name != "trust_remote_code":  # which lm-eval takes away itself
            raise UsageError(
                f"{task}: dataset_kwargs takes no {name!r}; {did_you_mean(name, known) or 'it takes ' + ', '.join(known)}"
            )


def _refuse_unreadable(path: str) -> None:
    """Raise the error in a task file, which lm-eval's index ignores."""
    if not path:
        return
    loader: Any = importlib.import_module("lm_eval.tasks._yaml_loader")
    try:
        loader.load_yaml(path, resolve_func=False)
    except Exception as error:
        raise UsageError(f"cannot read {path}: {describe_error(error)}") from error


def _known(found: Any, wanted: Iterable[str]) -> bool:
    known = set(cast("list[str]", found.all_tasks))
    return all(name in known or Path(name).is_file() for name in wanted)


def load_tasks(found: Any, wanted: Sequence[str]) -> dict[str, Any]:
    """lm-eval's tasks, groups and group map for these names, data loaded.

    Raises:
        UsageError: a YAML that does not load, or data is missing (`DataError`), with the way to get it.
    """
    with quiet():
        try:
            return dict(found.load(list(wanted)))
        except (UsageError, KeyboardInterrupt):
            raise
        except Exception as error:
            cause = next((each for each in _causes(error) if isinstance(each, UsageError)), None)
            if cause is not None:
                raise cause from None
            raise UsageError(f"cannot load {', '.join(wanted)}: {describe_error(error)}") from error


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """Silence lm-eval's routine messages."""
    logger = logging.getLogger("lm_eval")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
