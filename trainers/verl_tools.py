# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (the trainer's packages carry no types)
"""The `code_interpreter` tool for verl's tool agent loop, backed by a rewardkit sandbox.

    actor_rollout_ref.rollout.multi_turn.tool_config_path=$(python -m rewardkit.trainers.verl_tools)

prints the path of the tool YAML that comes with the package (`trainers/verl_tools.yaml`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rewardkit.errors import MissingExtraError
from rewardkit.interpreter import SCHEMA, CodeInterpreter, ToolResult, program_of
from rewardkit.rewards._json import parse_json

try:
    from verl.tools.base_tool import BaseTool
    from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse
except ImportError as error:
    raise MissingExtraError.of("rewardkit.trainers.verl_tools", "verl") from error

__all__ = ["TOOL_CONFIG", "CodeInterpreterTool"]

TOOL_CONFIG = Path(__file__).with_suffix(".yaml")
"""Tool YAML for `multi_turn.tool_config_path`."""
OPTIONS = ("sandbox", "cpu_s", "memory_mb", "workers", "max_output_chars")


class CodeInterpreterTool(BaseTool):
    """Runs the model's program, each call a fresh process. The tool itself gives no reward.

    Options in the YAML's `config`: those of `rewardkit.interpreter.CodeInterpreter`. Calls and failures are counted into
    `agent_data.extra_fields` (`tool_calls`, `tool_failures`), which reach the reward as `extra_info`.
    """

    def __init__(self, config: dict[str, Any], tool_schema: Any = None) -> None:
        super().__init__(config, tool_schema or OpenAIFunctionToolSchema.model_validate(SCHEMA))
        self.interpreter = CodeInterpreter(**{name: config[name] for name in OPTIONS if name in config})

    async def execute(
        self,
        instance_id: str,  # noqa: ARG002 - verl's signature
        parameters: dict[str, Any],
        **kwargs: Any,
    ) -> tuple[ToolResponse, float | None, dict[str, Any]]:
        """Run `parameters["code"]`; some models write the parameters as JSON text once more."""
        given = parse_json(parameters) if isinstance(parameters, str) else parameters
        result = await self.interpreter.run_async(program_of(given))
        self._count(kwargs.get("agent_data"), result)
        return ToolResponse(text=result.text), None, {"tool_failed": float(not result.ran)}

    def _count(self, agent_data: Any, result: ToolResult) -> None:
        fields: dict[str, Any] | None = getattr(agent_data, "extra_fields", None)
        if fields is None:
            return
        fields["tool_calls"] = fields.get("tool_calls", 0) + 1
        fields["tool_failures"] = fields.get("tool_failures", 0) + (not result.ran)


if __name__ == "__main__":
    print(TOOL_CONFIG)  # noqa: T201 - the path is this command's output
