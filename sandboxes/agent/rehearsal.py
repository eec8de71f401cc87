"""What most programs do first, done once in the agent, and by each fork while it waits for its job.

The interpreter keeps notes of what it looked up or worked out: types' methods by name, how a function's arguments are named. A fork
that is the first to need one writes it on pages that are copied for that, and the next fork has to find out again. What a fork
has to copy all the same (to use an object is to write on it), it copies before anybody waits for it.
"""

import marshal
import os
from typing import Any

from .intake import SCRIPT, Texts
from .wire import LENGTHS, memfd

__all__ = ["Stage", "rehearse", "stage"]

PIECE = """
import sys
from collections import Counter, defaultdict, deque

def play(lines, out):
    n = int(lines.readline())
    a, b = map(int, lines.readline().split())
    rows = [list(map(int, line.split())) for line in lines]
    seen = Counter()
    for row in rows:
        seen[row[0]] += n
    lines.seek(0)
    words = lines.read().split()
    near, grid = deque([a]), defaultdict(list)
    grid[b].append(near.popleft())
    print(*sorted(seen.items(), key=lambda item: -item[1]), sep=" ", end="\\n", file=out, flush=True)
    print(max(seen.values(), default=0), min(words, key=len), sum(map(len, words)), f"{n:.2f}", file=out)
    out.write("")
    out.flush()
"""
FIRST = """
import sys
from collections import Counter, defaultdict, deque

def solve(n, words):
    rows = [list(map(int, line.split())) for line in words]
    seen = {}
    for i in range(n):
        seen[i] = seen.get(i, 0) + i % 2
    rows.append([max(seen.values()), n // 2])
    return " ".join(map(str, sorted(rows)[0]))

solve(int("2"), ["3 4"])
"""
INPUT = b"1\n2 3\n4 5\n"


def rehearse() -> None:
    """Twice, since some notes are made the second time."""
    names: dict[str, Any] = {"__name__": "rehearsal"}
    exec(PIECE, names)  # noqa: S102  (our own)
    for _ in range(2):
        file = memfd("rehearsal")
        os.pwrite(file, INPUT, 0)
        other = os.dup2(file, os.dup(file), inheritable=False)
        with os.fdopen(file, encoding="utf-8") as lines, os.fdopen(other, "w", encoding="utf-8") as out:
            names["play"](lines, out)


LIMITS = (1.0, 3.0, -1.0, 1 << 20, 512, 0, 1 << 20, 0)
Stage = tuple[int, int, Texts]
"""What a fork rehearses with: a job, where its report goes (nowhere), its program."""


def stage() -> Stage:
    """In the agent, once."""
    source, texts, null = (
        memfd("job"),
        (memfd("source"), memfd("code")),
        os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC),
    )
    order: Any = (SCRIPT, "", [], 0, False, 0, LIMITS, (-1, -1, len(INPUT), 0), [], False, "")
    header = marshal.dumps(order)
    os.pwrite(source, LENGTHS.pack(len(header), len(INPUT)) + header + INPUT, 0)
    text = FIRST.encode()
    os.lseek(texts[1], os.write(texts[1], marshal.dumps((text, compile(text, "main.py", "exec")))), os.SEEK_SET)
    return source, null, {"program": texts}
