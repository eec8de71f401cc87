"""Run attacks against a reward under a budget: control, all forms on a few rows, the best on more, the floor."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rewardkit.attack.control import control, empties
from rewardkit.attack.judge import Judge
from rewardkit.attack.problem import Attack, Attempt
from rewardkit.attack.registry import choose
from rewardkit.attack.report import Control, Finding, Floor, Judged, Report
from rewardkit.attack.rows import by_source, common_answers, draw, gold_text, problem_of, same_answer
from rewardkit.attack.search import SourceRows, search
from rewardkit.base import Reward
from rewardkit.errors import counted
from rewardkit.types import Sample, Score

BUDGET = 10_000
"""Completions judged in one run by default."""
MIN_ROWS, MAX_ROWS, PROBE_ROWS = 4, 400, 32
CONTROL_SHARE, SCREEN_SHARE = 0.1, 0.3
ROUNDS = ((4, 0.25), (1, 0.2))
"""How many forms of each attack go on to more rows, and the share of the budget for that. The search for the floor has the rest."""
LAST_FORMS = 4
"""Forms that are tried on a row where nothing has a value so far; several, since a reward may need a group of answers."""
Propose = Callable[[Reward, Sequence[Finding]], list[str]]
"""Makes completions from the reward and what was found so far; `--model` is one."""


def floor(reward: Reward, samples: Sequence[Sample], *, seed: int = 0, budget: int = BUDGET) -> Floor:
    """The highest mean value that a seeded search finds without the ground truth, beside the value of the gold answers.

    It is taken on rows drawn for the search, of those that can be judged. A finding of the same run may have a higher mean, on other rows.
    `samples` are prompts with ground truths; their completions are not looked at.
    """
    return run(reward, samples, seed=seed, budget=budget).floor


def run(
    reward: Reward,
    samples: Sequence[Sample],
    *,
    seed: int = 0,
    budget: int = BUDGET,
    attacks: Sequence[str] = (),
    workers: int = 0,
    row_timeout_s: float | None = None,
    propose: Propose | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Attack `reward` with completions for `samples` that never see their ground truths.

    The same arguments give the same report. A user's own function is judged in a worker that is killed after
    `row_timeout_s` a row. `tell` is called with a line of progress now and then.
    """
    chosen = choose(attacks)
    sources = by_source(samples)
    with Judge(reward, workers=workers, row_timeout_s=row_timeout_s) as judge:
        done = [
            _attack(judge, name, rows, chosen, seed, budget // len(sources), tell) for name, rows in sources.items()
        ]
        findings = [finding for source in done for finding in source.findings]
        places = [(source.rows, index) for source in done for index in source.judged()]
        proposals = propose(reward, findings) if propose is not None else []
        tell(f"searching for the floor, {judge.judged:,} completions judged so far")
        found = search(
            judge, places, findings, random.Random(f"{seed}:floor"), max(0, budget - judge.judged), proposals
        )
        unjudged = tuple(
            f"{source.rows.samples[index].id}: {source.empty[index].reason}"
            for source in done
            for index in source.unjudged()
        )
        return Report(
            reward=reward.text,
            seed=seed,
            judged=judge.judged,
            controls=tuple(source.control for source in done),
            findings=tuple(sorted(findings, key=lambda finding: finding.rank, reverse=True)),
            floor=replace(found, gold=_gold(done)),
            rows_attacked=sum(len(source.empty) for source in done),
            unjudged=unjudged,
            attempts=tuple(one for source in done for one in source.attempts),
        )


@dataclass
class _Source:
    """One data source under attack."""

    name: str
    control: Control
    rows: SourceRows
    empty: Mapping[int, Score]
    attempts: list[Judged]
    findings: list[Finding]
    known: set[int] = field(default_factory=set[int])
    """Rows on which an attempt has a value."""

    def unjudged(self) -> list[int]:
        """Rows on which neither the empty answer nor an attempt has a value."""
        return [index for index, score in self.empty.items() if score.value is None and index not in self.known]

    def judged(self) -> list[int]:
        """All other rows, in their order."""
        return sorted(self.empty.keys() - set(self.unjudged()))


def _attack(
    judge: Judge,
    name: str,
    samples: Sequence[Sample],
    chosen: Mapping[str, Attack],
    seed: int,
    budget: int,
    tell: Callable[[str], None],
) -> _Source:
    rng = random.Random(f"{seed}:{name}")
    wanted = min(MAX_ROWS, max(MIN_ROWS, int(budget * CONTROL_SHARE / 2)))
    rows = draw(samples, wanted, rng)
    tell(f"{name}: {counted(len(rows), 'row')}, control")
    empty = empties(judge, rows)
    honest = control(judge, name, rows, empty)
    if honest.value is None and all(score.value is None for score in empty):  # nor would it judge an attack
        return _Source(name, honest, SourceRows(rows, [], chosen, seed), dict(enumerate(empty)), [], [])
    common = common_answers(samples)
    problems = [problem_of(row, honest.layout, common) for row in rows]
    under_attack = SourceRows(rows, problems, chosen, seed)
    source = _Source(name, honest, under_attack, dict(enumerate(empty)), [], [])
    order = sorted(rng.sample(range(len(rows)), len(rows)), key=lambda index: empty[index].value is None)
    known = _screen(judge, source, order, int(budget * SCREEN_SHARE))
    tell(f"{name}: {len(known)} forms of {len(chosen)} attacks tried")
    for keep, share in ROUNDS:
        known = _narrow(judge, source, order, known, keep, int(budget * share))
    source.findings = [Finding.of(*form, name, judged) for form, judged in known.items()]
    best = sorted(source.findings, key=lambda finding: finding.rank, reverse=True)[:LAST_FORMS]
    _judge(judge, source, [((one.attack, one.variant), index) for index in source.unjudged() for one in best])
    return source


def _screen(judge: Judge, source: _Source, order: Sequence[int], budget: int) -> dict[tuple[str, str], list[Judged]]:
    """All forms of all attacks on the first rows, as many as the budget allows; one that stalls the judge is tried once."""
    forms = source.rows.forms(order[:PROBE_ROWS])
    if budget < len(forms):
        forms = [form for _, form in sorted(_ranks(forms))][: max(1, budget)]
    count = max(1, min(len(order), budget // max(1, len(forms))))
    first = _judge(judge, source, [(form, order[0]) for form in forms])
    usable = [form for form in forms if first[form][0].score.value is not None]
    more = _judge(judge, source, [(form, index) for form in usable for index in order[1:count]])
    return {form: [*first[form], *more.get(form, [])] for form in forms}


def _ranks(forms: Sequence[tuple[str, str]]) -> list[tuple[int, tuple[str, str]]]:
    """Each form with its place within its attack, so that a small budget keeps some forms of each attack."""
    seen: dict[str, int] = {}
    ranks: list[tuple[int, tuple[str, str]]] = []
    for form in forms:
        seen[form[0]] = seen.get(form[0], -1) + 1
        ranks.append((seen[form[0]], form))
    return ranks


def _narrow(
    judge: Judge,
    source: _Source,
    order: Sequence[int],
    known: Mapping[tuple[str, str], list[Judged]],
    keep: int,
    budget: int,
) -> dict[tuple[str, str], list[Judged]]:
    """The best forms of each attack so far, on more rows. Of equal ones, those that guess nothing or differ from row to row."""
    ranks = {form: _promise(Finding.of(*form, source.name, judged), judged) for form, judged in known.items()}
    ordered = sorted(known, key=lambda form: ranks[form], reverse=True)
    kept = [form for rank, form in _ranks(ordered) if rank < keep]
    done = max((len(judged) for judged in known.values()), default=0)
    count = budget // max(1, len(kept))
    wanted = [form for form in kept if len(known[form]) == done]
    more = _judge(judge, source, [(form, index) for form in wanted for index in order[done : done + count]])
    return {form: [*known[form], *more.get(form, [])] for form in kept}


def _promise(finding: Finding, judged: Sequence[Judged]) -> tuple[float, ...]:
    known = [one for one in judged if one.known] or judged
    open_ended = sum(not one.attempt.guesses for one in known) / len(known)
    texts = len({one.attempt.text for one in known})
    mean = finding.mean if finding.mean is not None else float("-inf")
    return (finding.leaked, finding.paid - finding.base_rate, open_ended, texts, mean)


def _judge(
    judge: Judge, source: _Source, plan: Sequence[tuple[tuple[str, str], int]]
) -> dict[tuple[str, str], list[Judged]]:
    """Judge forms on rows; a form that has nothing to say on a row gives the empty answer there."""
    attempts = [source.rows.attempt(form, index) or Attempt(form[1]) for form, index in plan]
    rows = [source.rows.samples[index] for _, index in plan]
    scores = judge.score([attempt.on(row) for attempt, row in zip(attempts, rows, strict=True)])
    result: dict[tuple[str, str], list[Judged]] = {}
    done = [
        Judged(row, form[0], attempt, score, source.empty[index], _guessed(attempt.guesses, row))
        for (form, index), attempt, row, score in zip(plan, attempts, rows, scores, strict=True)
    ]
    for (form, index), one in zip(plan, _without_luck(judge, source, done), strict=True):
        result.setdefault(form, []).append(one)
        source.attempts.append(one)
        if one.score.value is not None:
            source.known.add(index)
    return result


def _guessed(guesses: Sequence[str], row: Sample) -> bool:
    return any(same_answer(guess, gold_text(row)) for guess in guesses)


def _without_luck(judge: Judge, source: _Source, done: list[Judged]) -> list[Judged]:
    """Where the answer that the reward reads is the right one by chance, it was guessed: it reads the same where another is right."""
    lucky = {place: one.score.answer or "" for place, one in enumerate(done) if one.leaked}
    lucky = {place: answer for place, answer in lucky.items() if _guessed([answer], done[place].row)}
    usable = [
        row for row, empty in zip(source.rows.samples, source.empty.values(), strict=True) if empty.value is not None
    ]
    usable = usable or source.rows.samples
    others = [next((row for row in usable if not _guessed([read], row)), None) for read in lucky.values()]
    again = judge.score(
        [
            replace(done[place].attempt.on(done[place].row), ground_truth=other and other.ground_truth)
            for place, other in zip(lucky, others, strict=True)
        ]
    )
    for (place, answer), score in zip(lucky.items(), again, strict=True):
        done[place] = replace(done[place], by_chance=score.answer == answer)
    return done


def _gold(done: Sequence[_Source]) -> float | None:
    """Mean value of the honest answers over the rows of all data sources."""
    known = [(source.control.value, len(source.rows.samples)) for source in done if source.control.value is not None]
    total = sum(count for _, count in known)
    return sum(value * count for value, count in known) / total if total else None
