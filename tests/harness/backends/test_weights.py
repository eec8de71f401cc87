"""Which model runs here: told by its files, or by its commit in the hub's cache."""

import pytest

from harness.backends import weights
from harness.backends.weights import hashes, is_tokenizer, local_identity


@pytest.fixture
def model(tmp_path):
    for name in ("model.safetensors", "config.json", "tokenizer.json", "README.md", ".lock", "train.log"):
        (tmp_path / name).write_text(name)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "its"),
    [("tokenizer.json", True), ("vocab.txt", True), ("merges.txt", True), ("chat_template.jinja", True), ("spiece.model", True),
     ("config.json", False), ("model.safetensors", False), ("generation_config.json", False)],
)  # fmt: skip
def test_files_of_the_tokenizer_are_told_from_weights(name, its):
    assert is_tokenizer(name) is its


def test_every_file_that_changes_an_answer_counts(model):
    assert set(hashes(model)) == {"model.safetensors", "config.json", "tokenizer.json"}
    assert set(hashes(model / "config.json")) == {"config.json"}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("model.safetensors", {"weights"}),
        ("config.json", {"weights"}),
        ("tokenizer.json", {"tokenizer"}),
        ("README.md", set()),
    ],
)
def test_another_byte_of_a_file_is_another_model(model, name, changed):
    before = local_identity({"pretrained": str(model), "dtype": "float32"})
    (model / name).write_text("other")
    now = local_identity({"pretrained": str(model), "dtype": "float32"})
    assert {key for key in before if before[key] != now[key]} == changed
    assert before["revision"] is None


def test_a_model_without_tokenizer_and_one_that_is_not_here(model, monkeypatch):
    (model / "tokenizer.json").unlink()
    assert local_identity({"pretrained": str(model)})["tokenizer"] is None
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: None)
    assert local_identity({"pretrained": "o/m", "revision": "main", "peft": 3}) == {"revision": "main"}


class Hub:
    """A cache that holds only the adapter's configuration of `o/m`."""

    @staticmethod
    def try_to_load_from_cache(name, file, *, revision):
        if name.count("/") != 1:
            raise ValueError("no hub id")
        held = (name, file, revision) == ("o/m", "adapter_config.json", "r")
        return f"/cache/models--o--m/snapshots/0123abcd/{file}" if held else None


def test_a_hub_model_is_known_by_the_commit_of_any_of_its_files(monkeypatch):
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(weights.importlib, "import_module", lambda name: Hub)
    found = local_identity({"pretrained": "o/m", "tokenizer": "o/other", "peft": "a/b/c", "revision": "r"})
    assert found == {"revision": {"pretrained": "0123abcd"}}
    assert local_identity({"pretrained": "o/m", "revision": "s"}) == {"revision": "s"}
