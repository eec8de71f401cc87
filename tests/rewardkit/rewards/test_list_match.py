"""What separates the items of a list, and what belongs to one of them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.rewards.list_match import MAX_ITEMS

NAMES = [
    "Mercury (Hg)",
    "f(x)",
    "(1, 2)",
    "D.C.",
    ".5",
    "O’Brien",
    "−3",
    "Cuba",
    "Trinidad and Tobago",
    "10:30",
    "Smith John",
    "https://a.com",
    "Bosnia and Herzegovina",
    "1",
    "2.5",
]
FRAMES = ("{}", "Well.\n\nThe answer: {}", "**Answer:** {}", "<answer>{}</answer>", r"so \boxed{{{}}}")


def value(text, truth, reward="list_match"):
    (score,) = load(reward).score([Sample(completion=text, ground_truth=truth)])
    return score.value


@settings(max_examples=500)
@given(
    frame=st.sampled_from(FRAMES),
    joined=st.sampled_from([", ", ",", "; ", ", and ", "; and "]),
    items=st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True),
    ordered=st.booleans(),
)
def test_a_list_is_read_whatever_its_items_hold(frame, joined, items, ordered):
    text = f"{joined.removesuffix('and ').rstrip()} ".join(items[:-1]) + joined + items[-1]
    assert value(frame.format(text), items, f"list_match(ordered={ordered}, partial=False)") == 1


@given(frame=st.sampled_from(FRAMES), items=st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
def test_a_last_and_separates_only_where_it_should(frame, items):
    text = " and ".join(filter(None, (", ".join(items[:-1]), items[-1])))
    assert value(frame.format(text), items) == 1


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "<answer>{}</answer>",
        "<answer>\n{}\n</answer>",
        "So:\n```json\n{}\n```\nThat is all.",
        "So: {}",
        "So:\n{}",
        "So:\n{}.",
        "The names are {}.",
        "names = {}",
        "<answer>The names are {}</answer>",
        "{}\n\nThese are the names.",
        "**Answer:** {}\n\nLet me know if you need more.",
        "So the final list is `{}`.",
        "${}$",
        "Output:{}",
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_list_is_read_wherever_it_stands(form, indent):
    for items in (["Smith, John", "Doe; Jane", "A and B", "x: y"], [2, 3, 5], ["Rome [1]"], [5]):
        assert value(form.format(json.dumps(items, indent=indent)), items, "list_match(partial=False)") == 1


@pytest.mark.parametrize("cited", ["", " [1]", "[1]", " [1][2]", " [12]."])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_source_behind_the_list_is_none_of_its_items(cited, frame):
    assert value(frame.format(f"Paris, Rome{cited}"), ["Paris", "Rome"]) == 1
    assert value(frame.format(f"Paris, Rome{cited}"), [1]) == 0


@settings(max_examples=300)
@given(
    frame=st.sampled_from(FRAMES),
    joined=st.sampled_from([", ", "; ", ", and "]),
    pairs=st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True), min_size=1, max_size=3),
    ordered=st.booleans(),
)
def test_and_separates_wherever_it_should(frame, joined, pairs, ordered):
    text = joined.join(" and ".join(pair) for pair in pairs)
    reward = f"list_match(ordered={ordered})"
    if all(len(pair) == 1 or not any(" and " in name for name in pair) for pair in pairs):
        assert value(frame.format(text), [name for pair in pairs for name in pair], reward) == 1
    assert value(frame.format(text), [" and ".join(pair) for pair in pairs], reward) == 1


@pytest.mark.parametrize(("text", "truth"), [
    ("<answer>Smith, John\nDoe, Jane</answer>", ["Smith, John", "Doe, Jane"]),
    ("<answer>Paris,\nRome,\nBerlin</answer>", ["Paris", "Rome", "Berlin"]),
    ("<answer>Smith, John; Doe, Jane</answer>", "Smith, John; Doe, Jane"),
    ("Paris and Rome and Berlin", ["Paris", "Rome", "Berlin"]),
    (r"\boxed{\{1, 2, 3\}}", "3, 2, 1"),
    ("<answer>1,000, 25,000</answer>", [1000, 25000]),
    ("The totals are: 1,000, 25,000 and 7", [1000, 25000, 7]),
    ("<answer>1,000,25,000</answer>", [1, 0, 25, 0]),
    ("<answer>Washington, D.C.</answer>", ["Washington, D.C."]),
    ("<answer>Washington, D.C.</answer>", "Washington, D.C."),
    ("<answer>(1,2), (3,4)</answer>", ["(1,2)", "(3,4)"]),
    (r"\boxed{(1, 2), (3, 4)}", "(1,2), (3,4)"),
    (r"\boxed{(1, 2), (3, 4)}", ["(1,2)", "(3,4)"]),
    (r"\boxed{2, \sqrt{3}}", ["2", "\\sqrt{3}"]),
    (r"\boxed{\frac{1}{2}, \frac{1}{3}}", [r"\frac{1}{2}", r"\frac{1}{3}"]),
    (r"\boxed{\text{Paris, Rome}}", ["Paris", "Rome"]),
    ("<answer>(Paris, Rome)</answer>", ["Paris", "Rome"]),
    ("<answer>O'Brien, −3</answer>", ["O’Brien", -3]),
    ("<answer>caf\u0065\u0301, a</answer>", ["café", "a"]),
    ("<answer>red, green\nblue</answer>", ["red", "green", "blue"]),
    ("New York, London; Paris and Rome", ["New York", "London", "Paris", "Rome"]),
])  # fmt: skip
def test_commas_separate_only_where_nothing_stronger_does(text, truth):
    assert value(text, truth, "list_match(partial=False)") == 1


def test_a_set_with_words_in_front_of_it_is_paid_for_what_is_told_apart():
    assert value(r"So S = \{a, b, c\}.", ["a", "b", "c"]) == pytest.approx(2 / 3)


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "a, b, c",
        "a and b, c",
        "x and y",
        "and",
        "and and",
        ", and",
        ";",
        "[",
        "[]",
        "```",
        "a" + " and a" * 50_000,
        "a, " * 50_000,
        "[1]\n" * 20_000,
        "a" + "[1]" * 20_000,
        "a and b, " * 900,
        ",\n" * 50_000,
    ],
)
def test_no_text_is_paid_for_a_list_that_it_does_not_hold(text):
    assert value(text, ["p", "q"]) == 0


@pytest.mark.parametrize(("more", "verdict"), [(0, "correct"), (1, "malformed")])
def test_a_list_of_so_many_items_is_read_and_no_longer_one(more, verdict):
    items = [f"item {number}" for number in range(MAX_ITEMS + more)]
    (score,) = load("list_match").score([Sample(completion=json.dumps(items), ground_truth=items)])
    assert score.verdict == verdict
