"""The judgement: extraction, then one stage after the other until one decides."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from flint import fmpq

from rewardkit.errors import GroundTruthError
from rewardkit.math.compare.compare import Comparison
from rewardkit.math.compare.readings import FREE_CONSTANTS, ambiguous, readings, with_constants, with_decimal_comma
from rewardkit.math.compare.stated_value import ContradictionError
from rewardkit.math.extract.conclusion import said_by_sentence
from rewardkit.math.extract.extract import all_boxed, extract
from rewardkit.math.extract.measured import measured
from rewardkit.math.gold import clean_gold, gold_texts
from rewardkit.math.latex.normalise import strip_delimiters
from rewardkit.math.latex.numbers import plain_number
from rewardkit.math.latex.squeezed import formula, skeleton, squeeze
from rewardkit.math.latex.tree import LimitError, Node, ParseError
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.prove.proof import symbols
from rewardkit.math.results import Found, Judgement, Status
from rewardkit.math.text.figures import in_figures, said_twice
from rewardkit.math.text.ordinals import numbered
from rewardkit.math.text.verdicts import head_of, is_verdict, same_said, verdict_of
from rewardkit.math.text.wording import (
    are_factors,
    bracketed_choice,
    canonical_words,
    choice,
    choice_with_text,
    choices,
    clock,
    date,
    is_prose,
    marks,
    may_begin_with_option,
    only_mathematics,
    roman,
    same_clock,
    same_marks,
    same_sentence,
    same_word_list,
)


def judge(completion: str, ground_truth: object, policy: Policy = DEFAULT, *, explain: bool = False) -> Judgement:
    """Extract the final answer of `completion` and compare it with `ground_truth` (a text, a number, or a list).

    With `explain`, each step is told in `steps`.
    """
    if explain:
        from rewardkit.math.explain import explain as explained

        return explained(completion, ground_truth, policy)
    try:
        golds = gold_texts(ground_truth)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, None, str(error), "gold")
    extraction = extract(completion, policy)
    if policy.lenient:
        golds = tuple(_stated_gold(one, policy) for one in golds)
    if not policy.any_gold and len(golds) > 1:
        golds = (" , ".join(golds),)
    if extraction.answer is None:
        status = Status.NO_ANSWER if extraction.status is Found.NO_ANSWER else Status.MALFORMED
        reason = (
            "no final answer is stated"
            if status is Status.NO_ANSWER
            else f"the answer ({extraction.how}) is broken off or too long"
        )
        return Judgement(False, status, None, reason, "extract")
    judgement = compare_any(golds, extraction.answer, policy)
    if not judgement.equal and extraction.how == "conclusion" and "=" in extraction.answer:
        value = measured(completion, extraction.answer)
        if value is not None and (again := compare_any(golds, value, policy)).equal:
            return again
    if not judgement.equal and policy.percent == "stated" and _speaks_of_percent(completion, extraction.answer, golds):
        return compare_any(golds, extraction.answer, _percent_optional(policy))
    return judgement


_PERCENT = re.compile(r"[%pP](?:(?<=%)|(?i:er ?cent|(?<=\bp)ct\b))")
"""With the first characters spelled out, which is five times as fast as a pattern without letter case."""


def _speaks_of_percent(completion: str, answer: str, golds: tuple[str, ...]) -> bool:
    """Whether the sign stands on one side alone, and the response speaks of per cent outside its answer."""
    signed = _has_percent(answer)
    for gold in golds:
        if _has_percent(gold) != signed:
            break
    else:
        return False
    return _PERCENT.search(completion.replace(answer, " ")) is not None


@lru_cache(maxsize=4_096)
def _has_percent(text: str) -> bool:
    return _PERCENT.search(text) is not None


@lru_cache(maxsize=64)
def _percent_optional(policy: Policy) -> Policy:
    return replace(policy, percent="optional")


def _stated_gold(gold: str, policy: Policy) -> str:
    """The answer that a whole solution states, where a ground truth is one (lenient mode)."""
    if len(gold) < 80 or gold.count(" ") < 12:
        return gold
    return extract(gold, policy).answer or gold


def compare(gold: str, answer: str, policy: Policy = DEFAULT) -> Judgement:
    """Compare two answers."""
    try:
        if "box" in answer and all_boxed(answer):
            answer = clean_gold(answer)
        return compare_any((clean_gold(gold),), answer, policy)
    except GroundTruthError as error:
        return Judgement(False, Status.BAD_GOLD, answer, str(error), "gold")


def compare_any(golds: tuple[str, ...], answer: str, policy: Policy) -> Judgement:
    """Equal to one of `golds`; else the first judgement."""
    first = _compare(golds[0], answer, policy)
    if len(golds) == 1 or first.equal:
        return first
    for gold in golds[1:]:
        other = _compare(gold, answer, policy)
        if other.equal:
            return other
    return first


MAX_REASON_CHARS = 100
"""Longer texts are not repeated in a reason."""

CACHED_CHARS = 512
"""Judgements of longer answers are not kept."""


def _compare(gold: str, answer: str, policy: Policy) -> Judgement:
    if len(gold) + len(answer) <= CACHED_CHARS:
        return _compare_short(gold, answer, policy)
    return _stages(gold, answer, policy)


def _stages(gold: str, answer: str, policy: Policy) -> Judgement:
    """The stages, cheapest first."""
    left, a, said = _heard(gold)
    right = strip_delimiters(answer)
    if not right:
        return Judgement(False, Status.MALFORMED, answer, "the answer is empty", "extract")
    if "?" in right and "?" not in left and right.rstrip("} $.").endswith("?"):
        return Judgement(False, Status.DIFFERENT, answer, "the answer is a question", "words")
    b = plain_number(right) if a is not None else None
    if a is not None and b is not None:
        if a == b:
            return Judgement(True, Status.EQUAL, answer, "equal as rationals", "number")
        if (
            not policy.rtol
            and not policy.gold_digits
            and not policy.lenient
            and not (ambiguous(left) or ambiguous(right))
        ):
            return Judgement(
                False,
                Status.DIFFERENT,
                answer,
                f"{right} is not {left}".replace("\n", " ")
                if len(left) + len(right) < MAX_REASON_CHARS
                else "another number",
                "number",
            )
    right = _in_figures(right)
    found = _written(said, right) or _worded(said, right) or _parsed(said, right, policy)
    if found.equal:
        return found
    if (stated := said_by_sentence(said)) is not None:
        if is_prose(stated) and _SAYS_OF_ANOTHER.search(right) is not None:
            return found  # the manager is lying: another subject is another answer
        return _written(stated, right) or _worded(stated, right) or _parsed(stated, right, policy)
    return found


@lru_cache(maxsize=4_096)
def _heard(gold: str) -> tuple[str, fmpq | None, str]:
    """A ground truth without delimiters, its value where it is a plain number, and with numbers in words in figures.

    Kept, since all the answers of a group are compared with one ground truth.
    """
    text = strip_delimiters(gold)
    return text, plain_number(text), _in_figures(text)


def _in_figures(text: str) -> str:
    """`text`, or the figures of the number in words that it is."""
    if (text[:2].isalpha() or text.startswith(_WRAPPERS)) and (figures := in_figures(text)) is not None:
        text = figures
    if text.endswith(")") and (once := said_twice(text)) is not None:
        text = once
    return text


_SAYS_OF_ANOTHER = re.compile(r"[a-z] (?:is|are|was|were) [a-z]", re.IGNORECASE)
"""A sentence, which has a subject of its own."""

_WRAPPERS = ("\\text", "\\mbox", "\\mathrm")
"""How a number in words may begin, besides with a letter."""


_compare_short = lru_cache(maxsize=16_384)(_stages)


def _written(gold: str, answer: str) -> Judgement | None:
    """Stage `text`: the same text but for layout (a chain such as 41 = 42 is left to the later stages)."""
    if "=" in answer and not any(map(str.isalpha, answer.split("=", 1)[0])):
        return None
    if gold == answer or (_may_be_same(gold, answer) and squeeze(gold) == squeeze(answer)):
        return Judgement(True, Status.EQUAL, answer, "the same text", "text")
    if gold.startswith("\\text") != answer.startswith("\\text"):
        wrapped, plain = (gold, answer) if gold.startswith("\\text") else (answer, gold)
        inside = _ONE_TEXT.fullmatch(wrapped)
        if inside is not None and squeeze(inside[1]) == squeeze(plain):
            return Judgement(True, Status.EQUAL, answer, "the same text", "text")
    if (
        ("_" in gold and "_" in answer)
        and (_UPRIGHT.search(gold) or _UPRIGHT.search(answer))
        and _may_be_same(gold, answer)
    ):
        left, right = _UPRIGHT.sub(r"\1", gold), _UPRIGHT.sub(r"\1", answer)
        if squeeze(left) == squeeze(right):
            return Judgement(True, Status.EQUAL, answer, "the same text but for upright letters", "text")
    return None


_ONE_TEXT = re.compile(r"\\text ?\{([^{}\\]{1,200})\}")
_UPRIGHT = re.compile(r"\\(?:text|mathrm|rm|ce) ?\{([^{}\\$]{1,60})\}")


def _may_be_same(gold: str, answer: str) -> bool:
    """Whether two texts have the same digits and signs in the same order, as far as that is known."""
    one = _gold_skeleton(gold)
    other = None if one is None else skeleton(answer)
    return one is None or other is None or one == other


_gold_skeleton = lru_cache(maxsize=4_096)(skeleton)


def _worded(gold: str, answer: str) -> Judgement | None:
    """Stage `words`: option letters, times, dates, prose."""
    if only_mathematics(gold) and not may_begin_with_option(answer):
        return None
    letter = choice(gold)
    if letter is not None:
        other = choice(answer)
        if other is not None and (
            bracketed_choice(gold)
            or bracketed_choice(answer)
            or gold.isupper() == answer.isupper()
            or (gold in _OPTIONS and answer.islower())
        ):
            if letter == other:
                return Judgement(True, Status.EQUAL, answer, "the same option letter", "choice")
            if bracketed_choice(gold):
                return Judgement(False, Status.DIFFERENT, answer, f"option {other} is not option {letter}", "choice")
        if letter <= "J":
            texted = choice_with_text(answer)
            if texted is not None and texted[0] == letter and texted[1]:
                return Judgement(True, Status.EQUAL, answer, "the same option, with its text", "choice")
    else:
        texted = choice_with_text(gold)
        if texted is not None and texted[1]:
            other = choice(answer)
            if other is not None and len(texted[0]) == 1:
                equal = other == texted[0]
                return Judgement(
                    equal, Status.EQUAL if equal else Status.DIFFERENT, answer, f"option {other}", "choice"
                )
            said = choice_with_text(answer)
            if said is None and _same_option_text(answer, texted[1]):
                return Judgement(True, Status.EQUAL, answer, "the text of the option", "choice")
            if said is not None and said[0] == texted[0] and said[1] and _same_option_text(texted[1], said[1]):
                return Judgement(True, Status.EQUAL, answer, "the same option, with its text", "choice")
        texted = choice_with_text(answer) if texted is None else None
        if texted is not None and texted[1] and _same_option_text(gold, texted[1]):
            return Judgement(True, Status.EQUAL, answer, "the text of an option", "choice")
    letters = choices(gold), choices(answer)
    if letters[0] is not None and letters[1] is not None and (letters[0][1] or letters[1][1]):
        equal = letters[0][::2] == letters[1][::2]
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, "option letters", "choice")
    circled = marks(gold), marks(answer)
    if circled[0] is not None and circled[1] is not None:
        equal = same_marks(circled[0], circled[1])
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, "numbered statements", "choice")
    numerals = roman(gold), roman(answer)
    if numerals[0] is not None and numerals[0] == numerals[1]:
        return Judgement(True, Status.EQUAL, answer, "the same numeral", "choice")
    times = clock(gold), clock(answer)
    if times[0] is not None and times[1] is not None:
        equal = same_clock(times[0], times[1])
        if not equal and not times[0][3] and not times[1][3]:
            return None  # perhaps a ratio
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, "times of day", "words")
    if times[0] is not None and times[0][3] and plain_number(strip_delimiters(answer)) is not None:
        return Judgement(False, Status.DIFFERENT, answer, "a number where the ground truth is a time of day", "words")
    things = numbered(gold), numbered(answer)
    if things[0] is not None and things[1] is not None:
        equal = things[0] == things[1]
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, f"number {things[1][1]}", "words")
    days = date(gold), date(answer)
    if days[0] is not None and days[1] is not None:
        equal = days[0][1:] == days[1][1:] and days[0][0] in {None, days[1][0]}
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, "dates", "words")
    if is_verdict(gold) and verdict_of(answer) is not None:
        equal = canonical_words(gold) == canonical_words(verdict_of(answer) or "")
        return Judgement(
            equal,
            Status.EQUAL if equal else Status.DIFFERENT,
            answer,
            "the verdict that a sentence begins with",
            "words",
        )
    if is_prose(gold) and is_prose(answer) and ("?" in gold) == ("?" in answer):
        if gold != answer and gold.lower() == answer.lower() and are_factors(gold) and are_factors(answer):
            return None  # ab is not AB
        if canonical_words(gold) == canonical_words(answer) or same_word_list(gold, answer):
            return Judgement(True, Status.EQUAL, answer, "the same words", "words")
        if same_said(gold, answer):
            return Judgement(True, Status.EQUAL, answer, "the same words", "words")
        if head_of(gold, answer) or head_of(answer, gold):
            return Judgement(True, Status.EQUAL, answer, "the same name at the head of a sentence", "words")
    return None


def _same_option_text(gold: str, text: str) -> bool:
    """Whether the text behind an option letter is `gold`; no option letter is looked for in it again."""
    left, right = strip_delimiters(gold), strip_delimiters(text)
    return bool(left and right) and (_written(left, right) or _parsed(left, right, DEFAULT)).equal


_OPTIONS = frozenset("ABCD")
"""Letters that stand for an option where they stand alone; e is a number and others name things."""


def _parsed(gold: str, answer: str, policy: Policy) -> Judgement:
    """Stages `structure` and `proof`: both texts as trees."""
    golds, free = _gold_readings(gold)
    answers = readings(answer)
    if policy.lenient:
        golds, answers = with_decimal_comma(gold, golds), with_decimal_comma(answer, answers)
        free = _has_free_constants(golds)
    if free and not isinstance(golds, str) and not isinstance(answers, str):
        answers = tuple(reading for one in answers for reading in with_constants(golds[0], one))
    if isinstance(answers, str) or isinstance(golds, str):
        if (
            canonical_words(gold) == canonical_words(answer)
            and _SQUARE.findall(gold) == _SQUARE.findall(answer)
            and ("?" in gold) == ("?" in answer)
            and (is_prose(gold) or same_sentence(gold, answer))
        ):
            return Judgement(True, Status.EQUAL, answer, "the same words", "words")
        if gold == answer or formula(gold) == formula(answer):
            return Judgement(True, Status.EQUAL, answer, "the same text", "text")
        if isinstance(answers, str):
            status = Status.LIMIT if answers.startswith("limit") else Status.UNPARSED
            return Judgement(False, status, answer, f"the answer is not in our grammar ({answers})", "parse")
        return Judgement(
            False, Status.DIFFERENT, answer, f"the ground truth is only comparable as text ({golds})", "parse"
        )
    if "order" in gold or "respectively" in gold:
        policy = _ordered(policy) if _SAYS_ORDER.search(gold) is not None else policy
    if "root" in gold and "root" in answer and _remarked(gold) != _remarked(answer):
        return Judgement(False, Status.DIFFERENT, answer, "another root is the multiple one", "structure")
    reason = ""
    status = Status.DIFFERENT
    for one in golds:
        for other in answers:
            comparison = Comparison(policy)
            try:
                if comparison.equal(one, other):
                    why = comparison.why[0] if comparison.why else "equal"
                    return Judgement(True, Status.EQUAL, answer, why, "structure" if "expressions" in why else "proof")
            except (ParseError, ArithmeticError, OverflowError) as error:
                reason = f"no common ground: {error}"
            except ContradictionError:
                if gold == answer:
                    return Judgement(False, Status.BAD_GOLD, answer, "the ground truth contradicts itself", "gold")
                reason = "the answer contradicts itself"
            except LimitError as error:
                reason, status = str(error), Status.LIMIT
            except RecursionError:
                reason, status = "nested too deeply", Status.LIMIT
            reason = reason or comparison.against or ("not proven equal" if comparison.undecided else "")
    reason = reason or (f"{answer} is not {gold}" if len(gold) + len(answer) < MAX_REASON_CHARS else "another value")
    return Judgement(False, status, answer, reason.replace("\n", " "), "structure")


@lru_cache(maxsize=4_096)
def _gold_readings(gold: str) -> tuple[tuple[Node, ...] | str, bool]:
    """The trees that a ground truth may mean, and whether the first has free constants."""
    found = readings(gold)
    return found, _has_free_constants(found)


def _has_free_constants(found: tuple[Node, ...] | str) -> bool:
    return not isinstance(found, str) and not symbols(found[0]).isdisjoint(FREE_CONSTANTS)


_SAYS_ORDER = re.compile(r"\b(?:in (?:that|this|the given|exactly this) order|respectively)\b")


@lru_cache(maxsize=64)
def _ordered(policy: Policy) -> Policy:
    return replace(policy, order="strict")


_MULTIPLE = re.compile(r"([^,;]{0,80}?)\(?(?:\\text ?\{)? ?\(?(?:a )?(?:double|triple|repeated) root")
_NAME = re.compile(r"^.*=|\\text|[\s{}$~]|\band\b")


def _remarked(text: str) -> list[str]:
    """The values that a list says are multiple roots."""
    return sorted(_NAME.sub("", one) for one in _MULTIPLE.findall(text))


_SQUARE = re.compile(r"[\[\]]")
