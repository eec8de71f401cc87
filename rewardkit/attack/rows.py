"""Rows to attack: prompts with ground truths, read without a completion column."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any, cast

from rewardkit.attack.problem import Problem
from rewardkit.chat import is_chat, prompt_text
from rewardkit.code.formats import read_problem
from rewardkit.code.problem import Problem as Tests
from rewardkit.code.references import programs
from rewardkit.coerce import present
from rewardkit.data.column_aliases import PROMPT, lookup
from rewardkit.data.problems import answer_text
from rewardkit.data.reader import RowReader
from rewardkit.data.rows import Columns, row_of
from rewardkit.errors import GroundTruthError, IncompleteError, NoColumnError, UsageError
from rewardkit.math import last_boxed
from rewardkit.rewards._calls import gold_calls
from rewardkit.rewards._json import items, mapping, parse_json
from rewardkit.rewards.table_match import truth_table
from rewardkit.types import Sample

MAX_ROWS = 50_000
"""Rows read from the files; which of them are attacked is drawn by the seed."""
COMMON_ANSWERS = 8
TEXTS = ("query", "problem_description", "problem", "question", "text", "content", "instruction", "description")
"""Where the task may be beside the prompt, or instead of it."""
_REFERENCES = (
    "canonical_solution", "code", "solutions", "reference_solution", "solution", "completion", "response", "output",
)  # fmt: skip
"""Where rows with tests keep a program that passes them."""


def read(
    paths: Sequence[str], columns: Columns, *, prompt_column: str | None = None
) -> tuple[list[Sample], list[str], list[RowReader]]:
    """All rows that can be read, each with an empty completion; why the others cannot; and the readers, which know what input lacks.

    Prompts are found by their usual names, or named.

    Raises:
        UsageError: a file cannot be read or has no prompts.
        IncompleteError: no row can be read.
    """
    samples: list[Sample] = []
    unread: list[str] = []
    readers: list[RowReader] = []
    stems = iter(RowReader(paths).stems)
    for path in paths:
        reader = _reader(path, columns, (prompt_column,) if prompt_column else (*PROMPT, *TEXTS))
        reader.stems = list(islice(stems, len(reader.sources)))
        readers.append(reader)
        for record in islice(reader.records(), MAX_ROWS - len(samples)):
            column, chat = str(reader.columns.completion), None
            if isinstance(record.value, dict) and is_chat(held := lookup(record.value, column)):
                chat, record = held, record._replace(value={**record.value, column: ""}, text=None)  # noqa: PLW2901
            row = row_of(record, reader.columns)
            if row.sample is None:
                unread.append(f"{row.where}: {_why_unread(record.value, column) or row.error}")
            else:
                prompt = chat or row.sample.completion
                samples.append(replace(row.sample, completion="", messages=None, prompt=prompt))
    if not samples:
        raise IncompleteError(f"no row could be read; the first: {unread[0]}")
    return samples, unread, readers


def _reader(path: str, columns: Columns, names: Sequence[str]) -> RowReader:
    """A reader that takes the prompt in place of the completion, which attacks make themselves."""
    reader = RowReader([path])
    for name in dict.fromkeys(names):
        reader.columns = columns._replace(completion=name)
        try:
            reader.check()
        except NoColumnError as error:
            if error.column != name or len(names) == 1:
                raise
        else:
            return reader
    raise UsageError(f"{path} has no prompt column ({' '.join(dict.fromkeys(names))}); name it with --prompt-column")


def _why_unread(value: Any, column: str) -> str:
    """What is wrong with the prompt of a record, which stands where `row_of` looks for a completion; empty if nothing is."""
    if not isinstance(value, dict) or isinstance(prompt := lookup(cast("dict[str, Any]", value), column), str):
        return ""
    return "no prompt" if present(prompt) is None else f"the prompt is {type(prompt).__name__}, not text or a chat"


def draw(samples: Sequence[Sample], count: int, rng: random.Random) -> list[Sample]:
    """At most `count` samples, in their order."""
    if len(samples) <= count:
        return list(samples)
    return [samples[index] for index in sorted(rng.sample(range(len(samples)), count))]


def by_source(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """The samples of each data source."""
    groups: dict[str, list[Sample]] = {}
    for sample in samples:
        groups.setdefault(sample.data_source or "-", []).append(sample)
    return groups


def common_answers(samples: Sequence[Sample]) -> tuple[str, ...]:
    """The answers that most often are the ground truth, of those that are it more than once."""
    golds = Counter(gold for sample in samples if (gold := gold_text(sample)) and len(gold) < 40)
    return tuple(gold for gold, count in golds.most_common(COMMON_ANSWERS) if count > 1)


def problem_of(sample: Sample, layout: str, common: tuple[str, ...]) -> Problem:
    """What attacks may know of a row: the prompt, the name of the function to write, the answers common in the set."""
    tests = tests_of(sample)
    entry_point = _entry_point(sample, tests) if tests is not None and not tests.stdin_tests else None
    return Problem(
        prompt=_prompt_text(sample),
        layout=layout,
        common=common,
        data_source=sample.data_source,
        is_program=tests is not None,
        entry_point=entry_point,
    )


def tests_of(sample: Sample) -> Tests | None:
    """The tests of a row that is judged by tests, else None."""
    context = {"prompt": sample.prompt, **sample.extra_info} if isinstance(sample.prompt, str) else sample.extra_info
    try:
        return read_problem(sample.ground_truth, context)
    except GroundTruthError:
        return None


def gold_text(sample: Sample) -> str | None:
    """The ground truth as a short answer: the content of its last box, what follows `####`, or the text itself."""
    truth = sample.ground_truth
    if isinstance(truth, (list, tuple)) and truth:
        truth = cast("Sequence[Any]", truth)[0]
    if isinstance(truth, Mapping):
        truth = cast("Mapping[str, Any]", truth).get("answer", cast("Mapping[str, Any]", truth).get("ground_truth"))
    if isinstance(truth, (int, float)) and not isinstance(truth, bool):
        return answer_text(truth) or None
    if not isinstance(truth, str) or not truth.strip():
        return None
    boxed = last_boxed(truth)
    return (boxed or truth.rpartition("####")[2]).strip()


def golds(sample: Sample) -> list[str]:
    """Honest ways to write the answer of a row: as text, as tool calls, as a table or a list, or its reference program if it has tests."""
    if tests_of(sample) is not None:
        return [program for name in _REFERENCES for program in programs(sample.extra_info.get(name))][:1]
    truth = items(parse_json(sample.ground_truth) if isinstance(sample.ground_truth, str) else sample.ground_truth)
    written = json.dumps(truth, ensure_ascii=False) if truth and _is_flat(truth) else None
    return list(dict.fromkeys(filter(None, (_calls(sample), _table(truth), written, gold_text(sample)))))


def _is_flat(values: Iterable[Any]) -> bool:
    return not any(isinstance(value, (Mapping, list, tuple, set, frozenset)) for value in values)


def _calls(sample: Sample) -> str:
    try:
        calls = [{"name": call.name, "arguments": call.arguments} for call in gold_calls(sample)]
    except GroundTruthError:
        return ""
    return "\n".join(f"<tool_call>{json.dumps(call, default=str)}</tool_call>" for call in calls)


def _table(truth: Sequence[Any]) -> str:
    if not truth or not all(_is_flat(items(row) or mapping(row).values()) for row in truth):
        return ""
    try:
        heading, *rows = truth_table(truth)
    except GroundTruthError:
        return ""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def same_answer(guess: str, gold: str | None) -> bool:
    """Whether a guess is the ground truth: the same text, or the same number."""
    if gold is None:
        return False
    left, right = _plain(guess), _plain(gold)
    if left == right:
        return True
    try:
        return Fraction(left) == Fraction(right)
    except (ValueError, ZeroDivisionError):
        return False


def _plain(text: str) -> str:
    text = re.sub(r"\\d?frac\{(-?\d+)\}\{(\d+)\}", r"\1/\2", text)
    return re.sub(r"[\s$,]|\\[,!;]|[().]+$|^\(|\\text|[{}]", "", text).lower()


def _prompt_text(sample: Sample) -> str:
    text = prompt_text(sample.prompt)
    beside = [value for name in TEXTS if isinstance(value := sample.extra_info.get(name), str) and value not in text]
    return "\n".join([text, *beside[:1]]).strip()


def _entry_point(sample: Sample, tests: Tests) -> str:
    return tests.entry_point or str(sample.extra_info.get("entry_point") or "solve")
