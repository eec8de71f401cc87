"""Function mode, inside the program's process: read calls, make them, write what they gave."""

import io
import json
import os
from collections import deque
from collections.abc import Callable
from typing import Any

from .codec import ValueTooBig, dumps
from .decode import reader

__all__ = ["NODES", "serve_calls"]


def serve_calls(
    namespace: dict[str, Any],
    inherited: dict[str, Any],
    entry_point: str,
    calls: bytes | int,
    result: int,
    *,
    value_bytes: int,
) -> None:
    """Answer each line of `calls` with a line on `result`, after a first line that says the program is loaded.

    A call is `[args, [[name, value], ...]]` in tagged values. `inherited` is what the namespace held before the program ran.
    A call may answer before it ends, and take the next line as its own, by `_sandbox_exchange`.
    """
    _list_node, _tree_node = _builders(namespace)
    find = _finder(namespace, inherited, entry_point)
    read = reader(list_node=_list_node, tree_node=_tree_node)
    _write(result, b'{"ready":1}')
    with io.BytesIO(calls) if isinstance(calls, bytes) else os.fdopen(calls, "rb") as lines:

        def exchange(value: Any) -> list[Any]:
            """Answer the call under way with `value`; the arguments of the next one. Nothing comes behind the last line."""
            _write(result, _answer(value, value_bytes))
            line = lines.readline()
            if not line:
                os._exit(0)
            return read(line)[0]

        namespace["_sandbox_exchange"] = exchange
        for line in lines:
            try:
                args, named = read(line)
                answer = _answer(find()(*args, **dict(named)), value_bytes)
            except BaseException as error:  # noqa: BLE001  (whatever the program raises, SystemExit too, is this call's result)
                answer = json.dumps({"e": _describe(error)}).encode()
            _write(result, answer)


def _answer(value: Any, value_bytes: int) -> bytes:
    answer = dumps(value)
    if len(answer) > value_bytes:
        raise ValueTooBig(f"larger than {value_bytes} bytes")
    return answer.encode()


def _describe(error: BaseException) -> str:
    """The exception's type and message in one line; a hostile `__str__` gives the type alone."""
    name = type(error).__name__
    if isinstance(error, ValueTooBig):
        return f"unusable value: {error}"
    try:
        text = " ".join(str(error).split())[:500]
    except BaseException:  # noqa: BLE001
        return name
    return f"{name}: {text}" if text else name


def _write(fd: int, line: bytes) -> None:
    line += b"\n"
    done = os.write(fd, line)
    while done < len(line):
        done += os.write(fd, line[done:])


def _finder(namespace: dict[str, Any], inherited: dict[str, Any], entry_point: str) -> Callable[[], Callable[..., Any]]:
    """How to get the callable for one call: a fresh instance each time where it is a method.

    Only what the program defined: a builtin or something the prelude imported never stands in for a missing function.
    """
    missing = object()

    def defined(name: str) -> bool:
        found = namespace.get(name, missing)
        return found is not missing and found is not inherited.get(name, missing)

    owner, _, method = entry_point.replace("()", "").rpartition(".")
    if not owner:
        if defined(entry_point):
            return lambda: namespace[entry_point]
        owner, method = "Solution", entry_point
    if not defined(owner) or not hasattr(namespace[owner], method):
        raise NameError(f"the program defines no {entry_point!r}")
    return lambda: getattr(namespace[owner](), method)


class _ListNode:
    def __init__(self, val: Any = 0, next: Any = None) -> None:  # noqa: A002  (LeetCode's own signature)
        self.val = val
        self.next = next


class _TreeNode:
    def __init__(self, val: Any = 0, left: Any = None, right: Any = None) -> None:
        self.val = val
        self.left = left
        self.right = right


_ListNode.__name__ = _ListNode.__qualname__ = "ListNode"
_TreeNode.__name__ = _TreeNode.__qualname__ = "TreeNode"
NODES: dict[str, Any] = {"ListNode": _ListNode, "TreeNode": _TreeNode}
"""LeetCode gives its programs these two; they stand in the namespace before the program runs."""


def _builders(namespace: dict[str, Any]) -> tuple[Callable[[list[Any]], Any], Callable[[list[Any]], Any]]:
    """Makers of linked lists and trees from the program's own node classes, or ours where it has none."""
    list_class: Any = namespace.get("ListNode", _ListNode)
    tree_class: Any = namespace.get("TreeNode", _TreeNode)

    def build_list(values: list[Any]) -> Any:
        head = None
        for value in reversed(values):
            node = list_class(value)
            node.next = head
            head = node
        return head

    def build_tree(values: list[Any]) -> Any:
        if not values or values[0] is None:
            return None
        root = tree_class(values[0])
        row = deque([root])
        rest = iter(values[1:])
        for value in rest:
            node = row.popleft()
            if value is not None:
                node.left = tree_class(value)
                row.append(node.left)
            right = next(rest, None)
            if right is not None:
                node.right = tree_class(right)
                row.append(node.right)
        return root

    return build_list, build_tree
