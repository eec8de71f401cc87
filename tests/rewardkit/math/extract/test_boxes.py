"""Where the final answer of a completion stands: boxes, tags, thoughts."""

from __future__ import annotations

import pytest

from rewardkit.math import Found, Policy, all_boxed, extract, last_boxed, strip_thinking
from rewardkit.math.extract.extract import joins


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"\boxed{1} then \boxed{2}", "2"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\{1,2\}}", r"\{1,2\}"),
        (r"\boxed{\text{a \} b}}", r"\text{a \} b}"),
        (r"\fbox{7}", "7"),
        (r"\boxed 5 and", "5"),
        (r"\boxed {3}", "3"),
        (r"\boxed{\boxed{4}}", "4"),
        (r"\boxed{1", None),
        ("no box", None),
    ],
)
def test_last_box_is_found_with_balanced_braces(text, content):
    assert last_boxed(text) == content


def test_all_boxes_come_in_order_and_outermost():
    assert all_boxed(r"\boxed{1} \boxed{\fbox{2}} \boxed{3") == ["1", r"\fbox{2}"]


@pytest.mark.parametrize("inside", [r"\boxed{48} (not \boxed{47})", r"\boxed{1}, \boxed{2}", r"5 \boxed{4}", "9"])
@pytest.mark.parametrize("before", ["", r"\boxed{7}. So it is "])
def test_of_nested_boxes_the_outermost_is_the_answer_and_joins_none_inside(inside, before):
    found = extract(rf"{before}\boxed{{{inside}}}")
    assert (found.answer, found.how) == (inside, "box")


@pytest.mark.parametrize("levels", [2, 5, 10, 200])
def test_boxes_that_hold_nothing_but_a_box_are_one(levels):
    assert extract(r"\boxed{" * levels + "4" + "}" * levels).answer == "4"


@pytest.mark.parametrize(
    "between",
    [
        ", ",
        " and ",
        r"$ and $",
        "\n* ",
        "\n2. ",
        r"\) and \(",
        " or ",
        r"\text{ and }",
        ", y = ",
        r" \quad ",
        ",\\ ",
        ";\\ ",
        r"\ \text{and}\ ",
    ],
)
def test_connectors_and_labels_join_boxes(between):
    assert joins(between)
    assert extract(rf"\boxed{{3}}{between}\boxed{{5}}").how == "boxes"


@pytest.mark.parametrize(
    "between",
    [". Wait, it is ", ". So the total is ", "\n\nHence the answer is ", ", but the right value is ", " which gives "],
)
def test_sentences_do_not_join_boxes(between):
    assert not joins(between)
    assert extract(rf"\boxed{{3}}{between}\boxed{{5}}").answer == "5"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a</think>b<think>c</think>d", "d"),
        ("<think>a", ""),
        ("<|begin_of_thought|>x<|end_of_thought|>y", "y"),
        ("<|channel|>analysis<|message|>x<|channel|>final<|message|>y", "y"),
    ],
)
def test_thoughts_are_set_aside(text, rest):
    assert strip_thinking(text) == rest


def test_unfinished_thought_can_be_read_on_request():
    text = r"<think>so \boxed{3}"
    assert extract(text).answer is None
    assert extract(text, Policy(unfinished_thought=True)).answer == "3"


def test_boxed_only_turns_statements_and_tags_off():
    for text in ("The answer is 5.", "<answer>5</answer>", "5", "#### 5"):
        assert extract(text).answer == "5"
        assert extract(text, Policy(boxed_only=True)).status is Found.NO_ANSWER


def test_tag_behind_the_last_box_wins():
    assert extract(r"<reasoning>\boxed{3}</reasoning><answer>5</answer>").answer == "5"
    assert extract(r"<answer>5</answer> \boxed{3}").answer == "3"
    assert extract(r"<answer>\boxed{3}</answer>").answer == "3"


def test_made_up_user_turns_and_end_marks_are_cut_off():
    assert extract("The answer is 5.<|im_end|>").answer == "5"
    assert extract("The answer is 5.<|im_start|>user\nThe answer is 6.").answer == "5"


def test_an_answer_that_is_too_long_is_malformed():
    assert extract("\\boxed{" + "1" * 5000 + "}").status is Found.MALFORMED


@pytest.mark.parametrize(
    "text",
    [
        r"$\boxed{41}$, no: \boxed{47}",
        r"It is not \boxed{47}, I fear.",
        r"\boxed{47}. But the book says 48.",
        r"Either 3 or \boxed{47}.",
    ],
)
def test_words_around_a_box_neither_revoke_nor_change_it(text):
    assert extract(text).answer == "47"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (r"(a) It is \boxed{3} since 3 > 2. (b) Then \boxed{5}.", ("3", "5")),
        ("**(a)** First $\\boxed{3}$.\n\n**(b)** We get $\\boxed{7}$, no, $\\boxed{5}$.", ("3", "5")),
        (r"(a) \boxed{3} (b) no box", ()),
        (r"(b) \boxed{3} (c) \boxed{5}", ()),
        (r"\boxed{3}", ()),
    ],
)
def test_each_labelled_part_has_the_last_box_behind_its_label(text, parts):
    assert extract(text).parts == parts


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is **B**: the reaction is exothermic.", "B"),
        ("<|begin_of_box|>12<|end_of_box|>", "12"),
        ("答案是 12。", "12"),
        ("La respuesta es 12.", "12"),
        ("La réponse est 12.", "12"),
        ("Die Antwort lautet 12.", "12"),
        ("Ответ: 12", "12"),
        ("答えは12。", "12"),
    ],
)
def test_markers_of_several_languages_state_an_answer(text, answer):
    assert extract(text).answer == answer
