"""`--model`: what a URL, a path, a hub id and a name of lm-eval stand for."""

import sys
from types import SimpleNamespace

import pytest

from harness import models
from rewardkit.errors import UsageError


def test_a_url_is_a_chat_model_without_any_library():
    choice = models.choose("http://127.0.0.1:8000/v1", "model=x")
    assert (choice.kind, dict(choice.args)) == ("chat", {"base_url": "http://127.0.0.1:8000/v1", "model": "x"})


@pytest.mark.parametrize(("vllm", "gpu", "engine"), [(True, True, "vllm"), (True, False, "hf"), (False, True, "hf")])
def test_a_path_runs_on_vllm_beside_a_gpu_else_on_hf(monkeypatch, tmp_path, vllm, gpu, engine):
    there = {"torch", "vllm"} if vllm else {"torch"}
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: name in there or None)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: gpu)))
    monkeypatch.setitem(sys.modules, "lm_eval.models", SimpleNamespace(MODEL_MAPPING={"hf": "", "vllm": ""}))
    for model in (str(tmp_path), "owner/name"):
        choice = models.choose(model, "dtype=float32")
        assert (choice.kind, dict(choice.args)) == (engine, {"pretrained": model, "dtype": "float32"})


def test_a_misspelt_model_is_named_with_its_neighbour(monkeypatch):
    monkeypatch.setitem(sys.modules, "lm_eval.models", SimpleNamespace(MODEL_MAPPING={"hf": "", "vllm": ""}))
    with pytest.raises(UsageError, match="did you mean 'vllm'"):
        models.choose("vlm", "")


@pytest.mark.parametrize("text", ["a", "=1", "a=1,b"])
def test_model_args_that_cannot_be_read_are_named(text):
    with pytest.raises(UsageError, match="name=value"):
        models.parse_args(text)
