import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.compare import compare_runs, scorer
from harness.errors import NotComparableError
from harness.report.payload import changed
from harness.store import read_run, write_run


def table(*rows):
    return {f"q{n}": row for n, row in enumerate(rows)}


def test_runs_are_paired_by_problem_not_by_place(run_of, tmp_path):
    a = read_run(run_of(tmp_path / "a", {"x": [True], "y": [False], "z": [True]}))
    b = read_run(run_of(tmp_path / "b", {"z": [True], "y": [True], "x": [True]}))
    [found] = compare_runs([a, b])
    assert found.change.delta == pytest.approx(1 / 3)
    assert [(flip.question, flip.gained) for flip in found.flips] == [("y", True)]
    assert found.change.test == "mcnemar"


ROWS = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=4)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(ROWS, ROWS), min_size=1, max_size=6))
def test_a_problem_flips_if_most_answers_are_right_in_one_run_and_wrong_in_the_other(run_of, tmp_path, pairs):
    """Half is neither. The page of a report has the same problems, and the runs in the other order the opposite."""
    pairs = [([True], [True]), *pairs]
    runs = [
        read_run(run_of(tmp_path / name, table(*rows)))
        for name, rows in zip("ab", zip(*pairs, strict=True), strict=True)
    ]

    def most(row):
        return (row.count(True) > row.count(False)) - (row.count(True) < row.count(False))

    expected = {f"q{n}": most(after) > 0 for n, (before, after) in enumerate(pairs) if most(before) * most(after) < 0}
    for order, gained in ((runs, True), (runs[::-1], False)):
        found = compare_runs(order)[0]
        assert {flip.question: flip.gained is gained for flip in found.flips} == expected
        marked = {flip.problem: 1 if flip.gained else 2 for flip in found.flips}
        assert changed([found]) == {(run, "toy", problem): mark for run in "ab" for problem, mark in marked.items()}


def test_several_answers_use_the_permutation_test(run_of, tmp_path):
    a = read_run(run_of(tmp_path / "a", table(*[[True, False]] * 12)))
    b = read_run(run_of(tmp_path / "b", table(*[[True, True]] * 12)))
    [found] = compare_runs([a, b])
    assert found.change.test == "sign-flip"
    assert found.change.p == pytest.approx(2 / 2**12)


def test_holm_is_over_all_tasks_and_runs(run_of, tmp_path):
    runs = [
        read_run(run_of(tmp_path / name, table(*rows)))
        for name, rows in {"base": [[True]] * 8 + [[False]] * 8, "one": [[True]] * 16, "two": [[False]] * 16}.items()
    ]
    found = compare_runs(runs)
    assert [each.change.p for each in found] == [pytest.approx(2 / 2**8)] * 2
    assert [each.p_holm for each in found] == [pytest.approx(4 / 2**8)] * 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"reward": "exact"}, "scorer"),
        ({"chat_template_sha": "other"}, "chat template"),
        ({"task": "another"}, "no task in common"),
    ],
)
def test_what_was_judged_or_asked_differently_is_refused(run_of, harness, tmp_path, options, told):
    a = run_of(tmp_path / "a", table([True], [False]))
    b = run_of(tmp_path / "b", table([True], [False]), **options)
    with pytest.raises(NotComparableError, match=told):
        compare_runs([read_run(a), read_run(b)])
    code, _, err = harness("compare", a, b)
    assert (code, told in err) == (5, True)


def test_other_prompts_are_refused(run_of, tmp_path):
    a, b = run_of(tmp_path / "a", table([True])), run_of(tmp_path / "b", {"other": [True]})
    with pytest.raises(NotComparableError, match="same prompt and target"):
        compare_runs([read_run(a), read_run(b)])


def test_another_k_is_a_note(run_of, tmp_path):
    a, b = run_of(tmp_path / "a", table([True], [False])), run_of(tmp_path / "b", table([True, True], [False, True]))
    [found] = compare_runs([read_run(a), read_run(b)])
    assert "k 1 and 2" in found.notes


@pytest.mark.parametrize("answers", [[True, None], [None, False], [True]])
@pytest.mark.parametrize("place", [0, 1])
def test_answers_that_are_missing_or_unjudged_are_a_note(run_of, tmp_path, place, answers):
    whole, part = table([True, False], [True, True]), table([True, False], answers)
    runs = [run_of(tmp_path / name, part if place == index else whole) for index, name in enumerate("ab")]
    [found] = compare_runs([read_run(run) for run in runs])
    assert f"1 of 4 answers of {'ab'[place]} are missing or unjudged" in found.notes
    assert sum("missing" in note for note in found.notes) == 1


@pytest.mark.parametrize("place", [0, 1])
def test_what_only_one_run_holds_is_a_note(run_of, harness, tmp_path, place):
    """Tasks and problems, in either run."""
    runs = [run_of(tmp_path / name, table([True], [False])) for name in "ab"]
    more, extra = read_run(runs[place]), read_run(run_of(tmp_path / "c", table([True]), task="extra"))
    longer = read_run(run_of(tmp_path / "d", table([True], [False], [True])))
    problems, answers = {**longer.problems, **extra.problems}, [*longer.answers, *extra.answers]
    write_run(runs[place], more.record, problems.values(), answers)
    name = "ab"[place]
    code, out, err = harness("compare", *runs)
    assert code == 0, err
    assert f"note: {name} alone holds extra" in out
    assert f"note: 1 problems of {name} have no judged pair" in out
    assert out.count("alone holds") == out.count("no judged pair") == 1


@pytest.mark.parametrize("command", [("compare", "--html"), ("gate", "--baseline", "a", "--junit")])
@pytest.mark.parametrize("json_", [[], ["--json"]])
def test_the_file_is_written_even_if_nobody_reads_the_lines(command, json_, run_of, tmp_path):
    for name in "ab":
        run_of(tmp_path / name, table([True], [False]))
    read, write = os.pipe()
    os.close(read)
    runs = ["b"] if command[0] == "gate" else ["a", "b"]
    subprocess.run([sys.executable, "-m", "harness.cli", command[0], *runs, *command[1:], "page", *json_], stdout=write, cwd=tmp_path, check=False)  # fmt: skip
    os.close(write)
    assert (tmp_path / "page").stat().st_size > 100


@pytest.mark.parametrize("command", ["compare", "report"])
@pytest.mark.parametrize(("names", "said"), [("x, x,y", "the same name twice"), ("x,y", "2 names for 3 runs")])
def test_each_run_needs_one_name_of_its_own(names, said, command, run_of, harness, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paths = [run_of(tmp_path / name, table([True], [False])) for name in "abc"]
    code, out, err = harness(command, *paths, "--names", names)
    assert (code, out, err.count("\n"), said in err) == (2, "", 1, True)
    assert not (tmp_path / "report.html").exists()


def test_columns_carry_the_names_given(run_of, harness, tmp_path):
    paths = [
        run_of(tmp_path / name, table([True], [right])) for name, right in (("a", False), ("b", False), ("c", True))
    ]
    code, out, err = harness("compare", *paths, "--names", "baseline,SFT,GRPO")
    assert code == 0, err
    head = out.splitlines()[0]
    assert head.split()[:5] == ["task", "metric", "baseline", "SFT", "GRPO"]
    code, out, _ = harness("compare", *paths, "--json")
    assert [row["other"] for row in json.loads(out)] == ["b", "c"]


def test_one_run_is_too_few(run_of, harness, tmp_path):
    code, _, err = harness("compare", run_of(tmp_path / "a", table([True])))
    assert (code, "at least two" in err) == (2, True)


def test_the_scorer_of_a_task_is_its_reward_with_the_versions_of_its_classes():
    problems = {
        n: SimpleNamespace(task=task, reward=reward)
        for n, (task, reward) in enumerate([("a", "math + format"), ("b", "x"), ("a", "exact")])
    }
    run = SimpleNamespace(
        problems=problems, record={"rewards": {"math + format": {"math": 5, "format": 1}, "exact": None}}
    )
    assert scorer(run, "a") == "exact, math + format format@1 math@5"
