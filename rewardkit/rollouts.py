"""What trainers say of a rollout, as the fields of a `Sample`: the same ones in the trainer's process and over HTTP."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
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
_UNIT = re.compile(r"<[^\s<>]{1,42}>|\S")
"""What a prompt is compared by: special tokens and single characters."""


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
        "completion_tokens": token_count(facts.get("completion_tokens")),
        "extra_info": facts,
    }


def slime_fields(response: str, prompt: Any, label: Any, metadata: Any, length: int | None = None) -> dict[str, Any]:
    """The fields of slime's `Sample`. Its metadata are `extra_info`, and may name the data source. A text with a length of 0 was not counted."""
    facts: dict[str, Any] = dict(cast("Mapping[str, Any]", metadata)) if isinstance(metadata, Mapping) else {}
    return {
        "completion": response,
        "prompt": prompt,
        "ground_truth": label,
        "data_source": source_of(facts),
        "completion_tokens": length or (None if response else 0),
        "extra_info": facts,
    }


def source_of(facts: Mapping[str, Any]) -> str | None:
    """The data source that facts beside a rollout name, by text or by number."""
    try:
        return coerce.text_or_number("data_source", facts.get("data_source"))
    except UsageError:
        return None


def token_count(value: Any) -> int | None:
    """A number of tokens; None for what is none."""
    try:
        return coerce.count("completion_tokens", value)
    except UsageError:
        return None


def generated_part(text: str, prompt: str | None) -> str | None:
    """The model's part of a text of prompt and answer, decoded with special tokens; None if the text does not begin with its prompt.

    Tokenizers change blanks and the Unicode form (to NFC) of a prompt, and put tokens before it and into it (for a start, for images):
    these differences are ignored. Special tokens at the end are left out. Without a prompt the whole text is the model's.

    >>> generated_part("<s>1 + 1 =2<|im_end|>", "1 + 1 = ")
    '2'
    """
    if prompt and text.startswith(prompt):
        text = text[len(prompt) :]
    elif prompt:
        text = unicodedata.normalize("NFC", text)
        answer = _prompt_end(text, unicodedata.normalize("NFC", prompt))
        if answer is None:
            return None
        text = text[answer:]
    end = len(text)
    while (start := _last_special(text, end)) is not None:
        end = start
    return text[:end]


def _prompt_end(text: str, prompt: str) -> int | None:
    """Where the prompt ends in a text that begins with it, blanks and inserted tokens ignored; None if the text does not.

    So many blanks after it as the prompt ends with are the prompt's.
    """
    wanted = deque(_UNIT.findall(prompt))
    end = 0
    for unit in _UNIT.finditer(text):
        if not wanted:
            break
        if unit[0] == wanted[0]:
            wanted.popleft()
            end = unit.end()
        elif len(unit[0]) == 1:
            return None
    if wanted:
        return None
    trailing = text[end : end + len(prompt) - len(prompt.rstrip())]
    return end + len(trailing) - len(trailing.lstrip())


def _last_special(text: str, end: int) -> int | None:
    """Where the special token starts that the first `end` characters close with, blanks aside; None if there is none."""
    while end and text[end - 1].isspace():
        end -= 1
    start = max(0, end - LONGEST_SPECIAL)
    matches = [match for match in _SPECIAL.finditer(text[start:end]) if start + match.end() == end]
    return start + matches[-1].start() if matches else None
