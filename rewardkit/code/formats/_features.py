"""What a row may ask for besides its tests: another language, named files, a conversation, a judge of its own."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from rewardkit.code.checker import Checker
from rewardkit.code.formats._fields import Unsupported, is_set
from rewardkit.code.languages import language_of
from rewardkit.code.problem import Problem
from rewardkit.code.remote import TALK, conversation, conversation_by_testlib
from rewardkit.errors import GroundTruthError, quoted
from sandboxes.languages import LANGUAGES
from sandboxes.paths import path_problem

INTERACTIVE = frozenset({"interactive", "is_interactive", "interactor", "interaction_format"})

TAGS = frozenset({"tags", "cf_tags"})
"""Lists, or their text, of what a problem is about: `interactive` among others."""
STREAMS = frozenset({"stdin", "stdout", "standard input", "standard output"})
"""Names of files that mean a stream."""


def refuse_unsupported(problem: Problem, row: Mapping[str, Any]) -> None:
    """`Unsupported` for a row that must not be judged as if it were a plain one of its kind."""
    tagged = any(re.search(r"\binteractive\b", str(row.get(name)).lower()) for name in TAGS)
    if (tagged or any(is_set(row.get(name)) for name in INTERACTIVE)) and not _has_interactor(row):
        raise Unsupported("interactive problems without an interactor in Python or C++")
    if is_set(row.get("output_only")) or row.get("executable") is False:
        raise Unsupported("problems whose tests are not run")
    refuse_language(problem, language_of(row.get("language")) or "python")
    if named_files(row) and not problem.stdin_tests:
        raise Unsupported("named files beside calls")


def refuse_language(problem: Problem, language: str) -> None:
    """`Unsupported` for a language that the row or the user wants and its tests can't run."""
    missing = missing_language(problem, language)
    if missing:
        raise Unsupported(missing)


def missing_language(problem: Problem, language: str) -> str:
    """What is missing to run programs in a language: a sandbox that runs any, or tests that can call them. Empty if nothing is."""
    if language == "python":
        return ""
    if language not in LANGUAGES:
        return f"programs in {language}"
    return "" if problem.stdin_tests else f"tests that call programs in {language}"


def _has_interactor(row: Mapping[str, Any]) -> bool:
    source = row.get("interactor")
    talks = r"^(?:def[ \t]+interact\(|[ \t]*#[ \t]*include\b)"
    return isinstance(source, str) and re.search(talks, source, re.MULTILINE) is not None


def _conversations(problem: Problem, source: str) -> Problem:
    """The problem as conversations about its inputs, each with an interactor in a box of its own."""
    interactor, tests = Checker.of(source), problem.stdin_tests
    if not tests:
        raise Unsupported("an interactor beside calls")
    if problem.checker and (interactor.kind != "testlib" or problem.checker.kind != "testlib"):
        raise Unsupported("an interactor with a checker, unless both are in C++")
    if interactor.kind != "testlib":
        drivers = tuple(conversation(source, test.stdin, test.expected) for test in tests)
        return dataclasses.replace(problem, stdin_tests=(), drivers=drivers, entry_point=TALK)
    drivers = tuple(conversation_by_testlib(test.stdin, test.expected) for test in tests)
    return dataclasses.replace(problem, stdin_tests=(), drivers=drivers, entry_point=TALK, interactor=interactor)


def named_files(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """The files that a program reads and writes instead of stdin and stdout; an empty name means the stream."""
    mode = str(row.get("input_mode") or "").lower()
    given, printed = (str(row.get(name) or "") for name in ("input_file", "output_file"))
    given, printed = ("" if name.lower() in STREAMS else name for name in (given, printed))
    if mode not in ("", "stdio", "standard", "file"):
        raise Unsupported(f"input_mode {quoted(mode)}")
    if mode == "file":
        given, printed = given or "input.txt", printed or "output.txt"
    for name in (given, printed):
        if name and ("/" in name or path_problem(name)):
            raise GroundTruthError(f"{quoted(name)} is not a file name")
    return (given, printed) if given or printed else None


def with_features(problem: Problem, row: Mapping[str, Any]) -> Problem:
    """The problem with the row's language and the names of its files."""
    given, printed = named_files(row) or ("", "")
    language = language_of(row.get("language")) or ("" if problem.stdin_tests else "python")
    if _has_interactor(row):
        if language not in ("", "python"):
            raise Unsupported(f"an interactor beside a program in {language}")
        return dataclasses.replace(_conversations(problem, str(row["interactor"])), language="python")
    return dataclasses.replace(problem, language=language, input_file=given, output_file=printed)
