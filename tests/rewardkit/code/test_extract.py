"""Which program a completion holds: the table in tests/cases/code_extract.jsonl, and the laws around it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.code.extract import MAX_PROGRAM_CHARS, _answers, extract_program, extract_seed, syntax_error

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases" / "code_extract.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", CASES, ids=[row["why"] for row in CASES])
def test_program_is_found_or_named_missing(row):
    seed = row.get("rule") == "seed"
    found = extract_seed(row["completion"]) if seed else extract_program(row["completion"], row.get("wanted", ""))
    assert found.language == row.get("language", "python")
    assert found.program == row["program"]
    assert (None if found.verdict is None else found.verdict.value) == row.get("verdict")
    assert bool(found.reason) == (found.program is None)


def test_program_past_the_bound_is_malformed():
    found = extract_program("```python\n" + "x = 1\n" * (MAX_PROGRAM_CHARS // 6 + 1) + "```")
    assert found.program is None
    assert found.verdict == "malformed"


@pytest.mark.parametrize(
    "source", ["-" * 100_000 + "1", "(" * 5_000, "a." * 200_000 + "b", "x=\x00", "x='\ud800'", "if 1:pass\n" + "elif 1:pass\n" * 9_000]
)  # fmt: skip
def test_syntax_that_breaks_parsers_is_one_line(source):
    error = syntax_error(source)
    assert error
    assert "\n" not in error


def test_bad_escapes_are_no_news(recwarn):
    assert syntax_error("x = '\\d'") is None
    assert not recwarn.list


@given(st.text(st.sampled_from(list("`~pyt hon\n<>/ answer#{}|:\r\t")), max_size=120))
def test_extraction_never_raises(text):
    for extract in (extract_program, extract_seed):
        found = extract(text)
        assert (found.program is None) == (found.verdict is not None)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="`~<\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), min_size=1)
)
def test_what_stands_in_a_fence_comes_out(body):
    """Without `<`: the tags of thinking and answers mean the same in a fence."""
    found = extract_program(f"Here it is:\n```python\n{body}\n```\nDone.")
    assert found.program == (f"{body}\n" if body.strip() else None)


@given(st.lists(st.sampled_from(["<answer>", "</answer>", "<ANSWER>", "</Answer>", "a = 1\n", "print(2)", " ", "<"])))
def test_answers_are_what_one_expression_would_find(pieces):
    text = "".join(pieces)
    assert list(_answers(text)) == re.findall(r"<answer>(.*?)</answer>", text, re.DOTALL | re.IGNORECASE)


@pytest.mark.parametrize("start", ["", "</answer>", "<answer>a</answer>"])
def test_half_a_million_tags_that_never_close_end_in_a_verdict(start):
    """One expression for both tags would take hours here."""
    assert extract_program(start + "<answer>" * 500_000).program is None


def test_a_program_may_be_as_long_as_the_bound(monkeypatch):
    program = "print(12345)"
    for said, known in ((program, len(program)), (f"```python\n{program}\n```", len(program) + 1)):
        monkeypatch.setattr("rewardkit.code.extract.MAX_PROGRAM_CHARS", known)
        assert extract_program(said).program.strip() == program
        monkeypatch.setattr("rewardkit.code.extract.MAX_PROGRAM_CHARS", len(program) - 1)
        assert extract_program(said).program is None
