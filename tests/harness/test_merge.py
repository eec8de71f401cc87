"""Shards of a run, merged: the same as the whole run, and refused where they do not belong together."""

import json
import shutil
from pathlib import Path

import pytest

from harness.cli import cli
from harness.fake_server import Stub, answering
from harness.merge import _problems
from harness.record import numbered
from harness.store import Problem, Run, problem_hash, read_run, write_run
from rewardkit.cli import run

pytestmark = pytest.mark.usefixtures("lm_eval")

SHARDS = 3


@pytest.fixture(scope="module")
def runs(lm_eval, small_data, tmp_path_factory):
    """A whole run, its three shards from a server each, and a shard with another seed."""
    root = tmp_path_factory.mktemp("shards")
    problems = [json.loads(row) for row in (small_data / "math500.jsonl").read_text().splitlines()]
    golds = {row["problem"]: row["answer"] for row in problems}

    def call(out, *args):
        with Stub(answering(golds, 0.6)) as stub:
            told = ["run", "--model", stub.url, "--tasks", "math500,gsm8k", "--data-dir", small_data, "--repeats", 2]
            told += ["-o", root / out, "--judge_workers", 0, "--price", "1,1", *args]
            assert run(cli, [str(each) for each in told]) == 0

    call("whole")
    for index in range(1, SHARDS + 1):
        call(f"part-{index}", "--shard", f"{index}/{SHARDS}")
    call("other", "--shard", f"2/{SHARDS}", "--seed", "1")
    return root


@pytest.fixture(scope="module")
def parts(runs):
    return [str(runs / f"part-{index}") for index in range(1, SHARDS + 1)]


def numbers(place):
    [path] = place.glob("*/results_*.json")
    return json.loads(path.read_text())


@pytest.mark.long
def test_merged_shards_are_the_whole_run(harness, runs, parts, tmp_path):
    code, out, err = harness("merge", *reversed(parts), "-o", tmp_path / "merged", "--json")
    assert code == 0, err
    whole, merged = read_run(runs / "whole"), read_run(tmp_path / "merged")
    free = {"source": "", "latency_s": None, "judge_ms": None}
    assert merged.problems == whole.problems
    assert [each.model_copy(update=free) for each in merged.answers] == [
        each.model_copy(update=free) for each in whole.answers
    ]
    assert {**merged.identity, "base_url": 0} == {**whole.identity, "base_url": 0}
    assert len(merged.identity["base_url"]) == SHARDS
    assert merged.record["usage"] == {**whole.record["usage"], "cost": pytest.approx(whole.record["usage"]["cost"])}
    one, other = numbers(runs / "whole"), numbers(tmp_path / "merged")
    for task, row in one["results"].items():
        assert other["results"][task] == {
            name: pytest.approx(each) for name, each in row.items() if "stderr" not in name
        } | {name: each for name, each in row.items() if "stderr" in name}
    assert (other["rewardkit"], other["task_hashes"], other["n-samples"]) == (
        one["rewardkit"],
        one["task_hashes"],
        one["n-samples"],
    )
    assert json.loads(out)["tasks"] == one["rewardkit"]
    assert harness("compare", runs / "whole", tmp_path / "merged")[0] == 0


def test_shards_ask_each_problem_once(parts):
    asked = [{(each.task, each.doc_id) for each in read_run(part).problems.values()} for part in parts]
    assert sum(map(len, asked)) == len(set.union(*asked)) == 36


@pytest.mark.parametrize("of", [1, 2, 3, 7])
@pytest.mark.parametrize("output_type", ["generate_until", "multiple_choice"])
def test_questions_that_stand_several_times_are_numbered_as_in_a_whole_run(of, output_type):
    def problem(place):
        prompt = f"q{place % 3}"
        asked = prompt if output_type == "generate_until" else f"{prompt}? {place}"
        fields = {"data_source": "t", "question": prompt, "prompt": prompt, "target": "1"}
        return Problem(task="t", doc_id=place, hash=problem_hash(asked, "1"), **fields)

    def run_over(places):
        problems = numbered(problem(place) for place in places)
        record = {"tasks": {"t": {"output_type": output_type}}}
        return Run(Path("run"), record, {(each.task, each.hash): each for each in problems}, [])

    found = _problems([run_over(range(index, 10, of)) for index in range(of)])
    assert found == list(run_over(range(10)).problems.values())
    assert len({each.hash for each in found}) == 10


@pytest.mark.parametrize(
    ("chosen", "code", "said"),
    [
        ([0, 1], 2, "of 3 shards 3/3 are missing"),
        ([0, 1, 1, 2], 2, "both hold shard 2/3"),
        ([0, "other", 2], 5, "another seed"),
        ([0, 1, 2, "whole"], 2, "holds no shard"),
    ],
)
def test_shards_that_do_not_belong_together_are_refused(harness, runs, parts, tmp_path, chosen, code, said):
    places = [runs / each if isinstance(each, str) else parts[each] for each in chosen]
    got, _, err = harness("merge", *places, "-o", tmp_path / "merged")
    assert (got, err.count("\n")) == (code, 1)
    assert said in err
    assert not (tmp_path / "merged" / "run.json").exists()


@pytest.mark.parametrize(
    ("rescored", "rewards", "code", "said"),
    [
        ({1}, ["exact"], 5, "another"),
        ({0, 1}, ["exact"], 5, "another"),
        ({1}, ["math"], 5, "another"),
        ({1}, [None], 5, "another"),
        ({0, 1, 2}, ["exact", "math"], 5, "another reward"),
        ({0, 1, 2}, ["exact"], 2, "was rescored and holds no results of lm-eval"),
    ],
)
def test_shards_that_were_judged_differently_are_refused(harness, parts, tmp_path, rescored, rewards, code, said):
    places = list(parts)
    for index in rescored:
        places[index] = tmp_path / f"{index}"
        reward = rewards[index % len(rewards)]
        more = () if reward is None else ("-r", reward)
        assert harness("rescore", parts[index], "-o", places[index], "--judge_workers", 0, *more)[0] == 0
    got, _, err = harness("merge", *places, "-o", tmp_path / "merged")
    assert (got, err.count("\n")) == (code, 1), err
    assert said in err
    assert not (tmp_path / "merged" / "run.json").exists()


def test_a_shard_whose_record_names_no_results_is_told_from_one_that_lost_them(harness, parts, tmp_path):
    shutil.copytree(parts[1], tmp_path / "part")
    run = read_run(tmp_path / "part")
    write_run(run.path, {**run.record, "results": None}, run.problems.values(), run.answers)
    code, _, err = harness("merge", parts[0], tmp_path / "part", parts[2], "-o", tmp_path / "merged")
    assert (code, err.count("\n"), "was made from another run" in err) == (2, 1, True), err


@pytest.mark.parametrize(("limit", "expected"), [((), 4), (("--max-unjudged", 0.01), 4), (("--max-unjudged", 1), 0)])
def test_a_whole_that_is_incomplete_exits_with_4(harness, parts, tmp_path, limit, expected):
    places = [tmp_path / f"{index}" for index in range(SHARDS)]
    for part, place in zip(parts, places, strict=True):
        shutil.copytree(part, place)
    run = read_run(places[0])
    lost = run.answers[0].model_copy(update={"error": "HTTP 500", "accuracy": None, "kind": "infra_error"})
    write_run(run.path, run.record, run.problems.values(), [lost, *run.answers[1:]])
    code, _, err = harness("merge", *places, "-o", tmp_path / "merged", *limit)
    assert (code, "incomplete" in err) == (expected, expected == 4)
    assert (tmp_path / "merged" / "run.json").exists()


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("lost", ["results_*.json", "samples_gsm8k_*.jsonl", "broken", "problem"])
def test_a_merge_that_fails_leaves_the_run_that_it_was_to_replace(harness, runs, parts, tmp_path, lost):
    shutil.copytree(runs / "whole", tmp_path / "out")
    shutil.copytree(parts[1], tmp_path / "part")
    if lost == "broken":
        [path] = (tmp_path / "part").glob("*/results_*.json")
        path.write_text("{")
    elif lost == "problem":
        run = read_run(tmp_path / "part")
        kept = dict(list(run.problems.items())[1:])
        write_run(
            run.path, run.record, kept.values(), [each for each in run.answers if (each.task, each.problem) in kept]
        )
    else:
        for path in (tmp_path / "part").glob(f"*/{lost}"):
            path.unlink()
    before = contents(tmp_path / "out")
    code, _, err = harness("merge", parts[0], tmp_path / "part", parts[2], "-o", tmp_path / "out", "--overwrite")
    assert (code, err.count("\n")) == (5 if lost == "problem" else 2, 1), err
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("command", ["merge", "rescore", "run"])
def test_a_run_that_is_replaced_leaves_no_results_and_files_of_others_stay(
    harness, runs, parts, small_data, tmp_path, command, stub
):
    out = tmp_path / "out"
    shutil.copytree(runs / "whole", out)
    [old] = out.glob("*/results_*.json")
    stamp = old.stem.removeprefix("results_")
    theirs = {
        old.parent / f"results_{stamp.replace('20', '19', 1)}.json": '{"results": {}}',  # lm_eval wrote it
        old.parent / "results_mine.json": old.read_text(),
        old.parent / "samples_notes.jsonl": "",
        out / "backup" / old.name: old.read_text(),
        out / "backup" / f"samples_math500_{stamp}.jsonl": "",
    }
    (out / "backup").mkdir()
    for path, text in theirs.items():
        path.write_text(text)
    told = {
        "merge": ("merge", *parts),
        "rescore": ("rescore", runs / "whole", "--judge_workers", 0),
        "run": (
            "run",
            "--model",
            stub.url,
            "--tasks",
            "math500",
            "--limit",
            2,
            "--data-dir",
            small_data,
            "--judge_workers",
            0,
        ),
    }
    code, _, err = harness(*told[command], "-o", out, "--overwrite")
    assert code == 0, err
    assert not list(out.glob(f"{old.parent.name}/*_{stamp}.json*"))
    assert {path: path.read_text() for path in theirs} == theirs


@pytest.mark.parametrize(
    ("shard", "said"), [("0/3", "from 1/8 to 8/8"), ("4/3", "from 1/8"), ("x", "from 1/8"), ("1/99", "too few for 99")]
)
def test_a_shard_that_cannot_be_is_told(harness, small_data, tmp_path, stub, shard, said):
    code, _, err = harness(
        "run",
        "--model",
        stub.url,
        "--tasks",
        "math500",
        "--data-dir",
        small_data,
        "-o",
        tmp_path / "run",
        "--shard",
        shard,
    )
    assert code == 2
    assert said in err
    assert not stub.requests
    assert not list((tmp_path / "run").glob("*.json*"))  # the corrected command finds no run there


@pytest.mark.parametrize("lm_eval", [pytest.param("real", marks=pytest.mark.engine)], indirect=True)
def test_lm_evals_own_tools_read_the_results(runs):
    """Its table, its names of files, its samples."""
    from lm_eval import utils

    [path] = (runs / "whole").glob("*/results_*.json")
    folder = [str(each) for each in path.parent.iterdir()]
    assert utils.get_latest_filename(utils.get_results_filenames(folder)) == str(path)
    samples = utils.get_sample_results_filenames(folder)
    assert {utils.get_file_task_name(each.rpartition("/")[2]) for each in samples} == {"math500", "gsm8k"}
    assert {utils.get_file_datetime(each.rpartition("/")[2]) for each in samples} == {
        path.stem.removeprefix("results_")
    }
    table = utils.make_table(numbers(runs / "whole"))
    assert "|math500|" in table
    assert "accuracy" in table
