# Before tests, in their process: an object of the program's is a number here, and what is done with it is asked of the program.
import builtins as _builtins
import collections as _collections
import datetime as _datetime
import decimal as _decimal
import fractions as _fractions

_SCALARS = (bool, int, float, complex, str, bytes, range, _fractions.Fraction, _decimal.Decimal)
_TIMES = {kind.__name__: kind for kind in (_datetime.date, _datetime.datetime, _datetime.time, _datetime.timedelta)}
_BOXES = {kind.__name__: kind for kind in (list, tuple, set, frozenset, _collections.deque)}
_TABLES = {
    kind.__name__: kind for kind in (dict, _collections.Counter, _collections.OrderedDict, _collections.defaultdict)
}
_BASES = {kind.__name__: kind for kind in (int, float, str, bytes, list, tuple, dict, set, frozenset)}
_MODULES = frozenset(
    [
        "np",
        "numpy",
        "pd",
        "pandas",
        "plt",
        "matplotlib",
        "os",
        "io",
        "sys",
        "json",
        "csv",
        "torch",
        "scipy",
        "sklearn",
        "sympy",
        "nx",
        "networkx",
    ]
)
_put = object.__setattr__
_raw = candidate
_calls = [0]
_refused = []
_proxies = {}
_missing = set()


class ProgramError(Exception):
    """Something that the program did: it has not the name that tests need, or it answered out of turn."""


class RewardkitBroken(BaseException):
    """The tests fail before they have asked the program for anything."""


def _refuse(what):
    _refused.append(what)
    raise RewardkitUnsupported(what)


def _request(action, *given):
    if action not in ("names", "public"):
        _calls[0] += 1
    try:
        reply = _raw(action, *given)
        status, value, changed = reply
    except Exception as error:
        raise ProgramError(f"{type(error).__name__}: {error}") from None
    if status == "raised":
        _raise(*value)
    return value, changed


def _ask(action, *given):
    return _unpack(_request(action, *given)[0])


def _raise(kind, name, parents, said, handle):
    made = _proxies.get(kind)
    if not (isinstance(made, type) and issubclass(made, Exception)):
        bases = [getattr(_builtins, parent, None) for parent in parents]
        made = next((base for base in bases if isinstance(base, type) and issubclass(base, Exception)), RuntimeError)
    try:
        error = made(str(said))
    except TypeError:  # UnicodeError and its kind want more than a text
        error = RuntimeError(str(said))
    error._rewardkit = (handle, str(name))
    raise error


def _pack(value):
    kind = type(value)
    if value is None or kind in _SCALARS:
        return ["value", value]
    if kind is Remote or hasattr(kind, "_rewardkit_handle"):
        return ["kept", value._rewardkit_handle]
    name = kind.__name__
    if _BOXES.get(name) is kind:
        return [name, [_pack(item) for item in value]]
    if _TABLES.get(name) is kind:
        return [name, [[_pack(key), _pack(item)] for key, item in value.items()]]
    if _TIMES.get(name) is kind:
        return [
            "time",
            name,
            [value.days, value.seconds, value.microseconds] if name == "timedelta" else [value.isoformat()],
        ]
    if isinstance(value, type):
        for handle, proxy in _proxies.items():
            if proxy is value:
                return ["kept", handle]
    if getattr(_builtins, str(getattr(value, "__name__", "")), None) is value:
        return ["builtin", value.__name__]
    if kind.__module__ == "numpy" and name == "ndarray":
        return ["array", value.tolist(), str(value.dtype)]
    return _refuse(f"tests that hand a {name} of their own to the program")


def _unpack(sent):
    tag, value = sent[0], sent[1]
    if tag == "value":
        return _scalar(value)
    if tag in _BOXES:
        return _BOXES[tag]([_unpack(item) for item in value])
    if tag in _TABLES:
        pairs = [(_unpack(key), _unpack(item)) for key, item in value]
        return _collections.defaultdict(None, pairs) if tag == "defaultdict" else _TABLES[tag](dict(pairs))
    if tag == "time":
        kind = _TIMES[value]
        return kind(*sent[2]) if kind is _datetime.timedelta else kind.fromisoformat(*sent[2])
    if tag == "array":
        return _array(_scalars(value), str(sent[2]))
    if tag == "class":
        return _class(value, str(sent[2]), sent[3])
    if tag == "object":
        return _object(value, sent[3])
    raise ProgramError("the program answered out of turn")


def _scalar(value):
    """What crossed as itself. The program may write what it likes: anything else would be taken for a value of the tests' own."""
    if value is not None and type(value) not in _SCALARS:
        raise ProgramError("the program answered out of turn")
    return value


def _scalars(value):
    return list(map(_scalars, value)) if type(value) is list else _scalar(value)


def _array(values, kind):
    try:
        import numpy
    except ImportError:  # then the tests have no arrays either
        return values
    return numpy.array(values, dtype=kind) if kind[:1] in "iufbc" else values


def _class(handle, name, parents):
    if handle not in _proxies:
        bases = [getattr(_builtins, parent, None) for parent in parents]
        base = next((base for base in bases if isinstance(base, type) and issubclass(base, Exception)), None)
        _proxies[handle] = Remote(handle, is_class=True) if base is None else _exception(handle, name, base)
    return _proxies[handle]


def _exception(handle, name, base):
    """A class of the program's that is an exception, so that tests can catch it. Made, it is an object of the program's."""

    def look_up(error, wanted):
        held = error.__dict__.get("_rewardkit")
        if held is None or wanted.startswith("__"):
            raise AttributeError(wanted)
        return _ask("get", ["kept", held[0]], ["value", wanted])

    return type(name, (base,), {"__getattr__": look_up, "__module__": "solution"})


def _object(handle, plain):
    if handle in _proxies:
        return _proxies[handle]
    if plain is None:
        _proxies[handle] = Remote(handle)
        return _proxies[handle]
    base = _BASES[plain[0]]
    held = plain[1]
    if base is dict:
        held = [(_unpack(key), _unpack(item)) for key, item in held]
    elif base not in (int, float, str, bytes):
        held = [_unpack(item) for item in held]
    names = {
        "_rewardkit_handle": handle,
        "__getattr__": lambda self, name: _ask("get", ["kept", handle], ["value", name]),
    }
    return type(base.__name__, (base,), names)(held)


def _update(held, now):
    """A container of the tests that the program has changed."""
    fresh = _unpack(now)
    if type(fresh) is not type(held):
        raise ProgramError("the program answered out of turn")
    if isinstance(held, (list, _collections.deque)):
        for place, (old, new) in enumerate(zip(held, fresh)):
            if type(old) is list and type(new) is list:
                old[:] = new
                fresh[place] = old
    held.clear()
    held.extend(fresh) if isinstance(held, (list, _collections.deque)) else held.update(fresh)
