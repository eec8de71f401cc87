"""The judgement: extraction, then one stage after the other until one decides."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from rewardkit.errors import GroundTruthError
from rewardkit.math.compare import Comparison
from rewardkit.math.extract import all_boxed, extract
from rewardkit.math.gold import clean_gold, gold_texts
from rewardkit.math.normalise import digits, squeeze, strip_delimiters
from rewardkit.math.numbers import plain_number
from rewardkit.math.parser import parse
from rewardkit.math.policy import DEFAULT, Policy
from rewardkit.math.proof import symbols
from rewardkit.math.relations import ContradictionError, rename
from rewardkit.math.results import Found, Judgement, Status
from rewardkit.math.tree import LimitError, Node, Op, ParseError, Rel, Sym
from rewardkit.math.wording import (
    bracketed_choice,
    canonical_words,
    choice,
    choice_with_text,
    choices,
    clock,
    date,
    head_of,
    is_prose,
    is_verdict,
    may_begin_with_option,
    only_mathematics,
    roman,
    same_clock,
    same_word_list,
    verdict_of,
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
    if not judgement.equal and policy.percent == "stated" and _speaks_of_percent(completion, extraction.answer, golds):
        return compare_any(golds, extraction.answer, _percent_optional(policy))
    return judgement


_PERCENT = re.compile(r"%|per ?cent|\bpct\b", re.IGNORECASE)


def _speaks_of_percent(completion: str, answer: str, golds: tuple[str, ...]) -> bool:
    """Whether the sign stands on one side alone, and the response speaks of per cent outside its answer."""
    signed = _PERCENT.search(answer) is not None
    if all((_PERCENT.search(gold) is not None) == signed for gold in golds):
        return False
    return _PERCENT.search(completion.replace(answer, " ")) is not None


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
    if first.equal or len(golds) == 1:
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
    left, right = strip_delimiters(gold), strip_delimiters(answer)
    if not right:
        return Judgement(False, Status.MALFORMED, answer, "the answer is empty", "extract")
    a = plain_number(left)
    b = plain_number(right) if a is not None else None
    if a is not None and b is not None:
        if a == b:
            return Judgement(True, Status.EQUAL, answer, "equal as rationals", "number")
        if (
            not policy.rtol
            and not policy.gold_digits
            and not policy.lenient
            and not (_ambiguous(left) or _ambiguous(right))
        ):
            return Judgement(
                False,
                Status.DIFFERENT,
                answer,
                f"{right} is not {left}" if len(left) + len(right) < MAX_REASON_CHARS else "another number",
                "number",
            )
    return _written(left, right) or _worded(left, right) or _parsed(left, right, policy)


_compare_short = lru_cache(maxsize=16_384)(_stages)


def _written(gold: str, answer: str) -> Judgement | None:
    """Stage `text`: the same text but for layout (a chain such as 41 = 42 is left to the later stages)."""
    if "=" in answer and not any(map(str.isalpha, answer.split("=", 1)[0])):
        return None
    if gold == answer or (_may_be_same(gold, answer) and squeeze(gold) == squeeze(answer)):
        return Judgement(True, Status.EQUAL, answer, "the same text", "text")
    return None


def _may_be_same(gold: str, answer: str) -> bool:
    """Whether two texts have the same digits in the same order, as far as that is known."""
    one, other = digits(gold), digits(answer)
    return one is None or other is None or one == other


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
            if said is not None and said[0] == texted[0] and said[1] and _same_option_text(texted[1], said[1]):
                return Judgement(True, Status.EQUAL, answer, "the same option, with its text", "choice")
        texted = choice_with_text(answer) if texted is None else None
        if texted is not None and texted[1] and _same_option_text(gold, texted[1]):
            return Judgement(True, Status.EQUAL, answer, "the text of an option", "choice")
    letters = choices(gold), choices(answer)
    if letters[0] is not None and letters[1] is not None and (letters[0][1] or letters[1][1]):
        equal = letters[0][0] == letters[1][0]
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, "option letters", "choice")
    numerals = roman(gold), roman(answer)
    if numerals[0] is not None and numerals[0] == numerals[1]:
        return Judgement(True, Status.EQUAL, answer, "the same numeral", "choice")
    times = clock(gold), clock(answer)
    if times[0] is not None and times[1] is not None:
        equal = same_clock(times[0], times[1])
        if not equal and not times[0][3] and not times[1][3]:
            return None  # perhaps a ratio
        return Judgement(equal, Status.EQUAL if equal else Status.DIFFERENT, answer, "times of day", "words")
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
    if is_prose(gold) and is_prose(answer):
        if canonical_words(gold) == canonical_words(answer) or same_word_list(gold, answer):
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
    golds = _readings(gold)
    answers = _readings(answer)
    if policy.lenient:
        golds, answers = _with_decimal_comma(gold, golds), _with_decimal_comma(answer, answers)
    if not isinstance(golds, str) and not isinstance(answers, str):
        answers = tuple(_same_constant(golds[0], one) for one in answers)
    if isinstance(answers, str) or isinstance(golds, str):
        if canonical_words(gold) == canonical_words(answer) and is_prose(gold):
            return Judgement(True, Status.EQUAL, answer, "the same words", "words")
        if gold == answer:
            return Judgement(True, Status.EQUAL, answer, "the same text", "text")
        if isinstance(answers, str):
            status = Status.LIMIT if answers.startswith("limit") else Status.UNPARSED
            return Judgement(False, status, answer, f"the answer is not in our grammar ({answers})", "parse")
        return Judgement(
            False, Status.DIFFERENT, answer, f"the ground truth is only comparable as text ({golds})", "parse"
        )
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
    return Judgement(False, status, answer, reason, "structure")


_DECIMAL_COMMA = re.compile(r"([0-9]),([0-9]+)")


def _with_decimal_comma(text: str, found: tuple[Node, ...] | str) -> tuple[Node, ...] | str:
    """One more reading, for the lenient mode: 2,74 as 2.74."""
    if len(text) > 20 or len(_DECIMAL_COMMA.findall(text)) != 1:
        return found
    more = _readings(_DECIMAL_COMMA.sub(r"\1.\2", text))
    if isinstance(more, str):
        return found
    return more if isinstance(found, str) else found + more


def _same_constant(gold: Node, answer: Node) -> Node:
    """The answer with its free constant spelled as in the ground truth: C and c."""
    left = symbols(gold)
    if left.isdisjoint({"C", "c"}) or not (isinstance(gold, Rel) or _adds_constant(gold)):
        return answer
    right = symbols(answer)
    for one, other in (("C", "c"), ("c", "C")):
        if one in left and other not in left and other in right and one not in right:
            return rename(answer, {other: one})
    if _adds_constant(gold) and not isinstance(gold, Rel):
        spare = sorted((right - left) & _FREE_CONSTANTS)
        if len(spare) == 1 and len({"C", "c"} & left) == 1 and not {"C", "c"} & right:
            return (
                rename(answer, {spare[0]: next(iter({"C", "c"} & left))})
                if _adds_constant(answer, spare[0])
                else answer
            )
    return answer


_FREE_CONSTANTS = frozenset({"K", "k", "D", "C_1", "c_1", "C_0", "A"})
"""Other names of a constant of integration."""


def _adds_constant(node: Node, *names: str) -> bool:
    """Whether a sum has a term C (or one of `names`)."""
    return (
        isinstance(node, Op)
        and node.name == "add"
        and any(
            (isinstance(one, Sym) and one.name in (names or ("C", "c"))) or _adds_constant(one, *names)
            for one in node.args
        )
    )


def _readings(text: str) -> tuple[Node, ...] | str:
    """The trees of `text`: two where commas may separate thousands or members; or why there is none."""
    try:
        first = parse(text)
    except LimitError as error:
        return f"limit: {error}"
    except RecursionError:
        return "limit: nested too deeply"
    except ParseError as error:
        if not _ambiguous(text):
            return str(error)
        first = None
    if not _ambiguous(text):
        return () if first is None else (first,)
    try:
        second = parse(_SHORT_POWER.sub(r"\1E\2", text), commas=False)
    except (LimitError, ParseError, RecursionError):
        return (first,) if first is not None else "no reading"
    return (first, second) if first is not None else (second,)


_GROUPED = re.compile(r"(?<![0-9])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")


_SHORT_POWER = re.compile(r"([0-9])e([-+][0-9])(?![0-9])")


def _ambiguous(text: str) -> bool:
    """Whether a comma may separate thousands or members (10,000 is no list: 000 is no number), or 7e-8 be a power of ten."""
    return ("," in text and any(",0" not in one for one in _GROUPED.findall(text))) or (
        "e" in text and _SHORT_POWER.search(text) is not None
    )
