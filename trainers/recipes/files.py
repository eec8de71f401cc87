# pyright: basic, reportMissingImports=false
# (pyarrow carries no types)
"""The recipes' data sets, from one folder or from the hub."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

from rewardkit import UsageError
from rewardkit.chat import is_chat
from rewardkit.data.column_aliases import FINAL_ANSWER, find
from rewardkit.data.problems import answer_text, answer_texts, turns
from rewardkit.data.sources import HubSource, Source
from rewardkit.errors import MissingExtraError
from rewardkit.paths import expanded
from rewardkit.store import write_whole

Row = dict[str, Any]


ASKED = re.compile(
    r"\s*(?:Let's think step by step|Please reason step by step|Reason step by step|Think step by step|Write a Python program)"
    r"[^\n]*\Z"
)
"""How the data sets and recipes end a question: what the model is asked to do, not the problem itself."""


ANSWERS = (*FINAL_ANSWER, "Correct Answer")
"""Columns that hold the final answer: the first with a value."""
IMAGES = ("images", "image")


def worked(row: Row) -> str:
    """The worked answer of a row, which its reward must call correct."""
    return row["worked"]


def demonstration(row: Row) -> Row:
    """A row of SFT: the prompt and the worked answer."""
    return {"prompt": row["prompt"], "completion": [{"role": "assistant", "content": worked(row)}]}


class UnusableRowError(Exception):
    """A row that a recipe can't train or validate on; the message says why in a few words, for the recipe counts the rows by it."""


@dataclass(frozen=True)
class Sources:
    """The data sets of a recipe: `[data]` of its config.toml, each from a local file or, if asked for, from the hub."""

    table: Mapping[str, Mapping[str, str]]
    folder: Path
    limit: int | None = None
    hub: bool = False
    notes: list[str] = field(default_factory=list[str])
    """A line for each data set of which `usable` left out rows."""

    def usable(self, name: str, make: Callable[[int, Row], Row]) -> list[Row]:
        """What `make` makes of each row and its index, without the rows for which it raises UnusableRowError; those are counted.

        Raises:
            UsageError: there is no file, or no row of it is usable.
        """
        made: list[Row] = []
        reasons: Counter[str] = Counter()
        rows = self.rows(name)
        for index, row in enumerate(rows):
            try:
                made.append(make(index, row))
            except UnusableRowError as error:
                reasons[str(error)] += 1
        listed = ", ".join(f"{count} with {reason}" for reason, count in reasons.most_common())
        if reasons and not made:
            raise UsageError(f"no row of {name} is usable: {listed}")
        if reasons:
            self.notes.append(f"{name}: {reasons.total()} of {len(rows)} rows left out ({listed})")
        return made

    def rows(self, name: str) -> list[Row]:
        """The first `limit` rows of a data set.

        Raises:
            UsageError: there is no file, and the hub was not asked for.
        """
        own = self.table[name]
        path = self.folder / own["file"]
        if path.is_file() or not self.hub:
            return read(path, self.limit, hub=own.get("hub", ""))
        name = ":".join(filter(None, (own["hub"], own.get("config"), own.get("split", "train"))))
        return _first(HubSource(name), self.limit)

    def has(self, name: str) -> bool:
        """Whether `rows` can give this data set."""
        return (self.folder / self.table[name]["file"]).is_file() or (self.hub and "hub" in self.table[name])


def data_folder(given: Path | None) -> Path:
    """The folder with the data sets: `--data`, else the environment's REWARDKIT_DATA.

    Raises:
        UsageError: neither is set, or there is no such folder.
    """
    name = given or os.environ.get("REWARDKIT_DATA")
    if not name:
        raise UsageError("give the data folder: --data FOLDER, or set REWARDKIT_DATA")
    folder = expanded(name)
    if not folder.is_dir():
        raise UsageError(f"no folder {str(folder)!r} with data")
    return folder


def read(path: Path, limit: int | None = None, *, hub: str = "") -> list[Row]:
    """The rows of one file, the first `limit` of them."""
    if not path.is_file():
        cure = f"put {hub} there, or load it with --hub" if hub else "docs/recipes.md names the data sets"
        raise UsageError(f"no file {str(path)!r}; {cure}")
    return _first(Source(str(path)), limit)


def _first(source: Source, limit: int | None) -> list[Row]:
    rows: list[Row] = []
    for line, record, _ in islice(source.read(), limit):
        if isinstance(record, str):
            raise UsageError(f"{source.shown}, line {line}: {record}")
        rows.append(record)
    return rows


def write(rows: Iterable[Row], path: Path) -> int:
    """Rows to JSON lines, or to Parquet if the name ends so. Returns how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = list(rows)
    if path.suffix == ".parquet":
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            raise MissingExtraError.of("writing Parquet", "parquet") from None
        module: Any = pa
        cast("Any", parquet).write_table(module.Table.from_pylist(kept), path)
    else:
        write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept))
    return len(kept)


def question_of(row: Row) -> str:
    """The problem of a row in any of the data sets' forms, without what the model is asked to do with it.

    >>> question_of({"prompt": [{"role": "user", "content": "1+1? Let's think step by step and output it."}]})
    '1+1?'
    """
    return ASKED.sub("", "\n\n".join(_turns(row))).strip()


def _prompt(row: Row) -> Any:
    return row.get("prompt") or row.get("problem") or row.get("question") or row.get("Question")


def _turns(row: Row) -> list[str]:
    return turns(_prompt(row))


def problem_of(row: Row) -> tuple[str, str]:
    """`question_of` a row, and its final answer in any of the data sets' forms.

    Raises:
        UnusableRowError: there is not one question, asked in one turn, and one answer.
    """
    names = ANSWERS if "answer" in row else (*ANSWERS, "solution")  # beside an answer it is a worked one
    answers = answer_texts(find(row, names)[1])
    if len(answers) != 1:
        raise UnusableRowError("several answers" if answers else "no answer")
    return one_question(row), answers[0]


def chat(system: str, question: str) -> list[dict[str, str]]:
    """The prompt of a question, behind the system prompt, if there is one."""
    return [*([{"role": "system", "content": system}] if system else []), {"role": "user", "content": question}]


def one_question(row: Row) -> str:
    """`question_of` a row that asks one thing, in one turn, by text alone.

    Raises:
        UnusableRowError: it does not.
    """
    prompt, asked = _prompt(row), _turns(row)
    if len(asked) != 1:
        raise UnusableRowError("several turns" if asked else "no question")
    parts = [message.get("content") for message in prompt] if is_chat(prompt) else []
    if any(row.get(name) for name in IMAGES) or any(
        "image" in str(part.get("type")) for each in parts if isinstance(each, list) for part in each
    ):
        raise UnusableRowError("an image")
    return question_of(row)


def gsm8k_solution(row: Row) -> tuple[str, str]:
    r"""The worked steps of a GSM8K row and the number after `####`, without commas.

    >>> gsm8k_solution({"answer": "25*40 = <<25*40=1000>>1000\n#### 1,000"})
    ('25*40 = <<25*40=1000>>1000', '1000')

    Raises:
        UnusableRowError: there is no answer, or nothing behind the mark.
    """
    steps, _, answer = text_of(row, "answer").partition("####")
    if not answer.strip():
        raise UnusableRowError("no answer after ####")
    return steps.strip(), answer.strip().replace(",", "")


def text_of(row: Row, *columns: str) -> str:
    """The text in the first of the columns that has one.

    Raises:
        UnusableRowError: none has.
    """
    found = next(filter(None, (answer_text(row.get(column)) for column in columns)), None)
    if found is None:
        raise UnusableRowError(f"no {' or '.join(columns)}")
    return found


def verl_row(
    question: str,
    ground_truth: Any,
    *,
    data_source: str,
    index: int | str,
    split: str,
    ability: str = "math",
    agent: str | None = None,
) -> Row:
    """One row as verl's RLHFDataset reads it. Ground truths that are not text become JSON text: a Parquet column has one type."""
    truth = ground_truth if isinstance(ground_truth, str) else json.dumps(ground_truth, ensure_ascii=False)
    row: Row = {
        "data_source": data_source,
        "prompt": [{"role": "user", "content": question}],
        "ability": ability,
        "reward_model": {"style": "rule", "ground_truth": truth},
        "extra_info": {"index": str(index), "split": split},
    }
    return {**row, "agent_name": agent} if agent else row


def trl_row(row: Mapping[str, Any]) -> Row:
    """A row in TRL's form, flat columns, from either form."""
    if "reward_model" not in row:
        return dict(row)
    return {
        "prompt": row["prompt"],
        "ground_truth": row["reward_model"]["ground_truth"],
        "data_source": row["data_source"],
    }
