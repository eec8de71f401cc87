"""A real vLLM server, on the CPU: what a stub cannot prove. Runs where vllm and lm-eval are installed together."""

# ruff: noqa: PLW1510
import importlib.util
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from pathlib import Path

import pytest
from ports import free_port

pytestmark = [pytest.mark.engine, pytest.mark.slow]

START_S = 400
WHOLE_PROMPTS = 16_384
"""Tokens a step: where a prompt with a seed is read in parts, vLLM 0.32 on a CPU dies (`CPU Generator does not use offset`)."""
ENVIRONMENT = {
    **os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _vllm():
    if importlib.util.find_spec("vllm") is None:
        pytest.skip("vllm is not installed here; docs/harness.md says how to")


@pytest.fixture(scope="module")
def server(tiny_model, tmp_path_factory):
    port = free_port()
    log = tmp_path_factory.mktemp("vllm") / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [str(Path(sys.executable).with_name("vllm")), "serve", str(tiny_model), "--served-model-name", "tiny", "--dtype", "float32",
             "--enforce-eager", "--max-model-len", "512", "--max-num-batched-tokens", str(WHOLE_PROMPTS), "--host", "127.0.0.1", "--port", str(port)],
            env=ENVIRONMENT, stdout=file, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + START_S
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2)
                    break
                except OSError:
                    assert process.poll() is None, log.read_text()[-2000:]
                    assert time.monotonic() < deadline, log.read_text()[-2000:]
                    time.sleep(1)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(180)


def assert_repeats_differ(run: Path) -> None:
    """No two long answers to one problem are equal; short ones may be, a random model begins 2 % of its answers with the end."""
    long: dict[int, list[str]] = defaultdict(list)
    for line in (run / "answers.jsonl").read_text().splitlines():
        row = json.loads(line)
        assert (row.get("error"), row["tokens"] <= 16, row["finish_reason"] in {"stop", "length"}) == (None, True, True)
        if row["finish_reason"] == "length":
            long[row["doc_id"]].append(row["completion"])
    assert sum(map(len, long.values())) >= 8  # of 20; 18 in the mean
    assert all(len(set(texts)) == len(texts) for texts in long.values())


def test_repeats_on_a_real_server_are_different_answers(server, harness, small_data, tmp_path):
    code, _, err = harness(
        "run", "--model", server, "--tasks", "math500", "--limit", 5, "--repeats", 4, "--gen_kwargs", "max_gen_toks=16,temperature=1.0",
        "--data-dir", small_data, "-o", tmp_path / "run", "--judge_workers", 0,
    )  # fmt: skip
    assert code == 0, err
    assert_repeats_differ(tmp_path / "run")


def test_stock_lm_eval_gets_one_answer_four_times(server, small_data, tmp_path):
    """The fault that the engine's seeds cure; if this fails, lm-eval has fixed it."""
    from harness.catalog import TASKS

    tasks = tmp_path / "tasks"
    tasks.mkdir()
    (tasks / "math500.yaml").write_text(f"include: {TASKS}/math500.yaml\nrepeats: 4\n")
    done = subprocess.run(
        [sys.executable, "-m", "lm_eval", "--model", "local-chat-completions", "--model_args",
         f"model=tiny,base_url={server}/chat/completions", "--tasks", "math500", "--include_path", str(tasks), "--apply_chat_template",
         "--gen_kwargs", "max_gen_toks=16,temperature=1.0", "--limit", "5", "--output_path", str(tmp_path / "out"), "--log_samples"],
        env={**os.environ, "REWARDKIT_DATA": str(small_data), "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    [samples] = (tmp_path / "out").rglob("samples_*.jsonl")
    for line in samples.read_text().splitlines():
        assert len(set(json.loads(line)["resps"][0])) == 1


def test_vllm_in_this_process(tiny_model, small_data, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "run", "--model", "vllm", "--model_args",
         f"pretrained={tiny_model},dtype=float32,enforce_eager=True,max_model_len=512,max_num_batched_tokens={WHOLE_PROMPTS}", "--tasks", "math500", "--limit", "5",
         "--repeats", "4", "--gen_kwargs", "max_gen_toks=16,temperature=1.0", "--data-dir", str(small_data), "-o", str(tmp_path / "run"),
         "--json"],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=START_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["tasks"]["math500"]["answers"] == 20  # vLLM's own talk is not among the numbers
    assert_repeats_differ(tmp_path / "run")
