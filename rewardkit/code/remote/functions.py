# After packing: functions and iterators of the tests' own. The program may call them while it is asked something, and its question goes
# before its answer.
import collections.abc as _abstract
import functools as _functools
import inspect as _inspect
import operator as _operator
import sys as _sys
import types as _types

_OWN_KINDS = (
    *(_types.FunctionType, _types.MethodType, _types.BuiltinMethodType, _types.MethodWrapperType),
    *(_types.MethodDescriptorType, _types.WrapperDescriptorType, _functools.partial, type(_functools.cache(int))),
    *(_operator.itemgetter, _operator.attrgetter, _operator.methodcaller),
)
_functions, _numbers, _raised = [], {}, []
"""Those that the program knows, their numbers, and what they raised."""
_written = {}
"""The attributes of a function as both sides know them, by its number."""


_limit_recursion = _sys.setrecursionlimit


class _LeftOut:
    """In the place of a default, which only the function itself knows."""

    def __repr__(self):
        return "_rewardkit_left_out"


_left_out = _LeftOut()


def _pack_own(value):
    """What stands for a function or an iterator. None for what is none of Python's own, or has to be awaited."""
    if isinstance(value, _abstract.Iterator) and type(value).__module__ in ("builtins", "itertools"):
        names = ("__next__", "send", "close") if hasattr(value, "send") else ("__next__",)
        return "iterator", *(_pack_own(getattr(value, name)) for name in names)
    if not isinstance(value, _OWN_KINDS) or _inspect.iscoroutinefunction(value) or _inspect.isasyncgenfunction(value):
        return None
    try:
        signature = _inspect.signature(value)
    except (TypeError, ValueError):
        kinds = {"args": _inspect.Parameter.VAR_POSITIONAL, "named": _inspect.Parameter.VAR_KEYWORD}
        signature = _inspect.Signature([_inspect.Parameter(name, kind) for name, kind in kinds.items()])
    if value not in _numbers:
        _limit_recursion(max(_sys.getrecursionlimit(), 20_000))  # of which one call through the program takes ten
        _numbers[value] = len(_functions)
        _functions.append(value)
    number = _numbers[value]
    notes = [(one.name, one.annotation) for one in signature.parameters.values()]
    notes = [pair for pair in [*notes, ("return", signature.return_annotation)] if _crosses_as_note(pair[1])]
    about = [getattr(value, name, None) for name in ("__name__", "__qualname__", "__doc__", "__module__")]
    about = [one if type(one) is str else None for one in about]
    _written[number] = dict(vars(value)) if type(value) is _types.FunctionType else {}
    packed = [[[name, _pack(held)] for name, held in pairs] for pairs in (notes, _written[number].items())]
    return "theirs", number, about, _as_lambda(signature.parameters.values()), *packed


def _crosses_as_note(annotation):
    if type(annotation) in (str, Remote):
        return True
    empty = annotation is _inspect.Parameter.empty or not isinstance(annotation, type)
    return not empty and _named(annotation.__module__, annotation.__qualname__) is annotation


def _as_lambda(parameters):
    """A function with these parameters, as text, that asks with its arguments."""
    bare = [one.replace(annotation=one.empty, default=_default(one)) for one in parameters]
    in_place = ["*" * (one.kind is one.VAR_POSITIONAL) + one.name for one in bare if one.kind < one.KEYWORD_ONLY]
    by_name = [
        f"**{one.name}" if one.kind is one.VAR_KEYWORD else f"{one.name!r}: {one.name}"
        for one in bare
        if one.kind >= one.KEYWORD_ONLY
    ]
    taken = str(_inspect.Signature(bare))[1:-1]
    return f"lambda {taken}: _rewardkit_ask([{', '.join(in_place)}], {{{', '.join(by_name)}}})"


def _default(parameter):
    plain = parameter.default is parameter.empty or type(parameter.default) in (type(None), bool, int, str)
    return parameter.default if plain else _left_out


def _unpack_function(number, attributes):
    """One of the tests' own again, with what the program has written on it."""
    if type(number) is not int or not 0 <= number < len(_functions):
        raise ProgramError("the program answered out of turn")
    function = _functions[number]
    for name, sent in attributes:
        value = _unpack(sent)
        if name not in _written[number] or _written[number][name] != value:
            if name.startswith("__") and name != "__wrapped__":  # its defaults, its code
                raise ProgramError("the program answered out of turn")
            setattr(function, str(name), value)
            _written[number][name] = value
    return function


def _unpack_raised(place):
    """What a function of the tests' raised."""
    if type(place) is not int or not 0 <= place < len(_raised):
        raise ProgramError("the program answered out of turn")
    return _raised[place]


def _called(number, args, named):
    """Call a function for the program. What it raises, the program is told, and may raise again."""
    with _reads(trusted=False):
        function = _unpack_function(number, [])
        args, named = list(map(_unpack, args)), {str(name): _unpack(value) for name, value in named}
    try:
        result = function(*args, **named)
    except (ProgramError, RewardkitUnsupported, RewardkitBroken, _Used):
        raise
    except BaseException as error:
        if hasattr(error, "_rewardkit"):  # the program's own
            return "raised", _pack(error), None, None, None
        _raised.append(error)
        return "raised", _pack_error(error, with_args=True), len(_raised) - 1, type(error).__name__, _facts_of(error)
    _answered[0] = max(_answered[0], DEEP)  # how large the result is may be the program's doing
    return "ok", *_handed([result], row=True), None, None, None


def _facts_of(error):
    """Its text, and those of its attributes that cross."""
    facts = []
    for name, value in vars(error).items():
        with _contextlib.suppress(_Uncrossing):
            facts.append([name, _pack(value)])
    return [str(error), facts]
