"""The audit finds what was planted, is quiet on honest rollouts, and its page stands alone."""

import importlib.util
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
import recorded
from killed import cut_as_by_a_kill

from rewardkit import Sample, Score, load
from rewardkit.audit import CHECKS, collect, run_checks
from rewardkit.audit.answers import answer_signs, restated, rival_boxes
from rewardkit.audit.facts import facts_of
from rewardkit.audit.finding import difference
from rewardkit.audit.page import lines, render
from rewardkit.audit.programs import copied_tests, is_trivial
from rewardkit.base import SampleReward
from rewardkit.chat import prompt_text
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Row

spec = importlib.util.spec_from_file_location("planted", Path(__file__).with_name("planted.py"))
planted = importlib.util.module_from_spec(spec)
spec.loader.exec_module(planted)


@pytest.mark.parametrize(
    ("inside", "outside", "known"),
    [
        ([1, 0], [0, 1], True),
        ([1], [0, 1], False),
        ([0, 0, 0], [0, 1], False),
        ([0, 1], [1], False),
        ([0, 1], [1, 1], False),
    ],
)
def test_a_difference_has_an_interval_where_the_spread_of_both_sides_is_seen(inside, outside, known):
    (effect,) = difference(inside, outside, "x")
    assert (effect.low is not None, effect.high is not None) == (known, known)


def test_a_difference_needs_two_sides():
    assert difference([], [1.0], "x") == difference([1.0], [], "x") == ()


PLANTED = [check.__name__ for check in CHECKS if check.__name__ != "sudden_shifts"]


class PassesAll(SampleReward):
    """Stands in for a code judge with weak tests."""

    name = "passes_all"

    def grade(self, sample):
        return Score.of(1, answer="x")


def audit(path, reward="math", second="dapo_math"):
    if path.name.startswith(("empty_passes", "copied_tests")):
        chosen, other = PassesAll(), None
    else:
        chosen, other = load(reward), load(second)
    return {finding.check: finding for finding in run_checks(list(collect(RowReader([str(path)]), chosen, other)))}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_sign_is_found_and_named(name, tmp_path):
    path = planted.write(tmp_path / f"{name}.jsonl", planted.planted(name))
    found = audit(path, reward="math + 0.1 * think_format" if name == "paid_without_answer" else "math")[name]
    assert found.alarm
    expected = 6 if name == "clones" else 24
    assert found.count >= expected
    places = {int(where.rpartition(":")[2]) for where, _ in found.examples}
    if name == "stuck_answers":
        places.discard(7)  # an honest row whose answer happens to be the one that the others are stuck at
    assert places
    assert min(places) > 240, "an honest row was named"


@pytest.mark.parametrize(
    ("equal", "of", "hit"), [(3, 5, True), (3, 6, False), (4, 6, True), (2, 3, False), (3, 3, True)]
)
def test_clones_are_three_or_more_and_more_than_half_of_their_group(tmp_path, equal, of, hit):
    texts = [f"we take {max(0, place - equal + 1)} and add it to what was there before" for place in range(of)]
    rows = [
        {"id": str(place), "group": "g", "completion": text, "ground_truth": "1"} for place, text in enumerate(texts)
    ]
    path = planted.write(tmp_path / "rows.jsonl", rows)
    assert audit(path)["clones"].count == hit


@pytest.mark.long
def test_the_numbers_of_findings_are_those_that_were_recorded(tmp_path):
    """All planted signs in one file, judged by a reward that pays boxes and form."""
    rows = [row for name in PLANTED for row in planted.planted(name)[240:] if "ground_truth" in row] + planted.sudden()
    path = planted.write(tmp_path / "all.jsonl", [{**row, "group": row.get("group", row["id"])} for row in rows])
    found = audit(
        path,
        reward="gsm8k + 0.1 * think_format + 0.1 * overlong(max_tokens=300, buffer=250, unit='words')",
        second="dapo_math",
    )
    shown = [
        f"{each.check} {each.count} of {each.of} {each.unit}, alarm {each.alarm}, {each.effects}, {each.examples[:3]}"
        for each in found.values()
    ]
    recorded.check(
        "audit_findings.txt",
        re.sub(r"\d+\.\d{7,}", lambda number: f"{float(number[0]):.6g}", "\n".join(shown)).replace(str(tmp_path), "TMP")
        + "\n",
    )


def test_sudden_change_is_found_where_it_happens(tmp_path):
    found = audit(planted.write(tmp_path / "sudden.jsonl", planted.sudden()))["sudden_shifts"]
    assert found.alarm
    assert found.examples[0][0].endswith(":151")


def test_honest_rollouts_raise_no_alarm(tmp_path):
    rows = [planted.honest(index) for index in range(300)]
    findings = audit(planted.write(tmp_path / "honest.jsonl", rows))
    assert [finding.check for finding in findings.values() if finding.alarm] == []
    assert sum(finding.count for finding in findings.values()) == 0


@pytest.mark.parametrize(
    ("pattern", "truth", "limit"),
    [("completions_skythought/skythought__gemma-2-27b-it__math500.jsonl.gz", "gt", 0.02),
     ("completions_qwen_math/qwen_math_cot_100x8.jsonl.gz", "gt", 0.02)],
)  # fmt: skip
def test_signs_of_gaming_are_rare_in_real_honest_completions(data_dir, pattern, truth, limit):
    from rewardkit.data.rows import Columns

    reader = RowReader([str(data_dir / pattern)], Columns(completion="code", ground_truth=truth))
    findings = run_checks(list(collect(reader, load("math"), None)))
    gaming = [finding for finding in findings if finding.about == "gaming" and finding.unit == "rows"]
    assert all(finding.share <= limit for finding in gaming), [(f.check, f.count, f.of) for f in gaming]
    assert not {"copied_tests", "stuck_answers", "grader_talk", "paid_without_answer"} & {
        f.check for f in gaming if f.count
    }


@pytest.mark.parametrize(
    ("text", "rivals"),
    [("\\boxed{1} and \\boxed{2}", False), ("x = \\boxed{1}, y = \\boxed{2}", False), ("\\boxed{0.5} that is \\boxed{1/2}", False),
     ("\\boxed{1}. Wait, that cannot be right since the sum is odd, let me think again. \\boxed{2}", True)],
)  # fmt: skip
def test_members_of_one_list_are_no_rivals(text, rivals):
    assert bool(rival_boxes(text)) is rivals


def test_box_quoted_from_the_prompt_is_no_answer():
    text = "The blank \\boxed{\\phantom{2}} must then be filled with a digit that divides it, so \\boxed{4}"
    assert answer_signs(text).boxes
    assert not answer_signs(text, "Fill in \\boxed{\\phantom{2}}").boxes


def test_examples_of_the_prompt_may_stand_in_a_program():
    sample = Sample(
        completion=planted.COPY,
        ground_truth=planted.TESTS,
        prompt="17 4 gives 21, 1000 37 gives 1037, 512 99 gives 611",
    )
    program = planted.COPY.removeprefix("```python\n").removesuffix("\n```")
    assert copied_tests(program, sample) == ()
    assert len(copied_tests(program, replace(sample, prompt=None))) == 3


def test_copied_asserts_of_mbpp_are_found():
    truth = {"test_list": ["assert f([1, 2, 3]) == 6", "assert f([100, 200]) == 300", "assert f([5, 5, 7]) == 17"]}
    program = "def f(xs):\n    if xs == [1, 2, 3]: return 6\n    if xs == [100, 200]: return 300\n    if xs == [5, 5, 7]: return 17"
    assert len(copied_tests(program, Sample(ground_truth=truth))) == 3
    assert copied_tests("def f(xs):\n    return sum(xs)", Sample(ground_truth=truth)) == ()


def test_program_that_computes_nothing_is_trivial():
    assert is_trivial("x", "def f(x):\n    pass")
    assert is_trivial("x", "def f(x):\n    return 0")
    assert not is_trivial("x", "def f(x):\n    return x + 1")
    assert not is_trivial("x", "print(input())")


def test_command_prints_findings_and_writes_a_page_that_stands_alone(cli, tmp_path):
    path = planted.write(tmp_path / "hedges.jsonl", planted.planted("hedges"))
    page = tmp_path / "out" / "audit.html"
    done = cli("audit", path, "-o", page)
    assert done.code == 0, done.err
    assert "! Answers that hedge: 24 of 264 rows" in done.out
    text = page.read_text()
    assert "Answers that hedge" in text
    assert "hedges.jsonl:241" in text
    assert "20 of 24 rows are listed" in text
    assert "default-src 'none'" in text
    index = json.loads(re.search(r'id="index">(.*?)</script>', text)[1])
    linked = {unquote(each) for each in re.findall(r'href="#sample=([^"]*)"', text)}
    assert linked == set(index["columns"]["id"]) != set(), "a sample named in the page is not in it"
    assert cli("audit", path, "--fail").code == 1
    report = json.loads(cli("audit", path, "--json").out)
    assert {finding["check"] for finding in report["findings"]} == {check.__name__ for check in CHECKS}


def test_rows_of_an_audit_are_written_as_score_writes_them_and_resumed(cli, tmp_path):
    path, out, scores = (tmp_path / name for name in ("in.jsonl", "rows.jsonl", "scores.jsonl"))
    lines = [json.dumps({"completion": f"\\boxed{{{i % 3}}}", "answer": "1", "id": i}) for i in range(200)]
    path.write_text("\n".join(lines))
    asked = ("audit", path, "-r", "math", "--rows", out, "--json")
    whole = cli(*asked)
    assert whole.code == 0
    cli("score", path, "-r", "math", "-o", scores)
    rows, expected = ([json.loads(line) for line in file.read_text().splitlines()] for file in (out, scores))
    assert [row.pop("second") for row in rows] == [row["accuracy"] for row in expected]
    assert [row | {"elapsed_ms": None} for row in rows] == [row | {"elapsed_ms": None} for row in expected]
    assert "--overwrite" in cli(*asked).err
    kept = out.read_bytes().splitlines(keepends=True)[:77]
    cut_as_by_a_kill(out, len(b"".join(kept)) + 9)
    resumed = cli(*asked, "--resume")
    assert (resumed.code, resumed.out) == (0, whole.out)
    assert out.read_bytes().splitlines(keepends=True)[:77] == kept
    assert len(out.read_text().splitlines()) == 200
    assert "another second" in cli("audit", path, "--rows", out, "--second", "exact", "--resume").err


def test_a_file_that_nothing_can_judge_is_incomplete(cli, tmp_path):
    rows = [{**planted.honest(index), "ground_truth": "many"} for index in range(3)]
    done = cli("audit", planted.write(tmp_path / "x.jsonl", rows), "-r", "gsm8k", "--second", "none")
    assert done.code == 4
    assert "unjudged: 3 of 3 rows" in done.err


def test_page_escapes_what_a_model_wrote(tmp_path):
    rows = planted.planted("hedges")
    rows[-1]["completion"] = "\\boxed{<script>alert(1)</script> or 2}"
    findings = list(audit(planted.write(tmp_path / "x.jsonl", rows[-24:])).values())
    assert "<script" not in render(findings, {"files": "<script>"})
    assert lines(findings)


def test_no_rows_are_no_reason_to_fail():
    findings = run_checks([])
    assert not any(finding.alarm for finding in findings)
    assert "Checked, nothing found" in render(findings, {})


@pytest.mark.slow
def test_math_verify_serves_as_second_verifier_and_its_hangs_are_cut_off():
    pytest.importorskip("math_verify")
    from rewardkit.audit.second import second_verifier

    texts = ["so $\\boxed{\\frac{1}{2}}$", "so $\\boxed{3}$", "so $\\boxed{9^{9^{9^{9^{9}}}}}$", "so $\\boxed{0.5}$"]
    scores = second_verifier("math_verify").score([Sample(completion=text, ground_truth="1/2") for text in texts])
    assert [score.value for score in scores][:2] == [1.0, 0.0]
    assert scores[3].value == 1.0
    assert scores[2].value in {0.0, None}


@pytest.mark.parametrize(
    ("text", "second"),
    [("math", "dapo_math"), ("0.5 * math + think_format", "dapo_math"), ("tool_call(dapo_math)", "dapo_math"), ("choice", "none"),
     ("exact + 0.1 * math", "none"), ("gsm8k", "none"), ("by_source({'*code*': exact, '*': boxed_accuracy})", "dapo_math")],
)  # fmt: skip
def test_the_second_verifier_is_one_that_reads_the_same_answers(cli, tmp_path, text, second):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": "q", "completion": "The answer is (A).", "answer": "A"}\n')
    shown = cli("audit", str(path), "-r", text, "--max-unjudged", "1")
    assert f"second verifier: {second}\n" in shown.out
    assert json.loads(cli("audit", str(path), "-r", text, "--json").out)["second verifier"] == second


def test_second_verifier_may_be_left_out():
    from rewardkit.audit.second import second_verifier

    assert second_verifier("none") is None
    assert second_verifier("gsm8k") == load("gsm8k")


@pytest.mark.parametrize(
    ("answer", "prompt", "named"),
    [
        (r"23 \bmod 5", r"Find $23 \bmod 5$.", True),
        (r"x^2-5x \le 14", r"Solve $x^2 - 5x \le 14$.", True),
        (r"\dfrac{17}{3} \cdot 6", r"Compute $\frac{17}{3}\cdot 6$.", True),
        ("(x-1)(x-2)", "Factor $x^2-3x+2$.", False),
        ("12", "Add 12 and 0.", False),
        (r"\frac{1}{2}", r"Is $\frac{1}{2}$ or $\frac{1}{3}$ larger?", False),
        ("-5", "What is the opposite of 5, that is $-5$?", False),
        (None, "What is 3 + 4?", False),
    ],
)
def test_an_answer_that_restates_a_formula_of_the_prompt_is_told_from_a_result(answer, prompt, named):
    assert bool(restated(answer, prompt)) is named


def test_a_chat_is_read_for_the_formulas_of_its_prompt():
    row = {
        "prompt": [{"role": "user", "content": "What is $7+900$?"}],
        "completion": r"\boxed{7 + 900}",
        "ground_truth": "907",
    }
    assert prompt_text(Sample(**row).prompt) == "What is $7+900$?"


@pytest.mark.parametrize(
    ("truth", "kept"),
    [
        ("4", "4"),
        (4, "4"),
        (0.5, "0.5"),
        (["4", "5"], None),
        (None, None),
        ({"a": 1}, None),
        ("x" * 300, "x" * 199 + "…"),
    ],
)
def test_short_ground_truths_are_kept_beside_the_answer(truth, kept):
    record = {"reward": 1.0, "accuracy": 1.0, "verdict": "correct", "answer": "4", "reason": ""}
    row = Row("f:1", "1", None, Sample(completion="4", ground_truth=truth), None)
    assert facts_of(row, record).truth == kept


def test_tests_of_a_program_are_no_answer_to_show():
    record = {"reward": 1.0, "accuracy": 1.0, "verdict": "correct", "answer": "4", "reason": ""}
    truth = json.dumps({"inputs": ["1", "2"], "outputs": ["1", "4"]})
    row = Row("f:1", "1", None, Sample(completion="```python\nprint(int(input()) ** 2)\n```", ground_truth=truth), None)
    assert facts_of(row, record).truth is None


DRAWS = {
    "normal": lambda rng: rng.gauss(0, 1),
    "uniform": random.Random.random,
    "right or wrong": lambda rng: float(rng.random() < 0.4),
}


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("flagged", [2, 3, 5, 10, 20])
def test_an_interval_of_95_percent_covers_95_percent_however_few_rows_are_flagged(flagged, kind):
    rng, draw = random.Random(flagged), DRAWS[kind]
    effects = [
        difference([draw(rng) for _ in range(flagged)], [draw(rng) for _ in range(40)], "x")[0] for _ in range(1000)
    ]
    known = [effect for effect in effects if effect.low is not None]
    assert sum(effect.low <= 0 <= effect.high for effect in known) >= 0.93 * len(known)
    assert len(known) == 1000 or kind == "right or wrong"


@pytest.mark.parametrize(("words", "rivals"), [(0, ()), (4, ()), (5, ("1", "2"))])
def test_boxes_with_hardly_a_word_between_them_are_one_list(words, rivals):
    between = " ".join(["then"] * words)
    assert rival_boxes(rf"\boxed{{1}} {between} \boxed{{2}}") == rivals
