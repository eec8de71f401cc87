"""The program in a completion: the last fenced block of its language, wherever the model put it."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from rewardkit.code.languages import language_of, same_language
from rewardkit.code.syntax import BROKEN, parse
from rewardkit.types import Verdict

MAX_PROGRAM_CHARS = 1_000_000
"""Longer programs are `malformed`: the longest accepted one in our data has 30,000 characters."""

_FENCE = re.compile(r"^(?P<indent>[ \t]{0,16})(?P<marks>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)$", re.MULTILINE)
_INLINE = re.compile(r"```(?:python3?|py)[ \t]*\r?\n(.*?)```", re.DOTALL | re.IGNORECASE)
_END_MARKS = re.compile(r"(?:<[|/][^\n]*)?$")
"""What may follow a closing fence: nothing, or a chat template's end mark such as `<|im_end|>`."""
_SEED_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
_QUOTED = "".join(f"(?!(?<={quote})(?<!``)</?[a-z]+>{quote}(?!``))" for quote in "\"'`")
_ANSWER_TAG = re.compile(_QUOTED + "</?answer>", re.IGNORECASE)
_END_OF_THOUGHT = re.compile(_QUOTED + "</think>")
"""Tags between quotes or backticks of their own only name the tag."""
_IN_A_STRING = re.compile(r"""(?:"|(?<![A-Za-z]{2})')[^\n]*["']""")
_MAX_THOUGHTS = 3
"""So many ends of thoughts are looked at, from the first one and from the last one."""
_VERSION = re.compile(r"(?<=^python)-?[23]?(?:\.\d+)*$")
"""The version in a fence's tag: `python3.11`, `python-3`."""
_BODY_STATEMENTS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.For,
)


@dataclass(frozen=True)
class Extraction:
    """A program, or the verdict and the one-line reason why there is none."""

    program: str | None
    verdict: Verdict | None = None
    reason: str = ""
    language: str = "python"
    """The language of the program."""


@dataclass(frozen=True)
class _Block:
    tag: str
    text: str
    closed: bool


def extract_program(completion: str, language: str = "") -> Extraction:
    r"""The program of a completion.

    Thinking is stripped first; tags in a fenced program, and those between quotes of their own, end none. Inside the last `<answer>...</answer>`, if there is one that is not empty, and else in
    the whole text, the last closed fence tagged as Python wins, then the last closed fence without a tag. A fence that
    never closes is `malformed` if no closed one precedes it: the model was cut off, and half a program proves
    nothing. Text without any fence counts as a program if it parses as one.

    With a `language` other than Python its fences count instead. Without one, if there is no Python and no fence without a tag,
    the last fence of another language is the program.

    >>> extract_program("First\n```python\nprint(1)\n```\nthen\n```python\nprint(2)\n```").program
    'print(2)\n'
    """
    text = _behind_thoughts(completion.lstrip("\ufeff"))
    if text.lstrip().startswith("<think>"):  # further back it may be in a string of a program
        return Extraction(None, Verdict.NO_ANSWER, "the thinking never ends, so there is no answer after it")
    if not text.strip():
        return Extraction(None, Verdict.NO_ANSWER, "the completion is empty")
    answers = (
        [] if _all_in_programs(_ANSWER_TAG, text, _is_program) else [part for part in _answers(text) if part.strip()]
    )
    if answers:
        inner = _from_text(answers[-1], language)
        if inner.program is not None:
            return inner
    return _from_text(text, language)


def extract_seed(completion: str) -> Extraction:
    """The program as the GRPO-TCR seed takes it: the last ```` ```python ```` block after the thinking, and it must
    parse. Anything else is its -1: no other tag, no untagged fence, no bare code.
    """
    blocks = _SEED_BLOCK.findall(completion.rsplit("</think>", 1)[-1])
    if not blocks:
        return Extraction(None, Verdict.NO_ANSWER, "no ```python block")
    error = syntax_error(blocks[-1])
    if error is not None:
        return Extraction(None, Verdict.COMPILE_ERROR, error)
    return Extraction(blocks[-1])


def syntax_error(program: str) -> str | None:
    """One line that says why a program does not parse here, or None. The program is parsed, never compiled or run."""
    if len(program) > MAX_PROGRAM_CHARS:
        return f"the program has {len(program):,} characters, more than {MAX_PROGRAM_CHARS:,}"
    try:
        parse(program)
    except SyntaxError as error:
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
    except (ValueError, MemoryError, RecursionError) as error:
        return f"the program does not parse: {type(error).__name__}"
    return None


def _behind_thoughts(completion: str) -> str:
    """What stands behind the thoughts: behind the first `</think>` (or all of it) where each further one stands in a program.

    Of many, only the first and last few are tried; where none fits, the thoughts end at the last one.
    """
    begun, is_program = completion.lstrip().startswith("<think>"), cache(_is_program)
    ends = [one.end() for one in _END_OF_THOUGHT.finditer(completion)]
    for start in (*(() if begun else (0,)), *ends[:_MAX_THOUGHTS], *ends[-_MAX_THOUGHTS:]):
        if _all_in_programs(_END_OF_THOUGHT, completion[start:], is_program):
            return completion[start:]
    return completion.rpartition("</think>")[2]


def _all_in_programs(mark: re.Pattern[str], text: str, is_program: Callable[[str], bool]) -> bool:
    """Whether all such marks stand in fences that close, in a program in Python or between quotes."""
    marks = len(mark.findall(text))
    fenced = [(block, len(mark.findall(block.text))) for block in (_blocks(text) if marks else ()) if block.closed]
    return marks == sum(many for _, many in fenced) and all(
        is_program(block.text) or many == _in_strings(mark, block.text) for block, many in fenced if many
    )


def _in_strings(mark: re.Pattern[str], text: str) -> int:
    return sum(len(mark.findall(string)) for string in _IN_A_STRING.findall(text))


def _answers(text: str) -> Iterator[str]:
    """What is between each `<answer>` and the next `</answer>`. Read tag by tag: one expression for both would go through the
    rest of the text for each tag that is never closed.
    """
    start: int | None = None
    for tag in _ANSWER_TAG.finditer(text):
        if tag[0][1] != "/":
            start = tag.end() if start is None else start
        elif start is not None:
            yield text[start : tag.start()]
            start = None


def _from_text(text: str, wanted: str) -> Extraction:
    text = text.lstrip("\ufeff")
    blocks = _blocks(text)
    closed = [block for block in blocks if block.closed]
    if wanted in ("", "python"):
        found = _python_in(text, closed)
        if found is not None:
            return found
    if wanted != "python":
        found = _other_in(closed, wanted)
        if found is not None:
            return found
    if any(not block.closed and _may_be(block, wanted) for block in blocks):
        return Extraction(None, Verdict.MALFORMED, "the code fence is never closed")
    if blocks:
        tags = ", ".join(sorted({block.tag[:20] for block in blocks if block.tag}))
        return Extraction(
            None,
            Verdict.NO_ANSWER,
            f"no {wanted.replace('python', '') or 'Python'} block, only {tags or 'empty fences'}",
        )
    if wanted in ("", "python") and _is_program(text):
        return _checked(text)
    return Extraction(None, Verdict.NO_ANSWER, "no code block")


def _python_in(text: str, closed: list[_Block]) -> Extraction | None:
    tagged = [block.text for block in closed if language_of(block.tag) == "python"]
    fitting = tagged or [block.text for block in closed if not block.tag]
    if fitting:
        return _checked(fitting[-1])
    inline = _INLINE.findall(text)  # a fence in the middle of a line, in a list item, in a quotation
    return _checked(inline[-1]) if inline else None


def _other_in(closed: list[_Block], wanted: str) -> Extraction | None:
    """The last block of the wanted language, or without one of any language, and then (if one is wanted) without a tag."""
    named = [(block.text, language) for block in closed if (language := language_of(block.tag))]
    fitting = [(text, wanted or language) for text, language in named if same_language(language, wanted or language)]
    if not fitting and wanted:
        fitting = [(block.text, wanted) for block in closed if not block.tag]
    if not fitting:
        return None
    text, language = fitting[-1]
    return dataclasses.replace(_checked(text), language=language)


def _may_be(block: _Block, wanted: str) -> bool:
    if wanted in ("", "python"):
        language = language_of(block.tag)
        return not block.tag or language == "python" or (not wanted and language is not None)
    return not block.tag or same_language(language_of(block.tag) or "", wanted)


def _blocks(text: str) -> list[_Block]:
    """All fenced blocks by CommonMark's rule: a fence closes with as many marks of its kind and no info string."""
    blocks: list[_Block] = []
    opening: re.Match[str] | None = None
    fences, at = list(_FENCE.finditer(text)), 0
    while at < len(fences):
        match, at = fences[at], at + 1
        marks = match["marks"]
        if opening is None:
            opening, at = match, _behind_docstrings(fences, at)
        elif (
            _END_MARKS.match(match["info"].strip())
            and marks[0] == opening["marks"][0]
            and len(marks) >= len(opening["marks"])
        ):
            blocks.append(_Block(_tag(opening), _body(text, opening, match.start()), closed=True))
            opening = None
        elif match["info"].strip() and language_of(_tag(match)) == "python" and len(marks) <= len(opening["marks"]):
            # a new ```python before the old fence closed: the old one was left open
            blocks.append(_Block(_tag(opening), _body(text, opening, match.start()), closed=False))
            opening, at = match, _behind_docstrings(fences, at)
    if opening is not None:
        body = _body(text, opening, len(text))
        inline_end = body.rstrip()
        if inline_end.endswith(opening["marks"]):  # "print(1)```" on its last line: closed, though not by the rule
            blocks.append(_Block(_tag(opening), inline_end[: -len(opening["marks"])], closed=True))
        else:
            blocks.append(_Block(_tag(opening), body, closed=False))
    return blocks


def _behind_docstrings(fences: list[re.Match[str]], at: int) -> int:
    """Where to read on behind an opening fence, which stands before `at`. Pairs of fences that stand more than three blanks deeper are in docstrings
    of the program and are passed over, if a fence that is not so deep follows.
    """
    depth = len(fences[at - 1]["indent"].expandtabs()) + 3
    end = at
    while end < len(fences) and len(fences[end]["indent"].expandtabs()) > depth:
        end += 1
    return end if (end - at) % 2 == 0 and end < len(fences) else at


def _tag(match: re.Match[str]) -> str:
    words = match["info"].strip().lower().lstrip("{.").split()
    return _VERSION.sub("", re.split("[{:,]", words[0])[0].rstrip("}")) if words else ""


def _body(text: str, opening: re.Match[str], end: int) -> str:
    """The lines of a block, each without the indent of the fence that opens it."""
    body = text[opening.end() : end].removeprefix("\n")
    return re.sub(f"^{opening['indent']}", "", body, flags=re.MULTILINE)


def _checked(program: str) -> Extraction:
    program = program.lstrip("\ufeff")
    if not program.strip():
        return Extraction(None, Verdict.NO_ANSWER, "the code block is empty")
    if len(program) > MAX_PROGRAM_CHARS:
        return Extraction(None, Verdict.MALFORMED, f"the program has {len(program):,} characters")
    return Extraction(program)


def _is_program(text: str) -> bool:
    """True for bare code: it parses, and does more than name things (`yes` and `a, b` parse as Python too)."""
    if len(text) > MAX_PROGRAM_CHARS:
        return False
    try:
        tree = parse(text)
    except BROKEN:
        return _is_indented_body(text)
    return any(isinstance(node, _BODY_STATEMENTS) or _is_call(node) for node in tree.body)


def _is_indented_body(text: str) -> bool:
    """True for the continuation of a prompt that ends in `def f(...):`, as HumanEval's completions are."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first.startswith((" ", "\t")):
        return False
    try:
        tree = parse("def _():\n" + text)
    except BROKEN:
        return False
    return any(isinstance(node, ast.Return) for node in ast.walk(tree))


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
