"""The floor: a seeded search over recombined attacks, frames and lengths for the highest mean value without the answer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import fmean

from rewardkit.attack.filler import filler_text
from rewardkit.attack.judge import Judge
from rewardkit.attack.problem import Attack, Attempt, Problem
from rewardkit.attack.report import Finding, Floor
from rewardkit.types import Sample, Score

SEARCH_ROWS = 12
PARENTS = 6
FINALISTS = 4
WORDS = (0, 8, 40, 150, 600, 2_500, 8_000)
"""Words set before the answer. Length terms have their best value somewhere between."""
FRAMES = (
    "{filler}{text}",
    "<think>\n{filler}\n</think>\n{text}",
    "<think>\n{filler}\n</think>\n<answer>\n{text}\n</answer>",
    "<think>{filler}</think><answer>{text}</answer>",
    "{filler}\n</think>\n{text}",
    "<reasoning>\n{filler}\n</reasoning>\n<answer>\n{text}\n</answer>\n",
    "<start_working_out>{filler}<end_working_out><SOLUTION>{text}</SOLUTION>",
    "{filler}<end_working_out><SOLUTION>{text}</SOLUTION>",
    "<think>\n{filler}\n</think>\n```python\n{text}\n```",
    "<tool_call>{text}</tool_call>{filler}",
)
Form = tuple[str, str]


@dataclass
class SourceRows:
    """The rows of one data source with the attempts of every attack on them, made when asked for."""

    samples: Sequence[Sample]
    problems: Sequence[Problem]
    attacks: Mapping[str, Attack]
    seed: int
    _made: dict[int, dict[Form, Attempt]] = field(default_factory=dict[int, dict[Form, Attempt]])

    def attempt(self, form: Form, index: int) -> Attempt | None:
        """The attempt of one form of an attack on one row, None if it has nothing to say there."""
        return self._row(index).get(form)

    def forms(self, indices: Sequence[int]) -> list[Form]:
        """The forms that exist on any of some rows, in the order of their attacks."""
        return sorted(
            dict.fromkeys(form for index in indices for form in self._row(index)),
            key=lambda form: list(self.attacks).index(form[0]),
        )

    def _row(self, index: int) -> dict[Form, Attempt]:
        if index not in self._made:
            problem, name = self.problems[index], self.samples[index].id or index
            self._made[index] = {
                (attack, attempt.variant): attempt
                for attack, make in self.attacks.items()
                for attempt in make(problem, random.Random(f"{self.seed}:{attack}:{name}"))
            }
        return self._made[index]


Place = tuple[SourceRows, int]
"""A row: that of this index in its data source."""


@dataclass(frozen=True)
class Recipe:
    """How a completion is put together on any row: attacks one after the other, in a frame, after this many words."""

    forms: tuple[Form, ...] = ()
    frame: str = FRAMES[0]
    words: int = 0
    literal: str = ""
    """A text of its own, proposed by a model; `{prompt}` stands for the prompt."""

    def on(self, source: SourceRows, index: int) -> Attempt:
        """The completion for one row."""
        made = [attempt for form in self.forms if (attempt := source.attempt(form, index)) is not None]
        texts = [attempt.text for attempt in made]
        if self.literal:
            texts.append(self.literal.replace("{prompt}", source.problems[index].prompt))
        filler = filler_text(self.words)
        text = self.frame.replace("{filler}", filler + " " if filler else "").replace("{text}", "\n".join(texts))
        turns = next((attempt.turns for attempt in made if attempt.turns), ())
        return Attempt("floor", text, turns=turns)

    def __str__(self) -> str:
        what = " then ".join(f"{attack} ({variant})" for attack, variant in self.forms) or "an empty answer"
        what = "a text proposed by the model" if self.literal else what
        frame = "" if self.frame == FRAMES[0] else f" in {self.frame!r}"
        return what + frame + (f" after {self.words} words" if self.words else "")


def search(
    judge: Judge, places: Sequence[Place], findings: Sequence[Finding], rng: random.Random, budget: int, proposals: Sequence[str]
) -> Floor:  # fmt: skip
    """Start from what the attacks earned, change and recombine the best on a few of the rows, and confirm the last few on more."""
    if not places:
        return Floor(None, None, None, "nothing was tried", "", 0)
    few = sorted(rng.sample(range(len(places)), min(SEARCH_ROWS, len(places), max(1, budget // 20))))
    final_rows = min(len(places), max(1, budget // (2 * (FINALISTS + 1))))
    spare = (budget - final_rows * (FINALISTS + 1)) // len(few)
    known: dict[Recipe, float] = {}
    queue = [Recipe(literal=text) for text in proposals]
    queue += [
        Recipe((form,))
        for form in dict.fromkeys((f.attack, f.variant) for f in sorted(findings, key=_mean, reverse=True))
    ]
    while len(known) < max(FINALISTS, spare):
        recipe = queue.pop(0) if queue else _child(sorted(known, key=lambda one: -known[one])[:PARENTS], rng, known)
        if recipe is None:
            break
        if recipe not in known:
            known[recipe] = _value(_scores(judge, recipe, [places[index] for index in few]))
    best = sorted(known, key=lambda one: -known[one])[:FINALISTS]
    if not best:
        return Floor(None, None, None, "nothing was tried", "", 0)
    chosen = sorted(rng.sample(range(len(places)), final_rows))
    rows = [places[index] for index in chosen]
    results = {recipe: _scores(judge, recipe, rows) for recipe in [Recipe(), *best]}
    empty = _value(results[Recipe()])
    winner = max(results, key=lambda one: _value(results[one]))
    value = _value(results[winner])
    return Floor(
        value=None if value == _NOTHING else value,
        gold=None,
        empty=None if empty == _NOTHING else empty,
        recipe=str(winner),
        example=winner.on(*rows[0]).text,
        rows=sum(score.value is not None for score in results[winner]),
        parts=_parts(results[winner]),
    )


_NOTHING = float("-inf")


def _mean(finding: Finding) -> float:
    return finding.mean if finding.mean is not None else _NOTHING


def _scores(judge: Judge, recipe: Recipe, places: Sequence[Place]) -> list[Score]:
    return judge.score([recipe.on(source, index).on(source.samples[index]) for source, index in places])


def _value(scores: Sequence[Score]) -> float:
    values = [score.value for score in scores if score.value is not None]
    return fmean(values) if values else _NOTHING


def _parts(scores: Sequence[Score]) -> dict[str, float]:
    """Mean of each part over the rows that were judged."""
    known = [score for score in scores if score.value is not None]
    names = dict.fromkeys(name for score in known for name in score.parts)
    values = {name: [value for score in known if (value := score.parts.get(name)) is not None] for name in names}
    return {name: fmean(found) for name, found in values.items() if found}


def _child(parents: Sequence[Recipe], rng: random.Random, known: Mapping[Recipe, float]) -> Recipe | None:
    """A recipe that was not tried: one of the best with another frame, another length, or an attack of another."""
    if not parents:
        return None
    for _ in islice(iter(int, 1), 200):
        parent = rng.choice(parents)
        match rng.randrange(3):
            case 0:
                child = replace(parent, frame=rng.choice(FRAMES))
            case 1:
                child = replace(parent, words=rng.choice(WORDS))
            case _:
                other = rng.choice(parents)
                child = replace(parent, forms=(*dict.fromkeys((*parent.forms, *other.forms)),)[:3], words=other.words)
        if child not in known:
            return child
    return None
