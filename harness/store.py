"""The stored run that compare, gate, report and rescore read: problems, answers, and a record of the run."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import NotComparableError
from harness.generation import Generation, Response, classify, sample_of
from harness.identity import digest, file_hash, source_of
from harness.journal import NAME as JOURNAL
from harness.journal import journal_files
from rewardkit import Score, Verdict
from rewardkit.errors import UsageError, clip
from rewardkit.store import write_whole

PROBLEMS, ANSWERS, RECORD = "problems.jsonl", "answers.jsonl", "run.json"
_RESULTS = re.compile(r"results_(\d{4}-\d\d-\d\dT[\d.-]+)\.json")
"""As lm-eval names them."""


class Problem(BaseModel):
    """One problem of a task, as it was asked."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: str
    doc_id: int
    hash: str
    """Of prompt and target: equal in two runs exactly when both asked and judged the same."""
    data_source: str
    question: str
    prompt: str
    target: str
    ground_truth: Any = None
    extra_info: dict[str, Any] = Field(default_factory=dict)
    reward: str | None = None
    own_metric: str | None = None
    """The metric of lm-eval's own that judged beside the reward, or in its place."""
    version: str = ""
    """Version of the task."""

    def doc(self) -> dict[str, Any]:
        """What the judge is given."""
        return {
            "id": f"{self.task}/{self.doc_id}",
            "question": self.question,
            "ground_truth": self.ground_truth,
            "data_source": self.data_source,
            "extra_info": self.extra_info,
            "reward": self.reward,
        }


class Answer(Generation):
    """One answer with its judgement: a row of `answers.jsonl`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    key: str = ""
    seed: int = 0
    problem: str
    data_source: str
    kind: str
    """The class: correct, wrong, no_answer, malformed, truncated, loop, ..."""
    accuracy: int | None = None
    score: float | None = None
    reward: float | None = None
    verdict: Verdict | None = None
    answer: str | None = None
    reason: str = ""
    parts: dict[str, float | None] = Field(default_factory=dict)
    judge_ms: float | None = None
    own: float | None = None
    """What the task's own metric says, if a reward of ours judged."""

    @property
    def formatted(self) -> bool | None:
        """An answer could be read out of it; None if it was not judged."""
        if self.accuracy is None:
            return None
        return self.verdict not in {Verdict.NO_ANSWER, Verdict.MALFORMED, Verdict.COMPILE_ERROR}

    @property
    def length(self) -> int:
        """Tokens, or a quarter of the characters if the server gave no count."""
        if self.tokens is not None:
            return self.tokens
        return (len(self.text) + len(self.reasoning or "")) // 4


@dataclass(frozen=True)
class Run:
    """A finished run, read back."""

    path: Path
    record: Mapping[str, Any]
    problems: Mapping[tuple[str, str], Problem]
    """By task and problem hash."""
    answers: Sequence[Answer]
    _by_task: dict[str, dict[str, list[Answer]]] = field(default_factory=dict[str, dict[str, list[Answer]]])

    @property
    def name(self) -> str:
        """Name of this run in tables: its recorded name, else its directory."""
        return str(self.record.get("name") or self.path.name)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What its answers depend on."""
        return self.record["identity"]

    @property
    def tasks(self) -> list[str]:
        """Tasks in the order they were run."""
        return list(dict.fromkeys(problem.task for problem in self.problems.values()))

    def generates(self, task: str) -> bool:
        """False for a task that compares likelihoods: no reward judges it."""
        tasks = cast("Mapping[str, Mapping[str, Any]]", self.record.get("tasks") or {})
        return tasks.get(task, {}).get("output_type") == "generate_until"

    def repeats(self, task: str) -> int:
        """Answers asked for each problem of a task, as far as the run says. Where likelihoods are compared, there is one."""
        tasks = cast("Mapping[str, Mapping[str, Any]]", self.identity.get("tasks") or {})
        return int(tasks.get(task, {}).get("repeats") or 1) if self.generates(task) else 1

    def k(self, task: str) -> int:
        """Answers asked for each problem of a task, and at least as many as one has."""
        return max([self.repeats(task), *map(len, self.by_problem(task).values())])

    def by_problem(self, task: str) -> dict[str, list[Answer]]:
        """Answers of a task by problem hash, repeats in order."""
        if not self._by_task:
            table: dict[str, dict[str, list[Answer]]] = defaultdict(dict)
            for problem in self.problems.values():
                table[problem.task].setdefault(problem.hash, [])
            for answer in sorted(self.answers, key=lambda each: (each.doc_id, each.rep)):
                table[answer.task].setdefault(answer.problem, []).append(answer)
            self._by_task.update(table)
        return self._by_task.get(task, {})


def problem_hash(prompt: str, target: str) -> str:
    """A hash of what was asked and what is right."""
    return digest(f"{prompt}\0{target}")[:16]


def to_answer(problem: Problem, generation: Generation, score: Score | None) -> Answer:
    """An answer's row."""
    judged = score is not None and score.value is not None
    return Answer(
        **generation.model_dump(include=set(Generation.model_fields)),
        problem=problem.hash,
        data_source=problem.data_source,
        kind=classify(generation, score),
        accuracy=score.accuracy if score else None,
        score=score.outcome_value if score and judged else None,
        reward=score.value if score else None,
        verdict=score.verdict if score else None,
        answer=score.answer if score else None,
        reason=score.reason if score else _why_unjudged(generation),
        parts=dict(score.parts) if score else {},
        judge_ms=score.elapsed_ms if score else None,
    )


def _why_unjudged(generation: Generation) -> str:
    return generation.error or ("the provider's content filter ended the reply" if generation.filtered else "")


def write_run(
    directory: Path, record: Mapping[str, Any], problems: Iterable[Problem], answers: Iterable[Answer]
) -> None:
    """Write the three files, each whole or not at all, with the hashes by which a later change is noticed."""
    problems = list(problems)
    asked = {(problem.task, problem.hash): problem for problem in problems}
    rows = (_row(asked[answer.task, answer.problem], answer) for answer in answers)
    write_whole(directory / PROBLEMS, "".join(f"{problem.model_dump_json()}\n" for problem in problems))
    write_whole(directory / ANSWERS, "".join(f"{row}\n" for row in rows))
    hashes = {name: file_hash(directory / name) for name in (PROBLEMS, ANSWERS)}
    write_record(directory, {**record, "sha256": hashes})


def _row(problem: Problem, answer: Answer) -> str:
    """An answer with the sample that was judged, so that `rewardkit score` reads the file as it stands.

    What was never judged (a failed request, a reply cut by a content filter) has the completion null, and is unjudged there, too.
    """
    sample = sample_of(problem.doc(), Response.of(answer))
    truth = (
        "" if sample.ground_truth is None else sample.ground_truth
    )  # an empty one keeps `answer` from being taken for it
    row = {
        **replace(sample, ground_truth=truth).to_row(),
        **answer.model_dump(mode="json", exclude_defaults=True),
        "text": answer.text,
    }
    if answer.truncated:
        row["truncated"] = True
    if answer.error is not None or answer.filtered:
        row |= {"completion": None, "messages": None}
    elif answer.text == sample.completion:
        del row["text"]
    return json.dumps({name: value for name, value in row.items() if value is not None or name == "completion"})


def write_record(directory: Path, record: Mapping[str, Any]) -> None:
    """Write `run.json` with a hash of itself."""
    plain = cast("dict[str, Any]", json.loads(json.dumps(record, default=str)))
    hashes = {name: value for name, value in plain.get("sha256", {}).items() if name != RECORD}
    plain["sha256"] = {**hashes, RECORD: _record_hash(plain)}
    write_whole(directory / RECORD, json.dumps(plain, indent=2, ensure_ascii=False) + "\n")


def read_record(directory: Path) -> dict[str, Any]:
    """Read `run.json`.

    Raises:
        UsageError: it is missing or no record.
        NotComparableError: it was changed after it was written.
    """
    path = directory / RECORD
    try:
        record = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        written, _ = record["sha256"][RECORD], {**record["identity"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{path} is missing, damaged or from an older version") from None
    if written != _record_hash(record):
        raise NotComparableError(_changed(path))
    return record


def _record_hash(record: Mapping[str, Any]) -> str:
    hashes = {name: value for name, value in record.get("sha256", {}).items() if name != RECORD}
    return digest({**record, "sha256": hashes})


def _changed(path: Path) -> str:
    cure = "run again" if path.name == RECORD else "let `harness run ... --resume` write it again"
    return f"{path} was changed after the run wrote it (its hash does not match); restore the file, or {cure}"


def holds_run(directory: Path) -> bool:
    """A run was begun or finished here."""
    return any((directory / name).exists() for name in (RECORD, JOURNAL)) or finished(directory)


def finished(directory: Path) -> bool:
    """A run was finished here."""
    return (directory / ANSWERS).is_file()


def run_files(directory: str | Path) -> list[Path]:
    """The files of a run."""
    return [*(Path(directory) / name for name in (RECORD, PROBLEMS, ANSWERS)), *journal_files(Path(directory))]


def input_files(places: Iterable[str | Path]) -> list[Path]:
    """The files that these arguments of a command mean: those of a run if one is a directory, else the file itself."""
    return [file for place in places for file in (run_files(place) if Path(place).is_dir() else [Path(place)])]


def remove_run(directory: Path) -> None:
    """Remove a run's own files, by name; of lm-eval's layout those that a run of ours wrote there."""
    for path in [*run_files(directory), *_lm_eval_files(directory)]:
        path.unlink(missing_ok=True)


def _lm_eval_files(directory: Path) -> Iterator[Path]:
    """Results that say that they are ours and of the folder in which they lie, and their samples."""
    for path in directory.glob("*/results_*.json"):
        stamp = _RESULTS.fullmatch(path.name)
        try:
            results: Any = json.loads(path.read_text(encoding="utf-8")) if stamp else None
            ours = "rewardkit" in results and results["model_name_sanitized"] == path.parent.name
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        if stamp and ours:
            yield from (path, *path.parent.glob(f"samples_*_{stamp[1]}.jsonl"))


def read_run(directory: str | Path) -> Run:
    """Read a run's directory.

    Raises:
        UsageError: it holds no finished run, or a file cannot be read.
        NotComparableError: a file was changed after it was written, or the answers are not those of the model on record.
    """
    path = Path(directory)
    if not finished(path):
        cure = (
            "it is not finished: continue it with `harness run ... --resume`"
            if (path / JOURNAL).is_file()
            else ("give the directory that `harness run -o` wrote")
        )
        raise UsageError(f"{path} holds no finished run; {cure}")
    record = read_record(path)
    hashes = cast("Mapping[str, str]", record["sha256"])
    for name in (PROBLEMS, ANSWERS):
        if not (path / name).is_file() or hashes.get(name) != file_hash(path / name):
            raise NotComparableError(_changed(path / name))
    try:
        problems = [Problem.model_validate_json(line) for line in _lines(path / PROBLEMS)]
        answers = [_answer(line) for line in _lines(path / ANSWERS)]
    except (OSError, ValueError, ValidationError) as error:
        raise UsageError(f"cannot read the run in {directory}: {clip(str(error), 200)}") from None
    check_sources(path, record, answers)
    return Run(path, record, {(problem.task, problem.hash): problem for problem in problems}, answers)


def _answer(line: str) -> Answer:
    row: dict[str, Any] = json.loads(line)
    return Answer.model_validate({"text": row.get("completion") or "", **row})


def check_sources(path: Path, record: Mapping[str, Any], answers: Sequence[Answer]) -> None:
    """Refuse a run whose answers come from another model than its record names, or from two.

    Raises:
        NotComparableError: they do.
    """
    sources = {answer.source for answer in answers if answer.error is None}
    served = {answer.model for answer in answers if answer.model}
    if sources - {source_of(record["identity"])}:
        raise NotComparableError(
            f"{path}: answers come from another model than {RECORD} names; run again with a new -o"
        )
    if len(served) > 1:
        raise NotComparableError(f"{path}: answers come from {len(served)} models: {', '.join(sorted(served))}")


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]
