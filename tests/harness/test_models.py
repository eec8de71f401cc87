"""`--model`: what a URL, a path, a hub id and a name of lm-eval stand for."""

import sys
from types import SimpleNamespace

import pytest

from harness import models
from harness.run import _compares_likelihoods
from rewardkit.errors import UsageError
from rewardkit.model_server import api_key


def test_a_url_is_a_chat_model_without_any_library():
    choice = models.choose("http://127.0.0.1:8000/v1", "model=x")
    assert (choice.kind, dict(choice.args)) == ("chat", {"base_url": "http://127.0.0.1:8000/v1", "model": "x"})


@pytest.mark.parametrize(("vllm", "gpu", "engine"), [(True, True, "vllm"), (True, False, "hf"), (False, True, "hf")])
def test_a_path_runs_on_vllm_beside_a_gpu_else_on_hf(monkeypatch, tmp_path, vllm, gpu, engine):
    there = {"torch", "vllm"} if vllm else {"torch"}
    monkeypatch.setattr(models.importlib.util, "find_spec", lambda name: name in there or None)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: gpu)))
    monkeypatch.setitem(sys.modules, "lm_eval.models", SimpleNamespace(MODEL_MAPPING={"hf": "", "vllm": ""}))
    for model in (str(tmp_path), "owner/name", "s3://bucket/model"):
        choice = models.choose(model, "dtype=float32")
        assert (choice.kind, dict(choice.args)) == (engine, {"pretrained": model, "dtype": "float32"})


@pytest.mark.parametrize("text", ["file=a.jsonl,onyl=true", "fil=a.jsonl", "file=a.jsonl,num_concurrent=3"])
def test_an_argument_that_replay_does_not_take_is_named(text):
    with pytest.raises(UsageError, match=r"replay has no argument '(onyl|fil|num_concurrent)'; it takes file and only"):
        models.open_backend(models.choose("replay", text))


def test_a_misspelt_model_is_named_with_its_neighbour(monkeypatch):
    monkeypatch.setitem(sys.modules, "lm_eval.models", SimpleNamespace(MODEL_MAPPING={"hf": "", "vllm": ""}))
    with pytest.raises(UsageError, match="did you mean 'vllm'"):
        models.choose("vlm", "")


@pytest.mark.parametrize("model", ["", "ftp://x/v1", "hf://owner/name", "localhost://x"])
def test_an_empty_model_and_another_kind_of_url_are_refused_with_what_is_taken(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "lm_eval.models", SimpleNamespace(MODEL_MAPPING={"hf": "", "vllm": ""}))
    with pytest.raises(
        UsageError, match=f"no model '{model}'; give a URL \\(http:// or https://\\), a local path or a hub id"
    ):
        models.choose(model, "")


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
        ("a=nan,b=-inf,c=1e400", {"a": "nan", "b": "-inf", "c": "1e400"}),
        ("a='1',b=\"true\",c='x,d=\"", {"a": "1", "b": "true", "c": "'x", "d": '"'}),
        ("a='none',b=''", {"a": "none", "b": ""}),
    ],
)
def test_model_args_are_read_as_lm_eval_reads_them(text, args):
    assert models.parse_args(text) == args


LOOKS = ("123", "007", "12e5", "1e400", "-1", "0.0", "true", "False", "nan", "x=y")


@pytest.mark.parametrize("name", sorted(models.TEXT_ARGS))
def test_what_is_text_by_its_name_is_taken_as_it_is_written(name):
    for text in LOOKS:
        assert models.parse_args(f"n=4, {name} = {text}") == {"n": 4, name: text}
    assert models.parse_args(f"{name}=none") == {name: None}


@pytest.mark.parametrize("text", LOOKS)
def test_a_key_a_model_and_a_url_reach_a_server_as_they_are_written(http, text):
    models.open_backend(models.choose("local-chat-completions", f"model={text},base_url={text},api_key={text}"))
    ((urls, name), options), _ = http
    assert (urls, name, options["api_key"]) == ([text], text, text)
    assert api_key(options["api_key"]) == text


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


@pytest.mark.parametrize(
    ("kind", "args", "name"),
    [
        ("replay", "file=/a/b.jsonl;c.jsonl", "b"),
        ("replay", "file=b.jsonl.gz", "b"),
        ("replay", "", "replay"),
        ("chat", "base_url=u,model=m,pretrained=p", "m"),
        ("hf", "pretrained=p,path=x", "p"),
        ("chat", "base_url=u", "u"),
        ("vllm", "", "vllm"),
    ],
)
def test_a_model_is_called_by_what_the_user_named(kind, args, name):
    assert models.ModelChoice(kind, models.parse_args(args)).name == name


@pytest.fixture
def http(monkeypatch):
    """What an HTTP backend is made with; none is reached."""
    from harness.backends import http, litellm

    made = []

    class Backend:
        def __init__(self, *args, **options):
            made.append((args, options))

        def connect(self):
            made.append("connected")

    monkeypatch.setattr(http, "HttpBackend", Backend)
    monkeypatch.setattr(litellm, "LitellmBackend", Backend)
    return made


USUAL = {
    "concurrency": 64,
    "retries": 4,
    "timeout_s": 3600.0,
    "tools": None,
    "retry_wait_s": 0.5,
    "outage_s": 900.0,
    "n": 1,
}


@pytest.mark.parametrize(
    ("model", "args", "told"),
    [
        ("http://a", "model=m", {}),
        (
            "http://a",
            "model=m,num_concurrent=3,max_retries=0,timeout=9",
            {"concurrency": 3, "retries": 0, "timeout_s": 9.0},
        ),
        ("http://a", "model=m,retry_wait=0,max_outage=1,n=4", {"retry_wait_s": 0.0, "outage_s": 1.0, "n": 4}),
    ],
)
def test_a_server_is_asked_as_the_arguments_say_else_as_documented(http, model, args, told):
    models.open_backend(models.choose(model, args))
    ((urls, name), options), connected = http
    assert (urls, name, options["chat"], options["api_key"], connected) == (["http://a"], "m", True, None, "connected")
    assert {key: options[key] for key in USUAL} == {**USUAL, **told}


NOT_NUMBERS = ("x", "true", "nan", "inf", "-inf", "1e400", "9" * 400, "-1", "-0.5")
COUNTS = {"num_concurrent": ("0", "1.5"), "max_retries": ("1.5",), "n": ("0", "1.5")}
LIMITS = {"timeout": ("0",), "retry_wait": (), "max_outage": ()}


@pytest.mark.parametrize("model", ["http://a", "local-completions", "litellm"])
@pytest.mark.parametrize(("name", "more"), (COUNTS | LIMITS).items())
def test_an_argument_that_is_no_number_that_works_is_named(http, model, name, more):
    for value in (*NOT_NUMBERS, *more):
        with pytest.raises(UsageError, match=rf"^{name} is .*; give a (whole )?number") as told:
            models.open_backend(models.choose(model, f"base_url=u,model=m,{name}={value}"), concurrency=3)
        assert len(str(told.value)) < 120
    assert not http


def test_several_servers_a_key_and_text_completions(http):
    models.open_backend(models.choose("local-completions", "base_url=u;v;,pretrained=p,auth_token=k"), concurrency=5)
    (urls, name), options = http[0]
    assert (urls, name, options["chat"], options["api_key"], options["concurrency"]) == (["u", "v"], "p", False, "k", 5)
    models.open_backend(models.choose("litellm", "model=x/y,timeout=2"))
    (args,), options = http[2]
    assert (args["model"], options["timeout_s"], http[3]) == ("x/y", 2.0, "connected")
    models.open_backend(models.choose("http://a", ""))
    assert http[4][0][1] is None


def test_what_a_server_does_not_take_is_refused(http):
    with pytest.raises(UsageError, match="do not include temprature, zeal; sampling options go to --gen_kwargs"):
        models.open_backend(models.choose("http://a", "zeal=1,temprature=1"))
    with pytest.raises(UsageError, match="tools need a chat model"):
        models.open_backend(models.choose("local-completions", "base_url=u"), tools=SimpleNamespace())
    models.open_backend(models.choose("http://a", ""), tools=SimpleNamespace())
    assert len(http) == 2


@pytest.mark.parametrize("kind", ["chat", "litellm", "replay"])
@pytest.mark.parametrize(("count", "named"), [(1, "t0"), (3, "t0, t1, t2"), (4, r"t0, t1, t2 \.\.\.")])
def test_a_model_that_only_generates_is_refused_where_a_task_compares_likelihoods(kind, count, named):
    tasks = {"tasks": {f"t{place}": SimpleNamespace(OUTPUT_TYPE="multiple_choice") for place in range(count)}}
    with pytest.raises(UsageError, match=f"^{named} compares likelihoods"):
        _compares_likelihoods(tasks, SimpleNamespace(kind=kind))
    assert _compares_likelihoods(tasks, SimpleNamespace(kind="hf"))
    assert not _compares_likelihoods(
        {"tasks": {"t": SimpleNamespace(OUTPUT_TYPE="generate_until")}}, SimpleNamespace(kind=kind)
    )
