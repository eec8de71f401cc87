"""Labelled pairs: units, places and words."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from tools.math_cases import Case, category, other, signed, term, tex


@category("area_and_volume_units")
def area_and_volume_units(rng: Random) -> Case:
    n, unit, power = rng.randint(2, 500), rng.choice(["cm", "m", "km", "in", "ft"]), rng.choice([2, 3])
    words = {
        ("cm", 2): "square centimeters",
        ("m", 2): "square meters",
        ("cm", 3): "cubic centimeters",
        ("m", 3): "cubic meters",
        ("in", 2): "square inches",
        ("ft", 3): "cubic feet",
        ("ft", 2): "square feet",
        ("in", 3): "cubic inches",
        ("km", 2): "square kilometers",
        ("km", 3): "cubic kilometers",
    }[unit, power]
    case = Case(f"{n} \\text{{ {unit}}}^{power}", (n, unit, power))
    case.yes(f"{n}\\text{{ {unit}}}^{{{power}}}", "braces")
    case.yes(f"{n}\\ \\mathrm{{{unit}}}^{power}", "upright")
    case.yes(f"{n} \\text{{ {unit}}}^{power}", "the same")
    case.yes(str(n), "unit left out")
    case.yes(f"{n} \\text{{ {words}}}", "words")
    case.yes(f"{n}\\,\\text{{{unit}}}^{power}", "thin space")
    case.no(f"{n} \\text{{ {unit}}}", (n, unit, 1), "power lost")
    case.no(f"{n} \\text{{ {unit}}}^{5 - power}", (n, unit, 5 - power), "other power")
    case.no(f"{n + 1} \\text{{ {unit}}}^{power}", (n + 1, unit, power), "value")
    swap = {"cm": "m", "m": "cm", "km": "m", "in": "ft", "ft": "in"}[unit]
    case.no(f"{n} \\text{{ {swap}}}^{power}", (n, swap, power), "other unit")
    return case


@category("currency_exchanged")
def currency_exchanged(rng: Random) -> Case:
    n = rng.randint(2, 3000)
    signs = {"\\$": "dollar", "\u20ac": "euro", "\u00a3": "pound", "\u00a5": "yen"}
    names = {"\\$": "dollars", "\u20ac": "euros", "\u00a3": "pounds", "\u00a5": "yen"}
    sign = rng.choice(list(signs))
    case = Case(f"{sign}{n}", (n, signs[sign]))
    case.yes(f"{sign}{n}", "the same")
    case.yes(str(n), "sign left out")
    case.yes(f"{sign}{n}.00", "with cents")
    case.yes(f"{n} \\text{{ {names[sign]}}}", "word")
    case.yes(f"{sign} {n}", "blank")
    for wrong, name in signs.items():
        if wrong != sign:
            case.no(f"{wrong}{n}", (n, name), "other currency")
            case.no(f"{n} \\text{{ {names[wrong]}}}", (n, name), "other currency, word")
    case.no(f"{n} \\text{{ cents}}", (n, "cent"), "cents")
    return case


@category("degree")
def degree(rng: Random) -> Case:
    n = rng.choice([rng.randint(1, 359), rng.randint(1, 179)])
    shown = str(n) if rng.random() < 0.8 else f"{n}.5"
    case = Case(rng.choice([f"{shown}^\\circ", f"{shown}^{{\\circ}}", shown, f"{shown}\u00b0"]), Fraction(shown))
    case.yes(f"{shown}^\\circ", "degree sign")
    case.yes(f"{shown}^{{\\circ}}", "braces")
    case.yes(f"{shown}\u00b0", "Unicode")
    case.yes(f"{shown} \\text{{ degrees}}", "word")
    case.yes(shown, "no sign")
    case.yes(f"{shown}\\degree", "degree command")
    case.yes(f"\\angle A = {shown}^\\circ", "named")
    case.no(f"{n + 1}^\\circ", Fraction(n + 1), "one more")
    case.no(
        f"{360 - n}^\\circ" if n != 180 else "181^\\circ", Fraction(360 - n if n != 180 else 181), "the rest to 360"
    )
    case.no(f"-{shown}^\\circ", -Fraction(shown), "sign")
    case.no(f"{n}0^\\circ", Fraction(n * 10), "ten times")
    return case


@category("clock_time")
def clock_time(rng: Random) -> Case:
    hour, minute, half = rng.randint(1, 11), rng.choice([5, 10, 15, 20, 30, 45, 52]), rng.choice(["a", "p"])
    time = f"{hour}:{minute:02d}"
    case = Case(
        rng.choice([f"{time} \\text{{ {half}.m.}}", f"{time} {half}.m.", f"{time}\\text{{ {half.upper()}M}}"]),
        (hour, minute, half),
    )
    case.yes(f"{time} \\text{{ {half}.m.}}", "text")
    case.yes(f"{time} {half}.m.", "plain")
    case.yes(f"{time}\\text{{ {half.upper()}M}}", "capitals")
    case.yes(f"{time} {half.upper()}.M.", "capitals with points")
    case.yes(f"\\text{{{time} {half}m}}", "no points")
    case.yes(f"{time}\\ \\text{{{half}.m.}}", "spacing")
    wrong = "p" if half == "a" else "a"
    case.no(f"{time} \\text{{ {wrong}.m.}}", (hour, minute, wrong), "other half of the day")
    case.no(f"{hour % 12 + 1}:{minute:02d} \\text{{ {half}.m.}}", (hour % 12 + 1, minute, half), "hour")
    case.no(f"{hour}:{(minute + 5) % 60:02d} {half}.m.", (hour, (minute + 5) % 60, half), "minutes")
    case.no(f"{hour}.{minute:02d}", Fraction(f"{hour}.{minute:02d}"), "a decimal")
    return case


@category("weekday_and_month")
def weekday_and_month(rng: Random) -> Case:
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    months = ["January", "March", "April", "July", "August", "October", "December"]
    if rng.random() < 0.6:
        names = days if rng.random() < 0.7 else months
        name = rng.choice(names)
        case = Case(rng.choice([name, f"\\text{{{name}}}"]), name)
        case.yes(name, "plain")
        case.yes(f"\\text{{{name}}}", "text")
        case.yes(name.lower(), "small letters")
        case.yes(f"\\textbf{{{name}}}", "bold")
        case.yes(f"\\mathrm{{{name}}}", "upright")
        case.yes(f"\\text{{ {name.upper()}}}", "capitals")
        for wrong in rng.sample([d for d in names if d != name], 3):
            case.no(f"\\text{{{wrong}}}", wrong, "another one")
        case.no(str(names.index(name) + 1), names.index(name) + 1, "its number")
        return case
    month, day, year = rng.choice(months), rng.randint(1, 28), rng.randint(1900, 2030)
    case = Case(f"\\text{{{month} {day}, {year}}}", (month, day, year))
    case.yes(f"{month} {day}, {year}", "plain")
    case.yes(f"\\text{{{month} {day}, {year}}}", "the same")
    case.yes(f"\\text{{{month.lower()} {day}, {year}}}", "small letters")
    case.yes(f"\\text{{ {month} {day},}}\\ {year}", "spacing")
    case.no(f"\\text{{{month} {day % 28 + 1}, {year}}}", (month, day % 28 + 1, year), "day")
    case.no(f"\\text{{{month} {day}, {year + 1}}}", (month, day, year + 1), "year")
    wrong = rng.choice([m for m in months if m != month])
    case.no(f"\\text{{{wrong} {day}, {year}}}", (wrong, day, year), "month")
    return case


@category("aligned_system_in_box")
def aligned_system_in_box(rng: Random) -> Case:
    p, q = rng.sample(range(-30, 30), 2)
    case = Case(f"x = {p}, y = {q}", (p, q))
    case.yes(f"\\begin{{aligned}} x &= {p} \\\\ y &= {q} \\end{{aligned}}", "aligned")
    case.yes(f"x = {p},\\quad y = {q}", "quad")
    case.yes(f"x = {p} \\text{{ and }} y = {q}", "and")
    case.yes(f"y = {q}, x = {p}", "other order")
    case.yes(f"\\left(x, y\\right) = \\left({p}, {q}\\right)", "tuple")
    case.no(f"\\begin{{aligned}} x &= {q} \\\\ y &= {p} \\end{{aligned}}", (q, p), "swapped")
    case.no(f"x = {p},\\quad y = {q + 1}", (p, q + 1), "one off")
    case.no(f"x = {p} \\text{{ or }} y = {q}", "or", "or")
    case.no(f"x + y = {p + q}", "sum", "their sum")
    return case


@category("equation_with_roots_form")
def equation_with_roots_form(rng: Random) -> Case:
    p, q, r = (rng.choice([-1, 1]) * rng.randint(1, 9) for _ in range(3))
    gold = f"{term(2, 'x^2', first=True)}{term(p, 'xy')}{term(q, 'y')} = {r}"
    case = Case(gold, (2, p, q, r))
    case.yes(f"{r} = 2x^2{term(p, 'xy')}{term(q, 'y')}", "turned")
    case.yes(f"2x^2{term(p, 'xy')}{term(q, 'y')}{signed(-r)} = 0", "moved")
    case.yes(f"-2x^2{term(-p, 'xy')}{term(-q, 'y')}{signed(r)} = 0", "signs turned")
    case.yes(
        f"x^2{signed(p)} \\cdot \\frac{{xy}}{{2}}{signed(q)} \\cdot \\frac{{y}}{{2}} = \\frac{{{r}}}{{2}}", "halved"
    )
    case.no(f"2x^2{term(-p, 'xy')}{term(q, 'y')} = {r}", (2, -p, q, r), "sign of a term")
    case.no(f"2x^2{term(p, 'xy')}{term(q, 'y')} = {-r}", (2, p, q, -r), "sign of the constant")
    case.no(f"2x^2{term(p, 'xy')}{term(q, 'x')} = {r}", (2, p, "x", r), "letter")
    case.no(f"2x^2{term(p, 'xy')}{term(q, 'y')} \\le {r}", "inequality", "inequality")
    return case


@category("several_choice_letters")
def several_choice_letters(rng: Random) -> Case:
    letters = sorted(rng.sample("ABCDE", rng.choice([2, 3])))
    key = frozenset(letters)
    turned = letters[::-1]
    case = Case(rng.choice([", ".join(letters), "".join(letters)]), key)
    case.yes(", ".join(letters), "commas")
    case.yes(", ".join(turned), "other order")
    case.yes("".join(letters), "written together")
    case.yes(f"\\text{{{', '.join(letters)}}}", "text")
    case.yes(", ".join(f"({d})" for d in letters), "brackets")
    case.yes(f"\\text{{{', '.join(letters[:-1])} and {letters[-1]}}}", "and")
    case.no(", ".join(letters[:-1]), frozenset(letters[:-1]), "one left out")
    more = rng.choice([d for d in "ABCDE" if d not in letters])
    case.no(", ".join([*letters, more]), frozenset([*letters, more]), "one more")
    case.no("".join([*letters[:-1], more]), frozenset([*letters[:-1], more]), "one exchanged")
    case.no(letters[0], frozenset(letters[:1]), "one only")
    return case


@category("list_of_accepted_golds")
def list_of_accepted_golds(rng: Random) -> Case:
    """The gold is a list; each of its members is an accepted answer."""
    v = Fraction(rng.randint(1, 30), rng.randint(2, 12))
    word = rng.choice(["all of them", "every one"])
    kind = rng.randrange(3)
    if kind == 0:
        gold: list[str] = [tex(v), tex(v + 100)]
        rights = [tex(v), tex(v + 100), tex(v, "slash"), f"\\frac{{{2 * v.numerator}}}{{{2 * v.denominator}}}"]
        wrongs = [tex(v + 1), tex(v - 100), f"{tex(v)}, {tex(v + 1)}", tex(-v)]
    elif kind == 1:
        letter, n = rng.choice("ABCDE"), rng.randint(2, 99)
        gold = [letter, str(n)]
        wrong = rng.choice([d for d in "ABCDE" if d != letter])
        rights = [letter, str(n), f"({letter})", f"\\text{{{letter}}}", f"{n}.0"]
        wrongs = [wrong, str(n + 1), f"-{n}", f"({wrong})"]
    else:
        n = rng.randint(2, 99)
        gold = [str(n), word]
        rights = [str(n), f"\\text{{{word}}}", word, f"x = {n}"]
        wrongs = [str(n + 1), "\\text{none of them}", f"-{n}", f"{n}{n}"]
    case = Case(gold, "accepted")
    for text in rights:
        case.yes(text, "one of the accepted answers")
    for text in wrongs:
        case.no(text, text, "not among them")
    return case


@category("gold_in_delimiters")
def gold_in_delimiters(rng: Random) -> Case:
    v = Fraction(rng.randint(-30, 60), rng.randint(1, 12))
    style = rng.choice(["${}$", "$${}$$", "\\({}\\)", "\\[{}\\]", "\\boxed{{{}}}", "$\\boxed{{{}}}$", " {} ", "${}$."])
    case = Case(style.format(tex(v)), v)
    case.yes(tex(v), "value")
    case.yes(tex(v, "dfrac"), "value")
    case.yes(tex(v, "slash"), "value")
    case.no(tex(v + 1), v + 1, "one more")
    case.no(tex(-v), -v, "sign") if v else None
    case.no(tex(v * 2 + 1), v * 2 + 1, "other")
    return case


@category("hedge")
def hedge(rng: Random) -> Case:
    """An answer that offers alternatives to a gold of one value is wrong, whatever stands among them."""
    n = rng.randint(2, 400)
    w = other(rng, n, 2, 400)
    case = Case(str(n), n)
    for text in [
        f"{n} \\text{{ or }} {w}",
        f"{w} \\text{{ or }} {n}",
        f"{n}, {w}",
        f"\\text{{either }} {n} \\text{{ or }} {w}",
        f"{n} / {w} \\text{{ or }} {n}",
        f"\\{{{n}, {w}\\}}",
        f"{n} \\text{{ and }} {w}",
        f"{n} \\lor {w}",
        f"{n}; {w}",
        f"x = {n} \\text{{ or }} x = {w}",
        f"{w}\\text{{ (or }}{n})",
        f"{n} \\text{{ (or maybe }} {w})",
    ]:
        case.no(text, "alternatives", "alternatives")
    case.yes(str(n), "one value")
    case.yes(f"x = {n}", "one value, named")
    case.yes(f"{n}.0", "one value, decimal")
    case.yes(f"\\text{{{n}}}", "one value in text")
    return case
