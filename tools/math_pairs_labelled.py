"""Labelled pairs: unions, systems, ratios and labelled values."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from sympy import sqrt

from tools.math_cases import Case, category, signed, tex
from tools.math_pairs_structures import _interval


@category("scaled_matrix")
def scaled_matrix(rng: Random) -> Case:
    grid = [[rng.randint(-9, 9) for _ in range(2)] for _ in range(2)]
    while not any(any(row) for row in grid):
        grid[0][0] = rng.randint(1, 9)
    d = rng.randint(2, 7)

    def text(cells: list[list[str]], kind: str = "pmatrix") -> str:
        return f"\\begin{{{kind}}} " + " \\\\ ".join(" & ".join(row) for row in cells) + f" \\end{{{kind}}}"

    plain = [[str(e) for e in row] for row in grid]
    divided = [[tex(Fraction(e, d)) for e in row] for row in grid]
    case = Case(text(divided), tuple(tuple(Fraction(e, d) for e in row) for row in grid))
    case.yes(f"\\frac{{1}}{{{d}}}{text(plain)}", "factor in front")
    case.yes(f"\\frac{{1}}{{{d}}} \\cdot {text(plain, 'bmatrix')}", "factor and dot")
    case.yes(text(divided, "bmatrix"), "square brackets")
    case.yes(text([[tex(Fraction(e, d), "slash") for e in row] for row in grid]), "slashes")
    case.no(text(plain), tuple(tuple(map(Fraction, row)) for row in grid), "factor lost")
    case.no(f"{d}{text(plain)}", tuple(tuple(Fraction(e * d) for e in row) for row in grid), "multiplied instead")
    case.no(
        f"\\frac{{1}}{{{d + 1}}}{text(plain)}",
        tuple(tuple(Fraction(e, d + 1) for e in row) for row in grid),
        "other factor",
    )
    bad = [row[:] for row in grid]
    bad[1][0] += 1
    case.no(
        f"\\frac{{1}}{{{d}}}{text([[str(e) for e in row] for row in bad])}",
        tuple(tuple(Fraction(e, d) for e in row) for row in bad),
        "an entry changed",
    )
    return case


@category("unit_vectors")
def unit_vectors(rng: Random) -> Case:
    p, q, r = (rng.choice([-1, 1]) * rng.randint(2, 12) for _ in range(3))
    i, j, k = "\\mathbf{i}", "\\mathbf{j}", "\\mathbf{k}"
    case = Case(f"{p}{i}{signed(q)}{j}{signed(r)}{k}", (p, q, r))
    case.yes(f"{p}{i}{signed(q)}{j}{signed(r)}{k}", "the same")
    case.yes(f"{q}{j}{signed(p)}{i}{signed(r)}{k}", "commuted")
    case.yes(f"{r} {k}{signed(p)} {i}{signed(q)} {j}", "commuted, blanks")
    case.yes(f"\\frac{{{2 * p}}}{{2}}{i}{signed(q)}{j}{signed(r)}{k}", "unreduced")
    case.no(f"{p}{i}{signed(-q)}{j}{signed(r)}{k}", (p, -q, r), "sign")
    case.no(f"{p}{j}{signed(q)}{i}{signed(r)}{k}", (q, p, r), "swapped")
    case.no(f"{p}{i}{signed(q)}{j}", (p, q, 0), "one lost")
    case.no(f"{p}{i}{signed(q)}{j}{signed(r + 1)}{k}", (p, q, r + 1), "an entry changed")
    return case


@category("approximate_tail")
def approximate_tail(rng: Random) -> Case:
    """An exact value followed by its decimal approximation."""
    n, k = rng.choice([2, 3, 5, 6, 7]), rng.randint(2, 9)
    v = k * sqrt(n)
    near = f"{float(v):.2f}"
    case = Case(f"{k}\\sqrt{{{n}}}", v)
    case.yes(f"{k}\\sqrt{{{n}}} \\approx {near}", "with its approximation")
    case.yes(f"x = {k}\\sqrt{{{n}}} \\approx {near}", "named, with its approximation")
    case.yes(f"{k}\\sqrt{{{n}}}", "alone")
    case.yes(f"\\sqrt{{{k * k * n}}} \\approx {near}", "rewritten, with its approximation")
    case.no(near, Fraction(near), "the approximation alone")
    case.no(
        f"{k + 1}\\sqrt{{{n}}} \\approx {float((k + 1) * sqrt(n)):.2f}",
        (k + 1) * sqrt(n),
        "other value, with its approximation",
    )
    case.no(f"{k}\\sqrt{{{n + 1}}} \\approx {near}", k * sqrt(n + 1), "other value, with the right approximation")
    case.no(f"\\approx {near}", Fraction(near), "approximation only")
    return case


@category("currency_in_prose")
def currency_in_prose(rng: Random) -> Case:
    """Dollar amounts in a statement, where the dollar sign is money and not mathematics."""
    n, cents = rng.randint(2, 900), rng.choice(["", ".50", ".25", ".00"])
    w = n + rng.randint(1, 9)
    case = Case(f"{n}{cents}" if cents != ".00" else str(n), Fraction(f"{n}{cents or '.0'}"), raw=True)
    work = f"He pays ${w} first and gets ${rng.randint(2, 90)} back."
    for layout in [
        "{w} The answer is ${v}.",
        "{w} So the answer is \\${v}.",
        "{w} Answer: ${v}",
        "{w}\n#### {v}",
        "{w} The answer is {v} dollars.",
        "{w} $\\boxed{\\${v}}$",
        "{w} \\boxed{{v}\\text{ dollars}}",
        "{w} The final answer is **${v}**.",
    ]:
        case.yes(layout.replace("{w}", work).replace("{v}", f"{n}{cents}"), layout[4:24])
        case.no(
            layout.replace("{w}", work).replace("{v}", f"{w}{cents}"), Fraction(f"{w}{cents or '.0'}"), layout[4:24]
        )
    return case


@category("open_answers_wrong_kind")
def open_answers_wrong_kind(rng: Random) -> Case:
    """Answers of another kind than the gold."""
    p, q = rng.randint(2, 30), rng.randint(31, 60)
    gold, wrongs = rng.choice(
        [
            (
                f"({p}, {q})",
                [str(p), f"{p} + {q}", f"\\{{{p}, {q}\\}} \\cup \\{{0\\}}", f"[{p}, {q}]", f"y = {p}x + {q}"],
            ),
            (f"[{p}, {q}]", [f"({p}, {q})", f"\\{{{p}, {q}\\}}", str(q), f"{p} < x < {q}", f"[{q}, {p}]"]),
            (
                f"\\{{{p}, {q}\\}}",
                [str(p), f"{p} < x < {q}", f"[{p}, {q}]", f"\\{{{p}\\}}"],
            ),
            (f"y = {p}x + {q}", [f"{p}", f"({p}, {q})", f"y > {p}x + {q}", f"y = {p}x", f"{p}x + {q} = 0"]),
            (f"x > {p}", [str(p), f"x = {p}", f"x \\ge {p}", f"x < {p}", f"x \\ne {p}"]),
            (
                f"\\begin{{pmatrix}} {p} \\\\ {q} \\end{{pmatrix}}",
                [
                    str(p),
                    f"\\begin{{pmatrix}} {p} & {q} \\\\ {q} & {p} \\end{{pmatrix}}",
                    f"{p} + {q}",
                    f"\\begin{{pmatrix}} {q} \\\\ {p} \\end{{pmatrix}}",
                ],
            ),
            ("\\text{Yes}", [str(p), "\\text{No}", "x", f"({p}, {q})"]),
        ]
    )
    case = Case(gold, gold)
    for text in wrongs:
        case.no(text, text, "another kind")
    case.yes(gold, "the same")
    case.yes(f"{{{gold}}}", "braces")
    case.yes(f"\\displaystyle {gold}", "display style")
    case.yes(f" {gold} ", "blanks")
    case.yes(f"{gold}.", "full stop")
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
