# After packing: an object of the program's that tests hold, and what it asks when it is used.
import ast as _ast
import itertools as _itertools
import sys as _sys


def _is_remote(value):
    return type(value) is Remote or hasattr(type(value), "_rewardkit_handle")


_CHANGES = frozenset(["set", "drop", "put", "remove", "next", "enter", "exit"])
_NUMBERS = frozenset(["int", "float", "abs", "round", "index", "neg", "pos", "hash"])
_NEW = frozenset(["reversed", "copy", "deepcopy"])
_OPERATORS = [
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
]
_IN_PLACE = frozenset(f"i{name.strip('_')}" for name in _OPERATORS)
_END = object()
_told, _told_for_good = {}, {}


def _about(held, action, *values):
    """What the program answers about an object. It answers each question once, until tests change something of the program's: else
    an object could be whatever each line of a test wants. The number that a result is stays the same.
    """
    made = held._rewardkit_made
    given = [_pack(held), *_handed(values, _trusted(held) or action == "set")]
    if action in _CHANGES or (made and action in ("get", "item")):
        _told.clear()
        return _ask(action, *given)
    told = _told_for_good if action in _NUMBERS and not made else _told
    question = (action, repr(given))
    if question in told:
        return told[question]
    answer = _ask(action, *given)
    if action not in _NEW and not (action in _NUMBERS and _is_remote(answer)):
        told[question] = answer
    return answer


def _of_itself(held, action):
    """The same, for what often gives the object again: that does not make it a result."""
    before = held._rewardkit_result
    answer = _about(held, action)
    if answer is held:
        _put(held, "_rewardkit_result", before)
    return answer


def _trusted(value):
    """An object that tests made themselves, and that no request gave as a result. Else it may stand where data are wanted."""
    return type(value) is Remote and value._rewardkit_made and not value._rewardkit_result


class Remote:
    """An object of the program's, by its number. A comparison with data of the tests' own is never left to the program."""

    __slots__ = (
        "_rewardkit_class",
        "_rewardkit_data",
        "_rewardkit_given",
        "_rewardkit_handle",
        "_rewardkit_made",
        "_rewardkit_mixed",
        "_rewardkit_named",
        "_rewardkit_result",
    )

    def __init__(self, handle, is_class=False):
        _put(self, "_rewardkit_handle", handle)
        _put(self, "_rewardkit_class", is_class)
        _put(self, "_rewardkit_named", False)  # as a class, by the tests
        _put(self, "_rewardkit_made", False)  # by the tests, from such a class
        _put(self, "_rewardkit_result", False)  # of a request, after that
        _put(self, "_rewardkit_data", False)  # a method of a result that data have, too
        _put(self, "_rewardkit_mixed", False)  # by arithmetic with a number of the tests
        _put(self, "_rewardkit_given", [])  # items, of an iterator

    def __call__(self, *args, **named):
        _told.clear()
        result = _send_call(_pack(self), args, named, row=not self._rewardkit_data)
        if self._rewardkit_class and self._rewardkit_named and type(result) is Remote:
            _put(result, "_rewardkit_made", True)
            _put(result, "_rewardkit_result", False)
        return result

    def __getattr__(self, name):
        if name == "__mro_entries__":
            raise ProgramError("TypeError: tests derive from what is no class of Python's own")
        if name.startswith("_rewardkit") or name in ("__array__", "__array_interface__", "__array_struct__"):
            raise AttributeError(name)
        found = _about(self, "get", name)
        if type(found) is Remote and not _trusted(self) and _means_data(name):
            _put(found, "_rewardkit_data", True)
        return found

    def __setattr__(self, name, value):
        _about(self, "set", name, value)

    def __delattr__(self, name):
        _about(self, "drop", name)

    @property
    def __class__(self):
        return _about(self, "class")

    @property
    def __dict__(self):
        return _about(self, "get", "__dict__")

    @property
    def __doc__(self):
        return _about(self, "get", "__doc__")

    def __eq__(self, other):
        return self is other or (_is_remote(other) and _truth(_about(self, "eq", other)))

    def __ne__(self, other):
        return not self == other

    def __contains__(self, item):
        if _trusted(self) or _is_remote(item):
            return _truth(_about(self, "contains", item))
        return any(item == own for own in self)

    def __hash__(self):
        return _about(self, "hash")

    def __iter__(self):
        iterator = _of_itself(self, "iter")
        return _items(iterator) if type(iterator) is Remote and iterator is not self else iterator

    def __next__(self):
        if (
            _END in self._rewardkit_given and not self._rewardkit_made
        ):  # as Python has it: an iterator that has ended has ended
            raise StopIteration
        try:
            return _about(self, "next")
        except StopIteration:
            self._rewardkit_given.append(_END)
            raise

    def __instancecheck__(self, value):
        return _is_remote(value) and _truth(_about(self, "isinstance", value))

    def __subclasscheck__(self, kind):
        return _truth(_about(self, "issubclass", kind))

    def __bool__(self):
        return _truth(_about(self, "bool"))

    def __format__(self, how):
        return str(_about(self, "format", how))

    def __enter__(self):
        return _of_itself(self, "enter")

    def __exit__(self, kind, error, trace):
        """Only an error that tests raise for it may be swallowed: else failed asserts and the program's own errors could be."""
        plain = _raised_plainly(trace)
        _told.clear()
        return _truth(_ask("exit", _pack(self), _pack_error(error, with_args=plain))) and plain

    def __copy__(self):
        return _about(self, "copy")

    def __deepcopy__(self, seen):
        return _about(self, "deepcopy")


def _truth(value):
    if type(value) is not bool:
        raise ProgramError("the program answered out of turn")
    return value


def _means_data(name):
    numpy = _sys.modules.get("numpy")
    return name in _DATA or (numpy is not None and (hasattr(numpy.ndarray, name) or hasattr(numpy.float64, name)))


def _items(iterator):
    """What an iterator over an object gives, each item asked for once."""
    given = iterator._rewardkit_given
    for place in _itertools.count():
        if place == len(given):
            try:
                given.append(_ask("next", _pack(iterator)))
            except StopIteration:
                given.append(_END)
        if given[place] is _END:
            return
        yield given[place]


def _raised_plainly(trace):
    """The error is of a `raise` that stands by itself in the body of a `with` of the tests."""
    if trace is None or trace.tb_next is not None or trace.tb_frame.f_code.co_filename != "tests.py":
        return False
    bodies = [node.body for node in _ast.walk(_ast.parse(_tests[0])) if isinstance(node, _ast.With)]
    return any(isinstance(line, _ast.Raise) and line.lineno == trace.tb_lineno for body in bodies for line in body)


def _asks(action):
    return lambda self, *given: _about(self, action, *given)


def _compares(action):
    def compare(self, other):
        return _truth(_about(self, action, other)) if _is_remote(other) else NotImplemented

    return compare


def _computes(action, *, turned=False):
    """Arithmetic. With a number of the tests' own, or of two results, an object must come out again: a number could be a forged one."""

    def compute(self, other):
        made = _trusted(self) or _trusted(other)
        given = [_pack(self), *_handed([other], made)]
        before = self._rewardkit_result
        if action in _IN_PLACE:
            _told.clear()
        result = _ask(action, *(reversed(given) if turned else given))
        if type(result) is Remote and made:
            _put(result, "_rewardkit_made", True)
        elif type(result) is Remote and not _is_remote(other):
            _put(result, "_rewardkit_mixed", True)
        if result is self:
            _put(self, "_rewardkit_result", before)
        return result if _is_remote(result) or (made and _is_remote(other)) else NotImplemented

    return compute


def _converts(action):
    """To a number. Of what is left of a number of the tests' own, that could be a forged difference, too."""

    def convert(self, *given):
        if self._rewardkit_mixed:
            raise ProgramError(f"TypeError: {action} of an object that is no number")
        return _about(self, action, *given)

    return convert


for _name in ["int", "float", "abs", "round", "index", "neg", "pos"]:
    setattr(Remote, f"__{_name}__", _converts(_name))
for _name in ["len", "str", "repr", "reversed", "dir", "invert"]:
    setattr(Remote, f"__{_name}__", _asks(_name))
for _name, _action in {"getitem": "item", "setitem": "put", "delitem": "remove"}.items():
    setattr(Remote, f"__{_name}__", _asks(_action))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Remote, f"__{_name}__", _compares(_name))
for _name in _OPERATORS:
    setattr(Remote, f"__{_name.strip('_')}__", _computes(_name))
    setattr(Remote, f"__r{_name.strip('_')}__", _computes(_name, turned=True))
    setattr(Remote, f"__i{_name.strip('_')}__", _computes(f"i{_name.strip('_')}"))
Remote.__divmod__ = _computes("divmod")
