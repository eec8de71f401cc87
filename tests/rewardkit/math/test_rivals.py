from __future__ import annotations

import pytest

from rewardkit.math import judge

OFFERS = r"""
Answer: 12. Or maybe 15.
Answer: 12. Alternatively, 15.
Answer: 12. No, 15.
Answer: 12 ... wait ... 15
Answer: 12... no, 15.
Answer: 12\nCorrection: the value is 15
Answer: 12\nHowever, if we include zero it is 15.
Answer: 12. But 15 is also possible.
Answer: 12, although 15 works too
Answer: 12. If we count both, 15.
Answer: 12. Another answer is 15.
Answer: 12. The answer might be 15.
Answer: 12. (Or 15.)
Answer: $12$. Hmm, $15$?
Answer: 12\nTherefore it is 15.
The answer is 12. That's wrong; it is 15.
The answer is 12. Let me double check. It is 15.
The answer is 12, depending on the reading it could be 15.
#### 12\nor 15
""".strip().splitlines()


@pytest.mark.parametrize("text", OFFERS)
@pytest.mark.parametrize("gold", ["12", "15"])
def test_a_statement_with_another_value_behind_it_is_neither_of_them(text, gold):
    assert not judge(text.replace("\\n", "\n"), gold).equal


@pytest.mark.parametrize(
    "text",
    [
        "Answer: 12. Or, in other words, a dozen.",
        "Answer: 12. Let me double check: 3 * 4 = 12.",
        "Answer: 12. Or approximately 12.0.",
        "The answer is 12. However many times we try, it works.",
        "The answer is 12. If we plug in x = 3, both sides agree.",
        "The answer is 12...",
        "Answer: 24/2. Or 12.",
    ],
)
def test_a_check_or_another_spelling_behind_a_statement_leaves_it(text):
    assert judge(text, "12").equal


@pytest.mark.parametrize("text", ["The answer is 12, which is wrong.", "The answer is 12. This is not right."])
def test_a_statement_that_is_denied_states_nothing(text):
    assert not judge(text, "12").equal


def test_a_value_put_in_the_place_of_another_is_the_answer():
    assert judge("Answer: 12. Actually, 15.", "15").equal


def test_values_on_more_lines_than_are_read_are_no_answer():
    assert judge("The answer is:\n" + "\n".join(map(str, range(20))), ",".join(map(str, range(20)))).equal
    assert not judge("The answer is 3\n" + "3\n" * 60 + "4", "3").equal
