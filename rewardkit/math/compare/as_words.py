"""Stages `choice` and `words`: option letters, times, dates, verdicts, prose."""

from __future__ import annotations

from rewardkit.math.compare.stages import Reading, decided, different, equal, same_text, same_tree
from rewardkit.math.latex.normalise import strip_delimiters
from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.policy import DEFAULT
from rewardkit.math.results import Judgement
from rewardkit.math.text.choices import bracketed_choice, choice, choice_with_text, choices, same_marks
from rewardkit.math.text.dates import clock, date, same_clock
from rewardkit.math.text.words import are_factors, canonical_words, is_prose, same_said, same_verdict, same_word_list

_OPTIONS = frozenset("ABCD")
"""Letters that stand for an option where they stand alone; e is a number and others name things."""


def same_words(gold: str, answer: str) -> Judgement | None:
    """The verdict where both sides are options, times, dates, verdicts or prose; None where they are mathematics."""
    stages = (_options, _several_options, _times, _verdicts, _prose)
    return next((found for stage in stages if (found := stage(gold, answer)) is not None), None)


def _options(gold: str, answer: str) -> Judgement | None:
    """One option letter, with or without its text."""
    letter, other = choice(gold), choice(answer)
    if letter is not None:
        alike = gold.isupper() == answer.isupper() or (gold in _OPTIONS and answer.islower())
        is_letter = other is not None and (bracketed_choice(gold) or bracketed_choice(answer) or alike)
        if is_letter and letter == other:
            return equal(answer, "the same option letter", "choice")
        with_text = choice_with_text(answer) if letter <= "J" else None
        if with_text is not None and with_text[0] == letter and with_text[1]:
            return equal(answer, "the same option, with its text", "choice")
        return None
    option, said = choice_with_text(gold), choice_with_text(answer)
    if option is not None and option[1]:
        if other is not None:
            return decided(other == option[0], answer, f"option {other}", "choice")
        if said is None:
            return equal(answer, "the text of the option", "choice") if _same_value(answer, option[1]) else None
        if said[0] == option[0] and said[1] and _same_value(option[1], said[1]):
            return equal(answer, "the same option, with its text", "choice")
    elif option is None and said is not None and said[1] and _same_value(gold, said[1]):
        return equal(answer, "the text of an option", "choice")
    return None


def _same_value(gold: str, text: str) -> bool:
    """Whether the text behind an option letter is `gold`; no option letter is looked for in it again."""
    left, right = Reading(gold), Reading(text)
    return (
        bool(left.text and right.text) and (same_text(left.text, right.text) or same_tree(left, right, DEFAULT)).equal
    )


def _several_options(gold: str, answer: str) -> Judgement | None:
    """Several option letters, statements with numbers in circles."""
    left, right = choices(gold), choices(answer)
    if left is not None and right is not None and (left[1] or right[1]):
        return decided(left[::2] == right[::2], answer, "option letters", "choice")
    same = same_marks(gold, answer)
    return None if same is None else decided(same, answer, "numbered statements", "choice")


def _times(gold: str, answer: str) -> Judgement | None:
    """Times of day and dates."""
    time, other = clock(gold), clock(answer)
    if time and other and ((same := same_clock(time, other)) or time[3] or other[3]):  # else they may be ratios
        return decided(same, answer, "times of day", "words")
    if time is not None and time[3] and plain_number(strip_delimiters(answer)) is not None:
        return different(answer, "a number where the ground truth is a time of day", "words")
    day, said = date(gold), date(answer)
    if day is not None and said is not None:
        return decided(day[1:] == said[1:] and day[0] in {None, said[0]}, answer, "dates", "words")
    return None


def _verdicts(gold: str, answer: str) -> Judgement | None:
    """Yes, no, true or false, perhaps at the head of a sentence."""
    same = same_verdict(gold, answer)
    return None if same is None else decided(same, answer, "the verdict that a sentence begins with", "words")


def _prose(gold: str, answer: str) -> Judgement | None:
    """Words without mathematics."""
    if not (is_prose(gold) and is_prose(answer)) or ("?" in gold) != ("?" in answer):
        return None
    if gold != answer and gold.lower() == answer.lower() and are_factors(gold) and are_factors(answer):
        return None  # ab is not AB
    if canonical_words(gold) == canonical_words(answer) or same_word_list(gold, answer) or same_said(gold, answer):
        return equal(answer, "the same words", "words")
    return None
