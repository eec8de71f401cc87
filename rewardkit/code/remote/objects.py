# After packing: an object of the program's that tests hold, and what it asks when it is used.
import abc as _abc
import ast as _ast
import math as _math
import sys as _sys


def _is_remote(value):
    return type(value) is Remote or hasattr(type(value), "_rewardkit_handle")


def _is_object(value):
    """The same without exceptions, which are of their class to Python, too."""
    return _is_remote(value) and not issubclass(type(value), BaseException)


_CHANGES = frozenset(["set", "drop", "put", "remove", "next", "enter", "exit"])
_OF_MIXED = (_CHANGES - {"next"}) | set("eq lt le gt ge class copy deepcopy dir hash str repr format".split())
"""What may be asked of an object that arithmetic of a result with data of the tests gave, beside attributes that no number has. The rest may be a forged difference."""
_OF_DATA = frozenset(
    "startswith endswith issubset issuperset isdisjoint difference intersection symmetric_difference is_integer isalnum isalpha isascii "
    "isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper".split()
)
"""Methods by which data say what is true of them: of an object in their place nobody knows."""
_NUMBERS = frozenset(["int", "float", "abs", "round", "floor", "ceil", "trunc", "index", "neg", "pos", "hash"])
_OPERATORS = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()
_IN_PLACE = frozenset(f"i{name.strip('_')}" for name in _OPERATORS)
_told = {}


def _about(held, action, *values):
    """What the program answers about an object. A result is one number until tests call or change something of the program's: else
    it could be whatever each line of a test wants.
    """
    trusted = held._rewardkit_trusted
    given = [_pack(held), *_handed(values, held._rewardkit_made or action == "set")]
    if held._rewardkit_mixed and _means_number(held, action, *values):
        raise ProgramError("TypeError: an object that is no number is asked for what numbers have")
    if action == "next":
        for one in [one for one in _told if one[0] in _NUMBERS or one == ("len", id(held))]:
            del _told[one]
    elif action in _CHANGES:
        _told.clear()
    question = (action, repr(given))
    if question in _told:
        return _told[question]
    answer = _ask(action, *given, trusted=trusted)
    if held._rewardkit_mixed and type(answer) is Remote and action != "class":
        _put(answer, "_rewardkit_mixed", True)
    if action in _NUMBERS and not trusted and not _is_remote(answer):
        _told[question] = answer
    return answer


def _means_number(held, action, name="", *_):
    """What could be a forged difference of an object. One of a class that tests name may have items and attributes, but is no number, either."""
    if action in (*_NUMBERS - {"hash"}, "len", "bool"):
        return True
    if action in _OF_MIXED or held._rewardkit_trusted or _of_named_class(held):
        return False
    return action != "get" or _means_data(name) or hasattr(_math, name) or hasattr(_sys.modules.get("numpy"), name)


def _trusted(value):
    """An object that tests made from a capitalised class of the program's, or that such an object or class gave. The result of
    a function is none: it may stand where data are wanted.
    """
    return _is_object(value) and value._rewardkit_trusted


class Remote:
    """An object of the program's, by its number. A comparison with data of the tests' own is never left to the program."""

    __slots__ = tuple(
        f"_rewardkit_{name}" for name in ("class", "data", "handle", "holds", "kind", "made", "mixed", "trusted")
    )

    def __init__(self, handle, is_class=False):
        _put(self, "_rewardkit_handle", handle)
        _put(self, "_rewardkit_class", is_class)
        _put(self, "_rewardkit_trusted", False)
        _put(self, "_rewardkit_kind", None)  # of a class: what stands for it to Python
        _put(
            self, "_rewardkit_made", False
        )  # a class that tests name, what they make by calling one, or by arithmetic with that
        _put(self, "_rewardkit_data", None)  # of a method that data have, too: the result whose method it is
        _put(self, "_rewardkit_holds", False)  # data of Python's, to which it is equal or not
        _put(self, "_rewardkit_mixed", False)  # by arithmetic with a number of the tests

    def __call__(self, *args, **named):
        _told.clear()
        trusted = self._rewardkit_trusted
        row = self._rewardkit_data is None or _of_named_class(self._rewardkit_data)
        result = _send_call(_pack(self), args, named, row=row, trusted=trusted)
        if self._rewardkit_mixed and type(result) is Remote:
            _put(result, "_rewardkit_mixed", True)
        if trusted and self._rewardkit_class and _is_object(result):
            _put(result, "_rewardkit_made", True)
        return result

    def __getattr__(self, name):
        if name == "__mro_entries__":
            raise ProgramError("TypeError: tests derive from what is no class of Python's own")
        if name.startswith("_rewardkit") or name in ("__array__", "__array_interface__", "__array_struct__"):
            raise AttributeError(name)
        found = _about(self, "get", name)
        if type(found) is Remote and not self._rewardkit_made and _means_data(name):
            if name in _OF_DATA and not _of_named_class(self):
                raise ProgramError(f"TypeError: {name} of an object that is no data")
            _put(found, "_rewardkit_data", self)
        return found

    def __get__(self, owner, kind=None):
        """In a class of the tests: a function or a descriptor of the program's wants their object."""
        if owner is not None and not self._rewardkit_class and _ask("binds", _pack(self)):
            _handed([owner], row=True)
        return self

    def __setattr__(self, name, value):
        _about(self, "set", name, value)

    def __delattr__(self, name):
        _about(self, "drop", name)

    @property
    def __class__(self):
        kind = _class_of(self)
        return kind._rewardkit_kind if type(kind) is Remote else kind

    @property
    def __dict__(self):
        return _about(self, "get", "__dict__")

    @property
    def __doc__(self):
        return _about(self, "get", "__doc__")

    def __eq__(self, other):
        if self is other:
            return True
        if self._rewardkit_holds and not (_is_remote(other) and not _holds(other)):
            return _about(self, "data") == (_about(other, "data") if _holds(other) else other)
        return _is_remote(other) and _truth(_about(self, "eq", other))

    def __ne__(self, other):
        return not self == other

    def __contains__(self, item):
        if _trusted(self) or _is_remote(item):
            return _truth(_about(self, "contains", item))
        return any(item == own for own in self)

    def __hash__(self):
        return _about(self, "hash")

    def __instancecheck__(self, value):
        return _is_remote(value) and _truth(_about(self, "isinstance", value))

    def __subclasscheck__(self, kind):
        return _truth(_about(self, "issubclass", kind))

    def __len__(self):
        size = _about(self, "len")
        if not self._rewardkit_trusted:
            if size > _told.get(("items", id(self)), size) and not _of_named_class(self):
                raise ProgramError("TypeError: an object has fewer items than its length says")
            _told["len", id(self)] = size
        return size

    def __bool__(self):
        return _truth(_about(self, "bool"))

    def __format__(self, how):
        return str(_about(self, "format", how))

    def __exit__(self, kind, error, trace):
        """Only an error that tests raise for it may be swallowed: else failed asserts and the program's own errors could be."""
        plain = _raised_plainly(trace)
        _told.clear()
        return _truth(_ask("exit", _pack(self), _pack_error(error, with_args=plain))) and plain

    def __missing__(self, key):
        return _about(self, "item", key)

    def __copy__(self):
        return _about(self, "copy")

    def __deepcopy__(self, seen):
        return _about(self, "deepcopy")


def _class_of(held):
    """The class of an object. Never one whose objects come as data."""
    kind = _ask("class", _pack(held), trusted=_trusted(held))
    stands = kind._rewardkit_kind if type(kind) is Remote else kind
    numpy = _sys.modules.get("numpy")
    derived = (*_BASES.values(), *(() if numpy is None else (numpy.generic, numpy.ndarray)))
    if not isinstance(stands, type) or stands in _DATA_KINDS or (type(held) is Remote and issubclass(stands, derived)):
        raise ProgramError("the program answered out of turn")
    return kind


def _of_named_class(held):
    kind = _class_of(held)
    return type(kind) is Remote and kind._rewardkit_made


def _holds(held):
    return type(held) is Remote and held._rewardkit_holds


def _truth(value):
    if type(value) is not bool:
        raise ProgramError("the program answered out of turn")
    return value


def _means_data(name):
    numpy = _sys.modules.get("numpy")
    return name in _DATA or (numpy is not None and (hasattr(numpy.ndarray, name) or hasattr(numpy.float64, name)))


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
        trusted = _trusted(self) or _trusted(other)
        made = any(_is_object(one) and one._rewardkit_made for one in (self, other))
        given = [_pack(self), *_handed([other], made)]
        if action in _IN_PLACE:
            _told.clear()
        result = _ask(action, *(reversed(given) if turned else given), trusted=trusted)
        if made and _is_object(result):
            _put(result, "_rewardkit_made", True)
        elif type(result) is Remote and (self._rewardkit_mixed or not _is_object(other) or other._rewardkit_mixed):
            _put(result, "_rewardkit_mixed", True)
        object_again = _is_remote(result) and (
            made or type(result) is Remote or not issubclass(type(result), (int, float))
        )
        return result if object_again or (trusted and _is_remote(other)) else NotImplemented

    return compute


for _name in ("iter", "reversed"):
    setattr(Remote, f"__{_name}__", _loops(_name))
Remote.__next__ = _next
for _name in [*(_NUMBERS - {"hash"}), "str", "repr", "enter", "dir", "invert"]:
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

_OPERATIONS = {name for name, held in vars(Remote).items() if callable(held) and "attr" not in name} - {
    "__init__",
    "__format__",
    "__repr__",
    "__str__",
    "__eq__",
    "__ne__",
    "__hash__",
}
"""What a class may have of its own for objects that are data. Not whether they are equal: that is what the data say."""


def _stands(check):
    """Abstract classes want a class to look at: what stands for the program's."""

    def checked(kind, held):
        if type(held) is not Remote:
            return check(kind, held)
        _calls[0] += 1
        stand_in = held._rewardkit_kind if check is _OF_CLASSES else held.__class__
        if not isinstance(stand_in, type):
            raise ProgramError("TypeError: issubclass() arg 1 must be a class")
        return _OF_CLASSES(kind, stand_in)

    return checked


_OF_CLASSES = _abc.ABCMeta.__subclasscheck__
_abc.ABCMeta.__instancecheck__ = _stands(_abc.ABCMeta.__instancecheck__)
_abc.ABCMeta.__subclasscheck__ = _stands(_OF_CLASSES)
