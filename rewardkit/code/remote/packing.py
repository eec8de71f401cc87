# Before tests, in their process: an object of the program's is a number here, and what is done with it is asked of the program.
import importlib as _importlib
import sys as _sys
import types as _types

_DATA_KINDS = {
    *_PLAIN,
    *(list, bytearray, slice),
    *(kind for table in (_BOXES, _TABLES, _TIMES) for kind in table.values()),
    *(type(value) for value in (*_SINGLE.values(), *(view([]) for view in _VIEWS.values()))),
}
"""Classes whose objects cross as data."""
_DATA = frozenset(name for kind in _DATA_KINDS - {type(None), slice} for name in dir(kind))
"""Attributes that data have: where tests use one of these, they may not mean an object."""
_NAMED = {*_CROSSING, "builtins", "_operator", "_functools"} - {"pytest", "unittest"}
"""Modules whose parts mean the same on both sides. What tests run with does not: a skipped test passes."""
DEEP, LARGE = 60, 1_000_000
"""If an answer was nested so deep, or answers had so many items, arguments that can't be sent may be made of them."""
_put = object.__setattr__
_raw = candidate
_encode = candidate.__globals__["encode"]
"""How arguments leave this process."""
_calls = [0]
_answered = [0, 0]
"""How deep the program's answers were nested, and how many items they had."""
_refused = []
_trusting = [False]
"""Whether the answer that is read comes from an object that tests may trust: then its objects are trusted, too."""
_proxies = {}
_missing = set()
_tests = []


class ProgramError(Exception):
    """Something that the program did: it has not the name that tests need, or it answered out of turn."""


class RewardkitBroken(BaseException):
    """The tests fail before they have asked the program for anything."""


class _Uncrossing(Exception):
    """A value of the tests' own that has no meaning in another process."""


def _refuse(what):
    _refused.append(what)
    raise RewardkitUnsupported(what)


def _ask(action, *given, args=(), trusted=False):
    """What the program answers, with what it changed in the arguments. Whatever goes wrong here is its doing."""
    _calls[0] += action != "names"
    try:
        _tell_changes()
        status, value, changed, printed = _raw(action, *given)
        _print(printed)
        while status == "asks":  # before it answers, it calls a function of the tests'
            _learn(changed)
            reply = _called(*value)
            _tell_changes()
            status, value, changed, printed = _raw("reply", *reply)
            _print(printed)
        with _reads(trusted=trusted, live=action in _LIVE):
            answer = _error(*value) if status == "raised" else _unpack(value)
            _learn(changed, args)
    except ProgramError:
        raise
    except Exception as error:
        raise ProgramError(f"{type(error).__name__}: {error}") from None
    if status == "raised":
        if isinstance(answer, StopIteration) and action != "next" and "StopIteration" not in _tests[0]:
            # it would end a loop of the tests as if all had been looked at
            raise ProgramError(f"StopIteration: {answer}")
        raise answer
    return answer


@_contextlib.contextmanager
def _reads(*, trusted, live=True):
    """While what the program sent is read: whether its objects are trusted, and its containers shared."""
    before = _trusting[0], _may_live[0], _reading[0]
    _trusting[0], _may_live[0], _reading[0] = trusted, live, _reading[0] + 1
    try:
        yield
    finally:
        _trusting[0], _may_live[0], _reading[0] = before


def _print(printed):
    """What the program has printed, where tests have put a stream of their own in the place of stdout or stderr."""
    for name, text in zip(("stdout", "stderr"), printed):
        stream = getattr(_sys, name)
        if stream is not getattr(_sys, f"__{name}__"):
            stream.write(text)


def _learn(changed, args=()):
    """What the program says that it has changed, in its containers or in arguments."""
    with _reads(trusted=_trusting[0]):
        for place, now in changed:
            if place is None and type(now) is tuple and now[0] == "more":
                _grown(now[1], now[2])
            elif place is None:
                _unpack(now)
            else:
                _update(args[place], _unpack(now))


def _error(kind, said, handle, args, cause, place):
    """An exception of the program's: of Python's own class if it is one, else of a class that stands for the program's. One that a
    function of the tests' raised is itself again.
    """
    if place is not None:
        return _unpack_raised(place)
    made = _class(*kind)
    if type(made) is Remote or not issubclass(made, (Exception, SystemExit, KeyboardInterrupt)):
        made = RuntimeError
    own = hasattr(made, "_rewardkit_handle")
    try:
        args = [_unpack(arg) for arg in args]
        error = made.__new__(made, *args) if own else made(*args)
        error.args = tuple(args) if own else error.args
    except Exception:  # it wants other arguments than it holds
        error = made.__new__(made)
        error.args = (str(said),)
    error._rewardkit = (handle, str(kind[1]), str(said))
    error.__cause__ = cause and _error(*cause)
    return error


def _handed(values, row):
    """What tests hand to an object. What can't cross is a fault of the row, unless data could have taken it or are the program's."""
    try:
        packed = [_pack(value) for value in values]
        _encode(packed)
        return packed
    except (_Uncrossing, ValueError, RecursionError) as error:
        if type(error) is not _Uncrossing:
            row = row and _answered[0] < DEEP and _answered[1] < LARGE
            error = "value that is too large or nested too deep"
        if row:
            _refuse(f"tests that hand a {error} of their own to the program")
        raise ProgramError(
            f"TypeError: an object of the program's is asked for what only data can do with a {error}"
        ) from None


def _pack(value):
    """Scalars and lists are themselves; all else is a tuple that begins with its tag."""
    kind = type(value)
    if value is None or kind in _SCALARS:
        return value
    if id(value) in _places:
        return "kept", _places[id(value)]
    if kind is list:
        return value[:] if set(map(type, value)) <= _PLAIN else [_pack(item) for item in value]
    if issubclass(kind, BaseException) and hasattr(value, "_rewardkit"):
        return "kept", value._rewardkit[0]
    if _is_remote(value):
        handle = value._rewardkit_handle
        if type(value) is Remote or _live.get(handle, (value,))[0] is value:
            return "kept", handle
        value = _base(value)(value)  # a copy that Python made of a container of the program's
        kind = type(value)
    sent = _sent(value, _pack, _crosses)
    if sent is not None:
        return sent
    if kind is slice:
        return "slice", [_pack(part) for part in (value.start, value.stop, value.step)]
    if isinstance(value, type):
        for handle, proxy in _proxies.items():
            if proxy is value:
                return "kept", handle
    module, qualname = (getattr(value, part, None) for part in ("__module__", "__qualname__"))
    if type(module) is type(qualname) is str and _named(module, qualname) is value:
        return "named", module, qualname
    if kind.__module__ == "numpy" and (
        kind.__name__ == "ndarray" or getattr(getattr(value, "dtype", None), "kind", "") in tuple("iufbc")
    ):
        return "array", value.ravel().tolist(), str(value.dtype), list(value.shape)
    own = _pack_own(value)
    if own is None:
        raise _Uncrossing(kind.__name__)
    return own


def _crosses(factory):
    return factory in _BASES.values() or type(factory) is Remote


def _pack_error(error, with_args):
    """An error of the tests, for a context manager: its own class, or the first above it that is Python's."""
    if error is None or hasattr(error, "_rewardkit"):
        return _pack(error)
    known = next(base for base in type(error).__mro__ if _named(base.__module__, base.__qualname__) is base)
    try:
        args = [_pack(arg) for arg in error.args if with_args]
    except _Uncrossing:
        args = [str(error)]
    return "error", _pack(known), args


def _named(module, name):
    """What is Python's own, by its name: on both sides the same. None for a name that is not the thing's own."""
    root = module.partition(".")[0]
    if root not in _NAMED:
        return None
    try:
        _importlib.import_module(root)
    except ImportError:
        return None
    found = _sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None and module == "builtins":  # of generators, functions and their kind
        found = next(
            (kind for kind in vars(_types).values() if isinstance(kind, type) and kind.__qualname__ == name), None
        )
    return (
        found if (getattr(found, "__module__", None), getattr(found, "__qualname__", None)) == (module, name) else None
    )


def _unpack(sent, depth=0):
    kind = type(sent)
    if sent is None or kind in _SCALARS:
        return sent
    if kind is list:
        return _unpack_items(sent, depth)
    if kind is not tuple:
        raise ProgramError("the program answered out of turn")
    tag, value = sent[0], sent[1]
    if tag == "live":
        return _alive(value, sent[2])
    if tag == "array":
        return _array([_scalar(item) for item in value], str(sent[2]), sent[3])
    if tag == "class":
        return _class(value, *sent[2:])
    if tag == "function":
        return _function(value, str(sent[2]), str(sent[3]))
    if tag == "object":
        return _object(value, *sent[2:])
    if tag == "theirs":
        return _unpack_function(value, sent[2])
    if tag == "raised":
        return _unpack_raised(value)
    found = _received(sent, lambda items: _unpack_items(items, depth), _crosses)
    if found is None:
        raise ProgramError("the program answered out of turn")
    return found


def _unpack_items(items, depth):
    if type(items) is not list:
        raise ProgramError("the program answered out of turn")
    _answered[:] = max(depth, _answered[0]), _answered[1] + len(items)
    return items if set(map(type, items)) <= _PLAIN else [_unpack(item, depth + 1) for item in items]


def _scalar(value):
    """What crossed as itself. The program may write what it likes: anything else would be taken for a value of the tests' own."""
    if value is not None and type(value) not in _SCALARS:
        raise ProgramError("the program answered out of turn")
    return value


def _array(values, kind, shape):
    try:
        import numpy
    except ImportError:  # then the tests have no arrays either
        return values
    found = numpy.array(values, dtype=None if kind[:2] in ("<U", "|S") else kind)
    if found.size:
        return found.reshape(shape)
    return _empty(numpy, found.reshape(shape[: shape.index(0) + 1]))  # (0, 3) would be equal to any three numbers


def _empty(numpy, array):
    """An array without items that equals none with items: numpy spreads an array of one item, or of any number, over nothing."""

    def plain(value):
        return numpy.asarray(value) if isinstance(value, numpy.ndarray) else value

    def compare(self, ufunc, method, *given, out=(), **named):
        if ufunc.__name__ in ("equal", "not_equal", "subtract") and any(
            numpy.ndim(one) and numpy.size(one) for one in given
        ):
            raise AssertionError("an array without items is compared with one that has some")
        named |= {"out": tuple(map(plain, out))} if out else {}
        return getattr(ufunc, method)(*map(plain, given), **named)

    names = {"__module__": "numpy", "__array_ufunc__": compare, "__repr__": lambda self: repr(plain(self))}
    return array.view(type("ndarray", (numpy.ndarray,), names))


def _send_call(called, args, named, row, trusted=False):
    """Call something of the program's with arguments, which it may change."""
    given = [*args, *named.values()]
    packed = _handed(given, row)
    named = [list(pair) for pair in zip(named, packed[len(args) :])]
    return _ask("call", called, packed[: len(args)], named, args=given, trusted=trusted)


def _update(held, fresh):
    """A container of the tests that the program has changed."""
    if type(fresh) is not type(held):
        raise ProgramError("the program answered out of turn")
    if isinstance(held, (list, _collections.deque)):
        for place, (old, new) in enumerate(zip(held, fresh)):
            if type(old) is list and type(new) is list:
                old[:] = new
                fresh[place] = old
    _refill(held, fresh)
