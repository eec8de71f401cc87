# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch, TRL and PEFT carry no types)
"""TRL recipes: pre-SFT, SFT and GRPO in sequence, each judged on the validation rows, and a table at the end."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rewardkit import Reward, UsageError, load
from rewardkit.errors import MissingExtraError
from trainers.trl import check_columns, reward_funcs, reward_weights

if TYPE_CHECKING:
    from trainers.recipes.base import Data

SFT_STAGES = ("pre_sft", "sft")
CONFIGS = {"pre_sft": "SFTConfig", "sft": "SFTConfig", "grpo": "GRPOConfig"}


def check(config: dict[str, Any]) -> list[str]:
    """Every key of the stages against TRL's own configuration classes, where TRL is installed."""
    found: list[str] = []
    for stage, name in CONFIGS.items():
        if stage not in config:
            continue
        if find_spec("trl") is None:
            found.append(
                f"{len(config[stage])} keys for {name}, not checked: TRL is not installed (pip install 'rewardkit[trl]')"
            )
            continue
        known = {field.name for field in dataclasses.fields(_config_class(name))}
        unknown = sorted(set(config[stage]) - known)
        if unknown:
            raise UsageError(f"[{stage}]: TRL's {name} has no {', '.join(unknown)}")
        found.append(f"{len(config[stage])} keys accepted by TRL's {name}")
    _check_batch(config.get("grpo", {}))
    if "chat_template" in config["recipe"]:
        found.append(_check_template(config["recipe"]["chat_template"]))
    return found


def _check_template(template: str) -> str:
    try:
        import jinja2
    except ImportError:
        return "chat template not rendered: jinja2 is not installed"
    turns = [{"role": "system", "content": "SYSTEM"}, {"role": "user", "content": "QUESTION"}]
    words = {"messages": turns, "eos_token": "<eos>", "add_generation_prompt": True}
    try:
        text = jinja2.Template(template).render(words)
    except jinja2.TemplateError as error:
        raise UsageError(f"the chat template does not render: {error}") from None
    if not ("SYSTEM" in text and "QUESTION" in text):
        raise UsageError("the chat template drops the system message or the question")
    return f"chat template renders; a prompt ends with {text.partition('QUESTION')[2]!r}"


def _check_batch(grpo: dict[str, Any]) -> None:
    size, generations = grpo.get("per_device_train_batch_size", 8), grpo.get("num_generations", 8)
    steps = grpo.get("gradient_accumulation_steps", 1)
    if (size * steps) % generations:
        raise UsageError(
            f"[grpo]: batch {size} x {steps} is not a multiple of num_generations={generations}; TRL refuses that"
        )


def train(
    config: dict[str, Any],
    data: Data,
    reward: Reward,
    tools: Sequence[Callable[..., Any]],
    model_name: str,
    output: Path,
    *,
    stage: str = "all",
) -> None:
    """Train the named model on this machine."""
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError:
        raise MissingExtraError.of("training with TRL", "trl") from None
    tokenizer = AutoTokenizer.from_pretrained(model_name)
    model = AutoModelForCausalLM.from_pretrained(model_name, dtype="auto", device_map="auto")
    run = Stages(config, reward, tokenizer, output, tools=tools)
    run.all(model, data, only=stage)
    click.echo(run.table())
    for line in config["recipe"].get("afterwards", []):
        click.echo(line.replace("{output}", str(output)))


class Stages:
    """The stages of one recipe over one model, with the validation results after each."""

    def __init__(
        self,
        config: dict[str, Any],
        reward: Reward,
        tokenizer: Any,
        output: Path,
        *,
        tools: Sequence[Callable[..., Any]] = (),
        forced: dict[str, Any] | None = None,
        also: Sequence[Callable[..., Any]] = (),
    ) -> None:
        self.config = config
        self.reward = reward
        self.judge = load(config["evaluate"]["reward"])
        self.tokenizer = tokenizer
        self.output = output
        self.tools = tools
        self.forced = forced or {}
        """Settings that win over config.toml: the tiny run's CPU settings."""
        self.also = list(also)
        """Reward functions beside the recipe's own, weight 1: the tiny run's signal."""
        self.results: dict[str, dict[str, float]] = {}

    def all(self, model: Any, data: Data, *, only: str = "all") -> Any:
        """Every stage that config.toml has; the model as it stands afterwards."""
        self._template()
        self.evaluate("baseline", model, data)
        for stage, rows in (("pre_sft", data.pre_sft), ("sft", data.sft)):
            if stage in self.config and only in ("all", "sft"):
                model = self.sft(stage, model, rows)
                self.evaluate(stage, model, data)
        if "grpo" in self.config and only in ("all", "grpo"):
            model = self.grpo(model, self.short_prompts(data.train))
            self.evaluate("grpo", model, data)
        (self.output / "results.json").write_text(json.dumps(self.results, indent=1) + "\n", encoding="utf-8")
        return model

    def sft(self, stage: str, model: Any, rows: Sequence[dict[str, Any]]) -> Any:
        """One supervised stage, with LoRA where the recipe has a [lora] section; the merged model is saved."""
        from datasets import Dataset
        from trl import SFTTrainer

        if not rows:
            raise UsageError(f"[{stage}] has no rows")
        trainer = SFTTrainer(
            model=model,
            args=self._args(stage),
            train_dataset=Dataset.from_list(list(rows)),
            processing_class=self.tokenizer,
            peft_config=self._lora(),
        )
        trainer.train()
        return self._save(trainer, stage)

    def grpo(self, model: Any, rows: Sequence[dict[str, Any]]) -> Any:
        """The reinforcement stage. Each term of the reward is logged under its own name."""
        from datasets import Dataset
        from trl import GRPOTrainer

        data = Dataset.from_list(list(rows))
        check_columns(data.column_names, self.reward)
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=[*reward_funcs(self.reward), *self.also],
            args=self._args("grpo", reward_weights=[*reward_weights(self.reward), *(1.0 for _ in self.also)]),
            train_dataset=data,
            processing_class=self.tokenizer,
            peft_config=self._lora(),
            tools=list(self.tools) or None,
        )
        trainer.train()
        return self._save(trainer, "grpo")

    def evaluate(self, stage: str, model: Any, data: Data) -> None:
        """Greedy answers to the validation rows: accuracy, every part of the judging reward, average length."""
        from trainers.recipes.evaluation import evaluate

        options = self.config["evaluate"]
        rows = data.validation[: self.forced.get("validation_rows", options.get("rows", len(data.validation)))]
        limit = self.forced.get("max_completion_length", options.get("max_completion_length", 512))
        self.results[stage] = evaluate(model, self.tokenizer, rows, self.judge, max_tokens=limit)

    def short_prompts(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows whose prompt is not among the longest: TRL no longer cuts prompts (`max_prompt_length` is gone)."""
        quantile = self.config["recipe"].get("prompt_length_quantile", 1.0)
        lengths = [self._tokens(row) for row in rows]
        limit = sorted(lengths)[min(len(lengths) - 1, math.ceil(quantile * len(lengths)) - 1)] if lengths else 0
        return [row for row, length in zip(rows, lengths, strict=True) if length <= limit]

    def table(self) -> str:
        """One line a stage: the comparison that the recipe is about."""
        names = list(next(iter(self.results.values())))
        lines = ["| stage | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
        for stage, values in self.results.items():
            lines.append(f"| {stage} | " + " | ".join(f"{values[name]:.3f}" for name in names) + " |")
        return "\n".join(lines)

    def _tokens(self, row: dict[str, Any]) -> int:
        text = self.tokenizer.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True)
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _template(self) -> None:
        template = self.config["recipe"].get("chat_template")
        if template and not self.forced:
            self.tokenizer.chat_template = template

    def _args(self, stage: str, **extra: Any) -> Any:
        settings = {**self.config[stage], "output_dir": str(self.output / stage), **extra, **self.forced.get(stage, {})}
        return _config_class(CONFIGS[stage])(**settings)

    def _lora(self) -> Any:
        if "lora" not in self.config:
            return None
        from peft import LoraConfig

        return LoraConfig(task_type="CAUSAL_LM", **{**self.config["lora"], **self.forced.get("lora", {})})

    def _save(self, trainer: Any, stage: str) -> Any:
        """The adapter (checked: all-zero weights mean that nothing was learned) and the merged model, as HF folders."""
        model = trainer.model
        if "lora" in self.config:
            trainer.save_model(str(self.output / f"{stage}-adapter"))
            require_trained_adapter(model)
            model = model.merge_and_unload()
        model.save_pretrained(str(self.output / f"{stage}-merged"))
        self.tokenizer.save_pretrained(str(self.output / f"{stage}-merged"))
        return model


def require_trained_adapter(model: Any) -> None:
    """LoRA's B matrices start at zero: an adapter where all of them still are has learned nothing.

    Raises:
        UsageError: every B matrix is zero, or there is none.
    """
    moved = [bool(value.any()) for name, value in model.named_parameters() if "lora_B" in name]
    if not any(moved):
        raise UsageError(f"the adapter is empty: {len(moved)} lora_B matrices, all zero")


def _config_class(name: str) -> Any:
    try:
        import trl
    except ImportError:
        raise MissingExtraError.of("training with TRL", "trl") from None
    return getattr(trl, name)
