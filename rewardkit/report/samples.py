"""The sample viewer of a page: an index of all answers, and their texts in compressed blocks that open on demand.

The harness report, `rewardkit view` and the audit page show their samples with it. Mathematics is typeset by KaTeX, which is
part of the page, so that nothing is fetched.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rewardkit.chat import content_text, tool_calls
from rewardkit.report import markup, read, script_json

if TYPE_CHECKING:
    from markupsafe import Markup

BLOCK = 128
"""Answers in one compressed block: the browser unpacks one block to show one answer."""
MAX_TEXT_CHARS = 40_000
"""Longer texts keep their beginning and their end."""
MAX_PROMPT_CHARS = 20_000
MAX_TRUTH_CHARS = 4_000
MAX_ANSWER_CHARS = 60
"""The extracted answer in the list; the panel shows all of it."""
MAX_TITLE_CHARS = 110
_HERE = Path(__file__).parent


class Problem(NamedTuple):
    """A problem and its ground truth."""

    question: str
    prompt: str
    truth: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer in the viewer."""

    id: str
    """Names the sample in the page's address (`#sample=ID`), with the run if there are several."""
    problem: Hashable
    """Key of the problem: answers to one problem can be read side by side."""
    kind: str
    """Verdict, or the harness's class of an answer."""
    run: str = ""
    task: str = ""
    source: str = ""
    rep: int = 0
    tokens: int | None = None
    reward: float | None = None
    answer: str | None = None
    change: int = 0
    """1 if its run gained the problem against the first run, 2 if it lost it."""
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Texts and judgement: `text`, `think`, `turns`, `answer`, `verdict`, `reason`, `steps`, `score`, `reward`, `parts`, `error`, `facts`."""


def style() -> str:
    """The viewer's style sheet."""
    return read(_HERE / "samples.css")


def script() -> str:
    """The viewer's program."""
    return read(_HERE / "katex.min.js") + "\n" + read(_HERE / "samples.js")


def viewer() -> Markup:
    """HTML elements of the viewer, for a section of the page."""
    return markup(read(_HERE / "samples.html"))


def data(entries: Sequence[Entry], problems: Mapping[Hashable, Problem], classes: Sequence[str]) -> dict[str, str]:
    """The blocks of data that the viewer reads: an index, the texts of answers, the texts of problems.

    `classes` is the order in which the kinds of answers are listed.
    """
    runs = _distinct(entry.run for entry in entries)
    tasks = _distinct(entry.task for entry in entries)
    sources = sorted({entry.source for entry in entries})
    kinds = [*(kind for kind in classes), *sorted({entry.kind for entry in entries} - set(classes))]
    numbers = {key: number for number, key in enumerate(problems)}
    columns: dict[str, list[Any]] = {
        "id": [entry.id for entry in entries],
        "run": [runs.index(entry.run) for entry in entries],
        "task": [tasks.index(entry.task) for entry in entries],
        "source": [sources.index(entry.source) for entry in entries],
        "kind": [kinds.index(entry.kind) for entry in entries],
        "problem": [numbers[entry.problem] for entry in entries],
        "rep": [entry.rep for entry in entries],
        "tokens": [entry.tokens for entry in entries],
        "reward": [None if entry.reward is None else round(entry.reward, 4) for entry in entries],
        "answer": [(entry.answer or "")[:MAX_ANSWER_CHARS] for entry in entries],
        "change": [entry.change for entry in entries],
    }
    index = {
        "runs": runs,
        "tasks": tasks,
        "classes": kinds,
        "sources": sources,
        "block": BLOCK,
        "columns": columns,
        "titles": [" ".join(each.question.split())[:MAX_TITLE_CHARS] for each in problems.values()],
    }
    texts = blocks([{name: value for name, value in entry.body.items() if value or value == 0} for entry in entries])
    asked = blocks(
        [
            {"q": cut(each.question), "p": cut(each.prompt, MAX_PROMPT_CHARS), "t": cut(each.truth, MAX_TRUTH_CHARS)}
            for each in problems.values()
        ]
    )
    named = {f"a{number}": text for number, text in enumerate(texts)}
    return {"index": script_json(index), **named, **{f"p{number}": text for number, text in enumerate(asked)}}


def turns(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The messages of a conversation for reading: role, text with the tool calls below it, thoughts."""
    found: list[dict[str, str]] = []
    for message in messages:
        calls = "".join(f"\n[calls {call['name']}] {_arguments(call['arguments'])}" for call in tool_calls([message]))
        thought = message.get("reasoning_content") or message.get("reasoning")
        found.append(
            {
                "role": str(message.get("role")),
                "text": cut(content_text(message) + calls),
                "think": cut(str(thought or "")),
            }
        )
    return found


def _arguments(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def cut(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """At most `limit` characters: the beginning and the end."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n\n[... {len(text) - 2 * half:,} characters left out of this page ...]\n\n{text[-half:]}"


def blocks(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rows in compressed blocks: base64 of gzipped JSON."""
    found: list[str] = []
    for start in range(0, len(rows), BLOCK):
        text = json.dumps(rows[start : start + BLOCK], ensure_ascii=False, separators=(",", ":"))
        packed = gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)
        found.append(base64.b64encode(packed).decode())
    return found


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
