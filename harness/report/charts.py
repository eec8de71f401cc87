"""Charts as inline SVG: intervals, classes, length against correctness. Colours come from the page's CSS."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from harness.metrics import Summary
from harness.store import Run
from rewardkit.report import escape, markup

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH = 860
LABEL = 270
ROW = 26


def intervals(rows: Sequence[tuple[str, str, Summary]]) -> Markup:
    """Accuracy with its interval: a line a run, grouped by task. Rows are (task, run, summary)."""
    rows = [row for row in rows if row[2].accuracy is not None]
    if not rows:
        return markup("")
    ends = [end for _, _, each in rows if each.accuracy for end in (each.accuracy.low, each.accuracy.high)]
    low, high = math.floor(min(ends) * 10) / 10, math.ceil(max(ends) * 10) / 10
    high = max(high, low + 0.1)
    height = ROW * len(rows) + 34

    def x(value: float) -> float:
        return LABEL + (value - low) / (high - low) * (WIDTH - LABEL - 70)

    out = [_open(WIDTH, height, "Accuracy with 95 % intervals")]
    steps = round((high - low) * 10)
    for step in range(0, steps + 1, max(1, steps // 5)):
        at = x(low + step / 10)
        out.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="4" y2="{height - 26}"/>')
        out.append(
            f'<text class="tick" x="{at:.1f}" y="{height - 10}" text-anchor="middle">{100 * low + 10 * step:.0f} %</text>'
        )
    before = ""
    for index, (task, run, each) in enumerate(rows):
        estimate = each.accuracy
        if estimate is None:
            continue
        y = 18 + index * ROW
        label = run if len({name for _, name, _ in rows}) > 1 else task
        if task != before and label is run:
            out.append(f'<text class="label task" x="0" y="{y + 4}">{_text(task, 18)}</text>')
        before = task
        out.append(f'<text class="label" x="{LABEL - 12}" y="{y + 4}" text-anchor="end">{_text(label, 20)}</text>')
        colour = f"run{_number(run, rows) % 6}"
        a, b, m = x(estimate.low), x(estimate.high), x(estimate.value)
        out.append(f'<line class="span {colour}" x1="{a:.1f}" x2="{b:.1f}" y1="{y}" y2="{y}"/>')
        out += [
            f'<line class="cap {colour}" x1="{end:.1f}" x2="{end:.1f}" y1="{y - 5}" y2="{y + 5}"/>' for end in (a, b)
        ]
        said = f"{task}, {run}: {100 * estimate.value:.1f} % [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"
        out.append(f'<circle class="dot {colour}" cx="{m:.1f}" cy="{y}" r="4.5"><title>{_text(said)}</title></circle>')
        out.append(f'<text class="value" x="{b + 8:.1f}" y="{y + 4}">{100 * estimate.value:.1f}</text>')
    return markup("".join(out) + "</svg>")


def _number(run: str, rows: Sequence[tuple[str, str, Summary]]) -> int:
    return list(dict.fromkeys(name for _, name, _ in rows)).index(run)


def classes(rows: Sequence[tuple[str, str, Summary]]) -> Markup:
    """How answers ended: one stacked bar for each task and run."""
    several = len({name for _, name, _ in rows}) > 1
    height = ROW * len(rows) + 6
    out = [_open(WIDTH, height, "How answers ended")]
    for index, (task, run, each) in enumerate(rows):
        y = 4 + index * ROW
        label = f"{task} · {run}" if several else task
        out.append(f'<text class="label" x="{LABEL - 12}" y="{y + 14}" text-anchor="end">{_text(label, 38)}</text>')
        total = max(1, sum(each.classes.values()))
        at = float(LABEL)
        for kind, count in each.classes.items():
            wide = count / total * (WIDTH - LABEL)
            said = f"{label}: {count} {kind} ({count / total:.1%})"
            out.append(
                f'<rect class="k-{kind}" x="{at:.1f}" y="{y}" width="{max(0.6, wide - 1):.1f}" height="19" rx="2">'
                f"<title>{_text(said)}</title></rect>"
            )
            if wide > 46:
                out.append(f'<text class="inbar" x="{at + 6:.1f}" y="{y + 14}">{count / total:.0%}</text>')
            at += wide
    return markup("".join(out) + "</svg>")


def legend(kinds: Sequence[str]) -> Markup:
    """Names of the classes beside their colours."""
    items = [f'<span class="key"><i class="k-{kind}"></i>{kind.replace("_", " ")}</span>' for kind in kinds]
    return markup(f'<p class="legend">{"".join(items)}</p>')


def lengths(run: Run, task: str, bins: int = 8) -> Markup:
    """Length against correctness: answers in bins by length, the share of right ones in each. Bins have the same size but for answers of one length, which share one."""
    answers = [answer for group in run.by_problem(task).values() for answer in group if answer.accuracy is not None]
    answers.sort(key=lambda answer: answer.length)
    if len(answers) < 2 * bins:
        return markup("")
    wide, height, base = 372, 150, 118
    ends = sorted({answers[(index + 1) * len(answers) // bins - 1].length for index in range(bins)})
    parts = [list(part) for _, part in groupby(answers, lambda answer: bisect_left(ends, answer.length))]
    step = (wide - 40) / len(parts)
    out = [_open(wide, height, f"Length against correctness, {task}, {run.name}")]
    for mark in (0, 50, 100):
        y = base - mark * 0.96
        out.append(f'<line class="grid" x1="34" x2="{wide}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(f'<text class="tick" x="28" y="{y + 4:.1f}" text-anchor="end">{mark}</text>')
    for index, part in enumerate(parts):
        right = sum(answer.accuracy or 0 for answer in part) / len(part)
        cut = sum(answer.truncated for answer in part) / len(part)
        x = 38 + index * step
        tall = 96 * right
        said = (
            f"{part[0].length} to {part[-1].length} tokens: {right:.0%} right, {cut:.0%} cut off, {len(part)} answers"
        )
        out.append(
            f'<rect class="k-correct" x="{x:.1f}" y="{base - tall:.1f}" width="{step - 4:.1f}" height="{max(1.0, tall):.1f}" rx="2">'
            f"<title>{said}</title></rect>"
        )
        if index % 2 == 0 or index == len(parts) - 1:
            at = x + (step - 4) / 2
            out.append(
                f'<text class="tick" x="{at:.1f}" y="{base + 16}" text-anchor="middle">{_short(part[-1].length)}</text>'
            )
    out.append(f'<text class="tick" x="{wide / 2}" y="{height - 2}" text-anchor="middle">tokens, up to</text>')
    return markup("".join(out) + "</svg>")


def _short(number: int) -> str:
    return f"{number / 1000:.1f}k" if number >= 1000 else str(number)


def _open(width: float, height: float, title: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'


def _text(text: str, limit: int = 300) -> str:
    return escape(text if len(text) <= limit else text[: limit - 1] + "…")
