"""Where a statement stands, and formulas for the lenient mode; the sentences stand in tests/cases/math/statements.txt."""

from __future__ import annotations

from rewardkit.math.extract.statement import last_formula, stated_answer


def test_statement_far_back_is_not_final_where_the_text_breaks_off():
    far = "The answer is 3. " + "Let me check it once more with care, step by step " * 20
    assert stated_answer(far + "and so") is None
    assert stated_answer("The answer is 3. Let me check and") == ("3", "statement")


def test_last_formula_is_for_the_lenient_mode():
    assert last_formula("we see $x+1$ here") == "x+1"
    assert last_formula("first $2$, in all 1,000.99m²") == "1,000.99"
    assert last_formula("nothing") is None
