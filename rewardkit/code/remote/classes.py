# After packing: what stands for classes, exceptions and objects of the program's in the tests' process.
import types as _types

_FUNCTIONS = frozenset("abs all any bin bool chr divmod hash hex len max min oct ord pow repr round sorted sum".split())
"""Functions of Python's own that a program may answer with, beside those of modules of pure functions."""


def _function(handle, module, name):
    """A function of Python's own, of those that only compute; else an object like any other."""
    found = _named(module, name)
    pure = module in ("math", "cmath", "_operator") or (module == "builtins" and name in _FUNCTIONS)
    return found if pure and type(found) is _types.BuiltinFunctionType else _object(handle)


def _class(handle, name, parents, methods, own):
    """Python's own class if it is one; an exception's stand-in, so that tests can catch it; else an object that stands for the class."""
    if handle not in _proxies:
        places = [tuple(map(str, place)) for place in parents]
        bases = [(place, base) for place in places if isinstance(base := _named(*place), type)]
        errors = [*map(_unpack, own), *(base for _, base in bases)]
        errors = _lowest(base for base in errors if issubclass(type(base), type) and issubclass(base, BaseException))
        if bases and bases[0][0] == places[0]:
            _proxies[handle] = bases[0][1]
        elif errors:
            _proxies[handle] = _exception(handle, str(name), errors)
        else:
            _proxies[handle] = Remote(handle, is_class=True)
            _put(_proxies[handle], "_rewardkit_kind", _kind(str(name), [base for _, base in bases], methods))
    return _given(_proxies[handle])


def _lowest(parents):
    bases = []
    for parent in parents:
        if not any(issubclass(base, parent) for base in bases):
            bases.append(parent)
    return tuple(bases)


def _kind(name, parents, methods):
    """A class that says to Python which of its own classes the program's derives from, and what it can do. Never a number or text."""
    bases = _lowest(parent for parent in parents if not issubclass(parent, _SCALARS))
    names = {method: _uncalled if method in methods else None for method in _STRUCTURE}
    try:
        return _types.new_class(name, bases, exec_body=lambda space: space.update(names))
    except Exception:  # a class that nothing may derive from
        return type(name, (), names)


def _uncalled(*given, **named):
    raise ProgramError("TypeError: the class of an object stands for it")


def _given(held):
    if _trusting[0] and type(held) is Remote:
        _put(held, "_rewardkit_trusted", True)
    return held


def _exception(handle, name, bases):
    """A class of the program's that is an exception, so that tests can catch it. What they make of it, the program makes, too."""

    def make(error, *args, **named):
        made = _send_call(("kept", handle), args, named, row=True)
        if type(made) is not Remote:
            raise ProgramError("the program answered out of turn")
        error.args = tuple(_ask("get", _pack(made), "args"))
        error._rewardkit = (made._rewardkit_handle, name, str(made))

    def look_up(error, wanted):
        held = error.__dict__.get("_rewardkit")
        if held is None or wanted.startswith("__"):
            raise AttributeError(wanted)
        return _ask("get", ("kept", held[0]), wanted)

    names = {"__init__": make, "__getattr__": look_up, "__str__": lambda error: error._rewardkit[2]}
    return type(name, bases, {**names, "__module__": "solution", "_rewardkit_handle": handle})


def _object(handle, plain=None, kind=None):
    """An object of the program's. One whose class derives from Python's data is a copy of those. If tests name its class, the methods
    that the class has of its own are the program's, and what changes in it is told on both sides.
    """
    named = getattr(_proxies.get(kind), "_rewardkit_made", False)
    if plain is None:
        held = _given(_proxies.setdefault(handle, Remote(handle)))
        _put(held, "_rewardkit_holds", named)  # in an attribute: a UserDict and its kind
        return held
    base, content = _BASES[plain[0]], plain[1]
    reading, _may_live[0] = _may_live[0], named
    content = content if base in (int, float, str, bytes) else _unpack(content)
    _may_live[0] = reading
    if base not in _CHANGING:  # what is in a tuple may change
        return _proxies.setdefault((handle, _said(plain)), _derived(handle, base, kind if named else None)(content))
    if named and handle in _live:
        return _kept_up(handle, plain, _live[handle][0], content)
    made = _derived(handle, base, kind if named else None)(*([[], plain[2]] if base is _BASES["deque"] else []))
    _fill(made, content)
    return _kept_up(handle, plain, made, made) if named else made


def _derived(handle, base, kind):
    """A class for one object of the program's that is data, with what the class `kind` of the program has of its own."""
    asked, trusted = ("kept", handle), _trusting[0]
    names = {
        **dict.fromkeys(Remote.__slots__, False),
        "_rewardkit_data": None,
        "_rewardkit_handle": handle,
        "_rewardkit_trusted": trusted,
        "__setattr__": Remote.__setattr__,
        "__delattr__": Remote.__delattr__,
        "__copy__": Remote.__copy__,
        "__deepcopy__": Remote.__deepcopy__,
        **({"copy": Remote.__copy__} if base.__name__ in ("deque", "Counter", "OrderedDict") else {}),
        "__getattr__": lambda self, name: _ask("get", asked, name, trusted=trusted),
        "__repr__": lambda self: str(_ask("repr", asked)),
        "__str__": lambda self: str(_ask("str", asked)),
        "__format__": lambda self, how: str(_ask("format", asked, how)),
        **({} if kind is None else _own(kind, base)),
    }
    return type(base.__name__, (base,), names)


_owned = {}


def _own(kind, base):
    """What a class of the program's has of its own, by its names."""
    if kind not in _owned:
        names = _ask("own", ("kept", kind), _pack(base))
        _owned[kind] = {name: _own_method(base, name) for name in names if name in _OPERATIONS}
        _owned[kind] |= {name: _own_attribute(base, name) for name in names if name[0] != "_" and hasattr(base, name)}
    return _owned[kind]


def _own_method(base, name):
    """Asked of objects that tests made or an object of theirs gave, and where two of the program's meet. Not of a result that may be taken for a number."""
    asked, plain = vars(Remote)[name], getattr(base, name, None)
    number = issubclass(base, (int, float))

    def method(self, *given):
        made = self._rewardkit_made or (self._rewardkit_trusted and not number)
        if plain is None or made or any(map(_is_remote, given)):
            found = asked(self, *given)
            if found is not NotImplemented or plain is None:
                return found
        return plain(self, *given)

    return method


def _own_attribute(base, name):
    def attribute(self):
        given = self._rewardkit_made or self._rewardkit_trusted
        return _ask("get", _pack(self), name, trusted=True) if given else getattr(base, name).__get__(self)

    return property(attribute)
