# After packing: lists, dicts and sets that an object of the program's holds, as tests see them. They are data of the tests' own; what
# tests change in one is told the program before it is asked for anything else, and it tells what it has changed with each answer.
import collections as _collections
import sys as _sys

_LIVE = ("get", "item", "names")
"""What tests ask for that is not a result: its containers may change."""
_live = {}
"""By its handle: a container, what the program said of it last, and what was in it then."""
_places = {}
"""The handle of a container by its id."""
_may_live = [False]
_being_read = set()
_reading = [0]
_entry = [[]]
_held = _entry[0]
_ALONE = _sys.getrefcount(_held)
"""How often something is held that nothing but one list holds."""


def _alive(handle, sent):
    """A container of the program's: the one that tests know by this handle, with what is in it now."""
    if not _may_live[0]:
        return _unpack(sent)
    if handle in _being_read:
        raise ProgramError("the program answered out of turn")
    if _being_read:  # how deep it is nested in all is not counted
        _answered[0] = DEEP
    _being_read.add(handle)
    try:
        fresh = _unpack(sent)
    finally:
        _being_read.discard(handle)
    held = _live[handle][0] if handle in _live else fresh
    return _kept_up(handle, sent, held if type(held) is type(fresh) else fresh, fresh)


def _said(sent):
    try:
        return repr(sent)
    except ValueError:  # a number of more digits than Python prints
        return None


def _kept_up(handle, sent, held, fresh):
    said = _said(sent)
    if held is not fresh and (said is None or said != _live[handle][1]):
        _refill(held, fresh)
    _live[handle], _places[id(held)] = [held, said, _inside(held)], handle
    return held


def _refill(held, fresh):
    """Where the keys stay, only values change: tests may be in a loop over them."""
    kind = _base(held)
    same = kind is _collections.deque and len(fresh) == kind.__len__(held)
    if issubclass(kind, dict):
        fresh, keys = dict(fresh), list(kind.__iter__(held))
        same = all(map(_is_plain, [*keys, *fresh])) and keys == list(fresh)
    if not same:
        kind.clear(held)
        _fill(held, fresh)
        return
    for place, item in fresh.items() if issubclass(kind, dict) else enumerate(fresh):
        kind.__setitem__(held, place, item)


def _grown(handle, items):
    """A list or dictionary to which the program has only added."""
    _answered[0] = DEEP
    if handle in _live:
        held = _live[handle][0]
        _fill(held, _unpack(items))
        _live[handle] = [held, None, _inside(held)]


def _tell_changes():
    """Change in the program what tests have changed here. Not while an answer is read: what is half filled is no change."""
    if _reading[0]:
        return
    for handle, entry in list(_live.items()):
        held = entry[0]
        if _is_same(held, entry[2]):
            if _sys.getrefcount(held) == _ALONE:
                del _live[handle], _places[id(held)]
        else:
            inside = _inside(held)
            _live[handle] = [held, None, inside]
            half = len(inside) // 2
            items = list(map(list, zip(inside[:half], inside[half:]))) if isinstance(held, dict) else inside
            status, value, *_ = _raw("fill", ("kept", handle), *_handed([items], row=True))
            if status == "ok" and type(value) is tuple and value[0] in ("live", "object"):
                _adopt(held, value)


def _adopt(held, sent):
    """Containers of the tests that are in one of the program's now: from here on they are the program's, too."""
    tag, inner = sent[0], sent[2]
    items = inner if tag == "live" and type(inner) is list else inner[1]
    if issubclass(type(held), dict):
        items = [pair[1] for pair in items]
    for one, other in zip(_inside(held)[-len(items) :] if items else (), items):
        new = type(one) in _CHANGING and id(one) not in _places
        if new and type(other) is tuple and other[0] == "live" and other[1] not in _live:
            _live[other[1]], _places[id(one)] = [one, None, _inside(one)], other[1]
            _adopt(one, other)
