"""Where a statement stands, and formulas for the lenient mode; the sentences stand in tests/cases/math/statements.txt."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.math import judge
from rewardkit.math.extract import cues, statement
from rewardkit.math.extract.statement import last_formula, stated_answer

LANGUAGES = {
    "English": ("Answer", "Final Answer", "The answer is", "The answer is therefore", "The intermediate answer is"),
    "Chinese": ("答案", "最终答案", "所以答案是", "答案就是", "中间答案是"),
    "Japanese": ("答え", "最終的な答え", "答えは", "答えは、", "途中の答えは"),
    "Japanese, another noun": ("正解", "最終正解", "正解は", "正解は、", "間違った正解は"),
    "Korean": ("정답", "최종 답", "답은", "답은 따라서", "중간 답은"),
    "Russian": ("Ответ", "Окончательный ответ", "Ответ равен", "Ответ равен, следовательно,", "Промежуточный ответ:"),
    "Spanish": (
        "Respuesta",
        "Respuesta final",
        "La respuesta es",
        "La respuesta es entonces",
        "La primera respuesta es",
    ),
    "Portuguese": ("Resposta", "Resposta final", "A resposta é", "A resposta é portanto", "A primeira resposta é"),
    "Italian": ("Risposta", "Risposta finale", "La risposta è", "La risposta è quindi", "La prima risposta è"),
    "French": ("Réponse", "Réponse finale", "La réponse est", "La réponse finale est donc", "La première réponse est"),
    "French, bare": ("Reponse", "Reponse finale", "La reponse est", "La reponse est donc", "La mauvaise reponse est"),
    "German": (
        "Antwort",
        "Endgültige Antwort",
        "Die Antwort ist",
        "Die Antwort lautet also",
        "Die Zwischenantwort ist",
    ),
    "Chinese, an option": ("正确选项", "最终正确选项", "正确选项为", "正确选项就是", "如果正确选项是"),
}
"""Language: a label, the label of the final answer, two sentences, and a sentence that states something else."""

LABELS = ("{}: {v}", "{}：{v}", "{}:\n{v}", "**{}**: {v}", "**{}**：{v}", "**{}:** {v}", "**{}: {v}**", "**{}**\n\n{v}", "### {}\n\n{v}", "## {}: {v}", "{}. {v}",
          "[{}] {v}", "{} - {v}", "{} = {v}", "\\textbf{{{}:}} {v}")  # fmt: skip
SENTENCES = ("{} {v}.", "{}: {v}", "{} **{v}**.", "{}\n\\[ {v} \\]")


def verdicts(language: str, value: str) -> list[bool]:
    """Of each layout, below other values that are stated or not."""
    label, final, states, concludes, _ = LANGUAGES[language]
    stated = [layout.format(one, v=value) for one in (label, final) for layout in LABELS]
    if value == "12":
        stated += [layout.format(one, v=value) for one in (states, concludes) for layout in SENTENCES]
    works = ("9 - 6 = 3.", f"{label}: 3", f"{states} 3.")
    return [judge(f"{work}\n\n{text}", "12").equal for work in works for text in stated]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("value", ["12", "$12$", "\\(12\\)"])
def test_an_answer_is_stated_in_every_language_as_in_english(language, value):
    english = verdicts("English", value)
    assert all(map(operator.ge, verdicts(language, value), english))
    assert all(english[: len(english) // 3])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_another_value_is_no_statement_in_any_language(language):
    *_, states, _, other = LANGUAGES[language]
    assert judge(f"{states} 12.\n\n{other} 3.", "12").equal
    assert not judge(f"We begin. {other} 3. Then we go on.", "3").equal


def test_every_noun_of_the_table_is_tested():
    nouns = {noun for language in cues.LANGUAGES for noun in language.nouns}
    assert {noun for noun in nouns if any(noun in one[0].lower() for one in LANGUAGES.values())} == nouns


def test_statement_far_back_is_not_final_where_the_text_breaks_off():
    far = "The answer is 3. " + "Let me check it once more with care, step by step " * 20
    assert stated_answer(far + "and so") is None
    assert stated_answer("The answer is 3. Let me check and") == ("3", "statement")


def test_last_formula_is_for_the_lenient_mode():
    assert last_formula("we see $x+1$ here") == "x+1"
    assert last_formula("first $2$, in all 1,000.99m²") == "1,000.99"
    assert last_formula("nothing") is None


@pytest.mark.parametrize(
    "text",
    ["The answer is option C.", "答案是选项C。", "答えは選択肢 C", "답은 선택지 C", "Ответ: вариант C.", "La respuesta es la opción C.", "A resposta é a alternativa C.",
     "La risposta è l'opzione C.", "La réponse est l'option C.", "Die Antwort ist Option C."],
)  # fmt: skip
def test_an_option_is_the_answer_in_every_language(text):
    assert judge(f"We compare.\n\n{text}", "C").equal
    assert not judge(f"We compare.\n\n{text}", "B").equal


def test_asking_whether_an_answer_is_right_states_none():
    assert judge("答案是 12。让我们检查答案是否正确。", "12").equal
    assert judge("Die Antwort ist 12. Wir prüfen, ob die Antwort richtig ist.", "12").equal


@pytest.mark.parametrize("value", ["3", "$3$", "3 bolts", "x", r"\frac{1}{2}"])
@pytest.mark.parametrize("text", ["2 + 1 = {}", "x = {}", "Total: {}", "Answer: x = {}", "The answer is x = {}.", "{}"])
def test_a_value_in_bold_is_the_value(text, value):
    plain, bold = text.format(value), text.format(f"**{value}**")
    for gold in ("3", "x", "1/2"):
        assert judge(bold, gold).equal >= judge(plain, gold).equal
    assert not judge(bold, "4").equal


@pytest.mark.parametrize("power", ["2**3", "2 ** 3", "2**3 + 0**2", "x**2 + y**2"])
def test_stars_between_two_terms_are_a_power(power):
    assert judge(f"Answer: {power}", power.replace("**", "^")).equal


@pytest.mark.parametrize(
    "text", ["答案选C", "答案选（C）。", "正确选项为C", "选C。", "应选C", "故选：C", "正确答案是选项C", "**答案**：C"]
)
def test_an_option_is_chosen_in_chinese(text):
    for before in ("", "共有 3 个选项。\n\n"):
        assert judge(before + text, "C").equal
        assert not judge(before + text, "B").equal


@pytest.mark.parametrize(
    "value",
    [
        r"\sqrt{2}",
        "x^{3}",
        r"\pi/4",
        "3x+5",
        "(3,4)",
        r"\frac{1}{2}",
        "3:4",
        "B",
        "Yes",
        "x=5",
        "5 - 2i",
        "[1,2)",
        r"2\sqrt{3}",
    ],
)
@pytest.mark.parametrize("text", ["{} is the answer.", "Thus {} is the answer.", "So {} is our final answer!"])
def test_a_value_in_front_of_the_answer_is_read_whole(value, text):
    assert stated_answer("We work on it and check.\n\n" + text.format(value)) == (value, "statement")


EARLY = (
    "答案是一个整数。",
    "一开始我猜答案是3。",
    "答案是3？不对。",
    "首先，答案是什么？",
    "Die Antwort ist ungerade.",
    "Die Antwort ist 3? Nein.",
)
FINAL = ("结果是{}。", "所以 {}", "故选：{}", "因此选{}。", "Lösung: {}", "Die Lösung ist {}.")


@pytest.mark.parametrize("early", EARLY)
@pytest.mark.parametrize("final", FINAL)
def test_the_later_statement_is_taken(early, final):
    chosen = "选" in final
    text = final.format("B" if chosen else "12")
    for between in (" ", "\n\n", "我们再检查每一步。" * 60 + "\n", "Wir rechnen weiter. " * 30 + "\n"):
        assert judge(early + between + text, "B" if chosen else "12").equal


@pytest.mark.parametrize(
    "text",
    ["阴影部分面积的答案是12。", "两部分相加后最终答案是12。", "根据之前的计算可得答案是12。", "中间的数的答案是12。", "修正错误后答案是12。",
     "由于3不是质数故答案为12。", "若x=3则答案是12。", "다른 경우는 없으므로 답은 12", "他の部分を足して、答えは12", "部分積分すると答えは12",
     "Wenn man dies einsetzt, ist alles erfüllt und die Antwort ist 12.", "Si on additionne tout on trouve 12 donc la réponse est 12.",
     "Comme il n'y a pas d'autre solution la réponse est 12.", "Como no hay más casos la respuesta es 12.",
     "Si sumamos todo obtenemos 12, por lo que la respuesta es 12.", "Como não há outros casos a resposta é 12.",
     "Se sommiamo tutto otteniamo 12, quindi la risposta è 12.", "Так как x не равен нулю ответ: 12"],
)  # fmt: skip
def test_words_that_deny_a_statement_stand_right_before_it(text):
    found = stated_answer(text + " 我们完成。")
    assert found is not None
    assert found[0].startswith("12")


@pytest.mark.parametrize(
    "text",
    ["Die Antwort ist {}.", "La respuesta es {}.", "A resposta é {}.", "La risposta è {}.", "La réponse est {}."],
)
def test_a_denied_value_is_not_the_answer(text):
    denies = {"Die": "nicht", "A": "não", "La risposta": "non", "La réponse": "pas"}
    word = next((word for start, word in denies.items() if text.startswith(start)), "no")
    assert judge(f"{text.format(12)} {text.format(word + ' 13')}", "12").equal


@pytest.mark.parametrize(
    "text",
    [
        "答案是正确的。",
        "所以答案是对的。",
        "Diese Antwort ist korrekt.",
        "Cette réponse est correcte.",
        "Esta respuesta es correcta.",
        "This answer is correct.",
    ],
)
def test_what_is_said_of_an_answer_is_not_the_answer(text):
    assert judge(f"The answer is 12. {text}", "12").equal
    assert judge(f"答案是 12。 {text}", "12").equal


def test_a_heading_is_looked_for_near_its_noun(monkeypatch):
    looked: list[int] = []

    class Heading:
        def match(self, text: str, start: int) -> None:
            looked.append(text.index("answer", start) - start)

    monkeypatch.setattr(statement, "_HEADING", Heading())
    stated_answer("x\n" + " " * 10_000 + "answer " * 60 + "end")
    assert looked
    assert max(looked) <= 40


@given(st.integers(1, 99), st.integers(1, 99), st.sampled_from("+-*"), st.sampled_from(["", "$"]))
@pytest.mark.parametrize("end", [".", " pears.", " pears in the basket.", " pears a week", ""])
def test_a_calculation_states_what_is_behind_its_equals_sign(end, one, other, sign, unit):
    value = {"+": one + other, "-": one - other, "*": one * other}[sign]
    for start in ("Therefore, there are", "So in total she has", "Thus, the number of pears is"):
        for blank in ("", " "):
            said = f"{start} {one}{blank}{sign}{blank}{other}{blank}={blank}{unit}{value}{end}"
            assert judge(said, value).equal, said
            assert not judge(said, value + 1).equal, said
            if value != one and end:
                assert not judge(said, one).equal, said
