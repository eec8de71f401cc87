import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardkit import Named, Sample, UsageError, load
from rewardkit.errors import UnknownNameError
from rewardkit.text import MAX_DEPTH, MAX_TEXT_CHARS, files_of, toml_to_text

SHORT = """
from dataclasses import dataclass
from rewardkit import Sample, SampleReward, Score

@dataclass(frozen=True)
class Short(SampleReward):
    name = "short"
    words: int = 50
    def grade(self, sample: Sample) -> Score:
        return Score.of(len(sample.completion.split()) <= self.words)
"""


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('id')",
        "exact.__class__",
        "exact()()",
        "(lambda: exact)()",
        "[exact for _ in (1,)]",
        "exact if 1 else exact",
        "exact ** 2",
        "exact / 2",
        "exact + 1",
        "0.1 * 2",
        "f'{exact}'",
        "b'exact'",
        "exact(**{'a': 1})",
        "exact(*(1,))",
        "by_source({**{}})",
        "...",
        "1e3",
        "'math'",
        "",
        "exact +",
        "exact; exact",
        "(exact := exact)",
        "-" * 10_000 + "exact",
        "(" * 300 + "exact" + ")" * 300,
        "exact\0",
    ],
)
def test_text_allows_names_literals_sums_and_weights_only(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        load(text)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_too_long_and_too_deep_texts_are_refused() -> None:
    with pytest.raises(UsageError, match="characters"):
        load("exact + " * MAX_TEXT_CHARS)


@pytest.mark.parametrize(
    ("opened", "closed"),
    [("gated(exact, ", ")"), ("[", "]"), ("(", ",)"), ("{'a': ", "}"), ("-", ""), ("1 * (", ")"), ("exact + (", ")")],
)
def test_whatever_nests_in_a_text_nests_no_deeper_than_allowed(opened: str, closed: str) -> None:
    deep = MAX_DEPTH + 2
    with pytest.raises(UsageError, match=f"nested deeper than {MAX_DEPTH}"):
        load(f"gated(exact, {opened * deep}exact{closed * deep})")


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'exact'"):
        load("exacct")


@pytest.mark.parametrize("text", ["overlong(max_tokens='many')", "overlong(max_tokens=1.5)", "overlong(nonsense=1)"])
def test_an_option_that_does_not_fit_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=r"max_tokens|nonsense"):
        load(text)


@pytest.mark.parametrize("weight", ["1e999", "-1e999"])
def test_infinite_weights_are_refused(weight: str) -> None:
    with pytest.raises(UsageError, match="finite"):
        load(f"{weight} * exact")


def test_a_weight_of_nan_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        load("nan * exact")


def test_text_is_the_same_object_again() -> None:
    reward = load("exact - 0.25 * overlong(max_tokens=100, buffer=10) + gated(exact, 2 * exact)")
    assert load(reward.text) == reward
    assert reward.text == "exact - 0.25 * overlong(max_tokens=100, buffer=10) + gated(exact, 2.0 * exact)"


def test_a_weight_of_zero_is_added() -> None:
    reward = load("exact + 0 * format")
    assert reward.text == "exact + 0.0 * format"
    assert load(reward.text) == reward


def test_a_class_in_a_file_is_a_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(SHORT)
    monkeypatch.chdir(tmp_path)
    reward = load("exact + 0.5 * ./mine.py:Short(words=3)")
    assert load(reward.text) == reward
    assert str(tmp_path) in reward.text


@pytest.mark.parametrize(
    "path",
    ["mine.py", "./mine.py", "sub/mine.py", "./sub/mine.py", "sub/../mine.py", "my-own.v2.py", "./day=1/mine.py"],
)
@pytest.mark.parametrize(
    "text", ["{}:Short", "exact - 0.5*{}:Short(words=3)", "gated(exact,{}:Short)", "named('x', reward={}:Short)"]
)
def test_a_file_is_named_by_any_path(path: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(SHORT)
    monkeypatch.chdir(tmp_path)
    reward = load(text.format(path))
    assert load(reward.text) == reward
    assert files_of(text.format(path)) == [str(Path(path))]


@pytest.mark.parametrize("path", ["./my dir/mine.py:Short", "my dir/mine.py", "./mine.py:Short(", "./it's.py:Short"])
def test_a_text_with_a_file_that_cannot_be_read_says_how_a_file_is_named(path: str) -> None:
    with pytest.raises(UsageError, match=r"\./file\.py:Name, its path without blanks"):
        load(path)


def test_a_file_can_import_what_stands_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside_9173.py").write_text("def length(text):\n    return float(len(text))\n")
    (tmp_path / "user.py").write_text(
        "from beside_9173 import length\ndef f(sample):\n    return length(sample.completion)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [each for each in sys.path if each])
    for text in ("./user.py:f", "isolated(./user.py:f)"):
        assert load(text).score([Sample(completion="four")])[0].value == 4.0


@pytest.mark.parametrize(
    ("name", "message"), [("mine.py:Nothing", "has no"), ("none.py:X", "no file"), ("bad.py:X", "import")]
)
def test_a_file_that_does_not_work_says_why(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(SHORT)
    (tmp_path / "bad.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        load(f"./{name}")


def test_toml_names_its_parts(tmp_path: Path) -> None:
    path = tmp_path / "reward.toml"
    path.write_text(
        'reward = """\nanswer\n- 0.5 * length\n"""\n[parts]\nanswer = "exact"\nlength = "overlong(max_tokens=9, buffer=3)"\n'
    )
    assert load(str(path)) == load("exact - 0.5 * overlong(max_tokens=9, buffer=3)")


@pytest.mark.parametrize("content", ["reward = 3", "x = 1", "reward = [", 'reward = "exact"\n[parts]\na = 1'])
def test_toml_that_does_not_fit_says_what_it_needs(content: str, tmp_path: Path) -> None:
    path = tmp_path / "reward.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=r"reward.toml"):
        load(str(path))


@pytest.mark.parametrize("text", ["exact(tags=1)", "math(wrong=1, wrong=2)", "clip(exact, low=0, hi=1)"])
def test_an_option_that_there_is_not_or_is_twice_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=r"has no option '(tags|hi)'; it takes|is given 'wrong' twice"):
        load(text)


@pytest.mark.parametrize("text", ["clip(exact, 0.0)", "clip(exact, 0.0, 1.0)", "exact(True)", "overlong(1, 2, 3)"])
def test_an_option_without_its_name_is_asked_for(text: str) -> None:
    with pytest.raises(UsageError, match=rf"{text.partition('(')[0]} takes .*: give options by name"):
        load(text)


PIECES = [
    "./a.py:b",
    "~/c.py:D",
    "exact",
    "tags",
    "part",
    " ",
    "  ",
    "\n",
    "#",
    "'",
    '"',
    "'''",
    '"""',
    "\\",
    "=",
    "(",
    ",",
    "é",
]
ANY_TEXT = st.text(min_size=1) | st.lists(st.sampled_from(PIECES), min_size=1).map("".join)


@given(ANY_TEXT)
@example(".*/foo.py:bar")
def test_a_string_option_is_what_it_says_whatever_it_looks_like(text: str) -> None:
    reward = Named(text, load("exact"))
    assert load(reward.text) == reward
    assert files_of(reward.text) == []


@given(ANY_TEXT)
def test_parts_and_line_ends_of_a_toml_file_stay_out_of_strings(text: str) -> None:
    parts = {"part": "gated(b, ./part.py:b)", "b": "exact"}
    wanted = "(gated((exact), ./part.py:b))"
    for order in (parts, dict(reversed(parts.items()))):
        data = {"reward": f"part  # it's the answer\n - 0.5 * named({text!r}, part)", "parts": order}
        assert toml_to_text(data, "x.toml") == f"{wanted} - 0.5 * named({text!r}, {wanted})"


def test_a_part_may_have_the_name_of_the_reward_in_it_and_parts_stay_short() -> None:
    parts = {"gsm8k": "gsm8k(method='strict')", "exact": "0.5 * exact + gsm8k"}
    for order in (parts, dict(reversed(parts.items()))):
        text = toml_to_text({"reward": "gsm8k + exact", "parts": order}, "x.toml")
        assert text == "(gsm8k(method='strict')) + (0.5 * exact + (gsm8k(method='strict')))"
    twice = {f"p{index}": f"p{index + 1} + p{index + 1}" for index in range(40)}
    with pytest.raises(UsageError, match="more than 20000 characters"):
        toml_to_text({"reward": "p0", "parts": twice}, "x.toml")


@pytest.mark.parametrize(
    "text",
    [
        "math\n+ 0.1 * think_format",
        "math  # the outcome\n  + 0.1 * # form\n  think_format\n",
        "\r\nmath +\r\n0.1 * think_format",
    ],
)
def test_a_text_may_have_several_lines(text):
    assert load(text) == load("math + 0.1 * think_format")


def test_lines_and_number_signs_of_strings_are_kept():
    text = "format(pattern='''#\n#''')"
    assert load(text).pattern == "#\n#"
    assert load(f"math\n+ {text}") == load(load(f"math + {text}").text)


def test_a_path_is_loaded_as_its_text(tmp_path):
    (tmp_path / "reward.toml").write_text('reward = "math"')
    assert load(tmp_path / "reward.toml") == load("math")


@pytest.mark.parametrize(("name", "said"), [("true", "True"), ("false", "False"), ("null", "None")])
def test_values_of_json_get_a_hint(name, said):
    with pytest.raises(UsageError, match=f"write {said} for {name}"):
        load(f"math(boxed_only={name})")


@pytest.mark.parametrize("text", ["format - {}:inst", "format-{}:inst", "format -{}:inst"])
def test_a_file_may_stand_behind_a_minus(tmp_path, text):
    path = tmp_path / "mine.py"
    path.write_text("def inst(completions, **columns): return [1.0] * len(completions)\n")
    assert load(text.format(path))(completions=["x"]) == [load("format")(completions=["x"])[0] - 1.0]
