"""Labelled pairs: units, money, angles, percentages of words, dates and times, words, choice letters, accepted lists."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from sympy import pi, sqrt

from benchmarks.math_cases import Case, category, other, tex

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


@category("choice_letter")
def choice_letter(rng: Random) -> Case:
    letter = rng.choice("ABCDE")
    value = rng.randint(2, 90)
    case = Case(rng.choice([letter, f"({letter})", f"\\text{{({letter})}}", f"\\textbf{{({letter})}}"]), letter)
    case.yes(letter, "letter")
    case.yes(f"({letter})", "brackets")
    case.yes(f"\\text{{{letter}}}", "text")
    case.yes(f"\\textbf{{({letter})}}", "bold, brackets")
    case.yes(f"{letter}.", "full stop")
    case.yes(f"\\mathbf{{{letter}}}", "bold")
    case.yes(f"\\text{{({letter})}}", "text, brackets")
    case.yes(f"{letter})", "one bracket")
    case.yes(f"\\textbf{{({letter})}}\\ {value}", "with the option's text")
    case.yes(f"\\text{{Option {letter}}}", "option")
    case.yes(f"\\mathrm{{({letter})}}", "upright")
    wrong = rng.choice([d for d in "ABCDE" if d != letter])
    case.no(wrong, wrong, "other letter")
    case.no(f"({wrong})", wrong, "other letter in brackets")
    case.no(f"\\textbf{{({wrong})}}\\ {value}", wrong, "other letter with text")
    case.no(f"{letter}{wrong}", letter + wrong, "two letters")
    case.no(f"\\text{{{letter} or {wrong}}}", "hedge", "two letters with or")
    case.no(str("ABCDE".index(letter) + 1), "ABCDE".index(letter) + 1, "its number")
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


@category("broken_gold")
def broken_gold(rng: Random) -> Case:
    """A gold that cannot be read accepts nothing; the verifier should say `unjudged`."""
    gold = rng.choice(["", "   ", "\\frac{1}{", "\\boxed{}", "$$", "\\frac{3}{", "(1, 2", "\\sqrt{"])
    case = Case(gold, "unknown", unjudged=True)
    n = rng.randint(1, 999)
    case.no(str(n), n, "a number")
    case.no("", "nothing", "an empty box")
    case.no(f"\\frac{{1}}{{{n + 1}}}", Fraction(1, n + 1), "a fraction")
    return case


@category("unicode_text")
def unicode_text(rng: Random) -> Case:
    n, k = rng.randint(2, 9), rng.randint(2, 9)
    sup = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
    full = str.maketrans("0123456789", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")
    whole = rng.randint(10, 9999)
    root = rng.choice([2, 3, 5, 6, 7])
    gold, v, rights, wrongs = rng.choice(
        [
            (
                f"x^{n} + {k}",
                "xn+k",
                [f"x{str(n).translate(sup)} + {k}", f"x{str(n).translate(sup)}+{k}", f"{k} + x{str(n).translate(sup)}"],
                [f"x{str(n + 1).translate(sup)} + {k}", f"x{str(n).translate(sup)} \u2212 {k}", f"x{n} + {k}"],
            ),
            (
                f"{k}\\sqrt{{{root}}}",
                k * sqrt(root),
                [f"{k}\u221a{root}", f"{k}\u00b7\u221a{root}", f"{k} \u00d7 \u221a{root}", f"{k}\u221a({root})"],
                [f"\u221a{root}", f"{k}\u221a{root + 1}", f"\u2212{k}\u221a{root}"],
            ),
            (
                "\\frac{1}{2}",
                Fraction(1, 2),
                ["\u00bd", "1\u20442", "0.5", "1\u22152"],
                ["\u00bc", "\u2153", "\u2212\u00bd", "2"],
            ),
            ("\\frac{3}{4}", Fraction(3, 4), ["\u00be", "3\u20444"], ["\u00bc", "\u00bd", "4\u20443"]),
            (
                str(whole),
                whole,
                [str(whole).translate(full), f"\u200b{whole}", f"{whole}\u00a0"],
                [str(whole + 1).translate(full), f"\u2212{whole}", f"{whole}\u00b2"],
            ),
            (
                f"\\frac{{{k}\\pi}}{{{root + 8}}}",
                k * pi / (root + 8),
                [f"{k}\u03c0/{root + 8}", f"({k}/{root + 8})\u03c0", f"{k}\u03c0\u00f7{root + 8}"],
                [f"{k}\u03c0", f"\u03c0/{root + 8}", f"\u2212{k}\u03c0/{root + 8}"],
            ),
        ]
    )
    case = Case(gold, v if not isinstance(v, str) else gold)
    for text in rights:
        case.yes(text, "Unicode for TeX")
    for text in wrongs:
        case.no(text, text, "changed")
    return case


@category("plain_text_math")
def plain_text_math(rng: Random) -> Case:
    p, q, r = rng.randint(2, 9), rng.randint(2, 9), rng.choice([2, 3, 5, 6, 7, 10])
    gold, rights, wrongs = rng.choice(
        [
            (
                f"\\frac{{\\sqrt{{{r}}}}}{{{q}}}",
                [f"sqrt({r})/{q}", f"sqrt({r}) / {q}", f"{r}^(1/2)/{q}", f"{r}**0.5/{q}"],
                [f"sqrt({r}/{q})", f"{r}/{q}", f"sqrt({r})/{q + 1}"],
            ),
            (
                f"{p}x^2 + {q}x",
                [f"{p}*x^2 + {q}*x", f"{p}x^2+{q}x", f"{p}*x**2 + {q}*x", f"x*({p}*x + {q})"],
                [f"{p}*x*2 + {q}*x", f"{p}*x**3 + {q}*x", f"{p}*x^2 - {q}*x"],
            ),
            (
                f"\\frac{{x+{p}}}{{x-{q}}}",
                [f"(x+{p})/(x-{q})", f"(x + {p}) / (x - {q})", f"(x+{p})*(x-{q})^(-1)"],
                [f"x+{p}/x-{q}", f"(x-{q})/(x+{p})", f"(x+{p})/(x+{q})"],
            ),
            (
                f"{p}e^{{{q}x}}",
                [f"{p}*e^({q}*x)", f"{p}*exp({q}*x)", f"{p}e^({q}x)"],
                [f"{p}*e^{q}*x", f"{p}*exp(-{q}*x)", f"{p}*exp({q}+x)"],
            ),
            (
                f"{p}, {p + q}, {p + 2 * q}",
                [f"[{p}, {p + q}, {p + 2 * q}]", f"{{{p}, {p + q}, {p + 2 * q}}}", f"{p},{p + q},{p + 2 * q}"],
                [f"[{p}, {p + q}]", f"[{p}, {p + q}, {p + 2 * q + 1}]", f"[{p}]"],
            ),
            (
                f"\\log_{{{p}}} {r + 10}",
                [f"log({r + 10})/log({p})", f"log_{p}({r + 10})", f"ln({r + 10})/ln({p})"],
                [f"log({p})/log({r + 10})", f"ln({r + 10})", f"log_{p}({r + 11})"],
            ),
        ]
    )
    case = Case(gold, gold)
    for text in rights:
        case.yes(text, "plain text", gold)
    for text in wrongs:
        case.no(text, text, "changed")
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


@category("contradiction")
def contradiction(rng: Random) -> Case:
    """A chain of equalities counts only if it is true."""
    n, a = rng.randint(10, 400), rng.randint(2, 9)
    w = other(rng, n, 10, 400)
    case = Case(str(n), n)
    for text in [
        f"{n} = {w}",
        f"{w} = {n}",
        f"x = {w} = {n}",
        f"{n} = {n} + 1",
        f"{n} = {w} = {n}",
        f"x = {n} = {w}",
        f"{n} \\ne {n}",
        f"{w} < {n}",
        f"{n} + {a} = {n}",
    ]:
        case.no(text, "contradiction", "contradiction")
    case.yes(f"{n - a} + {a} = {n}", "a true sum")
    case.yes(f"x = {n - a} + {a} = {n}", "a true chain with a name")
    case.yes(f"\\frac{{{n * a}}}{{{a}}} = {n}", "a true fraction")
    case.yes(f"{a} \\cdot {n} - {(a - 1) * n} = {n}", "a true difference")
    return case
