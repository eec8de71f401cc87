"""Likelihoods of given texts over HTTP: tokens and sums as lm-eval has them, requests with our pace and retries."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.backends.base import Reply
from harness.catalog import quiet
from rewardkit.errors import IncompleteError, UsageError, describe_error

Ask = Callable[[Sequence[Mapping[str, Any]]], Sequence[Reply]]
_NOT_LM_EVALS = ("model", "base_url", "pretrained", "api_key", "retry_wait", "max_outage", "n")


def open_likelihoods(args: Mapping[str, Any], url: str, ask: Ask) -> Any:
    """lm-eval's model for text completions, whose requests `ask` sends.

    Raises:
        UsageError: it needs a tokenizer and does not find it.
    """
    given = {name: value for name, value in args.items() if name not in _NOT_LM_EVALS}
    name = args.get("model") or args.get("pretrained")
    try:
        with quiet():
            return _model_class()(ask, base_url=url, model=name, **given)
    except Exception as error:
        raise UsageError(
            f"likelihoods need the tokenizer of {name!r}: give tokenizer=PATH or hub id in --model_args ({describe_error(error)})"
        ) from error


def _model_class() -> Any:
    completions: Any = importlib.import_module("lm_eval.models.openai_completions").LocalCompletionsAPI

    class Likelihoods(completions):
        def __init__(self, ask: Ask, **options: Any) -> None:
            super().__init__(**options)  # pyright: ignore[reportUnknownMemberType]
            self._ask = ask

        def _loglikelihood_tokens(self, requests: Sequence[Any], **_: Any) -> list[tuple[float, bool]]:
            inputs, context_lengths, _keys = self.batch_loglikelihood_requests([list(requests)])
            bodies = [self._create_payload(self.create_message([each]), generate=False) for each in inputs]
            replies = self._ask(bodies)
            if any(reply.logprobs is None for reply in replies):
                raise IncompleteError(
                    f"{self.base_url} gives no `logprobs` of a prompt with `echo`, which likelihoods need"
                )
            choices = [{"choices": [{"index": 0, "logprobs": reply.logprobs}]} for reply in replies]
            return [
                self.parse_logprobs(choice, tokens=[tokens], ctxlens=[length])[0]
                for choice, tokens, length in zip(choices, inputs, context_lengths, strict=True)
            ]

    return Likelihoods
