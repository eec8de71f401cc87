"""Labelled pairs: tuples, sets, lists, intervals, inequalities."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from sympy import sqrt

from benchmarks.math_cases import Case, category, signed, tex


def _entries(rng: Random, count: int) -> list[int | Fraction]:
    """Different numbers, mostly whole."""
    out: list[int | Fraction] = []
    while len(out) < count:
        draw: int | Fraction = (
            rng.randint(-20, 30) if rng.random() < 0.8 else Fraction(rng.randint(1, 9), rng.choice([2, 3, 4, 5]))
        )
        if draw not in out:
            out.append(draw)
    return out


def _join(values: list[int | Fraction], mark: str = ", ") -> str:
    return mark.join(tex(v) for v in values)


def _changed(rng: Random, values: list[int | Fraction]) -> list[int | Fraction]:
    at = rng.randrange(len(values))
    return [v + rng.choice([1, -1, 10]) if i == at else v for i, v in enumerate(values)]


def _interval(rng: Random) -> tuple[int | Fraction, int | Fraction, str, str]:
    low = rng.randint(-12, 8)
    high: int | Fraction = low + rng.randint(1, 15)
    if rng.random() < 0.25:
        high += Fraction(1, rng.choice([2, 3, 4]))
    return low, high, rng.choice("(["), rng.choice(")]")


@category("tuple")
def tuple_(rng: Random) -> Case:
    values = _entries(rng, rng.choice([2, 2, 3, 4]))
    body = _join(values)
    case = Case(rng.choice([f"({body})", f"\\left({body}\\right)", f"$({body})$"]), tuple(values))
    case.yes(f"({body})", "brackets")
    case.yes(f"\\left({body}\\right)", "sized brackets")
    case.yes(f"\\left( {_join(values, ' , ')} \\right)", "blanks")
    case.yes(f"\\bigl({body}\\bigr)", "big brackets")
    case.yes(f"({_join(values, ',')})", "no blanks")
    case.yes(f"({_join(values, ', ' + chr(92) + ' ')})", "spacing commands")
    case.yes(f"\\big({_join(values, ',' + chr(92) + ',')}\\big)", "thin spaces")
    case.yes(
        "(" + ", ".join(f"\\frac{{{2 * v}}}{{2}}" if isinstance(v, int) else tex(v) for v in values) + ")",
        "entries unreduced",
    )
    turned = values[1:] + values[:1]
    case.no(f"({_join(turned)})", tuple(turned), "entries turned")
    bad = _changed(rng, values)
    case.no(f"({_join(bad)})", tuple(bad), "an entry changed")
    case.no(f"({_join(values[:-1])})", tuple(values[:-1]), "an entry lost")
    case.no(f"({_join([*values, 0])})", (*values, 0), "an entry more")
    minus = [-v for v in values]
    case.no(f"({_join(minus)})", tuple(minus), "signs")
    return case


@category("tuple_labelled")
def tuple_labelled(rng: Random) -> Case:
    values = _entries(rng, rng.choice([2, 3]))
    names = rng.choice([["x", "y", "z"], ["a", "b", "c"], ["m", "n", "p"], ["r", "s", "t"]])[: len(values)]
    body, letters = _join(values), ", ".join(names)
    case = Case(rng.choice([f"({body})", f"({letters}) = ({body})"]), tuple(values))
    case.yes(f"({letters}) = ({body})", "named tuple")
    case.yes(f"\\left({letters}\\right) = \\left({body}\\right)", "named, sized")
    case.yes(f"({body})", "tuple alone")
    case.yes(", ".join(f"{name} = {tex(v)}" for name, v in zip(names, values, strict=True)), "one by one")
    case.yes(", \\ ".join(f"{name}={tex(v)}" for name, v in zip(names, values, strict=True)), "one by one with spacing")
    bad = _changed(rng, values)
    case.no(f"({letters}) = ({_join(bad)})", tuple(bad), "an entry changed")
    turned = values[1:] + values[:1]
    case.no(
        ", ".join(f"{name} = {tex(v)}" for name, v in zip(names, turned, strict=True)), tuple(turned), "values turned"
    )
    case.no(f"({letters}) = ({_join(turned)})", tuple(turned), "values turned")
    case.no(f"{names[0]} = {tex(values[0])}", values[0], "one of them")
    return case


@category("tuple_list")
def tuple_list(rng: Random) -> Case:
    points = [tuple(_entries(rng, 2)) for _ in range(rng.choice([2, 3, 4]))]
    key = frozenset(points)
    if len(key) < len(points):
        return tuple_list(rng)

    def show(items: list[tuple[int | Fraction, ...]], mark: str = ", ") -> str:
        return mark.join(f"({_join(list(p))})" for p in items)

    shuffled = points[::-1]
    case = Case(rng.choice([show(points), f"\\{{{show(points)}\\}}"]), key)
    case.yes(show(shuffled), "other order")
    case.yes(f"\\{{{show(shuffled)}\\}}", "set")
    case.yes(show(points), "the same")
    case.yes(f"{show(points[:-1])} \\text{{ and }} {show(points[-1:])}", "and")
    case.yes(f"\\left\\{{{show(points, ',')}\\right\\}}", "sized braces")
    case.yes(show(shuffled, ",\\ "), "spacing commands")
    case.no(show(points[:-1]), frozenset(points[:-1]), "one lost") if len(points) > 2 else case.no(
        show(points[:1]), points[0], "one lost"
    )
    bad = [points[0][::-1], *points[1:]]
    if frozenset(bad) != key and points[0] != points[0][::-1]:
        case.no(show(bad), frozenset(bad), "a pair turned")
    worse = [tuple(_changed(rng, list(points[0]))), *points[1:]]
    if len(frozenset(worse)) == len(points) and frozenset(worse) != key:
        case.no(show(worse), frozenset(worse), "an entry changed")
    more = [*points, (77, 78)]
    case.no(show(more), frozenset(more), "one more")
    return case


@category("set")
def set_(rng: Random) -> Case:
    values = _entries(rng, rng.choice([2, 3, 4, 5]))
    key = frozenset(values)
    shuffled = rng.sample(values, len(values))
    case = Case(rng.choice([f"\\{{{_join(values)}\\}}", f"\\left\\{{{_join(values)}\\right\\}}"]), key)
    case.yes(f"\\{{{_join(shuffled)}\\}}", "other order")
    case.yes(f"\\left\\{{{_join(shuffled)}\\right\\}}", "sized braces")
    case.yes(f"\\lbrace {_join(shuffled)} \\rbrace", "lbrace")
    case.yes(f"\\{{{_join(values, ',')}\\}}", "no blanks")
    case.yes(_join(shuffled), "no braces")
    case.yes(f"\\{{{_join(values, ';' + ' ')}\\}}", "semicolons")
    case.no(f"\\{{{_join(values[:-1])}\\}}", frozenset(values[:-1]), "an element lost")
    bad = _changed(rng, values)
    if len(set(bad)) == len(bad):
        case.no(f"\\{{{_join(bad)}\\}}", frozenset(bad), "an element changed")
    case.no(f"\\{{{_join([*values, 91])}\\}}", frozenset([*values, 91]), "an element more")
    case.no(f"\\{{{_join([-v for v in values])}\\}}", frozenset(-v for v in values), "signs") if frozenset(
        -v for v in values
    ) != key else None
    return case


@category("list_any_order")
def list_any_order(rng: Random) -> Case:
    values = _entries(rng, rng.choice([2, 3, 4]))
    key = frozenset(values)
    shuffled = values[::-1]
    case = Case(
        rng.choice([_join(values), _join(values, ","), f"{_join(values[:-1])} \\text{{ and }} {tex(values[-1])}"]), key
    )
    case.yes(_join(shuffled), "other order")
    case.yes(f"{_join(shuffled[:-1])} \\text{{ and }} {tex(shuffled[-1])}", "and")
    case.yes(f"\\{{{_join(shuffled)}\\}}", "braces")
    case.yes(f"x = {_join(values)}", "named")
    case.yes(", ".join(f"x = {tex(v)}" for v in shuffled), "each named")
    case.yes(" \\text{ or } ".join(f"x = {tex(v)}" for v in values), "or between all solutions")
    case.yes(", ".join(f"x_{i + 1} = {tex(v)}" for i, v in enumerate(values)), "indexed")
    case.yes(_join(shuffled, ",\\quad "), "spacing")
    case.no(_join(values[:-1]), frozenset(values[:-1]) if len(values) > 2 else values[0], "one lost")
    bad = _changed(rng, values)
    if len(set(bad)) == len(bad):
        case.no(_join(bad), frozenset(bad), "one changed")
        case.no(" \\text{ or } ".join(f"x = {tex(v)}" for v in bad), frozenset(bad), "one changed, with or")
    case.no(_join([*values, 93]), frozenset([*values, 93]), "one more")
    case.no(
        f"{_join(values[:-1])} \\text{{ and }} {tex(values[-1] + 1)}",
        frozenset([*values[:-1], values[-1] + 1]),
        "last changed",
    ) if values[-1] + 1 not in values else None
    return case


@category("surd_list")
def surd_list(rng: Random) -> Case:
    p, q, d = rng.randint(-9, 9), rng.randint(1, 6), rng.choice([2, 3, 5, 6, 7])
    one, two = p + q * sqrt(d), p - q * sqrt(d)
    root = f"{'' if q == 1 else q}\\sqrt{{{d}}}"
    lead = "" if p == 0 else str(p)
    plus, minus = (f"{lead} + {root}", f"{lead} - {root}") if lead else (root, f"-{root}")
    key = frozenset([one, two])
    case = Case(rng.choice([f"{lead} \\pm {root}".strip(), f"{plus}, {minus}"]), key)
    case.yes(f"{minus}, {plus}", "two values")
    case.yes(f"{lead} \\pm {root}".strip(), "plus-minus")
    case.yes(f"x = {lead} \\pm {root}".strip(), "plus-minus, named")
    case.yes(f"\\{{{plus}, {minus}\\}}", "set")
    case.yes(f"\\frac{{{2 * p} \\pm {2 * q}\\sqrt{{{d}}}}}{{2}}" if p else f"\\pm \\sqrt{{{q * q * d}}}", "fraction")
    case.yes(f"x = {plus} \\text{{ or }} x = {minus}", "or")
    case.no(plus, one, "one of them")
    case.no(minus, two, "one of them")
    case.no(
        f"{lead} \\pm {q + 1}\\sqrt{{{d}}}".strip(),
        frozenset([p + (q + 1) * sqrt(d), p - (q + 1) * sqrt(d)]),
        "coefficient",
    )
    case.no(f"{p + 1} \\pm {root}", frozenset([p + 1 + q * sqrt(d), p + 1 - q * sqrt(d)]), "middle")
    case.no(f"{plus}, {lead} + {q + 1}\\sqrt{{{d}}}", frozenset([one, p + (q + 1) * sqrt(d)]), "second changed")
    return case


@category("plus_minus")
def plus_minus(rng: Random) -> Case:
    v = rng.randint(1, 60)
    case = Case(rng.choice([f"\\pm {v}", f"\\pm{v}", f"-{v}, {v}"]), frozenset([v, -v]))
    case.yes(f"\\pm {v}", "plus-minus")
    case.yes(f"\u00b1{v}", "Unicode")
    case.yes(f"{v}, -{v}", "two values")
    case.yes(f"\\{{-{v}, {v}\\}}", "set")
    case.yes(f"x = \\pm {v}", "named")
    case.yes(f"{v} \\text{{ and }} -{v}", "and")
    case.yes(f"\\mp {v}", "minus-plus")
    case.yes(f"+{v}, -{v}", "with both signs")
    case.no(str(v), v, "one of them")
    case.no(f"-{v}", -v, "one of them")
    case.no(f"\\pm {v + 1}", frozenset([v + 1, -v - 1]), "value")
    case.no(f"-{v}, 0, {v}", frozenset([v, 0, -v]), "zero added")
    case.no(f"{v}, {v + 1}", frozenset([v, v + 1]), "other second")
    return case


@category("interval")
def interval(rng: Random) -> Case:
    low, high, left, right = _interval(rng)
    key = ("interval", low, high, left, right)
    case = Case(f"{left}{tex(low)}, {tex(high)}{right}", key)
    case.yes(f"\\left{left}{tex(low)}, {tex(high)}\\right{right}", "sized")
    case.yes(f"{left}{tex(low)},{tex(high)}{right}", "no blank")
    case.yes(f"x \\in {left}{tex(low)}, {tex(high)}{right}", "x in")
    case.yes(f"{left}\\frac{{{2 * low}}}{{2}}, {tex(high)}{right}", "end unreduced")
    case.yes(f"\\bigl{left}{tex(low)}, {tex(high)}\\bigr{right}", "big")
    other_left, other_right = "[" if left == "(" else "(", "]" if right == ")" else ")"
    case.no(f"{other_left}{tex(low)}, {tex(high)}{right}", ("interval", low, high, other_left, right), "left end")
    case.no(f"{left}{tex(low)}, {tex(high)}{other_right}", ("interval", low, high, left, other_right), "right end")
    case.no(f"{left}{tex(low)}, {tex(high + 1)}{right}", ("interval", low, high + 1, left, right), "upper end")
    case.no(f"{left}{tex(low - 1)}, {tex(high)}{right}", ("interval", low - 1, high, left, right), "lower end")
    case.no(f"{left}{tex(low)}, \\infty)", ("interval", low, "inf", left, ")"), "unbounded")
    return case


@category("interval_unbounded")
def interval_unbounded(rng: Random) -> Case:
    p, closed, up = rng.randint(-20, 20), rng.random() < 0.5, rng.random() < 0.5
    key = (p, closed, up)
    left, right = "[" if closed else "(", "]" if closed else ")"
    case = Case(f"{left}{p}, \\infty)" if up else f"(-\\infty, {p}{right}", key)
    if up:
        case.yes(f"\\left{left}{p}, \\infty\\right)", "sized")
        case.yes(f"{left}{p}, +\\infty)", "plus infinity")
        case.yes(f"{left}{p}, \u221e)", "Unicode")
        case.yes(f"x \\in {left}{p},\\infty)", "x in")
        wrong = f"{'(' if closed else '['}{p}, \\infty)"
        turned = f"(-\\infty, {p}{right}"
    else:
        case.yes(f"\\left(-\\infty, {p}\\right{right}", "sized")
        case.yes(f"(-\u221e, {p}{right}", "Unicode")
        case.yes(f"x \\in (-\\infty,{p}{right}", "x in")
        case.yes(f"( -\\infty , {p} {right}", "blanks")
        wrong = f"(-\\infty, {p}{')' if closed else ']'}"
        turned = f"{left}{p}, \\infty)"
    case.no(wrong, (p, not closed, up), "end")
    case.no(turned, (p, closed, not up), "other side")
    case.no(f"{left}{p + 1}, \\infty)" if up else f"(-\\infty, {p + 1}{right}", (p + 1, closed, up), "bound")
    case.no("(-\\infty, \\infty)", "all", "everything")
    return case


@category("inequality")
def inequality(rng: Random) -> Case:
    p = rng.randint(-15, 25)
    sign = rng.choice(["<", ">", "\\le", "\\ge"])
    mirror = {"<": ">", ">": "<", "\\le": "\\ge", "\\ge": "\\le"}[sign]
    strict = {"<": "\\leq", ">": "\\geq", "\\le": "<", "\\ge": ">"}[sign]
    spellings = {
        "<": ["<", "\\lt"],
        ">": [">", "\\gt"],
        "\\le": ["\\le", "\\leq", "\\leqslant", "\u2264"],
        "\\ge": ["\\ge", "\\geq", "\\geqslant", "\u2265"],
    }[sign]
    case = Case(f"x {sign} {p}", (sign, p))
    for spelling in spellings:
        case.yes(f"x {spelling} {p}", "spelling of the sign")
    case.yes(f"{p} {mirror} x", "turned")
    case.yes(f"2x {sign} {2 * p}", "doubled")
    case.yes(f"x {signed(-p).strip()} {sign} 0", "moved") if p else None
    case.yes(f"-x {mirror} {-p}", "signs turned")
    case.no(f"x {mirror} {p}", (mirror, p), "direction")
    case.no(f"x {strict} {p}", (strict, p), "strictness")
    case.no(f"x {sign} {p + 1}", (sign, p + 1), "bound")
    case.no(f"{p} {sign} x", (mirror, p), "turned without the sign")
    case.no(f"x = {p}", p, "equation")
    return case


@category("compound_inequality")
def compound_inequality(rng: Random) -> Case:
    low, high, left, right = _interval(rng)
    first, second = "<" if left == "(" else "\\le", "<" if right == ")" else "\\le"
    key = (low, high, left, right)
    flip = {"<": ">", "\\le": "\\ge"}
    loose = {"<": "\\le", "\\le": "<"}
    case = Case(f"{tex(low)} {first} x {second} {tex(high)}", key)
    case.yes(f"{tex(high)} {flip[second]} x {flip[first]} {tex(low)}", "turned")
    case.yes(f"{tex(low)} {first.replace('le', 'leq')} x {second.replace('le', 'leqslant')} {tex(high)}", "spelling")
    case.yes(f"x {flip[first]} {tex(low)} \\text{{ and }} x {second} {tex(high)}", "two inequalities")
    case.yes(f"{left}{tex(low)}, {tex(high)}{right}", "interval")
    case.yes(f"x \\in {left}{tex(low)}, {tex(high)}{right}", "x in")
    case.no(f"{tex(low)} {loose[first]} x {second} {tex(high)}", (low, high, "other", right), "left end")
    case.no(f"{tex(low)} {first} x {loose[second]} {tex(high)}", (low, high, left, "other"), "right end")
    case.no(f"{tex(low)} {first} x {second} {tex(high + 1)}", (low, high + 1, left, right), "upper bound")
    case.no(f"x {flip[first]} {tex(low)}", (low, "inf", left), "half of it")
    case.no(f"x {second} {tex(low)} \\text{{ or }} x {flip[first]} {tex(high)}", "outside", "outside of it")
    return case


@category("interval_for_inequality")
def interval_for_inequality(rng: Random) -> Case:
    p, closed, up = rng.randint(-20, 20), rng.random() < 0.5, rng.random() < 0.5
    key = (p, closed, up)
    interval_text = (f"{'[' if closed else '('}{p}, \\infty)") if up else f"(-\\infty, {p}{']' if closed else ')'}"
    sign = ("\\ge" if closed else ">") if up else ("\\le" if closed else "<")
    name = rng.choice(["x", "x", "a", "m", "k", "t"])
    inequality_text = f"{name} {sign} {p}"
    forward = rng.random() < 0.5
    case = Case(interval_text if forward else inequality_text, key)
    if forward:
        case.yes(inequality_text, "inequality for an interval")
        case.yes(
            f"{p} {'<' if up and not closed else chr(92) + 'le' if up else '>' if not closed else chr(92) + 'ge'} {name}",
            "inequality, turned",
        )
        case.yes(f"\\{{{name} \\mid {name} {sign} {p}\\}}", "set-builder")
        flipped = {"\\ge": ">", ">": "\\ge", "\\le": "<", "<": "\\le"}[sign]
        case.no(f"{name} {flipped} {p}", (p, not closed, up), "strictness")
        case.no(
            f"{name} {({'>': '<', '<': '>', chr(92) + 'ge': chr(92) + 'le', chr(92) + 'le': chr(92) + 'ge'})[sign]} {p}",
            (p, closed, not up),
            "direction",
        )
        case.no(f"{name} {sign} {p + 1}", (p + 1, closed, up), "bound")
        case.no(f"{name} {sign} {-p}", (-p, closed, up), "sign") if p else None
    else:
        case.yes(interval_text, "interval for an inequality")
        case.yes(f"{name} \\in {interval_text}", "interval with x in")
        case.yes(f"{name} \\in " + interval_text.replace("\\infty", "\u221e"), "interval, Unicode")
        case.no(f"({p}, \\infty)" if not up or closed else f"[{p}, \\infty)", (p, "other"), "end or direction")
        case.no(f"(-\\infty, {p})" if up or closed else f"(-\\infty, {p}]", (p, "other"), "end or direction")
        case.no(interval_text.replace(str(p), str(p - 1)), (p - 1, closed, up), "bound")
        case.no("(-\\infty, \\infty)", "all", "everything")
    return case


@category("union")
def union(rng: Random) -> Case:
    p = rng.randint(-9, 4)
    q = p + rng.randint(2, 12)
    left_closed, right_closed = rng.random() < 0.5, rng.random() < 0.5
    key = (p, q, left_closed, right_closed)

    def text(p_: int, q_: int, lc: bool, rc: bool, mark: str = "\\cup") -> tuple[str, str]:
        return f"(-\\infty, {p_}{']' if lc else ')'}", f"{'[' if rc else '('}{q_}, \\infty)"

    first, second = text(p, q, left_closed, right_closed)
    le, ge = "\\le" if left_closed else "<", "\\ge" if right_closed else ">"
    case = Case(rng.choice([f"{first} \\cup {second}", f"x {le} {p} \\text{{ or }} x {ge} {q}"]), key)
    case.yes(f"{first} \\cup {second}", "union")
    case.yes(f"{second} \\cup {first}", "swapped")
    case.yes(f"{first} \u222a {second}", "Unicode")
    case.yes(f"{first}\\cup{second}", "no blanks")
    case.yes(f"x \\in {first} \\cup {second}", "x in")
    case.yes(f"x {le} {p} \\text{{ or }} x {ge} {q}", "two inequalities")
    case.no(" \\cup ".join(text(p, q, not left_closed, right_closed)), (p, q, not left_closed, right_closed), "end")
    case.no(" \\cup ".join(text(p, q + 1, left_closed, right_closed)), (p, q + 1, left_closed, right_closed), "bound")
    case.no(f"{first} \\cap {second}", "empty", "intersection")
    case.no(first, (p, left_closed), "one part")
    case.no(f"{'(' if left_closed else '['}{p}, {q}{')' if right_closed else ']'}", "inside", "the complement")
    return case
