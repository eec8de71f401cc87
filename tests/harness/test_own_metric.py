"""Tasks of lm-eval's own: judged, compared, gated and reported like ours."""

import json
import random
import subprocess
import sys

import pytest

pytestmark = pytest.mark.engine

from harness import catalog  # noqa: E402
from harness.fake_server import Stub, chance  # noqa: E402
from harness.own_metric import chosen, ground_truth_of  # noqa: E402
from harness.store import read_run  # noqa: E402

WORDS = """task: own_words
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}/gsm8k.jsonl}}}}
test_split: test
output_type: generate_until
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["Question:"], do_sample: false}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true, regexes_to_ignore: [",", "(?s).*#### "]}}
filter_list:
  - name: strict-match
    filter: [{{function: regex, regex_pattern: "#### (\\\\-?[0-9]+)"}}, {{function: take_first}}]
  - name: flexible-extract
    filter: [{{function: regex, group_select: -1, regex_pattern: "(-?[0-9]+)"}}, {{function: take_first}}]
metadata: {{version: 3.0}}
"""
CHOICE = """task: own_choice
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}/math500.jsonl}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{problem}}}}"
doc_to_choice: ["{{{{answer}}}}", "0"]
doc_to_target: 0
metric_list: [{{metric: acc, aggregation: mean, higher_is_better: true}}]
metadata: {{version: 1.0}}
"""


@pytest.fixture
def tasks(small_data, tmp_path):
    place = tmp_path / "tasks"
    place.mkdir()
    (place / "words.yaml").write_text(WORDS.format(data=small_data))
    (place / "choice.yaml").write_text(CHOICE.format(data=small_data))
    return place


@pytest.fixture
def server(golds):
    """Right 60 % of the time; a third of the right answers stand in a box, where only our reward finds them."""

    def rule(body, _number):
        prompt = body["messages"][-1]["content"]
        gold = next(answer for question, answer in golds.items() if question in prompt)
        draw = chance(prompt, body["seed"])
        value = gold if draw < 0.6 else "7"
        return {"text": f"so \\boxed{{{value}}}" if draw < 0.2 else f"so\n#### {value}"}

    with Stub(rule) as stub:
        yield stub


def run(harness, tasks, model, out, *more, task="own_words"):
    return harness(
        "run", "--model", model, "--tasks", task, "--include_path", tasks, "-o", out, "--judge_workers", 0, *more
    )


def lm_evals_numbers(out, task):
    [path] = out.rglob("results_*.json")
    return json.loads(path.read_text())["results"][task]


@pytest.mark.parametrize("k", [1, 4])
def test_a_stock_task_is_judged_by_its_own_metric_for_each_answer(harness, tasks, server, tmp_path, k):
    code, out, err = run(harness, tasks, server.url, tmp_path / "a", "--repeats", k)
    assert code == 0, err
    found = read_run(tmp_path / "a")
    assert len(found.answers) == 18 * k
    assert {answer.kind for answer in found.answers} == {"correct", "wrong"}
    assert {problem.reward for problem in found.problems.values()} == {"lm-eval: exact_match,strict-match"}
    if k == 1:
        share = sum(answer.accuracy for answer in found.answers) / 18
        assert lm_evals_numbers(tmp_path / "a", "own_words")["exact_match,strict-match"] == pytest.approx(share)
    else:
        assert "pass@k" in out
    run(harness, tasks, server.url, tmp_path / "b", "--repeats", k)
    assert harness("compare", tmp_path / "a", tmp_path / "b")[0] == 0
    assert harness("gate", tmp_path / "a", "--baseline", tmp_path / "b", "--max-drop", "0.5")[0] == 0
    assert harness("report", tmp_path / "a", "-o", tmp_path / "r.html")[0] == 0
    code, out, _ = harness("rescore", tmp_path / "a", "-o", tmp_path / "c", "--judge_workers", 0)
    assert (code, "0 of" in out) == (0, True)


def test_a_reward_of_ours_judges_a_stock_task_beside_its_metric(harness, tasks, server, tmp_path):
    code, out, err = run(harness, tasks, server.url, tmp_path / "a", "-r", "math", "--repeats", 2)
    assert code == 0, err
    found = read_run(tmp_path / "a")
    ours = sum(answer.accuracy for answer in found.answers)
    theirs = sum(answer.own == 1 for answer in found.answers if answer.own is not None)
    assert ours > theirs > 0
    assert f"grader against grader: math {ours}/36 right" in out
    assert f"for math alone {ours - theirs}, for lm-eval: exact_match,strict-match alone 0" in out
    assert harness("report", tmp_path / "a", "-o", tmp_path / "r.html")[0] == 0
    assert "Grader against grader" in (tmp_path / "r.html").read_text()
    run(harness, tasks, server.url, tmp_path / "b", "--repeats", 2)
    assert harness("compare", tmp_path / "a", tmp_path / "b")[0] == 5


def test_a_likelihood_task_is_judged_compared_gated_and_reported(harness, tasks, tiny_model, tmp_path):
    for name in ("a", "b"):
        args = ("--model_args", "dtype=float32")
        code, out, err = run(harness, tasks, tiny_model, tmp_path / name, *args, task="own_choice")
        assert code == 0, err
    assert "own_choice" in out
    found = read_run(tmp_path / "a")
    share = sum(answer.accuracy for answer in found.answers) / len(found.answers)
    assert len(found.answers) == 18
    assert lm_evals_numbers(tmp_path / "a", "own_choice")["acc,none"] == pytest.approx(share)
    assert harness("compare", tmp_path / "a", tmp_path / "b")[0] == 0
    assert harness("gate", tmp_path / "a", "--baseline", tmp_path / "b", "--max-drop", "0.5")[0] == 0
    assert harness("report", tmp_path / "a", "-o", tmp_path / "r.html")[0] == 0


def test_a_likelihood_task_over_http_is_one_clear_line(harness, tasks, server, tmp_path):
    code, _, err = run(harness, tasks, server.url, tmp_path / "a", task="own_choice")
    assert (code, "own_choice compares likelihoods" in err, len(err.splitlines())) == (2, True, 1)
    assert server.requests == []


def test_an_unknown_task_is_told_without_importing_lm_eval():
    program = """
import sys
from harness import catalog
from rewardkit.errors import UsageError
for name in ("gsm8kk", "no_such_task_at_all"):
    try:
        catalog.manager([name])
    except UsageError as error:
        print(error)
print(sorted({"lm_eval", "datasets", "torch"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    near, none, modules = done.stdout.splitlines()
    assert "did you mean 'gsm8k'" in near
    assert "no task 'no_such_task_at_all'" in none
    assert modules == "[]"


def test_names_of_lm_evals_tasks_are_found_without_its_full_index():
    names = sorted(catalog.stock_tasks())
    sample = random.Random(0).sample(names, 25)
    wanted = [*sample, "gsm8k_cot", "mmlu", "hellaswag", "minerva_math", "hendrycks_math500", "leaderboard"]
    full = []
    for name in wanted:
        found = catalog.manager([name])
        assert name in found.all_tasks, name
        full += [name] if len(found.all_tasks) > 10_000 else []
    assert len(full) <= 3, full


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
    assert ground_truth_of(target) == truth


def test_the_metric_that_stands_for_accuracy():
    assert chosen({"bleu": (1, 2), "f1": 0.5, "acc": 1.0}) == "acc"
    assert chosen({"word_perplexity": 30.2, "speed": 0.5}) == "speed"
    assert chosen({"word_perplexity": (1.0, 2)}) is None
