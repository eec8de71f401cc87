"""The text form: `math + 0.1 * think_format(tags='think')`. It holds names, literals, sums and weights, and is never executed."""

from __future__ import annotations

import ast
import dataclasses
import re
import typing
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rewardkit import registry
from rewardkit.base import Reward
from rewardkit.errors import UsageError, clip, quoted
from rewardkit.paths import expanded

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MAX_TEXT_CHARS = 20_000
"""Longer reward texts are refused."""
MAX_DEPTH = 50
"""Deeper nesting is refused."""

_STRING = r"""(?s:'{3}(?:\\.|[^\\])*?'{3}|"{3}(?:\\.|[^\\])*?"{3}|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")"""
"""A string literal."""
_FILE = r"""(?<!\w)(?P<path>(?:(?:~|\.{0,2})/[^\s()+*,:'"]+|\w(?:(?!-(?:~|\.{0,2})/)[^\s()+*,:='"])*)\.py):(?P<name>[A-Za-z_]\w*)"""
_FILE_HINT = "a reward in a file is ./file.py:Name, its path without blanks, quotes, brackets and any of + * , :"
_PYTHON = {"true": "True", "false": "False", "null": "None"}
_FILE_NAME = "__file_{}__"


def load(text: str | Path) -> Reward:
    """The reward that a text form, or a `.toml` file with a `reward` entry, describes. A text may have several lines and comments.

    >>> load("math + 0.1 * think_format").text
    'math + 0.1 * think_format'

    Raises:
        UsageError: the text is not a sum of rewards, or an option does not fit.
        UnknownNameError: a name that nothing is registered under.
    """
    text = str(text)
    if text.endswith(".toml"):
        return load(_read_toml(Path(text)))
    if len(text) > MAX_TEXT_CHARS:
        raise UsageError(f"reward text is {len(text)} characters long; at most {MAX_TEXT_CHARS}")
    files: list[tuple[str, str]] = []

    def stand_in(match: re.Match[str]) -> str:
        files.append((match["path"], match["name"]))
        return _FILE_NAME.format(len(files) - 1)

    source = _replace(_FILE, stand_in, text)
    source = _replace(r"#[^\n]*|\s", lambda found: " " * len(found[0]), source).strip()
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        hint = f"; {_FILE_HINT}" if ".py" in text else ""
        raise UsageError(f"cannot read reward text {quoted(text, 200)}: {message}{hint}") from None
    value = _Builder(files).build(tree, 0)
    if not isinstance(value, Reward):
        raise UsageError(f"reward text {quoted(text, 200)} is not a reward; write a name such as math")
    return value


def files_of(text: str) -> list[str]:
    """The files that `load(text)` reads: the `.toml` file, and the modules of `./file.py:Name` rewards."""
    named = [text] if text.endswith(".toml") else []
    source = _read_toml(Path(text)) if named else text
    files = (match["path"] for match in re.finditer(f"{_STRING}|{_FILE}", source))
    return [*named, *dict.fromkeys(str(expanded(file)) for file in files if file)]


def _replace(pattern: str, new: Callable[[re.Match[str]], str], text: str) -> str:
    """Replace what matches outside string literals."""
    return re.sub(f"(?P<kept>{_STRING})|{pattern}", lambda found: found["kept"] or new(found), text)


def _read_toml(path: Path) -> str:
    import tomllib

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    return toml_to_text(data, str(path))


def toml_to_text(data: dict[str, Any], where: str) -> str:
    """The text form in a TOML table: `reward = "..."`, whose `[parts]` are texts that it may name."""
    reward = data.get("reward")
    if not isinstance(reward, str):
        raise UsageError(f'{where} needs an entry: reward = "math + 0.1 * think_format"')
    parts = data.get("parts", {})
    if not isinstance(parts, dict) or not all(
        isinstance(value, str) for value in cast("dict[str, Any]", parts).values()
    ):
        raise UsageError(f'{where}: [parts] holds texts: name = "..."')
    reward = _with_parts(reward, cast("dict[str, str]", parts))
    return _replace(rf"(?P<file>{_FILE})|(?:\s|#[^\n]*)+", lambda found: found["file"] or " ", reward).strip()


def _with_parts(text: str, parts: Mapping[str, str]) -> str:
    """Put the parts in place of their names. In a part, its own name is that of a reward."""
    room = MAX_TEXT_CHARS

    def expanded(text: str, parts: Mapping[str, str]) -> str:
        if not parts:
            return text
        names = rf"(?P<file>{_FILE})|\b(?P<part>{'|'.join(map(re.escape, parts))})\b(?!\s*=)"
        return _replace(names, lambda found: found["file"] or inserted(found["part"], parts), text)

    def inserted(name: str, parts: Mapping[str, str]) -> str:
        nonlocal room
        room -= len(parts[name])
        if room < 0:
            raise UsageError(f"the parts are more than {MAX_TEXT_CHARS} characters long; make them shorter")
        return f"({expanded(parts[name], {key: value for key, value in parts.items() if key != name})})"

    return expanded(text, parts)


@dataclasses.dataclass(frozen=True)
class _Builder:
    files: list[tuple[str, str]]

    def build(self, node: ast.expr, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise UsageError(f"reward text is nested deeper than {MAX_DEPTH}")
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as value):
                return value
            case ast.Name(id="nan" | "inf" | "infinity" as name):
                raise UsageError(f"{name} is not a finite number; give a weight such as 0.1")
            case ast.Name(id="true" | "false" | "null" as name):
                raise UsageError(f"write {_PYTHON[name]} for {name}: reward texts hold values as Python has them")
            case ast.Name(id=name):
                return self._construct(name, (), {})
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self._call(name, args, keywords, depth)
            case ast.BinOp(left=left, op=op, right=right):
                return self._combine(self.build(left, depth + 1), op, self.build(right, depth + 1), node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                return self._signed(self.build(operand, depth + 1), op, node)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(self.build(element, depth + 1) for element in elements)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                pairs = zip(cast("list[ast.expr]", keys), values, strict=True)
                return {self.build(key, depth + 1): self.build(value, depth + 1) for key, value in pairs}
            case _:
                raise self._refused(node)

    def _call(self, name: str, args: list[ast.expr], keywords: list[ast.keyword], depth: int) -> Reward:
        values = tuple(self.build(arg, depth + 1) for arg in args)
        options: dict[str, Any] = {}
        for keyword in keywords:
            if keyword.arg is None:
                raise self._refused(keyword.value)
            if keyword.arg in options:
                raise UsageError(f"{name} is given {keyword.arg!r} twice")
            options[keyword.arg] = self.build(keyword.value, depth + 1)
        return self._construct(name, values, options)

    def _construct(self, name: str, values: tuple[Any, ...], options: dict[str, Any]) -> Reward:
        cls = self._class(name)
        if isinstance(cls, Reward):  # a function or a reward of a file
            if values or options:
                raise UsageError(f"{cls.label} takes no options; make it a class to give it some")
            return cls
        fields = dataclasses.fields(cast("Any", cls))
        known = {field.name for field in fields}
        for option in options:
            if option not in known:
                raise UsageError(f"{cls.name} has no option {option!r}; it takes {signature(cls)}")
        positional = [field.name for field in fields if not field.kw_only]
        if len(values) > len(positional):
            raise UsageError(f"{cls.name} takes {signature(cls)}: give options by name")
        check_values(cls, {**dict(zip(positional, values, strict=False)), **options})
        try:
            return cls(*values, **options)
        except TypeError as error:
            raise UsageError(f"{_plain(error, cls)}; {cls.name} takes {signature(cls)}") from None

    def _class(self, name: str) -> type[Reward] | Reward:
        match = re.fullmatch(r"__file_(\d+)__", name)
        if match and int(match[1]) < len(self.files):
            return registry.get_from_file(*self.files[int(match[1])])
        return registry.get(name)

    def _combine(self, left: Any, op: ast.operator, right: Any, node: ast.expr) -> Any:
        match op, left, right:
            case ast.Add(), Reward(), Reward():
                return left + right
            case ast.Sub(), Reward(), Reward():
                return left - right
            case ast.Mult(), (int() | float()), Reward():
                return left * right
            case ast.Mult(), Reward(), (int() | float()):
                return right * left
            case _:
                raise self._refused(node)

    def _signed(self, value: Any, op: ast.unaryop, node: ast.expr) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, float, Reward)):
            raise self._refused(node)
        return -value if isinstance(op, ast.USub) else value

    def _refused(self, node: ast.expr) -> UsageError:
        start = node.col_offset
        piece = clip(ast.unparse(node), 80)
        return UsageError(
            f"reward text allows names, options, sums and weights only, not {piece!r} at character {start + 1}"
        )


def _plain(error: TypeError, cls: type[Reward]) -> str:
    return str(error).replace(f"{cls.__qualname__}.__init__()", cls.name)


def signature(cls: type[Reward]) -> str:
    """The options of a reward class in words: `max_tokens=16384, buffer=4096`, or `no options`."""
    parts: list[str] = []
    for field in dataclasses.fields(cast("Any", cls)):
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        parts.append(field.name if default is dataclasses.MISSING else f"{field.name}={default!r}")
    return ", ".join(parts) or "no options"


def check_values(cls: type[Reward], values: dict[str, Any]) -> None:
    """Refuse option values that do not fit their annotations, before the class sees them.

    Raises:
        UsageError: naming the option, its value and what was expected.
    """
    if not values:
        return
    from pydantic import ValidationError  # a third of the start of a command, for options alone

    adapters = _adapters(cls)
    for name, value in values.items():
        if name not in adapters:
            continue
        try:
            adapters[name].validate_python(value, strict=True)
        except ValidationError as error:
            message = error.errors()[0]["msg"]
            raise UsageError(f"{cls.name}: {name}={value!r}: {message[0].lower()}{message[1:]}") from None


@cache
def _adapters(cls: type[Reward]) -> dict[str, TypeAdapter[Any]]:
    from pydantic import ConfigDict, TypeAdapter

    hints = typing.get_type_hints(cls)
    config = ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=False)
    return {
        field.name: TypeAdapter(hints[field.name], config=None if _is_model(hints[field.name]) else config)
        for field in dataclasses.fields(cast("Any", cls))
    }


def _is_model(hint: Any) -> bool:
    return hasattr(hint, "model_fields") or dataclasses.is_dataclass(hint)
