"""What the model wrote is told from what it was asked, in a text of both."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardkit.rollouts import generated_part

PIECES = ["a", "b", " ", "\n", "e\u0301", "\u00e9", "\\boxed{2}", "<|im_start|>", "<|im_end|>", "?", " ?"]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
ANSWERS = texts.map(lambda text: f"({text})")
"""Between brackets, so that no blank, accent or special token stands at an end."""
ENDS = st.sampled_from([":", ":\n", ": ", ":\n\n", ":\n "])
PROMPTS = st.builds("Q{}{}".format, texts, ENDS)


@given(
    PROMPTS,
    ANSWERS,
    st.sampled_from(["", "<s>", "<|begin_of_text|>", "<\uff5cbegin\u2581of\u2581sentence\uff5c>", " "]),
)
def test_a_tokenizer_may_change_how_the_prompt_is_written(prompt: str, answer: str, start: str) -> None:
    blanks = prompt.replace(" ?", "?").replace("\n", " ")
    images = prompt.replace("<|im_start|>", "<|im_start|>" * 3).replace("b", "<image>b")
    for decoded in (prompt, blanks, images, unicodedata.normalize("NFC", prompt), unicodedata.normalize("NFD", prompt)):
        found = generated_part(f"{start}{decoded}{answer}", prompt)
        assert found is not None
        assert unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", answer)


@given(PROMPTS, ANSWERS, st.integers(1, 20))
@example("Q: \\boxed{2}:", "(no idea)", 3)
def test_no_word_of_a_prompt_that_was_cut_is_the_models(prompt: str, answer: str, cut: int) -> None:
    assert generated_part(prompt[cut:] + answer, prompt) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a", "a"),
        ("a<|im_end|>", "a"),
        ("a<|im_end|>\n<|endoftext|>", "a"),
        ("a</s>", "a"),
        ("a<\uff5cend\u2581of\u2581sentence\uff5c>", "a"),
        ("a <|im_end|> b", "a <|im_end|> b"),
        ("2<eos>2<eos>", "2<eos>2"),
        ("a \n", "a \n"),
        ("<|im_end|>", ""),
        ("", ""),
    ],
)
@pytest.mark.parametrize("prompt", [None, "", "Q", "\n"])
def test_special_tokens_at_the_end_are_left_out(text: str, answer: str, prompt: str | None) -> None:
    assert generated_part((prompt or "") + text, prompt) == answer


@pytest.mark.parametrize("end", ["<|endoftext|>", " ", " <|", "</s> ", "<|a|"])
def test_a_million_characters_take_no_time(end: str) -> None:
    text = "Qyes" + end * (1_000_000 // len(end)) + "x"
    assert generated_part(text, "Q") == text[1:]
    assert generated_part(text, "Z") is None
