"""Tasks of lm-eval's own: judged by their own metric for each answer, or by a reward of ours with that metric beside it."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from harness.generation import Generation
from harness.identity import digest
from rewardkit import Score
from rewardkit.errors import describe_error
from rewardkit.math.extract.extract import last_boxed

PREFIX = "lm-eval: "
"""What the name of such a metric begins with where a reward's text would stand."""
PREFERRED = ("exact_match", "acc", "accuracy", "math_verify", "pass@1", "pass_at_1", "prompt_level_strict_acc", "f1")
"""Where a task has several metrics for each sample, the first of these stands for accuracy, else the task's first."""

NO_NUMBER = Score.unjudged("lm-eval's task has no number for a single answer")


def is_own(doc: Mapping[str, Any]) -> bool:
    """A row of one of our tasks, which names its reward."""
    return isinstance(doc.get("reward"), str)


def judged_doc(
    task: Any, name: str, doc_id: int, doc: Mapping[str, Any], prompt: str, reward: str | None
) -> Mapping[str, Any]:
    """What the judge is given: the row itself, or for a task of lm-eval's own under `--reward` its prompt and target as one of ours."""
    if reward is None or is_own(doc):
        return doc
    return {
        "id": f"{name}/{doc_id}",
        "question": prompt,
        "ground_truth": ground_truth_of(doc, task.doc_to_target(doc)),
        "data_source": name,
        "reward": reward,
    }


def ground_truth_of(doc: Mapping[str, Any], target: Any) -> Any:
    r"""The answer in the last box of the row's `solution` (some tasks respell it for their metric), else in the target.

    In the target: after `####`, in its last box, or the target itself; of several, the first.

    >>> ground_truth_of({}, "He pays 3 * 6 = 18.\n#### 18")
    '18'
    """
    boxed = last_boxed(str(doc.get("solution") or ""))
    if boxed:
        return boxed
    if isinstance(target, (list, tuple)):
        target = cast("Sequence[Any]", target)[0] if target else ""
    text = str(target)
    if "####" in text:
        return text.rpartition("####")[2].strip().replace(",", "")
    return last_boxed(text) or text.strip()


class OwnMetric:
    """A task's own filters and `process_results`, applied to each answer by itself."""

    def __init__(self, task: Any) -> None:
        self._task = task
        self._instance: Any = importlib.import_module("lm_eval.api.instance").Instance
        self.name = ""
        """`lm-eval: exact_match`, once an answer was judged; with the filter's name if the task has several."""

    def scores(self, answers: Sequence[tuple[Mapping[str, Any], str]]) -> list[Score]:
        """What lm-eval says of answers to rows; `unjudged` if it has no number between 0 and 1 for a single answer."""
        filters = list(getattr(self._task, "_filters", []))
        found = [NO_NUMBER] * len(answers)
        for each in filters:
            open_ = [place for place, score in enumerate(found) if score.value is None]
            name = f",{each.name}" if len(filters) > 1 else ""
            filtered = self._filtered(each, [answers[place] for place in open_])
            for place, answer in zip(open_, filtered, strict=True):
                found[place] = answer if isinstance(answer, Score) else self._judged(answers[place][0], answer, name)
        return found

    def _filtered(self, each: Any, answers: Sequence[tuple[Mapping[str, Any], str]]) -> list[Any]:
        """The answers behind a filter, all at once (one of lm-eval's takes 0.3 s a call); if that fails, one by one, with the reason as a score."""
        instances = [self._instance("generate_until", dict(doc), ("", {}), 0, ("", 0, 1)) for doc, _ in answers]
        for instance, (_, text) in zip(instances, answers, strict=True):
            instance.resps = [text]
        try:
            each.apply(instances)
        except Exception as error:  # noqa: BLE001 - a task's own code may fail in any way on any text
            if len(answers) == 1:
                return [_failed(error)]
            return [filtered for answer in answers for filtered in self._filtered(each, [answer])]
        return [instance.filtered_resps[each.name] for instance in instances]

    def _judged(self, doc: Mapping[str, Any], answer: Any, name: str) -> Score:
        try:
            metrics = cast("Mapping[str, Any]", self._task.process_results(doc, [answer]))
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(error)
        metric = chosen(metrics)
        if metric is None:
            return NO_NUMBER
        self.name = f"{PREFIX}{metric}{name}"
        return Score.of(float(metrics[metric]), answer=answer if isinstance(answer, str) else None, reason=self.name)


def _failed(error: Exception) -> Score:
    return Score.unjudged(f"lm-eval's task does not judge this answer: {describe_error(error)}")


def chosen(metrics: Mapping[str, Any]) -> str | None:
    """The metric that stands for accuracy: a share, for one sample."""
    shares = [name for name, value in metrics.items() if isinstance(value, (bool, int, float)) and 0 <= value <= 1]
    return next((name for name in (*PREFERRED, *shares) if name in shares), None)


def likelihood_answers(
    name: str, task: Any, rows: Sequence[Mapping[str, Any]], source: str
) -> list[tuple[dict[str, Any], Generation, Score]]:
    """Answers of a task that compares likelihoods, out of lm-eval's samples: the choice that was taken, judged by the task's metric.

    Each with the fields of its problem.
    """
    found: list[tuple[dict[str, Any], Generation, Score]] = []
    first = rows[0].get("filter") if rows else None
    for row in rows:
        if row.get("filter") != first:
            continue
        arguments = cast("Sequence[Sequence[Any]]", row["arguments"])
        metric = chosen({name: row[name] for name in cast("Sequence[str]", row.get("metrics") or ()) if name in row})
        target, doc_id = str(row["target"]), int(row["doc_id"])
        prompt = str(arguments[0][0])
        problem = {
            "doc_id": doc_id,
            "prompt": prompt,
            "target": target,
            "asked": digest(json.dumps([list(map(str, each)) for each in arguments])),
            "reward": PREFIX + metric if metric else None,
        }
        text = _choice(task, row)
        generation = Generation(
            key=f"{name}/{doc_id}", task=name, doc_id=doc_id, rep=0, seed=0, text=text, source=source
        )
        score = Score.of(float(row[metric]), answer=text or None, reason=PREFIX + metric) if metric else NO_NUMBER
        found.append((problem, generation, score))
    return found


def _choice(task: Any, row: Mapping[str, Any]) -> str:
    """The text of the choice with the highest likelihood."""
    arguments = cast("Sequence[Sequence[Any]]", row["arguments"])
    responses = cast("Sequence[Any]", row["filtered_resps"])
    if task.OUTPUT_TYPE != "multiple_choice" or len(responses) < 2:
        return str(arguments[0][1]) if len(arguments[0]) > 1 else ""
    best = max(range(len(responses)), key=lambda place: float(responses[place][0]))
    return str(arguments[best][1]).strip()
