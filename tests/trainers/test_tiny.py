"""The tiny local tokenizer and model: what the demos and the trainer tests stand on."""

import pytest

from rewardkit.errors import MissingExtraError
from trainers import tiny

WORDS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "\\boxed{", "user", "assistant", "tool")
CHARACTERS = '0123456789+=,}{":abcdefghijklmnopqrstuvwxyz_ '


@pytest.mark.trainer
def test_text_goes_to_tokens_and_back():
    pytest.importorskip("transformers")
    tokenizer = tiny.tiny_tokenizer(WORDS, CHARACTERS)
    text = "<think>2+4=6</think>\\boxed{6}"
    ids = tokenizer(text)["input_ids"]
    assert len(ids) == 10
    assert tokenizer.decode(ids) == text
    assert tokenizer.unk_token_id in tokenizer("é")["input_ids"]


@pytest.mark.trainer
def test_a_rollout_is_parsed_into_reasoning_text_and_calls():
    pytest.importorskip("transformers", minversion="5.13")
    tokenizer = tiny.tiny_tokenizer(WORDS, CHARACTERS)
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "1+1"}], tokenize=False, add_generation_prompt=True
    )
    text = '<think>1+1</think>sum<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call><|im_end|>'
    message = tokenizer.parse_response(tokenizer(text)["input_ids"], prefix=tokenizer(prompt)["input_ids"])
    assert message["reasoning_content"] == "1+1"
    assert message["content"] == "sum"
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": {"x": 1}}


@pytest.mark.trainer
def test_the_model_has_the_shape_of_qwen3_and_is_small():
    pytest.importorskip("transformers")
    model = tiny.tiny_model(tiny.tiny_tokenizer(WORDS, CHARACTERS))
    assert model.config.model_type == "qwen3"
    assert sum(parameter.numel() for parameter in model.parameters()) < 250_000


def test_without_the_extra_the_install_line_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rewardkit\[trl\]'"):
        tiny.tiny_tokenizer(WORDS, CHARACTERS)
