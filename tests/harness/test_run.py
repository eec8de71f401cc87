# ruff: noqa: E402, PLW1510
"""Whole runs through lm-eval: seeds, resume, failures, layout, bad input."""

import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from live import descendants, wait_for, wait_gone

pytestmark = pytest.mark.usefixtures("lm_eval")


REAL = pytest.mark.parametrize("lm_eval", [pytest.param("real", marks=pytest.mark.engine)], indirect=True)


"""For what the stand-in cannot do: models in this process, other processes, tasks of lm-eval's own."""


from harness.fake_server import Stub, answering
from harness.store import write_record
from rewardkit import load


@pytest.fixture
def bench(harness, small_data, tmp_path):
    """`harness run` on the small data into `tmp_path/run`."""

    def call(url, *args, out="run"):
        usual = {
            "--model": url,
            "--tasks": "math500",
            "--data-dir": small_data,
            "--output": tmp_path / out,
            "--judge_workers": 0,
        }
        return harness("run", *(word for name in usual.keys() - set(args) for word in (name, usual[name])), *args)

    return call


def rows(directory: Path, name="answers.jsonl"):
    return [json.loads(line) for line in (directory / name).read_text().splitlines()]


def states():
    """What a process has one of, and a run may use."""
    found = [
        dict(os.environ),
        random.getstate(),
        sys.path.copy(),
        Path.cwd(),
        logging.root.level,
        warnings.filters.copy(),
    ]
    found += [signal.getsignal(number) for number in signal.valid_signals()]
    found += map(repr, np.random.get_state())  # noqa: NPY002 - the state that others share
    if hasattr(sys.modules.get("torch"), "manual_seed"):
        found.append(sys.modules["torch"].random.get_rng_state().tolist())
    return found


def test_a_process_goes_on_after_a_run_as_if_there_had_been_none(bench, stub):
    assert bench(stub.url, out="before")[0] == 0  # what it imports may change some
    random.seed(7)
    np.random.seed(7)  # noqa: NPY002
    if hasattr(sys.modules.get("torch"), "manual_seed"):
        sys.modules["torch"].manual_seed(7)
    before = states()
    assert bench(stub.url, "--repeats", 2)[0] == 0
    assert states() == before


def test_a_run_ends_with_numbers_answers_and_lm_evals_files(bench, stub, tmp_path):
    code, out, err = bench(stub.url, "--repeats", 4)
    assert code == 0, err
    assert "math500" in out
    answers = rows(tmp_path / "run")
    assert len(answers) == 18 * 4
    assert {row["kind"] for row in answers} == {"correct", "wrong"}
    [results] = (tmp_path / "run" / "stub").glob("results_*.json")
    [samples] = (tmp_path / "run" / "stub").glob("samples_math500_*.jsonl")
    data = json.loads(results.read_text())
    share = sum(row["accuracy"] for row in answers) / len(answers)
    assert data["results"]["math500"]["accuracy,all"] == pytest.approx(share)
    assert data["rewardkit"]["math500"]["accuracy"]["value"] == pytest.approx(share)
    for key in (
        "results",
        "configs",
        "versions",
        "n-shot",
        "higher_is_better",
        "n-samples",
        "config",
        "git_hash",
        "date",
        "task_hashes",
        "model_source",
        "model_name",
        "model_name_sanitized",
        "chat_template",
        "total_evaluation_time_seconds",
    ):
        assert key in data, key
    row = json.loads(samples.read_text().splitlines()[0])
    assert len(row["resps"][0]) == 4
    assert {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    } <= set(row)


def test_tokens_and_cost_are_on_record_and_printed(bench, stub, tmp_path):
    _, out, err = bench(stub.url, "--price", "1,100", "--json")
    usage = json.loads(out)["usage"]
    tokens = sum(row["tokens"] for row in rows(tmp_path / "run"))
    assert (usage["answers"], usage["prompt"], usage["completion"]) == (18, 180, tokens)
    assert usage["cost"] == pytest.approx((180 + 100 * tokens) / 1e6)
    assert f"tokens: 180 prompt, {tokens:,} completion, cost" in err
    assert "tokens/s" in err


def test_each_repeat_has_a_seed_of_its_own_and_each_run_the_same(bench, stub, tmp_path):
    bench(stub.url, "--repeats", 4)
    seeds = [body["seed"] for body in stub.requests]
    assert len(set(seeds)) == 18 * 4
    bench(stub.url, "--repeats", 4, out="again")
    assert Counter(body["seed"] for body in stub.requests[72:]) == Counter(seeds)
    bench(stub.url, "--repeats", 4, "--seed", 1, out="other")
    assert not set(seeds) & {body["seed"] for body in stub.requests[144:]}


def test_a_failing_prompt_is_an_errored_sample_and_exit_4(bench, small_data, golds, tmp_path):
    right = answering(golds, 1.0)

    def rule(body, number):
        return {"status": 500, "text": "boom"} if "2 times 3" in str(body["messages"]) else right(body, number)

    with Stub(rule) as server:
        code, out, err = bench(server.url, "--model_args", "max_retries=1,retry_wait=0.001", "--repeats", 2)
    assert code == 4
    assert "could not be generated or judged" in err
    kinds = Counter(row["kind"] for row in rows(tmp_path / "run"))
    assert kinds == {"infra_error": 2, "correct": 34}
    assert "100.0" in out  # failed requests are not wrong answers


def test_resume_asks_only_for_what_failed(bench, golds, tmp_path):
    down = {"now": True}
    right = answering(golds, 1.0)

    def rule(body, number):
        return {"status": 500} if down["now"] and "times 3" in str(body["messages"]) else right(body, number)

    with Stub(rule) as server:
        args = ("--model_args", "max_retries=0,retry_wait=0.001")
        assert bench(server.url, *args)[0] == 4
        down["now"] = False
        before = len(server.requests)
        code, _, err = bench(server.url, *args, "--resume")
        assert code == 0, err
        assert len(server.requests) - before == 6
    assert Counter(row["kind"] for row in rows(tmp_path / "run")) == {"correct": 18}


def test_resume_of_a_finished_run_says_that_nothing_was_asked_and_keeps_its_date(bench, stub, tmp_path):
    bench(stub.url, "--limit", 2)
    path = tmp_path / "run" / "run.json"
    write_record(path.parent, {**json.loads(path.read_text()), "date": "2020-01-01T00:00:00+00:00"})
    code, _, err = bench(stub.url, "--limit", 2, "--resume")
    assert (code, "nothing was asked: all 2 answers are from before 2020-01-01T00:00:00+00:00;" in err) == (0, True), (
        err
    )
    assert json.loads(path.read_text())["date"] == "2020-01-01T00:00:00+00:00"
    smaller = {file: file.read_bytes() for file in path.parent.glob("*.json*") if not file.name.startswith("journal")}
    code, _, err = bench(stub.url, "--limit", 3, "--resume")
    assert (code, "3 answers in " in err, "2 of them from before" in err) == (0, True, True), err
    assert json.loads(path.read_text())["date"] > "2020-01-02"
    for file, content in smaller.items():  # as if it had been killed before it wrote the larger run
        file.write_bytes(content)
    code, _, err = bench(stub.url, "--limit", 3, "--resume")
    assert (code, "nothing was asked: all 3 answers are from before" in err) == (0, True), err
    assert json.loads(path.read_text())["date"] > "2020-01-02"


def test_more_repeats_later_keep_the_earlier_answers(bench, stub, tmp_path):
    bench(stub.url, "--repeats", 2)
    first = {row["key"] for row in rows(tmp_path / "run")}
    code, _, err = bench(stub.url, "--repeats", 4, "--resume")
    assert code == 0, err
    assert len(stub.requests) == 18 * 4
    assert first < {row["key"] for row in rows(tmp_path / "run")}


@REAL
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGINT])
def test_an_end_then_resume_sends_only_what_is_missing(signum, small_data, golds, tmp_path):
    killed = threading.Event()

    def rule(body, number):
        """From the 41st on no request is answered before the kill: then all four are under way, and nothing moves."""
        return {**answering(golds, 0.5)(body, number), "wait_s": 0 if number <= 40 or killed.is_set() else 600}

    with Stub(rule) as server:
        args = [
            *("env", "--default-signal=INT"),
            sys.executable,
            "-m",
            "harness.cli",
            "run",
            "--model",
            server.url,
            "--tasks",
            "math500",
            "--repeats",
            "8",
            "--concurrency",
            "4",
            "--data-dir",
            str(small_data),
            "-o",
            str(tmp_path / "run"),
            "--judge_workers",
            "1",
        ]
        environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
        process = subprocess.Popen(args, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: len(server.requests) == 44 or process.poll() is not None)
        workers = descendants(process.pid)
        os.kill(process.pid, signum)
        _, err = process.communicate()
        killed.set()
        if signum == signal.SIGINT:
            assert process.returncode == 130
            assert err.endswith("interrupted; continue with the same command and --resume, 40 answers are done\n")
        assert workers
        wait_gone(*workers)
        kept = len((tmp_path / "run" / "journal.jsonl").read_text().splitlines())
        assert 30 <= kept <= 40
        done = subprocess.run([*args, "--resume"], env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) - 44 == 18 * 8 - kept
    answers = rows(tmp_path / "run")
    assert len({row["key"] for row in answers}) == len(answers) == 18 * 8
    assert len(rows(tmp_path / "run", "journal.jsonl")) == 18 * 8


def test_equal_answers_are_judged_once(bench, tmp_path):
    with Stub(lambda *_: {"text": "so \\boxed{6}"}) as server:
        bench(server.url, "--repeats", 8)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    # each distinct (ground truth, answer) pair once: golds 6..35, some twice
    assert record["submitted"] == 18 * 8
    assert record["judged"] <= 18


@pytest.mark.parametrize("opening", ["<think>", "  <think>\n", ""])
def test_the_judge_sees_the_thoughts_as_they_came_and_the_answer_after_them(opening, bench, harness, tmp_path):
    text = f"{opening}maybe \\boxed{{1}}</think>\n\nso \\boxed{{6}}"
    with Stub(lambda *_: {"text": text, "tokens": 9}) as server:
        bench(server.url, "--limit", 1)
    assert (
        harness("rescore", tmp_path / "run", "-o", tmp_path / "again", "-r", "think_format", "--judge_workers", 0)[0]
        == 0
    )
    think_format = load("think_format")
    [row], [again] = rows(tmp_path / "run"), rows(tmp_path / "again")
    assert (row["completion"], row["kind"]) == (again["completion"], "correct") == (text, "correct")
    assert again["reward"] == think_format(completions=[text])[0]


def test_a_thought_cut_off_is_truncated_not_right(bench, tmp_path):
    with Stub(lambda *_: {"text": "<think>it is \\boxed{6} but", "finish_reason": "length"}) as server:
        bench(server.url, "--limit", 1)
    [row] = rows(tmp_path / "run")
    assert (row["kind"], row["accuracy"]) == ("truncated", 0)


@pytest.mark.parametrize("thought", [None, "so it is 6"])
def test_an_answer_without_text_is_a_row_and_judged_again_as_it_was(thought, bench, harness, tmp_path):
    with Stub(lambda *_: {"text": "", "reasoning_content": thought}) as server:
        code, _, err = bench(server.url, "--limit", 1)
    assert code == 0, err
    assert harness("rescore", tmp_path / "run", "-o", tmp_path / "again", "--judge_workers", 0)[0] == 0
    first, again = rows(tmp_path / "run"), rows(tmp_path / "again")
    assert [(row.get("text", row["completion"]), row.get("reasoning"), row["kind"]) for row in first] == [
        ("", thought, "no_answer")
    ]
    for row in (*first, *again):
        del row["judge_ms"]
    assert again == first


def test_the_reward_of_the_run_replaces_the_tasks_own(bench, stub, tmp_path):
    code, _, err = bench(stub.url, "-r", "math(wrong=-1.0)", "--limit", 4)
    assert code == 0, err
    assert {row["reward"] for row in rows(tmp_path / "run")} <= {1.0, -1.0}


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--tasks", "math50"], "did you mean 'math500'?"),
        (["--tasks", "aime24"], "no data for 'aime24'"),
        (["--repeats", "0"], "1 or more"),
        (["--limit", "0"], "1 or more"),
        (["-r", "maths"], "did you mean 'math'?"),
        (["--model", "vlm"], "did you mean 'vllm'?"),
        (["--model_args", "base_url"], "name=value"),
        (["--model_args", "temprature=1"], "temprature"),
        (["--data-dir", "/nowhere"], "not a directory"),
        (["--output", "/proc/run"], "cannot write"),
        (["--include_path", "/nowhere"], "not a directory"),
        (["--tools", "code_interpreter", "--max_turns", "0"], "1 or more"),
    ],
)
def test_a_mistake_is_one_clear_line_before_any_request(bench, stub, args, told):
    code, _, err = bench(stub.url, *args)
    lines = [line for line in err.splitlines() if line.startswith("error")]
    assert code == 2
    assert told in lines[0]
    assert "Traceback" not in err
    assert stub.requests == []


def test_a_directory_with_a_run_is_not_overwritten(bench, stub):
    bench(stub.url, "--limit", 2)
    code, _, err = bench(stub.url, "--limit", 2)
    assert (code, "--resume" in err) == (2, True)
    code, _, err = bench(stub.url, "--limit", 2, "--seed", 5, "--resume")
    assert (code, "another seed" in err) == (5, True)


def test_an_edited_journal_is_refused(bench, stub, tmp_path):
    bench(stub.url, "--limit", 2)
    path = tmp_path / "run" / "journal.jsonl"
    path.write_text(path.read_text().replace("boxed{", "boxed{1", 1))
    code, _, err = bench(stub.url, "--limit", 2, "--resume")
    assert (code, "line 1 was changed" in err) == (2, True)


def test_run_and_check_say_which_rows_are_not_asked(bench, harness, stub, small_data, tmp_path):
    first, *more = (small_data / "math500.jsonl").read_text().splitlines()
    (tmp_path / "data").mkdir()
    lines = [first, first, *more, '{"problem": "Prove it.", "answer": null}', first]
    (tmp_path / "data" / "math500.jsonl").write_text("\n".join(lines))
    code, _, err = bench(stub.url, "--data-dir", tmp_path / "data", "--limit", 1)
    assert code == 0, err
    why = "2 left out (the same problem as an earlier row: rows 2, 21), 1 left out (no answer: rows 20)"
    assert f"math500: 18 of 21 rows, {why}\n" in err
    data = json.loads((tmp_path / "run" / "run.json").read_text())["tasks"]["math500"]["data"]
    assert data["rows"] == 21
    assert data["dropped"] == {
        "the same problem as an earlier row": {"count": 2, "first": [2, 21]},
        "no answer": {"count": 1, "first": [20]},
    }
    code, out, err = harness("tasks", "--check", "math500", "--data-dir", tmp_path / "data")
    assert code == 0, err
    assert out == f"math500: 18 rows, gold right 18/18, wrong refused 18/18, {why}\n"


@pytest.mark.parametrize(
    "less",
    [
        ("--limit", 4, "--repeats", 2),
        ("--limit", 5, "--repeats", 1),
        ("--limit", 5, "--repeats", 2, "--tasks", "gsm8k"),
    ],
)
def test_resume_drops_no_result(bench, stub, tmp_path, less):
    whole = ("--limit", 5, "--repeats", 2)
    assert bench(stub.url, *whole)[0] == 0
    before = rows(tmp_path / "run")
    code, _, err = bench(stub.url, *less, "--resume")
    assert (code, err.count("\n"), "--resume drops none" in err) == (2, 1, True), err
    assert rows(tmp_path / "run") == before
    assert bench(stub.url, "--tasks", "math500,gsm8k", "--repeats", 3, "--limit", 6, "--resume")[0] == 0
    assert len(rows(tmp_path / "run")) == 2 * 6 * 3


def test_rescore_judges_saved_answers_without_sampling(bench, harness, stub, tmp_path):
    bench(stub.url, "--repeats", 2)
    before, sent = rows(tmp_path / "run"), len(stub.requests)
    code, out, err = harness("rescore", tmp_path / "run", "-o", tmp_path / "again", "--judge_workers", 0)
    assert code == 0, err
    assert "0 of 36 answers" in out
    again = rows(tmp_path / "again")
    assert [(row["kind"], row["reward"]) for row in again] == [(row["kind"], row["reward"]) for row in before]
    again = ("-o", tmp_path / "again", "--judge_workers", 0)
    assert harness("rescore", tmp_path / "run", "-r", "math(wrong=-1.0)", *again)[0] == 2
    harness("rescore", tmp_path / "run", "-r", "math(wrong=-1.0)", *again, "--overwrite")
    assert {row["reward"] for row in rows(tmp_path / "again")} == {1.0, -1.0}
    assert rows(tmp_path / "run") == before
    assert len(stub.requests) == sent


@REAL
def test_hf_is_wrapped_and_repeats_differ(harness, small_data, tiny_model, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    code, _, err = harness(
        "run",
        "--model",
        tiny_model,
        "--model_args",
        "dtype=float32",
        "--tasks",
        "math500",
        "--limit",
        2,
        "--repeats",
        3,
        "--gen_kwargs",
        "max_gen_toks=12,temperature=1.0",
        "--data-dir",
        small_data,
        "-o",
        tmp_path / "run",
        "--judge_workers",
        0,
    )
    assert code == 0, err
    found = rows(tmp_path / "run")
    assert len(found) == 6
    assert len({row["completion"] for row in found}) > 3
    assert all(row["tokens"] <= 13 for row in found)
    assert any(row.get("truncated") for row in found)
