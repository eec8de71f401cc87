"""TRL's calling convention: columns of a batch in, one plain value a completion out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rewardkit.data.column_aliases import DATA_SOURCE, FACTS, GROUND_TRUTH, GROUP, IDENTITY, first_present
from rewardkit.errors import UsageError
from rewardkit.types import Sample, Score

if TYPE_CHECKING:
    from rewardkit.reward import Reward

RESERVED = frozenset({"prompts", "completions", "trainer_state", "log_extra", "log_metric", "environments"})
"""Keywords that TRL passes itself: everything else is a column of the data set."""


def samples_from_columns(
    *, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
) -> list[Sample]:
    """One sample a completion. Completions are texts or chats; columns are found by their usual names.

    Raises:
        UsageError: a column is not as long as `completions`.
    """
    table = {name: values for name, values in columns.items() if name not in RESERVED and _is_column(values)}
    if prompts is not None:
        table["prompts"] = prompts
    for name, values in table.items():
        if len(values) != len(completions):
            raise UsageError(f"column {name!r} has {len(values)} rows for {len(completions)} completions")
    rows = ({name: values[index] for name, values in table.items()} for index in range(len(completions)))
    step = getattr(columns.get("trainer_state"), "global_step", None)
    shared = {} if step is None else {"global_step": step}
    return [_sample(completion, row, shared) for completion, row in zip(completions, rows, strict=True)]


def _is_column(values: Any) -> bool:
    return isinstance(values, Sequence) and not isinstance(values, (str, bytes))


def _sample(completion: Any, row: dict[str, Any], shared: Mapping[str, Any]) -> Sample:
    truth = first_present(row, GROUND_TRUTH)
    source, identity, group = (first_present(row, names) for names in (DATA_SOURCE, IDENTITY, GROUP))
    extra = row.get("extra_info")
    used = {truth, source, identity, group, "prompts", "extra_info", *FACTS}
    fields: dict[str, Any] = {
        "completion": completion,
        "prompt": row.get("prompts"),
        "ground_truth": row[truth] if truth in row else _nested(row, truth),
        "data_source": _text(row, source),
        "id": _text(row, identity),
        "group": _text(row, group),
        "extra_info": {
            **{name: value for name, value in row.items() if name not in used},
            **(cast("Mapping[str, Any]", extra) if isinstance(extra, Mapping) else {}),
            **shared,
        },
    }
    fields.update({name: row[name] for name in FACTS if row.get(name) is not None})
    return Sample(**fields)


def _nested(row: Mapping[str, Any], name: str | None) -> Any:
    from rewardkit.data.column_aliases import lookup

    return None if name is None else lookup(row, name)


def _text(row: Mapping[str, Any], name: str | None) -> str | None:
    return None if name is None else str(row[name])


def score_columns(reward: Reward, *, completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """Score a batch given as columns; parts are logged through TRL's `log_metric` and `log_extra` where they exist."""
    scores = reward.score(samples_from_columns(completions=completions, **columns))
    log_scores(scores, columns.get("log_metric"), columns.get("log_extra"), reward.label)
    return [score.value for score in scores]


def log_scores(
    scores: Sequence[Score],
    log_metric: Callable[[str, float], None] | None,
    log_extra: Callable[[str, list[Any]], None] | None,
    label: str,
) -> None:
    """Hand verdicts, answers and the means of the parts to TRL's log, where it gave the functions for it."""
    if log_metric is not None and scores:
        judged = [score for score in scores if score.value is not None]
        log_metric(f"{label}/unjudged", 1 - len(judged) / len(scores))
        if judged:
            log_metric(f"{label}/accuracy", sum(score.accuracy or 0 for score in judged) / len(judged))
        for part in dict.fromkeys(name for score in scores for name in score.parts):
            values = [value for score in scores if (value := score.parts.get(part)) is not None]
            if values:
                log_metric(f"{label}/{part}", sum(values) / len(values))
    if log_extra is not None:
        log_extra(f"{label}/verdict", [score.verdict.value for score in scores])
        log_extra(f"{label}/answer", [score.answer or "" for score in scores])
