# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch, Transformers and PEFT carry no types)
"""One question to a model with and without its LoRA adapter, or before and after training if there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewardkit import UsageError
from rewardkit.cli._say import say
from rewardkit.errors import MissingExtraError

from . import chain, files

QUESTION = "What is the sqrt of 101?"


def compare(config: dict[str, Any], model: str, output: Path, *, system: str, max_tokens: int = 1024) -> dict[str, str]:
    """Both answers, with the system prompt of the training, sampled as published (temperature 1.0, top_k 50), printed and returned.

    Raises:
        UsageError: nothing was trained in `output`.
    """
    try:
        import torch
        from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError.of("asking a model", "trl") from None
    link = next(link for link in chain.links(config, model, output, "trl") if link.stage == "grpo")
    if not Path(link.saves).is_dir():
        raise UsageError(f"no trained model in {link.saves}; run the recipe first")
    tokenizer = AutoTokenizer.from_pretrained(link.saves)
    text = tokenizer.apply_chat_template(files.chat(system, QUESTION), add_generation_prompt=True, tokenize=False)
    found: dict[str, str] = {}
    for name, answering in _models(link, output / "grpo-adapter"):
        inputs = tokenizer(text, return_tensors="pt", add_special_tokens=False).to(answering.device)
        inputs.pop("token_type_ids", None)
        torch.manual_seed(0)
        ids = answering.generate(**inputs, max_new_tokens=max_tokens, do_sample=True, temperature=1.0, top_k=50)
        found[name] = tokenizer.decode(ids[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        say(f"--- {name}\n{found[name]}")
    return found


def _models(link: chain.Link, adapter: Path) -> Iterator[tuple[str, Any]]:
    from transformers import AutoModelForCausalLM

    base: Any = AutoModelForCausalLM.from_pretrained(link.loads, dtype="auto", device_map="auto")
    if not adapter.is_dir():
        yield "before", base
        yield "after", AutoModelForCausalLM.from_pretrained(link.saves, dtype="auto", device_map="auto")
        return
    from peft import PeftModel

    adapted: Any = PeftModel.from_pretrained(base, str(adapter))
    with adapted.disable_adapter():
        yield "without the adapter", adapted
    yield "with the adapter", adapted
