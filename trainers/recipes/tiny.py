# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (torch and Transformers carry no types)
"""`--tiny`: the recipe's own stages, data and rewards on a tiny random model, a few steps on the CPU.

A plumbing check: weights move, adapters are not empty and each stage loads what the last one saved. Nothing is learned.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardkit import Reward, UsageError
from rewardkit.chat import final_text, is_chat
from rewardkit.cli._say import say
from rewardkit.errors import MissingExtraError

from ..tiny import CPU, tiny_model, tiny_tokenizer
from .files import trl_row

if TYPE_CHECKING:
    from .base import Data

WORDS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "user", "assistant", "system", "tool")
MAX_PROMPT_CHARS = 1_200
FEW_STEPS = {
    **CPU,
    "optim": "adamw_torch",
    "max_steps": 2,
    "eval_strategy": "no",
    "load_best_model_at_end": False,
}
SFT = {
    **FEW_STEPS,
    "per_device_train_batch_size": 4,
    "gradient_accumulation_steps": 1,
    "max_length": 512,
    "packing": False,
}
GRPO = {
    **FEW_STEPS, "log_completions": False, "per_device_train_batch_size": 4, "num_generations": 2, "gradient_accumulation_steps": 1,
    "max_completion_length": 16, "use_vllm": False, "generation_kwargs": None,
}  # fmt: skip


def train(
    config: dict[str, Any], data: Data, reward: Reward, tools: Sequence[Callable[..., Any]], output: Path
) -> dict[str, dict[str, float | None]]:
    """Two steps of every stage, each evaluated. Returns the table's numbers."""
    try:
        import torch

        from . import models
        from .base import Data as Prepared
        from .evaluation import table
        from .trl_stages import Stages
    except ImportError:
        raise MissingExtraError.of("a tiny run", "trl") from None
    torch.manual_seed(0)
    tokenizer = tiny_tokenizer(WORDS, "".join(char for char in string.printable if char not in "\r\x0b\x0c"))
    few = Prepared(
        train=_short(data.train)[:16],
        validation=_short(data.validation or data.train)[:8],
        sft=data.sft[:16],
        sft_eval=data.sft_eval[:4],
        pre_sft=data.pre_sft[:16],
    )
    whole = {**config, "grpo": {**config.get("grpo", {})}}
    forced = {
        "pre_sft": SFT, "sft": SFT, "grpo": GRPO, "lora": {"r": 4, "lora_alpha": 8},
        "max_completion_length": 16, "validation_rows": 4,
    }  # fmt: skip
    output.mkdir(parents=True, exist_ok=True)
    stages = Stages(whole, reward, tokenizer, output, tools=tools, forced=forced, also=[variety])
    model = tiny_model(tokenizer, hidden=32)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    base = output / "base"
    for saved in (model, tokenizer):
        saved.save_pretrained(base)
    trained = models.load(stages.all(str(base), few)).state_dict()
    moved = sum(not torch.equal(value, before[name]) for name, value in trained.items())
    if not moved:
        raise UsageError("no weight changed during training")
    say(table(stages.results, config["evaluate"].get("columns")))
    say(f"plumbing check: {moved} of {len(before)} weight matrices changed; the numbers above have no meaning")
    return stages.results


def variety(*, completions: Sequence[Any], **_columns: Any) -> list[float]:
    """Share of different characters. A model that knows nothing is paid alike for all that it says by the recipe's rewards,
    and then no weight moves; this differs, so that a tiny run shows that gradients reach the weights.
    """
    texts = [final_text(chat) if is_chat(chat) else str(chat) for chat in completions]
    return [len(set(text)) / max(1, len(text)) for text in texts]


def check_template(data: Data, model: str) -> str:
    """Render one prompt with the model's own chat template."""
    try:
        from transformers import AutoTokenizer
    except ImportError:
        return "chat template not checked: Transformers is not installed (pip install 'rewardkit[trl]')"
    tokenizer = AutoTokenizer.from_pretrained(model)
    text = tokenizer.apply_chat_template(trl_row(data.train[0])["prompt"], tokenize=False, add_generation_prompt=True)
    return f"chat template of {model}: {len(text)} characters, ends with {text[-30:]!r}"


def _short(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    flat = map(trl_row, rows)
    return [row for row in flat if sum(len(message["content"]) for message in row["prompt"]) <= MAX_PROMPT_CHARS]
