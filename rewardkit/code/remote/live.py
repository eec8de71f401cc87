# After packing: lists, dicts and sets that an object of the program's holds, as tests see them. They are data of the tests' own; what
# tests change in one is told the program before it is asked for anything else, and it tells what it has changed with each answer.
import sys as _sys

_LIVE = ("get", "item", "names")
"""What tests ask for that is not a result: its containers may change."""
_live = {}
"""By its handle: a container, what the program said of it last, and what was in it then."""
_places = {}
"""The handle of a container by its id."""
_may_live = [False]
_being_read = set()
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
    keys = [list(_base(one).__iter__(one)) if isinstance(one, dict) else [] for one in (held, fresh)]
    plain = {type(key) for each in keys for key in each} <= _PLAIN
    if not (isinstance(held, dict) and plain and keys[0] == keys[1]):
        _base(held).clear(held)
    _fill(held, fresh)


def _grown(handle, items):
    """A list or dictionary to which the program has only added."""
    if handle in _live:
        held = _live[handle][0]
        _fill(held, _unpack(items))
        _live[handle] = [held, None, _inside(held)]


def _tell_changes():
    """Change in the program what tests have changed here."""
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
            status, value, _ = _raw("fill", ("kept", handle), *_handed([items], row=True))
            if status == "ok":
                _adopt(held, value)


def _adopt(held, sent):
    """Containers of the tests that are in one of the program's now: from here on they are the program's, too."""
    if type(sent) is not tuple or not issubclass(type(held), _CHANGING):
        return
    tag, handle, inner = sent[:3]
    if tag == "live" and type(held) in _CHANGING and _places.get(id(held), handle) == handle:
        _live.setdefault(handle, [held, None, _inside(held)])
        _places[id(held)] = handle
    elif not (tag == "object" and _is_remote(held)):
        return
    items = inner if tag == "live" and type(inner) is list else inner[1]
    if issubclass(type(held), dict):
        items = [pair[1] for pair in items]
    for one, other in zip(_inside(held)[-len(items) :] if items else (), items):
        _adopt(one, other)
