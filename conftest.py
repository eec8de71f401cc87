"""README and docs are tests too: Python blocks run, and `$ rewardkit ...` blocks must print what stands below them."""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.integration.pytest import SybilItem
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parent
_CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_COMMANDS = {"rewardkit": "rewardkit.cli:main", "harness": "harness.cli:main"}


def _run_console(example: Example) -> str | None:
    command, _, expected = example.parsed.partition("\n")
    actual = _output(shlex.split(command.removeprefix("$ ")))
    if [line.rstrip() for line in actual.splitlines()] == [line.rstrip() for line in expected.splitlines()]:
        return None
    return f"{command}\nprinted\n{actual}\nnot\n{expected}"


def _output(words: list[str]) -> str:
    module, _, function = _COMMANDS[words[0]].partition(":")
    main = getattr(__import__(module, fromlist=[function]), function)
    stream, here = io.StringIO(), Path.cwd()
    os.chdir(ROOT)
    try:
        with redirect_stdout(stream), redirect_stderr(io.StringIO()):
            main(words[1:])
    except SystemExit:
        pass
    finally:
        os.chdir(here)
    return stream.getvalue()


class ConsoleParser:
    """Blocks with one command of ours and its output; other console blocks are for reading."""

    def __call__(self, document: Document) -> Iterator[Region]:
        for match in _CONSOLE.finditer(document.text):
            body = match[1]
            words = body.removeprefix("$ ").split(maxsplit=1)
            if body.count("$ ") == 1 and words and words[0] in _COMMANDS and "\n" in body.strip():
                yield Region(match.start(), match.end(), body, _run_console)


def _in_root(namespace: dict[str, object]) -> None:
    namespace["__name__"] = "__main__"


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(), SkipParser(), ConsoleParser()],
    patterns=["README.md", "docs/*.md", "docs/tutorial/*.md"],
    excludes=["docs/tasks.md"],  # its prompts hold fences that are no examples
    setup=_in_root,
).pytest()

_evaluated: set[str] = set()


@pytest.hookimpl(trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Evaluate what stands before an example on its page: xdist may have given that to another process."""
    if isinstance(item, SybilItem):
        page = [other for other in item.session.items if isinstance(other, SybilItem) and other.path == item.path]
        for other in page[: page.index(item)]:
            if other.nodeid not in _evaluated:
                _evaluated.add(other.nodeid)
                with suppress(Exception):  # its own item reports it
                    other.example.evaluate()
        _evaluated.add(item.nodeid)
