"""Units and currencies: one name for each, so that "cm" and "centimetres" agree and "cm" and "m" do not."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from rewardkit.math.vocabulary import BASE_NAMES, word_set

_SPELLINGS = """
m: meter meters metre metres
km: kilometer kilometers kilometre kilometres kms
cm: centimeter centimeters centimetre centimetres cms
mm: millimeter millimeters millimetre millimetres
dm: decimeter decimeters decimetre
um: micrometer micrometers micron microns
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
gal: gallon gallons
N: newton newtons
J: joule joules
kJ: kilojoule kilojoules
W: watt watts
kW: kilowatt kilowatts
V: volt volts
A: ampere amperes amp amps
ohm: ohms
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
¥: yen jpy JPY yuan cny CNY rmb RMB
₹: rupee rupees rs inr INR Rs
₽: ruble rubles rouble roubles
unit: units
th: st nd rd
mn: million
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
CURRENCIES = {"USD": "$", "US$": "$", "$": "$", "EUR": "€", "€": "€", "GBP": "£", "£": "£", "Rs": "₹", "Rs.": "₹", "INR": "₹", "₹": "₹",
              "¥": "¥", "¢": "cent", "RMB": "¥", "CNY": "¥"}  # fmt: skip
_MULTI = frozenset(
    name
    for name in _UNITS
    if len(name) >= 2 and name not in {"in", "st", "nd", "rd", "th", "mn", "um", "nm", "ms", "yr"}
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
    " were be equals equal no none never either maybe perhaps possibly but times plus minus answer wrong incorrect false but with"
    " mod modulo"
)
_SQUARE = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cubed": 3, "cu": 3}
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "mn": 10**6,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
}


def is_unit_word(text: str) -> bool:
    """Whether a plain word is a unit behind a number ("5 km"); single letters are variables."""
    return text in _PLAIN or text.lower() in _PLAIN


@lru_cache(maxsize=8_192)
def canonical_unit(text: str) -> str | None:
    """One name for the unit that `text` spells; "" for none, None where the words cannot be a unit.

    >>> canonical_unit("square centimetres"), canonical_unit("cm ^2"), canonical_unit("or 5")
    ('cm^2', 'cm^2', None)
    """
    text = text.strip(" .,;:!").replace("\\$", "$").replace("per cent", "percent")
    base = re.fullmatch(r"\(?(?:in )?base[ -]?(\w+)\)?", text.lower())
    if base is not None:
        digits = base[1] if base[1].isdigit() else str(BASE_NAMES.get(base[1], ""))
        return f"base {digits}" if digits else None
    parts: list[str] = []
    power = 0
    divide = False
    found = re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[$€£¥₹%¢°Ω]|\^ ?-?\d+|[/*\d]", text)
    for index, word in enumerate(found):
        lower = word.lower()
        if (
            lower == "in"
            and index + 1 < len(found)
            and found[index + 1][0].isalpha()
            and found[index + 1].lower() not in _SQUARE
        ):
            continue
        if lower in _STOP or word.isdigit():
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
        elif lower in {"of", "the", "total", "long", "tall", "wide", "away", "*", "apart", "old"}:
            continue
        else:
            name = _UNITS.get(word) or _UNITS.get(lower) or _stem(lower)
            if power:
                name, power = f"{name}^{power}", 0
            parts.append(("/" if divide else "") + name)
            divide = False
    if power:
        parts.append(f"unit^{power}")
    if len(parts) > 7:
        return None
    parts = [_quotient(one) for one in parts]
    joined = " ".join(parts)
    return {"%": "percent", "percent": "percent", "°": "degree", "degree /celsius": "degC", "degree degC": "degC",
            "degree degF": "degF", "degree C": "degC", "km /h": "kmh", "mi /h": "mph"}.get(joined, joined)  # fmt: skip


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
            return "^" not in other or other.startswith("unit")
        if re.fullmatch(r"unit\^\d", one):
            return other.endswith(one[4:]) and " " not in other
        if one == "th":
            return True
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
