"""The decontamination gate: removes validation and benchmark problems from a recipe's training data."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rewardkit import UsageError
from rewardkit.overlap import References

from . import files
from .files import Row

if TYPE_CHECKING:
    from .base import Data

BENCHMARKS = {
    "gsm8k": ("gsm8k/test.jsonl.gz", "question"),
    "math500": ("math500/test.jsonl.gz", "problem"),
    "aime24": ("aime/aime24.jsonl.gz", "problem"),
    "aime25": ("aime/aime25.jsonl.gz", "problem"),
    "amc23": ("amc23/test.jsonl.gz", "problem"),
    "olympiadbench": ("olympiadbench/olympiadbench.jsonl.gz", "question"),
    "humaneval": ("humaneval/HumanEval.jsonl.gz", "prompt"),
    "mbpp": ("mbpp/mbpp.jsonl.gz", "text"),
    "livecodebench": ("livecodebench/livecodebench_public_tests.jsonl.gz", "problem"),
    "leetcode_test": ("leetcode_dataset/leetcode_v0.3.1_test.jsonl.gz", "problem_description"),
}
"""Test sets that models are reported on: file below the data folder, and the column with the problem."""
MAX_DROPPED = 0.5
"""Where more of a stage's rows are test data, the data set is a test set: the recipe does not start."""


def decontaminate(data: Data, folder: Path) -> Data:
    """The data without rows that are in a validation or benchmark set, neither to train on nor to choose a checkpoint by; the counts are in its
    notes.

    Raises:
        UsageError: most of a stage's rows are test data.
    """
    own = References({"validation": map(files.question_of, data.validation)})
    benchmarks, present = _benchmarks(folder)
    absent = [name for name in BENCHMARKS if name not in present]
    missing = f"; no file for {', '.join(absent)}" if absent else ""
    notes = [f"decontamination: compared with {', '.join(['validation', *present])}{missing}"]
    kept: dict[str, list[Row]] = {}
    lists: dict[str, list[Row]] = {name: value for name, value in vars(data).items() if isinstance(value, list)}
    for stage, rows in lists.items():
        if stage == "validation" or not rows:
            continue
        texts = [files.question_of(row) for row in rows]
        matches = [*own.overlaps(texts), *benchmarks.overlaps(texts)]
        hits = {match.index for match in matches}
        counts = Counter(name for _, name in dict.fromkeys((match.index, match.name) for match in matches))
        listed = ", ".join(f"{count} in {name}" for name, count in counts.items()) or "none is test data"
        if len(hits) > MAX_DROPPED * len(rows):
            raise UsageError(
                f"{len(hits)} of {len(rows)} {stage} rows are test data ({listed}): "
                "the recipe would report on what it trained on; take another training set"
            )
        notes.append(f"decontamination: {stage}: {len(hits)} of {len(rows)} rows dropped ({listed})")
        kept[stage] = [row for index, row in enumerate(rows) if index not in hits]
    return replace(data, **kept, notes=(*data.notes, *notes))


@cache
def _benchmarks(folder: Path) -> tuple[References, list[str]]:
    """The benchmarks that are available, and their names."""
    present = {name: where for name, where in BENCHMARKS.items() if (folder / where[0]).is_file()}
    texts = {name: _texts(folder / file, column) for name, (file, column) in present.items()}
    return References(texts), list(present)


def _texts(path: Path, column: str) -> list[str]:
    """The problems of a benchmark.

    Raises:
        UsageError: a row has none.
    """
    texts = [row.get(column) for row in files.read(path)]
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise UsageError(f"{path}, row {number}: no text in column {column!r}; name it so, or move the file away")
    return [str(text) for text in texts]
