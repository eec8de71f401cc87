# On both sides: values of Python's own classes as they cross. Scalars and lists are themselves; all else is a tuple that begins with its tag.
import collections as _collections
import datetime as _datetime
import decimal as _decimal
import fractions as _fractions

_SCALARS = (bool, int, float, complex, str, bytes, range, _fractions.Fraction, _decimal.Decimal)
_PLAIN = {type(None), *_SCALARS}
_BASES = {
    kind.__name__: kind for kind in (int, float, str, bytes, list, tuple, dict, set, frozenset, _collections.deque)
}
_TIMES = {kind.__name__: kind for kind in (_datetime.date, _datetime.datetime, _datetime.time, _datetime.timedelta)}
_BOXES = {kind.__name__: kind for kind in (tuple, set, frozenset, _collections.deque)}
_VIEWS = {
    "dict_keys": lambda items: dict.fromkeys(items).keys(),
    "dict_values": lambda items: dict(enumerate(items)).values(),
    "dict_items": lambda items: dict(items).items(),
}
_TABLES = {
    kind.__name__: kind for kind in (dict, _collections.Counter, _collections.OrderedDict, _collections.defaultdict)
}
_SINGLE = {"NotImplemented": NotImplemented, "Ellipsis": ...}
_SEQUENCES = {*_BOXES.values(), *(type(view([])) for view in _VIEWS.values())}


def _sent(value, pack, crosses):
    """What stands for a value. None for one of another class. `crosses`: whether the factory of a `defaultdict` does."""
    kind = type(value)
    name = kind.__name__
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


def _inside(held):
    return (*held, *held.values()) if isinstance(held, dict) else tuple(held)


def _fill(held, items):
    """Put other items into a container that may have some."""
    if isinstance(held, dict):
        for key, item in dict(items).items():
            held[key] = item
    else:
        getattr(held, "extend", getattr(held, "update", None))(items)
