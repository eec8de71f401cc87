"""Recorded answers as a model: for tests, for judging existing outputs, and for rescoring."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.backends.base import Backend, Deliver, Request
from harness.data import read_local
from harness.dataset_formats import question_hash
from harness.identity import digest, file_hash
from rewardkit.chat import final_text, is_chat, unreadable
from rewardkit.data.rows import several
from rewardkit.errors import UsageError
from rewardkit.rollouts import token_count

QUESTION = ("question", "problem", "prompt")
ANSWERS = ("completion", "completions", "code", "responses", "response", "output")


class ReplayBackend(Backend):
    """Answers from JSONL rows with a question and one or several completions, matched by question: any of a row's columns may hold it.

    An answer is a text, or a chat, of which the last turn counts. A question that the file does not hold is an errored sample; so is an answer that is null
    or of another kind, a repeat beyond the recorded ones, and a question that is asked in several prompts of a task (with other options, say), since a
    recorded answer does not tell to which it belongs.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._answers: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._paths = list(paths)
        for path in paths:
            self._read(path)

    def _read(self, path: Path) -> None:
        for number, row in enumerate(read_local("recorded answers", [path])[0], start=1):
            questions = {question_hash(row[name]) for name in QUESTION if isinstance(row.get(name), str)}
            if not questions or row.keys().isdisjoint(ANSWERS):
                raise UsageError(f"{path}, line {number}: needs one of {QUESTION} and one of {ANSWERS}")
            held = next((row[name] for name in ANSWERS if row.get(name) is not None), None)
            answers = several(held)
            for question in questions:
                self._answers[question] += [
                    {**_text(answer, row), **_facts(row)} for answer in ([held] if answers is None else answers)
                ]

    def holds(self, question: str) -> bool:
        """The files have this question, with an answer or none."""
        return question_hash(question) in self._answers

    def identity(self) -> Mapping[str, Any]:
        """The files' content stands for the model."""
        return {"weights": digest([file_hash(path) for path in self._paths])}

    def facts(self) -> Mapping[str, Any]:
        """The files."""
        return {"replay": [str(path) for path in self._paths]}

    def unused(self, requests: Sequence[Request]) -> int:
        """How many answers are recorded behind the last repeat of the questions of a run."""
        asked = sorted(requests, key=lambda request: request.rep)
        repeats = {question_hash(str(request.doc.get("question", ""))): request.rep + 1 for request in asked}
        return sum(max(0, len(self._answers.get(question, ())) - count) for question, count in repeats.items())

    def generate(self, requests: Sequence[Request], deliver: Deliver) -> None:
        """Play back: the n-th repeat gets the n-th recorded answer."""
        prompts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        asked = [(request, question_hash(str(request.doc.get("question", "")))) for request in requests]
        for request, question in asked:
            prompts[request.task, question].add(str(request.prompt))
        for request, question in asked:
            found = self._answers.get(question, [])
            if len(prompts[request.task, question]) > 1:
                deliver(request, request.answered(error="several problems have this question"))
                continue
            if request.rep >= len(found):
                deliver(request, request.answered(error=f"no recorded answer {request.rep + 1} for this question"))
                continue
            deliver(request, request.answered(**found[request.rep]))


def _text(answer: Any, row: Mapping[str, Any]) -> dict[str, str]:
    """The answer's text, of a chat that of its last turn; else why there is none."""
    if answer is None or answer != answer:  # noqa: PLR0124 - NaN, which pandas writes for what is missing
        return {"text": "", "error": str(row.get("error") or "the recorded answer is null")}
    if isinstance(answer, (str, int, float)):
        return {"text": str(answer)}
    problem = (
        unreadable(answer) if is_chat(answer) else f"the recorded answer is neither text nor a chat: {answer!r:.100}"
    )
    return {"text": "", "error": problem} if problem else {"text": final_text(answer)}


def _facts(row: Mapping[str, Any]) -> dict[str, Any]:
    reason = row.get("finish_reason")
    return {
        "tokens": token_count(row.get("completion_tokens")),
        "finish_reason": reason if isinstance(reason, str) else None,
    }
