"""HTML pages that stand alone: one file, no network, light and dark. The audit and the harness report are made of these.

Text is escaped here and nowhere else: each function takes text and gives HTML; only `body`, `style`, `script` and `data`
are taken as they are.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_HERE = Path(__file__).parent


def page(
    title: str,
    facts: Iterable[tuple[str, str]],
    body: str,
    *,
    style: str = "",
    script: str = "",
    data: Mapping[str, str] | None = None,
) -> str:
    """A whole page. `title` and `facts` (name, value) are text; `body` is HTML made with the functions below.

    `style` is CSS beside the common one. With a `script` the page gets a button for light and dark, and `data`: blocks of
    JSON (`script_json`) or base64 under their ids, for the script to read. A page without one holds no script at all.
    """
    css = read(_HERE / "style.css") + style
    items = "".join(f"<li><b>{escape(name)}</b> {escape(value)}</li>" for name, value in facts if value)
    blocks = "".join(f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in (data or {}).items())
    code = f"{blocks}<script>{read(_HERE / 'theme.js')}{script}</script>" if script else ""
    button = '<button id="theme" type="button" aria-label="Switch light and dark">◐</button>' if script else ""
    policy = _POLICY + ("; script-src 'unsafe-inline'" if script else "")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} · rewardkit</title><style>{css}</style></head><body>"
        f"<header><div><h1>{escape(title)}</h1>{button}</div><ul>{items}</ul></header><main>{body}</main>{code}</body></html>\n"
    )


def section(heading: str, body: str, *, tone: str = "", name: str = "") -> str:
    """A card with a heading. `tone` is a class of the style sheet: `alarm`, `quiet` or nothing; `name` its id."""
    return f"<section{attributes({'class': tone, 'id': name})}><h2>{escape(heading)}</h2>{body}</section>"


def table(
    heading: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1, tones: Iterable[str] | None = None
) -> str:
    """A table of text; the first `left` columns are set flush left. `tones` gives each row a class, or an empty one."""
    head = "".join(f'<th class="{_side(index, left)}">{escape(cell)}</th>' for index, cell in enumerate(heading))
    rows = list(rows)
    lines = (
        f"<tr{attributes({'class': tone})}>"
        + "".join(f'<td class="{_side(index, left)}">{escape(cell)}</td>' for index, cell in enumerate(row))
        + "</tr>"
        for row, tone in zip(rows, [""] * len(rows) if tones is None else tones, strict=True)
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def paragraph(text: str, *, tone: str = "") -> str:
    """One paragraph of text; `tone` is a class: `soft`, `note` or nothing."""
    return f"<p{attributes({'class': tone})}>{escape(text)}</p>"


def bar(share: float, label: str) -> str:
    """A share between 0 and 1 as a bar with its label."""
    width = max(0.0, min(1.0, share)) * 100
    return f'<div class="bar"><i style="width:{width:.2f}%"></i><span>{escape(label)}</span></div>'


def figure(caption: str, body: str) -> str:
    """A drawing with its caption."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{body}</figure>"


def attributes(values: Mapping[str, str]) -> str:
    """Attributes of an element, empty ones left out."""
    return "".join(f' {name}="{escape(value)}"' for name, value in values.items() if value)


def escape(value: object) -> str:
    """Text as HTML."""
    return html.escape(str(value))


def script_json(value: Any) -> str:
    """JSON that stays JSON inside a script element, whatever the texts in it hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def read(path: Path) -> str:
    """A style sheet or script beside a module."""
    return path.read_text(encoding="utf-8")


def _side(index: int, left: int) -> str:
    return "l" if index < left else "r"
