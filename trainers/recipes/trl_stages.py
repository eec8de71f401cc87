# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch, TRL and PEFT carry no types)
"""TRL recipes: pre-SFT, SFT and GRPO in a chain of saved models, each judged on the validation rows, and a table at the end."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardkit import Reward, UsageError, load
from rewardkit.cli._say import say
from rewardkit.errors import MissingExtraError
from rewardkit.store import write_whole

from ..trl import check_columns, reward_funcs, reward_weights
from . import chain, models
from .evaluation import answers, summary, table

if TYPE_CHECKING:
    from .base import Data

CONFIGS = {"pre_sft": "SFTConfig", "sft": "SFTConfig", "grpo": "GRPOConfig"}


def check(config: dict[str, Any]) -> list[str]:
    """The settings of each stage through TRL's own configuration classes, if TRL is installed."""
    found: list[str] = []
    for stage, name in CONFIGS.items():
        if stage not in config:
            continue
        if find_spec("trl") is None:
            found.append(
                f"{len(config[stage])} keys for {name}, not checked: TRL is not installed (pip install 'rewardkit[trl]')"
            )
            continue
        try:
            _config_class(name)(**{**config[stage], "output_dir": "unused", "use_cpu": True})
        except (TypeError, ValueError) as error:
            raise UsageError(f"[{stage}]: TRL's {name} refuses it: {error}") from None
        found.append(f"{len(config[stage])} keys accepted by TRL's {name}")
    if "seed" in config.get("grpo", {}).get("generation_kwargs", {}):
        raise UsageError("[grpo]: a seed in generation_kwargs makes all samples of a prompt equal; leave it out")
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
        from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError.of("training with TRL", "trl") from None
    run = Stages(config, reward, AutoTokenizer.from_pretrained(model_name), output, tools=tools)
    run.all(model_name, data, only=stage)
    say(table(run.results, config["evaluate"].get("columns")))
    for line in config["recipe"].get("afterwards", []):
        say(line.replace("{output}", str(output)))


class Stages:
    """The stages of one recipe. Each loads what the one before it saved, and what it saved is what is evaluated."""

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
        self.results: dict[str, dict[str, float | None]] = {}

    def all(self, model: str, data: Data, *, only: str = "all") -> str:
        """Every stage that config.toml has, or the ones asked for, whose results join those that are there; the folder of the last model."""
        self._template()
        steps = [link for link in chain.links(self.config, model, self.output, "trl") if link.stage in CONFIGS]
        wanted = [link for link in steps if only in ("all", link.stage) or (only == "sft" and "sft" in link.stage)]
        if not wanted:
            raise UsageError(f"this recipe has no stage {only}; it has {', '.join(link.stage for link in steps)}")
        chain.require(wanted[0].loads, model, wanted[0].stage)
        saved = self.output / "results.json"
        if only != "all" and saved.is_file():
            self.results = json.loads(saved.read_text(encoding="utf-8"))
        self.evaluate("baseline", model, data)
        for link in wanted:
            if link.stage == "grpo":
                self.grpo(link, self.short_prompts(data.train))
            else:
                self.sft(link, data.sft if link.stage == "sft" else data.pre_sft, data.sft_eval)
            self.evaluate(link.stage, link.saves, data)
        write_whole(saved, json.dumps(self.results, indent=1) + "\n")
        return wanted[-1].saves

    def sft(self, link: chain.Link, rows: Sequence[dict[str, Any]], selection: Sequence[dict[str, Any]]) -> None:
        """One supervised stage, with LoRA if the recipe has a [lora] section; the merged model is saved."""
        from datasets import Dataset
        from trl import SFTTrainer

        if not rows:
            raise UsageError(f"[{link.stage}] has no rows")
        trainer = SFTTrainer(
            model=models.load(link.loads, self.config.get("quantization")),
            args=self._args(link.stage),
            train_dataset=Dataset.from_list(list(rows)),
            eval_dataset=Dataset.from_list(list(selection)) if selection and link.stage == "sft" else None,
            processing_class=self.tokenizer,
            peft_config=self._lora(),
        )
        trainer.train()
        self._save(trainer, link)

    def grpo(self, link: chain.Link, rows: Sequence[dict[str, Any]]) -> None:
        """The reinforcement stage. Each term of the reward is logged under its own name."""
        made = None if self.forced else models.unsloth(self.config, link.loads)  # before TRL, which it patches
        from datasets import Dataset
        from trl import GRPOTrainer

        data = Dataset.from_list(list(rows))
        check_columns(data.column_names, self.reward)
        trainer = GRPOTrainer(
            model=made or models.load(link.loads),
            reward_funcs=[*reward_funcs(self.reward), *self.also],
            args=self._args("grpo", reward_weights=[*reward_weights(self.reward), *(1.0 for _ in self.also)]),
            train_dataset=data,
            processing_class=self.tokenizer,
            peft_config=None if made else self._lora(),
            tools=list(self.tools) or None,
        )
        trainer.train()
        self._save(trainer, link)

    def evaluate(self, stage: str, source: str, data: Data) -> None:
        """Answers of a saved model to the validation rows, judged; a line for each data source if the recipe says so."""
        options = self.config["evaluate"]
        rows = data.validation[: self.forced.get("validation_rows", options.get("rows", len(data.validation)))]
        trained = self.config.get("grpo", {}).get("max_completion_length", 512)
        limit = self.forced.get("max_completion_length", options.get("max_completion_length", trained))
        samples = answers(
            models.load(source), self.tokenizer, rows, max_tokens=limit, temperature=options.get("temperature", 0.0)
        )
        scores = self.judge.score(samples)
        self.results[stage] = summary(samples, scores)
        for name in dict.fromkeys(sample.data_source for sample in samples) if options.get("by_source") else ():
            own = [index for index, sample in enumerate(samples) if sample.data_source == name]
            self.results[f"{stage} {name}"] = summary([samples[i] for i in own], [scores[i] for i in own])

    def short_prompts(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows whose prompt is not among the longest: TRL no longer cuts prompts (`max_prompt_length` is gone).

        Where the recipe has `max_seq_length`, a completion may be as long as the longest of these prompts leaves room for.
        """
        recipe = self.config["recipe"]
        quantile = recipe.get("prompt_length_quantile", 1.0)
        lengths = [self._tokens(row) for row in rows]
        limit = sorted(lengths)[min(len(lengths) - 1, math.ceil(quantile * len(lengths)) - 1)] if lengths else 0
        if "max_seq_length" in recipe:
            self.config["grpo"]["max_completion_length"] = recipe["max_seq_length"] - (limit + 1)
        return [row for row, length in zip(rows, lengths, strict=True) if length <= limit]

    def _tokens(self, row: dict[str, Any]) -> int:
        text = self.tokenizer.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True)
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def _template(self) -> None:
        template = self.config["recipe"].get("chat_template")
        if template and not self.forced:
            self.tokenizer.chat_template = template
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token

    def _args(self, stage: str, **extra: Any) -> Any:
        settings = {**self.config[stage], "output_dir": str(self.output / stage), **extra, **self.forced.get(stage, {})}
        sampling = settings.get("generation_kwargs")
        if sampling and "stop" in sampling:
            stop = [item.replace("{eos}", self.tokenizer.eos_token) for item in sampling["stop"]]
            settings["generation_kwargs"] = {**sampling, "stop": stop}
        return _config_class(CONFIGS[stage])(**settings)

    def _lora(self) -> Any:
        if "lora" not in self.config:
            return None
        from peft import LoraConfig

        return LoraConfig(task_type="CAUSAL_LM", **{**self.config["lora"], **self.forced.get("lora", {})})

    def _save(self, trainer: Any, link: chain.Link) -> None:
        """The model as a Hugging Face folder; a LoRA adapter beside it, merged into the weights that it was trained on."""
        if "lora" in self.config:
            require_trained_adapter(trainer.model)
            adapter = str(self.output / f"{link.stage}-adapter")
            trainer.save_model(adapter)
            models.merge(link.loads, adapter, link.saves)
        else:
            trainer.model.save_pretrained(link.saves)
        self.tokenizer.save_pretrained(link.saves)


def require_trained_adapter(model: Any) -> None:
    """LoRA's B matrices start at zero: an adapter in which all of them still are has learned nothing.

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
