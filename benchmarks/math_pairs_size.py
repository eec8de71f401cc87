"""Labelled pairs: answers that are long or deeply nested and still ordinary mathematics."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import sympy
from sympy import pi, sqrt

from benchmarks.math_cases import Case, category, other, term, tex


@category("long_polynomial")
def long_polynomial(rng: Random) -> Case:
    degree = rng.randint(12, 30)
    cs = {p: other(rng, 0, -30, 30) for p in range(degree + 1)}

    def text(coefficients: dict[int, int], order: list[int]) -> str:
        out = ""
        for p in order:
            out += term(coefficients[p], "" if p == 0 else "x" if p == 1 else f"x^{{{p}}}", first=not out)
        return out

    down = sorted(cs, reverse=True)
    shuffled = rng.sample(down, len(down))
    case = Case(text(cs, down), tuple(cs[p] for p in down))
    case.yes(text(cs, down[::-1]), "rising powers")
    case.yes(text(cs, shuffled), "shuffled")
    case.yes(f"-({text({p: -c for p, c in cs.items()}, down)})", "sign in front")
    for _ in range(3):
        bad = dict(cs)
        bad[rng.randrange(degree + 1)] += rng.choice([1, -1])
        if all(bad.values()):
            case.no(text(bad, shuffled), tuple(bad[p] for p in down), "a coefficient")
    case.no(text(cs, down[1:]), tuple(cs[p] for p in down[1:]), "first term lost")
    return case


@category("long_list")
def long_list(rng: Random) -> Case:
    values = rng.sample(range(-200, 900), rng.randint(15, 60))
    shuffled = rng.sample(values, len(values))

    def join(items: list[int]) -> str:
        return ", ".join(map(str, items))

    case = Case(rng.choice([join(values), f"\\{{{join(values)}\\}}"]), frozenset(values))
    case.yes(join(shuffled), "shuffled")
    case.yes(f"\\{{{join(shuffled)}\\}}", "set")
    case.yes(f"\\{{{join(sorted(values))}\\}}", "sorted")
    case.no(join(values[:-1]), frozenset(values[:-1]), "one lost")
    bad = [*shuffled[:-1], 999]
    case.no(join(bad), frozenset(bad), "one changed")
    case.no(f"\\{{{join([*values, 998])}\\}}", frozenset([*values, 998]), "one more")
    return case


@category("long_tuple")
def long_tuple(rng: Random) -> Case:
    values = [rng.randint(-50, 99) for _ in range(rng.randint(8, 30))]

    def join(items: list[int]) -> str:
        return f"({', '.join(map(str, items))})"

    case = Case(join(values), tuple(values))
    case.yes(join(values).replace(", ", ","), "no blanks")
    case.yes(join(values).replace("(", "\\left(").replace(")", "\\right)"), "sized")
    case.yes(join(values).replace(", ", ",\\ "), "spacing")
    swapped = values[:]
    swapped[0], swapped[-1] = swapped[-1], swapped[0]
    case.no(join(swapped), tuple(swapped), "two entries swapped")
    case.no(join(values[:-1]), tuple(values[:-1]), "one lost")
    at = rng.randrange(len(values))
    bad = [v + (i == at) for i, v in enumerate(values)]
    case.no(join(bad), tuple(bad), "one changed")
    return case


@category("big_matrix")
def big_matrix(rng: Random) -> Case:
    size = rng.randint(4, 7)
    grid = [[rng.randint(-20, 20) for _ in range(size)] for _ in range(size)]

    def text(cells: list[list[int]], kind: str = "pmatrix") -> str:
        return f"\\begin{{{kind}}}" + "\\\\".join("&".join(map(str, row)) for row in cells) + f"\\end{{{kind}}}"

    def key(cells: list[list[int]]) -> tuple[tuple[int, ...], ...]:
        return tuple(map(tuple, cells))

    case = Case(text(grid), key(grid))
    case.yes(text(grid, "bmatrix"), "square brackets")
    case.yes(text(grid).replace("&", " & ").replace("\\\\", " \\\\\n"), "blanks and lines")
    case.yes(text(grid).replace("pmatrix", "bmatrix").replace("\\\\", " \\\\ "), "blanks")
    for _ in range(2):
        bad = [row[:] for row in grid]
        bad[rng.randrange(size)][rng.randrange(size)] += 1
        case.no(text(bad), key(bad), "an entry")
    case.no(text(grid[::-1]), key(grid[::-1]), "rows turned")
    flipped = [list(column) for column in zip(*grid, strict=True)]
    case.no(text(flipped), key(flipped), "transposed")
    return case


@category("sum_of_many_roots")
def sum_of_many_roots(rng: Random) -> Case:
    radicands = rng.sample([2, 3, 5, 6, 7, 10, 11, 13, 14, 15, 17, 19, 21, 22, 23], rng.randint(5, 10))
    cs = {n: other(rng, 0, -9, 9) for n in radicands}

    def text(coefficients: dict[int, int], order: list[int]) -> str:
        out = ""
        for n in order:
            out += term(coefficients[n], f"\\sqrt{{{n}}}", first=not out)
        return out

    case = Case(text(cs, radicands), sum(c * sqrt(n) for n, c in cs.items()))
    case.yes(text(cs, radicands[::-1]), "turned")
    case.yes(text(cs, sorted(radicands)), "sorted")
    case.yes(f"\\frac{{{text({n: 2 * c for n, c in cs.items()}, sorted(radicands))}}}{{2}}", "over two")
    for n in rng.sample(radicands, 3):
        bad = {**cs, n: cs[n] + 1}
        if bad[n]:
            case.no(text(bad, radicands), sum(c * sqrt(m) for m, c in bad.items()), "a coefficient")
        flipped = {**cs, n: -cs[n]}
        case.no(text(flipped, radicands), sum(c * sqrt(m) for m, c in flipped.items()), "a sign")
    return case


@category("continued_fraction")
def continued_fraction(rng: Random) -> Case:
    parts = [rng.randint(1, 9) for _ in range(rng.randint(3, 14))]
    if parts[-1] == 1:
        parts[-1] = 2

    def value(items: list[int]) -> Fraction:
        out = Fraction(items[-1])
        for item in items[-2::-1]:
            out = item + 1 / out
        return out

    def text(items: list[int], command: str) -> str:
        out = str(items[-1])
        for item in items[-2::-1]:
            out = f"{item} + {command}{{1}}{{{out}}}"
        return out

    v = value(parts)
    case = Case(tex(v), v)
    case.yes(text(parts, "\\frac"), "nested")
    case.yes(text(parts, "\\cfrac"), "cfrac")
    case.yes(text(parts, "\\dfrac"), "dfrac")
    for at in rng.sample(range(len(parts)), 3):
        bad = [p + (i == at) for i, p in enumerate(parts)]
        case.no(text(bad, "\\cfrac"), value(bad), "a partial quotient")
    case.no(text(parts[:-1], "\\frac"), value(parts[:-1]), "cut short")
    return case


@category("nested_radicals")
def nested_radicals(rng: Random) -> Case:
    depth = rng.randint(2, 8)
    text = "\\sqrt{2}"
    for _ in range(depth - 1):
        text = f"\\sqrt{{2 + {text}}}"
    worth = 2 * sympy.cos(pi / 2 ** (depth + 1))
    cosine = f"2\\cos\\frac{{\\pi}}{{{2 ** (depth + 1)}}}"
    case = Case(rng.choice([text, cosine]), worth)
    case.yes(text, "nested")
    case.yes(cosine, "cosine")
    case.yes(text.replace("2 + ", "2+"), "no blanks")
    case.yes(cosine.replace("\\cos\\frac", "\\cos \\left(\\frac") + "\\right)", "brackets")
    case.no(f"\\sqrt{{2 + {text}}}", 2 * sympy.cos(pi / 2 ** (depth + 2)), "one deeper")
    case.no("2", sympy.Integer(2), "the limit")
    case.no(f"2\\sin\\frac{{\\pi}}{{{2 ** (depth + 1)}}}", 2 * sympy.sin(pi / 2 ** (depth + 1)), "sine")
    case.no(f"\\sqrt{{2 - {text}}}", sqrt(2 - worth), "sign")
    return case


@category("small_towers")
def small_towers(rng: Random) -> Case:
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                "65536",
                65536,
                ["2^{2^{2^{2}}}", "2^{16}", "4^{8}", "16^4", "(2^8)^2"],
                [("2^{2^{2^{3}}}", 2**256), ("((2^2)^2)^3", 4096), ("2^{15}", 2**15)],
            ),
            (
                "3^{27}",
                3**27,
                ["3^{3^{3}}", "27^9", "7625597484987"],
                [("(3^3)^3", 3**9), ("27^{27}", 27**27), ("3^{9}", 3**9)],
            ),
            (
                "2^{100}",
                2**100,
                ["4^{50}", "1024^{10}", "2^{10^2}", "(2^{10})^{10}"],
                [("2^{10} \\cdot 10", 10240), ("(2^{10})^2", 2**20), ("2^{1000}", 2**1000)],
            ),
            (
                "10^{12}",
                10**12,
                ["(10^3)^4", "1{,}000{,}000{,}000{,}000", "10^6 \\cdot 10^6", "\\frac{10^{20}}{10^8}"],
                [("10^{3^4}", 10**81), ("10^6 + 10^6", 2 * 10**6), ("10^{11}", 10**11)],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in [gold, *rights]:
        case.yes(text, "the same number")
    for text, bad in wrongs:
        case.no(text, bad, "another number")
    for d in (1, -1, 2):
        case.no(f"{gold} + {d}" if d > 0 else f"{gold} - 1", worth + d, "near")
    case.no(f"2 \\cdot {gold}", 2 * worth, "doubled")
    return case


@category("long_text_answer")
def long_text_answer(rng: Random) -> Case:
    words = [
        "the",
        "set",
        "of",
        "all",
        "points",
        "on",
        "perpendicular",
        "bisector",
        "through",
        "vertex",
        "without",
        "midpoint",
        "segment",
        "circle",
        "inside",
    ]
    chosen = [rng.choice(words) for _ in range(rng.randint(12, 40))]
    chosen[-1] = rng.choice(["midpoint", "segment", "circle", "vertex"])
    sentence = " ".join(chosen)
    case = Case(f"\\text{{{sentence}}}", sentence)
    case.yes(f"\\text{{{sentence.capitalize()}}}", "capital")
    case.yes(f"\\text{{{sentence}.}}", "full stop")
    case.yes(sentence, "plain")
    case.no(f"\\text{{{' '.join(chosen[:-1])}}}", " ".join(chosen[:-1]), "last word lost")
    case.no(f"\\text{{not {sentence}}}", f"not {sentence}", "negated")
    case.no(f"\\text{{{' '.join([*chosen[:-1], 'nowhere'])}}}", "other", "last word changed")
    return case
