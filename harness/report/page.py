"""The report's page: tables and charts written here, the sample browser run by `app.js` inside the file."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from harness.answers import Run, write_text
from harness.cli.tables import summary_rows
from harness.compare import Comparison, compare_runs
from harness.errors import NotComparableError
from harness.generation import CLASSES
from harness.metrics import Summary, summarise
from harness.report import charts
from harness.report.payload import build, script_json

HERE = Path(__file__).parent
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def write_report(runs: Sequence[Run], path: str | Path) -> None:
    """Write the report of these runs; with several, the first is the baseline and the others are compared with it."""
    write_text(Path(path), render(runs))


def render(runs: Sequence[Run]) -> str:
    """The whole page."""
    summaries = [(run, summarise(run)) for run in runs]
    index, answers, problems = build(runs)
    title = "vs ".join(f"{run.name} " for run in runs).strip()
    css, script = (HERE / "style.css").read_text(encoding="utf-8"), (HERE / "app.js").read_text(encoding="utf-8")
    data = [f'<script type="application/json" id="index">{script_json(index)}</script>']
    for name, blocks in (("a", answers), ("p", problems)):
        data += [f'<script type="text/plain" id="{name}{number}">{text}</script>' for number, text in enumerate(blocks)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_e(title)} · rewardkit harness</title><style>{css}</style></head><body>"
        f"{_head(runs)}<main>{_numbers(summaries)}{_change(runs)}{_classes(summaries)}{_lengths(runs)}"
        f"{_parts(summaries)}{_turns(runs)}{_browser()}</main>"
        + "\n".join(data)
        + f"<script>{script}</script></body></html>\n"
    )


def _head(runs: Sequence[Run]) -> str:
    items: list[str] = []
    for run in runs:
        record = run.record
        facts = [
            str(record.get("model") or ""),
            f"{len(run.answers):,} answers",
            f"seed {record.get('seed')}",
            str(record.get("date") or ""),
        ]
        items.append(f"<li><b>{_e(run.name)}</b> {_e(' · '.join(fact for fact in facts if fact))}</li>")
    return (
        '<header><div><h1>Evaluation report</h1><button id="theme" type="button" aria-label="Switch light and dark">◐</button></div>'
        f"<ul>{''.join(items)}</ul></header>"
    )


def _numbers(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> str:
    rows = [row for run, each in summaries for row in summary_rows(run.name, each)]
    names = list(dict.fromkeys(row["task"] for row in rows))
    rows.sort(key=lambda row: names.index(row["task"]))
    quiet = {"failed": "0", "unjudged": "0", "turns": "2.0", "pass@k %": "-", "maj@k %": "-"}
    columns = [name for name in rows[0] if name not in quiet or any(row[name] != quiet[name] for row in rows)]
    order = ["task", "run", *(name for name in columns if name not in {"task", "run"})]
    head = "".join(f"<th>{_e(name)}</th>" for name in order)
    body = "".join("<tr>" + "".join(f"<td>{_e(row[name])}</td>" for name in order) + "</tr>" for row in rows)
    chart_rows = [(each.task, run.name, each) for run, group in summaries for each in group]
    tasks = list(dict.fromkeys(task for task, _, _ in chart_rows))
    chart_rows.sort(key=lambda row: tasks.index(row[0]))
    return (
        f'<section><h2>Numbers</h2><div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        '<p class="note">Means are over problems, intervals are 95 %: Wilson where each problem has one answer, else Student’s t '
        "over problems; pass@k by bootstrap over problems. Tokens: mean/median.</p>"
        f"{charts.intervals(chart_rows)}</section>"
    )


def _change(runs: Sequence[Run]) -> str:
    if len(runs) < 2:
        return ""
    try:
        found = compare_runs(runs)
    except NotComparableError as error:
        return f'<section><h2>Change</h2><p class="note">Not compared: {_e(str(error))}</p></section>'
    rows = "".join(_change_row(each) for each in found)
    return (
        '<section><h2>Change</h2><div class="wide"><table><thead><tr><th>task</th><th>run</th><th>metric</th><th>before</th>'
        "<th>after</th><th>change [95 %]</th><th>p</th><th>p Holm</th><th>gained</th><th>lost</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="note">Paired by problem against {_e(runs[0].name)}. Accuracy: McNemar’s exact test at one answer a problem, else the '
        "exact sign-flip permutation test; Holm’s correction over tasks and runs. Gained and lost: problems that went over the half.</p></section>"
    )


def _change_row(each: Comparison) -> str:
    unit, digits = (100.0, 1) if each.metric == "accuracy" else (1.0, 3)
    change = each.change
    tone = "" if each.p_holm > 0.05 else ' class="up"' if change.delta > 0 else ' class="down"'
    gained = sum(flip.gained for flip in each.flips)
    cells = [
        each.task, each.other, each.metric, f"{unit * each.before:.{digits}f}", f"{unit * each.after:.{digits}f}",
        f"{unit * change.delta:+.{digits}f} [{unit * change.low:+.{digits}f}, {unit * change.high:+.{digits}f}]",
        f"{change.p:.3g}", f"{each.p_holm:.3g}",
    ]  # fmt: skip
    cells += [str(gained), str(len(each.flips) - gained)] if each.metric == "accuracy" else ["", ""]
    return f"<tr{tone}>" + "".join(f"<td>{_e(cell)}</td>" for cell in cells) + "</tr>"


def _classes(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> str:
    rows = [(each.task, run.name, each) for run, group in summaries for each in group]
    tasks = list(dict.fromkeys(task for task, _, _ in rows))
    rows.sort(key=lambda row: tasks.index(row[0]))
    kinds = [kind for kind in CLASSES if any(each.classes.get(kind) for _, _, each in rows)]
    return f"<section><h2>How answers ended</h2>{charts.legend(kinds)}{charts.classes(rows)}</section>"


def _lengths(runs: Sequence[Run]) -> str:
    cells: list[str] = []
    for task in dict.fromkeys(task for run in runs for task in run.tasks):
        for run in runs:
            chart = charts.lengths(run, task)
            if chart:
                cells.append(f"<figure><figcaption>{_e(task)} · {_e(run.name)}</figcaption>{chart}</figure>")
    if not cells:
        return ""
    return f'<section><h2>Length against correctness</h2><p class="note">Share of right answers, %, in eighths by length.</p><div class="grid2">{"".join(cells)}</div></section>'


def _parts(summaries: Sequence[tuple[Run, Sequence[Summary]]]) -> str:
    rows = [
        (each.task, run.name, name, value)
        for run, group in summaries
        for each in group
        for name, value in each.parts.items()
    ]
    if not rows:
        return ""
    body = "".join(
        f"<tr><td>{_e(task)}</td><td>{_e(run)}</td><td>{_e(name)}</td><td>{value:.3f}</td></tr>"
        for task, run, name, value in rows
    )
    return (
        '<section><h2>Reward parts</h2><div class="wide"><table><thead><tr><th>task</th><th>run</th><th>part</th><th>mean</th></tr>'
        f"</thead><tbody>{body}</tbody></table></div></section>"
    )


def _turns(runs: Sequence[Run]) -> str:
    rows: list[str] = []
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
                right = sum(answer.accuracy or 0 for answer in part) / max(1, len(part))
                errors = sum(answer.tool_errors for answer in part)
                name = f"{calls}+" if calls == 8 else str(calls)
                cells = (task, run.name, name, str(by_calls[calls]), f"{right:.1%}", str(errors))
                rows.append("<tr>" + "".join(f"<td>{_e(cell)}</td>" for cell in cells) + "</tr>")
    if not rows:
        return ""
    return (
        '<section><h2>Tool calls</h2><div class="wide"><table><thead><tr><th>task</th><th>run</th><th>calls</th><th>answers</th>'
        f"<th>right</th><th>failed calls</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _browser() -> str:
    return (
        '<section id="browser"><h2>Answers</h2><div class="filters">'
        '<select id="f-run" aria-label="Run"></select><select id="f-task" aria-label="Task"></select>'
        '<select id="f-source" aria-label="Source"></select><select id="f-kind" aria-label="Class"></select>'
        '<select id="f-flip" aria-label="Flipped"></select>'
        '<input id="f-text" type="search" placeholder="in the question or answer" aria-label="Search">'
        '<select id="f-sort" aria-label="Order"></select><output id="count"></output></div>'
        '<div class="panes"><div id="list" tabindex="0" role="listbox" aria-label="Answers"><div id="spacer"></div></div>'
        '<article id="detail" aria-live="polite"><p class="note">Choose an answer. Arrow keys move through the list.</p></article></div>'
        "<noscript><p>The list of answers needs JavaScript; the tables above do not.</p></noscript></section>"
    )


def _e(text: str) -> str:
    return html.escape(text)


__all__ = ["render", "write_report"]
