"""The checks of IFEval's instructions, one small function each. Texts come from a model, arguments from the data set."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from rewardkit.errors import GroundTruthError, clip
from rewardkit.rewards._json import items, parse_json
from rewardkit.rewards._languages import is_language

_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_ABBREVIATIONS = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|e\.g|i\.e|inc|ltd|co|no|fig|approx|u\.s|p\.s|p\.p\.s)\.\s+", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s|$)")

Arguments = Mapping[str, Any]


def check_arguments(name: str, arguments: Arguments) -> None:
    """Refuse arguments that an instruction cannot use, whatever the text is.

    Raises:
        GroundTruthError: the instruction is unknown, or an argument that it needs is missing or of the wrong kind.
    """
    if name not in INSTRUCTIONS:
        raise GroundTruthError(f"no checkable instruction {name!r}")
    for key in INSTRUCTIONS[name][1].split():
        if not _is_usable(key, arguments.get(key)):
            raise GroundTruthError(f"instruction {name}: {key} is {clip(repr(arguments.get(key)), 60)}")


def _is_usable(key: str, value: Any) -> bool:
    if key in {"keywords", "forbidden_words"}:
        return bool(items(value)) and all(_is_usable("keyword", word) for word in items(value))
    if key.endswith("relation"):
        return value in ("less than", "at least")
    if key.endswith("frequency") or key.startswith(("num_", "nth_")):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, str) and bool(value.strip())


def follows(name: str, text: str, arguments: Arguments) -> bool:
    """Whether `text` follows the instruction, whose arguments were checked. A blank text follows no instruction."""
    return bool(text.strip()) and INSTRUCTIONS[name][0](text, arguments)


def count_sentences(text: str) -> int:
    """Sentences, split at end marks. Common abbreviations do not end a sentence; a last line without a mark is one."""
    text = _ABBREVIATIONS.sub(lambda match: match[0].replace(".", ""), text.strip())
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return len(ends) + bool(text[max(ends, default=0) :].strip())


def _related(count: int, arguments: Arguments, number: str, relation: str = "relation") -> bool:
    wanted = int(arguments[number])
    return count < wanted if arguments[relation] == "less than" else count >= wanted


def _count(word: str, text: str) -> int:
    return len(re.findall(re.escape(word), text, re.IGNORECASE))


def _keywords(text: str, arguments: Arguments) -> bool:
    return all(_count(word, text) for word in arguments["keywords"])


def _keyword_frequency(text: str, arguments: Arguments) -> bool:
    return _related(_count(arguments["keyword"], text), arguments, "frequency")


def _forbidden_words(text: str, arguments: Arguments) -> bool:
    words = arguments["forbidden_words"]
    return not any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in words)


def _letter_frequency(text: str, arguments: Arguments) -> bool:
    count = text.lower().count(arguments["letter"].lower())
    return _related(count, arguments, "let_frequency", "let_relation")


def _response_language(text: str, arguments: Arguments) -> bool:
    return is_language(text, arguments["language"])


def _number_sentences(text: str, arguments: Arguments) -> bool:
    return _related(count_sentences(text), arguments, "num_sentences")


def _number_paragraphs(text: str, arguments: Arguments) -> bool:
    parts = [part.strip() for part in text.split("***")]
    inner = parts[1:-1]
    return all(inner) and len([part for part in parts if part]) == int(arguments["num_paragraphs"])


def _number_words(text: str, arguments: Arguments) -> bool:
    return _related(len(re.findall(r"\w+", text)), arguments, "num_words")


def _first_word(text: str, arguments: Arguments) -> bool:
    parts = text.split("\n\n")
    count = sum(bool(part.strip()) for part in parts)
    place = int(arguments["nth_paragraph"])
    if not 1 <= place <= count or not parts[place - 1].strip():
        return False
    word = parts[place - 1].split()[0].lstrip("'").lstrip('"')
    plain = re.split(r"[.,?!'\"]", word, maxsplit=1)[0].lower()
    return count == int(arguments["num_paragraphs"]) and plain == arguments["first_word"].lower()


def _placeholders(text: str, arguments: Arguments) -> bool:
    return len(re.findall(r"\[[^\[\]\n]*\]", text)) >= int(arguments["num_placeholders"])


def _postscript(text: str, arguments: Arguments) -> bool:
    marker = arguments["postscript_marker"].lower()
    known = {"p.p.s": r"p\.\s?p\.\s?s", "p.s.": r"p\.\s?s\."}
    return re.search(known.get(marker) or re.escape(marker), text.lower()) is not None


def _bullets(text: str, arguments: Arguments) -> bool:
    stripped = [line.lstrip() for line in text.splitlines()]
    count = sum(line.startswith("-") or (line.startswith("*") and line[1:2] not in {"*", ""}) for line in stripped)
    return count == int(arguments["num_bullets"])


def _constrained(text: str, _: Arguments) -> bool:
    return any(answer in text for answer in _ANSWERS)


def _highlights(text: str, arguments: Arguments) -> bool:
    found = [*re.findall(r"\*[^\n*]*\*", text), *re.findall(r"\*\*[^\n*]*\*\*", text)]
    return sum(bool(one.strip("*").strip()) for one in found) >= int(arguments["num_highlights"])


def _sections(text: str, arguments: Arguments) -> bool:
    count = len(re.findall(rf"{re.escape(arguments['section_spliter'])}\s?\d+", text))
    return count >= int(arguments["num_sections"])


def _json(text: str, _: Arguments) -> bool:
    text = text.strip()
    for fence in ("```json", "```Json", "```JSON", "```"):
        text = text.removeprefix(fence)
    text = text.removesuffix("```").strip()
    return parse_json(text) is not None or text == "null"


def _title(text: str, _: Arguments) -> bool:
    return any(title.strip("<> \t") for title in re.findall(r"<<[^\n<>]+>>", text))


def _two_responses(text: str, _: Arguments) -> bool:
    parts = [part.strip() for part in text.split("******")]
    filled = [part for part in parts if part]
    return all(parts[1:-1]) and len(filled) == 2 and filled[0] != filled[1]


def _repeat_prompt(text: str, arguments: Arguments) -> bool:
    return text.strip().lower().startswith(arguments["prompt_to_repeat"].strip().lower())


def _end(text: str, arguments: Arguments) -> bool:
    return text.strip().strip('"').lower().endswith(arguments["end_phrase"].strip().lower())


def _quotation(text: str, _: Arguments) -> bool:
    text = text.strip()
    return len(text) > 1 and text[0] == text[-1] == '"'


def _capital_words(text: str, arguments: Arguments) -> bool:
    count = sum(word.isupper() for word in re.findall(r"[\w'’-]+", text))
    return _related(count, arguments, "capital_frequency", "capital_relation")


def _capital(text: str, _: Arguments) -> bool:
    return text.isupper() and is_language(text.lower(), "en")


def _lowercase(text: str, _: Arguments) -> bool:
    return text.islower() and is_language(text, "en")


def _no_comma(text: str, _: Arguments) -> bool:
    return "," not in text


INSTRUCTIONS: dict[str, tuple[Callable[[str, Arguments], bool], str]] = {
    "keywords:existence": (_keywords, "keywords"),
    "keywords:frequency": (_keyword_frequency, "keyword frequency relation"),
    "keywords:forbidden_words": (_forbidden_words, "forbidden_words"),
    "keywords:letter_frequency": (_letter_frequency, "letter let_frequency let_relation"),
    "language:response_language": (_response_language, "language"),
    "length_constraints:number_sentences": (_number_sentences, "num_sentences relation"),
    "length_constraints:number_paragraphs": (_number_paragraphs, "num_paragraphs"),
    "length_constraints:number_words": (_number_words, "num_words relation"),
    "length_constraints:nth_paragraph_first_word": (_first_word, "num_paragraphs nth_paragraph first_word"),
    "detectable_content:number_placeholders": (_placeholders, "num_placeholders"),
    "detectable_content:postscript": (_postscript, "postscript_marker"),
    "detectable_format:number_bullet_lists": (_bullets, "num_bullets"),
    "detectable_format:constrained_response": (_constrained, ""),
    "detectable_format:number_highlighted_sections": (_highlights, "num_highlights"),
    "detectable_format:multiple_sections": (_sections, "section_spliter num_sections"),
    "detectable_format:json_format": (_json, ""),
    "detectable_format:title": (_title, ""),
    "combination:two_responses": (_two_responses, ""),
    "combination:repeat_prompt": (_repeat_prompt, "prompt_to_repeat"),
    "startend:end_checker": (_end, "end_phrase"),
    "startend:quotation": (_quotation, ""),
    "change_case:capital_word_frequency": (_capital_words, "capital_frequency capital_relation"),
    "change_case:english_capital": (_capital, ""),
    "change_case:english_lowercase": (_lowercase, ""),
    "punctuation:no_comma": (_no_comma, ""),
}
"""Every instruction id of the published data set: its check, and the names of the arguments that it needs."""
