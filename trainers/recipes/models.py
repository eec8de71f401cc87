# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch, PEFT, bitsandbytes and Unsloth carry no types)
"""Models of the recipes: loaded from a folder or the hub, in 4 bits if asked for, through Unsloth if it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from rewardkit.cli._say import say


def load(source: str, quantization: dict[str, Any] | None = None) -> Any:
    """A causal model; with `quantization` (a [quantization] section) in 4 bits, on a GPU."""
    import torch
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    options: dict[str, Any] = {"dtype": "auto"}
    if torch.cuda.is_available():
        options["device_map"] = "auto"
        if quantization:
            options["quantization_config"] = BitsAndBytesConfig(**quantization)
    elif quantization:
        say("note: no GPU, so the model is loaded without quantization", err=True)
    return AutoModelForCausalLM.from_pretrained(source, **options)


def merge(base: str, adapter: str, target: str) -> None:
    """The adapter merged into its base in full precision (not into a 4-bit copy), saved as a Hugging Face folder."""
    from peft import PeftModel

    PeftModel.from_pretrained(load(base), adapter).merge_and_unload().save_pretrained(target)


def unsloth(config: dict[str, Any], source: str) -> Any:
    """The model through `FastLanguageModel` with its LoRA adapter, for a recipe with an [unsloth] section; None without Unsloth."""
    if "unsloth" not in config or find_spec("unsloth") is None:
        return None
    from unsloth import FastLanguageModel

    own, lora = config["unsloth"], config["lora"]
    model, _ = FastLanguageModel.from_pretrained(
        model_name=source,
        max_seq_length=config["recipe"]["max_seq_length"],
        load_in_4bit=False,
        fast_inference=True,
        max_lora_rank=lora["r"],
        gpu_memory_utilization=own["gpu_memory_utilization"],
    )
    return FastLanguageModel.get_peft_model(
        model,
        r=lora["r"],
        target_modules=lora["target_modules"],
        lora_alpha=lora["lora_alpha"],
        use_gradient_checkpointing="unsloth",
        random_state=own["random_state"],
    )
