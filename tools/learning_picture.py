"""The curves of the learning demo as one SVG, drawn without a plotting library: `python -m tools.learning_picture DIR... -o FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import click

from rewardkit.store import write_whole
from trainers.learn.report import Run, read

WIDTH, HEIGHT = 860, 380
LEFT, RIGHT, TOP, BOTTOM = 56, 330, 44, 44
COLOURS = ("#0b6e99", "#d9730d", "#0f7b6c", "#6940a5", "#ad1a72")
CONTROL = "#8a8a8a"
SMOOTH = 10
"""Steps that one point of the curve averages over."""


def picture(runs: Sequence[Run]) -> str:
    """Left: sampled accuracy while GRPO trains. Right: held-out accuracy after each stage, with 95 % intervals."""
    steps = max(len(run.curve) for run in runs)
    body = [*_frame(steps)]
    seeds = 0
    for run in runs:
        control = run.config.random_reward
        colour = CONTROL if control else COLOURS[seeds % len(COLOURS)]
        body += _curve(run, steps, colour, dashed=control)
        body += _stages(run, colour, dashed=control, shift=seeds * 6 if not control else 18)
        seeds += not control
    body += _legend(runs)
    return _svg("Accuracy while a tiny model learns addition by GRPO, and after each stage", body)


def _svg(title: str, body: Sequence[str]) -> str:
    style = "font-family: ui-sans-serif, system-ui, sans-serif; font-size: 12px"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" style="{style}">'
    ground = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{title}</title>", ground, *body, "</svg>", ""])


def _x(step: float, steps: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * step / max(1, steps)


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _text(x: float, y: float, words: str, *, anchor: str = "middle", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#37352f" font-size="{size}">{words}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, width: float = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _frame(steps: int) -> list[str]:
    parts = [_text(LEFT, 24, "Sampled accuracy during GRPO", anchor="start", size=14)]
    parts.append(_text(WIDTH - RIGHT + 60, 24, "Held-out accuracy", anchor="start", size=14))
    parts += _axes(steps)
    parts += [_text(_stage_x(i), HEIGHT - 22, name) for i, name in enumerate(("baseline", "SFT", "GRPO"))]
    return parts


def _axes(steps: int) -> list[str]:
    parts: list[str] = []
    for tenth in range(0, 11, 2):
        y = _y(tenth / 10)
        parts += [_line(LEFT, y, WIDTH - 20, y, "#e9e9e7"), _text(LEFT - 8, y + 4, f"{tenth / 10:.1f}", anchor="end")]
    parts += [_text(_x(step, steps), HEIGHT - 22, str(step)) for step in range(0, steps + 1, max(1, steps // 6))]
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, "step"))
    return parts


def _stage_x(index: int) -> float:
    return WIDTH - RIGHT + 90 + index * 90


def _curve(run: Run, steps: int, colour: str, *, dashed: bool) -> list[str]:
    points = _smooth([accuracy_at(entry) for entry in run.curve], steps)
    return [_path(points, colour, dashed=dashed)] if points and not dashed else []


def _smooth(values: Sequence[float], steps: int) -> list[str]:
    points: list[str] = []
    for end in range(SMOOTH, len(values) + 1):
        window = values[end - SMOOTH : end]
        points.append(f"{_x(end - SMOOTH / 2, steps):.1f},{_y(fmean(window)):.1f}")
    return points


def accuracy_at(entry: dict[str, float]) -> float:
    """The sampled accuracy in one entry of the curve: the metric that rewardkit logs, or the first reward's mean."""
    known = [value for name, value in entry.items() if name.endswith("/accuracy")]
    return known[0] if known else entry["reward"]


def _stages(run: Run, colour: str, *, dashed: bool, shift: float) -> list[str]:
    parts: list[str] = []
    points: list[str] = []
    for index, stage in enumerate(run.stages):
        x, (low, high) = _stage_x(index) - 6 + shift, stage.interval
        points.append(f"{x:.1f},{_y(stage.accuracy):.1f}")
        parts.append(_line(x, _y(low), x, _y(high), colour, width=2))
        parts.append(f'<circle cx="{x:.1f}" cy="{_y(stage.accuracy):.1f}" r="4" fill="{colour}"/>')
    return [_path(points, colour, dashed=dashed), *parts]


def _path(points: Sequence[str], colour: str, *, dashed: bool) -> str:
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'


def _legend(runs: Sequence[Run]) -> list[str]:
    parts: list[str] = []
    seeds = 0
    for index, run in enumerate(runs):
        control = run.config.random_reward
        colour = CONTROL if control else COLOURS[seeds % len(COLOURS)]
        words = "random reward" if control else f"seed {run.config.seed}"
        y = _y(0.30) + index * 17
        parts.append(_line(LEFT + 14, y - 4, LEFT + 34, y - 4, colour, width=3))
        parts.append(_text(LEFT + 40, y, words, anchor="start"))
        seeds += not control
    return parts


def tool_picture(runs: Sequence[Run]) -> str:
    """Tool calls a rollout while GRPO trains: with the tool call reward, and the control without it."""
    steps = max(len(run.curve) for run in runs)
    body = [_text(LEFT, 24, "Tool calls a rollout during GRPO", anchor="start", size=14), *_axes(steps)]
    for index, run in enumerate(runs):
        control = not run.config.reward.startswith("tool_call")
        colour = CONTROL if control else COLOURS[0]
        values = [entry.get("tools/call_frequency", 0.0) for entry in run.curve]
        body.append(_path(_smooth(values, steps), colour, dashed=control))
        body.append(_line(WIDTH - RIGHT + 30, 80 + 18 * index, WIDTH - RIGHT + 50, 80 + 18 * index, colour, width=3))
        words = f"{run.config.reward}, seed {run.config.seed}"
        body.append(_text(WIDTH - RIGHT + 58, 84 + 18 * index, words, anchor="start"))
    return _svg("Tool calls while a tiny model learns from the tool call reward", body)


@click.command()
@click.argument("directories", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The SVG file to write.")
def main(directories: tuple[Path, ...], output: Path) -> None:
    """Draw the runs that `python -m rewardkit.trainers.learn` left in DIRECTORIES."""
    runs = [read(directory) for directory in directories]
    draw = picture if all(run.stages for run in runs) else tool_picture
    write_whole(output, draw(runs))
    click.echo(str(output))


if __name__ == "__main__":
    main()
