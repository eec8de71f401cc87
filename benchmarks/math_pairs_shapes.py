"""Labelled pairs: curves, scaled matrices, unit vectors, lists and names in other dress, constants."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import sympy
from sympy import E, pi, sqrt

from benchmarks.math_cases import Case, category, other, polynomial, signed, tex
from benchmarks.math_pairs_near import x


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


@category("lists_in_other_dress")
def lists_in_other_dress(rng: Random) -> Case:
    values = sorted(rng.sample(range(-30, 60), 3))
    p, q, r = values
    case = Case(f"{p}, {q}, {r}", frozenset(values))
    for text in [
        f"{p}, {q} \\text{{, and }} {r}",
        f"{r}, {q}, \\text{{ and }} {p}",
        f"{p}; {q}; {r}",
        f"x \\in \\{{{q}, {p}, {r}\\}}",
        f"x = {p}, x = {q}, x = {r}",
        f"x = {p} \\lor x = {q} \\lor x = {r}",
        f"x_1 = {p}, x_2 = {q}, x_3 = {r}",
        f"\\text{{{p}, {q} and {r}}}",
        f"\\{{{r}; {p}; {q}\\}}",
        f"{p},\\quad {q},\\quad {r}",
        f"x = {p}, {q}, {r}",
        f"\\{{ {p}, {q}, {r} \\}}",
    ]:
        case.yes(text, "other dress")
    for text, bad in [
        (f"{p}, {q}", [p, q]),
        (f"{p}, {q}, {r + 1}", [p, q, r + 1]),
        (f"x = {p} \\lor x = {q}", [p, q]),
        (f"x_1 = {p}, x_2 = {q}, x_3 = {-r - 1}", [p, q, -r - 1]),
        (f"\\{{{p}, {q}, {r}, {r + 1}\\}}", [p, q, r, r + 1]),
        (f"{p}{q}{r}" if min(values) > 0 else f"{p} + {q} + {r}", [p + q + r, 0]),
        (f"[{p}, {r}]", [p, r]),
    ]:
        case.no(text, frozenset(bad), "other list")
    return case


@category("named_results")
def named_results(rng: Random) -> Case:
    """Geometry and probability labels in front of the value."""
    n, d = rng.randint(2, 90), rng.randint(2, 9)
    v = Fraction(n, d)
    name = rng.choice(
        [
            "\\overline{AB}",
            "AB",
            "|AB|",
            "\\triangle ABC",
            "[ABC]",
            "S_{ABC}",
            "P(X = 2)",
            "P(A \\cap B)",
            "E[X]",
            "\\mathbb{E}(X)",
            "f'(2)",
            "f^{-1}(3)",
            "\\angle BAC",
            "m\\angle ABC",
            "a_{2024}",
            "S_{10}",
            "\\frac{AB}{CD}",
            "\\text{Probability}",
            "\\text{Area}",
            "\\text{The area}",
            "x_{\\max}",
            "\\cos A",
            "\\tan\\theta",
            "|z|^2",
            "d",
            "\\lambda",
            "\\text{Var}(X)",
        ]
    )
    named = rng.random() < 0.4
    case = Case(f"{name} = {tex(v)}" if named else tex(v), v)
    case.yes(f"{name} = {tex(v)}", "named")
    case.yes(tex(v), "value")
    case.yes(f"{name} = {tex(v, 'slash')}", "named, slash")
    case.yes(f"{name}={tex(v, 'dfrac')}", "named, dfrac")
    case.no(f"{name} = {tex(v + 1)}", v + 1, "one more")
    case.no(f"{name} = {tex(-v)}", -v, "sign")
    case.no(tex(v + Fraction(1, 7)), v + Fraction(1, 7), "other value")
    case.no(f"{name} = {tex(v)} + 1", v + 1, "plus one")
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


@category("constants_named")
def constants_named(rng: Random) -> Case:
    k = rng.randint(2, 9)
    gold, worth, rights, wrongs = rng.choice(
        [
            (
                f"{k}e",
                k * E,
                [f"{k}\\mathrm{{e}}", f"{k}\\cdot e", f"{k}\\exp(1)", f"{k}e^1", f"{k}*e"],
                [(f"{k}e^2", k * E**2), (f"{k}\\pi", k * pi), (f"{k}x", k * x), (f"{k}", k)],
            ),
            (
                f"\\frac{{e}}{{{k}}}",
                E / k,
                [f"e/{k}", f"\\frac{{1}}{{{k}}}e", f"\\frac{{\\mathrm{{e}}}}{{{k}}}", f"e \\cdot {k}^{{-1}}"],
                [
                    (f"\\frac{{{k}}}{{e}}", k / E),
                    (f"\\frac{{e^{k}}}{{{k}}}", E**k / k),
                    (f"\\frac{{\\pi}}{{{k}}}", pi / k),
                ],
            ),
            (
                f"{k}\\phi",
                k * sympy.Symbol("phi"),
                [f"\\phi \\cdot {k}", f"{k} \\phi", f"{k}\\cdot\\phi"],
                [
                    (f"{k}\\varphi^2", "other"),
                    (f"{k}\\psi", k * sympy.Symbol("psi")),
                    (f"{k + 1}\\phi", (k + 1) * sympy.Symbol("phi")),
                ],
            ),
            (
                f"\\frac{{\\pi^2}}{{{k}}}",
                pi**2 / k,
                [f"\\frac{{1}}{{{k}}}\\pi^2", f"\\pi^{{2}}/{k}", f"pi^2/{k}", f"\\frac{{\\pi \\cdot \\pi}}{{{k}}}"],
                [
                    (f"\\frac{{\\pi}}{{{k}}}", pi / k),
                    (f"\\left(\\frac{{\\pi}}{{{k}}}\\right)^2", (pi / k) ** 2),
                    (f"\\frac{{2\\pi}}{{{k}}}", 2 * pi / k),
                ],
            ),
        ]
    )
    case = Case(gold, worth)
    for text in [gold, *rights]:
        case.yes(text, "the same value")
    for text, bad in wrongs:
        case.no(text, bad, "another value")
    case.no(f"{gold} - 1", worth - 1, "one less")
    return case


@category("quotient_polynomials")
def quotient_polynomials(rng: Random) -> Case:
    """Expanded products of three factors and their quotients."""
    p, q, r = (other(rng, 0, -6, 6) for _ in range(3))
    worth = sympy.expand((x + p) * (x + q) * (x + r))
    cs = [int(e) for e in sympy.Poly(worth, x).all_coeffs()]
    f = "".join(f"(x {signed(v).strip()})" for v in (p, q, r))
    case = Case(rng.choice([f, polynomial(cs)]), worth)
    case.yes(f, "factored")
    case.yes(polynomial(cs), "expanded")
    case.yes("".join(f"(x {signed(v).strip()})" for v in (r, p, q)), "other order")
    case.yes(
        f"x^3{signed(p + q + r)}x^2{signed(p * q + q * r + p * r)}x{signed(p * q * r)}", "with ones and zeros written"
    )
    case.yes(f"-(-x {signed(-p).strip()})(x {signed(q).strip()})(x {signed(r).strip()})", "sign in a factor")
    for at in (1, 2, 3):
        bad = cs[:]
        bad[at] += rng.choice([1, -1])
        case.no(polynomial(bad), sum(v * x ** (3 - i) for i, v in enumerate(bad)), "a coefficient")
    case.no(
        f"(x {signed(-p).strip()})(x {signed(q).strip()})(x {signed(r).strip()})",
        (x - p) * (x + q) * (x + r),
        "a root's sign",
    )
    case.no(f"(x {signed(p).strip()})(x {signed(q).strip()})", (x + p) * (x + q), "a factor lost")
    return case
