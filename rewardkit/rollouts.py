"""What trainers say of a rollout, as the fields of a `Sample`: the same ones in the trainer's process and over HTTP."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

from rewardkit import coerce
from rewardkit.errors import UsageError

LONGEST_SPECIAL = 44
"""Characters of the longest special token that is known."""
NO_PROMPT = "the text does not begin with its prompt, which was cut or changed, so the model's part cannot be told"
"""Why a text without its prompt is unjudged."""
_SPECIAL = re.compile(r"<[|\uff5c][^\s<>|\uff5c]{1,40}[|\uff5c]>|</s>|<pad>|<eos>|<end_of_turn>")
"""Tokens that end a turn or pad it, in the templates of Qwen, Llama, Mistral, Gemma, DeepSeek and their kin."""


def verl_fields(
    solution_str: str, data_source: Any, ground_truth: Any, extra_info: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The arguments of verl's `compute_score`. Facts in `extra_info` that are None count as absent.

    Rollouts of one row are a group: the row is known by its data source, split and `index`.
    """
    facts = {name: value for name, value in (extra_info or {}).items() if value is not None}
    return {
        "completion": solution_str,
        "ground_truth": ground_truth,
        "data_source": None if data_source is None else str(data_source),
        "group": f"{data_source}/{facts.get('split')}/{facts['index']}" if "index" in facts else None,
        "completion_tokens": _count(facts.get("completion_tokens")),
        "extra_info": facts,
    }


def slime_fields(response: str, prompt: Any, label: Any, metadata: Any) -> dict[str, Any]:
    """The fields of slime's `Sample`. Its metadata are `extra_info`, and may name the data source."""
    facts: dict[str, Any] = dict(cast("Mapping[str, Any]", metadata)) if isinstance(metadata, Mapping) else {}
    source = facts.get("data_source")
    return {
        "completion": response,
        "prompt": prompt,
        "ground_truth": label,
        "data_source": source if isinstance(source, (str, int)) and not isinstance(source, bool) else None,
        "extra_info": facts,
    }


def _count(value: Any) -> int | None:
    try:
        return coerce.count("completion_tokens", value)
    except UsageError:
        return None


def generated_part(text: str, prompt: str | None) -> str | None:
    """The model's part of a text of prompt and answer, decoded with special tokens; None if the text does not begin with its prompt.

    A tokenizer may put a start token before a prompt, and change its blanks and its Unicode form (to NFC). Special tokens at the
    end are left out. Without a prompt the whole text is the model's.

    >>> generated_part("<s>1 + 1 =2<|im_end|>", "1 + 1 = ")
    '2'
    """
    if prompt and not text.startswith(prompt):
        text = unicodedata.normalize("NFC", text)
        wanted = "".join(unicodedata.normalize("NFC", prompt).split())
        places = [place for place, character in enumerate(text) if not character.isspace()]
        found = "".join(text.split()).find(wanted, 0, len(wanted) + LONGEST_SPECIAL)
        if found < 0:
            return None
        text = text[places[found + len(wanted) - 1] + 1 :] if wanted else text
    elif prompt:
        text = text[len(prompt) :]
    end = len(text)
    while (start := _last_special(text, end)) is not None:
        end = start
    return text[:end]


def _last_special(text: str, end: int) -> int | None:
    """Where the special token starts that the first `end` characters close with, blanks aside; None if there is none."""
    while end and text[end - 1].isspace():
        end -= 1
    start = max(0, end - LONGEST_SPECIAL)
    matches = [match for match in _SPECIAL.finditer(text[start:end]) if start + match.end() == end]
    return start + matches[-1].start() if matches else None
