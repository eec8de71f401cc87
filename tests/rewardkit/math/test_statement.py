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
        ("Ans. 31", "31"),
        ("[Answer] 31", "31"),
        ("Two lines meet.\n**Answer.** 31", "31"),
        ("The answer is 14 km, as claimed.", "14 km"),
        ("Therefore $2a = 5 + 9 = 14$. QED", "$2a = 5 + 9 = 14$"),
        ("Hence the sum is $14$. $\\blacksquare$", "$14$"),
        ("It has two signs.\n\n**Solution set:** $x\\in[0,3)$", "$x\\in[0,3)$"),
        ("**Solution:** $x = 3$", "$x = 3$"),
        ("The roots are $x = -2$ and $x = 9$.", "$x = -2$ and $x = 9$"),
        ("Thus the largest value is 25, attained at $t=4$.", "25"),
        ("**Final Answer**\n\n- $x=-2$\n- $x=9$", "$x=-2$ , $x=9$"),
        ("<p>The answer is <b>31</b>.</p>", "31"),
        ("Answer: 31<br>", "31"),
        ("\\textbf{Answer: } $-\\frac16$", "$-\\frac16$"),
        ("So the largest value is **9/2**.\n\n---\n\n*Note: it is taken at x = 2.*", "9/2"),
        ("The right choice is **C**.", "C"),
        ("Only one remains. D is the correct answer.", "D"),
        ("Final answer:\n* x = -2\n* x = 9", "x = -2 , x = 9"),
        ("**Answers:** 6\n13", "6 , 13"),
        ("**Final Answer**\n$$t=1$$\n$$t=4$$", "$$t=1$$ , $$t=4$$"),
        ("**Final Answer**\n$t=1$ and\n$t=4$", "$t=1$ , $t=4$"),
        ("The answer is:\n\n(a) 6\n(b) 13", "(a) 6 , (b) 13"),
        ("Answer: 6\n\nor 13", "6 \\text{ or } 13"),
        ("The answer is 6.\n\nAlternatively, 13.", "6 \\text{ or } 13"),
        ("The answer is $6$.\n\n$6$", "$6$"),
        ("I think that the answer is 6.", "6"),
        ("31 is the answer.", "31"),
        ("The answer is 31. No wait, it is 13.", "13"),
        ("The answer is 31. Actually, 13.", "13"),
        ("**Final Answer**\n\n$y+1$\n\nor\n\n13", "$y+1$ \\text{ or } 13"),
        ("Answer: yes\nno", "yes , no"),
        ("The answer is far from $31$.", "far from $31$"),
        ("So $y^2$ is our final answer.", "$y^2$"),
        ("I get 0.5 as the answer.", "0.5"),
        ("The answer to this question is 31.", "31"),
        ("The answer is 31, exactly.", "31"),
        ("The answer is 31 (exact).", "31"),
        ("So the final answer is $y^2$!", "$y^2$"),
        ("We add.\n\nAns = 31", "31"),
        ("We add.\n\nConclusion: 31", "31"),
        ("Answer - 31", "31"),
        ("The requested sum is 31.", "31"),
        ("So we have 31 in total.", "31"),
        ("We add 3 and 28.\n\n∴ 31", "31"),
        ("We add 3 and 28.\n\n$\\therefore 31$", "31"),
        ("Hence B.", "B"),
        ("Therefore, we get (B).", "B"),
        ("**Final Answer**\n\n-31", "-31"),
        ("So, finally, 31 m.", "31 m"),
        ("So she pays 31 dollars for it.", "31 dollars"),
        ("Therefore, the product is __31__.", "31"),
        ("The equation has two solutions: $y=3$ and $y=8$.", "$y=3$ and $y=8$"),
        ("Answer: 31 (thirty-one)", "31"),
        ("Answer: 31 (thirty-two)", "31 (thirty-two)"),
        ("The answer is the square root of $y+1$.", "the square root of $y+1$"),
        ("The answer is 6 plus the number of edges.", "6 plus the number of edges"),
        ("**Therefore, $y = -6$.**", "$y = -6$"),
        ("Hence the slope equals:\n\n$$\\frac79$$", "$$\\frac79$$"),
        ("Answer:\n\n1. Add the numbers: 24.\n2. Divide by three: 8.\n\nSo the mean is 8.", "8"),
        ("So $x_1 = 1$ and $x_2 = 5$.", "$x_1 = 1$ and $x_2 = 5$"),
        ("So the winner is Sofia.", "Sofia"),
        ("There is no solution.", "no solution"),
        ("No, it is not possible, because the sum would be odd.", "No"),
        ("因此，$x=5$。", "$x=5$"),
    ],
)
def test_statement_is_found(text, answer):
    found = stated_answer(text)
    assert found is not None
    assert found[0] == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We get 42 apples and go on.",
        "I do not know",
        "The answer options are many.",
        "Then 6 * 7 = 42, and next we must",
        "What is the answer?",
        "If D is the correct answer, we are done.",
        "D is not the correct answer.",
        "A pupil claims the answer is 6. This is wrong.",
        "It is tempting to say the answer is 6.",
        "So I.",
        "Answer: 31?",
        "Maybe the answer is 31.",
        "Assume the answer is 31.",
        "We want to show that the answer is 31.",
        "It remains to prove that the answer is 31.",
        "Someone said the answer is 31.",
        "The naive answer is 31, and so on.",
        "Thus $x = 3$ when $y = 4$.",
        "6 is the answer to another question.",
        "One might think that the answer is 6.",
        "Hence it suffices to consider 6 of them.",
        "D is the correct answer to another question? No.",
        "**Solution:** We add the sides.\n\nThen there are 5 steps to go",
        "- $x=1$\n- $x=2$\n\nare the cases to look at next",
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
