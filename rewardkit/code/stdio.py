"""Rows whose tests are inputs and outputs: TACO and APPS, CodeContests, LiveCodeBench, SandboxFusion."""

from __future__ import annotations

import base64
import binascii
import json
import pickletools
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rewardkit.code.problem import CallTest, Expectation, Problem, StdinTest
from rewardkit.errors import GroundTruthError

MAX_TESTS = 100_000
"""Rows with more tests are refused; the largest published one has 1,500."""

MAX_INPUT_CHARS = 64_000_000
"""Longer inputs are refused."""

MAX_UNPACKED_BYTES = 512_000_000
"""LiveCodeBench's packed tests are refused beyond this: a few compressed kilobytes can hold gigabytes."""

CALL_TOLERANCE = 1e-5
"""For returned floats, absolute or relative."""

CALL_PRELUDE = """\
import bisect, collections, copy, datetime, functools, heapq, itertools, math, operator, random, re, string, sys
from typing import Any, Callable, Deque, Dict, Generator, Iterable, Iterator, List, Optional, Set, Tuple, Union
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cache, cmp_to_key, lru_cache, reduce
from heapq import heapify, heappop, heappush
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain, combinations, permutations, product
from math import ceil, floor, gcd, inf, sqrt

class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next

class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right

"""
"""What LeetCode's own editor provides: for rows in LeetCode's form only (TACO's and LiveCodeBench's calls are). Names that a library shares with the entry point are taken out again."""

_METHOD = re.compile(r"^[ \t]+def[ \t]+([A-Za-z]\w*)[ \t]*\([ \t]*self\b", re.MULTILINE)
_FUNCTION = re.compile(r"^def[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def read_taco(row: Mapping[str, Any]) -> Problem:
    """A TACO or APPS row: `inputs`, `outputs` and, for call tests, `fn_name`."""
    inputs, outputs = _sequence(row, "inputs"), _sequence(row, "outputs")
    if len(inputs) != len(outputs):
        raise GroundTruthError(f"the row has {len(inputs)} inputs but {len(outputs)} outputs")
    _check_count(len(inputs))
    name = row.get("fn_name")
    if name is None or name == "":
        tests = tuple(StdinTest(_text(one), _text(other)) for one, other in zip(inputs, outputs, strict=True))
        return Problem(source="taco", stdin_tests=tests)
    if not isinstance(name, str) or not name.isidentifier():
        raise GroundTruthError(f"fn_name is no name: {str(name)[:60]!r}")
    wrapped = all(isinstance(item, (list, tuple)) and len(cast("Sequence[Any]", item)) == 1 for item in outputs)
    calls = tuple(_taco_call(one, other, wrapped=wrapped) for one, other in zip(inputs, outputs, strict=True))
    return call_problem("taco", name, calls)


def read_cases(row: Mapping[str, Any], cases: Sequence[Any]) -> Problem:
    """A list of cases, each with its input and output: LiveCodeBench's public tests, SandboxFusion's `test`."""
    _check_count(len(cases))
    read = [_case(case) for case in cases]
    if str(row.get("entry_point") or "").startswith("Solution"):
        raise GroundTruthError("LeetCode's input_output does not say the types of its arguments: give its `test` too")
    if not any(functional for _, _, functional, _ in read):
        return Problem(source="cases", stdin_tests=tuple(StdinTest(one, other) for one, other, _, _ in read))
    if not all(functional for _, _, functional, _ in read):
        raise GroundTruthError("the row mixes stdin tests and functional tests")
    name = _function_name(row, next((name for _, _, _, name in read if name), None))
    calls = tuple(_json_call(one, other) for one, other, _, _ in read)
    return call_problem("livecodebench", name, calls)


def read_livecodebench(row: Mapping[str, Any]) -> Problem:
    """A LiveCodeBench row: public tests as JSON, private ones as JSON or packed."""
    cases = [*_packed(row.get("public_test_cases")), *_packed(row.get("private_test_cases"))]
    return read_cases(row, cases)


def read_code_contests(row: Mapping[str, Any]) -> Problem:
    """A CodeContests row: public, private and generated tests, each a pair of lists `input` and `output`."""
    if row.get("input_file") or row.get("output_file"):
        raise GroundTruthError("the program should read or write a named file; only stdin and stdout are judged")
    tests: list[StdinTest] = []
    for name in ("public_tests", "private_tests", "generated_tests"):
        group = plain(row.get(name))
        if isinstance(group, str) and group.strip():
            group = _json(group, name)
        if not group:
            continue
        if isinstance(group, (list, tuple)):
            cases = [_case(case) for case in cast("Sequence[Any]", group)]
            tests += [StdinTest(one, other) for one, other, _, _ in cases]
            continue
        if not isinstance(group, Mapping):
            raise GroundTruthError(f"{name} is no object with input and output but {type(group).__name__}")
        part = cast("Mapping[str, Any]", group)
        inputs, outputs = _sequence(part, "input"), _sequence(part, "output")
        if len(inputs) != len(outputs):
            raise GroundTruthError(f"{name} has {len(inputs)} inputs but {len(outputs)} outputs")
        tests += [StdinTest(_text(one), _text(other)) for one, other in zip(inputs, outputs, strict=True)]
    _check_count(len(tests))
    return Problem(source="code_contests", stdin_tests=tuple(tests))


def call_problem(source: str, name: str, calls: tuple[CallTest, ...]) -> Problem:
    """A problem that calls `name`, a function or a method of `Solution`, with the names LeetCode provides."""
    prelude = f"{CALL_PRELUDE}globals().pop({name!r}, None)\n"
    return Problem(source=source, call_tests=calls, entry_point=name, prelude=prelude, tolerance=CALL_TOLERANCE)


def _taco_call(given: Any, output: Any, *, wrapped: bool) -> CallTest:
    if isinstance(given, str):
        return _json_call(given, output)
    if not isinstance(given, (list, tuple)):
        raise GroundTruthError(f"a call's input is no list of arguments: {str(given)[:60]!r}")
    args = tuple(_integer_keys(value) for value in cast("Sequence[Any]", given))
    if wrapped:
        inner = output[0]
        return CallTest.of(args, {}, Expectation.of(inner, any_of=(output,), json_keys=True))
    return CallTest.of(args, {}, Expectation.of(output, json_keys=True))


def _json_call(given: str, output: Any) -> CallTest:
    """LiveCodeBench's functional form: one JSON value a line is one argument, the output is a JSON value."""
    args = tuple(_json(line, "a test's input") for line in given.split("\n") if line.strip())
    expected = _json(output, "a test's output") if isinstance(output, str) else output
    return CallTest.of(args, {}, Expectation.of(expected, json_keys=True))


def _case(case: Any) -> tuple[str, Any, bool, str | None]:
    """Input, expected output, whether it is a call, and the function's name where the case says it."""
    if not isinstance(case, Mapping):
        raise GroundTruthError(f"a test is no object with input and output: {str(case)[:60]!r}")
    fields = cast("Mapping[str, Any]", case)
    given, output = fields.get("input"), fields.get("output")
    if isinstance(given, Mapping):
        given = cast("Mapping[str, Any]", given).get("stdin", "")
    if isinstance(output, Mapping):
        output = cast("Mapping[str, Any]", output).get("stdout")
    if given is None or output is None:
        raise GroundTruthError("a test lacks its input or its output")
    functional = fields.get("testtype") == "functional" or fields.get("type") == "function_call"
    name = fields.get("fn_name") or _metadata(fields).get("func_name")
    if functional:
        return _text(given), output, True, name if isinstance(name, str) else None
    return _text(given), _text(output), False, None


def _function_name(row: Mapping[str, Any], own: str | None) -> str:
    name = own or row.get("fn_name") or row.get("entry_point") or _metadata(row).get("func_name")
    if not name:
        starter = str(row.get("starter_code") or "")
        found = _METHOD.findall(starter) or _FUNCTION.findall(starter)
        name = found[0] if found else None
    if not isinstance(name, str) or not name.isidentifier():
        raise GroundTruthError("functional tests need a function: fn_name, metadata.func_name or starter_code")
    return name


def _metadata(row: Mapping[str, Any]) -> Mapping[str, Any]:
    value = row.get("metadata")
    if isinstance(value, str) and value.strip().startswith("{"):
        value = _json(value, "metadata")
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _packed(value: Any) -> Sequence[Any]:
    """Test cases as a list, as JSON, or as LiveCodeBench packs them: base64 of zlib of a pickled JSON string."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        text = value if value.lstrip().startswith("[") else _unpack(value)
        value = _json(text, "test cases")
    if not isinstance(value, (list, tuple)):
        raise GroundTruthError("test cases are no list")
    return cast("Sequence[Any]", value)


def _unpack(text: str) -> str:
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(text, validate=True), MAX_UNPACKED_BYTES)
    except (binascii.Error, zlib.error, ValueError):
        raise GroundTruthError("private_test_cases are neither JSON nor packed JSON") from None
    if stream.unconsumed_tail:
        raise GroundTruthError("private_test_cases unpack to more than 512 MB")
    strings = list(_pickled_strings(data)) if data[:1] == b"\x80" else [data.decode("utf-8", "replace")]
    if len(strings) != 1:
        raise GroundTruthError("private_test_cases hold a pickle of something else than one string")
    return strings[0]


def _pickled_strings(data: bytes) -> Iterator[str]:
    """The strings in a pickle, by reading its opcodes. Nothing is unpickled, so nothing is run."""
    try:
        for opcode, argument, _ in pickletools.genops(data):
            if opcode.name in ("BINUNICODE", "BINUNICODE8", "SHORT_BINUNICODE"):
                yield str(argument)
            elif opcode.name not in ("PROTO", "FRAME", "MEMOIZE", "BINPUT", "LONG_BINPUT", "STOP"):
                raise GroundTruthError("private_test_cases hold a pickle of something else than one string")
    except (ValueError, IndexError) as error:
        if isinstance(error, GroundTruthError):
            raise
        raise GroundTruthError("private_test_cases hold a broken pickle") from None


def _integer_keys(value: Any) -> Any:
    """JSON made the integer keys of a dictionary strings; APPS's and TACO's own testers turn them back."""
    if isinstance(value, Mapping):
        found = cast("Mapping[Any, Any]", value)
        if found and all(isinstance(key, str) and re.fullmatch(r"-?[0-9]{1,18}", key) for key in found):
            return {int(key): item for key, item in found.items()}
        return found
    return value


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise GroundTruthError(f"{what} is not JSON: {text.strip()[:60]!r}") from None


def plain(value: Any) -> Any:
    """Lists for numpy arrays, which Parquet readers make of lists, at every level."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list) and any(hasattr(item, "tolist") or isinstance(item, list) for item in value):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return [plain(item) for item in cast("list[Any]", value)]
    return cast("Any", value)


def _sequence(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = plain(row.get(name))
    if not isinstance(value, (list, tuple)):
        raise GroundTruthError(f"{name} is no list but {type(value).__name__}")
    return cast("Sequence[Any]", value)


def _text(value: Any) -> str:
    """Input or output as text; some rows hold it as a list of lines, or as a bare number."""
    if isinstance(value, (list, tuple)):
        lines = [_text(line) for line in cast("Sequence[Any]", value)]
        value = ("" if lines and all(line.endswith("\n") for line in lines[:-1] or lines) else "\n").join(lines)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise GroundTruthError(f"input and output are text, not {type(value).__name__}")
    text = value if isinstance(value, str) else repr(value)
    if len(text) > MAX_INPUT_CHARS:
        raise GroundTruthError(f"an input or output has {len(text):,} characters, more than {MAX_INPUT_CHARS:,}")
    return text


def _check_count(count: int) -> None:
    if not count:
        raise GroundTruthError("the row has no tests")
    if count > MAX_TESTS:
        raise GroundTruthError(f"the row has {count:,} tests, more than {MAX_TESTS:,}")
