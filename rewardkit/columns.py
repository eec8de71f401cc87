"""TRL's calling convention: takes the columns of a batch and returns one plain value per completion."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from rewardkit import coerce
from rewardkit.chat import is_chat
from rewardkit.data.column_aliases import DATA_SOURCE, FACTS, GROUND_TRUTH, GROUP
from rewardkit.data.rows import Columns, add_turns, sample_fields
from rewardkit.errors import NO_COLUMN, UsageError, quoted
from rewardkit.functions import trainer_keywords
from rewardkit.processes import fork_safe_lock
from rewardkit.types import Sample, Score

if TYPE_CHECKING:
    from rewardkit.base import Reward

KEYWORDS = frozenset({"trainer_state", "log_extra", "log_metric"})
"""What TRL passes that is not one value a completion. Functions within a reward get it as TRL gives it."""
RESERVED = KEYWORDS | {"prompts", "completions", "environments"}
"""Keywords that TRL passes itself. All others are columns of the data set."""
TURN_TOKENS = "response_token_ids"
"""ms-swift's column for the tokens of a completion, turn by turn or all in one list; empty where it has none."""
COLUMNS_OF: Mapping[str, tuple[str, ...]] = {
    "ground_truth": GROUND_TRUTH,
    "data_source": DATA_SOURCE,
    "prompt": ("prompts",),
    "group": (*GROUP, "prompts"),
    "completion_tokens": ("completion_tokens", "completion_ids", TURN_TOKENS),
    "messages": ("messages", "num_turns"),
    "global_step": ("global_step", "global_steps", "trainer_state"),
}
"""The columns that can hold what a reward needs. Completions that are chats hold `messages`."""
NO_TURNS = "the number of turns is not known: give extra_info num_turns or messages"
"""Why a wrong answer is unjudged where right ones are judged without turns."""
log = logging.getLogger("rewardkit")
_sufficient: set[tuple[str, ...]] = set()
"""Rewards by their text, and the columns with which each judged a sample before."""


def samples_from_columns(*, completions: Any, prompts: Any = None, **columns: Any) -> list[Sample]:
    """One sample per completion. Completions are texts or chats; columns are found by their usual names.

    A column is any array with one value per completion: a list, a tuple, or an array of numpy, pandas, torch, polars, pyarrow
    or datasets. One data source or group is that of all rows. Groups that hold several prompts are left out.

    Raises:
        UsageError: a column is not as long as `completions`, or one of these is neither text nor a chat.
    """
    samples, unreadable = _read(completions, prompts, columns)
    if unreadable:
        raise UsageError(next(iter(unreadable.values())))
    return samples


def _read(completions: Any, prompts: Any, columns: Mapping[str, Any]) -> tuple[list[Sample], dict[int, str]]:
    """The samples, and what is wrong with completions that cannot be read: their samples have an empty one."""
    texts = as_list(completions)
    if texts is None:
        raise UsageError(f"completions is {type(completions).__name__}; give a list of texts or chats")
    table = {
        name: items
        for name, values in columns.items()
        if name not in RESERVED and (items := as_list(values)) is not None
    }
    alike = {*DATA_SOURCE, *GROUP} & columns.keys() - table.keys()
    table |= {name: [columns[name]] * len(texts) for name in alike if isinstance(columns[name], (str, int))}
    answered = any(name.partition(".")[0] in table for name in GROUND_TRUTH)
    for name in sorted({*FACTS, *(() if answered else GROUND_TRUTH)} & columns.keys() - table.keys()):
        if columns[name] is not None:
            found = type(columns[name]).__name__
            raise UsageError(f"column {name!r} is {found}; give a list, one value per completion")
    if prompts is not None:
        table["prompts"] = as_list(prompts) or []
    for name, values in table.items():
        if len(values) != len(texts):
            raise UsageError(f"column {name!r} has {len(values)} rows for {len(texts)} completions")
    if TURN_TOKENS in table:
        table.setdefault("completion_ids", [_flat(ids) or None for ids in table.pop(TURN_TOKENS)])
    if "completion_ids" in table:
        table.pop("completion_tokens", None)  # of the data set's own completion
    if "prompts" in table:
        table["prompt"] = table.pop("prompts")
    step = getattr(columns.get("trainer_state"), "global_step", None)
    samples: list[Sample] = []
    unreadable: dict[int, str] = {}
    for index, completion in enumerate(texts):
        row = {name: values[index] for name, values in table.items()}
        fields = sample_fields(row, Columns(), completion=None)
        add_turns(fields, completion, row.get("messages"))
        if step is not None:
            fields["extra_info"]["global_step"] = step
        try:
            samples.append(_sample(completion, fields))
        except UsageError as error:
            unreadable[index] = str(error)
            samples.append(_sample("", fields))
    return _by_prompt_if_mixed(samples), unreadable


def _by_prompt_if_mixed(samples: list[Sample]) -> list[Sample]:
    """The samples without their groups if one of these has several prompts: such a column (a topic, say) is none of a trainer's groups."""
    prompts: dict[tuple[str | None, str], Any] = {}
    for sample in samples:
        if sample.group and prompts.setdefault((sample.data_source, sample.group), sample.prompt) != sample.prompt:
            _warn_once(f"group {quoted(sample.group)} has several prompts, so groups are told by their prompts")
            return [replace(one, group=None) for one in samples]
    return samples


@cache
def _warn_once(text: str) -> None:
    log.warning(text)


def _flat(ids: Any) -> list[Any]:
    turns = cast("list[Any]", ids) if isinstance(ids, list) else []
    return [token for turn in turns for token in (cast("list[Any]", turn) if isinstance(turn, list) else [turn])]


def _sample(completion: Any, fields: dict[str, Any]) -> Sample:
    """A sample whose facts cannot be read (`completion_tokens="x"`) is judged without them, so that the batch is not lost."""
    try:
        return Sample(completion=completion, **fields)
    except UsageError:
        known = {name: value for name, value in fields.items() if name not in FACTS}
        return Sample(completion=completion, **known)


def as_list(values: Any) -> list[Any] | None:
    """The values of an array as plain Python values, a missing one (NaN, NA) as None; None for what is not an array."""
    if isinstance(values, (str, bytes, bytearray, Mapping, set, frozenset)):
        return None
    # datasets' Column is a sequence
    items = cast("Any", values) if isinstance(values, Sequence) else coerce.plain(values)
    if isinstance(items, str) or not isinstance(items, Sequence):
        return None
    return list(map(coerce.present, cast("Sequence[Any]", items)))


def score_columns(reward: Reward, completions: Any, columns: Mapping[str, Any]) -> tuple[list[Sample], list[Score]]:
    """The samples of a batch given as columns, and their scores. A completion that cannot be read is unjudged.

    Raises:
        UsageError: a column is not as long as `completions`, or none of these can be read and one is of another type than
            a rollout that failed (None, no message); or nothing could be judged, and a column that the reward needs is
            not there, misspelt perhaps.
    """
    samples, unreadable = _read(completions, columns.get("prompts"), columns)
    if len(unreadable) == len(samples):
        for index, value in enumerate(as_list(completions) or []):
            if value is not None and not (isinstance(value, list) and (not value or is_chat(cast("Any", value)))):
                raise UsageError(unreadable[index])
    readable = [index for index in range(len(samples)) if index not in unreadable]
    keywords = {name: columns[name] for name in KEYWORDS if columns.get(name) is not None}
    token = trainer_keywords.set(keywords)
    try:
        scores = dict(zip(readable, reward.score([samples[index] for index in readable]), strict=True))
    finally:
        trainer_keywords.reset(token)
    scores |= {index: Score.unjudged(reason) for index, reason in unreadable.items()}
    ordered = [scores[index] for index in range(len(samples))]
    check_columns(reward, [scores[index] for index in readable], columns, [samples[index] for index in readable])
    return samples, ordered


def judge_columns(
    reward: Reward, completions: Any, columns: Mapping[str, Any], *, whole_groups: bool
) -> tuple[list[Sample], list[Score]]:
    """`score_columns`, logged if the trainer gave the functions for it. What could not be judged is counted and warned of.

    Where scores depend on `whole_groups` and TRL splits groups over processes, all rows of an evaluation are unjudged.

    Raises:
        UsageError: the same in training.
    """
    if whole_groups and (remedy := split_groups(completions, columns)):
        problem = f"reward {reward.text!r} compares the completions of a group, but this process gets {len(completions)} a step, part of a group: make {remedy}"
        if is_training(columns):
            raise UsageError(problem)
        samples = _read(completions, columns.get("prompts"), columns)[0]
        scores = [Score.unjudged(problem)] * len(samples)
    else:
        samples, scores = score_columns(reward, completions, columns)
    count_unjudged(reward, scores)
    log_scores(scores, columns.get("log_metric"), columns.get("log_extra"), reward.label)
    return samples, scores


def check_columns(reward: Reward, scores: Sequence[Score], columns: Iterable[str], samples: Sequence[Sample]) -> None:
    """Refuse a batch of which nothing could be judged, or nothing but right answers, if it lacks what the reward needs for it.

    A trainer's columns are the same throughout: those with which the reward has judged a sample lack nothing but turns.

    Raises:
        UsageError: with the columns that are there, and why a sample could not be judged.
    """
    there = ["completions", *(name for name in columns if name == "prompts" or name not in RESERVED)]
    known = (reward.text, *there)
    if any(score.value is not None for score in scores):
        _sufficient.add(known)
    turnless = [score for score in scores if score.value is None and NO_TURNS in score.reason]
    if not scores or (known in _sufficient and not turnless):
        return
    if not turnless and (lacking := [score.reason for score in scores if NO_COLUMN in score.reason]):
        raise UsageError(f"reward {reward.text!r} could judge nothing: {lacking[0]}")
    held = {*there, *(name for sample in samples for name in _facts(sample))}
    needed = frozenset[str]().union(*map(reward.needed_by, samples))
    for need in sorted(needed & ({"messages"} if turnless else COLUMNS_OF.keys())):
        names = COLUMNS_OF[need]
        if not any(name.partition(".")[0] in held for name in names):
            failed = f"judge {'no wrong answer' if turnless else 'nothing'} ({(*turnless, *scores)[0].reason})"
            raise UsageError(
                f"reward {reward.text!r} could {failed} and needs one of the columns "
                f"{', '.join(names)}; the columns are: {', '.join(there)}"
            )


def _facts(sample: Sample) -> set[str]:
    """Columns whose values a sample holds, whatever it was made from."""
    inside = {"num_turns", *COLUMNS_OF["global_step"]} & sample.extra_info.keys()
    return inside | ({"messages"} if sample.turns else set())


_lock = fork_safe_lock()


_counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
"""By the text of a reward: how many samples it got in this process, and how many of them it could not judge."""


def count_unjudged(reward: Reward, scores: Sequence[Score]) -> None:
    """Count what the reward could not judge. The log warns at 1, 2, 4, 8, ... of them, with the share and the last reason."""
    missing = [score.reason for score in scores if score.value is None]
    with _lock:
        count = _counts[reward.text]
        before = count["unjudged"]
        count.update(total=len(scores), unjudged=len(missing))
        total, unjudged = count["total"], count["unjudged"]
    if unjudged.bit_length() > before.bit_length():
        log.warning(
            "%s: %d of %d completions (%.1f%%) could not be judged; last reason: %s",
            reward.label, unjudged, total, 100 * unjudged / total, missing[-1],
        )  # fmt: skip


def split_groups(completions: Any, columns: Mapping[str, Any]) -> str:
    """What to set if TRL splits groups over processes, each of which judges its share of the batch alone; empty if it does not."""
    trainer, training = _trainer(columns), is_training(columns)
    size = 0 if training is None else getattr(trainer, "num_generations", 0)
    if training:
        remedy = f"per_device_train_batch_size * steps_per_generation a multiple of num_generations={size}"
    else:
        size = size and getattr(trainer, "num_generations_eval", size)
        remedy = f"per_device_eval_batch_size a multiple of num_generations_eval={size}"
    return remedy if size and len(completions) % size else ""


def _trainer(columns: Mapping[str, Any]) -> Any:
    """TRL's trainer, of which it passes a method."""
    return getattr(columns.get("log_metric"), "__self__", None)


def is_training(columns: Mapping[str, Any]) -> bool | None:
    """Whether TRL trains rather than evaluates; None if that is not known."""
    return getattr(getattr(_trainer(columns), "model", None), "training", None)


def log_scores(
    scores: Sequence[Score],
    log_metric: Callable[[str, float], None] | None,
    log_extra: Callable[[str, list[Any]], None] | None,
    label: str,
) -> None:
    """Hand verdicts, answers and the means of the parts to TRL's log, if it gave the functions for it."""
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
