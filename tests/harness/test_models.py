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


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("", {}),
        ("a=1, b = 2.5 ,", {"a": 1, "b": 2.5}),
        ("a=True,b=false,c=None,d=x=y", {"a": True, "b": False, "c": None, "d": "x=y"}),
        ("a=1e-3,b=-7,c=07x", {"a": 0.001, "b": -7, "c": "07x"}),
    ],
)
def test_model_args_are_read_as_lm_eval_reads_them(text, args):
    assert models.parse_args(text) == args


@pytest.mark.parametrize(
    ("model", "kind", "url"),
    [(name, "chat", None) for name in models.CHAT if not name.startswith("openai")]
    + [(name, "text", None) for name in models.TEXT if not name.startswith("openai")]
    + [(name, "chat", models.OPENAI_URL) for name in models.CHAT if name.startswith("openai")]
    + [(name, "text", models.OPENAI_URL) for name in models.TEXT if name.startswith("openai")]
    + [("replay", "replay", None), ("litellm", "litellm", None)],
)
def test_names_of_lm_eval_for_servers_need_no_lm_eval(model, kind, url):
    choice = models.choose(model, "model=x")
    assert (choice.kind, choice.args.get("base_url"), choice.args["model"]) == (kind, url, "x")
    assert models.choose(model, "base_url=http://b").args["base_url"] == "http://b"
