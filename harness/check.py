"""`harness tasks --check`: whether a task loads, renders and judges, which lm-eval's `validate` does not check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from harness import catalog, data, prompts
from harness.generation import Generation, Response
from harness.judging import Judge, default_workers
from rewardkit import Score
from rewardkit.errors import RewardkitError, quoted

MAX_SHOWN = 3
"""Failing rows named in the text output."""


def check_tasks(
    names: Sequence[str], *, include: Sequence[str], tell: Callable[[str], None]
) -> list[dict[str, object]]:
    """Check tasks; if none is named, all in the directories `include`, else all of ours. One row a task: state `ok`, `failed` or `no data`, and why.

    A gold answer must be judged correct and a wrong one not, on every row. Rows without a reference answer
    (programs) are counted; their wrong answer is still judged.
    """
    listed = catalog.names(list(map(Path, include)) or [catalog.TASKS])
    wanted = list(names) or [name for name in listed if name not in catalog.groups()]
    rows: list[dict[str, object]] = []
    with Judge(workers=default_workers()) as judge:
        found = catalog.manager(wanted, include)
        for name in wanted:
            tell(f"checking {name}")
            try:
                loaded = catalog.load_tasks(found, [name])
            except data.DataError as error:
                rows.append({"task": name, "state": "no data", "line": f"{name}: no data ({error})"})
                continue
            rows.extend(check_task(task_name, task, judge) for task_name, task in loaded["tasks"].items())
    return rows


def check_task(name: str, task: Any, judge: Judge) -> dict[str, object]:
    """Check one loaded task on all of its rows."""
    docs = [cast("Mapping[str, Any]", doc) for doc in task.eval_docs]
    ours = [doc for doc in docs if isinstance(doc.get("reward"), str)]
    if not ours:
        return {"task": name, "state": "ok", "line": f"{name}: {len(docs)} rows load (not judged by rewardkit)"}
    problems: list[str] = []
    golds = [doc for doc in ours if _has_gold(doc)]
    pending = [(doc, judge.submit(doc, _said(prompts.gold(doc))), True) for doc in golds]
    pending += [(doc, judge.submit(doc, _said(prompts.wrong(doc))), False) for doc in ours]
    problems += [
        f"{doc['id']}: the prompt or the target is empty"
        for doc in ours
        if not str(task.doc_to_text(doc)).strip() or not str(task.doc_to_target(doc)).strip()
    ]
    right = refused = 0
    for doc, future, gold in pending:
        try:
            score = future.result() if future is not None else None
        except RewardkitError as error:
            score = Score.unjudged(str(error))
        if gold:
            right += _is(score, 1)
            if not _is(score, 1):
                problems.append(f"{doc['id']}: the gold answer {quoted(doc['ground_truth'])} is judged {_say(score)}")
        else:
            refused += _is(score, 0)
            if not _is(score, 0):
                problems.append(f"{doc['id']}: a wrong answer is judged {_say(score)}")
    source = data.source_of(task)
    line = f"{name}: {len(ours)} rows, gold right {right}/{len(golds)}, wrong refused {refused}/{len(ours)}"
    line += source.left_out if source else ""
    if problems:
        line += "".join(f"\n  {problem}" for problem in problems[:MAX_SHOWN])
        if len(problems) > MAX_SHOWN:
            line += f"\n  and {len(problems) - MAX_SHOWN} more"
    return {
        "task": name,
        "state": "failed" if problems else "ok",
        "rows": len(ours),
        "gold_right": right,
        "golds": len(golds),
        "wrong_refused": refused,
        "left_out": {why: rows.count for why, rows in source.dropped.items()} if source else {},
        "problems": problems,
        "line": line,
    }


def _said(text: str) -> Response:
    """An answer with the facts that a server would give."""
    facts: dict[str, Any] = {"key": "", "task": "", "doc_id": 0, "rep": 0, "seed": 0}
    return Response.of(Generation(**facts, text=text, tokens=max(1, len(text) // 4), finish_reason="stop"))


def _has_gold(doc: Mapping[str, Any]) -> bool:
    return prompts.answer(doc) is not None or bool(doc.get("reference"))


def _is(score: Score | None, accuracy: int) -> bool:
    return score is not None and score.accuracy == accuracy


def _say(score: Score | None) -> str:
    return "not at all" if score is None else f"{score.verdict} ({score.reason})"
