"""Tasks of lm-eval's own: what their metric says of one answer, and which number stands for accuracy."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.own_metric import NO_NUMBER, OwnMetric, chosen, ground_truth_of, judged_doc, likelihood_answers


@pytest.mark.parametrize(
    ("target", "truth"),
    [
        ("6 * 3\n#### 1,018", "1018"),
        ("so \\boxed{\\frac12}.", "\\frac12"),
        (["a", "b"], "a"),
        (" (C) ", "(C)"),
        ([], ""),
    ],
)
def test_the_answer_in_a_target(target, truth):
    assert ground_truth_of({}, target) == truth


def test_the_answer_of_the_solution_goes_before_a_respelt_target():
    assert ground_truth_of({"solution": "so \\boxed{1\\\\2}"}, "1\\2") == "1\\\\2"


def test_the_metric_that_stands_for_accuracy():
    task = SimpleNamespace(higher_is_better=lambda: {"word_error_rate": False})
    assert chosen(task, [{"bleu": (1, 2), "f1": 0.5, "acc": 1.0}]) == "acc"
    assert chosen(task, [{"word_perplexity": 30.2, "speed": 0.5}]) == "speed"
    assert chosen(task, [{"word_perplexity": (1.0, 2), "word_error_rate": 0.5}]) is None
    assert chosen(task, [{"bleu_max": 0.2, "bleu_acc": 1}]) == "bleu_acc"
    assert chosen(SimpleNamespace(), []) is None


def test_an_answer_without_a_number_does_not_choose_the_metric_of_the_others(lm_eval):
    values = [0.0, float("nan"), 1.0000000000000002, None, 1.0]
    task = {
        "_filters": [Reversed()],
        "process_results": lambda doc, _: (
            {"exact_match": values[doc["at"]], "f1": 0.5} if doc["at"] != 3 else {"f1": 0.5}
        ),
    }
    scores = metric_of(task).scores([({"at": at}, "x") for at in range(len(values))])
    assert [score.value for score in scores] == [0, None, 1, None, 1]


@given(st.lists(st.tuples(st.sampled_from([0, 0.4, 1, 40.2]), st.sampled_from([0, 1])), min_size=1))
def test_all_answers_of_a_task_are_judged_by_one_metric(lm_eval, values):
    """`truthfulqa_gen` has BLEU beside a 0 or 1; a BLEU below 1 is no accuracy."""
    task = {
        "_filters": [Reversed()],
        "process_results": lambda doc, _: dict(zip(("bleu", "half"), values[doc["at"]], strict=True)),
    }
    metric = metric_of(task)
    scores = metric.scores([({"at": at}, "x") for at in range(len(values))])
    place = int(any(bleu > 1 for bleu, _ in values))
    assert metric.name == f"lm-eval: {('bleu', 'half')[place]}"
    assert [score.value for score in scores] == [value[place] for value in values]


class Reversed:
    """A filter that reads the answer backwards, and fails on several answers at once where one of them is `bad`."""

    name = "back"

    def apply(self, instances):
        for instance in instances:
            if instance.resps == ["bad"]:
                raise ValueError("no such answer")
            instance.filtered_resps[self.name] = instance.resps[0][::-1]


def metric_of(task):
    return OwnMetric(SimpleNamespace(**task))


def test_each_answer_is_judged_by_itself_and_one_that_fails_is_unjudged(lm_eval):
    def process_results(doc, answers):
        (answer,) = answers
        return {"exact_match": float(answer == doc["gold"])} if answer != "two" else 1 / 0

    metric = metric_of({"_filters": [Reversed()], "process_results": process_results})
    scores = metric.scores([({"gold": "cba"}, "abc"), ({"gold": "x"}, "bad"), ({"gold": "x"}, "y"), ({}, "owt")])
    assert [score.value for score in scores] == [1.0, None, 0.0, None]
    assert [score.verdict for score in scores] == ["correct", "unjudged", "wrong", "unjudged"]
    assert (scores[0].answer, scores[0].reason, metric.name) == ("cba", "lm-eval: exact_match", "lm-eval: exact_match")
    assert scores[1].reason.endswith("ValueError: no such answer")
    assert "ZeroDivisionError" in scores[3].reason


def test_a_second_filter_judges_where_the_first_has_no_metric_and_is_named(lm_eval):
    plain = Reversed()
    plain.name, plain.apply = (
        "plain",
        lambda instances: [each.filtered_resps.update(plain=each.resps) for each in instances],
    )

    def process_results(doc, answers):
        return {"acc": True} if answers == ["abc"] else {"bleu": (1, 2), "length": 300}

    metric = metric_of({"_filters": [plain, Reversed()], "process_results": process_results})
    scores = metric.scores([({}, "abc"), ({}, "cba"), ({}, "abca")])
    assert [score.value for score in scores] == [None, 1.0, None]
    assert metric.name == "lm-eval: acc,back"
    assert metric_of({"process_results": process_results}).scores([({}, "a")])[0].reason == NO_NUMBER.reason


ROW = {
    "doc_id": "3",
    "target": 1,
    "filter": "none",
    "metrics": ["acc"],
    "acc": 1.0,
    "arguments": [["q", " a"], ["q", " b"]],
}


def test_answers_of_a_likelihood_task_are_the_choices_that_were_taken():
    task = SimpleNamespace(OUTPUT_TYPE="multiple_choice")
    rows = [
        {**ROW, "filtered_resps": [(-2.0, False), (-1.0, False)]},
        {**ROW, "filter": "other", "filtered_resps": []},
        {**ROW, "doc_id": 4, "metrics": [], "filtered_resps": [(-1.0, False), (-2.0, False)]},
    ]
    (problem, answer, score), (other, first, unknown) = likelihood_answers("t", task, rows, "me")
    assert (problem["doc_id"], problem["prompt"], problem["target"], problem["reward"]) == (3, "q", "1", "lm-eval: acc")
    assert (answer.key, answer.task, answer.doc_id, answer.rep, answer.text, answer.source) == (
        "t/3",
        "t",
        3,
        0,
        "b",
        "me",
    )
    assert (score.value, score.answer, score.reason) == (1.0, "b", "lm-eval: acc")
    assert (other["doc_id"], other["reward"], first.text, unknown.value) == (4, "lm-eval: acc", "a", None)
    assert other["asked"] == problem["asked"]
    assert likelihood_answers("t", task, [], "me") == []


@pytest.mark.parametrize(
    ("kind", "arguments", "text"),
    [
        ("loglikelihood", [["q", " a"], ["q", " b"]], " a"),
        ("multiple_choice", [["q", " a"]], " a"),
        ("loglikelihood_rolling", [["q"]], ""),
    ],
)
def test_a_text_without_others_to_choose_from_is_the_answer(kind, arguments, text):
    row = {**ROW, "arguments": arguments, "filtered_resps": [(-2.0, False)] * len(arguments)}
    ((_, answer, score),) = likelihood_answers("t", SimpleNamespace(OUTPUT_TYPE=kind), [row], "me")
    assert (answer.text, score.answer) == (text, text or None)


def test_a_row_of_lm_evals_is_judged_as_one_of_ours_under_a_reward_alone():
    task = SimpleNamespace(doc_to_target=lambda doc: doc["gold"])
    row, ours = {"gold": "so\n#### 1,2"}, {"reward": "exact", "ground_truth": "2"}
    assert judged_doc(task, "t", 5, row, "q", None) is row
    assert judged_doc(task, "t", 5, ours, "q", "math") is ours
    asked = {"id": "t/5", "question": "q", "ground_truth": "12", "data_source": "t", "reward": "math"}
    assert judged_doc(task, "t", 5, row, "q", "math") == asked
