"""The problem and the answer of a row in the recipes' data sets."""

import importlib
import tempfile
from functools import cached_property
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import UsageError
from trainers.recipes import base, files, grpo_tcr, transcripts

ASKED = {"role": "user", "content": "1+1?"}
SEVERAL = [ASKED, {"role": "assistant", "content": "2"}, {"role": "user", "content": "2+2?"}]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"problem": "1+1?", "answer": 2.0}, ("1+1?", "2")),
        ({"problem": "1+1?", "answer": ["2"]}, ("1+1?", "2")),
        ({"prompt": [ASKED], "reward_model": {"ground_truth": ["2"]}}, ("1+1?", "2")),
        ({"prompt": [{"role": "system", "content": "Be brief."}, ASKED], "answer": "2"}, ("1+1?", "2")),
        ({"problem": "1+1?", "answer": ["2", "two"]}, "several answers"),
        ({"problem": "1+1?", "answer": {"a": 2}}, "no answer"),
        ({"problem": "1+1?", "answer": None}, "no answer"),
        ({"problem": "1+1?", "answer": float("inf")}, "no answer"),
        ({"problem": "1+1?", "answer": None, "solution": "1 and 1 are 2."}, "no answer"),
        ({"problem": "1+1?", "solution": "2"}, ("1+1?", "2")),
        ({"problem": "1+1?", "answer": None, "ground_truth": 2}, ("1+1?", "2")),
        ({"problem": "1+1?", "answer": "2", "reward_model": None}, ("1+1?", "2")),
        ({"problem": "1+1?", "answer": "2", "reward_model": {"ground_truth": None}}, ("1+1?", "2")),
        ({"problem": "1+1?", "reward_model": {"style": "rule"}}, "no answer"),
        ({"problem": "1+1?", "reward_model": '{"ground_truth": "2"}'}, "no answer"),
        ({"problem": None, "answer": "2"}, "no question"),
        ({"problem": "1+1?", "answer": "2", "images": []}, ("1+1?", "2")),
        ({"problem": "1+1?", "answer": "2", "images": [{"bytes": b""}]}, "an image"),
        (
            {
                "prompt": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "1+1?"}]}],
                "answer": "2",
            },
            "an image",
        ),
        ({"prompt": SEVERAL, "answer": "4"}, "several turns"),
    ],
)
def test_a_problem_is_one_question_and_one_answer(row, said):
    if isinstance(said, tuple):
        assert files.problem_of(row) == said
    else:
        with pytest.raises(files.UnusableRowError, match=f"^{said}$"):
            files.problem_of(row)


def test_a_chat_of_several_turns_is_compared_as_a_whole():
    assert files.question_of({"prompt": SEVERAL}) == "1+1?\n\n2\n\n2+2?"


@given(st.lists(st.sampled_from(["", "2", None, ["2"], ["2", "3"], {"a": 2}])))
def test_each_row_of_a_data_set_is_made_or_counted_with_its_reason(answers):
    rows = [{"problem": "1+1?", "answer": answer} for answer in answers]
    with tempfile.TemporaryDirectory() as folder:
        files.write(rows, Path(folder) / "data.jsonl")
        sources = files.Sources({"train": {"file": "data.jsonl"}}, Path(folder))
        made = [index for index, answer in enumerate(answers) if answer in ("2", ["2"])]
        if rows and not made:
            with pytest.raises(UsageError, match=r"no row of train is usable: \d+ with"):
                sources.usable("train", lambda index, row: {"index": index, "of": files.problem_of(row)})
            return
        found = sources.usable("train", lambda index, row: {"index": index, "of": files.problem_of(row)})
        assert [row["index"] for row in found] == made
        left_out = len(rows) - len(found)
        assert [note.partition(" (")[0] for note in sources.notes] == (
            [f"train: {left_out} of {len(rows)} rows left out"] if left_out else []
        )


GOOD = {
    "prompt": "What is 1+1?",
    "question": "What is 1+1?",
    "answer": "It is <<1+1=2>>2.\n#### 2",
    "solution": "It is 2.",
    "input_output": {"inputs": ["1\n"], "outputs": ["2\n"]},
    "test": "assert f() == 2",
    "entry_point": "f",
}


class GoodAndBad(files.Sources):
    def has(self, name):
        return True

    @cached_property
    def read(self):
        return []

    def rows(self, name):
        self.read.append(name)
        return [GOOD] * 40 + [{}]


@pytest.mark.parametrize("name", ["dapo_math", "grpo_tcr", "gsm8k_agent", "reasoning_alignment", "unsloth_grpo"])
def test_every_recipe_counts_what_it_leaves_out_of_every_data_set(name, tmp_path):
    sources = GoodAndBad({}, tmp_path)
    importlib.import_module(f"trainers.recipes.{name}").RECIPE.prepare(sources)
    assert [note.partition(" (")[0] for note in sources.notes] == [
        f"{name}: 1 of 41 rows left out" for name in sources.read
    ]


TEXTS = (
    st.none()
    | st.sampled_from(["", " ", "2"])
    | st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": st.text()}))
)


@given(st.dictionaries(st.sampled_from(["prompt", "completion"]), TEXTS))
def test_a_demonstration_is_messages_or_left_out(row):
    try:
        found = transcripts.demonstration(row)
    except files.UnusableRowError:
        assert any(
            (isinstance(value, str) and not value.strip()) or not value
            for value in map(row.get, ("prompt", "completion"))
        )
        return
    for name, role in (("prompt", "user"), ("completion", "assistant")):
        assert found[name] == ([{"role": role, "content": row[name]}] if isinstance(row[name], str) else row[name])


@pytest.mark.parametrize(
    ("answer", "held"),
    [("2", "2"), (r"\(\boxed{77}\)", "77"), (r"\boxed{2^{n}}", "2^{n}"), ("(0,2}]", None), (r"\{1\}", r"\{1\}")],
)
def test_ground_truths_are_what_the_strict_box_can_hold(answer, held):
    row = {"problem": "1+1?", "answer": answer}
    if held is None:
        with pytest.raises(files.UnusableRowError, match="no box"):
            grpo_tcr._problem(row)
    else:
        found = grpo_tcr._row("omni_math", 0, row)
        (score,) = grpo_tcr.RECIPE.reward.score(base.samples([found], [grpo_tcr.right_answer(found)]))
        assert (grpo_tcr._problem(row)[1], score.accuracy) == (held, 1.0)
