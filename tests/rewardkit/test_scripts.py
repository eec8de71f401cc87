"""Words of texts with and without blanks."""

from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.scripts import spaced_words


@given(st.text(st.sampled_from("ab é.\n\u3000\t1")))
def test_words_of_scripts_with_blanks_stand_between_them(text):
    assert spaced_words(text) == text.split()


@given(st.text(st.sampled_from("很贵的ひタไ"), min_size=1), st.sampled_from(["", "。", ".", "、《"]))
def test_each_character_of_a_script_without_blanks_is_a_word(text, end):
    assert len(spaced_words(text + end)) == len(spaced_words("".join(f"{char} " for char in text))) == len(text)
    assert len(spaced_words(f"（{text}{end}）{text}")) == 2 * len(text)
    assert "".join(spaced_words(f"{text}{end}ab")) == f"{text}{end}ab".replace(" ", "")


def test_rewards_that_count_words_count_them_in_chinese():
    loop = [Sample(completion="我们来看这个问题。" * 100)]
    assert load("repetition").score(loop)[0].value < -0.9
    assert load("overlong(unit='words', max_tokens=100, buffer=50)").score(loop)[0].value < -1
    thought = [Sample(completion=f"<think>{'我们来看这个问题' * 3}</think>")]
    assert load("section_length(low=20, high=30)").score(thought)[0].value == 1
