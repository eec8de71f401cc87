"""Arguments that an instruction cannot use make its row unjudged, never wrong."""

import json
from pathlib import Path

import pytest

from rewardkit import Sample, Verdict, load
from rewardkit.rewards._instructions import INSTRUCTIONS
from rewardkit.rewards.ifeval import MAX_CHARS

ROWS = [
    json.loads(line)["sample"]
    for line in (Path(__file__).parents[2] / "cases/rewards/ifeval.jsonl").read_text(encoding="utf-8").splitlines()
]
KEPT = {
    item["id"]: (row["completion"], item["kwargs"])
    for row in ROWS
    for item in (row.get("ground_truth") if isinstance(row.get("ground_truth"), list) else [])
    if isinstance(item, dict) and item.get("id") in INSTRUCTIONS and item.get("kwargs")
}


def scored(name, text, arguments):
    (score,) = load("ifeval").score([Sample(completion=text, ground_truth=[{"id": name, "kwargs": arguments}])])
    return score


SENTENCES = json.loads((Path(__file__).parents[2] / "cases/languages.json").read_text(encoding="utf-8"))
FRAMES = ("{}", "```\n{}\n```", "``` {}", "`{}`", "${}$", r"\({}\)", "<b>{}</b> 42")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_in_its_own_language_and_in_no_other_wherever_it_stands(language, frame):
    text = frame.replace("{}", SENTENCES[language])
    found = [name for name in SENTENCES if scored("language:response_language", text, {"language": name}).value == 1]
    assert found == [language]


@pytest.mark.parametrize(("language", "text"), [("en", "No"), ("en", "I do it."), ("de", "Ja."), ("ja", "東京都庁"), ("ru", "Да"), ("en", "42"), ("zh", "!")])  # fmt: skip
def test_a_short_answer_is_in_its_language(language, text):
    assert scored("language:response_language", text, {"language": language}).value == 1


def test_every_instruction_has_a_row():
    listed = {
        item["id"] for row in ROWS for item in row.get("ground_truth") or [] if isinstance(item, dict) and "id" in item
    }
    assert listed >= set(INSTRUCTIONS)


def test_a_completion_that_is_too_long_pays_nothing():
    (name, (_, arguments)) = next(iter(KEPT.items()))
    score = scored(name, "a " * MAX_CHARS, arguments)
    assert (score.value, score.verdict) == (0.0, Verdict.MALFORMED)


OF_KIND = {
    int: [True, "5", [5], float("inf"), float("nan")],
    str: ["", " ", 5, ["x"], True],
    list: [[], [""], ["x", 5], "x", {"x": 1}],
}


@pytest.mark.parametrize("name", sorted(KEPT))
def test_a_missing_argument_or_one_of_the_wrong_kind_is_our_failure_whatever_the_text_is(name):
    kept, arguments = KEPT[name]
    for key, value in arguments.items():
        bad = [None, *OF_KIND[type(value)], *(["about", "At least"] if "relation" in key else [])]
        for text in (kept, "hello", "", " "):
            assert {scored(name, text, {**arguments, key: wrong}).value for wrong in bad} == {None}, key
        if isinstance(value, int):
            assert scored(name, kept, {**arguments, key: float(value)}).value == scored(name, kept, arguments).value


@pytest.mark.parametrize("name", sorted(INSTRUCTIONS))
def test_columns_of_text_are_read_as_lists(name):
    text, arguments = KEPT.get(name, ("hello", {}))
    expected = scored(name, text, arguments)
    for names in ([name], json.dumps([name])):
        for given in ([arguments], json.dumps([arguments]), [json.dumps(arguments)]):
            table = {"instruction_id_list": names, "kwargs": given}
            for fields in ({"ground_truth": table}, {"extra_info": table}, {"ground_truth": json.dumps(table)}):
                (score,) = load("ifeval").score([Sample(completion=text, **fields)])
                assert (score.value, score.verdict) == (expected.value, expected.verdict)
    table = {"instruction_id_list": [name], "kwargs": [arguments, {}]}
    assert load("ifeval").score([Sample(completion=text, ground_truth=table)])[0].value is None


def test_no_ground_truth_is_needed_beside_the_columns():
    table = {"instruction_id_list": [["punctuation:no_comma"]], "kwargs": [[{}]]}
    assert load("ifeval")(completions=["a, b"], **table) == [0]
    table["instruction_id_list"] = [["poetry:rhyme"]]
    assert load("ifeval")(completions=["a, b"], **table) == [None]
