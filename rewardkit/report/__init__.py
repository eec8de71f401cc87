"""HTML pages that are alone: one file, no network, light and dark. The audit and the harness report are made of these.

The engine is jinja2 with autoescape (extra `report`): every text is escaped where it enters a template. What is already HTML is
`Markup`, so that a mistake shows as visible tags and never as live ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rewardkit.errors import MissingExtraError

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_HERE = Path(__file__).parent


@cache
def engine() -> Environment:
    """The one template engine.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise MissingExtraError.of("an HTML page", "report") from None
    return Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )


def page(
    title: str,
    facts: Iterable[tuple[str, str]],
    body: Markup,
    *,
    style: str = "",
    script: str = "",
    data: Mapping[str, str] | None = None,
) -> str:
    """A whole page. `title` and `facts` (name, value; empty values are left out) are text; `body` is made of the parts below.

    `style` is CSS beside the common one. With a `script` the page gets a button for light and dark, and `data`: blocks of
    JSON (`script_json`) or base64 under their ids, for the script to read. A page without one holds no script at all.
    """
    return engine().get_template("page.html").render(
        title=title,
        facts=[fact for fact in facts if fact[1]],
        body=body,
        style=markup(read(_HERE / "style.css") + style),
        script=markup(read(_HERE / "theme.js") + script) if script else None,
        data={name: markup(text) for name, text in (data or {}).items()},
    )  # fmt: skip


def section(heading: str, body: Markup, *, tone: str = "", name: str = "") -> Markup:
    """A card with a heading. `tone` is a class of the style sheet: `alarm`, `quiet` or nothing; `name` its id."""
    return _part("section", heading, body, tone or None, name or None)


def table(
    heading: Sequence[str], rows: Iterable[Sequence[object]], *, left: int = 1, tones: Iterable[str] | None = None
) -> Markup:
    """A table of text; the first `left` columns are set flush left. `tones` gives each row a class, or an empty one."""
    rows = list(rows)
    classes = [tone or None for tone in tones] if tones is not None else [None] * len(rows)
    return _part("table", heading, list(zip(classes, rows, strict=True)), left)


def paragraph(text: str, *, tone: str = "") -> Markup:
    """One paragraph of text; `tone` is a class: `soft`, `note` or nothing."""
    return _part("paragraph", text, tone or None)


def bar(share: float, label: str) -> Markup:
    """A share between 0 and 1 as a bar with its label."""
    return _part("bar", f"{max(0.0, min(1.0, share)) * 100:.2f}", label)


def figure(caption: str, body: Markup) -> Markup:
    """A drawing with its caption."""
    return _part("figure", caption, body)


def markup(text: str) -> Markup:
    """`text` taken as HTML as it stands: for what is in our own files and nothing else."""
    engine()
    from markupsafe import Markup

    return Markup(text)  # noqa: S704  what callers give is in our own files


def escape(text: str) -> Markup:
    """Text as HTML, for drawings that no template makes."""
    engine()
    from markupsafe import escape

    return escape(text)


def join(parts: Iterable[Markup]) -> Markup:
    """Parts one after the other."""
    return markup("").join(parts)


def script_json(value: Any) -> str:
    """JSON that stays JSON inside a script element, whatever the texts in it hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def read(path: Path) -> str:
    """A style sheet or script beside a module."""
    return path.read_text(encoding="utf-8")


def _part(name: str, *values: object) -> Markup:
    return getattr(engine().get_template("parts.html").module, name)(*values)
