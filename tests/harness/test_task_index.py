"""Which file defines a task: read from lines, the same from the cache, and a definition goes before a mention."""

import importlib.util
from types import SimpleNamespace

import pytest

from harness import task_index

LISTS = (
    "task:\n  - small_sums\n  - large_sums\n",
    "task: [small_sums, large_sums]\n",
    "task: [ small_sums,\n  large_sums ]\n",
)


def tasks(root, listed=LISTS[0]):
    folder = root / "lm_eval" / "tasks" / "sums"
    folder.mkdir(parents=True)
    (folder / "a_group.yaml").write_text(f"group: sums\n{listed}")
    (folder / "small.yaml").write_text("task: small_sums\ntag: arithmetic\n")
    (folder / "large.yaml").write_text("include: small.yaml\ntask: large_sums\n")
    return folder


@pytest.mark.parametrize("listed", LISTS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_file_that_defines_a_name_goes_before_one_that_mentions_it(tmp_path, monkeypatch, listed, turned):
    folder = tasks(tmp_path, listed)
    files = sorted(folder.iterdir(), reverse=turned)
    monkeypatch.setattr(task_index, "_yaml_files", lambda roots: files)
    names = task_index.read_names([tmp_path])
    found = {"sums": "a_group", "small_sums": "small", "large_sums": "large", "arithmetic": "small"}
    assert names == {name: str(folder / f"{file}.yaml") for name, file in found.items()}
    assert task_index.folders_of(["sums"], names) == [str(folder)]
    assert task_index.folders_of(["unknown"], names) == []


def test_names_are_read_once_and_found_again_in_the_cache(tmp_path, monkeypatch):
    folder = tasks(tmp_path)
    origin = SimpleNamespace(origin=str(tmp_path / "lm_eval" / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: origin)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = task_index.stock_tasks()
    assert first["small_sums"] == str(folder / "small.yaml")
    monkeypatch.setattr(task_index, "read_names", lambda roots: {})
    assert task_index.stock_tasks() == first
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert task_index.stock_tasks() == {}


def test_without_a_place_for_the_cache_the_names_are_read_all_the_same(tmp_path, monkeypatch):
    tasks(tmp_path)
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: SimpleNamespace(origin=str(tmp_path / "lm_eval" / "x.py"))
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert set(task_index.stock_tasks()) == {"sums", "small_sums", "large_sums", "arithmetic"}


@pytest.mark.parametrize("cache", ["", "relative"])
def test_a_user_without_a_folder_for_caches_gets_none(monkeypatch, tmp_path, cache):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 54321)
    assert isinstance(task_index.stock_tasks(), dict)
    assert list(tmp_path.iterdir()) == []
