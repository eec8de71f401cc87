# After packing: lists, dicts and sets that an object of the program's holds, as tests see them. They are data of the tests' own; what
# tests change in one is told the program before it is asked for anything else, and it tells what it has changed with each answer.
import operator as _operator

_LIVE = ("get", "item", "names")
"""What tests ask for that is not a result: its containers may change."""
_live = {}
"""By its handle: a container, what the program said of it last, and what was in it then."""
_places = {}
"""The handle of a container by its id."""
_may_live = [False]


def _alive(handle, sent):
    """A container of the program's: the one that tests know by this handle, with what is in it now."""
    if not _may_live[0]:
        raise ProgramError("the program answered out of turn")
    said, fresh = repr(sent), _unpack(sent)
    held, before = _live.get(handle, (None, ""))[:2]
    if type(held) is not type(fresh):
        held = fresh
    elif said != before:
        _refill(held, fresh)
    _live[handle], _places[id(held)] = (held, said, _inside(held)), handle
    return held


def _refill(held, fresh):
    """Where the keys stay, only values change: tests may be in a loop over them."""
    if not isinstance(held, dict) or list(map(repr, held)) != list(map(repr, fresh)):
        held.clear()
    _fill(held, fresh)


def _tell_changes():
    """Change in the program what tests have changed here."""
    for handle, (held, _, before) in list(_live.items()):
        inside = _inside(held)
        if len(inside) != len(before) or not all(map(_operator.is_, inside, before)):
            _live[handle] = held, "", inside
            items = [list(pair) for pair in held.items()] if isinstance(held, dict) else list(held)
            _raw("fill", ("kept", handle), *_handed([items], row=True))
