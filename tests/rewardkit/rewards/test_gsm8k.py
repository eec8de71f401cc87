"""The text and the ground truth are read in the same way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load

FORMS = st.one_of(
    st.integers(-(10**9), 10**9).flatmap(
        lambda number: st.sampled_from(
            [
                str(number),
                f"{number:,}",
                f"{number:,}".replace(",", ",\\!"),
                f"{number:,}".replace(",", "{,}"),
                f"{number:,}".replace(",", "\\,"),
            ]
        )
    ),
    st.decimals(-1000, 1000, places=3).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.tuples(st.integers(-99, 99), st.integers(1, 99)).map("{0[0]}/{0[1]}".format),
).flatmap(lambda text: st.sampled_from([text, text.replace("-", "\u2212"), f"${text}".replace("$-", "-$")]))


def score(text, truth, **options):
    return load("gsm8k").score([Sample(completion=text, ground_truth=truth, **options)])[0]


@given(FORMS, st.sampled_from(["#### {}", "So it is {}.", "\\boxed{{{}}}", "#### {} apples"]))
def test_a_ground_truth_that_is_accepted_is_met_by_what_it_says(truth, frame):
    assert score(frame.format(truth), truth).value in (1, None)


WORDS = st.from_regex(r"[A-Z][a-z]+( [a-z]+)*", fullmatch=True)


@given(
    st.lists(
        st.tuples(WORDS, st.sampled_from(["", " 2", " 2: n = 7", " \\(n = 7\\)", " \\(**x**\\) 3"])),
        min_size=1,
        max_size=3,
    ),
    st.booleans(),
)
def test_headings_of_markdown_do_not_change_the_value(headings, marked):
    """Headings such as `#### Step 2: solve` stand in what models write, before and behind the number."""
    text = "".join(f"#### {words}{rest}\n\nSo.\n" for words, rest in headings)
    answer = "#### $72$" if marked else "The answer is 72."
    assert score(f"{text}{answer}", "72").value == 1
    assert score(f"#### 71\n{text}{answer}", "72").value == marked
    assert score(f"#### 72\n{text}", "72").value == 1
    assert score(text, "72", finish_reason="length").verdict == "no_answer"


@pytest.mark.parametrize(
    "front", ["", "$", "US$", "R$ ", "**", "<b>", "Answer: ", "The total is: **$", "\\boxed{", "\\(", "-"]
)
@pytest.mark.parametrize("method", ["flexible", "strict"])
def test_a_number_behind_signs_or_a_colon_is_marked(front, method):
    text = f"#### {front}72\n\nNote: 3 days."
    (found,) = load(f"gsm8k(method={method!r})").score(
        [Sample(completion=text, ground_truth="-72" if front == "-" else "72")]
    )
    assert found.value == 1


@given(FORMS)
def test_numbers_of_usual_forms_are_accepted(truth):
    assert "e" in truth or score("none", truth).value == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/2", "0.5"), ("1e3", "1000"), ("1e3x", "1"), ("9/3/7", "7"), ("5/0 of 4", "4"), ("10,12", "12"), ("1{,}23", "23"), ("3 / 4", "4"), ("2e", "2")],
)  # fmt: skip
def test_a_number_ends_where_it_ends(text, value):
    assert score(text, value).value == 1
