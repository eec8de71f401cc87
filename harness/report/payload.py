"""The data inside a report: a small index of all answers, and their texts in compressed blocks that open on demand."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

from harness.generation import CLASSES, arguments_text
from harness.metrics import counts_of
from harness.store import Answer, Run

BLOCK = 128
"""Answers in one compressed block: the browser unpacks one block to show one answer."""
MAX_TEXT_CHARS = 40_000
"""Longer texts keep their beginning and their end."""
MAX_PROMPT_CHARS = 20_000
MAX_ANSWER_CHARS = 60
"""The extracted answer in the list; the panel shows all of it."""


def build(runs: Sequence[Run]) -> tuple[dict[str, Any], list[str], list[str]]:
    """The index, the answer blocks and the problem blocks (base64 of gzipped JSON)."""
    tasks = list(dict.fromkeys(task for run in runs for task in run.tasks))
    problems: dict[tuple[str, str], int] = {}
    bodies: list[dict[str, Any]] = []
    for run in runs:
        for key, problem in run.problems.items():
            if key not in problems:
                problems[key] = len(bodies)
                bodies.append(
                    {
                        "q": cut(problem.question),
                        "p": cut(problem.prompt, MAX_PROMPT_CHARS),
                        "t": cut(problem.target, 4_000),
                    }
                )
    sources = sorted({answer.data_source for run in runs for answer in run.answers})
    columns: dict[str, list[Any]] = {
        name: [] for name in ("run", "task", "kind", "source", "problem", "rep", "tokens", "reward", "answer", "flip")
    }
    texts: list[dict[str, Any]] = []
    flips = flipped(runs)
    for number, run in enumerate(runs):
        for answer in run.answers:
            place = problems[answer.task, answer.problem]
            columns["run"].append(number)
            columns["task"].append(tasks.index(answer.task))
            columns["kind"].append(CLASSES.index(answer.kind))
            columns["source"].append(sources.index(answer.data_source))
            columns["problem"].append(place)
            columns["rep"].append(answer.rep)
            columns["tokens"].append(answer.length)
            columns["reward"].append(None if answer.reward is None else round(answer.reward, 4))
            columns["answer"].append((answer.answer or "")[:MAX_ANSWER_CHARS])
            columns["flip"].append(flips.get((answer.task, answer.problem), 0))
            texts.append(body(answer))
    index = {
        "runs": [run.name for run in runs],
        "tasks": tasks,
        "classes": list(CLASSES),
        "sources": sources,
        "block": BLOCK,
        "columns": columns,
        "titles": [" ".join(str(each["q"]).split())[:110] for each in bodies],
    }
    return index, blocks(texts), blocks(bodies)


def body(answer: Answer) -> dict[str, Any]:
    """One answer's texts and judgement, empty fields left out."""
    full = {
        "text": cut(answer.text),
        "think": cut(answer.reasoning or ""),
        "turns": [turn(message) for message in answer.messages or ()],
        "answer": answer.answer,
        "verdict": str(answer.verdict) if answer.verdict else None,
        "reason": answer.reason,
        "score": answer.score,
        "reward": answer.reward,
        "parts": answer.parts,
        "finish": answer.finish_reason,
        "stopped": answer.stopped,
        "calls": answer.tool_calls,
        "nturns": answer.turns if answer.turns != 2 else None,
        "error": answer.error,
        "seed": answer.seed,
        "s": answer.latency_s,
        "doc": answer.doc_id,
    }
    return {name: value for name, value in full.items() if value not in (None, "", [], {}, 0) or name == "doc"}


def turn(message: dict[str, Any]) -> dict[str, str]:
    """One message of a conversation for reading."""
    text = str(message.get("content") or "")
    for call in message.get("tool_calls") or ():
        function = call.get("function", call)
        text += f"\n[calls {function.get('name')}] {arguments_text(function.get('arguments'))}"
    return {
        "role": str(message.get("role")),
        "text": cut(text),
        "think": cut(str(message.get("reasoning_content") or "")),
    }


def cut(text: str, limit: int = MAX_TEXT_CHARS) -> str:
    """At most `limit` characters: the beginning and the end."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n\n[... {len(text) - 2 * half:,} characters left out of this report ...]\n\n{text[-half:]}"


def flipped(runs: Sequence[Run]) -> dict[tuple[str, str], int]:
    """1 for problems gained from the first run to the last, 2 for lost ones: over the half of right answers."""
    if len(runs) < 2:
        return {}
    found: dict[tuple[str, str], int] = {}
    first, last = runs[0], runs[-1]
    for task in first.tasks:
        after = last.by_problem(task)
        for problem, answers in first.by_problem(task).items():
            (c1, n1), (c2, n2) = counts_of(answers), counts_of(after.get(problem, []))
            if n1 and n2 and (2 * c1 >= n1) != (2 * c2 >= n2):
                found[task, problem] = 2 if 2 * c1 >= n1 else 1
    return found


def blocks(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Rows in compressed blocks."""
    found: list[str] = []
    for start in range(0, len(rows), BLOCK):
        text = json.dumps(rows[start : start + BLOCK], ensure_ascii=False, separators=(",", ":"))
        packed = gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)
        found.append(base64.b64encode(packed).decode())
    return found
