"""Four harnesses on one failing server: requests sent, answers lost, wrong verdicts, time. Each keeps its own defaults.

Every third question fails twice before it is answered; then outages and refusals of all requests. Each harness gets 16 connections and,
where it has the option, 3 s for one try.

    python -m benchmarks harness_faults --lighteval VENV/bin/python [--only NAME,...] [--faults NAME,...] [--out FILE.jsonl]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks._common import load_average, machine, table, today, version
from harness.fake_server import FAULTS, Reply, Stub, question_of

NUMBERS = {f"What is {a} times {b}?": a * b for a in range(3, 11) for b in range(11, 17)}
TRY_S = 3
LIMIT_S = 150
OUTAGE_S = 20
Verdicts = dict[str, bool | None]
LATE: Mapping[str, Reply] = {
    "429 with Retry-After": {"status": 429, "headers": {"Retry-After": "1"}},
    "503 with Retry-After": {"status": 503, "headers": {"Retry-After": "1"}},
    "a stall": {"wait_s": 600, "text": "late"},
}
SHORT = {name: LATE.get(name, reply) for name, reply in FAULTS.items()}
OUTAGES: Mapping[str, Reply] = {
    f"all 503 for {OUTAGE_S} s": {"status": 503},
    f"all 429 for {OUTAGE_S} s, Retry-After: {OUTAGE_S}": {"status": 429, "headers": {"Retry-After": str(OUTAGE_S)}},
    f"all closed for {OUTAGE_S} s": {"drop": "before"},
}
REFUSALS: Mapping[str, Reply] = {
    "401, always": {"status": 401, "error": {"message": "no such key"}},
    "400, always": {"status": 400, "error": {"message": "unknown field seed"}},
}


@dataclass
class Outcome:
    harness: str
    fault: str
    ended: str
    """Exit code, or that the time was up."""
    sent: int
    first_s: float | None
    wall_s: float
    judged: int
    """Questions with the verdict that their answer deserves."""
    wrong: int
    """Questions with another verdict."""
    load: str


def answer(question: str) -> str:
    """Right for three of five questions."""
    number = NUMBERS[question]
    return f"We multiply. The answer is \\boxed{{{number if deserves(question) else number + 1}}}."


def deserves(question: str) -> bool:
    return list(NUMBERS).index(question) % 5 < 3


def failing(fault: str) -> Callable[[Mapping[str, Any], int], Reply]:
    """The rule of a server with this fault."""
    tries: Counter[str] = Counter()
    start: list[float] = []

    def rule(body: Mapping[str, Any], _number: int) -> Reply:
        start[:] = start or [time.monotonic()]
        question = next((each for each in NUMBERS if each in question_of(body)), None)
        if fault in REFUSALS:
            return REFUSALS[fault]
        if fault in OUTAGES and time.monotonic() < start[0] + OUTAGE_S:
            return OUTAGES[fault]
        if question is None:
            return {"text": "Hi"}
        tries[question] += 1
        if fault in SHORT and list(NUMBERS).index(question) % 3 == 0 and tries[question] <= 2:
            return SHORT[fault]
        return {"text": answer(question), "tokens": 12}

    return rule


def ours(folder: Path, url: str) -> list[str]:
    (folder / "tasks").mkdir()
    (folder / "tasks" / "times.yaml").write_text(
        "include: _base_yaml\ntask: times\ndataset_kwargs: {files: [../rows.jsonl], reward: math}\n"
    )
    args = ["--model", url, "--model_args", f"timeout={TRY_S}", "--concurrency", "16", "--tasks", "times"]
    return [sys.executable, "-m", "harness.cli", "run", *args, "--include_path", "tasks", "-o", "out"]


def read_ours(folder: Path) -> Verdicts:
    problems = {row["doc_id"]: row["question"] for row in lines(folder / "out" / "problems.jsonl")}
    rows = lines(folder / "out" / "answers.jsonl")
    return {problems[row["doc_id"]]: None if row["accuracy"] is None else row["accuracy"] == 1 for row in rows}


def lm_eval(folder: Path, url: str) -> list[str]:
    (folder / "times.yaml").write_text(r"""
task: times
dataset_path: json
dataset_kwargs: {data_files: {test: rows.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{problem}}"
doc_to_target: "{{answer}}"
generation_kwargs: {until: [], max_gen_toks: 512}
metric_list: [{metric: exact_match}]
filter_list: [{name: boxed, filter: [{function: regex, regex_pattern: 'boxed\{(-?\d+)\}'}, {function: take_first}]}]
""")
    args = f"model=stub,base_url={url}/chat/completions,num_concurrent=16,timeout={TRY_S}"
    told = ["--model", "local-chat-completions", "--model_args", args, "--tasks", "times", "--include_path", "."]
    return [sys.executable, "-m", "lm_eval", *told, "--apply_chat_template", "--output_path", "out", "--log_samples"]


def read_lm_eval(folder: Path) -> Verdicts:
    found = sorted((folder / "out").rglob("samples_*.jsonl"))
    return {row["doc"]["problem"]: row["exact_match"] == 1 for row in lines(found[-1])} if found else {}


def inspect(folder: Path, url: str) -> list[str]:
    (folder / "times.py").write_text(r"""
from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import pattern
from inspect_ai.solver import generate

@task
def times():
    rows = json_dataset("rows.jsonl", FieldSpec(input="problem", target="answer"))
    return Task(dataset=rows, solver=generate(), scorer=pattern(r"boxed\{(-?\d+)\}"))
""")
    told = [
        "--model",
        "openai-api/stub/stub",
        "--model-base-url",
        url,
        "--max-connections",
        "16",
        "--log-format",
        "json",
    ]
    told += ["--attempt-timeout", str(TRY_S), "--log-dir", "out", "--display", "plain"]
    return [sys.executable, "-c", "from inspect_ai._cli.main import main; main()", "eval", "times.py", *told]


def read_inspect(folder: Path) -> Verdicts:
    found = sorted((folder / "out").glob("*.json"))
    rows = json.loads(found[-1].read_text()).get("samples") or [] if found else []
    return {
        row["input"]: next((score["value"] == "C" for score in (row.get("scores") or {}).values()), None)
        for row in rows
    }


def lighteval(python: str, folder: Path, url: str) -> list[str]:
    (folder / "data").mkdir()
    (folder / "data" / "test.jsonl").write_bytes((folder / "rows.jsonl").read_bytes())
    (folder / "times.py").write_text(r"""
import re
from lighteval.metrics.metrics_sample import ExactMatches
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

def mean(values):
    return sum(values) / len(values)

def boxed(text):
    return (re.findall(r"boxed\{(-?\d+)\}", text) or [""])[0]

def prompt(line, task_name=None):
    return Doc(task_name=task_name, query=line["problem"], choices=[line["answer"]], gold_index=0)

metric = SampleLevelMetric(metric_name="em", sample_level_fn=ExactMatches(normalize_pred=boxed),
    category=SamplingMethod.GENERATIVE, corpus_level_fn=mean, higher_is_better=True)
TASKS_TABLE = [LightevalTaskConfig(name="times", prompt_function=prompt, hf_repo="data", hf_subset="default",
    hf_avail_splits=["test"], evaluation_splits=["test"], metrics=[metric], generation_size=512, stop_sequence=[])]
""")
    (folder / "model.yaml").write_text(
        f"model_parameters:\n  model_name: openai/stub\n  provider: openai\n  base_url: {url}\n  api_key: k\n"
        f"  concurrent_requests: 16\n  timeout: {TRY_S}\n  max_model_length: 4096\n  cache_dir: {folder}/cache\n"
    )
    told = [
        "endpoint",
        "litellm",
        "model.yaml",
        "times|0",
        "--custom-tasks",
        "times.py",
        "--output-dir",
        "out",
        "--save-details",
    ]
    return [python, "-c", "from lighteval.__main__ import app; app()", *told]


def read_lighteval(folder: Path) -> Verdicts:
    import pandas as pd

    found = sorted((folder / "out").rglob("details_*.parquet"))
    rows = pd.read_parquet(found[-1]).to_dict("records") if found else []
    return {row["doc"]["query"]: row["metric"]["em"] == 1 for row in rows}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def measure(
    name: str, fault: str, command: Callable[[Path, str], list[str]], read: Callable[[Path], Verdicts]
) -> Outcome:
    first: list[float] = []
    rule = failing(fault)

    def noting(body: Mapping[str, Any], number: int) -> Reply:
        first[:] = first or [time.monotonic()]
        return rule(body, number)

    with tempfile.TemporaryDirectory() as place, Stub(noting) as stub:
        folder = Path(place)
        rows = [{"problem": question, "answer": str(number)} for question, number in NUMBERS.items()]
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        told = command(folder, stub.url)
        keys = {
            "OPENAI_API_KEY": "k",
            "STUB_API_KEY": "k",
            "HF_HUB_OFFLINE": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        home = {"HF_DATASETS_CACHE": str(folder / "hf"), "INSPECT_LOG_DIR": str(folder / "out")}
        start = time.monotonic()
        with (folder / "said").open("wb") as said:
            process = subprocess.Popen(
                told, cwd=folder, env={**os.environ, **keys, **home}, stdout=said, stderr=said, start_new_session=True
            )
            try:
                ended = f"exit {process.wait(LIMIT_S)}"
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                ended = f"not ended in {LIMIT_S} s"
        wall_s = time.monotonic() - start
        verdicts = {question.strip(): verdict for question, verdict in read(folder).items() if verdict is not None}
        if ended != "exit 0":
            print((folder / "said").read_text(errors="replace")[-1500:], file=sys.stderr)
    right = sum(deserves(question) is verdict for question, verdict in verdicts.items())
    return Outcome(
        name, fault, ended, len(stub.requests), first[0] - start if first else None, wall_s, right, len(verdicts) - right, load_average()
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lighteval", help="Python of an environment with lighteval[litellm]")
    parser.add_argument("--only", default="harness,lm-eval,inspect_ai,lighteval")
    parser.add_argument("--faults", help="all where absent", default="")
    parser.add_argument(
        "--out", type=Path, help="append each measurement here; those that stand there are not taken again"
    )
    given = parser.parse_args()
    harnesses = {
        "harness": (ours, read_ours),
        "lm-eval": (lm_eval, read_lm_eval),
        "inspect_ai": (inspect, read_inspect),
        "lighteval": (lambda folder, url: lighteval(given.lighteval, folder, url), read_lighteval),
    }
    faults = ["none", *SHORT, *OUTAGES, *REFUSALS]
    found = [Outcome(**row) for row in lines(given.out)] if given.out else []
    for fault in given.faults.split(";") if given.faults else faults:
        for name in given.only.split(","):
            if any((each.harness, each.fault) == (name, fault) for each in found) or (
                name == "lighteval" and not given.lighteval
            ):
                continue
            found.append(measure(name, fault, *harnesses[name]))
            print(found[-1], file=sys.stderr, flush=True)
            if given.out:
                with given.out.open("a") as file:
                    file.write(json.dumps(asdict(found[-1])) + "\n")
    versions = ", ".join(f"{name} {version(name)}" for name in ("rewardkit", "lm_eval", "inspect_ai"))
    print(f"{today()}; {machine()}; {versions}; {len(NUMBERS)} questions\n")
    print(shown(found, faults))


def shown(found: list[Outcome], faults: list[str]) -> str:
    """A row for each fault, a column for each harness: questions without a verdict / with a wrong one, requests, seconds."""
    names = list(dict.fromkeys(each.harness for each in found))
    cells = {(each.fault, each.harness): cell(each) for each in found}
    rows = [[fault, *(cells.get((fault, name), "") for name in names)] for fault in faults]
    return table(["fault", *names], rows)


def cell(each: Outcome) -> str:
    lost = len(NUMBERS) - each.judged - each.wrong
    ended = "" if each.ended == "exit 0" else f"; {each.ended}"
    return f"{lost} / {each.wrong}, {each.sent} sent, {each.wall_s:.0f} s{ended}"


if __name__ == "__main__":
    main()
