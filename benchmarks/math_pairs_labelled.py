"""Labelled pairs: unions, set-builder, labelled values, systems, ratios, vectors, matrices."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from benchmarks.math_cases import Case, category, tex
from benchmarks.math_pairs_structures import _changed, _entries, _interval, _join


@category("all_but_some")
def all_but_some(rng: Random) -> Case:
    p = rng.randint(-12, 12)
    case = Case(
        rng.choice([f"(-\\infty, {p}) \\cup ({p}, \\infty)", f"x \\ne {p}", f"\\mathbb{{R}} \\setminus \\{{{p}\\}}"]),
        ("all but", p),
    )
    case.yes(f"(-\\infty, {p}) \\cup ({p}, \\infty)", "union")
    case.yes(f"x \\neq {p}", "not equal")
    case.yes(f"x \\ne {p}", "not equal")
    case.yes(f"\\mathbb{{R}} \\setminus \\{{{p}\\}}", "difference of sets")
    case.yes(f"x < {p} \\text{{ or }} x > {p}", "two inequalities")
    case.no(f"(-\\infty, {p + 1}) \\cup ({p + 1}, \\infty)", ("all but", p + 1), "other point")
    case.no(f"x = {p}", p, "equation")
    case.no(f"(-\\infty, {p}] \\cup [{p}, \\infty)", "all", "ends closed")
    case.no("\\mathbb{R}", "all", "everything")
    case.no(f"({p}, \\infty)", "half", "one part")
    return case


@category("all_reals_and_empty")
def all_reals_and_empty(rng: Random) -> Case:
    if rng.random() < 0.5:
        case = Case(rng.choice(["(-\\infty, \\infty)", "\\mathbb{R}", "\\text{all real numbers}"]), "all")
        for text in [
            "\\mathbb{R}",
            "(-\\infty, \\infty)",
            "(-\\infty, +\\infty)",
            "\\text{all real numbers}",
            "\\text{All real numbers}",
            "x \\in \\mathbb{R}",
            "(-\u221e, \u221e)",
            "\u211d",
        ]:
            case.yes(text, "all reals")
        for text, value in [
            ("\\emptyset", "none"),
            ("(0, \\infty)", "half"),
            ("\\mathbb{Z}", "integers"),
            ("\\mathbb{R} \\setminus \\{0\\}", "but zero"),
            ("x \\ge 0", "half"),
            ("\\mathbb{Q}", "rationals"),
            ("0", 0),
            ("\\text{no real numbers}", "none"),
        ]:
            case.no(text, value, "other set")
    else:
        case = Case(rng.choice(["\\emptyset", "\\varnothing", "\\{\\}"]), "none")
        for text in ["\\emptyset", "\\varnothing", "\\{\\}", "\u2205", "\\{ \\}"]:
            case.yes(text, "empty set")
        for text, value in [
            ("\\{0\\}", frozenset([0])),
            ("0", 0),
            ("\\mathbb{R}", "all"),
            ("\\{1\\}", frozenset([1])),
            ("(0, 1)", "interval"),
            (f"{rng.randint(1, 99)}", "number"),
        ]:
            case.no(text, value, "not empty")
    return case


@category("set_builder")
def set_builder(rng: Random) -> Case:
    low, high, left, right = _interval(rng)
    first, second = "<" if left == "(" else "\\le", "<" if right == ")" else "\\le"
    key = (low, high, left, right)
    chain = f"{tex(low)} {first} x {second} {tex(high)}"
    interval_text = f"{left}{tex(low)}, {tex(high)}{right}"
    case = Case(rng.choice([f"\\{{x \\mid {chain}\\}}", f"\\{{x | {chain}\\}}", interval_text]), key)
    case.yes(f"\\{{x \\mid {chain}\\}}", "set-builder")
    case.yes(f"\\{{x : {chain}\\}}", "colon")
    case.yes(f"\\left\\{{x \\in \\mathbb{{R}} \\mid {chain}\\right\\}}", "x in R")
    case.yes(f"\\{{x|{chain}\\}}", "bar")
    case.yes(interval_text, "interval")
    case.yes(chain, "inequality")
    case.yes(f"\\{{t \\mid {chain.replace('x', 't')}\\}}", "other letter")
    loose = {"<": "\\le", "\\le": "<"}
    case.no(
        f"\\{{x \\mid {tex(low)} {loose[first]} x {second} {tex(high)}\\}}", (low, high, "other", right), "left end"
    )
    case.no(f"\\{{x \\mid {tex(low)} {first} x {second} {tex(high + 1)}\\}}", (low, high + 1, left, right), "bound")
    case.no(f"\\{{{tex(low)}, {tex(high)}\\}}", frozenset([low, high]), "two elements")
    case.no(f"\\{{x \\mid x {second} {tex(high)}\\}}", ("below", high), "half of it")
    case.no(f"\\{{x \\in \\mathbb{{Z}} \\mid {chain}\\}}", "integers", "integers only")
    return case


@category("labelled_values")
def labelled_values(rng: Random) -> Case:
    one, two = rng.randint(2, 60), rng.randint(2, 60)
    while one == two:
        two = rng.randint(2, 60)
    first, second = rng.choice(
        [
            ("\\text{Maximum}", "\\text{Minimum}"),
            ("\\text{max}", "\\text{min}"),
            ("\\text{length}", "\\text{width}"),
            ("\\text{Area}", "\\text{Perimeter}"),
            ("\\text{mean}", "\\text{median}"),
            ("\\text{Alice}", "\\text{Bob}"),
        ]
    )
    key = ((first, one), (second, two))
    gold = f"{first} = {one}, {second} = {two}"
    case = Case(gold, frozenset(key))
    case.yes(f"{first} = {one}, {second} = {two}", "the same")
    case.yes(f"{second} = {two}, {first} = {one}", "other order")
    case.yes(f"{first}: {one}, {second}: {two}", "colons")
    case.yes(f"{first} = {one} \\text{{ and }} {second} = {two}", "and")
    case.yes(f"{first}={one},\\ {second}={two}", "spacing")
    case.yes(f"{first} = \\frac{{{2 * one}}}{{2}}, {second} = {two}", "a value rewritten")
    case.no(f"{first} = {two}, {second} = {one}", frozenset([(first, two), (second, one)]), "values swapped")
    case.no(f"{first} = {one + 1}, {second} = {two}", frozenset([(first, one + 1), (second, two)]), "first changed")
    case.no(f"{first} = {one}, {second} = {two + 1}", frozenset([(first, one), (second, two + 1)]), "second changed")
    case.no(f"{first} = {one}", frozenset([(first, one)]), "one left out")
    case.no(f"{second}: {one}, {first}: {two}", frozenset([(second, one), (first, two)]), "labels swapped")
    return case


@category("letters_assigned")
def letters_assigned(rng: Random) -> Case:
    """Several unknowns with their values; a bare list in the asked order is the same answer."""
    names = rng.choice([["a", "b", "c"], ["x", "y", "z"], ["p", "q", "r"], ["m", "n", "k"]])[: rng.choice([2, 3])]
    values = _entries(rng, len(names))
    pairs = list(zip(names, values, strict=True))
    key = frozenset(pairs)
    case = Case(", ".join(f"{name} = {tex(v)}" for name, v in pairs), key)
    case.yes(", ".join(f"{name}={tex(v)}" for name, v in pairs), "no blanks")
    case.yes(", ".join(f"{name} = {tex(v)}" for name, v in pairs[::-1]), "other order")
    case.yes("\\begin{cases} " + " \\\\ ".join(f"{name} = {tex(v)}" for name, v in pairs) + " \\end{cases}", "cases")
    case.yes(
        ", ".join(f"{name} = {tex(v)}" for name, v in pairs[:-1]) + f" \\text{{ and }} {names[-1]} = {tex(values[-1])}",
        "and",
    )
    case.yes(f"({', '.join(names)}) = ({_join(values)})", "tuple")
    case.yes("; ".join(f"{name} = {tex(v)}" for name, v in pairs), "semicolons")
    turned = values[1:] + values[:1]
    case.no(
        ", ".join(f"{name} = {tex(v)}" for name, v in zip(names, turned, strict=True)),
        frozenset(zip(names, turned, strict=True)),
        "values turned",
    )
    bad = _changed(rng, values)
    case.no(
        ", ".join(f"{name} = {tex(v)}" for name, v in zip(names, bad, strict=True)),
        frozenset(zip(names, bad, strict=True)),
        "a value changed",
    )
    case.no(f"{names[0]} = {tex(values[0])}", frozenset(pairs[:1]), "one of them")
    return case


@category("linear_system")
def linear_system(rng: Random) -> Case:
    p, q = rng.randint(-9, 9), rng.randint(-9, 9)
    while p == q:
        q = rng.randint(-9, 9)
    one, two = f"x + y = {p + q}", f"x - y = {p - q}"
    case = Case(
        rng.choice([f"x = {p}, y = {q}", f"\\begin{{cases}} x = {p} \\\\ y = {q} \\end{{cases}}", f"({p}, {q})"]),
        (p, q),
    )
    case.yes(f"x = {p}, y = {q}", "list")
    case.yes(f"x={p},\\; y={q}", "spacing")
    case.yes(f"\\begin{{cases}} x = {p} \\\\ y = {q} \\end{{cases}}", "cases")
    case.yes(f"\\left\\{{\\begin{{array}}{{l}} x = {p} \\\\ y = {q} \\end{{array}}\\right.", "array")
    case.yes(f"(x, y) = ({p}, {q})", "tuple")
    case.yes(f"x = {p} \\text{{ and }} y = {q}", "and")
    case.no(f"x = {q}, y = {p}", (q, p), "swapped")
    case.no(f"x = {p}, y = {q + 1}", (p, q + 1), "one off")
    case.no(
        f"\\begin{{cases}} x = {p} \\\\ y = {-q} \\end{{cases}}" if q else f"x = {p}, y = 5",
        (p, -q) if q else (p, 5),
        "sign",
    )
    case.no(f"x = {p}", p, "one unknown")
    case.no(f"{one}", "equation", "an equation of the system")
    case.no(f"(x, y) = ({q}, {p})", (q, p), f"swapped ({two})")
    return case


@category("ratio")
def ratio(rng: Random) -> Case:
    p, q = rng.randint(1, 12), rng.randint(2, 12)
    while p == q:
        q = rng.randint(2, 12)
    v = Fraction(p, q)
    a, b = v.numerator, v.denominator
    case = Case(rng.choice([f"{a}:{b}", f"{a} : {b}"]), v)
    case.yes(f"{a}:{b}", "colon")
    case.yes(f"{a} : {b}", "blanks")
    case.yes(f"{2 * a}:{2 * b}", "multiplied")
    case.yes(f"\\frac{{{a}}}{{{b}}}", "fraction")
    case.yes(f"{a}\\colon {b}", "TeX colon")
    case.yes(f"{a} \\text{{ to }} {b}", "to")
    case.no(f"{b}:{a}", Fraction(b, a), "turned")
    case.no(f"{a + 1}:{b}", Fraction(a + 1, b), "first term")
    case.no(f"{a}:{b + 1}", Fraction(a, b + 1), "second term")
    case.no(f"{a}:{b}:1", (a, b, 1), "third term")
    case.no(f"\\frac{{{b}}}{{{a}}}", Fraction(b, a), "fraction turned")
    case.no(f"{a}, {b}", frozenset([a, b]), "two numbers")
    return case


@category("ratio_of_three")
def ratio_of_three(rng: Random) -> Case:
    a, b, c = rng.sample(range(1, 14), 3)
    case = Case(f"{a}:{b}:{c}", (1, Fraction(b, a), Fraction(c, a)))
    case.yes(f"{a} : {b} : {c}", "blanks")
    case.yes(f"{a}:{b}:{c}", "the same")
    case.yes(f"{3 * a}:{3 * b}:{3 * c}", "multiplied")
    case.yes(f"{a}\\!:\\!{b}\\!:\\!{c}", "tight")
    case.no(f"{b}:{a}:{c}", (1, Fraction(a, b), Fraction(c, b)), "swapped")
    case.no(f"{a}:{b}:{c + 1}", (1, Fraction(b, a), Fraction(c + 1, a)), "last term")
    case.no(f"{a}:{b}", (1, Fraction(b, a)), "a term lost")
    case.no(f"{c}:{b}:{a}", (1, Fraction(b, c), Fraction(a, c)), "turned")
    case.no(f"{2 * a}:{b}:{c}", (1, Fraction(b, 2 * a), Fraction(c, 2 * a)), "one term doubled")
    return case


@category("vector")
def vector(rng: Random) -> Case:
    values = _entries(rng, rng.choice([2, 3, 4]))

    def column(items: list[int | Fraction], kind: str = "pmatrix", style: str = "frac") -> str:
        return f"\\begin{{{kind}}} " + " \\\\ ".join(tex(v, style) for v in items) + f" \\end{{{kind}}}"

    case = Case(column(values), tuple(values))
    case.yes(column(values, "bmatrix"), "square brackets")
    case.yes(column(values, style="slash"), "slashes")
    case.yes(column(values).replace(" ", ""), "no blanks")
    case.yes("\\left(\\begin{array}{c} " + " \\\\ ".join(tex(v) for v in values) + " \\end{array}\\right)", "array")
    case.yes(column(values, style="dfrac"), "dfrac")
    case.yes(column(values).replace(" \\\\ ", " \\\\[4pt] "), "line spacing")
    turned = values[1:] + values[:1]
    case.no(column(turned), tuple(turned), "entries turned")
    bad = _changed(rng, values)
    case.no(column(bad), tuple(bad), "an entry changed")
    case.no(column(values[:-1]) if len(values) > 2 else column([*values, 1]), "size", "other size")
    minus = [-v for v in values]
    case.no(column(minus), tuple(minus), "signs")
    return case


@category("matrix")
def matrix(rng: Random) -> Case:
    rows, columns = rng.choice([(2, 2), (2, 2), (2, 3), (3, 3), (3, 2)])
    grid = [[rng.randint(-9, 9) for _ in range(columns)] for _ in range(rows)]
    while rows == columns and all(grid[i][j] == grid[j][i] for i in range(rows) for j in range(columns)):
        grid[0][1] += 1

    def text(cells: list[list[int]], kind: str = "pmatrix") -> str:
        return f"\\begin{{{kind}}} " + " \\\\ ".join(" & ".join(map(str, row)) for row in cells) + f" \\end{{{kind}}}"

    def key(cells: list[list[int]]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(row) for row in cells)

    case = Case(text(grid, rng.choice(["pmatrix", "bmatrix"])), key(grid))
    case.yes(text(grid), "round")
    case.yes(text(grid, "bmatrix"), "square")
    case.yes(text(grid).replace(" ", ""), "no blanks")
    case.yes(
        "\\left[\\begin{array}{"
        + "c" * columns
        + "} "
        + " \\\\ ".join(" & ".join(map(str, row)) for row in grid)
        + " \\end{array}\\right]",
        "array",
    )
    case.yes(
        "\\begin{bmatrix} "
        + " \\\\ ".join(" & ".join(f"\\frac{{{2 * e}}}{{2}}" for e in row) for row in grid)
        + " \\end{bmatrix}",
        "entries unreduced",
    )
    bad = [row[:] for row in grid]
    bad[rng.randrange(rows)][rng.randrange(columns)] += rng.choice([1, -1, 10])
    case.no(text(bad), key(bad), "an entry changed")
    flipped = [list(column) for column in zip(*grid, strict=True)]
    case.no(text(flipped), key(flipped), "transposed")
    if grid[0] != grid[-1]:
        case.no(text(grid[::-1]), key(grid[::-1]), "rows turned")
    case.no(
        text([[2 * e for e in row] for row in grid]), key([[2 * e for e in row] for row in grid]), "doubled"
    ) if any(any(r) for r in grid) else None
    case.no(text(grid[:-1]), key(grid[:-1]), "a row lost")
    return case


@category("vector_of_letters")
def vector_of_letters(rng: Random) -> Case:
    p, q = rng.randint(2, 9), rng.randint(2, 9)
    case = Case(f"\\langle {p}, {q}, -1 \\rangle", (p, q, -1))
    case.yes(f"\\langle {p},{q},-1\\rangle", "no blanks")
    case.yes(f"\\left\\langle {p}, {q}, -1 \\right\\rangle", "sized")
    case.yes(f"\\langle \\frac{{{2 * p}}}{{2}}, {q}, -1 \\rangle", "unreduced")
    case.no(f"\\langle {q}, {p}, -1 \\rangle", (q, p, -1), "swapped") if p != q else None
    case.no(f"\\langle {p}, {q}, 1 \\rangle", (p, q, 1), "sign")
    case.no(f"\\langle {p}, {q} \\rangle", (p, q), "an entry lost")
    case.no(f"\\langle {p}, {q + 1}, -1 \\rangle", (p, q + 1, -1), "an entry changed")
    return case


@category("set_of_sets")
def set_of_sets(rng: Random) -> Case:
    a, b, c = rng.sample(range(1, 20), 3)
    case = Case(f"\\{{{a}, {b}\\}}, \\{{{c}\\}}", frozenset([frozenset([a, b]), frozenset([c])]))
    case.yes(f"\\{{{b}, {a}\\}}, \\{{{c}\\}}", "inner order")
    case.yes(f"\\{{{c}\\}}, \\{{{a}, {b}\\}}", "outer order")
    case.yes(f"\\{{{a},{b}\\}},\\{{{c}\\}}", "no blanks")
    case.yes(f"\\left\\{{{a}, {b}\\right\\}}, \\left\\{{{c}\\right\\}}", "sized")
    case.no(f"\\{{{a}\\}}, \\{{{b}, {c}\\}}", frozenset([frozenset([a]), frozenset([b, c])]), "other partition")
    case.no(f"\\{{{a}, {b}, {c}\\}}", frozenset([a, b, c]), "one set")
    case.no(f"\\{{{a}, {b}\\}}", frozenset([a, b]), "one lost")
    case.no(
        f"\\{{{a}, {b}\\}}, \\{{{c + 20}\\}}", frozenset([frozenset([a, b]), frozenset([c + 20])]), "an element changed"
    )
    return case


@category("congruence")
def congruence(rng: Random) -> Case:
    m = rng.randint(3, 30)
    r = rng.randint(1, m - 1)
    case = Case(f"x \\equiv {r} \\pmod{{{m}}}", (r, m))
    case.yes(f"x \\equiv {r} \\pmod {{{m}}}", "blank")
    case.yes(f"x\\equiv {r}\\ (\\bmod\\ {m})", "bmod")
    case.yes(f"x \\equiv {r} (\\mathrm{{mod}}\\ {m})", "upright mod")
    case.yes(f"x \\equiv {r} \\mod {m}", "mod")
    case.yes(f"x \u2261 {r} (mod {m})", "Unicode")
    case.no(f"x \\equiv {r} \\pmod{{{m + 1}}}", (r, m + 1), "modulus")
    case.no(f"x \\equiv {(r + 1) % m} \\pmod{{{m}}}", ((r + 1) % m, m), "residue")
    case.no(f"x = {r}", r, "one value")
    case.no(f"x \\equiv {r} \\pmod{{{2 * m}}}", (r, 2 * m), "modulus doubled")
    return case
