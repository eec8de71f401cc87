# On both sides: values of Python's own classes as they cross. Scalars and lists are themselves; all else is a tuple that begins with its tag.
import collections as _collections
import datetime as _datetime
import decimal as _decimal
import fractions as _fractions
import operator as _operator
from itertools import chain as _chain
from itertools import islice as _slice

_SCALARS = (bool, int, float, complex, str, bytes, range, _fractions.Fraction, _decimal.Decimal)
_PLAIN = {type(None), *_SCALARS}
_TABLES = {
    kind.__name__: kind for kind in (dict, _collections.Counter, _collections.OrderedDict, _collections.defaultdict)
}
_BASES = {kind.__name__: kind for kind in (int, float, str, bytes, list, tuple, set, frozenset, _collections.deque)}
_BASES |= {name: kind for name, kind in _TABLES.items() if name != "defaultdict"}
"""What a class may derive from so that its objects are data."""
_TIMES = {kind.__name__: kind for kind in (_datetime.date, _datetime.datetime, _datetime.time, _datetime.timedelta)}
_BOXES = {kind.__name__: kind for kind in (tuple, set, frozenset, _collections.deque)}
_VIEWS = {
    "dict_keys": lambda items: dict.fromkeys(items).keys(),
    "dict_values": lambda items: dict(enumerate(items)).values(),
    "dict_items": lambda items: dict(items).items(),
}
_SINGLE = {"NotImplemented": NotImplemented, "Ellipsis": ...}
_SEQUENCES = {*_BOXES.values(), *(type(view([])) for view in _VIEWS.values())}


_STRUCTURE = "__iter__ __next__ __len__ __contains__ __reversed__ __call__ __hash__ __await__ __aiter__ __anext__ send throw close asend athrow aclose".split()
"""Methods by which Python tells iterators, containers and their kind."""


def _sent(value, pack, crosses):
    """What stands for a value. None for one of another class. `crosses`: whether the factory of a `defaultdict` does."""
    kind = type(value)
    name = kind.__name__
    if kind is _collections.deque:
        return name, [pack(item) for item in value], value.maxlen
    if kind in _SEQUENCES:
        return name, [pack(item) for item in value]
    if kind in _TABLES.values():
        factory = getattr(value, "default_factory", None)
        return (
            name,
            [[pack(key), pack(item)] for key, item in value.items()],
            pack(factory) if crosses(factory) else None,
        )
    if kind in _TIMES.values():
        iso = name != "timedelta"
        return "time", name, [value.isoformat()] if iso else [value.days, value.seconds, value.microseconds]
    if kind is bytearray:
        return "bytearray", bytes(value)
    return ("single", str(value)) if value is ... or value is NotImplemented else None


def _received(sent, unpack, crosses):
    """The value that a tuple stands for. None if that is of another class."""
    tag, value = sent[0], sent[1]
    if tag == "deque":
        return _collections.deque(unpack(value), sent[2])
    if tag in _BOXES or tag in _VIEWS:
        return (_BOXES.get(tag) or _VIEWS[tag])(unpack(value))
    if tag == "defaultdict":
        (factory,) = unpack([sent[2]])
        return _collections.defaultdict(factory if crosses(factory) else None, unpack(value))
    if tag in _TABLES:
        return _TABLES[tag](dict(unpack(value)))
    if tag == "time":
        kind = _TIMES[value]
        return kind(*sent[2]) if kind is _datetime.timedelta else kind.fromisoformat(*sent[2])
    if tag == "bytearray":
        return bytearray(b"".join([value]))
    return _SINGLE[value] if tag == "single" else None


_CHANGING = (*_TABLES.values(), list, set, bytearray, _collections.deque)


def _base(held):
    """The class of Python's own whose container an object is."""
    kind = type(held)
    return kind if kind in _CHANGING else next(base for base in kind.__mro__ if base in _CHANGING)


def _is_plain(value):
    """Whether a key is one of Python's own: hashing another is asking the program."""
    return type(value) in _PLAIN or (type(value) is tuple and set(map(type, value)) <= _PLAIN)


def _has_plain_keys(held):
    kind = _base(held)
    return not issubclass(kind, (dict, set)) or all(map(_is_plain, kind.__iter__(held)))


def _parts(held, kind):
    return _chain(kind.keys(held), kind.values(held)) if issubclass(kind, dict) else kind.__iter__(held)


def _inside(held):
    """What is in a container, whatever its class does when it is asked: keys first."""
    return list(_parts(held, _base(held)))


def _is_same(held, before):
    """Whether in a container is what was there before, each of it the same."""
    kind = _base(held)
    size = kind.__len__(held) * (1 + issubclass(kind, dict))
    return size == len(before) and all(map(_operator.is_, before, _parts(held, kind)))


def _more(held, before):
    """What has been added at the end of a list or dictionary that holds all that it held before; None if that is not all that has changed."""
    kind = _base(held)
    pairs = issubclass(kind, dict)
    old = len(before) // (1 + pairs)
    if not (pairs or kind is list) or kind.__len__(held) <= old:
        return None
    first = _chain(_slice(kind.keys(held), old), _slice(kind.values(held), old)) if pairs else kind.__iter__(held)
    if not all(map(_operator.is_, before, first)):
        return None
    return list(map(list, _slice(kind.items(held), old, None))) if pairs else list.__getitem__(held, slice(old, None))


def _fill(held, items):
    """Put items into a container that may have some."""
    kind = _base(held)
    if issubclass(kind, dict):
        for key, item in dict(items).items():
            kind.__setitem__(held, key, item)
    elif kind is set:
        set.update(held, items)
    else:
        kind.extend(held, items)


def _fill_anew(held, items):
    _base(held).clear(held)
    _fill(held, items)
    return held
