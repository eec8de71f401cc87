"""A run handed to real trackers, offline, and to a stub of the hub."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from harness import trackers
from harness.trackers import TRACKERS

pytestmark = pytest.mark.usefixtures("lm_eval")
REAL = pytest.mark.parametrize("lm_eval", [pytest.param("real", marks=pytest.mark.engine)], indirect=True)


def in_a_process(folder, told, **environment):
    """`harness TOLD` in `folder`; trackers keep threads and settings for the life of a process."""
    quiet = {"WANDB_SILENT": "true", "TRACKIO_DIR": str(folder / "trackio"), "HF_HUB_OFFLINE": "0", **environment}
    return subprocess.run(
        [sys.executable, "-c", "import sys; from harness.cli import main; main(sys.argv[1:])", *told],
        cwd=folder, env={**os.environ, **quiet}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def told(stub, small_data):
    """A run's arguments but for its trackers."""
    options = "--tasks math500 -o run --judge_workers 0 --repeats 2 --name mine --json"
    return ["run", "--model", stub.url, "--data-dir", str(small_data), *options.split()]


@pytest.fixture
def logged(lm_eval, told, tmp_path):
    """A run with trackers: its exit code, its table, what it said."""

    def call(log, **environment):
        done = in_a_process(tmp_path, [*told, "--log", log], **environment)
        return done.returncode, json.loads(done.stdout or "null"), done.stderr

    return call


def accuracy(table):
    return table["tasks"]["math500"]["accuracy"]["value"]


@REAL
def test_wandb_has_the_figures(logged, tmp_path):
    pytest.importorskip("wandb")
    code, table, err = logged("wandb:mode=offline")
    assert code == 0, err
    [file] = tmp_path.glob("wandb/offline-run-*/*.wandb")
    content = file.read_bytes()
    assert b"math500/accuracy" in content
    assert str(accuracy(table)).encode() in content


@REAL
def test_mlflow_has_the_figures(logged, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    code, table, err = logged(f"mlflow:tracking_uri={uri},experiment=e")
    assert code == 0, err
    client = mlflow.MlflowClient(uri)
    [run] = client.search_runs([client.get_experiment_by_name("e").experiment_id])
    assert (run.info.run_name, run.data.metrics["math500/accuracy"]) == ("mine", accuracy(table))
    assert "math500/pass_at_2" in run.data.metrics


@REAL
def test_trackio_has_the_figures(logged, tmp_path):
    pytest.importorskip("trackio")
    code, table, err = logged("trackio:project=p")
    assert code == 0, err
    found = b"".join(path.read_bytes() for path in (tmp_path / "trackio").rglob("*") if path.is_file())
    assert b"math500/accuracy" in found
    assert str(accuracy(table)).encode() in found


@REAL
def test_tensorboard_has_the_figures(logged, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    code, _, err = logged("tensorboard:logdir=tb,step=7")
    assert code == 0, err
    events = EventAccumulator(str(tmp_path / "tb" / "mine"))
    events.Reload()
    tags = events.Tags()
    assert "math500/accuracy" in {*tags["scalars"], *tags["tensors"]}


class Hub(BaseHTTPRequestHandler):
    """As much of the hub's API as an upload needs."""

    commits: list[bytes]

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = {"url": "https://huggingface.co/datasets/me/results", "name": "me/results", "id": "1"}
        if "preupload" in self.path:
            files = [
                {"path": each["path"], "uploadMode": "regular", "shouldIgnore": False}
                for each in json.loads(body)["files"]
            ]
            answer = {"files": files}
        elif "/commit/" in self.path:
            self.server.commits.append(body)
            answer = {
                "success": True,
                "commitOid": "0" * 40,
                "commitUrl": "https://huggingface.co/datasets/me/results/commit/" + "0" * 40,
            }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        data, here = self.server.record, self.path.endswith("run.json")
        self.send_response(200 if data and here else 404)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Error-Code", "EntryNotFound")
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("ETag", "1")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def hub():
    """The environment of a process that takes a stub for the hub, that stub, and the paths of the files that were pushed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.commits, server.record = [], b""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield (
        {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "HF_TOKEN": "hf_x"},
        server,
        lambda: {json.loads(line)["value"].get("path") for commit in server.commits for line in commit.splitlines()},
    )
    server.shutdown()
    server.server_close()


@REAL
def test_a_run_is_pushed_to_a_dataset(logged, hub, told, tmp_path):
    environment, server, pushed = hub
    code, _, err = logged("hub:repo=me/results", **environment)
    assert code == 0, err
    assert {"mine/run.json", "mine/answers.jsonl", "mine/problems.jsonl"} <= pushed()
    server.record = b'{"identity": {"seed": 1}}'
    told += ["--resume"]
    code, _, err = logged("hub:repo=me/results", HF_HOME=str(tmp_path / "hub"), **environment)
    assert (code, len(server.commits)) == (4, 1), err
    assert "another run named 'mine'" in err


@REAL
def test_a_tracker_that_takes_nothing_leaves_the_run_and_a_line(logged, tmp_path):
    code, _, err = logged("hub:repo=me/results", HF_HUB_OFFLINE="1")
    assert code == 4
    assert "the run is written to run, but hub did not take it" in err.splitlines()[-1]
    assert (tmp_path / "run" / "answers.jsonl").is_file()


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("sheet", f"no tracker 'sheet'; there are {', '.join(TRACKERS)}"),
        ("hub", "hub:repo=owner/name"),
        ("copy", "copy:to=URL"),
        ("hub:x", "name=value"),
    ],
)
def test_a_tracker_that_cannot_be_is_told_before_anything_is_asked(harness, told, stub, log, said):
    code, _, err = harness(*told, "--log", log)
    assert (code, stub.requests) == (2, [])
    assert said in err


def test_a_run_is_copied_to_storage(harness, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = harness(*told, "--log", f"copy:to=file://{tmp_path}/bucket")
    assert code == 0, err
    there, here = tmp_path / "bucket" / "mine", tmp_path / "run"
    assert {path.relative_to(there) for path in there.rglob("*")} == {
        path.relative_to(here) for path in here.rglob("*")
    }


@pytest.mark.long
def test_a_copy_is_replaced_by_the_same_run_alone(harness, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = ("--log", f"copy:to=file://{tmp_path}/bucket")
    place = told.index("--limit") if "--limit" in told else None
    less = (*told, "--limit", 1) if place is None else (*told[: place + 1], 1, *told[place + 2 :])
    assert harness(*less, *log)[0] == 0
    time.sleep(1.1)  # dates are in seconds
    record = tmp_path / "bucket" / "mine" / "run.json"
    record.with_name("answers.jsonl").unlink()
    assert harness(*told, *log, "--resume")[0] == 0
    assert record.with_name("answers.jsonl").is_file()
    kept = {path: path.read_bytes() for path in record.parent.rglob("*") if path.is_file()}
    for more in (("-o", "other"), ("-o", "another", "--seed", 1)):
        place = told.index("-o")
        code, _, err = harness(*told[:place], *told[place + 2 :], *more, *log)
        assert code == 4
        assert "another run named 'mine'; give this one a --name" in err
        assert {path: path.read_bytes() for path in record.parent.rglob("*") if path.is_file()} == kept


def test_runs_of_no_name_go_to_the_log_directory(harness, told, tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDKIT_LOG_DIR", str(tmp_path / "logs"))
    place = told.index("-o")
    code, _, err = harness(*told[:place], *told[place + 2 :])
    assert code == 0, err
    assert [path.parent.parent for path in tmp_path.rglob("answers.jsonl")] == [tmp_path / "logs"]


@REAL
def test_lm_evals_own_trackers_keep_working(small_data, tmp_path):
    pytest.importorskip("wandb")
    told = "lm-eval --model dummy --tasks math500 --limit 2 --wandb_args mode=offline,project=p --output_path out"
    done = in_a_process(tmp_path, told.split(), REWARDKIT_DATA=str(small_data))
    assert done.returncode == 0, done.stderr[-2000:]
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


@REAL
def test_lm_evals_own_hub_arguments_keep_working(small_data, tmp_path, hub):
    environment, _, pushed = hub
    told = "lm-eval --model dummy --tasks math500 --limit 2 --output_path out --hf_hub_log_args"
    options = "hub_results_org=me,push_results_to_hub=True,results_repo_name=results"
    in_a_process(tmp_path, [*told.split(), options], REWARDKIT_DATA=str(small_data), **environment)
    [path] = pushed() - {None}  # lm-eval reads the results back for its card: more than this stub can
    assert "results_" in path


class Package:
    """Notes each call of a tracker's package, of what that gives, and so on."""

    def __init__(self, notes, name=""):
        self._notes, self._name = notes, name

    def __getattr__(self, name):
        return Package(self._notes, f"{self._name}.{name}".lstrip("."))

    def __call__(self, *args, **options):
        self._notes.append((self._name, args, options))
        if self._name == "HfApi.file_exists":
            return False
        if self._name == "system.cat_file":
            raise FileNotFoundError
        return (Package(self._notes, "system"), "there") if self._name == "url_to_fs" else self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._notes.append(("end", (), {}))


ENTRY = trackers.Entry("mine", {"seed": 0}, {"t/pass@2": 0.5}, Path("run"), {})
SENT = {
    "wandb": [("init", (), {"project": "rewardkit", "name": "mine", "config": {"seed": 0}, "x": 1}), ("init.log", ({"t/pass@2": 0.5},), {}), ("init.finish", (), {})],
    "trackio": [("init", (), {"project": "rewardkit", "name": "mine", "config": {"seed": 0}, "embed": False, "x": 1}), ("log", ({"t/pass@2": 0.5},), {}), ("finish", (), {})],
    "mlflow": [("set_tracking_uri", ("u",), {}), ("set_experiment", ("rewardkit",), {}), ("start_run", (), {"run_name": "mine", "x": 1}),
               ("log_dict", ({"seed": 0}, "identity.json"), {}), ("log_metrics", ({"t/pass_at_2": 0.5},), {}), ("end", (), {})],
    "tensorboard": [("Writer", ("tensorboard/mine",), {}), ("Writer.add_scalar", ("t/pass@2", 0.5), {"step": 7}), ("Writer.close", (), {})],
    "hub": [("HfApi", (), {"endpoint": None}), ("HfApi.create_repo", (), {"repo_id": "o/r", "repo_type": "dataset", "private": True, "exist_ok": True}),
            ("HfApi.file_exists", (), {"repo_id": "o/r", "repo_type": "dataset", "filename": "mine/run.json"}),
            ("HfApi.upload_folder", (), {"repo_id": "o/r", "repo_type": "dataset", "folder_path": Path("run"), "path_in_repo": "mine", "commit_message": "Add mine"})],
    "copy": [("url_to_fs", ("s3://b/mine/",), {}), ("system.cat_file", ("there/run.json",), {}), ("system.makedirs", ("there",), {"exist_ok": True}), ("system.put", ("run/", "there"), {"recursive": True})],
}  # fmt: skip
ARGS = {
    "tensorboard": {"step": "7"},
    "hub": {"repo": "o/r"},
    "copy": {"to": "s3://b/"},
    "mlflow": {"tracking_uri": "u", "x": 1},
}


@pytest.mark.parametrize("name", TRACKERS)
def test_a_tracker_is_given_name_identity_and_figures(monkeypatch, name):
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    notes = []
    TRACKERS[name][2](Package(notes), replace(ENTRY, args=ARGS.get(name, {"x": 1})))
    assert notes == SENT[name]
