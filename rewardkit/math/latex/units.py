"""Units and currencies: one name for each, so that "cm" and "centimetres" agree and "cm" and "m" do not."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from rewardkit.math.latex.vocabulary import BASE_NAMES, word_set

_SPELLINGS = """
m: meter meters metre metres
km: kilometer kilometers kilometre kilometres kms
cm: centimeter centimeters centimetre centimetres cms
mm: millimeter millimeters millimetre millimetres
dm: decimeter decimeters decimetre
um: micrometer micrometers micron microns
us: microsecond microseconds
ug: microgram micrograms mcg
nm: nanometer nanometers nanometre nanometres
in: inch inches
ft: foot feet
yd: yard yards
mi: mile miles
g: gram grams gramme grammes gm
kg: kilogram kilograms kilo kilos kgs
mg: milligram milligrams
t: ton tons tonne tonnes
lb: lbs
pound: pounds
oz: ounce ounces
s: second seconds sec secs
ms: millisecond milliseconds
min: minute minutes mins
h: hour hours hr hrs
day: days
week: weeks wk
month: months
year: years yr yrs
l: liter liters litre litres L
ml: milliliter milliliters millilitre millilitres mL
cm^3: cc
dB: decibel decibels
person: people persons
gal: gallon gallons
qt: quart quarts
ha: hectare hectares
atm: atmosphere atmospheres
kWh: kilowatt-hour kilowatt-hours
mpg:
N: newton newtons
J: joule joules
kJ: kilojoule kilojoules
W: watt watts
kW: kilowatt kilowatts
V: volt volts
A: ampere amperes amp amps
ohm: ohms
kohm: kilohm kilohms
Mohm: megohm megohms
Pa: pascal pascals
kPa: kilopascal kilopascals
Hz: hertz
mol: mole moles mols
K: kelvin kelvins
degC: celsius
degF: fahrenheit
mph:
kmh: kph kmph
rad: radian radians
degree: degrees deg
percent: pct percents percentage
$: dollar dollars usd USD bucks
cent: cents ¢
€: euro euros eur EUR
£: gbp GBP
¥: yen jpy JPY yuan cny CNY rmb RMB 元
₹: rupee rupees rs inr INR Rs
₽: ruble rubles rouble roubles
unit: units
th: st nd rd
mn: million
bn: billion
"""
_FACTORS: dict[str, tuple[str, Fraction]] = {
    "m": ("length", Fraction(1)), "km": ("length", Fraction(1000)), "cm": ("length", Fraction(1, 100)), "mm": ("length", Fraction(1, 1000)),
    "dm": ("length", Fraction(1, 10)), "in": ("length", Fraction(254, 10000)), "ft": ("length", Fraction(3048, 10000)),
    "yd": ("length", Fraction(9144, 10000)), "mi": ("length", Fraction(1609344, 1000)), "g": ("mass", Fraction(1)),
    "kg": ("mass", Fraction(1000)), "mg": ("mass", Fraction(1, 1000)), "t": ("mass", Fraction(10**6)), "s": ("time", Fraction(1)),
    "ms": ("time", Fraction(1, 1000)), "min": ("time", Fraction(60)), "h": ("time", Fraction(3600)), "day": ("time", Fraction(86400)),
    "week": ("time", Fraction(604800)), "l": ("volume", Fraction(1)), "ml": ("volume", Fraction(1, 1000)), "$": ("usd", Fraction(1)),
    "cent": ("usd", Fraction(1, 100)), "J": ("energy", Fraction(1)), "kJ": ("energy", Fraction(1000)), "W": ("power", Fraction(1)),
    "kW": ("power", Fraction(1000)), "lb": ("pounds", Fraction(16)), "oz": ("pounds", Fraction(1)), "Pa": ("pressure", Fraction(1)), "kPa": ("pressure", Fraction(1000)),
}  # fmt: skip


def _table() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _SPELLINGS.strip().splitlines():
        name, _, others = line.partition(":")
        table[name] = name
        for other in others.split():
            table[other] = name
    return table


_UNITS = _table()
_PREFIXES = {
    "p": "pico",
    "n": "nano",
    "u": "micro",
    "m": "milli",
    "c": "centi",
    "d": "deci",
    "k": "kilo",
    "M": "mega",
    "G": "giga",
    "T": "tera",
}
_BASES = {
    "m": "meter", "g": "gram", "s": "second", "A": "ampere", "V": "volt", "W": "watt", "J": "joule", "N": "newton", "Pa": "pascal",
    "Hz": "hertz", "C": "coulomb", "F": "farad", "H": "henry", "T": "tesla", "mol": "mole", "B": "byte", "b": "bit", "cal": "calorie",
    "eV": "electronvolt", "Wh": "watthour", "ohm": "ohm",
}  # fmt: skip


def _prefixed() -> dict[str, str]:
    """Names and symbols of units in which capitals count: mW, MW, milliwatts, megawatts, H and h."""
    table: dict[str, str] = {}
    for symbol, name in _BASES.items():
        for short, long in (("", ""), *_PREFIXES.items()):
            unit = _UNITS.get(short + symbol, short + symbol)
            table[short + symbol] = unit
            for word in (
                long + name,
                long + name + "s",
                long + name[:-1] + "ies",
                long + name.replace("meter", "metre"),
            ):
                table.setdefault(word, unit)
    return table


_PREFIXED = _prefixed() | {"kB": "kB", "KB": "kB", "kb": "kB"}
CURRENCIES = {"USD": "$", "US$": "$", "$": "$", "EUR": "€", "€": "€", "GBP": "£", "£": "£", "Rs": "₹", "Rs.": "₹", "INR": "₹", "₹": "₹",
              "¥": "¥", "¢": "cent", "RMB": "¥", "CNY": "¥"}  # fmt: skip
_NUMBERED = frozenset({"th", "day", "week", "month", "year", "h", "min", "unit"})
"""What may stand behind an ordinal: the fifth day."""

_PLACED = _NUMBERED | word_set(
    "quadrant term place row column floor grade player person team box door round stage step century hour"
)

_MULTI = frozenset(
    name
    for name in _UNITS
    if len(name) >= 2 and name not in {"in", "st", "nd", "rd", "th", "mn", "um", "nm", "ms", "yr", "ha"}
)
_PLAIN = _MULTI | {
    "GeV",
    "MeV",
    "keV",
    "eV",
    "MiB",
    "GiB",
    "KiB",
    "MB",
    "GB",
    "KB",
    "TB",
    "Hz",
    "kHz",
    "MHz",
    "GHz",
    "rpm",
    "kWh",
    "dB",
    "mol",
    "psi",
    "atm",
}
_STOP = word_set(
    "not or nor and approximately about around roughly than more less least most between if when unless otherwise because is are was"
    " were be equals equal no none never either maybe perhaps possibly ish probably presumably hopefully guess guessed apparently supposedly likely"
    " unlikely unsure uncertain tentative tentatively but times plus minus answer wrong incorrect false but with"
    " mod modulo factorial squared cubed half halves third thirds quarters fourths fifths sixths sevenths eighths ninths tenths hundredths"
    " thousandths below above under over too zero short extra negative positive remainder root power powers doubled tripled halved"
    " fewer greater bound primorial unsure guess guessed nothing tens hundreds ten mille permille hint draft dozens grand gross hex"
    " inverse reciprocal conjugate derivative transpose complement determinant closure interior reflection extraneous reflected rotated ish upto"
    " has have had divided multiplied subtracted reduced increased bc bce infinitely unknown except without excluding impossible invalid cannot fails"
)
_SQUARE = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cubed": 3, "cu": 3}
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "mn": 10**6,
    "bn": 10**9,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "百": 100,
    "千": 1000,
    "万": 10**4,
    "亿": 10**8,
    "lakh": 10**5,
    "quadrillion": 10**15,
    "tn": 10**12,
    "crore": 10**7,
    "dozen": 12,
}


def is_unit_word(text: str) -> bool:
    """Whether a plain word is a unit behind a number ("5 km"); single letters are variables."""
    return text in _PLAIN or text.lower() in _PLAIN


def is_known_unit(word: str) -> bool:
    """Whether a word names one of our units: "hours", "km"."""
    return word in _UNITS or word.lower() in _UNITS


_BASE = re.compile(r"\(?(?:in )?base[ -]?(\w+)\)?")
_PIECES = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[$€£¥₹%¢°Ω]|\^ ?-?\d+|[/*\d]")
_RAISED_UNIT = re.compile(r"unit\^\d")


@lru_cache(maxsize=8_192)
def canonical_unit(text: str) -> str | None:
    """One name for the unit that `text` spells; "" for none, None where the words cannot be a unit.

    >>> canonical_unit("square centimetres"), canonical_unit("cm ^2"), canonical_unit("or 5")
    ('cm^2', 'cm^2', None)
    """
    text = text.strip(" .,;:!").replace("\\$", "$").replace("per cent", "percent").replace("{", "").replace("}", "")
    base = _BASE.fullmatch(text.lower())
    if text.lower().removeprefix("in ") in _NAMED_BASES:
        return f"base {BASE_NAMES[text.lower().removeprefix('in ')]}"
    if _ELSEWHERE.search(text) is not None:
        return None
    if base is not None:
        digits = base[1] if base[1].isdigit() else str(BASE_NAMES.get(base[1], ""))
        return f"base {digits}" if digits else None
    if not text.isascii():
        text = _CHINESE.sub(r" \1 ", text)
    parts: list[str] = []
    power = 0
    divide = False
    found = _PIECES.findall(text)
    for index, word in enumerate(found):
        lower = word.lower()
        if (
            lower == "in"
            and index + 1 < len(found)
            and found[index + 1][0].isalpha()
            and found[index + 1].lower() not in _SQUARE
        ):
            continue
        if lower in {"more", "other"} and index + 1 < len(found) and found[index + 1].lower() not in _STOP:
            continue
        if (
            (lower in _STOP and not (lower.endswith("ed") and parts))
            or word.isdigit()
            or lower.endswith(("n't", "n’t", "eenths", "elfths", "ieths"))
        ):
            return "time" if found == ["times"] else None
        if lower == "to" and not index:  # 5 to one
            return None
        if lower in _SQUARE:
            power = _SQUARE[lower]
            if lower.endswith("ed") and parts:
                parts[-1] += f"^{power}"
                power = 0
        elif word.startswith("^"):
            if parts:
                parts[-1] += word.replace(" ", "")
        elif word in {"/", "per", "a"} or lower in {"per", "each"}:
            divide = bool(parts)
        elif lower in {"of", "the", "total", "long", "tall", "wide", "away", "*", "apart", "old", "metric"}:
            continue
        else:
            name = (
                _UNITS.get(word)
                or _PREFIXED.get(word)
                or _UNITS.get(lower)
                or (_PREFIXED.get(lower) if len(lower) > 4 else None)
                or _stem(lower)
            )
            if power:
                name, power = f"{name}^{power}", 0
            parts.append(("/" if divide else "") + name)
            divide = False
    if power:
        parts.append(f"unit^{power}")
    if len(parts) > 7 or (found and _PARTICIPLE.fullmatch(found[-1]) is not None):
        return None
    if len(parts) > 1 and parts[0] == "th":  # the 15th day
        if parts[1] not in _PLACED:
            return None
        del parts[0]
    if parts and parts[0] in {"percent", "%"}:  # 14 percent of the pupils
        return "percentage point" if parts[1:2] == ["point"] else "percent"
    parts = [_quotient(one) for one in parts]
    joined = " ".join(parts)
    return {"%": "percent", "percent": "percent", "°": "degree", "degree /celsius": "degC", "degree degC": "degC",
            "degree degF": "degF", "degree C": "degC", "km /h": "kmh", "mi /h": "mph", "mi /gal": "mpg"}.get(joined, joined)  # fmt: skip


_NAMED_BASES = frozenset({"binary", "octal", "hexadecimal"})
_ELSEWHERE = re.compile(
    r"(?i:\b(?:first|second|third|other|this|that|one|each|either|worst|best) case\b|\bB\. ?C|\bup to\b|\bonly of\b|\bat the \w+st\b)"
)
"""What makes a value hold elsewhere: in one case, before Christ."""

_CHINESE = re.compile(r"([百千万亿])")
_PARTICIPLE = re.compile(r"(?!cubed|squared)[a-z]{2,}[^e\W]ed")
"""What was done to a value, 5 reversed, is no unit."""


def scaled(unit: str) -> tuple[int, str]:
    """The number that words such as thousand and dozen behind a value stand for, and the unit that is left.

    >>> scaled("million $"), scaled("cm")
    ((1000000, '$'), (1, 'cm'))
    """
    scale = 1
    while (word := unit.split(" ", 1)[0]) in _SCALES:
        scale *= _SCALES[word]
        unit = unit[len(word) + 1 :]
    return scale, unit


def same_unit(left: str, right: str) -> bool:
    """Whether two canonical units are one; "unit" and "unit^2" agree with any unit of that power."""
    if left == right:
        return True
    for one, other in ((left, right), (right, left)):
        if one == "unit":
            return "^" not in other
        if _RAISED_UNIT.fullmatch(one):
            return other.endswith(one[4:]) and " " not in other
        if one == "th":
            return other not in _UNITS or other in _NUMBERED
        if one == "pound" and other in {"£", "lb"}:
            return True
        if one == "degree" and other in {"degC", "degF"}:
            return True
        if one in CURRENCIES.values() and other.startswith(one + " /"):
            return True
        if len(one) > 2 and other.startswith(one + " ") and "/" not in other:
            return one not in _FACTORS
    return False


def conversion(left: str, right: str) -> Fraction | None:
    """How many `right` one `left` is, for plain units of one kind."""
    a, b = _FACTORS.get(left), _FACTORS.get(right)
    return a[1] / b[1] if a is not None and b is not None and a[0] == b[0] else None


def _quotient(part: str) -> str:
    """A negative power as a division: s^-2 is /s^2."""
    name, minus, power = part.partition("^-")
    if not minus or name.startswith("/"):
        return part
    return f"/{name}" if power == "1" else f"/{name}^{power}"


def _stem(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
