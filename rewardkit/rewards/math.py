"""The math reward: is the final answer the ground truth, by our verifier."""

from __future__ import annotations

import dataclasses
import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, cast

from rewardkit.base import Explanation, SampleReward
from rewardkit.errors import GroundTruthError, UsageError
from rewardkit.grading import check_samples, failure, grade_all
from rewardkit.math import Extraction, Judgement, Policy, Status, extract, judge, last_boxed
from rewardkit.math.ground_truth import Gold, prepare
from rewardkit.math.judge import judge_extracted
from rewardkit.math.policy import DEFAULT, Fallback, Finished, Order, Percent, Units
from rewardkit.types import Sample, Score, Verdict

_HASHES = re.compile(r"####[ \t]*(\S[^\n]*)")
_VERDICTS = {
    Status.EQUAL: Verdict.CORRECT,
    Status.DIFFERENT: Verdict.WRONG,
    Status.NO_ANSWER: Verdict.NO_ANSWER,
    Status.MALFORMED: Verdict.MALFORMED,
    Status.UNPARSED: Verdict.MALFORMED,
    Status.LIMIT: Verdict.OUTPUT_LIMIT,
}


@dataclass(frozen=True, kw_only=True)
class Math(SampleReward):
    r"""1 if the final answer equals the ground truth as mathematics, else `wrong`: boxes, numbers, symbols, sets, letters.

    The answer is the last `\boxed{}`, else the last stated answer ("the answer is ..."). The ground truth is an answer, a list of
    alternatives, or a worked solution whose `#### x` or last box is the answer. See docs/math.md for what counts as
    equal. `unjudged` if the ground truth cannot be read.
    """

    name: ClassVar[str] = "math"
    version: ClassVar[int] = 7
    source: ClassVar[str] = "rewardkit's verifier, docs/math.md"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    wrong: float = 0.0
    """Score of an incorrect answer; -1 for the DAPO scale."""
    boxed_only: bool = False
    r"""Only `\boxed{}` (or `\fbox{}`) states an answer."""
    lenient: bool = False
    """For evaluation, not for training: without a stated answer, take the last formula or number."""
    unfinished_thought: bool = False
    """Also read an answer from thinking that was never closed."""
    rtol: float = 0.0
    """Relative tolerance between numbers; 0 compares exactly, so 3.14 is not pi."""
    gold_digits: bool = False
    """A decimal ground truth also accepts a value that rounds to its digits."""
    units: Units = "ignore_missing"
    """`ignore_missing`: a unit may be left out, but not replaced by another. Also `require`, `convert`, `ignore`."""
    percent: Percent = "stated"
    r"""25\% is 1/4, and also 25 if the response mentions per cent (`stated`), always (`optional`) or never (`number`)."""
    order: Order = "by_brackets"
    """`by_brackets`: (a, b) is ordered, {a, b} is not. Also `strict` (always ordered) and `ignore` (never)."""
    intervals_as_inequalities: bool = True
    """x > 3 and (3, oo) are the same answer."""
    degrees_as_radians: bool = True
    r"""180^\circ and \pi are the same angle."""
    any_gold: bool = True
    """If true, any one of a list of ground truths is enough. If false, all are required."""
    finished: Finished = "task"
    """`task` refuses unsolved equations and answers that restate the task. `value` also refuses arithmetic that is not carried out."""
    fallback: Fallback = "none"
    """`math-verify`: ask math-verify, in a worker that can be killed, if our own verifier cannot decide. Needs the `math` extra."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.wrong) or not 0 <= self.rtol < 1:
            raise UsageError(f"math: needs a finite wrong and 0 <= rtol < 1, not {self.wrong}, {self.rtol}")

    @cached_property
    def policy(self) -> Policy:
        """The verifier's policy for these options."""
        found = Policy(**{field.name: getattr(self, field.name) for field in dataclasses.fields(Policy)})
        return DEFAULT if found == DEFAULT else found

    def score(self, samples: Sequence[Sample]) -> list[Score]:
        """Judge each sample; each ground truth is prepared once, each completion read once, equal pairs judged once."""
        check_samples(samples)
        keys = [(sample.completion, _key(sample)) for sample in samples]
        distinct = dict(zip(reversed(keys), reversed(samples), strict=True))
        golds: dict[str, Gold] = {}
        read: dict[str, Extraction] = {}

        def grade(sample: Sample) -> Score:
            key = _key(sample)
            if (gold := golds.get(key)) is None:
                gold = golds[key] = prepare(final_answer(sample.ground_truth))
            if (extraction := read.get(sample.completion)) is None:
                extraction = read[sample.completion] = extract(sample.completion, self.policy)
            return self._score(judge_extracted(sample.completion, extraction, gold, self.policy))

        scores = dict(zip(distinct, grade_all(grade, list(distinct.values())), strict=True))
        return [scores[key] for key in keys]

    def grade(self, sample: Sample) -> Score:
        """Extract the answer, compare it, and give the reason."""
        return self._score(judge(sample.completion, final_answer(sample.ground_truth), self.policy))

    def explain(self, sample: Sample) -> Explanation:
        """The verifier's own steps, in words."""
        start = time.perf_counter()
        try:
            judgement = judge(sample.completion, final_answer(sample.ground_truth), self.policy)
            score = self._score(judgement)
        except Exception as error:  # noqa: BLE001 - the border, as in `score`
            score = failure(error)
            return Explanation(self.text, score, (score.reason,))
        elapsed_ms = round((time.perf_counter() - start) * 1000, 3)
        return Explanation(self.text, score.timed(elapsed_ms), judgement.steps or (judgement.reason,))

    def _score(self, judgement: Judgement) -> Score:
        if judgement.status is Status.BAD_GOLD:
            raise GroundTruthError(judgement.reason)
        return _score_of(judgement, self.wrong)


def _key(sample: Sample) -> str:
    """A cache key for a ground truth; a text and a list that prints the same have different keys."""
    truth = sample.ground_truth
    try:
        return truth if isinstance(truth, str) else f"\0{truth!r}"
    except Exception:  # noqa: BLE001 - no ground truth that can be judged: a key of its own
        return f"\0{id(sample)}"


@lru_cache(maxsize=1_024)
def _score_of(judgement: Judgement, wrong: float) -> Score:
    """The score of a judgement; equal answers of a group share it."""
    value = 1.0 if judgement.equal else wrong
    return Score.of(value, verdict=_VERDICTS[judgement.status], answer=judgement.answer, reason=judgement.reason)


def final_answer(truth: Any) -> Any:
    r"""The answer of a ground truth that is a worked solution: what follows `####`, else its last `\boxed{}`."""
    if isinstance(truth, (list, tuple)):
        return [final_answer(item) for item in cast("Sequence[Any]", truth)]
    if not isinstance(truth, str):
        return truth
    if marked := _HASHES.findall(truth):
        return marked[-1].strip()
    boxed = last_boxed(truth) if "\\boxed" in truth or "\\fbox" in truth else None
    return truth if boxed is None else boxed
