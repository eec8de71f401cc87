"""Tests that are calls with their results, in LeetCode's form: TACO's, APPS's and LiveCodeBench's functional rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from rewardkit.code.compare import DEFAULT_TOLERANCE
from rewardkit.code.formats._fields import Unsupported, is_name, parse_json
from rewardkit.code.problem import CallTest, Expectation, Problem
from rewardkit.code.remote import behind
from rewardkit.errors import GroundTruthError, quoted
from sandboxes.agent.preload import EDITOR

CALL_PRELUDE = EDITOR
"""For rows in LeetCode's form only. Names that it shares with the entry point are taken out again."""

IN_PLACE, DESIGN = "_rewardkit_in_place", "_rewardkit_design"
"""Functions that are defined behind the program and called in place of it."""

_IN_PLACE_SOURCE = f"""\
def {IN_PLACE}(*values):
    owner = _program.get("Solution")
    (getattr(owner(), NAME) if hasattr(owner, NAME) else _program[NAME])(*values)
    return values[0]
"""
_DESIGN_SOURCE = f"""\
def {DESIGN}(operations, values):
    made = _program[operations[0]](*values[0])
    rest = ((name, getattr(made, name)(*given)) for name, given in zip(operations[1:], values[1:]))
    return [None, *(None if name in VOID else result for name, result in rest)]
"""
_METHOD = re.compile(r"^[ \t]+def[ \t]+([A-Za-z]\w*)[ \t]*\([ \t]*self\b", re.MULTILINE)
_FUNCTION = re.compile(r"^def[ \t]+([A-Za-z_]\w*)", re.MULTILINE)
_CLASS = re.compile(r"^class[ \t]+([A-Za-z_]\w*)", re.MULTILINE)

Pair = tuple[tuple[Any, ...], Any, tuple[Any, ...]]
"""Arguments, the value that is right, and others that are as right."""


def call_problem(kind: str, row: Mapping[str, Any], name: str | None, pairs: Sequence[Pair]) -> Problem:
    """The problem of a function, a method of `Solution`, or (operation lists) a class of the program's own."""
    starter = str(row.get("starter_code") or "")
    designed = _designed(starter, name, pairs)
    if designed is not None:
        return _design_problem(kind, designed, pairs)
    name = function_name(row, name)
    signature = _signature(starter, name) or _signature(str(row.get("prompt") or ""), name)
    if re.search(r"\b(?:ListNode|TreeNode|Node)\b", signature):
        raise Unsupported(
            "linked lists and trees in calls that are JSON", "give the row's `test` with list_node and tree_node"
        )
    if all(right is None for _, right, _ in pairs):
        raise Unsupported("a function that returns nothing, whose tests do not say what it changes")
    if re.search(r"->[ \t]*None\b", signature):
        return _in_place_problem(kind, name, pairs)
    return Problem(source=kind, call_tests=_tests(pairs), entry_point=name, prelude=_prelude(name), tolerance=DEFAULT_TOLERANCE)  # fmt: skip


def taco_pair(given: Any, output: Any, *, wrapped: bool) -> Pair:
    """A call as TACO has it: the list of arguments, or LiveCodeBench's text. Outputs may be wrapped in a list of one."""
    if isinstance(given, str):
        return json_pair(given, output)
    if not isinstance(given, (list, tuple)):
        raise GroundTruthError(f"a call's input is not a list of arguments: {quoted(given)}")
    args = tuple(_integer_keys(value) for value in cast("Sequence[Any]", given))
    return (args, output[0], (output,)) if wrapped else (args, output, ())


def json_pair(given: str, output: Any) -> Pair:
    """LiveCodeBench's functional form: one JSON value a line is one argument, the output is a JSON value."""
    args = tuple(parse_json(line, "a test's input") for line in given.split("\n") if line.strip())
    return args, parse_json(output, "a test's output") if isinstance(output, str) else output, ()


def is_wrapped(outputs: Sequence[Any]) -> bool:
    """True if every output is a list of one, as TACO has them."""
    return all(isinstance(item, (list, tuple)) and len(cast("Sequence[Any]", item)) == 1 for item in outputs)


def function_name(row: Mapping[str, Any], own: str | None) -> str:
    """The function that tests call, by its own field or by the starter code."""
    name = own
    if not name:
        starter = str(row.get("starter_code") or "")
        found = _METHOD.findall(starter) or _FUNCTION.findall(starter)
        name = found[0] if found else None
    if not is_name(name):
        raise GroundTruthError("functional tests need a function: fn_name, metadata.func_name or starter_code")
    return name


def _tests(pairs: Sequence[Pair]) -> tuple[CallTest, ...]:
    return tuple(
        CallTest.of(args, {}, Expectation.of(right, any_of=others, json_keys=True)) for args, right, others in pairs
    )


def _prelude(name: str) -> str:
    shared = re.search(rf"\b{re.escape(name)}\b", CALL_PRELUDE)
    return f"{CALL_PRELUDE}globals().pop({name!r}, None)\n" if shared else CALL_PRELUDE


def _signature(text: str, name: str) -> str:
    """The line of this text that defines the function, which may go on over several lines; empty where none does."""
    found = re.search(rf"^[ \t]*def[ \t]+{re.escape(name)}[ \t]*\([^)]*\)[^:\n]*", text, re.MULTILINE)
    return found[0] if found else ""


def _in_place_problem(kind: str, name: str, pairs: Sequence[Pair]) -> Problem:
    """A method that returns nothing and changes its first argument, which is what its tests compare."""
    if not all(args and isinstance(args[0], (list, dict)) for args, _, _ in pairs):
        raise Unsupported("a function that returns nothing and changes no first argument")
    epilogue = behind(_IN_PLACE_SOURCE.replace("NAME", repr(name)), IN_PLACE)
    return Problem(
        source=kind, call_tests=_tests(pairs), entry_point=IN_PLACE, prelude=_prelude(name), epilogue=epilogue, tolerance=DEFAULT_TOLERANCE
    )  # fmt: skip


def _designed(starter: str, name: str | None, pairs: Sequence[Pair]) -> str | None:
    """The class whose methods the tests call one after the other: operations, and the arguments of each."""
    classes = {name, *_CLASS.findall(starter)} - {None, "", "Solution"}
    for args, _, _ in pairs:
        match args:
            case ([str() as first, *names], [*values]) if len(names) + 1 == len(values) and first in classes:
                if not all(isinstance(item, str) for item in names) or not all(
                    isinstance(item, list) for item in values
                ):
                    return None
            case _:
                return None
    return pairs[0][0][0][0]


def _design_problem(kind: str, name: str, pairs: Sequence[Pair]) -> Problem:
    """Operation lists. A method that no test expects anything of returns nothing, as LeetCode takes it."""
    results: dict[str, bool] = {}
    for (operations, _), right, _ in pairs:
        if not isinstance(right, list) or len(cast("list[Any]", right)) != len(operations):
            raise GroundTruthError("a test of operations needs one result for each of them")
        for method, result in zip(operations[1:], cast("list[Any]", right)[1:], strict=True):
            results[method] = results.get(method, False) or result is not None
    if not any(results.values()):
        raise Unsupported("operations that return nothing")
    void = sorted(method for method, returns in results.items() if not returns)
    return Problem(
        source=kind,
        call_tests=_tests(pairs),
        entry_point=DESIGN,
        prelude=_prelude(name),
        epilogue=behind(_DESIGN_SOURCE.replace("VOID", repr(void)), DESIGN),
        tolerance=DEFAULT_TOLERANCE,
    )


def _integer_keys(value: Any) -> Any:
    """JSON made the integer keys of a dictionary strings; APPS's and TACO's own testers turn them back."""
    if isinstance(value, Mapping):
        found = cast("Mapping[Any, Any]", value)
        if found and all(isinstance(key, str) and re.fullmatch(r"-?[0-9]{1,18}", key) for key in found):
            return {int(key): item for key, item in found.items()}
        return found
    return value
