"""Groups of completions to one prompt: grouping keys, advantages, pass rates."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from statistics import fmean, stdev
from typing import Any, Literal, TypeVar, get_args

from rewardkit.errors import UsageError
from rewardkit.grading import check_samples
from rewardkit.types import Sample, Score

Estimator = Literal["grpo", "grpo_no_std", "rloo"]
EPSILON = 1e-6
"""Added to a standard deviation before dividing, as verl does (TRL adds 1e-4)."""

MAX_GROUP_ROWS = 4096
"""More rows than this that share only their prompt, or more neighbours of a group that no reward compares, are parted."""

Key = TypeVar("Key", bound=Hashable)


def group_key(sample: Sample) -> str | None:
    """What the samples of one prompt share: `group`, a name within its data source, else the prompt itself. None if both are empty, or
    JSON has no form for the prompt.
    """
    if sample.group:
        return sample.group if sample.data_source is None else f"{sample.data_source}\0{sample.group}"
    if not sample.prompt:
        return None
    return sample.prompt if isinstance(sample.prompt, str) else stable_json(sample.prompt)


def stable_json(value: Any) -> str | None:
    """JSON that equal values share in every process. None if there is no form."""
    try:
        return json.dumps(value, sort_keys=True, default=_stable)
    except (TypeError, ValueError, RecursionError):  # keys of several types, or nested without end
        return None


def _stable(value: Any) -> str:
    """What an object is known by: an image by its bytes, others by their text without an address in memory."""
    return (
        sha256(value.tobytes()).hexdigest()
        if hasattr(value, "tobytes")
        else re.sub(r" at 0x[0-9A-Fa-f]+", "", str(value))
    )


def by_group(samples: Sequence[Sample]) -> dict[str | None, list[int]]:
    """Indices of the samples of each group, in order."""
    check_samples(samples)
    return collect(group_key(sample) for sample in samples)


def collect(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Indices of each key, in order of first appearance."""
    places: dict[Key, list[int]] = {}
    for index, key in enumerate(keys):
        places.setdefault(key, []).append(index)
    return places


def together(keys: Iterable[Hashable | None]) -> list[list[int]]:
    """Indices that are scored together: those of one key, each that has none alone. In order of first appearance."""
    return list(collect((key is None, index if key is None else key) for index, key in enumerate(keys)).values())


def packed(groups: Iterable[list[int]], size: int) -> Iterator[list[int]]:
    """Whole groups joined to batches of `size` indices, or of more where the last group is longer; each batch in order."""
    batch: list[int] = []
    for group in groups:
        batch += group
        if len(batch) >= size:
            yield sorted(batch)
            batch = []
    if batch:
        yield sorted(batch)


def advantages(
    rewards: Sequence[float | None], estimator: Estimator = "grpo", *, epsilon: float = EPSILON
) -> list[float | None]:
    """Advantages of one group. Unjudged completions have none and do not count for the others.

    `grpo`: (r - mean) / (std + epsilon) with the sample standard deviation, as torch, TRL and verl have it (arXiv 2402.03300).
    `grpo_no_std`: r - mean, Dr. GRPO (arXiv 2503.20783). `rloo`: r - mean of the others (arXiv 2402.14740). A single
    judged completion has advantage 0, since there is nothing to compare it with (verl returns its reward).

    Raises:
        UsageError: a reward is NaN or infinite, or there is no such estimator.

    >>> advantages([1.0, 0.0, None], "rloo")
    [1.0, -1.0, None]
    """
    if estimator not in get_args(Estimator):
        raise UsageError(f"no estimator {estimator!r}; there are {', '.join(get_args(Estimator))}")
    known = [reward for reward in rewards if reward is not None]
    if not all(map(math.isfinite, known)):
        raise UsageError("a reward is not a finite number; give None for what could not be judged")
    if len(known) < 2:
        return [None if reward is None else 0.0 for reward in rewards]
    mean = fmean(known)
    if estimator == "rloo":
        scale = len(known) / (len(known) - 1)
    elif estimator == "grpo":
        scale = 1 / (stdev(known) + epsilon)
    else:
        scale = 1.0
    return [None if reward is None else (reward - mean) * scale for reward in rewards]


def signal(accuracies: Sequence[int | None]) -> str:
    """Of one group: `mixed`; `all_right` and `all_wrong`, which DAPO's dynamic sampling (arXiv 2503.14476, eq. 11) drops; `unjudged`."""
    judged = {accuracy for accuracy in accuracies if accuracy is not None}
    if len(judged) > 1:
        return "mixed"
    return "unjudged" if not judged else "all_right" if 1 in judged else "all_wrong"


def has_signal(scores: Sequence[Score]) -> bool:
    """Whether the judged outcomes of a group differ: the first term of a sum, whatever its shaping terms say.

    A filter by reward or its standard deviation keeps groups in which only length or form differs; DAPO's filter
    (arXiv 2503.14476, eq. 11) asks for the outcome.

    >>> from rewardkit.types import Score
    >>> wrong = Score.of(0.0)
    >>> has_signal([Score(value=0.1, verdict="wrong", outcome=0.0), wrong]), has_signal([wrong, Score.of(1.0)])
    (False, True)
    """
    outcomes = {score.outcome_value for score in scores if score.value is not None}
    return len(outcomes) > 1


def pass_rates(samples: Sequence[Sample], scores: Sequence[Score]) -> dict[str, float]:
    """Share of right answers for each group, over those that could be judged. Keys are groups as the samples name them, else prompts.

    Raises:
        UsageError: groups of several data sources have one name, or there is not one score for each sample.
    """
    if len(samples) != len(scores):
        raise UsageError(f"{len(samples)} samples and {len(scores)} scores; give one score for each sample")
    rates: dict[str, float] = {}
    sources: dict[str, str | None] = {}
    for key, places in collect(map(group_key, samples)).items():
        known = [accuracy for place in places if (accuracy := scores[place].accuracy) is not None]
        if key is None or not known:
            continue
        sample = samples[places[0]]
        name = sample.group or key
        if name in rates:
            raise UsageError(
                f"{sources[name]} and {sample.data_source} have a group {name!r} each; take the pass rates of one data source at a time"
            )
        rates[name], sources[name] = fmean(known), sample.data_source
    return rates


def curriculum(rates: Mapping[Key, float], *, low: float = 0.0, high: float = 1.0) -> list[Key]:
    """The problems to train on, easiest first: those with a pass rate above `low` and below `high`.

    >>> curriculum({"hard": 0.1, "never": 0.0, "easy": 0.9, "always": 1.0})
    ['easy', 'hard']
    """
    kept = [key for key, rate in rates.items() if low < rate < high]
    return sorted(kept, key=lambda key: -rates[key])


def distribution(rewards: Sequence[float], bins: int = 10) -> list[tuple[float, float, int]]:
    """A histogram: (from, to, count) of equal bins between the least and the greatest reward."""
    if not rewards:
        return []
    low, high = min(rewards), max(rewards)
    width = (high - low) / bins
    if not 0 < width < math.inf:  # all are the same, or as good as that, or no float holds their range
        return [(low, high, len(rewards))]
    counts = [0] * bins
    for reward in rewards:
        counts[min(bins - 1, math.floor((reward - low) / width))] += 1
    return [(low + index * width, low + (index + 1) * width, count) for index, count in enumerate(counts)]
