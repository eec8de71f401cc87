"""Tables on stdout: results with their intervals, and the exit code of a run that is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rewardkit.cli._say import say
from rewardkit.stats import Estimate
from rewardkit.table import print_table

if TYPE_CHECKING:
    from harness.metrics import Bounds, Summary
    from harness.run import Finished

_USUAL = {"failed": "0", "unjudged": "0", "turns": "2.0", "pass@k %": "-", "maj@k %": "-"}
"""What a column of the headline table says where there is nothing to tell."""


def exit_code(summaries: Sequence[Summary], max_unjudged: float) -> int:
    """4 if a larger share of the answers is missing or unjudged, and a line that says so; else 0."""
    from harness.metrics import lost_share

    lost = lost_share(summaries)
    if lost <= max_unjudged:
        return 0
    share = f"{lost:.1%} of the answers could not be generated or judged"
    say(f"incomplete: {share} (--max-unjudged {max_unjudged:g})", err=True)
    return 4


def percent(value: float | None) -> str:
    """A share as per cent with one decimal; a dash if there is none."""
    return "-" if value is None else f"{100 * value:.1f}"


def interval(figure: Estimate | Bounds | None, problems: int | None = None) -> str:
    """A share with its interval, `62.4 [58.1, 66.5]`, or what missing answers leave of it, `28.6 to 34.1 [20.0, 43.2]`.

    `(n 38)` follows if it rests on fewer than all `problems`.
    """
    if figure is None:
        return "-"
    if isinstance(figure, Estimate):
        value = percent(figure.value)
    else:
        value = " to ".join(dict.fromkeys(map(percent, (figure.least, figure.most))))  # once where both print alike
    count = f" (n {figure.n})" if problems is not None and figure.n != problems else ""
    return f"{value} [{100 * figure.low:.1f}, {100 * figure.high:.1f}]{count}"


def majority(figure: Estimate | Bounds | None) -> str:
    """maj@k without its interval."""
    return "-" if figure is None else interval(figure).partition(" [")[0]


def number(estimate: Estimate | None) -> str:
    """A mean score or reward."""
    return "-" if estimate is None else f"{estimate.value:.3f}"


def summary_rows(name: str, summaries: Sequence[Summary]) -> list[dict[str, str]]:
    """The headline table, a row a task."""
    rows: list[dict[str, str]] = []
    for each in summaries:
        best = each.pass_at.get(each.k) if each.k > 1 else None
        row = {"run": name, "task": each.task, "n": str(each.problems), "k": str(each.k)}
        row |= {
            "accuracy % [95 %]": interval(each.accuracy, each.problems),
            "score": number(each.score),
            "reward": number(each.reward),
            "pass@k %": interval(best, each.problems),
            "maj@k %": majority(each.majority),
            "format %": percent(each.format),
            "cut %": percent(each.truncated),
            "tokens": f"{'~' if each.tokens_estimated else ''}{each.tokens_mean:.0f}/{each.tokens_median:.0f}",
            "turns": f"{each.turns_mean:.1f}",
            "failed": str(each.errors),
            "unjudged": str(each.unjudged),
        }
        rows.append(row)
    return rows


def telling_columns(rows: Sequence[dict[str, str]]) -> list[str]:
    """The columns of the headline table without those that say in each row what is usual."""
    return [name for name in rows[0] if name not in _USUAL or any(row[name] != _USUAL[name] for row in rows)]


def print_summaries(runs: Sequence[tuple[str, Sequence[Summary]]]) -> None:
    """Print the headline table of one or several runs, and the classes of answers under it."""
    rows = [row for name, summaries in runs for row in summary_rows(name, summaries)]
    if not rows:
        say("no answers")
        return
    single = len(runs) == 1
    columns = [name for name in telling_columns(rows) if name != "run" or not single]
    print_table(columns, [[row[column] for column in columns] for row in rows], text={"task"})
    for name, summaries in runs:
        for each in summaries:
            classes = ", ".join(f"{count} {kind}" for kind, count in each.classes.items())
            say(f"{'' if single else name + ' '}{each.task}: {classes}")
            if each.graders:
                say(f"{'' if single else name + ' '}{each.task}, grader against grader: {each.graders.line()}")


def run_table(finished: Finished) -> dict[str, Any]:
    """A run's results as plain values."""
    return {
        "name": finished.run.name,
        "results": str(finished.results),
        "seconds": finished.seconds,
        "lost": finished.lost,
        "usage": finished.run.record["usage"],
        "tasks": {summary.task: summary.to_json() for summary in finished.summaries},
    }
