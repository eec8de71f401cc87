"""Labelled pairs: units, money, angles, times."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from benchmarks.math_cases import Case, category, tex

UNITS = [
    (
        "cm",
        ["cm", "\\text{ cm}", "\\mathrm{cm}", "\\text{ centimeters}", "\\ \\text{cm}"],
        ["km", "mm", "m", "kg", "cm^2"],
    ),
    ("km", ["km", "\\text{ km}", "\\mathrm{~km}", "\\text{ kilometers}"], ["m", "cm", "miles", "km/h"]),
    ("m", ["m", "\\text{ m}", "\\text{ meters}", "\\mathrm{m}"], ["km", "cm", "s", "feet", "m^2"]),
    ("kg", ["kg", "\\text{ kg}", "\\text{ kilograms}"], ["g", "mg", "tons", "pounds"]),
    ("s", ["\\text{ s}", "\\text{ seconds}"], ["\\text{ minutes}", "\\text{ hours}", "\\text{ meters}"]),
    ("hours", ["\\text{ hours}", " hours", "\\text{ hrs}"], ["\\text{ minutes}", "\\text{ seconds}", "\\text{ days}"]),
    (
        "minutes",
        ["\\text{ minutes}", " minutes", "\\text{ min}"],
        ["\\text{ hours}", "\\text{ seconds}", "\\text{ days}"],
    ),
    ("mph", ["\\text{ mph}", "\\text{ miles per hour}"], ["\\text{ km/h}", "\\text{ m/s}", "\\text{ miles}"]),
    ("inches", ["\\text{ inches}", " inches", "\\text{ in}"], ["\\text{ feet}", "\\text{ cm}", "\\text{ yards}"]),
    ("feet", ["\\text{ feet}", " feet", "\\text{ ft}"], ["\\text{ inches}", "\\text{ meters}", "\\text{ miles}"]),
    ("liters", ["\\text{ liters}", " liters", "\\text{ L}"], ["\\text{ ml}", "\\text{ gallons}", "\\text{ kg}"]),
]


@category("unit_added_or_left_out")
def unit_added_or_left_out(rng: Random) -> Case:
    n = rng.randint(2, 900)
    v = Fraction(n, rng.choice([1, 1, 1, 2, 4, 3]))
    number = tex(v)
    name, spellings, _ = rng.choice(UNITS)
    with_unit = rng.random() < 0.4
    case = Case(number + rng.choice(spellings) if with_unit else number, (v, name))
    case.yes(number, "number alone", (v, name))
    for spelling in spellings:
        case.yes(f"{number}{spelling}" if spelling[0] in "\\ " else f"{number} {spelling}", "with the unit")
    case.yes(f"{number}\\,{spellings[0].strip()}" if spellings[0][0] != " " else f"{number} {name}", "thin space")
    spelled = rng.choice(spellings)
    glued = spelled if spelled[0] in "\\ " else " " + spelled
    case.no(f"{tex(v + 1)}{glued}", (v + 1, name), "value, with the unit")
    case.no(f"-{number}{glued}", (-v, name), "sign, with the unit")
    case.no(tex(v * 10), (v * 10, name), "ten times")
    case.no(
        f"{tex(v / 10)}{glued}" if v.denominator == 1 and v % 10 else f"{tex(v + 3)}{glued}",
        (v / 10, name) if v.denominator == 1 and v % 10 else (v + 3, name),
        "value, with the unit",
    )
    return case


@category("unit_exchanged")
def unit_exchanged(rng: Random) -> Case:
    n = rng.randint(2, 900)
    name, spellings, wrong = rng.choice(UNITS)

    def glue(unit: str) -> str:
        if unit.startswith(("\\text", "\\mathrm", "\\ ", " ")):
            return f"{n}{unit}"
        power = unit.endswith("^2")
        return f"{n} \\text{{ {unit.removesuffix('^2')}}}{'^2' if power else ''}"

    case = Case(glue(rng.choice(spellings)), (n, name))
    for spelling in spellings:
        case.yes(glue(spelling), "the same unit")
    case.yes(str(n), "unit left out")
    for unit in wrong:
        case.no(glue(unit), (n, unit), "other unit")
    case.no(f"{n}\\%", (n, "%"), "percent for the unit")
    return case


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


@category("currency")
def currency(rng: Random) -> Case:
    whole, cents = rng.randint(1, 5000), rng.choice([0, 0, 25, 50, 75, 99])
    v = Fraction(whole * 100 + cents, 100)
    shown = f"{whole}.{cents:02d}" if cents else str(whole)
    case = Case(rng.choice([shown, f"\\${shown}", f"{shown} \\text{{ dollars}}"]), (v, "dollar"))
    case.yes(f"\\${shown}", "dollar sign")
    case.yes(f"\\$ {shown}", "dollar sign, blank")
    case.yes(shown, "number alone")
    case.yes(f"{shown} \\text{{ dollars}}", "word")
    case.yes(f"\\text{{\\${shown}}}", "in text")
    case.yes(f"\\${whole}.{cents:02d}", "with cents")
    case.yes(f"{shown} dollars", "bare word")
    if whole >= 1000:
        case.yes(f"\\${whole:,}.{cents:02d}", "commas")
    case.no(f"\\${whole + 1}.{cents:02d}", (v + 1, "dollar"), "a dollar more")
    case.no(
        f"\\${whole}.{(cents + 1) % 100:02d}", (Fraction(whole * 100 + (cents + 1) % 100, 100), "dollar"), "a cent more"
    )
    case.no(f"-\\${shown}", (-v, "dollar"), "sign")
    case.no(f"\\${whole * 10}", (Fraction(whole * 10), "dollar"), "ten times")
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


@category("temperature_and_rates")
def temperature_and_rates(rng: Random) -> Case:
    n = rng.randint(2, 120)
    gold, rights, wrongs = rng.choice(
        [
            (
                f"{n} \\text{{ m/s}}",
                [
                    f"{n} \\text{{ m/s}}",
                    f"{n}\\text{{m/s}}",
                    str(n),
                    f"{n}\\ \\mathrm{{m/s}}",
                    f"{n} \\text{{ meters per second}}",
                ],
                [f"{n} \\text{{ km/h}}", f"{n} \\text{{ m}}", f"{n} \\text{{ m/min}}", f"{n} \\text{{ s/m}}"],
            ),
            (
                f"{n}^\\circ\\text{{C}}",
                [f"{n}^\\circ\\text{{C}}", f"{n}^{{\\circ}} \\text{{C}}", f"{n}\u00b0C", f"{n}^\\circ \\mathrm{{C}}"],
                [
                    f"{n}^\\circ\\text{{F}}",
                    f"{n + 1}^\\circ\\text{{C}}",
                    f"-{n}^\\circ\\text{{C}}",
                    f"{n} \\text{{ K}}",
                ],
            ),
            (
                f"{n} \\text{{ km/h}}",
                [
                    f"{n} \\text{{ km/h}}",
                    f"{n}\\text{{ km/h}}",
                    str(n),
                    f"{n}\\ \\text{{km/h}}",
                    f"{n} \\text{{ kilometers per hour}}",
                ],
                [f"{n} \\text{{ mph}}", f"{n} \\text{{ km}}", f"{n} \\text{{ m/s}}", f"{n} \\text{{ km/s}}"],
            ),
        ]
    )
    case = Case(gold, gold)
    for text in rights:
        case.yes(text, "the same unit or none")
    for text in wrongs:
        case.no(text, text, "other unit or value")
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


@category("yes_no_none")
def yes_no_none(rng: Random) -> Case:
    word, against = rng.choice(
        [
            ("Yes", ["No", "Maybe"]),
            ("No", ["Yes", "1"]),
            ("True", ["False", "0"]),
            ("False", ["True", "1"]),
            ("even", ["odd", "neither", "2"]),
            ("odd", ["even", "neither"]),
            ("None", ["All", "1", "Some"]),
            ("no solution", ["infinitely many solutions", "one solution", "0"]),
            ("does not exist", ["0", "exists", "\\infty"]),
            ("infinitely many", ["none", "1", "one"]),
            ("converges", ["diverges", "0"]),
            ("diverges", ["converges", "\\pi"]),
            ("undefined", ["0", "defined", "1"]),
            ("neither", ["both", "even", "odd"]),
        ]
    )
    case = Case(rng.choice([word, f"\\text{{{word}}}"]), word)
    case.yes(word, "plain")
    case.yes(f"\\text{{{word}}}", "text")
    case.yes(f"\\text{{{word.lower()}}}", "small letters")
    case.yes(f"\\text{{{word.upper()}}}", "capitals")
    case.yes(f"\\textbf{{{word}}}", "bold")
    case.yes(f"\\text{{{word}.}}", "full stop")
    case.yes(f"\\mathrm{{{word.replace(' ', chr(92) + ' ')}}}", "upright")
    for wrong in against:
        case.no(wrong if wrong.startswith("\\") else f"\\text{{{wrong}}}", wrong, "the contrary or another")
    case.no(f"\\text{{not {word}}}", f"not {word}", "negated")
    return case


@category("names_and_phrases")
def names_and_phrases(rng: Random) -> Case:
    word, wrongs = rng.choice(
        [
            ("ellipse", ["hyperbola", "circle", "parabola"]),
            ("Evelyn", ["Carla", "Briana", "Debra"]),
            ("isosceles triangle", ["equilateral triangle", "triangle", "isosceles trapezoid"]),
            ("parabola", ["ellipse", "line"]),
            ("green", ["red", "blue"]),
            ("two circles", ["one circle", "two lines"]),
            ("Petya", ["Vasya", "Kolya"]),
            ("the first player", ["the second player", "nobody"]),
            ("arithmetic sequence", ["geometric sequence", "sequence"]),
        ]
    )
    case = Case(rng.choice([word, f"\\text{{{word}}}"]), word)
    case.yes(f"\\text{{{word}}}", "text")
    case.yes(word, "plain")
    case.yes(f"\\text{{{word.capitalize()}}}", "capital")
    case.yes(f"\\textit{{{word}}}", "italic")
    case.yes(f"\\text{{ {word} }}", "blanks")
    case.yes(f"\\mbox{{{word}}}", "mbox")
    for wrong in wrongs:
        case.no(f"\\text{{{wrong}}}", wrong, "another word")
    case.no(f"\\text{{not {'an' if word[0] in 'aei' else 'a'} {word}}}", f"not {word}", "negated")
    case.no(str(len(word)), len(word), "a number")
    return case
