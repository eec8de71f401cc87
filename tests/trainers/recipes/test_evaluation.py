"""What validation rows get for answers, and a recipe's table of them."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from rewardkit import Sample, Score
from trainers.recipes.evaluation import answers, summary, table

END = 0


class Ids(list):
    """Rows of token ids, as a tensor has them."""

    @property
    def shape(self):
        return len(self), len(self[0])

    def __getitem__(self, place):
        if isinstance(place, tuple):
            return Ids(row[place[1]] for row in self)
        return super().__getitem__(place)

    def tolist(self):
        return [list(row) for row in self]


class Inputs(dict):
    def to(self, device):
        assert device == "here"
        return self


class Tokenizer:
    eos_token_id, padding_side = END, "right"

    def apply_chat_template(self, prompt, *, tokenize, add_generation_prompt):
        assert (tokenize, add_generation_prompt) == (False, True)
        return prompt[-1]["content"]

    def __call__(self, texts, *, return_tensors, padding, add_special_tokens):
        assert (self.padding_side, padding, add_special_tokens) == ("left", True, False)
        return Inputs(input_ids=Ids([9] * 4 for _ in texts), token_type_ids=1, texts=texts)

    def decode(self, ids, *, skip_special_tokens):
        return " ".join(str(each) for each in ids if each != END or not skip_special_tokens)


class Model:
    device = "here"

    def __init__(self, said):
        self.said, self.asked, self.evaluated = list(said), [], 0

    def eval(self):
        self.evaluated += 1

    def generate(self, *, input_ids, texts, max_new_tokens, **sampling):
        self.asked.append((texts, max_new_tokens, sampling))
        return Ids([*ids, *self.said.pop(0)] for ids in input_ids)


ROWS = [{"prompt": [{"role": "user", "content": f"q{n}"}], "ground_truth": "5", "id": str(n)} for n in range(3)]


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(inference_mode=nullcontext))


def test_rows_are_answered_in_batches_up_to_the_end_of_each_text():
    model, tokenizer = Model([[5, END, END], [5, 6, 7], [END, 1, 2]]), Tokenizer()
    first, second, third = answers(model, tokenizer, ROWS, max_tokens=3, batch=2)
    assert model.asked == [(["q0", "q1"], 3, {"do_sample": False}), (["q2"], 3, {"do_sample": False})]
    assert [(each.completion, each.tokens, each.finish_reason) for each in (first, second, third)] == [
        ("5", 2, "stop"), ("5 6 7", 3, "length"), ("", 1, "stop"),
    ]  # fmt: skip
    assert (first.ground_truth, first.id, first.prompt) == ("5", "0", tuple(ROWS[0]["prompt"]))
    assert (tokenizer.padding_side, model.evaluated) == ("right", 2)


def test_a_temperature_samples():
    model = Model([[1]] * 3)
    answers(model, Tokenizer(), ROWS, max_tokens=1, temperature=0.7)
    assert model.asked == [(["q0", "q1", "q2"], 1, {"do_sample": True, "temperature": 0.7})]


def test_means_are_over_what_could_be_judged_and_lengths_over_all():
    samples = [
        Sample(completion="a b", completion_tokens=4, finish_reason="length"),
        Sample(completion="a", completion_tokens=2, finish_reason="stop"),
        Sample(completion="a b c"),
    ]
    scores = [
        Score(value=1.5, outcome=1.0, verdict="correct", parts={"x": 1.0, "y": None}),
        Score(value=-0.5, outcome=0.0, verdict="wrong", parts={"x": 0.5}),
        Score.unjudged("no", parts={"x": 9.0}),
    ]
    found = summary(samples, scores)
    assert found == {
        "accuracy": 0.5, "score": 0.5, "reward": 0.5, "unjudged": pytest.approx(1 / 3), "x": 0.75, "y": 0.0, "tokens": 2.0, "words": 2.0,
        "cut": pytest.approx(1 / 3),
    }  # fmt: skip


def test_what_could_not_be_judged_is_no_zero_and_shown():
    sample, unjudged = Sample(completion="a"), Score.unjudged("no")
    before, after = summary([sample], [Score.of(True)]), summary([sample], [unjudged])
    assert [after[name] for name in ("accuracy", "score", "reward", "unjudged")] == [None, None, None, 1.0]
    columns = {"Accuracy": "accuracy", "Reward": "reward"}
    assert table({"before": before}, columns).splitlines()[0] == "| stage | Accuracy | Reward |"
    assert table({"before": before, "after": after}, columns).splitlines() == [
        "| stage | Accuracy | Reward | unjudged |",
        "|---|---|---|---|",
        "| before | 1.000 | 1.000 | 0.000 |",
        "| after | - | - | 1.000 |",
    ]


def test_a_table_has_a_line_for_each_stage_under_the_published_headings():
    results = {"before": {"a": 0.5, "b": 1.0}, "after": {"a": 0.25, "b": 2.0}}
    assert table(results).splitlines() == [
        "| stage | a | b |",
        "|---|---|---|",
        "| before | 0.500 | 1.000 |",
        "| after | 0.250 | 2.000 |",
    ]
    assert table(results, {"B": "b"}).splitlines()[::3] == ["| stage | B |", "| after | 2.000 |"]
