"""Tasks of lm-eval's own: judged by their own metric for each answer, or by a reward of ours with that metric beside it."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from harness.generation import Generation
from harness.identity import digest
from rewardkit import Score
from rewardkit.errors import describe_error
from rewardkit.math.extract.extract import last_boxed
from rewardkit.summary import ROUNDING

PREFIX = "lm-eval: "
"""What the name of such a metric begins with where a reward's text would stand."""
PREFERRED = ("exact_match", "acc", "accuracy", "math_verify", "pass@1", "pass_at_1", "prompt_level_strict_acc", "f1")
"""Where a task has several metrics for each sample, the first of these stands for accuracy, else the first that ends in `_acc`, else the task's first."""

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
        """`lm-eval: exact_match`, once answers were judged; with the filter's name if the task has several."""

    def scores(self, answers: Sequence[tuple[Mapping[str, Any], str]]) -> list[Score]:
        """What lm-eval says of all answers to a task's rows, by one metric behind one filter, the first that has such a metric; `unjudged`
        where there is none, or where it has no number for an answer.
        """
        filters = list(getattr(self._task, "_filters", []))
        first: list[Score] = []
        for each in filters:
            filtered = self._filtered(each, answers)
            judged = [self._metrics(doc, answer) for (doc, _), answer in zip(answers, filtered, strict=True)]
            metric = chosen(self._task, [found for found in judged if not isinstance(found, Score)])
            name = f"{PREFIX}{metric}" + (f",{each.name}" if len(filters) > 1 else "")
            scores = [
                found if isinstance(found, Score) else _score(found, metric, answer, name)
                for found, answer in zip(judged, filtered, strict=True)
            ]
            if metric is not None:
                self.name = name
                return scores
            first = first or scores
        return first or [NO_NUMBER] * len(answers)

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

    def _metrics(self, doc: Mapping[str, Any], answer: Any) -> Mapping[str, Any] | Score:
        if isinstance(answer, Score):
            return answer
        try:
            return cast("Mapping[str, Any]", self._task.process_results(doc, [answer]))
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(error)


def _failed(error: Exception) -> Score:
    return Score.unjudged(f"lm-eval's task does not judge this answer: {describe_error(error)}")


def _score(metrics: Mapping[str, Any], metric: str | None, answer: Any, reason: str) -> Score:
    value = math.nan if metric is None or metric not in metrics else float(metrics[metric])
    if math.isnan(value):
        return NO_NUMBER
    return Score.of(min(1.0, max(0.0, value)), answer=answer if isinstance(answer, str) else None, reason=reason)


def chosen(task: Any, answers: Sequence[Mapping[str, Any]]) -> str | None:
    """The metric that stands for accuracy in a task, out of the metrics of each of its answers: one that is a share for all that have it, and of which more is better."""
    better = cast("Mapping[str, bool]", getattr(task, "higher_is_better", dict)() or {})
    shares = [
        name
        for name in dict.fromkeys(name for metrics in answers for name in metrics)
        if better.get(name, True) and all(_is_share(metrics[name]) for metrics in answers if name in metrics)
    ]
    accuracies = [name for name in shares if name.endswith("_acc")]
    return next((name for name in (*PREFERRED, *accuracies, *shares) if name in shares), None)


def _is_share(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and not (value < -ROUNDING or value > 1 + ROUNDING)  # NaN is no value


def likelihood_answers(
    name: str, task: Any, rows: Sequence[Mapping[str, Any]], source: str
) -> list[tuple[dict[str, Any], Generation, Score]]:
    """Answers of a task that compares likelihoods, out of lm-eval's samples: the choice that was taken, judged by the task's metric.

    Each with the fields of its problem.
    """
    found: list[tuple[dict[str, Any], Generation, Score]] = []
    rows = [row for row in rows if row.get("filter") == rows[0].get("filter")]
    metrics = [
        {name: row[name] for name in cast("Sequence[str]", row.get("metrics") or ()) if name in row} for row in rows
    ]
    metric = chosen(task, metrics)
    for row, values in zip(rows, metrics, strict=True):
        arguments = cast("Sequence[Sequence[Any]]", row["arguments"])
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
        found.append((problem, generation, _score(values, metric, text or None, f"{PREFIX}{metric}")))
    return found


def _choice(task: Any, row: Mapping[str, Any]) -> str:
    """The text of the choice with the highest likelihood."""
    arguments = cast("Sequence[Sequence[Any]]", row["arguments"])
    responses = cast("Sequence[Any]", row["filtered_resps"])
    if task.OUTPUT_TYPE != "multiple_choice" or len(responses) < 2:
        return str(arguments[0][1]) if len(arguments[0]) > 1 else ""
    best = max(range(len(responses)), key=lambda place: float(responses[place][0]))
    return str(arguments[best][1]).strip()
