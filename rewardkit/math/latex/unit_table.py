"""Units, currencies and scale words: their names, spellings and sizes."""

from __future__ import annotations

from fractions import Fraction

from rewardkit.math.latex.vocabulary import word_set

SPELLINGS = """
m: meter metre; km: kilometer kilometre; cm: centimeter centimetre; mm: millimeter millimetre; dm: decimeter decimetre
um: micrometer micron; nm: nanometer; in: inch inches; ft: foot feet; yd: yard; mi: mile; kms: ; cms:
g: gram gramme gm; kg: kilogram kilo; mg: milligram; ug: microgram mcg; t: ton tonne; lb: lbs; pound: ; oz: ounce
s: second sec; ms: millisecond; us: microsecond; min: minute mins; h: hour hr; day: ; week: wk; month: ; year: yr
l: liter litre L; ml: milliliter millilitre mL; cm^3: cc; gal: gallon; qt: quart; ha: hectare; dB: decibel; person: people
atm: atmosphere; kWh: kilowatt-hour; mpg: ; mph: ; kmh: kph kmph; N: newton; J: joule; kJ: kilojoule; W: watt; kW: kilowatt; V: volt
A: ampere amp; ohm: ; kohm: kilohm; Mohm: megohm; Pa: pascal; kPa: kilopascal; Hz: hertz; mol: mole; K: kelvin; K|k: thousandK; degC: celsius
degF: fahrenheit; rad: radian; degree: deg; percent: pct percentage; $: dollar usd USD buck; cent: ¢; €: euro eur EUR; £: gbp GBP
¥: yen jpy JPY yuan cny CNY rmb RMB 元; ₹: rupee rs inr INR Rs; ₽: ruble rouble; unit: ; th: st nd rd
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
    "degree C": "degC", "km /h": "kmh", "mi /h": "mph", "mi /gal": "mpg", "basis point": "bps", "parts /million": "ppm", "part /million": "ppm",
}  # fmt: skip
"""Units of several words."""

NO_UNIT = word_set(
    "not or nor and approximately about around roughly than more less least most between if when unless otherwise because is are was"
    " were be equals equal no none never either maybe perhaps possibly ish probably presumably hopefully guess guessed apparently supposedly likely"
    " unlikely unsure uncertain tentative tentatively but times plus minus answer wrong incorrect false with"
    " mod modulo factorial squared cubed half halves third thirds quarters fourths fifths sixths sevenths eighths ninths tenths hundredths"
    " thousandths below above under over too zero short extra negative positive remainder root power powers doubled tripled halved"
    " fewer greater bound primorial nothing tens hundreds ten mille hint draft dozens grand gross hex"
    " inverse reciprocal conjugate derivative transpose complement determinant closure interior reflection extraneous reflected rotated upto"
    " has have had divided multiplied subtracted reduced increased bc bce infinitely unknown except without excluding impossible invalid cannot fails"
)
"""Words that are no part of a unit: they change what a number says."""
