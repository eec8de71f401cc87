import json
import random
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import NotComparableError
from harness.gate.baseline import Book, Ledger, of_run, read_book, write_baseline
from harness.gate.power import make_plan, plan_book
from harness.gate.rules import Minimum, Regression, Rules, TopUp, read_rules
from harness.gate.verdict import Outcome, decide
from harness.store import read_run
from rewardkit.errors import UsageError


def book(counts, **facts) -> Book:
    full = {
        "task": "t",
        "version": "1",
        "scorer": "math math@1",
        "template": "None",
        "task_file": "None",
        "data": "None",
        "k": counts[0][1],
        "sampling": {},
        "tools": None,
        "errors": 0.0,
        "truncated": 0.0,
        "format": 1.0,
        **facts,
    }
    ledger = Ledger(counts={f"p{n}": pair for n, pair in enumerate(counts)}, **full)
    return Book("run", "place", {full["task"]: ledger})


DROP = Rules(regression=Regression(margin=0.02))


def test_an_unchanged_large_run_passes():
    counts = [(n % 5, 4) for n in range(500)]
    assert decide(book(counts), book(counts), DROP).outcome is Outcome.PASS


def test_a_clear_drop_fails():
    before, after = [(4, 4)] * 300, [(3, 4)] * 300
    decision = decide(book(after), book(before), DROP)
    assert (decision.outcome, decision.exit_code) == (Outcome.FAIL, 1)


def test_few_problems_are_inconclusive_not_a_pass():
    before, after = [(1, 1)] * 5 + [(0, 1)] * 5, [(1, 1)] * 4 + [(0, 1)] * 6
    decision = decide(book(after), book(before), DROP)
    assert (decision.outcome, decision.exit_code) == (Outcome.INCONCLUSIVE, 3)
    warned = decide(book(after), book(before), DROP.model_copy(update={"on_inconclusive": "warn"}))
    assert (warned.outcome, warned.exit_code) == (Outcome.INCONCLUSIVE, 0)


@pytest.mark.parametrize(
    ("bar", "on", "outcome"),
    [
        (0.5, "low", "pass"),
        (0.6, "low", "inconclusive"),
        (0.7, "low", "fail"),
        (0.6, "point", "pass"),
        (0.61, "point", "fail"),
    ],
)
def test_a_bar_is_held_against_the_interval_or_the_point(bar, on, outcome):
    rules = Rules(minimum=Minimum(accuracy=bar, judged_on=on))
    assert decide(book([(1, 1)] * 300 + [(0, 1)] * 200), None, rules).outcome == outcome


@given(st.lists(st.tuples(st.integers(0, 10), st.just(10)), min_size=1, max_size=30))
def test_a_point_on_its_bar_has_reached_it_however_its_mean_is_rounded(counts):
    """As 33 of 50 is 0.66."""
    right = sum(own for own, _ in counts)
    rules = Rules(minimum=Minimum(accuracy=right / (10 * len(counts)), judged_on="point"))
    assert decide(book(counts, k=10), None, rules).outcome == "pass"


@pytest.mark.parametrize(
    ("facts", "guard", "outcome"),
    [
        ({"errors": 0.02}, {}, "incomplete"),
        ({"truncated": 0.2}, {"truncated": 0.1}, "fail"),
        ({"format": 0.5}, {"format": 0.9}, "fail"),
        ({"format": None}, {"format": 0.9}, "fail"),
        ({"truncated": 0.1}, {"truncated": 0.1}, "pass"),
    ],
)
def test_guards_hold_whatever_the_accuracy(facts, guard, outcome):
    rules = Rules(minimum=Minimum(accuracy=0.1), guard=guard)
    assert decide(book([(1, 1)] * 100, **facts), None, rules).outcome == outcome


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"version": "2"}, "task version"),
        ({"task_file": "f"}, "task file"),
        ({"data": "d"}, "data is"),
        ({"scorer": "math math@2"}, "scorer"),
        ({"template": "x"}, "chat template"),
        ({"sampling": {"temperature": 0}}, "sampling"),
        ({"tools": {"tools": ["code_interpreter"]}}, "tools is None in the baseline"),
        ({"k": 8}, "k is"),
    ],
)
def test_runs_that_are_not_comparable_are_refused(facts, told):
    counts = [(1, 1)] * 10
    with pytest.raises(NotComparableError, match=told):
        decide(book(counts, **facts), book(counts), DROP)


TOOLS = {"tools": ["code_interpreter"], "max_turns": 16}


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize(
    ("before", "now"), [(None, TOOLS), (TOOLS, None), (TOOLS, {**TOOLS, "max_turns": 4}), (TOOLS, TOOLS)]
)
def test_a_run_with_other_tools_than_the_baseline_is_not_comparable(run_of, harness, tmp_path, before, now, as_file):
    table = {f"q{n}": [True] for n in range(200)}
    base, run = run_of(tmp_path / "a", table, tools=before), run_of(tmp_path / "b", table, tools=now)
    if as_file:
        assert harness("gate", base, "--update-baseline", tmp_path / "b.json")[0] == 0
        base = tmp_path / "b.json"
    assert harness("gate", run, "--baseline", base)[0] == (0 if before == now else 5)


def test_missing_problems_are_not_comparable():
    with pytest.raises(NotComparableError, match="not in this run"):
        decide(book([(1, 1)] * 9), book([(1, 1)] * 10), DROP)
    with pytest.raises(NotComparableError, match="does not hold"):
        decide(book([(1, 1)] * 9, task="u"), book([(1, 1)] * 10), DROP)


def test_one_declared_second_look_shares_alpha_and_no_other_k_counts():
    rules = Rules(regression=Regression(margin=0.05), top_up=TopUp(**{"from": 2, "to": 8}))
    base = book([(n % 9, 8) for n in range(60)])
    first = decide(book([(n % 3, 2) for n in range(60)]), base, rules)
    assert first.alpha == 0.025
    assert first.top_up == (8 if first.outcome is Outcome.INCONCLUSIVE else None)
    assert decide(book([(n % 9, 8) for n in range(60)]), base, rules).top_up is None
    with pytest.raises(UsageError, match="looks at 2 and 8"):
        decide(book([(n % 5, 4) for n in range(60)]), base, rules)


def test_several_tasks_do_not_raise_more_false_alarms():
    """200 gates over 4 tasks with no change: at most 5 % plus noise may fail."""
    rng = random.Random(11)
    fails = 0
    for _ in range(200):
        chances = [rng.betavariate(1, 1) for _ in range(40)]
        draw = [[[(sum(rng.random() < p for _ in range(2)), 2) for p in chances] for _ in range(4)] for _ in range(2)]
        books = [
            Book("r", "r", {f"t{n}": book(counts, task=f"t{n}").ledgers[f"t{n}"] for n, counts in enumerate(side)})
            for side in draw
        ]
        fails += decide(books[0], books[1], Rules(regression=Regression(margin=0.001))).outcome is Outcome.FAIL
    assert fails <= 20


def test_a_plan_knows_its_power():
    plan = make_plan("t", 30, 16, 1 / 6, 0.02, 0.05)
    assert 0.08 < plan.sees < 0.11  # AIME's 30 x 16
    assert not plan.enough
    assert make_plan("t", 30, plan.needed_k, 1 / 6, 0.02, 0.05).passes == pytest.approx(0.8, abs=0.02)


def test_a_plan_reads_noise_from_the_baseline():
    [noisy] = plan_book(book([(2, 4)] * 100), DROP)
    [sure] = plan_book(book([(4, 4), (0, 4)] * 50), DROP)
    assert sure.sees < noisy.sees


def test_a_plan_counts_all_rules_that_are_corrected_together():
    """A minimum shares alpha with the drop; one that needs no statistics does not."""
    base = book([(2, 4)] * 100)
    alone, both, point = (
        plan_book(base, DROP.model_copy(update={"minimum": least}))[0].sees
        for least in (None, Minimum(accuracy=0.3), Minimum(accuracy=0.3, judged_on="point"))
    )
    assert alone == point < both


@pytest.mark.parametrize("rest", ["", "[min]\naccuracy = 0.5\n"])
def test_a_plan_of_a_number_of_problems_has_the_alpha_of_its_rules(harness, tmp_path, rest):
    plans = []
    for name, text in (("looks", "[top_up]\nfrom = 1\nto = 2\n"), ("half", "alpha = 0.025\n")):
        (tmp_path / f"{name}.toml").write_text("\n".join(sorted([text, rest], key=lambda part: "alpha" not in part)))
        found = harness(
            "gate", "--plan", "--problems", 200, "--max-drop", 0.1, "--config", tmp_path / f"{name}.toml", "--json"
        )
        plans.append(json.loads(found[1]))
    assert plans[0] == plans[1]
    alone = json.loads(harness("gate", "--plan", "--problems", 200, "--max-drop", 0.1, "--json")[1])
    assert plans[0][0]["sees"] > alone[0]["sees"]


@pytest.mark.parametrize("n", [3, 6, 7, 12, 60])
@pytest.mark.parametrize("k", [1, 16])
def test_a_plan_sees_no_drop_that_cannot_fail(n, k):
    """The fewest problems that FAIL when each loses all its answers bound what is promised."""
    rules = Rules(regression=Regression(margin=0.0001))
    base = book([(k, k)] * n)
    failing = [
        lost
        for lost in range(1, n + 1)
        if decide(book([(0, k)] * lost + [(k, k)] * (n - lost)), base, rules).outcome is Outcome.FAIL
    ]
    [plan] = plan_book(base, rules)
    assert plan.sees >= (failing[0] / (k * n) if failing else 1.0)
    assert ("see no drop" in plan.line()) is (plan.sees == 1.0)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({}, "over 60 problems, the"),
        ({"limit": 60}, "over 60 problems (a part: the run had --limit 60), the"),
        ({"limit": 100}, "over 60 problems, the"),
        ({"shard": {"index": 1, "of": 3}}, "over 60 problems (a part: the run had --shard 1/3), the"),
        (
            {"shard": {"index": 1, "of": 3}, "limit": 180},
            "over 60 problems (a part: the run had --shard 1/3 --limit 180), the",
        ),
        ({"only": True}, "over 60 problems (a part: the run had only=true), the"),
        ({"left_out": 4}, "(a part: the run had 4 problems left out by contamination --clean), the"),
    ],
)
def test_a_bar_says_over_how_many_problems_and_of_which_part(run_of, tmp_path, facts, said):
    run = read_run(run_of(tmp_path / "run", {f"q{n}": [True] for n in range(60)}))
    record = {
        "name": "run",
        "limit": facts.get("limit"),
        "identity": {"shard": facts.get("shard")},
        "model_args": {"only": facts.get("only")},
        "left_out": {"problems": facts.get("left_out")},
    }
    book_of = of_run(replace(run, record={**run.record, **record}))
    [_, finding] = decide(book_of, None, Rules(minimum=Minimum(accuracy=0.5))).findings
    assert said in finding.message


def test_no_task_passes_of_which_the_run_holds_no_problem(run_of, tmp_path, harness):
    place = run_of(tmp_path / "run", {f"q{n}": [True] for n in range(60)})
    run = read_run(place)
    [task] = run.tasks
    book_of = of_run(replace(run, record={**run.record, "tasks": {task: {}, "asked_too": {}}}))
    for rules in (Rules(minimum=Minimum(accuracy=0.5)), Rules(by_task={task: {"min": {"accuracy": 0.5}}})):
        decision = decide(book_of, None, rules)
        assert decision.outcome is Outcome.INCOMPLETE
        assert [each.task for each in decision.findings if each.outcome is Outcome.INCOMPLETE] == ["asked_too"]


def test_a_baseline_file_is_read_back_as_it_was(run_of, tmp_path):
    run = of_run(read_run(run_of(tmp_path / "r", {"a": [True, False], "b": [None, True]})))
    write_baseline(run, tmp_path / "base.json")
    assert read_book(tmp_path / "base.json").ledgers == run.ledgers
    assert (tmp_path / "base.json").stat().st_size < 1000


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": 9, "tasks": []}', '{"format": 1, "tasks": [{"task": "t"}]}']
)
def test_a_file_that_is_no_baseline_is_said(tmp_path, content):
    (tmp_path / "b.json").write_text(content)
    with pytest.raises(UsageError, match="baseline"):
        read_book(tmp_path / "b.json")


RULES = """
alpha = 0.02
on_inconclusive = "warn"
[min]
accuracy = 0.6
[regression]
margin = 0.03
[guard]
truncated = 0.1
[task.aime24.min]
accuracy = 0.2
judged_on = "point"
"""


def test_rules_come_from_toml_with_tasks_of_their_own(tmp_path):
    (tmp_path / "g.toml").write_text(RULES)
    rules = read_rules(tmp_path / "g.toml")
    least, drop, guard = rules.for_task("aime24")
    assert (least.accuracy, least.judged_on, drop.margin, guard.truncated) == (0.2, "point", 0.03, 0.1)
    assert rules.for_task("gsm8k")[0].accuracy == 0.6


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("alpa = 0.1", "no entry 'alpa'"),
        ("[min]\naccuracy = 60", "accuracy"),
        ("[regression]\nmargin = 0", "margin"),
        ("[task.x.minimum]\naccuracy = 0.5", "no 'minimum'"),
        ("[task.x.min]\nacuracy = 0.5", "task.x.min"),
        ("alpha", "not TOML"),
    ],
)
def test_a_mistake_in_the_rules_is_named(tmp_path, text, told):
    (tmp_path / "g.toml").write_text(text)
    with pytest.raises(UsageError, match=told):
        read_rules(tmp_path / "g.toml")


def test_the_command_speaks_junit_and_github(run_of, harness, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    good = run_of(tmp_path / "good", {f"q{n}": [True] for n in range(60)})
    bad = run_of(tmp_path / "bad", {f"q{n}": [n > 20] for n in range(60)})
    code, out, _ = harness("gate", bad, "--baseline", good, "--junit", tmp_path / "j.xml", "--github")
    assert code == 1
    assert "::error title=FAIL%3A toy regression::" in out
    suite = ET.parse(tmp_path / "j.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    assert "❌ FAIL" in (tmp_path / "summary.md").read_text()
    code, out, _ = harness("gate", good, "--min", "accuracy=0.5", "--json")
    assert (code, json.loads(out)["outcome"]) == (0, "pass")
    code, out, err = harness("gate", bad, "--baseline", good, "--json", "--github")
    assert (code, json.loads(out)["outcome"], err.startswith("::error title=FAIL")) == (1, "fail", True)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], "name the run"),
        (["RUN"], "no rule to judge by"),
        (["RUN", "--min", "speed=3"], "accuracy=X"),
        (["RUN", "--min", "accuracy=x"], "accuracy=X"),
        (["RUN", "--min", "accuracy=0.99", "--min", "accuracy=0.1"], "--min is given twice"),
        (["RUN", "--baseline", "nowhere.json"], "--update-baseline"),
        (["RUN", "--baseline", "RUN"], "is the run itself"),
        (["--plan"], "--problems"),
        (["RUN", "--plan", "--problems", "10"], "RUN is not used with --plan"),
        (["--plan", "--problems", "10", "--github"], "--github is not used with --plan"),
        (["--plan", "--baseline", "RUN", "--problems", "10"], "--problems is not used with --plan and --baseline"),
        (["--plan", "--baseline", "RUN", "--accuracy", "0.5"], "--accuracy is not used with --plan and --baseline"),
        (["RUN", "--min", "accuracy=0.5", "--repeats", "4"], "--repeats is not used without --plan"),
        (["RUN", "--update-baseline", "b.json", "--min", "accuracy=0.5"], "--min is not used with --update-baseline"),
        (["--plan", "--problems", "10", "--repeats", "0"], "1 or more"),
        (["nowhere", "--min", "accuracy=0.5"], "nowhere"),
    ],
)
def test_a_mistake_at_the_command_line_is_one_line(run_of, harness, tmp_path, args, told):
    run = run_of(tmp_path / "r", {"a": [True]})
    code, _, err = harness("gate", *(run if arg == "RUN" else arg for arg in args))
    assert code == 2
    assert told in err
    assert len(err.strip().splitlines()) == 1


def test_the_baseline_is_updated_from_a_run(run_of, harness, tmp_path):
    run, later = (
        run_of(tmp_path / f"r{day}", {f"q{n}": [True] for n in range(30)}, date=f"2026-01-0{day}") for day in (1, 2)
    )
    assert harness("gate", run, "--update-baseline", tmp_path / "b.json")[0] == 0
    for other, same in ((run, True), (later, False)):
        code, out, _ = harness("gate", other, "--baseline", tmp_path / "b.json", "--max-drop", "0.2")
        assert (code, "made from this very run" in out) == (0, same)


@pytest.mark.parametrize(("side", "rule"), [("run", "errors"), ("baseline", "baseline errors")])
@pytest.mark.parametrize("limit", [0.005, 0.5])
@pytest.mark.parametrize("as_file", [False, True])
def test_what_either_side_lacks_is_held_against_the_same_guard(run_of, harness, tmp_path, side, rule, limit, as_file):
    """Nothing is said of a model by the answers that the other side does not have."""
    whole, half = (
        run_of(tmp_path / name, {f"q{n}": [kept or n % 2 == 0 or None] for n in range(400)})
        for name, kept in (("whole", True), ("half", False))
    )
    run, base = (half, whole) if side == "run" else (whole, half)
    (tmp_path / "g.toml").write_text(f"[guard]\nerrors = {limit}\n")
    rules = ["--config", tmp_path / "g.toml"]
    wanted = 4 if limit < 0.5 else 0
    if as_file:
        file = tmp_path / "base.json"
        code, _, err = harness("gate", base, "--update-baseline", file, *rules)
        assert (code, file.exists()) == ((wanted, not wanted) if side == "baseline" else (0, True)), err
        if code:
            assert err.splitlines() == [
                f"error: {base} is no baseline: toy: 50.0% of the answers are missing or unjudged (at most 0.5%); complete it with --resume"
            ]
            write_baseline(of_run(read_run(base)), file)
        base = file
    code, out, _ = harness("gate", run, "--baseline", base, *rules)
    assert (code, f"INCOMPLETE   toy {rule}: 50.0%" in out) == (wanted, wanted == 4)


def test_a_plan_counts_problems_with_judged_answers():
    whole, half = book([(2, 4)] * 50), book([(2, 4)] * 50 + [(0, 0)] * 50)
    assert plan_book(half, DROP) == plan_book(whole, DROP)


@pytest.mark.parametrize("own", ["", "[task.t0.regression]\nmargin = 0.05\n", "[task.t0.min]\naccuracy = 0.1\n"])
@pytest.mark.parametrize("general", ["", "[regression]\nmargin = 0.03\n"])
@pytest.mark.parametrize("lost", [0, 1])
def test_a_rule_of_one_task_leaves_the_others_compared(harness, tmp_path, own, general, lost):
    good, bad = [(1, 1)] * 200, [(1, 1)] * 100 + [(0, 1)] * 100
    for name, tables in (("base", [good, good]), ("run", [bad if n == lost else good for n in range(2)])):
        ledgers = {f"t{n}": book(table, task=f"t{n}").ledgers[f"t{n}"] for n, table in enumerate(tables)}
        write_baseline(Book(name, name, ledgers), tmp_path / f"{name}.json")
    (tmp_path / "g.toml").write_text(general + own)
    code, out, _ = harness(
        "gate", tmp_path / "run.json", "--baseline", tmp_path / "base.json", "--config", tmp_path / "g.toml"
    )
    assert (code, f"FAIL         t{lost} regression" in out) == (1, True)


TABLES = {
    "": "",
    "min": "[min]\naccuracy = 0.0\n",
    "guard": "[guard]\nerrors = 0.5\n",
    "task guard": "[task.toy.guard]\nerrors = 0.5\n",
    "task min": "[task.toy.min]\naccuracy = 0.0\n",
    "top up": "[top_up]\nfrom = 1\nto = 2\n",
}


@pytest.mark.parametrize("names", [*([name] for name in TABLES), ["guard", "task min", "task guard"]], ids=" + ".join)
@pytest.mark.parametrize("asked", [None, "[regression]\n", "[task.toy.regression]\n"])
def test_a_baseline_that_is_given_is_compared_with(run_of, harness, tmp_path, names, asked):
    """A run that lost everything never passes, whatever else the rules hold."""
    good = run_of(tmp_path / "good", {f"q{n}": [True] for n in range(60)})
    bad = run_of(tmp_path / "bad", {f"q{n}": [False] for n in range(60)})
    (tmp_path / "g.toml").write_text("".join(TABLES[name] for name in names) + (asked or ""))
    code, out, err = harness("gate", bad, "--baseline", good, "--config", tmp_path / "g.toml")
    assert (code, "FAIL         toy regression" in out) == (1, True), err


@pytest.mark.parametrize("kind", ["min", "regression", "guard"])
@pytest.mark.parametrize("plan", [False, True])
def test_rules_for_a_task_that_is_not_there_are_refused(run_of, harness, tmp_path, kind, plan):
    run, before = (run_of(tmp_path / name, {f"q{n}": [True] for n in range(60)}) for name in ("run", "before"))
    (tmp_path / "g.toml").write_text(
        f"[min]\naccuracy = 0.1\n[task.nosuch.{kind}]\n" + "accuracy = 0.9\n" * (kind == "min")
    )
    args = ["--plan", "--baseline", run] if plan else [run, "--baseline", before]
    code, out, err = harness("gate", *args, "--config", tmp_path / "g.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "[task.nosuch]" in err
    assert "which holds toy" in err


@pytest.mark.parametrize("more", [1, 2])
@pytest.mark.parametrize("plan", [False, True])
def test_rules_that_other_runs_share_are_named_and_change_nothing(run_of, harness, tmp_path, more, plan):
    run = run_of(tmp_path / "run", {f"q{n}": [True] for n in range(60)})
    args = ["--plan", "--baseline", run] if plan else [run]
    found = []
    for count in (0, more):
        others = "".join(f"[task.other{n}.min]\naccuracy = 1.0\n" for n in range(count))
        (tmp_path / "g.toml").write_text("[task.toy.min]\naccuracy = 0.9\n" + others)
        found.append(harness("gate", *args, "--config", tmp_path / "g.toml"))
    (code, out, err), (shared_code, shared_out, shared_err) = found
    assert (code, out, err) == (shared_code, shared_out, "")
    assert (shared_err.count("\n"), shared_err.startswith("warning: gate rules: [task.other0]")) == (1, True)


def test_the_command_line_goes_before_all_tables_of_the_rules(run_of, tmp_path, harness):
    run = run_of(tmp_path / "r", {f"q{n}": [n % 2 == 0] * 2 for n in range(40)})
    (tmp_path / "b.toml").write_text(
        "[task.toy.min]\naccuracy = 0.1\n[task.toy.regression]\nmargin = 0.5\n[task.toy.guard]\nerrors = 0.5\n"
    )
    base = run_of(tmp_path / "base", {f"q{n}": [n % 2 == 0 or n < 20] * 2 for n in range(40)})
    given = ("gate", run, "--config", tmp_path / "b.toml", "--baseline", base)
    for table in (
        '[min]\naccuracy = 0.3\n[task.toy.min]\njudged_on = "point"\n',
        '[min]\naccuracy = 0.3\njudged_on = "point"\n',
    ):
        (tmp_path / "point.toml").write_text(table)
        assert harness("gate", run, "--config", tmp_path / "point.toml", "--min", "accuracy=0.5")[0] == 0
    assert harness(*given)[0] == 0
    for options in (("--min", "accuracy=0.9"), ("--max-drop", "0.01"), ("--min", "accuracy=0.9", "--max-drop", "0.01")):
        code, out, _ = harness(*given, *options)
        assert code == 1, out
