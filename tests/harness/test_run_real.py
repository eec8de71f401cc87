"""Whole runs with lm-eval itself: models in this process, the same task under stock lm-eval, tasks of its own kind."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from harness.fake_server import Stub, answering

REAL = pytest.mark.parametrize("lm_eval", [pytest.param("real", marks=pytest.mark.engine)], indirect=True)


def rows(directory: Path, name="answers.jsonl"):
    return [json.loads(line) for line in (directory / name).read_text().splitlines()]


pytestmark = pytest.mark.usefixtures("lm_eval")


@REAL
def test_the_same_yaml_under_stock_lm_eval_gives_equal_scores(small_data, golds, tmp_path, harness):
    rule = answering(golds, 0.6)

    def seedless(body, number):
        return rule({**body, "seed": 0}, number)

    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "REWARDKIT_DATA": str(small_data)}
    path = subprocess.run(
        [sys.executable, "-m", "harness.cli", "tasks", "--path"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with Stub(seedless) as server:
        stock = subprocess.run(  # noqa: PLW1510
            [
                sys.executable,
                "-m",
                "lm_eval",
                "--model",
                "local-chat-completions",
                "--model_args",
                f"model=stub,base_url={server.url}/chat/completions,num_concurrent=4",
                "--tasks",
                "math500,gsm8k",
                "--include_path",
                path,
                "--apply_chat_template",
                "--output_path",
                str(tmp_path / "stock"),
                "--log_samples",
            ],
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert stock.returncode == 0, stock.stderr[-2000:]
        code, _, err = harness(
            "run",
            "--model",
            server.url,
            "--tasks",
            "math500,gsm8k",
            "--data-dir",
            small_data,
            "-o",
            tmp_path / "ours",
            "--judge_workers",
            0,
        )
        assert code == 0, err
    [theirs] = (tmp_path / "stock").rglob("results_*.json")
    [ours] = (tmp_path / "ours").rglob("results_*.json")
    a, b = json.loads(theirs.read_text())["results"], json.loads(ours.read_text())["results"]
    for task in ("math500", "gsm8k"):
        for metric in ("accuracy,all", "score,all", "reward,all"):
            assert a[task][metric] == b[task][metric]
        assert 0 < a[task]["accuracy,all"] < 1


@REAL
def test_tasks_of_lm_evals_own_kind_run_too_and_keep_their_metric(harness, small_data, golds, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "own.yaml").write_text(
        "task: own_exact\ndataset_path: json\n"
        f"dataset_kwargs: {{data_files: {{test: {small_data / 'math500.jsonl'}}}}}\n"
        'test_split: test\noutput_type: generate_until\ndoc_to_text: "{{problem}}"\ndoc_to_target: "{{answer}}"\n'
        "generation_kwargs: {until: []}\n"
        "metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]\n"
    )

    def rule(body, number):
        question = body["messages"][-1]["content"]
        return {"text": golds[question] if "times 3" in question else "no idea"}

    with Stub(rule) as server:
        code, _, err = harness(
            "run", "--model", server.url, "--tasks", "own_exact", "--include_path", own, "-o", tmp_path / "run"
        )
    assert code == 0, err
    assert Counter(row["kind"] for row in rows(tmp_path / "run")) == {"correct": 6, "wrong": 12}
