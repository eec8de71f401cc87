"""Which program a completion holds: the table in tests/cases/code_extract.jsonl, and the laws around it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.code.extract import MAX_PROGRAM_CHARS, _answers, extract_program, extract_seed, syntax_error
from rewardkit.types import Verdict

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


BODIES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="`~\r<"), max_size=8)
    | st.sampled_from(["x = '</think>'", '"<answer>a</answer>"', "'<think>'", "\f", "\u2028", "\ufeff"])
).map("".join)


@given(
    BODIES,
    st.sampled_from(["", "  ", "\t"]),
    st.sampled_from(["", "a <think>draft</think>\n", "draft\n</think>\n", "<answer>\n"]),
)
@pytest.mark.parametrize(
    "tag", ["python", "python3", "Python3.11", "python3.11.4", "python-3", "python,ignore", "python title=x", "py"]
)
def test_what_stands_in_a_fence_comes_out(tag, body, indent, before):
    """Tags between quotes of their own are part of the program there. All lines have the fence's indent."""
    lines = "".join(f"{indent}{line}\n" for line in body.split("\n"))
    behind = "</answer>" if "answer" in before else "Done."
    found = extract_program(f"{before}{indent}```{tag}\n{lines}{indent}```\n{behind}")
    assert found.program == (f"{body}\n".lstrip("\ufeff") if body.lstrip("\ufeff").strip() else None)


TAGGED = [
    "# strip <think>...</think> and </answer>\nprint(1)\n",
    'T = """\n<think>\n1\n</think>\n<answer>\n"""\nprint(T)\n',
    "import re\nprint(re.sub(r'<think>.*?</think>', '', input()))\n",
    "print('</think>'.join(input().split('<answer>')))\n",
]


@pytest.mark.parametrize("program", TAGGED)
@pytest.mark.parametrize(
    "before", ["", "<think>x</think>\n", "<think>split at '</think>'? Yes.</think>\n", "a</think>b</think>\n"]
)
@pytest.mark.parametrize("behind", ["", "\nIt splits at `</think>` and '<answer>' tags."])
def test_tags_in_a_program_are_part_of_it(program, before, behind):
    assert extract_program(f"{before}```python\n{program}```{behind}").program == program
    assert extract_program(f"{before}<answer>\n```python\n{program}```\n</answer>").program == program


@pytest.mark.parametrize(
    ("tag", "program"),
    [
        ("cpp", 'int main(){ std::string a = "x</think>y"; }\n'),
        ("js", 'f("a</think>b");\n'),
        ("python", 'print "a</think>b"\n'),
    ],
)
def test_a_fence_may_quote_the_tags_in_any_language(tag, program):
    assert extract_program(f"<think>hm</think>\n```{tag}\n{program}```\n").program == program
    assert extract_program(f"<think>hm</think>\n```\n{program}```\n").program == program


def test_a_program_may_hold_any_number_of_tags_and_be_followed_by_an_example():
    program = "".join(f"assert f('a{n}</think>b')\n" for n in range(20))
    example = "```text\n>>> f('a</think>b')\n```\n"
    assert extract_program(f"<think>hm</think>\n```python\n{program}```\n{example}").program == program


def test_bare_code_may_name_the_tags():
    assert extract_program(code := 'def f(s):\n    return s.split("</think>")[-1]').program == code


def test_a_draft_is_no_answer_whatever_it_quotes():
    draft = "```python\ndraft()\n```\n"
    ends_in_a_comment = "<think>\n```python\ndraft()\n# ok </think>\n```\nSo:\n```python\nprint(1)\n```"
    assert extract_program(ends_in_a_comment).program == "print(1)\n"
    for thought in (
        f"<think>{draft}</think> none",
        f"<think>it's</think><think>{draft}</think>'s none",
        f"\ufeff<think>{draft}",
    ):
        assert extract_program(thought).verdict is Verdict.NO_ANSWER
    prose = "<think>I don't know.\n```\nit's </think> that's all\n```\nAnswer:\n```python\nprint(1)\n```"
    assert extract_program(prose).program == "print(1)\n"


@pytest.mark.parametrize(
    "draft",
    [
        "```python\ndraft()\n",
        "```js\ndraft()\n",
        "```\ndraft()\n",
        "```python\nx = '</think>'\n```\n",
        "x = '</think>'",
    ],
)
@pytest.mark.parametrize("begin", ["<think>\n", "I think\n", ""])
@pytest.mark.parametrize("fence", ["```", "```python", "```py"])
def test_a_fence_that_a_thought_leaves_open_ends_with_it(draft, begin, fence):
    found = extract_program(f"{begin}{draft}</think>\nFinal:\n{fence}\nfinal()\n```")
    assert found.program == "final()\n"


@pytest.mark.parametrize(
    "inside",
    [
        "```\n<answer>\n{}</answer>\n```",
        "<answer>\n```python\n{}```\n</answer>",
        "```\n<think>hmm</think>\n<answer>\n{}</answer>\n```",
    ],
)
def test_tags_on_lines_of_their_own_are_tags_in_a_fence_too(inside):
    assert extract_program(inside.format("print(1)\n")).program.strip() == "print(1)"


@given(st.lists(st.sampled_from(["<answer>", "</answer>", "<ANSWER>", "</Answer>", "a = 1\n", "print(2)", " ", "<"])))
def test_answers_are_what_one_expression_would_find(pieces):
    text = "".join(pieces)
    assert list(_answers(text)) == re.findall(r"<answer>(.*?)</answer>", text, re.DOTALL | re.IGNORECASE)


@pytest.mark.long
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
