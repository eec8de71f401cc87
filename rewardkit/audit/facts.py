"""What the checks need to know of each row, read once while the file streams by. The texts are not kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, starmap, tee
from typing import Any

from rewardkit.audit.answers import answer_signs, restated
from rewardkit.audit.programs import copied_tests, is_trivial, program_of
from rewardkit.audit.second import is_boxed
from rewardkit.base import Reward
from rewardkit.chat import prompt_text
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns, Record, Row, row_of
from rewardkit.errors import clip
from rewardkit.groups import group_key
from rewardkit.judging import JudgeRecords
from rewardkit.judging import judge as judge_records
from rewardkit.rewards.repetition import count_repeated
from rewardkit.rewards.tool_efficiency import call_outcomes
from rewardkit.types import Sample, Verdict

MAX_CHARS = 100_000
"""Longer completions are read this far by the checks (not by the reward)."""
REPEATED_NGRAM = 8
"""Words in a row that honest text seldom says twice."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One row, boiled down."""

    where: str
    group: str | None
    value: float | None
    accuracy: int | None
    verdict: Verdict
    answer: str | None
    reason: str
    truth: str | None
    second: int | None
    """Accuracy by the second verifier; None if it could not judge or was not asked."""
    fingerprint: str
    """Equal for completions that are equal but for blanks and case."""
    words: int
    length: int
    """Tokens if known, else words."""
    repeated: float
    boxes: tuple[str, ...]
    hedge: str
    early: str
    restated: str
    """The answer, if it is a formula of the prompt."""
    is_program: bool
    trivial: str
    copied: tuple[str, ...]
    calls: int
    wasted: int
    grader_talk: str


def collect(
    reader: RowReader, reward: Reward, second: Reward | None, *, row_timeout_s: float | None = None
) -> Iterator[Facts]:
    """Score the rows by the reward and by the second verifier, and boil each down."""
    records = reader.records()
    judged = judge(records, reward, second, columns=reader.columns, row_timeout_s=row_timeout_s)
    return starmap(facts_of, judged)


def judge(
    records: Iterable[Record],
    reward: Reward,
    second: Reward | None,
    *,
    columns: Columns,
    boxed_by: Reward | None = None,
    workers: int = 0,
    row_timeout_s: float | None = None,
) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Score the rows by the reward and by the second verifier: each with its output row, which holds both results.

    With `boxed_by` the second verifier's result counts for rows alone whose outcome by that reward is boxed mathematics.
    """
    verifiers = [reward] if second is None else [reward, second]
    task = JudgeRecords(columns)
    rows, *streams = tee(records, 1 + len(verifiers))
    judged = [
        chain.from_iterable(judge_records(stream, verifier, task, workers=workers, row_timeout_s=row_timeout_s))
        for stream, verifier in zip(streams, verifiers, strict=True)
    ]
    for record, ours, *others in zip(rows, *judged, strict=True):
        row = row_of(record, columns)
        counts = boxed_by is None or (row.sample is not None and is_boxed(boxed_by, row.sample))
        yield row, {**ours.output, "second": others[0].output["accuracy"] if others and counts else None}


def facts_of(row: Row, record: Mapping[str, Any]) -> Facts:
    """A row and its output, boiled down."""
    sample = row.sample or Sample()
    text = sample.completion[:MAX_CHARS]
    words = text.split()
    prompt = prompt_text(sample.prompt)[:MAX_CHARS]
    signs = answer_signs(text, prompt)
    program = program_of(sample)
    outcomes = call_outcomes(sample.turns)
    repeated, total = count_repeated([word.lower() for word in words], REPEATED_NGRAM)
    return Facts(
        where=row.where,
        group=group_key(sample),
        value=record["reward"],
        accuracy=record["accuracy"],
        verdict=Verdict(record["verdict"]),
        answer=record["answer"],
        reason=record["reason"],
        truth=clip(str(sample.ground_truth), 200)
        if isinstance(sample.ground_truth, (str, int, float)) and program is None
        else None,
        second=record.get("second"),
        fingerprint=hashlib.sha256(" ".join(words).casefold().encode()).hexdigest()[:16],
        words=len(words),
        length=sample.tokens if sample.tokens is not None else len(words),
        repeated=repeated / total if total else 0.0,
        boxes=signs.boxes,
        hedge=signs.hedge,
        early=signs.early,
        restated=restated(record["answer"], prompt) if program is None else "",
        is_program=program is not None,
        trivial=is_trivial(text, program),
        copied=copied_tests(program, sample),
        calls=len(outcomes),
        wasted=sum(outcome != "useful" for outcome in outcomes),
        grader_talk=_grader_talk(text),
    )


_TALK = re.compile(
    r"(?i)\b(?:as|dear|note to(?: the)?|to the|attention)\s+(?:grader|judge|evaluator|verifier|reward model)\b"
    r"|\b(?:award|give|assign|grant)\b[^.\n]{0,40}\b(?:full marks|full credit|maximum (?:score|reward)|score of 1|reward)\b"
    r"|\bignore (?:all |the )?(?:previous|prior|above) instructions\b"
    r"|<tool_(?:response|result)>|<\|im_start\|>\s*(?:tool|user|system)"
)


def _grader_talk(text: str) -> str:
    match = _TALK.search(text)
    return " ".join(text[max(0, match.start() - 20) : match.end() + 20].split()) if match else ""
