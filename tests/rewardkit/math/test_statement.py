from __future__ import annotations

import pytest

from rewardkit.math.statement import last_formula, stated_answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is 42.", "42"),
        ("the final answer is: $42$", "$42$"),
        ("**Answer:** 42", "42"),
        ("Answer: **42**", "42"),
        ("ANSWER: B", "B"),
        ("Final Answer:\n\\[\nx = 3\n\\]", "\\[\nx = 3\n\\]"),
        ("## Answer\n\n7 apples", "7 apples"),
        ("A: 18", "18"),
        ("so\n#### 1,234", "1,234"),
        ("The answer to the question is 7, because 3 + 4 = 7.", "7"),
        ("Final Answer: The volume of $ABC$ is 120. I hope it is correct.", "120"),
        ("First the answer is 3. Finally, the answer is 4.", "4"),
        ("We are done. Therefore, the value of n is 3.", "3"),
        ("Hence the sum equals $\\frac{1}{2}$.", "$\\frac{1}{2}$"),
        ("So the ratio is indeed 150/200, which simplifies to 3/4.\n\nI think that's the answer.", "3/4"),
        ("The angle is then 45 degrees.\n\nI think that's the answer.", "45 degrees"),
        ("I'm confident that 1940 is the correct number.", "1940"),
        ("This gives a total of **12**.", "12"),
        ("42", "42"),
        ("Paris", "Paris"),
    ],
)
def test_statement_is_found(text, answer):
    found = stated_answer(text)
    assert found is not None
    assert found[0] in {answer, answer.split()[0]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We get 42 apples and go on.",
        "I do not know",
        "The answer options are many.",
        "Then 6 * 7 = 42, and next we must",
        "What is the answer?",
    ],
)
def test_nothing_is_stated(text):
    assert stated_answer(text) is None


def test_statement_far_back_is_not_final_where_the_text_breaks_off():
    far = "The answer is 3. " + "Let me check it once more with care, step by step " * 20
    assert stated_answer(far + "and so") is None
    assert stated_answer("The answer is 3. Let me check and") == ("3", "statement")


def test_last_formula_is_for_the_lenient_mode():
    assert last_formula("we see $x+1$ here") == "x+1"
    assert last_formula("first $2$, in all 1,000.99m²") == "1,000.99"
    assert last_formula("nothing") is None
