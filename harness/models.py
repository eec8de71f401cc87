"""`--model` and `--model_args` turned into a backend: a URL, a path, a hub id, or any model name of lm-eval."""

from __future__ import annotations

import importlib
import importlib.util
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.backends.base import Backend, count_of, number_of
from harness.backends.weights import MODELS
from harness.catalog import quiet
from rewardkit.errors import IncompleteError, UsageError, describe_error, did_you_mean
from rewardkit.paths import expanded

if TYPE_CHECKING:
    from harness.tools.loop import ToolBox

CHAT = ("local-chat-completions", "openai-chat-completions", "openai-chat")
TEXT = ("local-completions", "openai-completions")
OPENAI_URL = "https://api.openai.com/v1"
SECRETS = frozenset({
    "api_key", "auth_token", "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "azure_ad_token",
    "vertex_credentials",
})  # fmt: skip
"""Entries of `--model_args` that are never written down."""
TEXT_ARGS = SECRETS | frozenset(MODELS) | {
    "base_url", "api_base", "api_version", "organization", "revision", "subfolder", "eos_string", "think_end_token", "file", "engine",
    "until", "stop", "project", "name", "entity", "group", "experiment", "run_name", "tracking_uri", "logdir", "repo", "to",
}  # fmt: skip
"""Entries of `--model_args`, `--gen_kwargs` and `--log` that are text, whatever they look like."""
_HTTP_ARGS = frozenset({
    "model", "pretrained", "base_url", "num_concurrent", "max_retries", "timeout", "api_key", "auth_token",
    "tokenizer", "tokenizer_backend", "tokenized_requests", "max_length", "max_gen_toks", "batch_size", "eos_string",
    "think_end_token", "verify_certificate", "retry_wait", "max_outage", "n",
})  # fmt: skip


@dataclass(frozen=True)
class ModelChoice:
    """The model that the user asked for."""

    kind: str
    """`chat`, `text`, `replay`, or a model name of lm-eval."""
    args: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The model's own name, for directories and tables."""
        if self.kind == "replay":
            return Path(str(self.args.get("file") or "replay").partition(";")[0]).name.partition(".jsonl")[0]
        for key in ("model", "pretrained", "file", "path", "engine"):
            if self.args.get(key):
                return str(self.args[key])
        return str(self.args.get("base_url") or self.kind)


def parse_args(text: str) -> dict[str, Any]:
    """`a=1,b=x` as lm-eval reads it: numbers and booleans are turned into such, but nan and infinity are no numbers.

    What stands in quotes is text, as is what is text by its name (`TEXT_ARGS`).

    >>> parse_args("pretrained=m,dtype=float32,batch=4,revision=12e5")
    {'pretrained': 'm', 'dtype': 'float32', 'batch': 4, 'revision': '12e5'}
    """
    found: dict[str, Any] = {}
    for piece in text.split(","):
        if not piece.strip():
            continue
        name, mark, value = piece.partition("=")
        if not mark or not name.strip():
            raise UsageError(f"cannot read {piece!r} in {text!r}; write name=value,name=value")
        found[name.strip()] = _value(name.strip(), value.strip())
    return found


def _value(name: str, text: str) -> Any:
    if len(text) > 1 and text[0] == text[-1] in "'\"":
        return text[1:-1]
    if text.lower() == "none":
        return None
    if name in TEXT_ARGS:
        return text
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if isinstance(number, int) or math.isfinite(number) else text
    return text


def choose(model: str, model_args: str) -> ModelChoice:
    """Resolve `--model`.

    Raises:
        UsageError: it is not a URL, path, hub id or model name of lm-eval.
    """
    args = parse_args(model_args)
    if model.startswith(("http://", "https://")):
        return ModelChoice("chat", {"base_url": model, **args})
    scheme = model.partition("://")[0] if "://" in model else ""
    if not model or (scheme not in {"", "s3", "gs", "az"} and not expanded(model).is_dir()):
        raise UsageError(f"no model {model!r}; give a URL (http:// or https://), a local path or a hub id (owner/name)")
    if model in CHAT or model in TEXT:
        if model.startswith("openai"):
            args = {"base_url": OPENAI_URL, **args}
        return ModelChoice("chat" if model in CHAT else "text", args)
    if model in {"replay", "litellm"}:
        return ModelChoice(model, args)
    library: Any = importlib.import_module("lm_eval.models")
    known = list(library.MODEL_MAPPING)
    if model in known:
        return ModelChoice(model, args)
    if expanded(model).is_dir() or "/" in model:
        return ModelChoice(default_engine(), {"pretrained": model, **args})
    hint = did_you_mean(model, known)
    raise UsageError(
        f"no model {model!r}; {hint}{' ' if hint else ''}Give a URL, a local path, a hub id (owner/name), or hf, vllm, ... as lm-eval names them"
    )


def default_engine() -> str:
    """What runs a bare path or hub id: vLLM if it is installed beside a GPU, else `hf`."""
    if importlib.util.find_spec("vllm") is None or importlib.util.find_spec("torch") is None:
        return "hf"
    torch: Any = importlib.import_module("torch")
    return "vllm" if torch.cuda.is_available() else "hf"


def open_backend(
    choice: ModelChoice,
    *,
    tools: ToolBox | None = None,
    chat: bool | None = None,
    batch_size: str | None = None,
    device: str | None = None,
    concurrency: int | None = None,
) -> Backend:
    """The backend for a choice. `chat`: apply a chat template (None: if the model has one).

    Raises:
        UsageError: options that do not fit the model.
        IncompleteError: the model did not load.
    """
    if choice.kind == "replay":
        from harness.backends.replay import ReplayBackend

        files = str(choice.args.get("file") or "")
        if unknown := sorted(choice.args.keys() - {"file", "only"}):
            raise UsageError(f"replay has no argument {unknown[0]!r}; it takes file and only")
        if not files:
            raise UsageError("replay needs its file: --model replay --model_args file=answers.jsonl")
        return ReplayBackend([expanded(name) for name in files.split(";")])
    if choice.kind in {"chat", "text", "litellm"}:
        return _open_http(choice, tools=tools, concurrency=concurrency)
    return _open_wrapped(choice, tools=tools, chat=chat, batch_size=batch_size, device=device)


def _open_http(choice: ModelChoice, *, tools: ToolBox | None, concurrency: int | None) -> Backend:
    from harness.backends.http import HttpBackend
    from harness.backends.litellm import LitellmBackend

    args = dict(choice.args)
    asked = count_of(args, "num_concurrent", 64)
    common: dict[str, Any] = {
        "concurrency": concurrency or asked,
        "retries": count_of(args, "max_retries", 4, least=0),
        "timeout_s": number_of(args, "timeout", 3600.0, least=0.001),
        "tools": tools,
        "retry_wait_s": number_of(args, "retry_wait", 0.5),
        "outage_s": number_of(args, "max_outage", 900.0),
        "n": count_of(args, "n", 1),
    }
    if choice.kind == "litellm":
        backend: HttpBackend = LitellmBackend(args, **common)
        backend.connect()
        return backend
    unknown = sorted(set(args) - _HTTP_ARGS)
    if unknown:
        raise UsageError(
            f"model_args of an HTTP model do not include {', '.join(unknown)}; sampling options go to --gen_kwargs"
        )
    if tools is not None and choice.kind == "text":
        raise UsageError("tools need a chat model: use --model local-chat-completions")
    model = args.get("model") or args.get("pretrained")
    backend = HttpBackend(
        [url for url in str(args.get("base_url") or "").split(";") if url],
        str(model) if model else None,
        chat=choice.kind == "chat",
        api_key=args.get("api_key") or args.get("auth_token"),
        args=args,
        **common,
    )
    backend.connect()
    return backend


def _open_wrapped(
    choice: ModelChoice, *, tools: ToolBox | None, chat: bool | None, batch_size: str | None, device: str | None
) -> Backend:
    from harness.backends.wrapped import WrappedBackend

    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")  # vLLM talks on stdout, which is for our numbers
    registry: Any = importlib.import_module("lm_eval.api.registry")
    importlib.import_module("lm_eval.models")  # fills the registry
    if device is None and choice.kind.startswith(("hf", "huggingface")) and "device" not in choice.args:
        device = _device()
    more = {"batch_size": batch_size, "device": device}
    try:
        with quiet():
            model = registry.get_model(choice.kind).create_from_arg_obj(dict(choice.args), more)
    except (KeyboardInterrupt, UsageError):
        raise
    except ImportError as error:
        raise UsageError(f"model {choice.kind!r} is not installed: {error}") from None
    except Exception as error:
        raise IncompleteError(f"cannot load {choice.kind} {choice.name}: {describe_error(error)}") from error
    has = bool(getattr(getattr(model, "tokenizer", None), "chat_template", None))
    if chat and not has:
        raise UsageError(
            f"{choice.name} has no chat template; leave out --apply_chat_template to send plain text (a base model)"
        )
    return WrappedBackend(model, choice.kind, tools=tools, chat=has if chat is None else chat, args=choice.args)


def _device() -> str:
    torch: Any = importlib.import_module("torch")
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
