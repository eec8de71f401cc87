# After packing: functions and iterators of the tests' own. The program may call them while it is asked something, and its question goes before its answer.
import collections.abc as _abstract
import functools as _functools
import inspect as _inspect
import types as _types

_OWN_KINDS = (
    *(_types.FunctionType, _types.MethodType, _types.BuiltinMethodType, _types.MethodWrapperType),
    _functools.partial,
)
_functions, _numbers, _raised = [], {}, []
"""Those that the program knows, their numbers, and what they raised."""


class _LeftOut:
    """In the place of a default, which only the function itself knows."""

    def __repr__(self):
        return "left_out"


_left_out = _LeftOut()


def _pack_own(value):
    """What stands for a function or an iterator. None for what is none of Python's own, or has to be awaited."""
    if isinstance(value, _abstract.Iterator) and type(value).__module__ in ("builtins", "itertools"):
        return "iterator", _pack_own(value.__next__)
    if not isinstance(value, _OWN_KINDS) or _inspect.iscoroutinefunction(value) or _inspect.isasyncgenfunction(value):
        return None
    try:
        parameters = list(_inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        parameters = [_inspect.Parameter("args", _inspect.Parameter.VAR_POSITIONAL)]
    if value not in _numbers:
        _numbers[value] = len(_functions)
        _functions.append(value)
    notes = [[one.name, one.annotation] for one in parameters if one.annotation is not one.empty]
    about = [str(getattr(value, name, None) or "") for name in ("__name__", "__qualname__", "__doc__")]
    return "theirs", _numbers[value], about, _as_lambda(parameters), [[n, _pack(a)] for n, a in notes if _is_known(a)]


def _is_known(annotation):
    return isinstance(annotation, type) and _named(annotation.__module__, annotation.__qualname__) is annotation


def _as_lambda(parameters):
    """A function with these parameters, as text, that asks with its arguments."""
    bare = [
        one.replace(annotation=one.empty, default=one.default if one.default is one.empty else _left_out)
        for one in parameters
    ]
    in_place = ["*" * (one.kind is one.VAR_POSITIONAL) + one.name for one in bare if one.kind < one.KEYWORD_ONLY]
    by_name = [
        f"**{one.name}" if one.kind is one.VAR_KEYWORD else f"{one.name!r}: {one.name}"
        for one in bare
        if one.kind >= one.KEYWORD_ONLY
    ]
    taken = str(_inspect.Signature(bare))[1:-1]
    return f"lambda {taken}: ask([{', '.join(in_place)}], {{{', '.join(by_name)}}})"


def _unpack_function(number, attributes):
    """One of the tests' own again, with what the program has written on it."""
    if type(number) is not int or not 0 <= number < len(_functions):
        raise ProgramError("the program answered out of turn")
    for name, value in attributes:
        setattr(_functions[number], str(name), _unpack(value))
    return _functions[number]


def _called(number, args, named):
    """Call a function for the program. What it raises, the program is told, and may raise again."""
    before = _trusting[0], _may_live[0], _reading[0]
    _trusting[0], _may_live[0], _reading[0] = False, True, _reading[0] + 1
    try:
        function = _unpack_function(number, [])
        args, named = list(map(_unpack, args)), {str(name): _unpack(value) for name, value in named}
    finally:
        _trusting[0], _may_live[0], _reading[0] = before
    try:
        result = function(*args, **named)
    except ProgramError:
        raise
    except Exception as error:
        _raised.append(error)
        return "raised", _pack_error(error, with_args=True), len(_raised) - 1
    return "ok", *_handed([result], row=True), None
