# After packing: loops over an object of the program's, which end no sooner than its length says.


def _loops(action):
    def loop(self):
        items = _about(self, action)
        if self._rewardkit_trusted or (items is self and ("loop", id(self)) in _told):
            return items
        _told["loop", id(items)] = loop = [self, _told.get(("len", id(self)), 0), 0]
        return items if type(items) is Remote else _counted(items, loop)

    return loop


def _counted(items, loop):
    for item in items:
        loop[2] += 1
        yield item
    _ended(items, loop)


def _next(self):
    loop = _told.get(("loop", id(self)))
    try:
        item = _about(self, "next")
    except StopIteration:
        _ended(self, loop)
        raise
    if loop is not None:
        loop[2] += 1
    return item


def _ended(items, loop):
    """A loop over a result that found fewer items than its length said before, or says after, ended too soon for what is compared there."""
    if loop is not None and _told.get(("loop", id(items))) is loop:
        held, said, number = _told.pop(("loop", id(items)))
        if number < said and not _of_named_class(held):
            raise ProgramError("TypeError: an object has fewer items than its length says")
        _told.pop(("len", id(held)), None)
        _told["items", id(held)] = number
