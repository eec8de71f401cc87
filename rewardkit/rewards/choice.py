"""Multiple choice: the letter that the completion settles on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, ClassVar, cast

from rewardkit.base import SampleReward
from rewardkit.errors import GroundTruthError, UsageError, quoted
from rewardkit.rewards._text import WRAPPED, last_boxed, sections
from rewardkit.rewards._truth import as_text
from rewardkit.thoughts import after_thinking
from rewardkit.types import Sample, Score, Verdict

MAX_CHARS = 20_000
"""Only the end of a longer completion is searched: the final answer is there."""

_NOISE = str.maketrans("", "", "*_$`")
_BLANK = re.compile(r"\\[()\[\] ]|~")
"""LaTeX's brackets around a formula, and its blanks."""
_MARK = re.compile(
    r"(?i:\b(?:final\s+)?(?:answer|choice|option)\s*(?:is|:|=)+\s*(?:(?:option|choice|answer)\s*)?|(?P<bare>\banswer\s+))"
    r"[\"'“‘]?\(?(?P<letter>[A-Za-z])(?![A-Za-z]|['’][A-Za-z])\)?"
)
_ALSO = re.compile(r"((?:\W|\\q?quad\b|\b(?i:or|and|option|choice)\b)*)([A-Za-z])(?![\w'’])")
_JOINER = re.compile(r"\s*(?:[,/&]|\bor\b|\band\b)\s*(?:option\s*|choice\s*)?\(?")
_CLAUSE = re.compile(r"\s*[=<>^]|\s+(?!(?:or|and)\b)[a-z]{2,}")
_LOWER_ENDS = re.compile(r"[).]*(?:\s*$|\s*\n|\s*[/&|]|\s+(?:or|and)\b)")
_ALONE = re.compile(r"\(?([A-Za-z])\)?[.:)]?(?:\s+\S.*)?")
_FIRST = re.compile(r"(?i:(?:option|choice)\s+)?\(?([A-Za-z])\)?(?![A-Za-z'’])")
_NAMED = re.compile(r"(?<![\w'’\\])(?!I (?!or\b|and\b)[a-z])([A-Z])(?![\w'’])")
"""A letter, not the pronoun in "I think"."""
_LABEL = re.compile(r"(?<![\w(])\(?([A-Z])\)|\A\)\s*([A-Za-z])(?=\s*(?:\Z|[,/&;|+]))")
"""Another option behind `A)`: one with its own bracket, or a letter that no words follow; `D) A and B` is an option with its text."""
_WORD_FOLLOWS = re.compile(r" [a-z]")
_JOINED = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)
_BOX = re.compile(r"\\boxed\{\s*\(?([A-Za-z])\)?\s*\}")
_BETWEEN = re.compile(r"(?:\W|\\q?quad\b|\b(?i:or|and|option|choice)\b)*")
_LABELLED = re.compile(r"\(?([A-Z])(?:[.:)]\s+|[:)])\S")
_BARE = re.compile(r"(?:(?i:option|choice)\s+)?\(?([A-Za-z])\)?[.:)]?")


@dataclass(frozen=True, kw_only=True)
class Choice(SampleReward):
    r"""1 if the chosen letter is the right one, else 0. Two letters as the answer, joined by "or", "and" or a sign such as a comma, are
    `malformed`, also if one is right.

    The letter is searched after `</think>`: in the last `\boxed{}`, in `<answer>`, after the last "answer is" or "Answer:",
    then alone on the last line; a place that names no letter is passed over. The ground truth is a letter (`B`, `(B)`, `B. text`), or with
    `extra_info["choices"]` the text of the right option.
    """

    name: ClassVar[str] = "choice"
    version: ClassVar[int] = 3
    source: ClassVar[str] = "MCQ accuracy as in lm-eval's MMLU-Pro and GPQA tasks, with hedges refused"
    needs: ClassVar[tuple[str, ...]] = ("completion", "ground_truth")
    bounded: ClassVar[bool] = True

    letters: str = "ABCDEFGHIJ"
    """The letters of the options."""

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Z]+", self.letters) or len(set(self.letters)) < len(self.letters):
            raise UsageError(f"choice: letters={self.letters!r}: give capital letters such as 'ABCD', each once")

    def grade(self, sample: Sample) -> Score:
        """Find the letter and compare."""
        truth = self._truth(sample)
        found = self._letters(after_thinking(sample.completion)[-MAX_CHARS:])
        if not found:
            return Score.of(False, verdict=Verdict.NO_ANSWER, reason="no option letter found")
        if len(found) > 1:
            answer = ",".join(sorted(found))
            return Score.of(False, verdict=Verdict.MALFORMED, answer=answer, reason=f"several options named: {answer}")
        (letter,) = found
        return Score.of(letter == truth, answer=letter, reason=f"chose {letter}, right is {truth}")

    def _truth(self, sample: Sample) -> str:
        text = " ".join(as_text(sample.ground_truth).split())
        options = sample.extra_info.get("choices")
        letters, readings = self.letters, set[str]()
        if isinstance(options, (list, tuple)) and options:
            texts = [str(option).strip() for option in cast("Sequence[Any]", options)]
            letters = letters[: len(texts)]
            readings |= set(letters[texts.index(text) :][:1] if text in texts else "")
        if not readings or _BARE.fullmatch(text):
            match = _ALONE.fullmatch(text)
            letter = "" if match is None or (len(text) > 1 and text[1].isspace()) else match[1].upper()
            readings |= {letter} & set(letters)
        if isinstance(sample.ground_truth, int) and sample.ground_truth >= 0 and readings:
            readings |= set(letters[sample.ground_truth :][:1])
        if len(readings) > 1:
            raise GroundTruthError(
                f"the ground truth {quoted(text)} is the letter or the index of one option and the text of another"
            )
        if not readings:
            raise GroundTruthError(f"the ground truth is not an option letter out of {letters}: {quoted(text)}")
        return readings.pop()

    def _letters(self, text: str) -> set[str]:
        boxed = last_boxed(text)
        if text.count("\\boxed{") > 1 and (found := self._in_boxes(_unwrap(text))):
            return found
        for place in (*([] if boxed is None else [boxed]), *sections(text, "answer")[-1:]):
            if found := self._listed(place) or self._marked(place) or self._hedged(place):
                return found
        return self._marked(text) or self._last_line(text)

    def _in_boxes(self, text: str) -> set[str]:
        """The letters in the last boxes, if several with a letter each are joined."""
        boxes = list(_BOX.finditer(text))
        if len(boxes) < 2 or text.find("\\boxed{", boxes[-1].end()) >= 0:
            return set()
        pairs = takewhile(lambda pair: _are_joined(text[pair[1].end() : pair[0].start()]), pairwise(reversed(boxes)))
        return {box[1].upper() for pair in pairs for box in pair} & set(self.letters)

    def _listed(self, text: str) -> set[str]:
        text = _unwrap(text).strip()
        match = _FIRST.match(text)
        if match is None or match[1].upper() not in self.letters:
            return set()
        rest = text[match.end(1) :].lstrip()
        if rest and rest[0] not in ".:),/&-" and not _JOINED.match(rest):
            return set()  # a sentence such as "A man walks": no letter was chosen
        has_text = rest[:1] != ")" and re.search(r"\w\W*\w", rest)  # "D. Both (A) and (B)"
        found = () if has_text else _LABEL.finditer(rest)
        labels = {(label[1] or label[2]).upper() for label in found}
        return {match[1].upper()} | (labels & set(self.letters)) | self._others(text, match.end(1))

    def _hedged(self, text: str) -> set[str]:
        """The letters that a place names somewhere, if there are several."""
        named = set(_NAMED.findall(_unwrap(text))) & set(self.letters)
        return named if len(named) > 1 else set()

    def _marked(self, text: str) -> set[str]:
        text = _unwrap(text)
        marks = [mark for mark in _MARK.finditer(text) if self._is_letter(text, mark)]
        stated = [mark for mark in marks if not (mark["bare"] and self._goes_on(text, mark))]  # not "answer B is wrong"
        if not marks:
            return set()
        last = (stated or marks)[-1]
        return {last["letter"].upper()} | self._others(text, last.end("letter"))

    def _is_letter(self, text: str, match: re.Match[str]) -> bool:
        if match["letter"].upper() not in self.letters:
            return False
        is_label = match.end() > match.end("letter") and not match["bare"]  # "the answer is (A) a man"
        if is_label or match["letter"] not in "AIai":
            return True
        return not self._goes_on(text, match)  # "the answer is a man", "the answer is I think"

    def _goes_on(self, text: str, match: re.Match[str]) -> bool:
        return bool(_WORD_FOLLOWS.match(text, match.end())) and not self._others(text, match.end("letter"))

    def _others(self, text: str, position: int) -> set[str]:
        """The letters that "or", "and" or a sign such as a comma joins to the one before `position`."""
        found: set[str] = set()
        while (match := _ALSO.match(text, position)) is not None and _joins(match):
            if match[2].upper() in self.letters:
                found.add(match[2].upper())
            position = match.end()
        return found

    def _last_line(self, text: str) -> set[str]:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if not lines:
            return set()
        line = _unwrap(lines[-1]).strip()
        bare = _BARE.fullmatch(line)
        if bare is not None:
            return {bare[1].upper()} & set(self.letters)
        labelled = _LABELLED.match(line)
        if labelled is None or len(lines) > 1 or labelled[1] not in self.letters:
            return set()
        return {labelled[1]} | self._others(line, labelled.end(1))


def _joins(match: re.Match[str]) -> bool:
    """Whether what stands before a letter makes it another option, not the beginning of a sentence (`A; B is wrong`)."""
    between, words = match[1], _JOINED.findall(match[1].lower())
    if not _has_joiner(between):
        return False
    if match[2].islower():
        return _LOWER_ENDS.match(match.string, match.end()) is not None
    return "or" in words or _JOINER.fullmatch(between) is not None or not _CLAUSE.match(match.string, match.end())


def _are_joined(between: str) -> bool:
    return _BETWEEN.fullmatch(between) is not None and _has_joiner(between)


def _has_joiner(between: str) -> bool:
    return bool(_JOINED.search(between)) or ("\n" not in between and not set(",/&|;+").isdisjoint(between))


def _unwrap(text: str) -> str:
    return _BLANK.sub(" ", WRAPPED.sub(r"\1", text)).translate(_NOISE)
