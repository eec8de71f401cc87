"""Objects that are data or hold them: lists, numbers and their kind. They are in tests what they are in Python, and equal only to what they hold."""

import pytest

from rewardkit import Sample
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict

PROGRAM = """
import collections, dataclasses, enum, heapq, math, threading, typing
class LRU(collections.OrderedDict):
    def __init__(self, size): self.size = size
    def get(self, key):
        if key in self: self.move_to_end(key)
        return super().get(key, -1)
    def put(self, key, value):
        self[key] = value
        self.move_to_end(key)
        if len(self) > self.size: self.popitem(last=False)
class Stack(list):
    def push(self, x): self.append(x)
    def peek(self): return self[-1]
class Tree(dict):
    def __missing__(self, key):
        self[key] = Tree()
        return self[key]
class Lower(dict):
    def __setitem__(self, key, value): super().__setitem__(key.lower(), value)
    def __getitem__(self, key): return super().__getitem__(key.lower())
    def __contains__(self, key): return super().__contains__(key.lower())
class Small(set):
    def add(self, x):
        if len(self) == 2: raise ValueError(x)
        super().add(x)
class Ring(collections.deque):
    def turn(self): self.rotate(1)
class Words(collections.Counter):
    def top(self): return self.most_common(1)[0][0]
class Own(collections.UserDict): pass
class Heap(list):
    def push(self, x): heapq.heappush(self, x)
class Vec(tuple):
    def __mul__(self, k): return Vec(x * k for x in self)
    __rmul__ = __mul__
    @classmethod
    def unit(cls): return cls((1, 0))
class Robot:
    def __init__(self): self.pos = Vec((0, 1))
    def at(self): return self.pos
class Folder:
    def __init__(self): self.parts, self.up = {}, {}
    def add(self, name):
        self.parts[name] = {"..": self.parts}
        return len(self.parts)
class Registry(type):
    made = {}
    def __call__(cls, *given): return cls.made.setdefault(cls, super().__call__(*given))
class Single(metaclass=Registry):
    def reset(self): self.items = []
    def add(self, x): self.items.append(x)
class Attrs(dict):
    def __getattr__(self, name): return self[name]
    def __setattr__(self, name, x): self[name] = x
    def __delattr__(self, name): del self[name]
class Busy:
    def __init__(self):
        self.counts = {}
        threading.Thread(target=self.run, daemon=True).start()
    def run(self):
        for n in range(20_000): self.counts[n] = n
    def value(self): return 7
class Coin(enum.Enum):
    DIME = 10
    CENT = 1
class Machine:
    def __init__(self): self.coins, self.order, self.queue = dict.fromkeys(Coin, 0), collections.OrderedDict({(1, 2): 0, (3, 4): 0}), collections.deque([1, 2])
    def insert(self, coin): self.coins[coin] += 1
    def turn(self):
        for key in self.order: self.order[key] += 1
        self.queue[0] += 1
    def total(self): return sum(coin.value * n for coin, n in self.coins.items())
class Queue:
    def __init__(self, n): self.last = collections.deque(maxlen=n)
    def add(self, x): self.last.append(x)
class Trie:
    def __init__(self): self.root = {}
    def add(self, word):
        here = self.root
        for letter in word: here = here.setdefault(letter, {})
class Owns(collections.UserList): pass
class Vector(list):
    def __add__(self, other): return Vector(x + y for x, y in zip(self, other))
    def dot(self, other): return sum(x * y for x, y in zip(self, other))
class Pair(tuple):
    def __add__(self, other): return Pair(x + y for x, y in zip(self, other))
    def index(self, x): return -1
class Point(typing.NamedTuple):
    x: int
    y: int
    def __add__(self, other): return Point(self.x + other.x, self.y + other.y)
    def __neg__(self): return Point(-self.x, -self.y)
    def __abs__(self): return math.hypot(*self)
    def __contains__(self, x): return x == self.x
class Mod(int):
    def __add__(self, other): return Mod((int(self) + int(other)) % 7)
class Title(str):
    def shout(self): return self.upper() + "!"
    def __len__(self): return 99
class Right(enum.IntFlag):
    R = 1
    W = 2
class Half:
    def __floor__(self): return 1
    def __ceil__(self): return 2
    def __trunc__(self): return 3
class Oops(Exception): pass
@dataclasses.dataclass
class Bag:
    items: list = dataclasses.field(default_factory=list)
    counts: dict = dataclasses.field(default_factory=dict)
    seen: set = dataclasses.field(default_factory=set)
    recent: collections.deque = dataclasses.field(default_factory=collections.deque)
    def add(self, x):
        self.items.append(x)
        self.counts[x] = self.counts.get(x, 0) + 1
        self.seen.add(x)
        self.recent.appendleft(x)
    @property
    def copy(self): return list(self.items)
class Grid:
    def __init__(self, n): self.rows = [[0] * n for _ in range(n)]
    def sum(self): return sum(map(sum, self.rows))
    def turn(self): self.rows.reverse()
    def __getitem__(self, y): return self.rows[y]
class Node:
    def __init__(self, value): self.value, self.children, self.links, self.raw = value, [], collections.defaultdict(list), bytearray(); self.marks = collections.defaultdict(lambda: [0]); self.tally = collections.Counter()
    def count(self): return 1 + sum(child.count() for child in self.children)
class Cache:
    def __init__(self): self.kept = collections.OrderedDict()
    def get(self, x):
        self.kept[x] = self.kept.pop(x, 0) + 1
        return self.kept[x]
log = []
def note(x): log.append(x)
def first(xs): return xs[0]
def sort(xs): xs.sort()
def count(xs, x): xs[x] += 1
def extend(xs, x): xs.extend(x)
def stack(*items):
    made = Stack()
    for item in items: made.push(item)
    return made
shared = Stack()
def share(x): shared.push(x)
"""
STEPS = {
    "LRU": "c = LRU(2); c.put(1, 1); c.put(2, 2); c.get(1); c.put(3, 3); c.get(2); c.get(3); len(c); list(c); 2 in c; c == {1: 1, 3: 3}",
    "Stack": "s = Stack(); s.push(1); s.push(2); len(s); s.peek(); s[0]; s == [1, 2]; s.pop(); s[:]; bool(s); isinstance(s, list); s + [5]; [5] + s; s < [2]; sorted(s)",
    "a function's": "s = stack(1, 2); s.push(3); len(s); s == [1, 2, 3]; isinstance(s, Stack)",
    "a module's": "share(1); share(2); len(shared); shared == Stack([1, 2]); shared == [1, 2]",
    "Tree": "t = Tree(); t['a']['b'] = 1; t['a']['b']; t == {'a': {'b': 1}}; len(t); dict(t['a'])",
    "Lower": "d = Lower(); d['A'] = 1; d['a']; 'A' in d; d == {'a': 1}; list(d.items())",
    "Small": "s = Small(); s.add(1); s.add(2); s == {1, 2}; 1 in s; s | {5}; s <= {1, 2, 3}; s & Small([1])",
    "Ring": "r = Ring([1, 2, 3]); r.turn(); r == collections.deque([3, 1, 2]); r[0]; list(r)",
    "Words": "w = Words('aab'); w['a']; w['z']; w.top(); w.update('bbb'); w['b']; w == collections.Counter('aabbbb')",
    "Own": "d = Own({'a': 1}); d['b'] = 2; len(d); d == {'a': 1, 'b': 2}; dict(d); Owns([1]) == [1]",
    "Vector": "a = Vector([1, 2]); b = Vector([3, 4]); a + b == Vector([4, 6]); a + b == [4, 6]; a.dot(b); (a + b).dot(a)",
    "Pair": "a = Pair((1, 2)); a + Pair((3, 4)) == (4, 6); a + (1, 1) == (2, 3); a.index(1); a[0]; len(a)",
    "Point": "a = Point(1, 2); a + Point(3, 4) == Point(4, 6); (a + Point(3, 4)).x; -a == (-1, -2); abs(Point(3, 4)); a[1]; 1 in a; 2 in a; a._replace(x=5).x; a == (1, 2)",
    "Mod": "m = Mod(5); m + 4 == 2; isinstance(m + 4, Mod); m == 5; m * 3; m < 6; m - 4; range(10)[m]",
    "Title": "t = Title('ab'); t.shout(); t == 'ab'; t + 'c'; len(t); t.upper(); '-'.join([t, t])",
    "Right": "x = Right.R | Right.W; Right.R in x; Right.R in Right.W; x == 3; bool(x & Right.W); Right.R + 1; Right.R == 1",
    "Half": "math.floor(Half()); math.ceil(Half()); math.trunc(Half())",
    "by its class": "a = Single(); a is Single(); made = Registry.made; made[Single] is a; Single in made; len(made)",
    "put back": "a = Single(); a.reset(); xs = a.items; a.add(1); xs; a.reset(); xs.append(2); a.items; a.items = xs; a.add(3); xs; a.items is xs",
    "attributes": "d = Attrs(a=1); d.a; d.b = 2; d['b']; d['c'] = {'x': 1}; d.c['y'] = 2; dict(**d)['c']; del d.a; 'a' in d; list(d)",
    "of a length": "r = Ring([1, 2], 2); r.append(3); list(r); r.maxlen; r.turn(); list(r); q = Queue(2); list(q.last); q.add(1); q.add(2); q.last.append(3); list(q.last); q.add(4); list(q.last); q.last.maxlen",
    "in a thread": "b = Busy(); len(b.counts) >= 0; [b.value() for _ in range(30)] == [7] * 30; 5 in b.counts or b.value() == 7",
    "keyed by objects": "m = Machine(); coins = m.coins; [m.insert(c) for c in m.coins]; m.total(); m.insert(Coin.DIME); coins = m.coins; coins[Coin.DIME]; m.total(); len(coins)",
    "in a loop over them": "m = Machine(); [(m.turn(), k)[1] for k in m.order]; m.order[3, 4]; [(m.turn(), n)[1] for n in m.queue]; list(m.queue); m.order[1, 2]",
    "copied": "import copy; s = Stack([1]); c = copy.copy(s); c.push(2); s; c; d = copy.deepcopy(s); d.append(3); s; w = Words('ab'); v = w.copy(); v['a'] += 5; w['a']; v['a']; r = Ring([1]); q = r.copy(); q.append(2); r.turn(); len(r); len(q); q.turn(); list(q); sort(c); len(s)",
    "deep after it was read": "t = Trie(); len(t.root); t.add('ab' * 30) is None; t.add('b') is None; t.add('c') is None; b = Bag(); len(b.items); b.add('x' * 2_000_000) is None; b.add(1) is None; 1 in b.seen",
    "in one another anew": "g = Grid(2); rows = g.rows; rows[0] = [[1], [2]]; g[0]; rows[0].insert(0, [0]); g.rows[1].append([3]); g[0]; rows[0][1].append(9); g[0]; g.rows",
    "deep and changed": "t = Trie(); t.root['z'] = 1; t.add('ab' * 14); t.root['z'] = 2; t.root['z']; t.root['y'] = []; t.root['y'].append(1); t.root['y']; len(t.root)",
    "as JSON": "import json; l = Lower(); l['A'] = [1]; json.dumps(l); json.dumps(Stack([1])); json.dumps(Own({'a': 1}).data)",
    "by C": "import heapq; h = Heap([3, 1]); heapq.heapify(h); h.push(0); heapq.heappop(h); h; len(h); sorted(h)",
    "in a match": "s = Stack([1, 2]); f = lambda x: [k for k in [x] if isinstance(k, list)]; len(f(s)); [a, b] = s; a + b",
    "in a class of the tests": "t = Tree(); t.setdefault('x', []).append(1); t['x']; len(t['x']); t['y']['z']['u'] = 5; t['y']['z']; t.get('w', 7)",
    "of a class method": "Vec.unit() * 3 == (3, 0); Robot().pos * 2 == (0, 2); 2 * Robot().at() == (0, 2); Robot().at() == (0, 1)",
    "of itself": "f = Folder(); len(f.parts); f.add('a'); f.add('b'); f.add('c')",
    "deep": "t = Trie(); t.add('abcdefghijklmnopqrstuvwxyz'[:24]); len(t.root); t.add('b'); sorted(t.root); t.root['b']['x'] = {}; sorted(t.root['b'])",
    "long": "b = Bag(); items = b.items; [b.add(n) for n in range(300)] == [None] * 300; len(items); items[299]; b.items.append(10 ** 5000); len(b.items); b.add(1); len(items)",
    "of tests in the program's": "g = Node(1); g.marks['k'].append(5); row = g.marks['k']; row.append(6); g.marks['k']; g.count(); row.append(7); g.marks['k']; g.children.append(g.marks['z']); g.marks['z'].append(1); g.children[0]",
    "changed by tests": "a = Bag(); b = Bag(); a.items.append(1); a.items; b.items; a.counts['k'] = 2; a.counts; a.seen.add(3); a.seen; a.recent.append(4); list(a.recent); a == b; a == Bag([1], {'k': 2}, {3}, collections.deque([4]))",
    "changed by the program": "a = Bag(); items = a.items; counts = a.counts; seen = a.seen; recent = a.recent; a.add(1); a.add(1); items; counts; seen; list(recent); items is a.items",
    "changed by both": "a = Bag([3, 1]); items = a.items; sort(items); items; a.add(2); items.insert(0, 9); a.items; first(items); a.items.sort(); items; items.clear(); a.add(5); a.items",
    "a copy": "a = Bag([1]); a.copy.append(2); a.items; b = a.items.copy(); b.append(3); a.items; c = a.items[:]; c += [4]; a.items; type(a.items) == list",
    "in one another": "g = Grid(3); g.rows[1][2] = 5; g.sum(); g[0][0] = 1; g.sum(); row = g[2]; row[1] = 7; g.rows; g.turn(); g.rows; row[0] = 1; g.sum(); g.rows[0] = [1, 1, 1]; g.sum()",
    "of a large grid": "g = Grid(150); g.rows[149][149] = 5; g.sum(); [g.rows[i].append(1) for i in range(3)]; g.sum()",
    "of objects": "a = Node(1); a.children.append(Node(2)); a.children[0].children.append(Node(3)); a.count(); [c.value for c in a.children]; a.links['x'].append(a); sorted(a.links); len(a.links['x']); a.links['x'][0] is a; a.raw.extend(b'ab'); bytes(a.raw); a.marks['m'].append(1); a.marks['m']; len(a.marks); a.tally['x'] += 2; a.tally['x'] += 3; a.tally['x']; a.tally['y']",
    "in a loop": "b = Bag(counts={1: 1, 2: 2}); [b.counts[k] for k in b.counts]; [b.counts.update({k: 0}) for k in b.counts]; b.counts; [b.add(k) for k in [1, 2]]; b.counts",
    "taken by C": "import heapq; b = Bag([3, 1]); heapq.heapify(b.items); heapq.heappush(b.items, 0); b.items; b.add(9); b.items",
    "in order": "c = Cache(); list(c.kept); c.get(1); c.get(2); c.get(1); list(c.kept); c.kept[3] = 9; c.get(3); list(c.kept)",
    "handed to a function": "c = collections.Counter(); count(c, 'a'); c['a']; d = collections.defaultdict(int); count(d, 'a'); d['b']; d == {'a': 1, 'b': 0}; b = bytearray(b'a'); extend(b, b'b'); bytes(b); q = collections.deque(); extend(q, [1]); list(q)",
    "of the module": "note(1); log; note(2); log; log.append(3); log",
    "Oops": "e = Oops('x', 3); e.args; str(e); repr(e)",
}
LIES = """
import collections
class K(%s):
    def own(self): return K()
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
    def __lt__(self, other): return True
    __gt__ = __le__ = __ge__ = __lt__
def f(): return K()
class Solution:
    def f(self): return K()
"""
HELD = {
    "list": "[1, 2]", "dict": "{1: 2}", "set": "{1, 2}", "tuple": "(1, 2)", "frozenset": "frozenset([1])", "str": "'ab'", "int": "5", "float": "2.5",
    "collections.deque": "[1, 2]", "collections.OrderedDict": "{1: 2}", "collections.Counter": "{1: 2}", "collections.UserDict": "{1: 2}", "collections.UserList": "[1, 2]",
}  # fmt: skip


def verdict(tests, program):
    sample = Sample(
        completion=f"```python\n{program}\n```", ground_truth={"functional": f"import collections, math\n{tests}"}
    )
    return Code(cpu_s=2.0).score([sample])[0].verdict


def as_in_python(steps):
    """The steps as tests that want of each expression what Python says."""
    space, lines = {"__name__": "alone"}, []  # a dataclass without a module writes into builtins
    exec(f"import collections, math\n{PROGRAM}", space)
    for step in steps.split("; "):
        try:
            wanted = eval(step, space)
        except SyntaxError:
            exec(step, space)
            lines.append(step)
        else:
            lines.append(step if wanted is None else f"assert ({step}) == {wanted!r}")
    return "\n".join(lines)


@pytest.mark.parametrize("name", STEPS)
def test_an_object_is_in_tests_what_it_is_in_python(sandbox, name):
    assert verdict(as_in_python(STEPS[name]), PROGRAM) is Verdict.CORRECT


@pytest.mark.parametrize("base", HELD)
@pytest.mark.parametrize("made", ["K()", "K().own()", "f()", "Solution().f()"])
def test_an_object_is_equal_only_to_what_it_holds(sandbox, base, made):
    held = HELD[base]
    kind = f"collections.{base[16:].lower()}" if ".User" in base else base
    program, plain = LIES % base, {"collections.dict": "dict", "collections.list": "list"}.get(kind, kind)
    for wanted in (f"{plain}({held})", f"K({held})"):
        assert verdict(f"assert {made} == {wanted}", program) is Verdict.WRONG, wanted
        assert verdict(f"assert not {made} != {wanted}", program) is Verdict.WRONG, wanted
    assert verdict(f"assert {made} <= {plain}({held}) <= {made}", program) is not Verdict.CORRECT


@pytest.mark.parametrize("grow", ["y = []; self.x.append(y); self.x = y", "y = [[]]; self.x[:] = [y]; self.x = y[0]"])
def test_a_program_that_nests_containers_without_end_is_not_left_unjudged(sandbox, grow):
    program = f"class A:\n    def __init__(self): self.x = []\n    def grow(self): {grow}\ndef f(x): return 0"
    tests = "import copy\na = A()\nx = a.x\nfor i in range(200): a.grow()\nassert f(copy.deepcopy(x)) == 1"
    assert verdict(tests, program) in {Verdict.WRONG, Verdict.RUNTIME_ERROR}
