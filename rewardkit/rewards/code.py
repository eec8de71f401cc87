"""Programs judged by tests, in a sandbox: the share of tests passed, or all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from rewardkit.base import Explanation, SampleReward
from rewardkit.code.compare import TextRule
from rewardkit.code.extract import Extraction, extract_program, extract_seed
from rewardkit.code.formats import missing_language, read_problem, refuse_language
from rewardkit.code.judge import Judgement, judge
from rewardkit.code.languages import language_of
from rewardkit.code.policy import Mode, Policy
from rewardkit.code.shared import shared_sandbox
from rewardkit.errors import GroundTruthError, UsageError
from rewardkit.types import Sample, Score, Verdict
from sandboxes.base import Limits
from sandboxes.errors import SandboxError
from sandboxes.languages import LANGUAGES

MIB = 1 << 20
SHOWN_TESTS = 20
"""Tests that `explain` lists one by one."""


@dataclass(frozen=True, kw_only=True)
class Code(SampleReward):
    """1 if the program in the completion passes every test, else 0 (`mode` has other values).

    The ground truth holds the tests: TACO and APPS, LeetCodeDataset, HumanEval, MBPP, CodeContests, LiveCodeBench. The
    program gets inputs only; expected outputs stay on the host, which compares. Rows with unusable tests, without a
    working sandbox, or without the special judge that they need are `unjudged`, never 0.
    """

    name: ClassVar[str] = "code"
    version: ClassVar[int] = 5
    source: ClassVar[str] = "tests as data, as in TACO (arXiv 2312.14852) and LeetCodeDataset (arXiv 2504.14655)"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth", "sandbox")
    concurrency: ClassVar[int] = 16
    bounded: ClassVar[bool] = True

    mode: Mode = "all_or_nothing"
    """`all_or_nothing`: 1 or 0. `fraction`: share of tests passed. `first_k`: share of the first `k`. `weighted`: 1 for a
    full pass plus a tenth of the share. Whatever the value, the verdict is `correct` only if every test passed."""
    k: int = 10
    """Number of tests that count in mode `first_k`."""
    extract: Literal["last", "seed"] = "last"
    """Which block is the program: the last Python block, or as in GRPO-TCR (the last ```` ```python ```` block must parse)."""
    language: str = ""
    """The language of programs: `python`, `c`, `cpp`, `cpp20`, `java`, `javascript`, `typescript`, `go`, `rust`, `bash`. Empty: the row's;
    if it names none, that of the fence."""
    no_program: float = 0.0
    """Value of a completion without a program."""
    compare: str = ""
    """How printed output is compared: `tokens`, `exact`, `lines`, `caseless`, `unordered`, `floats` or `floats:1e-9`. Empty: the
    row's own rule, or `tokens`."""
    testlib: str = ""
    """Path of testlib.h for checkers and interactors in C++. Empty: a header of our own with the same interface."""
    float_tolerance: float | None = None
    """Tolerance for returned floats, absolute or relative. None: 1e-5 for LeetCode and TACO, 1e-7 for HumanEval and MBPP."""
    max_tests: int | None = None
    """Run only the first tests of a row, at most this many."""
    cpu_s: float = 5.0
    """CPU seconds for each run, or for each call."""
    total_cpu_s: float | None = 60.0
    """CPU seconds for all tests together, beyond 20 ms for each run. Once they are used up, tests that are left are `time_limit` without being run."""
    total_wall_s: float | None = 20.0
    """Seconds asleep in all tests together. Time in which a program waits for a core does not count."""
    memory_mb: int = 512
    """Memory of each process of a program, in MiB."""
    output_mb: float = 16.0
    """Limit on what a run prints or a call returns."""
    sandbox: str = "auto"
    """`docker`, `local`, `remote:URL`, `unsafe`, or `auto`: the strongest that works here. REWARDKIT_SANDBOX sets what `auto` means."""
    require_isolation: Literal["strong", "weak", "none"] = "none"
    """Leave rows unjudged if the sandbox is weaker than this."""
    workers: int | None = None
    """Number of boxes in use at once. None: the number of cores, at most 8."""

    def __post_init__(self) -> None:
        if self.language and language_of(self.language) not in {"python", *LANGUAGES}:
            raise UsageError(f"code: no language {self.language!r}; known: python, {', '.join(sorted(LANGUAGES))}")
        if self.compare:
            try:
                TextRule.parse(self.compare)
            except GroundTruthError as error:
                raise UsageError(f"code: {error}") from None
        counts = {"k": self.k, "max_tests": self.max_tests, "workers": self.workers}
        for option, count in counts.items():
            if count is not None and count < 1:
                raise UsageError(f"code: {option} is {count}; give 1 or more")
        if not (0 < self.cpu_s <= 600 and self.memory_mb >= 16 and 0 < self.output_mb <= 64):
            raise UsageError("code: needs 0 < cpu_s <= 600, memory_mb >= 16 and 0 < output_mb <= 64")
        if self.testlib:
            _file_text(self.testlib)
        for option, total in {"total_cpu_s": self.total_cpu_s, "total_wall_s": self.total_wall_s}.items():
            if total is not None and not 0 < total <= 3600:
                raise UsageError(f"code: {option} is {total}; give seconds up to 3600, or None")
        if self.float_tolerance is not None and not 0 <= self.float_tolerance < 1:
            raise UsageError(f"code: float_tolerance is {self.float_tolerance}; give a number from 0 to 1")

    async def grade(self, sample: Sample) -> Score:
        """Extract the program, run it, and compare the results."""
        try:
            score, _ = await self._grade(sample)
        except SandboxError as error:
            return Score.unjudged(str(error))
        return score

    def explain(self, sample: Sample) -> Explanation:
        """What was extracted, where it ran, and what each test gave."""
        from rewardkit.grading import failure, run_coroutine

        steps = ["program: " + _describe(self._extract(sample))]
        try:
            score, judgement = run_coroutine(self._grade(sample))
        except Exception as error:  # noqa: BLE001 - the same border as in score: our failure becomes unjudged
            return Explanation(self.text, failure(error), tuple(steps))
        if judgement is not None:
            steps += _steps(judgement)
        return Explanation(self.text, score, tuple(steps))

    @property
    def policy(self) -> Policy:
        """The options as the judge takes them."""
        return Policy(
            mode=self.mode,
            k=self.k,
            limits=Limits(
                cpu_s=self.cpu_s,
                total_cpu_s=self.total_cpu_s,
                total_wall_s=self.total_wall_s,
                memory_mb=self.memory_mb,
                output_bytes=int(self.output_mb * MIB),
            ),
            compare=TextRule.parse(self.compare) if self.compare else None,
            tolerance=self.float_tolerance,
            max_tests=self.max_tests,
            testlib=_file_text(self.testlib) if self.testlib else "",
        )

    def program_of(self, sample: Sample) -> str | None:
        """The program that is judged; None if the completion has none."""
        return self._extract(sample).program

    async def _grade(self, sample: Sample) -> tuple[Score, Judgement | None]:
        problem = read_problem(sample.ground_truth, row_context(sample))
        wanted = language_of(self.language) or problem.language
        refuse_language(problem, wanted or "python")
        found = self._extract(sample, wanted)
        missing = missing_language(problem, wanted or found.language)
        if missing:  # the completion chose it: a row can't be left unjudged by that
            found = Extraction(None, Verdict.NO_ANSWER, f"no Python block; not supported: {missing}")
        if found.language != "python":
            problem = replace(problem, language=wanted or found.language)
        if found.program is None:
            return Score.of(self.no_program, verdict=found.verdict, reason=found.reason), None
        require = None if self.require_isolation == "none" else self.require_isolation
        sandbox = shared_sandbox(self.sandbox, require=require, workers=self.workers)
        judgement = await judge(problem, found.program, sandbox, self.policy)
        value = judgement.value
        if self.extract == "seed" and judgement.verdict is Verdict.COMPILE_ERROR:
            value = self.no_program
        parts: dict[str, float | None] = {"passed": float(judgement.passed), "tests": float(judgement.total)}
        reason = judgement.reason
        if judgement.isolation not in {"strong", ""}:
            reason = f"{reason} [{judgement.isolation} isolation]"
        score = Score.of(value, verdict=judgement.verdict, answer=found.program, reason=reason, parts=parts)
        return score, judgement

    def _extract(self, sample: Sample, language: str = "") -> Extraction:
        return (
            extract_seed(sample.completion) if self.extract == "seed" else extract_program(sample.completion, language)
        )


@lru_cache(maxsize=4)
def _file_text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"code: cannot read testlib {path!r}: {error.strerror or error}") from None


def row_context(sample: Sample) -> Mapping[str, Any]:
    """The prompt and the other columns of a row, which may hold tests."""
    if isinstance(sample.prompt, str):
        return {"prompt": sample.prompt, **sample.extra_info}
    return sample.extra_info


def _describe(found: Extraction) -> str:
    if found.program is None:
        return f"none ({found.reason})"
    return f"{len(found.program.splitlines())} lines, {len(found.program):,} characters"


def _steps(judgement: Judgement) -> Sequence[str]:
    steps = [f"ran in a sandbox with {judgement.isolation or 'unknown'} isolation"]
    for fact in judgement.facts[:SHOWN_TESTS]:
        cost = f"{fact.cpu_s * 1000:.0f} ms CPU, {fact.memory_mb:.0f} MB"
        steps.append(f"test {fact.index + 1}: {fact.verdict.value} ({cost}){': ' + fact.reason if fact.reason else ''}")
    hidden = len(judgement.facts) - SHOWN_TESTS
    if hidden > 0:
        steps.append(f"{hidden} more tests, {judgement.passed} of {judgement.total} passed in all")
    return steps
