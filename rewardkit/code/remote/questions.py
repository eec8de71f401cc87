# Behind the program, in its process: it asks tests in another for their functions. `_Questions` is the part of the objects' side that does.
import sys
import threading


class _Following:
    """An iterator of the tests'. What is sent to a generator arrives there."""

    def __init__(self, following, *others):
        self.following = following
        vars(self).update(zip(("send", "close"), others))

    def __iter__(self):
        return self

    def __next__(self):
        return self.following()


def _iterator(*functions):
    return (yield from _Following(*functions))


_left_out = object()
"""In the place of a default of a function of the tests'."""


class _Questions:
    """Functions of the tests by their numbers, and what is asked in which order."""

    def __init__(self):
        self.theirs, self.numbers, self.errors = {}, {}, {}
        self.turn, self.under_way = threading.Condition(), []

    def begin(self, one, may=lambda: True):
        """Requests of the tests and questions to them lie on each other: the last begun ends first, whatever thread it is of."""
        with self.turn:
            while not self.turn.wait_for(may, 0.1):
                if not threading.main_thread().is_alive():  # the tests are over: no answer will come
                    raise SystemExit
            self.under_way.append(one)
            self.turn.notify_all()

    def end(self, one):
        with self.turn:
            if any(one is other for other in self.under_way):
                self.turn.wait_for(lambda: self.under_way[-1] is one)
                self.under_way.pop()
                self.turn.notify_all()

    def ask(self, number, given, named):
        """What a function of the tests' returns. Until it does, they may ask for something in turn."""
        if len(self.under_way) > 1_800:  # as deep as Python's own limit
            raise RecursionError("maximum recursion depth exceeded")
        question = []
        self.begin(question, lambda: self.under_way and self.under_way[-1])
        live, self.live = self.live, True
        try:
            pairs = [[name, self.pack(value)] for name, value in named.items()]
            said = ["asks", [number, list(map(self.pack, given)), pairs], self.changes(), self.printed()]
            while True:
                action, *sent = self.program["_sandbox_exchange"](said)
                if action == "reply":
                    break
                said = self(action, *sent)
        finally:
            self.live = live
            self.end(question)
        status, value, place, name, facts = sent
        value = self.unpack(value)
        if status == "ok":
            return value
        raise value if place is None else self.error_of_tests(value, place, name, *facts)

    def error_of_tests(self, error, place, name, said, attributes):
        """What a function of the tests' raised: of Python's nearest class, with the name, text and attributes that it has there."""
        if place not in self.errors:
            kind = type(error)
            if kind.__name__ != name:
                kind = type(name, (kind,), {"__module__": "tests", "__str__": lambda self: said})
            made = kind(*error.args)
            vars(made).update((name, self.unpack(held)) for name, held in attributes)
            self.errors[place] = made
            made._rewardkit_theirs = place
        return self.errors[place]

    def function_of_tests(self, number, about, text, notes, attributes):
        """A function of the tests': they are asked when it is called."""
        if number not in self.theirs:

            def ask(given, named):
                cut = next((place for place, one in enumerate(given) if one is _left_out), len(given))
                named |= dict(zip(made.__code__.co_varnames[cut:], given[cut:]))
                return self.ask(number, given[:cut], {name: one for name, one in named.items() if one is not _left_out})

            sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))  # of which one call of the tests takes ten
            made = eval(text, {"_rewardkit_ask": ask, "_rewardkit_left_out": _left_out})
            for name, held in zip(("__name__", "__qualname__", "__doc__", "__module__"), about):
                if held is not None or name == "__doc__":
                    setattr(made, name, held)
            made.__annotations__.update((name, self.unpack(kind)) for name, kind in notes)
            self.theirs[number], self.numbers[made] = made, number
        vars(self.theirs[number]).update((name, self.unpack(held)) for name, held in attributes)
        return self.theirs[number]
