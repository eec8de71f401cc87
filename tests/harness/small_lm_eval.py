"""A stand-in for lm-eval: the few names that a run calls, for tests of everything around them without lm-eval and torch."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from types import ModuleType, SimpleNamespace
from typing import Any

import jinja2
import yaml


class LM:
    """The base class of models."""


@dataclass
class Instance:
    """One request."""

    request_type: str
    doc: dict[str, Any]
    arguments: tuple[Any, ...]
    idx: int
    metadata: tuple[Any, ...] = (None, None, None)
    resps: list[Any] = field(default_factory=list)
    filtered_resps: dict[str, Any] = field(default_factory=dict)

    @property
    def args(self):
        return self.arguments

    @property
    def task_name(self):
        return self.metadata[0]

    @property
    def doc_id(self):
        return self.metadata[1]


class Task:
    """A task of ours, out of its YAML."""

    OUTPUT_TYPE = "generate_until"

    def __init__(self, config: dict[str, Any], path: Path) -> None:
        self.name, self._config = path.stem, config
        self.VERSION = config.get("metadata", {}).get("version", 0)
        self.dataset = config["custom_dataset"](**config["dataset_kwargs"], config_source=str(path))
        self.seed: int | None = None

    @property
    def config(self):
        return SimpleNamespace(**self._config, to_dict=lambda keep_callable: dict(self._config))

    @property
    def eval_docs(self):
        return self.dataset["test"]

    def get_config(self, name):
        return self._config.get(name)

    def set_config(self, name, value, *, update=False):
        self._config[name] = {**self._config[name], **value} if update else value

    def set_fewshot_seed(self, seed):
        self.seed = seed

    def process_results(self, doc, results):
        return self._config["process_results"](doc, results)

    def doc_to_text(self, doc):
        text = self._config["doc_to_text"]
        return text(doc) if callable(text) else jinja2.Template(text).render(doc)

    def doc_to_target(self, doc):
        return self._config["doc_to_target"](doc)

    def doc_iterator(self, *, limit=None, **_):
        docs = list(enumerate(self.eval_docs))
        return iter(docs[:limit])


class TaskManager:
    """Knows the YAML files of some folders."""

    def __init__(self, *, include_path: list[str], include_defaults: bool) -> None:
        _ = include_defaults
        ours, *others = include_path
        found = [
            *Path(ours).rglob("*.yaml"),
            *(path for each in others for path in Path(each).rglob("*.yaml") if _reads(path)),
        ]
        self._files = {path.stem: path for path in found}
        self.all_tasks = list(self._files)

    def load(self, names):
        make = vars(sys.modules["lm_eval.tasks._factory"])["ConfigurableTask"]  # as the harness makes it
        files = {name: self._files[name] for name in names}
        return {
            "tasks": {name: make(config=_load_yaml(path), path=path) for name, path in files.items()},
            "group_map": {},
        }


class _Loader(yaml.SafeLoader):
    """With `!function module.name`."""


def _function(loader: Any, node: Any) -> Any:
    module, _, name = loader.construct_scalar(node).rpartition(".")
    return getattr(import_module(module), name)


_Loader.add_constructor("!function", _function)


def _read(path: str | Path, **_: Any) -> dict[str, Any]:
    found = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Loader)
    base = found.pop("include", None)
    return {**(_load_yaml(Path(path).parent / base) if base else {}), **found}


def _load_yaml(path: Path) -> dict[str, Any]:
    return sys.modules["lm_eval.tasks._yaml_loader"].load_yaml(path)  # the harness puts its own in its place


def _reads(path: Path) -> bool:
    try:
        return bool(_read(path))
    except OSError:
        return False


def load_dataset(name: str, *_: Any, **__: Any) -> list[dict[str, Any]]:
    """The rows of a folder; no hub is in reach."""
    return list(map(json.loads, (Path(name) / "test.jsonl").read_text(encoding="utf-8").splitlines()))


def evaluate(*, lm, task_dict, limit, apply_chat_template, system_instruction, **_):
    """Ask, judge and average, in lm-eval's shapes."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for name, task in task_dict["tasks"].items():
        docs = list(task.doc_iterator(limit=limit))
        asked = []
        for doc_id, doc in docs:
            chat = [{"role": "system", "content": system_instruction}] * bool(system_instruction)
            chat.append({"role": "user", "content": task.doc_to_text(doc)})
            prompt = lm.apply_chat_template(chat) if apply_chat_template else chat[-1]["content"]
            options = task.get_config("generation_kwargs")
            asked.append(Instance("generate_until", doc, (prompt, options), 0, (name, doc_id, 1)))
        repeats = task.get_config("repeats")
        answers = lm.generate_until([each for each in asked for _ in range(repeats)])
        rows[name] = [
            _row(task, each, answers[place * repeats : (place + 1) * repeats]) for place, each in enumerate(asked)
        ]
    tasks = task_dict["tasks"]
    sizes = {name: {"original": len(tasks[name].eval_docs), "effective": len(found)} for name, found in rows.items()}
    return {
        "results": {name: _averages(name, found) for name, found in rows.items()},
        "configs": {name: {"task": name} for name in rows},
        "versions": {name: task.VERSION for name, task in tasks.items()},
        "n-shot": dict.fromkeys(rows, 0),
        "higher_is_better": {name: {"accuracy": True} for name in rows},
        "n-samples": sizes,
        "samples": rows,
    }


def _averages(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(metric for row in rows for metric in row["metrics"])
    means = {f"{metric},all": fmean(row[metric] for row in rows if metric in row) for metric in names}
    return {"alias": name, "sample_len": len(rows), **means}


def _row(task: Task, asked: Instance, answers: list[Any]) -> dict[str, Any]:
    metrics = task.process_results(asked.doc, [answers])
    hashes = {"doc_hash": "a", "prompt_hash": "b", "target_hash": "c"}
    shown = {"doc_id": asked.doc_id, "doc": asked.doc, "target": task.doc_to_target(asked.doc), "filter": "all"}
    return {
        **shown,
        "arguments": [asked.args],
        "resps": [answers],
        "filtered_resps": answers,
        **hashes,
        "metrics": list(metrics),
        **metrics,
    }


def install(monkeypatch: Any) -> None:
    """Put it where `import lm_eval` finds it, for one test."""
    modules = {
        "lm_eval": {},
        "lm_eval.api": {},
        "lm_eval.api.model": {"LM": LM},
        "lm_eval.api.instance": {"Instance": Instance},
        "lm_eval.api.task": {"tqdm": list},
        "datasets": {"load_dataset": load_dataset},
        "huggingface_hub": {"try_to_load_from_cache": lambda *_, **__: None},
        "lm_eval.evaluator": {"evaluate": evaluate},
        "lm_eval.models": {"MODEL_MAPPING": {"hf": "", "vllm": ""}},
        "lm_eval.tasks": {"TaskManager": TaskManager},
        **{f"lm_eval.tasks.{name}": {"load_yaml": _read} for name in ("_yaml_loader", "_index", "_factory", "manager")},
    }
    modules["lm_eval.tasks._factory"]["ConfigurableTask"] = Task
    if find_spec("torch") is None:
        cuda = SimpleNamespace(is_initialized=lambda: False)
        modules["torch"] = {"cuda": cuda, "random": SimpleNamespace(fork_rng=nullcontext)}
    for name, content in modules.items():
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None, is_package=True)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    import harness

    monkeypatch.setitem(sys.modules, "harness.engine", None)
    monkeypatch.setattr(harness, "engine", None, raising=False)
    del sys.modules["harness.engine"]
    import_module("harness.engine")  # with the stand-in's base class, until the test ends
