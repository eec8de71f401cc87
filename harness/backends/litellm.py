"""Any provider that litellm supports. litellm sends the request; pacing, retries and accounting are ours."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from harness.backends.base import Reply
from harness.backends.http import HttpBackend
from harness.backends.openai_api import PassingError, failure_of, parse_replies
from rewardkit.errors import UsageError, describe_error

if TYPE_CHECKING:
    from harness.tools.loop import ToolBox

OURS = frozenset({"model", "num_concurrent", "max_retries", "timeout", "retry_wait", "max_outage", "max_gen_toks", "n"})
"""Entries of `--model_args` that are not handed to litellm."""


class LitellmBackend(HttpBackend):
    """`model` is litellm's name (`anthropic/...`, `gemini/...`, `openai/...`); keys come from its environment variables.

    Sampling options that a provider does not know, such as `seed`, are not sent.
    """

    def __init__(self, args: Mapping[str, Any], *, concurrency: int, tools: ToolBox | None, **options: Any) -> None:
        model = args.get("model")
        if not model:
            raise UsageError("litellm needs the model's name: --model litellm --model_args model=provider/name")
        super().__init__([f"litellm:{model}"], str(model), concurrency=concurrency, tools=tools, **options)
        self._urls = [str(args.get("api_base") or f"litellm:{model}")]
        self._given = {name: value for name, value in args.items() if name not in OURS}

    def connect(self) -> None:
        """Check the package and the provider's key, without a request.

        Raises:
            UsageError: they are not.
        """
        try:
            os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else its import asks the network
            self._litellm: Any = importlib.import_module("litellm")
        except ImportError:
            raise UsageError("--model litellm needs an extra: pip install 'rewardkit[litellm]'") from None
        self._litellm.suppress_debug_info = True
        found = self._litellm.validate_environment(self.model, api_key=self._given.get("api_key"))
        if found["missing_keys"]:
            raise UsageError(f"litellm needs {', '.join(found['missing_keys'])} in the environment for {self.model}")

    async def _post(self, url: str, body: Mapping[str, Any]) -> list[Reply]:
        options = {"timeout": self._timeout_s, "max_retries": 0, "drop_params": True, **self._given}
        try:
            response = await self._litellm.acompletion(**body, **options)
        except (self._litellm.Timeout, self._litellm.APIConnectionError) as error:
            raise PassingError(f"{url}: {describe_error(error)}") from None
        except self._litellm.ContentPolicyViolationError:
            return [Reply("", finish_reason="content_filter")]
        except Exception as error:  # noqa: BLE001 - the adapters of providers raise whatever they meet
            status = getattr(error, "status_code", None)
            if not isinstance(status, int):
                raise PassingError(f"{url}: {describe_error(error)}") from None
            headers = cast("Mapping[str, str]", getattr(getattr(error, "response", None), "headers", None) or {})
            raise failure_of(url, status, headers, str(error)) from None
        return parse_replies(response.model_dump(), chat=True)
