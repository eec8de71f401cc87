import base64
import gzip
import itertools
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report import page as report_page
from harness.report.charts import lengths
from harness.report.page import _change_row, render
from harness.store import read_run

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \u2028"


@pytest.fixture
def two_runs(run_of, tmp_path):
    table = {f"problem {n} {NASTY}": [n % 3 > 0, n % 2 > 0] for n in range(20)}
    better = {question: [True, True] for question in table}
    return [
        read_run(run_of(tmp_path / "base", table)),
        read_run(run_of(tmp_path / "tuned", better, truncated={(1, 1)})),
    ]


def test_the_page_needs_nothing_from_outside(two_runs):
    page = render(two_runs)
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page)
    assert "default-src 'none'" in page
    assert "@import" not in page


def test_foreign_text_cannot_become_markup(two_runs):
    page = render(two_runs)
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_the_tables_work_without_the_script(two_runs):
    page = render(two_runs)
    for word in ("Numbers", "Change", "How answers ended", "base", "tuned", "McNemar"):
        assert word in page
    assert page.count("<svg") >= 4


def test_all_answers_are_in_the_blocks(two_runs):
    page = render(two_runs)
    index = json.loads(re.search(r'id="index">(.*?)</script>', page)[1])
    assert len(index["columns"]["run"]) == 80
    packed = re.findall(r'id="a\d+">(.*?)</script>', page)
    rows = [row for text in packed for row in json.loads(gzip.decompress(base64.b64decode(text)))]
    assert len(rows) == 80
    assert rows[0]["reason"] == "told so"
    assert set(index["columns"]["change"]) == {0, 1}


def test_runs_that_cannot_be_compared_still_get_a_page(run_of, tmp_path):
    a = read_run(run_of(tmp_path / "a", {"x": [True]}))
    b = read_run(run_of(tmp_path / "b", {"y": [True]}))
    assert "Not compared" in render([a, b])


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_page_says_all_that_compare_says(run_of, harness, tmp_path, confidence):
    """Whatever runs there are beside them: intervals, how many problems are paired, notes, flips, and what is not compared."""
    table = {f"q{n}": [n % 3 > 0, n % 2 > 0] for n in range(20)}
    base = run_of(tmp_path / "base", table)
    other = run_of(tmp_path / "other", {question: [True] for question in list(table)[:15]})
    alien = run_of(tmp_path / "alien", {"x": [True]})
    html = tmp_path / "page.html"
    code, out, _ = harness("compare", base, other, "--confidence", confidence, "--html", html, "--json")
    [found] = json.loads(out)
    compared, page = html.read_text(encoding="utf-8"), render(list(map(read_run, (base, alien, other))), confidence=confidence)  # fmt: skip
    interval = "{delta:+.1f} [{low:+.1f}, {high:+.1f}]".format(**{name: 100 * found["change"][name] for name in ("delta", "low", "high")})  # fmt: skip
    gained = sum(flip["after"] > flip["before"] for flip in found["flips"])
    assert (code, found["change"]["n"], gained, len(found["notes"]) > 0) == (0, 15, len(found["flips"]), True)
    for each in (compared, page):
        assert all(word in each for word in (interval, f"change [{100 * confidence:g} %]", *found["notes"]))
        index = json.loads(re.search(r'id="index">(.*?)</script>', each)[1])["columns"]
        assert (index["change"].count(1), index["change"].count(2)) == (3 * gained, 0)
        assert ">15</td>" in each
    assert ("Not compared" in page, "Not compared" in compared) == (True, False)


def test_the_command_writes_the_file(run_of, harness, tmp_path):
    run = run_of(tmp_path / "a", {"x": [True], "y": [False]})
    code, _, err = harness("report", run, "-o", tmp_path / "out.html")
    assert (code, "2 answers" in err) == (0, True)
    assert (tmp_path / "out.html").stat().st_size > 10_000
    assert harness("report", run, "-o", tmp_path / "new" / "out.html")[0] == 0
    assert (tmp_path / "new" / "out.html").exists()


def test_what_failed_stands_before_the_figures(run_of, tmp_path):
    page = render([read_run(run_of(tmp_path / "a", {"x": [None, True], "y": [True, True]}))])
    headings = re.findall(r"<th class[^>]*>(.*?)</th>", page)
    assert headings[:5] == ["task", "run", "n", "k", "failed"]


def test_no_share_is_shown_of_answers_that_were_not_judged(run_of, tmp_path):
    run = read_run(run_of(tmp_path / "a", {"q": [None, True], "r": [None, False]}))
    answers = [each.model_copy(update={"tool_calls": int(each.error is None)}) for each in run.answers]
    page = render([replace(run, answers=answers)])
    assert re.findall(r"<td[^>]*>([^<]*)", page.partition("Tool calls")[2].partition("</table>")[0]) == [
        *("toy", "a", "0", "2", "-", "0"),
        *("toy", "a", "1", "2", "50.0%", "0"),
    ]


def test_only_failed_requests_still_make_a_page(run_of, tmp_path):
    assert "infra_error" in render([read_run(run_of(tmp_path / "a", {"x": [None], "y": [None]}))])


@pytest.mark.parametrize(
    ("metric", "shown"),
    [("accuracy", ["25.0", "75.0", "+50.0 [+40.0, +60.0]"]), ("score", ["0.250", "0.750", "+0.500 [+0.400, +0.600]"])],
)
def test_accuracy_is_shown_in_per_cent_and_values_are_not(metric, shown):
    change = SimpleNamespace(delta=0.5, low=0.4, high=0.6, p=0.01, n=7)
    row = _change_row(
        SimpleNamespace(
            task="t", other="b", metric=metric, before=0.25, after=0.75, change=change, p_holm=0.02, flips=[]
        )
    )
    assert row[3:7] == ["7", *shown]


@pytest.mark.parametrize(
    ("p_holm", "delta", "tone"),
    [(0.04, 0.5, "up"), (0.05, 0.5, "up"), (0.04, -0.5, "down"), (0.06, 0.5, None), (0.06, -0.5, None)],
)
def test_a_change_has_a_colour_where_it_is_significant(p_holm, delta, tone):
    change = SimpleNamespace(delta=delta, low=delta - 0.1, high=delta + 0.1, p=0.01, n=7)
    found = SimpleNamespace(
        task="t",
        base="a",
        other="b",
        metric="score",
        before=0.5,
        after=0.5 + delta,
        change=change,
        p_holm=p_holm,
        flips=[],
    )
    shown = str(report_page._change([found], [], 0.95))
    assert re.findall(r'class="(up|down)"', shown) == ([tone] if tone else [])
    headings = re.findall(r"<th class[^>]*>(.*?)</th>", shown)
    coloured = set(re.findall(r"nth-child\((\d+)\)", (report_page.HERE / "style.css").read_text(encoding="utf-8")))
    assert coloured == {str(headings.index("change [95 %]") + 1)}


def test_bars_of_length_stand_side_by_side(two_runs):
    """None is wider than its place, and all have a width."""
    for bins in (2, 8, 16):
        svg = str(lengths(two_runs[0], next(iter(two_runs[0].tasks)), bins))
        bars = [
            (float(x), float(wide))
            for x, wide in re.findall(r'class="k-correct" x="([-\d.]+)"[^>]*? width="([-\d.]+)"', svg)
        ]
        assert 1 <= len(bars) <= bins
        assert all(wide > 0 for _, wide in bars)
        assert all(x + wide <= after for (x, wide), (after, _) in itertools.pairwise(bars))


@given(answers=st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=4, max_size=200), bins=st.integers(1, 8))
def test_bars_hold_each_answer_once_and_a_length_in_one_of_them(answers, bins):
    rows = [SimpleNamespace(length=length, accuracy=float(right), truncated=False) for length, right in answers]
    svg = str(lengths(SimpleNamespace(name="a", by_problem=lambda _: {"p": rows}), "t", bins))
    found = re.findall(r"<title>(\d+) to (\d+) tokens: (\d+)% right, 0% cut off, (\d+) answers", svg)
    bars = [tuple(map(int, each)) for each in found]
    if len(rows) < 2 * bins:
        assert bars == []
        return
    assert all(last < first for (_, last, _, _), (first, _, _, _) in itertools.pairwise(bars))
    for first, last, right, n in bars:
        held = [each.accuracy for each in rows if first <= each.length <= last]
        assert (len(held), f"{sum(held) / n:.0%}") == (n, f"{right}%")
    assert sum(n for *_, n in bars) == len(rows)
    if len({each.length for each in rows}) == len(rows):
        assert len(bars) == bins
