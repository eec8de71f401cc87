"""The report's page: tables and charts written here, the sample browser of rewardkit/report/samples.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.tables import summary_rows, telling_columns
from harness.compare import Comparison, compare_each
from harness.errors import NotComparableError
from harness.generation import CLASSES
from harness.metrics import Summary, summarise
from harness.report import charts
from harness.report.payload import entries
from harness.store import Run
from rewardkit.report import figure, join, markup, page, paragraph, read, samples, section, table
from rewardkit.store import write_whole

if TYPE_CHECKING:
    from markupsafe import Markup

HERE = Path(__file__).parent


def write_report(runs: Sequence[Run], path: str | Path, *, confidence: float = 0.95) -> None:
    """Write the report of these runs; with several, the first is the baseline and the others are compared with it, by intervals of this confidence."""
    write_whole(Path(path), render(runs, confidence=confidence))


def render(runs: Sequence[Run], *, confidence: float = 0.95) -> str:
    """The whole page."""
    summaries = [(run, summarise(run)) for run in runs]
    compared, refused = compare_each(runs, confidence=confidence)
    body = (
        _numbers(summaries)
        + _change(compared, refused, confidence)
        + _classes(summaries)
        + _lengths(runs)
        + _graders(summaries)
        + _parts(summaries)
        + _turns(runs)
    )
    return page(
        "Evaluation: " + " vs ".join(run.name for run in runs),
        [(run.name, _facts(run)) for run in runs],
        body + section("Answers", samples.viewer(), name="browser"),
        style=samples.style() + read(HERE / "style.css"),
        script=samples.script(),
        data=samples.data(*entries(runs, compared), CLASSES),
    )


def _facts(run: Run) -> str:
    record = run.record
    facts = (record.get("model"), f"{len(run.answers):,} answers", f"seed {record.get('seed')}", record.get("date"))
    return " · ".join(str(fact) for fact in facts if fact)


def _numbers(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> Markup:
    rows = [row for run, each in summaries for row in summary_rows(run.name, each)]
    names = list(dict.fromkeys(row["task"] for row in rows))
    rows.sort(key=lambda row: names.index(row["task"]))
    columns = telling_columns(rows)
    seen_at_any_width = ("task", "run", "n", "k", "failed", "unjudged")
    order = [name for name in dict.fromkeys((*seen_at_any_width, *columns)) if name in columns]
    note = (
        "Means are over problems, intervals are 95 %: Wilson if each problem has one answer, else Student’s t over problems; "
        "pass@k by bootstrap over problems. Tokens: mean/median."
    )
    numbers = table(order, ([row[name] for name in order] for row in rows), left=2)
    return section("Numbers", numbers + paragraph(note, tone="note") + charts.intervals(_by_task(summaries)))


def _by_task(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> list[tuple[str, str, Summary]]:
    rows = [(each.task, run.name, each) for run, group in summaries for each in group]
    tasks = list(dict.fromkeys(task for task, _, _ in rows))
    return sorted(rows, key=lambda row: tasks.index(row[0]))


def _change(found: Sequence[Comparison], refused: Sequence[NotComparableError], confidence: float) -> Markup:
    heading = ("task", "run", "metric", "problems", "before", "after", f"change [{100 * confidence:g} %]", "p", "p Holm", "gained", "lost")  # fmt: skip
    tones = ("" if each.p_holm > 0.05 else "up" if each.change.delta > 0 else "down" for each in found)
    lines = [f"Not compared: {error}" for error in refused]
    lines += [f"{each.task}, {each.other}: {'; '.join(each.notes)}." for each in found if each.metric == "accuracy" and each.notes]  # fmt: skip
    body = markup("")
    if found:
        lines.append(
            f"Paired by problem against {found[0].base}. Accuracy: McNemar’s exact test at one answer a problem, else the exact sign-flip "
            "permutation test; Holm’s correction over tasks and runs. Gained and lost: problems whose majority answer flipped."
        )
        body = table(heading, map(_change_row, found), left=3, tones=tones)
    return section("Change", join([body, *(paragraph(line, tone="note") for line in lines)])) if lines else body


def _change_row(each: Comparison) -> list[str]:
    unit, digits = (100.0, 1) if each.metric == "accuracy" else (1.0, 3)
    change = each.change
    gained = sum(flip.gained for flip in each.flips)
    cells = [
        each.task, each.other, each.metric, str(change.n), f"{unit * each.before:.{digits}f}", f"{unit * each.after:.{digits}f}",
        f"{unit * change.delta:+.{digits}f} [{unit * change.low:+.{digits}f}, {unit * change.high:+.{digits}f}]",
        f"{change.p:.3g}", f"{each.p_holm:.3g}",
    ]  # fmt: skip
    return cells + ([str(gained), str(len(each.flips) - gained)] if each.metric == "accuracy" else ["", ""])


def _classes(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> Markup:
    rows = _by_task(summaries)
    kinds = [kind for kind in CLASSES if any(each.classes.get(kind) for _, _, each in rows)]
    return section("How answers ended", charts.legend(kinds) + charts.classes(rows))


def _lengths(runs: Sequence[Run]) -> Markup:
    tasks = dict.fromkeys(task for run in runs for task in run.tasks)
    drawn = ((f"{task} · {run.name}", charts.lengths(run, task)) for task in tasks for run in runs)
    cells = join(figure(caption, chart) for caption, chart in drawn if chart)
    if not cells:
        return markup("")
    said = "Share of right answers, %, in eighths by length; answers of one length share a bar."
    if any(answer.tokens is None and answer.error is None for run in runs for answer in run.answers):
        said += " Where the server gave no count of tokens, it is a quarter of the characters."
    return section(
        "Length against correctness", paragraph(said, tone="note") + markup('<div class="grid2">{}</div>').format(cells)
    )


def _parts(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> Markup:
    rows = [
        (each.task, run.name, name, f"{value:.3f}")
        for run, group in summaries
        for each in group
        for name, value in each.parts.items()
    ]
    return section("Reward parts", table(("task", "run", "part", "mean"), rows, left=3)) if rows else markup("")


def _graders(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> Markup:
    rows = [
        (
            each.task,
            run.name,
            found.reward,
            found.metric,
            *map(str, (found.answers, found.both, found.only_reward, found.only_metric, found.neither)),
        )
        for run, group in summaries
        for each in group
        if (found := each.graders) is not None
    ]
    heading = (
        "task",
        "run",
        "reward",
        "own metric",
        "answers",
        "right for both",
        "reward alone",
        "metric alone",
        "neither",
    )
    return section("Grader against grader", table(heading, rows, left=4)) if rows else markup("")


def _turns(runs: Sequence[Run]) -> Markup:
    rows: list[tuple[str, ...]] = []
    for run in runs:
        for task in run.tasks:
            answers = [answer for group in run.by_problem(task).values() for answer in group]
            if not any(answer.tool_calls for answer in answers):
                continue
            by_calls = Counter(min(answer.tool_calls, 8) for answer in answers)
            for calls in sorted(by_calls):
                part = [
                    answer for answer in answers if min(answer.tool_calls, 8) == calls and answer.accuracy is not None
                ]
                right = f"{sum(answer.accuracy or 0 for answer in part) / len(part):.1%}" if part else "-"
                errors = sum(answer.tool_errors for answer in part)
                name = f"{calls}+" if calls == 8 else str(calls)
                rows.append((task, run.name, name, str(by_calls[calls]), right, str(errors)))
    heading = ("task", "run", "calls", "answers", "right", "failed calls")
    return section("Tool calls", table(heading, rows, left=2)) if rows else markup("")


__all__ = ["render", "write_report"]
