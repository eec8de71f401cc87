"""Tasks of lm-eval's own: judged, compared, gated and reported like ours."""

import json
import random
import subprocess
import sys

import pytest

pytestmark = pytest.mark.engine

from harness import catalog  # noqa: E402
from harness.fake_server import Stub, chance, question_of  # noqa: E402
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
doc_to_choice: "{{{{['%02d' % (answer | int), '%02d' % (answer | int + 1)]}}}}"
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
        prompt = question_of(body)
        gold = (
            next(answer for question, answer in golds.items() if question in str(prompt))
            if body.get("logprobs") is None
            else "0"
        )
        draw = chance(prompt, body.get("seed"))
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
        numbers = lm_evals_numbers(tmp_path / "a", "own_words")
        assert numbers["exact_match,strict-match"] == pytest.approx(share)
    else:
        assert "pass@k" in out
    run(harness, tasks, server.url, tmp_path / "b", "--repeats", k)
    assert harness("compare", tmp_path / "a", tmp_path / "b")[0] == 0
    assert harness("gate", tmp_path / "a", "--baseline", tmp_path / "b", "--max-drop", "0.5")[0] == 0
    assert harness("report", tmp_path / "a", "-o", tmp_path / "r.html")[0] == 0
    code, out, _ = harness("rescore", tmp_path / "a", "-o", tmp_path / "c", "--judge_workers", 0)
    assert (code, "0 of" in out) == (0, True)


def test_an_answer_on_which_the_code_of_a_task_fails_is_unjudged_and_the_others_are_judged(
    harness, tasks, server, tmp_path
):
    own = (tasks / "words.yaml").read_text().replace("own_words", "own_code").partition("filter_list:")[0]
    (tasks / "code.yaml").write_text(own + "process_results: !function code.judged\nmetadata: {version: 1.0}\n")
    (tasks / "code.py").write_text(
        "def judged(doc, results):\n    return {'exact_match': float(int(results[0].split('#### ')[1]) > 7)}\n"
    )
    code, _, err = run(harness, tasks, server.url, tmp_path / "a", task="own_code")
    assert code == 4, err
    found = read_run(tmp_path / "a")
    assert len(found.answers) == 18
    lost = [answer for answer in found.answers if answer.kind == "unjudged"]
    assert {"boxed" in answer.text for answer in lost} == {True}
    assert all("IndexError" in answer.reason for answer in lost)
    judged = [answer for answer in found.answers if answer.kind != "unjudged"]
    assert {answer.kind for answer in judged} == {"correct", "wrong"}
    assert {"boxed" in answer.text for answer in judged} == {False}


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
    assert harness("rescore", tmp_path / "b", "-r", "math", "-o", tmp_path / "c", "--judge_workers", 0)[0] == 0
    again, free = read_run(tmp_path / "c"), {"source": "", "latency_s": None, "judge_ms": None, "key": "", "seed": 0}
    assert again.problems == found.problems
    assert [each.model_copy(update=free) for each in again.answers] == [
        each.model_copy(update=free) for each in found.answers
    ]
    assert {**again.identity, "base_url": 0} == {**found.identity, "base_url": 0}


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


def test_a_likelihood_task_over_a_chat_is_one_clear_line(harness, tasks, server, tmp_path):
    code, _, err = run(harness, tasks, server.url, tmp_path / "a", task="own_choice")
    [line] = [line for line in err.splitlines() if line.startswith("error")]
    assert (code, "own_choice compares likelihoods" in line, "--model local-completions" in line) == (2, True, True)
    assert server.requests == []


def test_a_likelihood_task_over_text_completions_has_lm_evals_numbers(harness, tasks, server, tiny_model, tmp_path):
    arguments = f"base_url={server.url},model=stub,tokenizer={tiny_model}"
    for name in ("a", "b"):
        args = ("--model_args", arguments)
        code, out, err = run(harness, tasks, "local-completions", tmp_path / name, *args, task="own_choice,own_words")
        assert code == 0, err
    assert "own_choice" in out
    ours = lm_evals_numbers(tmp_path / "a", "own_choice")["acc,none"]
    found = read_run(tmp_path / "a")
    assert 0 < ours < 1
    choices = [answer.accuracy for answer in found.answers if answer.task == "own_choice"]
    assert sum(choices) / 18 == pytest.approx(ours)
    theirs = with_lm_eval(tasks, "own_choice", "local-completions", arguments.replace("/v1", "/v1/completions"))
    assert theirs["results"]["own_choice"]["acc,none"] == pytest.approx(ours)
    assert harness("compare", tmp_path / "a", tmp_path / "b")[0] == 0
    assert harness("gate", tmp_path / "a", "--baseline", tmp_path / "b", "--max-drop", "0.5")[0] == 0
    assert harness("report", tmp_path / "a", "-o", tmp_path / "r.html")[0] == 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (",tokenizer=/none/such", "give tokenizer=PATH"),
        (",tokenizer=TINY,max_retries=1", "gives no `logprobs` of a prompt with `echo`"),
    ],
)
def test_what_likelihoods_over_http_lack_is_one_line(harness, tasks, tiny_model, golds, tmp_path, more, words):
    with Stub(lambda _body, _number: {"raw": b'{"choices": [{"index": 0, "text": "no"}]}'}) as server:
        arguments = f"base_url={server.url},model=stub{more.replace('TINY', str(tiny_model))}"
        args = ("--model_args", arguments)
        code, _, err = run(harness, tasks, "local-completions", tmp_path / "a", *args, task="own_choice")
    assert (code, words in err) == (4 if "TINY" in more else 2, True), err
    assert len([line for line in err.splitlines() if line.startswith("error")]) == 1


def with_lm_eval(tasks, name, model, arguments, **options):
    """The same task under lm-eval alone."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    with catalog.quiet():
        return lm_eval.simple_evaluate(
            model=model, model_args=arguments, tasks=[name], task_manager=manager, bootstrap_iters=0, **options
        )


WAYS = {
    "text": ((), {}),
    "chat": (("--apply_chat_template",), {"apply_chat_template": True}),
    "few-shot": (("--num_fewshot", "2"), {"num_fewshot": 2, "fewshot_as_multiturn": True, "apply_chat_template": True}),
    "few-shot text": (("--num_fewshot", "2"), {"num_fewshot": 2}),
    "system": (("--system_instruction", "Be brief."), {"system_instruction": "Be brief.", "apply_chat_template": True}),
    "sampling": (
        ("--gen_kwargs", "temperature=0.7,top_p=0.9,max_gen_toks=64"),
        {"gen_kwargs": "temperature=0.7,top_p=0.9,max_gen_toks=64", "apply_chat_template": True},
    ),
}


@pytest.mark.parametrize(("way", "task"), [("chat", "own_group"), *((way, "own_words") for way in WAYS)])
def test_lm_evals_tasks_are_asked_as_lm_eval_asks_them(harness, tasks, golds, tmp_path, way, task):
    (tasks / "group.yaml").write_text("group: own_group\ntask: [own_words]\n")
    ours, theirs = WAYS[way]
    chat = "apply_chat_template" in theirs

    def rule(body, _number):
        prompt = body["messages"][-1]["content"] if chat else body["prompt"]
        asked = str(prompt).rpartition("Question:")[2]
        gold = next(answer for question, answer in golds.items() if question in asked)
        return {"text": f"so\n#### {gold if chance(asked) < 0.6 else 7}"}

    with Stub(rule) as server:
        kind = "local-chat-completions" if chat else "local-completions"
        args = ("--model_args", f"base_url={server.url},model=stub", *ours)
        code, _, err = run(harness, tasks, kind, tmp_path / "a", *args, task=task)
        assert code == 0, err
        mine = sorted(map(plain, server.requests), key=str)
        server.requests.clear()
        path = "/chat/completions" if chat else "/completions"
        arguments = f"base_url={server.url}{path},model=stub,tokenizer_backend=None,tokenized_requests=False"
        results = with_lm_eval(tasks, task, kind, arguments, **theirs)
        assert mine == sorted(map(plain, server.requests), key=str)
    assert results["results"]["own_words"]["exact_match,strict-match"] == pytest.approx(
        lm_evals_numbers(tmp_path / "a", "own_words")["exact_match,strict-match"]
    )


def plain(body):
    """A request without its seed: ours differ between problems, lm-eval sends one."""
    prompt = body.get("messages") or body["prompt"]
    if isinstance(prompt, list) and isinstance(prompt[0], str):
        [prompt] = prompt
    if isinstance(prompt, list):
        prompt = [{name: message[name] for name in ("role", "content")} for message in prompt]
    return prompt, body["model"], float(body["temperature"]), body.get("top_p"), body["max_tokens"], body["stop"]


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
