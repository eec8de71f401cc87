"""Warning signs in a training batch: numbers for the trainer's log, and a warning if one is large."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from rewardkit import Reward, Sample, Score
from rewardkit.groups import by_group, has_signal
from rewardkit.overlap import NGRAM, words_of

from .parts import terms

__all__ = ["Alarms", "PartTime", "profile", "without_signal_levelled"]

FIRST_STEPS = 10
"""Lengths are compared with the mean of this many first batches."""
LIMITS = {
    "equal_groups": (
        1.0,
        "in every group all completions are equal: all advantages are 0; is the sampler's seed fixed?",
    ),
    "no_signal": (1.0, "in every group all outcomes are equal: nothing is learned from them"),
    "repeated_answers": (0.5, "more than half of the answers to different prompts are the same"),
    "restated_prompts": (0.5, "more than half of the completions repeat their prompt"),
    "length_drift": (2.0, "completions are twice as long as at the start"),
}
"""The threshold of each sign, and its warning."""

log = logging.getLogger("rewardkit.trainers")


class Alarms:
    """The signs of one training run, batch by batch."""

    def __init__(self) -> None:
        self._lengths: list[float] = []
        self._warned: Counter[str] = Counter()

    def check(
        self, samples: Sequence[Sample], scores: Sequence[Score], *, whole_groups: bool = True, training: bool = True
    ) -> dict[str, float]:
        """Each sign as a number; the log warns the 1st, 2nd, 4th, 8th, ... time that one is at its limit.

        Lengths are compared in `training` only. Without `whole_groups` (some completions are with another process) there is no
        sign that compares those of a group.
        """
        if not samples:
            return {}
        groups = [places for key, places in by_group(samples).items() if key is not None and len(places) > 1]
        signs = {
            "restated_prompts": fmean(map(_restates, samples)),
            **_answers(samples, scores),
        }
        if training:
            signs["length_drift"] = self._drift(fmean(_length(sample) for sample in samples))
        if groups and whole_groups:
            equal = [len({samples[place].completion for place in places}) == 1 for places in groups]
            signs["equal_groups"] = fmean(equal)
            signs["no_signal"] = fmean(not has_signal([scores[place] for place in places]) for places in groups)
        for name, (limit, text) in LIMITS.items():
            if signs.get(name, 0.0) >= limit:
                self._warn(name, f"{text} ({signs[name]:.2f})")
        return signs

    def _drift(self, length: float) -> float:
        if len(self._lengths) < FIRST_STEPS:
            self._lengths.append(length)
        return length / max(1e-9, fmean(self._lengths))

    def _warn(self, name: str, text: str) -> None:
        self._warned[name] += 1
        times = self._warned[name]
        if times & (times - 1) == 0:
            log.warning("%s: %s, in %d batches so far", name, text, times)


def _length(sample: Sample) -> float:
    return float(len(sample.completion.split()) if sample.tokens is None else sample.tokens)


def _answers(samples: Sequence[Sample], scores: Sequence[Score]) -> dict[str, float]:
    """How much of the groups shares one answer; nothing if there are too few groups to say."""
    answers: dict[str, str] = {}
    for key, places in by_group(samples).items():
        given = Counter(answer for place in places if (answer := scores[place].answer))
        if key is not None and given:
            answers[key] = given.most_common(1)[0][0]
    if len(answers) < 4:
        return {}
    return {"repeated_answers": max(Counter(answers.values()).values()) / len(answers)}


def _restates(sample: Sample) -> bool:
    """Most of the prompt is repeated in the completion, word for word."""
    prompt = sample.prompt if isinstance(sample.prompt, str) else str((sample.prompt or ({},))[-1].get("content", ""))
    asked, said = words_of(prompt), words_of(sample.completion)
    size = min(NGRAM, len(asked))
    if size < NGRAM // 2:
        return False
    grams = {" ".join(asked[start : start + size]) for start in range(len(asked) - size + 1)}
    found = {" ".join(said[start : start + size]) for start in range(len(said) - size + 1)}
    return len(grams & found) > len(grams) / 2


def without_signal_levelled(samples: Sequence[Sample], scores: Sequence[Score]) -> list[Score]:
    """The scores, but groups whose outcomes are all equal get their mean as value and parts: no advantage for shaping alone."""
    levelled = list(scores)
    for key, places in by_group(samples).items():
        own = [scores[place] for place in places if scores[place].value is not None]
        if key is None or len(own) < 2 or has_signal(own):
            continue
        value = fmean(score.value for score in own if score.value is not None)
        parts = {name: fmean(score.parts.get(name) or 0.0 for score in own) for name in own[0].parts}
        for place in places:
            if scores[place].value is not None:
                levelled[place] = replace(scores[place], value=value, parts=parts)
    return levelled


@dataclass(frozen=True)
class PartTime:
    """The time of one part of a reward on a batch."""

    label: str
    total_ms: float
    slowest: tuple[tuple[float, int], ...]
    """The slowest rows: milliseconds and place in the batch."""


def profile(reward: Reward, samples: Sequence[Sample], *, slowest: int = 3) -> list[PartTime]:
    """Time each part of a reward alone, row by row, the slowest part first: for a batch that stalled a step."""
    found: list[PartTime] = []
    for _, term in terms(reward):
        times: list[tuple[float, int]] = []
        for index, sample in enumerate(samples):
            start = time.perf_counter()
            term.score([sample])
            times.append(((time.perf_counter() - start) * 1_000, index))
        found.append(PartTime(term.label, sum(ms for ms, _ in times), tuple(sorted(times, reverse=True)[:slowest])))
    return sorted(found, key=lambda part: -part.total_ms)
