# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# (the trainer's packages carry no types)
"""A Qwen3-shaped model and a tokenizer, built on the spot in a second: for demos, `--tiny` runs and tests without a hub."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rewardkit.errors import MissingExtraError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

CPU = {
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
    "report_to": "none",
    "save_strategy": "no",
    "disable_tqdm": True,
    "logging_steps": 1,
}
"""Settings of TRL's trainers without a GPU, whose defaults are for one: bf16, gradient checkpointing."""

SPECIAL = ("<|pad|>", "<|unk|>", "<|im_start|>", "<|im_end|>")
"""Tokens that decoding with `skip_special_tokens` leaves out."""

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['reasoning_content'] %}<think>{{ message['reasoning_content'] }}</think>{% endif %}"
    "{{ message['content'] or '' }}"
    "{% for call in message['tool_calls'] or [] %}<tool_call>"
    '{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}'
    "</tool_call>{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""ChatML with Hermes tool calls, and no list of tools in the prompt: a tiny model could not read it."""

RESPONSE_TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "reasoning_content": {"open": "<think>", "close_pattern": r"</think>\s*", "content": "text"},
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
"""How Transformers (5.13 and later) parses a rollout back into messages: the form that TRL gives Qwen3."""


def tiny_tokenizer(words: Iterable[str], characters: str) -> PreTrainedTokenizerFast:
    """One token a character, and one for each of `words` (tags, roles). What is in neither becomes unknown."""
    try:
        from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast
    except ImportError:
        raise MissingExtraError.of("a tiny tokenizer", "trl") from None

    units = list(dict.fromkeys([*SPECIAL, *words, *characters, "\n"]))
    pattern = "|".join(re.escape(unit) for unit in sorted(units, key=len, reverse=True) if len(unit) > 1)
    inner: Any = Tokenizer(models.WordLevel({unit: index for index, unit in enumerate(units)}, unk_token=SPECIAL[1]))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(rf"{pattern}|[\s\S]"), behavior="isolated")
    inner.decoder = decoders.Fuse()
    tokenizer: Any = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token=SPECIAL[0],
        unk_token=SPECIAL[1],
        eos_token=SPECIAL[3],
        additional_special_tokens=[SPECIAL[2]],
        chat_template=CHAT_TEMPLATE,
        padding_side="left",
    )
    tokenizer.response_template = RESPONSE_TEMPLATE
    return tokenizer


def tiny_model(tokenizer: PreTrainedTokenizerFast, *, hidden: int = 96, layers: int = 2) -> PreTrainedModel:
    """A Qwen3 model with random weights; the defaults give 0.22 million parameters. Seed torch before you call it."""
    try:
        from transformers import Qwen3Config, Qwen3ForCausalLM
    except ImportError:
        raise MissingExtraError.of("a tiny model", "trl") from None
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=max(32, hidden * 8 // 3),
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        head_dim=hidden // 4,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config)
