"""docs/ci-gate.md and action.yml, run as they stand in a fresh repository."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.fake_server import Stub, answering

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An empty git repository with local data beside it; 250 problems."""
    golds = {f"What is {number} plus {number}?": str(2 * number) for number in range(250)}
    (tmp_path / "data").mkdir()
    rows = "".join(json.dumps({"problem": question, "answer": answer}) + "\n" for question, answer in golds.items())
    (tmp_path / "data" / "math500.jsonl").write_text(rows)
    repo = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    monkeypatch.setenv("REWARDKIT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Stub(answering(golds, 0.6)) as server:
        yield repo, server


def bash(code: str, repo: Path, **environment: str):
    return subprocess.run(
        ["bash", "-c", code], cwd=repo, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_the_five_minute_guide_runs_as_it_stands(repository):
    repo, server = repository
    page = (ROOT / "docs" / "ci-gate.md").read_text()
    plan, baseline, gate = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)[:3]
    assert bash(plan, repo).returncode in {0, 3}
    done = bash(f"set -e\n{baseline}", repo, URL=server.url)
    assert done.returncode == 0, done.stderr
    assert (repo / "gate" / "baseline.json").is_file()
    done = bash(f"set -e\n{gate}", repo, URL=server.url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout
    rules = re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1]
    (repo / "gate.toml").write_text(rules)
    done = bash("harness gate runs/new --config gate.toml --baseline gate/baseline.json", repo)
    assert (done.returncode, "looks at 4 and 16" in done.stderr) in {(0, False), (1, False), (3, False)}, done.stderr


def test_the_action_runs_step_by_step(repository):
    repo, server = repository
    skipped = (
        [] if os.environ.get("REWARDKIT_ACTION_INSTALL") else ["--skip", "install"]
    )  # CI sets it in an environment for this test alone
    action = [sys.executable, ROOT / ".ci" / "action", *skipped, f"model={server.url}", "tasks=math500"]

    def run(*more):
        return subprocess.run([*action, *more], cwd=repo, capture_output=True, text=True, check=False)

    for given, said in [
        ((), "no rule to judge by"),
        (("min-accuracy=0.4", "max-drop=0.02"), "max-drop needs a baseline"),
        (("baseline=gone.json",), "no file gone.json"),
        (("config=gone.toml",), "no file gone.toml"),
    ]:
        done = run(*given)
        assert (done.returncode, said in done.stdout) == (2, True)
        assert "--- evaluate: skipped" in done.stdout
    done = run("min-accuracy=0.4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"outcome": "pass"}
    assert "runs/gate/report.html" in done.stdout
    assert (repo / "runs/gate/report.html").is_file()
    asked = len(server.requests)
    done = run("min-accuracy=0.9")  # another checkpoint under the same name, perhaps: it is asked anew
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1]) == {"outcome": "fail"}
    assert len(server.requests) == 2 * asked
    (repo / "runs/gate/answers.jsonl").unlink()
    (repo / "gate.toml").write_text('on_inconclusive = "warn"\n[min]\naccuracy = 0.6\n')
    done = run("config=gate.toml")  # one that is not finished is continued
    assert (done.returncode, len(server.requests)) == (0, 2 * asked), done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"outcome": "inconclusive"}
    assert "actions/upload-artifact" in done.stdout.split("--- gate")[1]


BLOCKED = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "torch" else find(name, package)
from harness.cli import main
main(sys.argv[1:])
"""


def test_a_missing_torch_is_one_line_and_no_failed_gate(tmp_path):
    arguments = ["run", "--model", "http://127.0.0.1:9", "--tasks", "gsm8k", "-o", str(tmp_path / "r")]
    done = subprocess.run([sys.executable, "-c", BLOCKED, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: harness run needs torch, which lm-eval imports but does not install: pip install torch"
    ]
    assert not (tmp_path / "r").exists()
