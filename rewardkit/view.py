"""Pages of judged samples: the outputs of `rewardkit score` with the rows they judged, or rows judged now."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, tee
from pathlib import Path
from typing import Any, cast

from rewardkit.base import Explanation, Reward
from rewardkit.chat import is_chat, message_text
from rewardkit.data.reader import RowReader, Selection, plain_stem
from rewardkit.data.rows import Columns, Row, row_of
from rewardkit.data.sources import Source
from rewardkit.errors import RewardkitError, UsageError, counted
from rewardkit.executor import is_bounded
from rewardkit.judging import JudgeRecords, judge, problem_of
from rewardkit.report import page, samples, section, table
from rewardkit.store import meta_path, read_meta
from rewardkit.summary import COLUMNS, Summary
from rewardkit.text import load
from rewardkit.types import Sample, Verdict

MAX_EXPLAINED = 2_000
"""Answers whose steps of judgement are worked out for the page."""


@dataclass
class Viewed:
    """One file of judged rows in the viewer."""

    name: str
    reward: Reward | None
    """Works out the steps of a judgement. None if that would run code from a file, or take unbounded time."""
    text: str
    reader: RowReader
    reads: list[str]
    """The files that are read."""
    rows: Iterable[tuple[Row, dict[str, Any]]]
    summary: Summary = field(default_factory=Summary)


def scored(path: Path, inputs: Sequence[str]) -> Viewed:
    """An output of `rewardkit score`, with its input: `inputs`, or files of the recorded names beside it or here.

    Raises:
        UsageError: it is not such an output, or its input is missing or has changed.
    """
    meta = read_meta(path)
    if next(Source(str(path)).read(), None) is None:
        raise UsageError(f"{path} has no rows")
    if meta is None or "reward" not in meta:
        lacking = "is missing" if meta is None else "names no reward"
        raise UsageError(
            f"{path} is not an output of rewardkit score: {meta_path(path).name} beside it {lacking}; give -r REWARD to judge its rows now"
        )
    names = [str(each["name"]) for each in meta["inputs"]]
    found = list(inputs) or [_find(name, path) for name in names]
    stems = [str(each.get("stem") or plain_stem(str(each["name"]))) for each in meta["inputs"]]
    reader = RowReader(found, Columns(**meta["columns"]), Selection(**meta["selection"]), stems=stems)
    recorded, given = (meta["inputs"], [source.fingerprint for source in reader.sources])
    hashes = [(each.get("sha256"), now.get("sha256")) for each, now in zip(recorded, given, strict=False)]
    if len(recorded) != len(given) or any(None not in pair and pair[0] != pair[1] for pair in hashes):
        raise UsageError(f"{path} was made from {', '.join(names)}, and {', '.join(found)} differs from it")
    explainer = None if meta.get("reward_files") else _explainer(meta["reward"])
    return Viewed(path.stem, explainer, meta["reward"], reader, [str(path), *_names(reader)], _joined(path, reader))


def judged(files: Sequence[str], reward: Reward, columns: Columns) -> Viewed:
    """Rows of files, judged now."""
    reader = RowReader(files, columns)
    reader.check()
    records, kept = tee(reader.records())
    judged = zip(kept, chain.from_iterable(judge(records, reward, JudgeRecords(columns))), strict=True)
    rows = ((row_of(record, columns), row.output) for record, row in judged)
    return Viewed("rows", reward if is_bounded(reward) else None, reward.text, reader, _names(reader), rows)


def render(viewed: Sequence[Viewed]) -> str:
    """The whole page."""
    problems: dict[Hashable, samples.Problem] = {}
    entries: list[samples.Entry] = []
    for each in viewed:
        seen: dict[Hashable, int] = {}
        for row, out in each.rows:
            key = problem_of(row)
            each.summary.add(out, key)
            problems.setdefault(key, problem(row))
            rep = seen[key] = seen.get(key, -1) + 1
            explain = each.reward if len(entries) < MAX_EXPLAINED else None
            entries.append(entry(row, out, run=each.name, key=key, rep=rep, reward=explain))
    numbers = [(each.name, *cells) for each in viewed for cells in each.summary.cells()]
    return page(
        "Samples: " + " and ".join(each.name for each in viewed),
        [(each.name, f"{counted(each.summary.total.n, 'answer')}, judged by {each.text}") for each in viewed],
        section("Numbers", table(("file", *COLUMNS), numbers, left=2))
        + section("Answers", samples.viewer(), name="browser"),
        style=samples.style(),
        script=samples.script(),
        data=samples.data(entries, problems, [verdict.value for verdict in Verdict]),
    )


def problem(row: Row) -> samples.Problem:
    """What a row asked."""
    sample = row.problem or Sample()
    prompt = sample.prompt
    if is_chat(prompt):
        whole = "\n\n".join(f"[{message.get('role')}]\n{message_text(message)}" for message in prompt)
        question = message_text(prompt[-1])
    else:
        whole = question = prompt if isinstance(prompt, str) else ""
    truth = sample.ground_truth
    shown = truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False, default=str)
    return samples.Problem(question or row.id, whole or question or row.id, shown)


def entry(row: Row, out: dict[str, Any], *, run: str, key: Hashable, rep: int, reward: Reward | None) -> samples.Entry:
    """One judged row. With a `reward` its steps of judgement are worked out."""
    sample = row.sample or Sample()
    return samples.Entry(
        id=str(out["id"]),
        problem=key,
        kind=str(out["verdict"]),
        run=run,
        source=out["data_source"] or "",
        rep=rep,
        tokens=sample.tokens,
        reward=out["reward"],
        answer=out["answer"],
        body={
            "text": samples.cut(sample.completion),
            "turns": samples.turns(sample.messages or ()),
            **{name: out[name] for name in ("answer", "verdict", "reason", "score", "reward", "parts")},
            "steps": _steps(reward.explain(sample)) if reward is not None and row.sample is not None else [],
        },
    )


def _explainer(text: str) -> Reward | None:
    """The reward that a file names, if it can be loaded and its judgement is bounded in time."""
    try:
        reward = load(text)
    except RewardkitError:
        return None
    return reward if is_bounded(reward) else None


def _names(reader: RowReader) -> list[str]:
    return [source.name for source in reader.sources]


def _find(name: str, output: Path) -> str:
    for folder in (output.parent, Path()):
        if (folder / name).is_file() and not (folder / name).samefile(output):
            return str(folder / name)
    raise UsageError(f"the input of {output}, {name}, was not found; give it with --rows FILE")


def _joined(path: Path, reader: RowReader) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Each output row with the row it judged."""
    with path.open(encoding="utf-8") as lines:
        for line, row in zip(lines, reader, strict=False):
            try:
                out = cast("dict[str, Any]", json.loads(line))
                judged = out["id"]
            except (ValueError, RecursionError, TypeError, KeyError):
                raise UsageError(f"{path} holds a line that rewardkit score did not write; score again") from None
            if judged != row.id:
                raise UsageError(f"{path} has the row {judged} where its input has {row.id}")
            yield row, out


def _steps(explanation: Explanation, depth: int = 0) -> list[str]:
    value = "unjudged" if explanation.score.value is None else f"{explanation.score.value:g}"
    own = [f"{explanation.text}: {value} {explanation.score.verdict}", *(f"  {step}" for step in explanation.steps)]
    lines = [line for child in explanation.children for line in _steps(child, depth + 1)]
    return ["  " * depth + line for line in own] + lines
