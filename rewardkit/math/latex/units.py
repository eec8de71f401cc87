"""Units and currencies: one name for each, so that "cm" and "centimetres" agree and "cm" and "m" do not."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from rewardkit.math.latex.vocabulary import word_set
from rewardkit.math.patterns import lazy

SPELLINGS = """
m: meter metre; km: kilometer kilometre; cm: centimeter centimetre; mm: millimeter millimetre; dm: decimeter decimetre
um: micrometer micron; nm: nanometer; in: inch inches; ft: foot feet; yd: yard; mi: mile; kms: ; cms:
g: gram gramme gm; kg: kilogram kilo; mg: milligram; ug: microgram mcg; t: ton tonne; lb: lbs; pound: ; oz: ounce
s: second sec; ms: millisecond; us: microsecond; min: minute mins; h: hour hr; day: ; week: wk; month: ; year: yr
l: liter litre L; ml: milliliter millilitre mL; cm^3: cc; gal: gallon; qt: quart; ha: hectare; dB: decibel; person: people
atm: atmosphere; kWh: kilowatt-hour; mpg: ; mph: ; kmh: kph kmph; N: newton; J: joule; kJ: kilojoule; W: watt; kW: kilowatt; V: volt
A: ampere amp; ohm: ; kohm: kilohm; Mohm: megohm; Pa: pascal; kPa: kilopascal; Hz: hertz; mol: mole; K: kelvin; K|k: thousandK; degC: celsius
degF: fahrenheit; rad: radian; degree: deg; percent: pct percentage percento prozent процент процента процентов; $: dollar usd USD buck; cent: ¢; €: euro eur EUR; £: gbp GBP
¥: yen jpy JPY yuan cny CNY rmb RMB 元; ₹: rupee rs inr INR Rs; ruble: rouble; unit: ; th: st nd rd
"""
"""Name: spellings. Plurals in -s are added."""

SIZES: dict[str, tuple[str, Fraction]] = {
    name: (kind, Fraction(size))
    for kind, sizes in {
        "length": {"m": "1", "km": "1000", "cm": "0.01", "mm": "0.001", "dm": "0.1", "in": "0.0254", "ft": "0.3048", "yd": "0.9144", "mi": "1609.344"},
        "mass": {"g": "1", "kg": "1000", "mg": "0.001", "t": "1000000"},
        "time": {"s": "1", "ms": "0.001", "min": "60", "h": "3600", "day": "86400", "week": "604800"},
        "volume": {"l": "1", "ml": "0.001"},
        "dollars": {"$": "1", "cent": "0.01"},
        "energy": {"J": "1", "kJ": "1000"},
        "power": {"W": "1", "kW": "1000"},
        "pounds": {"lb": "16", "oz": "1"},
        "pressure": {"Pa": "1", "kPa": "1000"},
    }.items()
    for name, size in sizes.items()
}  # fmt: skip
PREFIXES = {"p": "pico", "n": "nano", "u": "micro", "m": "milli", "c": "centi", "d": "deci", "k": "kilo", "M": "mega", "G": "giga", "T": "tera"}  # fmt: skip
BASES = {
    "m": "meter", "g": "gram", "s": "second", "A": "ampere", "V": "volt", "W": "watt", "J": "joule", "N": "newton", "Pa": "pascal",
    "Hz": "hertz", "C": "coulomb", "F": "farad", "H": "henry", "T": "tesla", "mol": "mole", "B": "byte", "b": "bit", "cal": "calorie",
    "eV": "electronvolt", "Wh": "watthour", "ohm": "ohm",
}  # fmt: skip
CURRENCIES = {"USD": "$", "US$": "$", "$": "$", "EUR": "€", "€": "€", "GBP": "£", "£": "£", "Rs": "₹", "Rs.": "₹", "INR": "₹", "₹": "₹",
              "¥": "¥", "¢": "cent", "RMB": "¥", "CNY": "¥"}  # fmt: skip
SCALES: dict[str, Fraction] = {
    name: Fraction(size)
    for name, size in {
        "hundred": 100, "thousand": 10**3, "mn": 10**6, "bn": 10**9, "million": 10**6, "billion": 10**9, "trillion": 10**12, "tn": 10**12,
        "quadrillion": 10**15, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8, "lakh": 10**5, "crore": 10**7, "dozen": 12,
        "hundert": 100, "tausend": 1000, "millionen": 10**6, "billionen": 10**12, "milliarde": 10**9, "milliarden": 10**9, "milliard": 10**9, "dutzend": 12, "douzaine": 12, "docena": 12,
        "mila": 1000, "millone": 10**6, "millón": 10**6, "milhõe": 10**6, "milhão": 10**6, "bilhõe": 10**9, "bilhão": 10**9, "milione": 10**6, "milioni": 10**6, "miliardo": 10**9,
        "miliardi": 10**9, "mio": 10**6, "mrd": 10**9, "천": 1000, "만": 10**4, "억": 10**8, "萬": 10**4, "億": 10**8, "тыс": 1000, "млн": 10**6, "млрд": 10**9,
        "тысяча": 1000, "тысячи": 1000, "тысяч": 1000, "миллион": 10**6, "миллиона": 10**6, "миллионов": 10**6, "миллиард": 10**9, "миллиарда": 10**9, "миллиардов": 10**9, "дюжин": 12, "дюжины": 12,
        "ppm": "1/1000000", "ppb": "1/1000000000", "bps": "1/10000", "permille": "1/1000",
    }.items()
}  # fmt: skip
"""Words behind a number that are part of it."""

NUMBERED = word_set("th day week month year h min unit")
"""What may stand behind an ordinal: the fifth day."""

PLACED = NUMBERED | word_set(
    "quadrant term place row column floor grade player person team box door round stage step century hour"
)
NOT_PLAIN = word_set("in st nd rd th mn um nm ms yr ha")
"""Short names that are no units where they stand as plain words."""

PLAIN_SYMBOLS = word_set("GeV MeV keV eV MiB GiB KiB MB GB KB TB Hz kHz MHz GHz rpm kWh dB mol psi atm")
POWERS = {"square": 2, "sq": 2, "squared": 2, "cubic": 3, "cubed": 3, "cu": 3}
IGNORED = word_set("of the total long tall wide away * apart old metric")
WHOLE = {
    "%": "percent", "percent": "percent", "°": "degree", "degree /celsius": "degC", "degree degC": "degC", "degree degF": "degF",
    "degree C": "degC", "km /h": "kmh", "mi /h": "mph", "mi /gal": "mpg", "basis point": "bps", "pour cent": "percent", "por ciento": "percent", "por cento": "percent",
    "parts /million": "ppm", "part /million": "ppm",
}  # fmt: skip
"""Units of several words."""

NO_UNIT = word_set(
    "not or nor and approximately about around roughly than more less least most between if when unless otherwise because is are was"
    " were be equals equal no none never either maybe perhaps possibly ish probably presumably hopefully guess guessed apparently supposedly likely"
    " unlikely unsure uncertain tentative tentatively but times plus minus answer wrong incorrect false with"
    " mod modulo base binary octal hexadecimal factorial squared cubed half halves third thirds quarters fourths fifths sixths sevenths eighths ninths tenths hundredths"
    " thousandths below above under over too zero short extra negative positive remainder root power powers doubled tripled halved"
    " fewer greater bound primorial nothing tens hundreds ten mille hint draft dozens grand gross hex"
    " inverse reciprocal conjugate derivative transpose complement determinant closure interior reflection extraneous reflected rotated upto"
    " has have had divided multiplied subtracted reduced increased bc bce infinitely unknown except without excluding impossible invalid cannot fails"
)
"""Words that are no part of a unit: they change what a number says."""


MAX_WORDS = 7
"""Longer names are sentences."""

_PIECES = lazy(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|[$€£¥₹%¢°Ω]|\^ ?-?\d+|[/*\d]")
_ELSEWHERE = lazy(
    r"(?i:\b(?:first|second|third|other|this|that|one|each|either|worst|best) case\b|\bB\. ?C|\bup to\b|\bonly of\b|\bat the \w+st\b)"
)
"""What makes a value hold elsewhere: in one case, before Christ."""

_CHINESE_SCALES = lazy(r"([百万亿萬億만억천]|千(?![克米瓦帕卡焦赫伏牛]|欧(?!元)))")
_PARTICIPLE = lazy(r"(?!cubed|squared)[a-z]{2,}[^e\W]ed")
"""What was done to a value, 5 reversed, is no unit."""

_NOT_WHOLE = ("n't", "n’t", "eenths", "elfths", "ieths")


def _spelled() -> dict[str, str]:
    """Each spelling with its name."""
    table: dict[str, str] = {}
    for entry in SPELLINGS.replace("\n", ";").split(";"):
        name, colon, others = entry.strip().partition(":")
        for one in (name, *others.split()) if colon else ():
            table[one] = name
            if len(one) > 1 and one[-1] not in "s²":
                table.setdefault(one + "s", name)
    return table


def _prefixed() -> dict[str, str]:
    """Names and symbols of units in which capitals count: mW, MW, milliwatts, megawatts, H and h."""
    table = {"kB": "kB", "KB": "kB", "kb": "kB"}
    for symbol, name in BASES.items():
        for short, long in (("", ""), *PREFIXES.items()):
            unit = table[short + symbol] = _UNITS.get(short + symbol, short + symbol)
            for word in (name, name + "s", name[:-1] + "ies", name.replace("meter", "metre")):
                table.setdefault(long + word, unit)
    return table


_UNITS = _spelled() | {"kms": "km", "cms": "cm", "million": "mn", "billion": "bn"}
_PREFIXED = _prefixed()
_PLAIN_WORDS = {name for name in _UNITS if len(name) > 1 and name not in NOT_PLAIN} | PLAIN_SYMBOLS


def is_unit_word(text: str) -> bool:
    """Whether a plain word is a unit behind a number ("5 km"); single letters are variables."""
    return text in _PLAIN_WORDS or text.lower() in _PLAIN_WORDS


def is_known_unit(word: str) -> bool:
    """Whether a word names one of our units: "hours", "km"."""
    return word in _UNITS or word.lower() in _UNITS


def is_unit_symbol(letter: str) -> bool:
    """Whether a letter is the symbol of a unit."""
    return letter in _UNITS or letter in BASES


@lru_cache(maxsize=8_192)
def canonical_unit(text: str) -> str | None:
    """One name for the unit that `text` spells; "" for none, None where the words cannot be a unit.

    >>> canonical_unit("square centimetres"), canonical_unit("cm ^2"), canonical_unit("or 5")
    ('cm^2', 'cm^2', None)
    """
    text = text.strip(" .,;:!").replace("\\$", "$").replace("per cent", "percent").replace("{", "").replace("}", "")
    if _ELSEWHERE.search(text) is not None:
        return None
    if not text.isascii():
        text = _CHINESE_SCALES.sub(r" \1 ", text)
    words = _PIECES.findall(text)
    if words == ["times"]:
        return "time"
    if any(_changes(words, at) for at in range(len(words))) or (words and words[-1].lower() in {"per", "/"}):
        return None
    parts = _parts(words)
    if len(parts) > MAX_WORDS or (words and _PARTICIPLE.fullmatch(words[-1]) is not None):
        return None
    if len(parts) > 1 and parts[0] == "th":  # the 15th day
        if parts[1] not in PLACED:
            return None
        del parts[0]
    if parts and parts[0] in {"percent", "%"}:  # 14 percent of the pupils
        return "percentage point" if parts[1:2] == ["point"] else "percent"
    joined = " ".join(map(_quotient, parts))
    return WHOLE.get(joined, joined)


def _changes(words: list[str], at: int) -> bool:
    """Whether a word is no part of a unit, but changes what the number before it says."""
    word = words[at]
    lower = word.lower()
    if lower in {"more", "other"} and at + 1 < len(words):
        return False  # 5 more apples
    if lower == "to":  # 5 to one
        return at == 0
    if lower in NO_UNIT:
        return not (lower.endswith("ed") and at > 0)
    return word.isdigit() or lower.endswith(_NOT_WHOLE)


def _parts(words: list[str]) -> list[str]:
    """The names of units in a row, with their powers and a slash before those that divide."""
    parts: list[str] = []
    power = 0
    divide = False
    for at, word in enumerate(words):
        lower = word.lower()
        following = words[at + 1].lower() if at + 1 < len(words) else ""
        joins = lower == "in" and following.isalpha() and following not in POWERS
        if joins or lower in {"more", "other"} or lower in IGNORED:
            continue
        if lower in POWERS:
            power = POWERS[lower]
            if lower.endswith("ed") and parts:
                parts[-1] += f"^{power}"
                power = 0
        elif word.startswith("^"):
            if parts:
                parts[-1] += word.replace(" ", "")
        elif word in {"/", "a"} or lower in {"per", "each"}:
            divide = bool(parts)
        else:
            raised = f"^{power}" if power else ""
            parts.append(("/" if divide else "") + _name(word) + raised)
            power, divide = 0, False
    return [*parts, f"unit^{power}"] if power else parts


def _name(word: str) -> str:
    """The name of a unit, or a word in the singular."""
    lower = word.lower()
    long = _PREFIXED.get(lower) if len(lower) > 4 else None
    return _UNITS.get(word) or _PREFIXED.get(word) or _UNITS.get(lower) or long or _singular(lower)


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "is")) else word


def _quotient(part: str) -> str:
    """A negative power as a division: s^-2 is /s^2."""
    name, minus, power = part.partition("^-")
    return (f"/{name}" if power == "1" else f"/{name}^{power}") if minus else part


def scaled(unit: str) -> tuple[Fraction, str]:
    """The number that words such as thousand and dozen behind a value stand for, and the unit that is left.

    >>> scaled("million $"), scaled("cm")
    ((Fraction(1000000, 1), '$'), (Fraction(1, 1), 'cm'))
    """
    scale = Fraction(1)
    while (word := unit.split(" ", 1)[0]) in SCALES:
        scale *= SCALES[word]
        unit = unit[len(word) + 1 :]
    return scale, unit


def same_unit(left: str, right: str) -> bool:
    """Whether two canonical units are one, or one of them says less than the other."""
    return left == right or _covers(left, right) or _covers(right, left)


def _covers(one: str, other: str) -> bool:
    """Whether a unit that says less names the other one, too."""
    if one == "unit":
        return "^" not in other
    if one.startswith("unit^"):
        return other.endswith(one[4:]) and " " not in other
    if one == "th":
        return other in NUMBERED or (other not in _UNITS and other not in _PREFIXED)
    if one == "K|k":
        return other == "K"
    if (one == "pound" and other in {"£", "lb"}) or (one == "degree" and other in {"degC", "degF"}):
        return True
    if one in CURRENCIES.values() and other.startswith(one + " /"):
        return True
    return len(one) > 2 and other.startswith(one + " ") and "/" not in other and one not in SIZES


def conversion(left: str, right: str) -> Fraction | None:
    """How many `right` one `left` is, for plain units of one kind."""
    a, b = SIZES.get(left), SIZES.get(right)
    return a[1] / b[1] if a is not None and b is not None and a[0] == b[0] else None
