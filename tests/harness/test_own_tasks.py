"""A task of one's own, in a folder anywhere: docs/harness.md's example as it stands, and each way to give its rows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("lm_eval")
REAL = pytest.mark.parametrize("lm_eval", [pytest.param("real", marks=pytest.mark.engine)], indirect=True)

from harness import catalog  # noqa: E402
from harness.data import DataError, source_of  # noqa: E402
from harness.fake_server import Stub, answering  # noqa: E402
from rewardkit.errors import UsageError  # noqa: E402

ROOT = Path(__file__).parents[2]
ROWS = [{"q": f"What is {n} plus {n}?", "truth": {"final": str(2 * n)}} for n in range(1, 6)]
HEAD = "include: _base_yaml\ntask: mine\n"


def task_of(folder, kwargs, rows=ROWS, *, more=""):
    """Load a task whose YAML lies in `folder`."""
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "mine.yaml").write_text(f"{HEAD}dataset_kwargs: {json.dumps(kwargs)}\n{more}")
    return catalog.load_tasks(catalog.manager(["mine"], [str(folder)]), ["mine"])["tasks"]["mine"]


@REAL
def test_the_example_of_the_docs_runs_as_it_stands(tmp_path):
    section = (ROOT / "docs" / "harness.md").read_text().partition("### A task of your own")[2]
    yaml, rows, commands = re.findall(r"```(?:yaml|json|bash)\n(.*?)```", section, re.DOTALL)[:3]
    assert len(yaml.splitlines()) <= 10
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "mine.yaml").write_text(yaml)
    (tmp_path / "tasks" / "mine.jsonl").write_text(rows)
    golds = {row["question"]: str(row["final"]) for row in map(json.loads, rows.splitlines())}
    with Stub(answering(golds, 1.0)) as server:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-ec", commands],
            cwd=tmp_path,
            env={**os.environ, "URL": server.url, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "gold right 2/2, wrong refused 2/2" in done.stdout
    assert "100.0" in done.stdout
    assert server.requests
    assert not any(body.get("stop") for body in server.requests)


COLUMNS = {"problem": "q", "answer": "truth.final"}
SHAPE = 'def shaped(row):\n    return {"question": row["q"], "ground_truth": row["truth"]["final"]}\n'


@pytest.mark.parametrize("kind", ["columns", "shape", "parquet", "hub", "url"])
def test_rows_of_each_kind_become_the_same_problems(tmp_path, kind):
    kwargs = {"files": ["rows.jsonl"], "columns": COLUMNS}
    if kind == "shape":
        (tmp_path / "shapes.py").write_text(SHAPE)
        kwargs = {"files": "rows.jsonl", "shape": "./shapes.py:shaped"}
    if kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "rows.parquet")
        kwargs["files"] = ["rows.parquet"]
    if kind == "hub":  # a folder has the layout of a data set on the hub
        (tmp_path / "hub").mkdir()
        (tmp_path / "hub" / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
        kwargs = {"hub": str(tmp_path / "hub"), "columns": COLUMNS}
    if kind == "url":
        pytest.importorskip("fsspec")
        kwargs["files"] = [f"file://{tmp_path}/rows.jsonl"]
    task = task_of(tmp_path, kwargs)
    assert [(doc["question"], doc["ground_truth"]) for doc in task.eval_docs] == [
        (row["q"], row["truth"]["final"]) for row in ROWS
    ]
    assert {(doc["data_source"], doc["reward"]) for doc in task.eval_docs} == {("mine", "math")}
    assert task.doc_to_text(task.eval_docs[0]).startswith("What is 1 plus 1?\n\nPlease reason")
    source = source_of(task)
    assert source is not None
    assert (source.rows, source.sha256 is None) == (5, kind in {"hub", "url"})


def test_a_prompt_in_jinja(tmp_path):
    task = task_of(tmp_path, {"files": ["rows.jsonl"], "columns": COLUMNS}, more='doc_to_text: "Q: {{question}}"\n')
    assert task.doc_to_text(task.eval_docs[0]) == "Q: What is 1 plus 1?"


@pytest.mark.parametrize(
    ("more", "stops"),
    [
        ("", []),
        ("generation_kwargs: {}\n", []),
        ("generation_kwargs: {max_gen_toks: 9}\n", []),
        ('generation_kwargs: {until: ["\\n"]}\n', ["\n"]),
    ],
)
@pytest.mark.parametrize("base", [True, False])
def test_an_answer_ends_early_only_where_the_task_says_so(tmp_path, more, stops, base):
    if not base:
        ours = (catalog.TASKS / "_base_yaml").read_text()
        (tmp_path / "_base_yaml").write_text(re.sub("generation_kwargs.*\n", "", ours))
    task = task_of(tmp_path, {"files": ["rows.jsonl"], "columns": COLUMNS}, more=more)
    assert task.get_config("generation_kwargs")["until"] == stops


@REAL
@pytest.mark.parametrize(
    ("told", "stops"),
    [
        ("generation_kwargs: {}", []),
        ("generation_kwargs: {max_gen_toks: 9}", []),
        ('generation_kwargs: {until: ["\\n"]}', ["\n"]),
        ("generation_kwargs: null", []),
    ],
)
@pytest.mark.parametrize("place", ["beside the task", "of the group"])
@pytest.mark.parametrize("task", ["mine", "gsm8k"])
def test_a_task_of_a_group_ends_answers_early_only_where_the_group_says_so(tmp_path, told, stops, place, task):
    kwargs = {"files": [str(tmp_path / "rows.jsonl")], "columns": COLUMNS}
    beside, of_all = (f", {told}", "") if place == "beside the task" else ("", told)
    (tmp_path / "both.yaml").write_text(
        f"group: both\ntask:\n  - {{task: {task}, dataset_kwargs: {json.dumps(kwargs)}{beside}}}\n{of_all}\n"
    )
    task_of(tmp_path, kwargs)
    found = catalog.load_tasks(catalog.manager(["both"], [str(tmp_path)]), ["both"])["tasks"]
    assert [one.get_config("generation_kwargs")["until"] for one in found.values()] == [stops]


def test_a_file_beside_the_task_goes_before_ours(tmp_path):
    (tmp_path / "_base_yaml").write_text(
        (catalog.TASKS / "_base_yaml").read_text().replace("harness.prompts.boxed", "harness.prompts.thinking")
    )
    task = task_of(tmp_path, {"files": ["rows.jsonl"], "columns": COLUMNS})
    assert "between <think>" in task.doc_to_text(task.eval_docs[0])


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"files": ["rows.jsonl"], "columns": {"problem": "qq"}}, "no column 'qq'; its columns: q, truth"),
        ({"files": ["other.jsonl"]}, "no data for 'mine': no other.jsonl beside the task"),
        ({"files": ["rows.jsonl"], "shape": "maths"}, "no shape 'maths'; there are gpqa"),
        ({"files": ["rows.jsonl"], "shape": "./none.py:f"}, "no file"),
        ({"files": ["rows.jsonl"], "shape": "./bad.py:f"}, "row 1 of .*rows.jsonl does not fit shape"),
        (
            {"files": ["rows.jsonl"], "shape": "./bad.py:g"},
            "row 1 of .*rows.jsonl does not fit shape .*: ZeroDivisionError: two lines",
        ),
    ],
)
def test_a_mistake_in_the_data_is_one_line_that_names_it(tmp_path, kwargs, words):
    raising = "def g(row):\n    raise ZeroDivisionError('two\\nlines')\n"
    (tmp_path / "bad.py").write_text(f"def f(row):\n    return {{'question': row['q']}}\n{raising}")
    with pytest.raises((DataError, UsageError), match=words) as told:
        task_of(tmp_path, kwargs)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("rewards", "did you mean 'reward'?"),
        ("colums", "did you mean 'columns'?"),
        ("split", "did you mean 'hub_split'?"),
        (
            "config_source",
            "it takes data, shape, reward, columns, hub, hub_config, hub_split, files, data_source, sample, note",
        ),
    ],
)
def test_a_key_of_the_data_that_is_not_read_is_named(tmp_path, key, hint):
    with pytest.raises(UsageError) as told:
        task_of(tmp_path, {"files": ["rows.jsonl"], "columns": COLUMNS, key: "exact"})
    assert str(told.value) == f"mine: dataset_kwargs takes no {key!r}; {hint}"
    known = {"files": ["rows.jsonl"], "columns": COLUMNS, "trust_remote_code": True}
    assert len(task_of(tmp_path, known, more="metadata: {version: 1.0, rewards: exact}\n").eval_docs) == len(ROWS)


def test_a_task_file_that_cannot_be_read_is_named_with_the_reason(tmp_path):
    (tmp_path / "mine.yaml").write_text("include: _bass_yaml\ntask: mine\n")
    with pytest.raises(UsageError, match=r"cannot read .*mine\.yaml: .*_bass_yaml"):
        catalog.manager(["mine"], [str(tmp_path)])


@REAL
def test_a_task_whose_name_is_a_number_is_told_with_its_folder(tmp_path):
    (tmp_path / "mine.yaml").write_text("include: _base_yaml\ntask: 2026\n")
    with pytest.raises(
        UsageError, match=rf"^lm-eval cannot read the tasks in {tmp_path}: .*write each `task:` as text"
    ):
        catalog.manager(["math500"], [str(tmp_path)])
