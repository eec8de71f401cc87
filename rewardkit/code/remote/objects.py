# After packing: an object of the program's that tests hold, and what it asks when it is used.


def _is_remote(value):
    return type(value) is Remote or hasattr(type(value), "_rewardkit_handle")


class Remote:
    """An object of the program's, by its number. A comparison with data of the tests' own is never left to the program."""

    __slots__ = ("_rewardkit_class", "_rewardkit_handle", "_rewardkit_made", "_rewardkit_mixed")

    def __init__(self, handle, is_class=False):
        _put(self, "_rewardkit_handle", handle)
        _put(self, "_rewardkit_class", is_class)
        _put(self, "_rewardkit_made", False)  # by the tests, from a class
        _put(self, "_rewardkit_mixed", False)  # by arithmetic with a number of the tests

    def __call__(self, *args, **named):
        packed = [_pack(arg) for arg in args]
        value, changed = _request("call", _pack(self), packed, [[name, _pack(arg)] for name, arg in named.items()])
        for place, now in changed:
            _update(args[place], now)
        result = _unpack(value)
        if self._rewardkit_class and type(result) is Remote:
            _put(result, "_rewardkit_made", True)
        return result

    def __getattr__(self, name):
        if name == "__mro_entries__":
            _refuse("tests that derive from a class of the program")
        if name.startswith("_rewardkit") or name in ("__array__", "__array_interface__", "__array_struct__"):
            raise AttributeError(name)
        return _ask("get", _pack(self), ["value", name])

    def __setattr__(self, name, value):
        _ask("set", _pack(self), ["value", name], _pack(value))

    def __delattr__(self, name):
        _ask("drop", _pack(self), ["value", name])

    @property
    def __class__(self):
        return _ask("class", _pack(self))

    @property
    def __dict__(self):
        return _ask("get", _pack(self), ["value", "__dict__"])

    @property
    def __doc__(self):
        return _ask("get", _pack(self), ["value", "__doc__"])

    def __eq__(self, other):
        return self is other or (_is_remote(other) and _truth(_ask("eq", _pack(self), _pack(other))))

    def __ne__(self, other):
        return not self == other

    def __contains__(self, item):
        if self._rewardkit_made or _is_remote(item):
            return _truth(_ask("contains", _pack(self), _pack(item)))
        return any(item == own for own in self)

    def __hash__(self):
        return _ask("hash", _pack(self))

    def __next__(self):
        return _ask("next", _pack(self))

    def __instancecheck__(self, value):
        return _is_remote(value) and _truth(_ask("isinstance", _pack(value), _pack(self)))

    def __subclasscheck__(self, kind):
        return _truth(_ask("issubclass", _pack(kind), _pack(self)))

    def __bool__(self):
        return _truth(_ask("bool", _pack(self)))

    def __format__(self, how):
        return str(_ask("format", _pack(self), ["value", how]))

    def __exit__(self, *error):
        _ask("exit", _pack(self))
        return False

    def __copy__(self):
        return _ask("copy", _pack(self))

    def __deepcopy__(self, seen):
        return _ask("deepcopy", _pack(self))


def _truth(value):
    if type(value) is not bool:
        raise ProgramError("the program answered out of turn")
    return value


def _asks(action):
    return lambda self, *given: _ask(action, _pack(self), *map(_pack, given))


def _compares(action):
    def compare(self, other):
        return _truth(_ask(action, _pack(self), _pack(other))) if _is_remote(other) else NotImplemented

    return compare


def _computes(action, *, turned=False):
    """Arithmetic. With a number of the tests' own the result must be an object again: a number could be a forged difference."""

    def compute(self, other):
        pair = (_pack(other), _pack(self)) if turned else (_pack(self), _pack(other))
        result = _ask(action, *pair)
        if _is_remote(other):
            return result
        if type(result) is Remote:
            _put(result, "_rewardkit_made" if self._rewardkit_made else "_rewardkit_mixed", True)
        return result if _is_remote(result) else NotImplemented

    return compute


def _converts(action):
    """To a number. Of what is left of a number of the tests' own, that could be a forged difference, too."""

    def convert(self, *given):
        if self._rewardkit_mixed:
            raise ProgramError(f"TypeError: {action} of an object that is no number")
        return _ask(action, _pack(self), *map(_pack, given))

    return convert


for _name in ["int", "float", "abs", "round", "index", "neg", "pos"]:
    setattr(Remote, f"__{_name}__", _converts(_name))
for _name in ["len", "iter", "str", "repr", "reversed", "enter", "dir", "invert"]:
    setattr(Remote, f"__{_name}__", _asks(_name))
for _name, _action in {"getitem": "item", "setitem": "put", "delitem": "remove"}.items():
    setattr(Remote, f"__{_name}__", _asks(_action))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Remote, f"__{_name}__", _compares(_name))
for _name in [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
]:
    setattr(Remote, f"__{_name.strip('_')}__", _computes(_name))
    setattr(Remote, f"__r{_name.strip('_')}__", _computes(_name, turned=True))
