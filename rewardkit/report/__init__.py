"""HTML pages that stand alone: one file, no network, no script, light and dark by the reader's setting."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(title: str, facts: Sequence[str], body: str) -> str:
    """A whole page. `title` and `facts` are text, `body` is HTML made with the functions below."""
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts if fact)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · rewardkit</title><style>{style}</style></head>"
        f"<body><header><h1>{escape(title)}</h1><ul>{items}</ul></header><main>{body}</main></body></html>\n"
    )


def section(heading: str, body: str, *, tone: str = "") -> str:
    """A card with a heading. `tone` is a class of the style sheet: `alarm`, `quiet` or nothing."""
    return f'<section class="{escape(tone)}"><h2>{escape(heading)}</h2>{body}</section>'


def table(heading: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1) -> str:
    """A table of text; the first `left` columns are set flush left."""
    head = "".join(f'<th class="{_side(index, left)}">{escape(cell)}</th>' for index, cell in enumerate(heading))
    lines = (
        "<tr>"
        + "".join(f'<td class="{_side(index, left)}">{escape(cell)}</td>' for index, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def paragraph(text: str, *, tone: str = "") -> str:
    """One paragraph of text."""
    return f'<p class="{escape(tone)}">{escape(text)}</p>'


def bar(share: float, label: str) -> str:
    """A share between 0 and 1 as a bar with its label."""
    width = max(0.0, min(1.0, share)) * 100
    return f'<div class="bar"><i style="width:{width:.2f}%"></i><span>{escape(label)}</span></div>'


def escape(value: object) -> str:
    """Text as HTML."""
    return html.escape(str(value))


def _side(index: int, left: int) -> str:
    return "l" if index < left else "r"
