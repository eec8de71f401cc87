"""The names our grammar knows: functions, constants, relations, letters."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


FUNCTIONS: dict[str, str] = {
    **{name: name for name in ["sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "exp", "ln", "log", "arg", "det", "dim", "ker", "deg", "gcd", "lcm", "max", "min", "sgn", "Re", "Im", "erf", "sup"]},
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arccot": "acot", "asin": "asin", "acos": "acos", "atan": "atan",
    "acot": "acot", "arctg": "atan", "arcctg": "acot", "tg": "tan", "ctg": "cot", "cosec": "csc", "lg": "log10", "sh": "sinh",
    "ch": "cosh", "th": "tanh", "arsinh": "asinh", "arcsinh": "asinh", "asinh": "asinh", "arcosh": "acosh", "arccosh": "acosh",
    "acosh": "acosh", "artanh": "atanh", "arctanh": "atanh", "atanh": "atanh", "arcsec": "asec", "arccsc": "acsc", "sign": "sgn",
    "abs": "abs", "floor": "floor", "ceil": "ceil", "ceiling": "ceil", "sqrt": "sqrt", "cbrt": "cbrt", "log2": "log2",
    "log10": "log10", "cis": "cis", "factorial": "fact", "binomial": "binom", "comb": "binom", "conj": "conj", "sech": "sech", "csch": "csch",
    "exp_": "exp", "Arg": "arg", "Gamma": "gamma", "GCD": "gcd", "LCM": "lcm", "Log": "log", "Ln": "ln",
    "Sqrt": "sqrt", "Sin": "sin", "Cos": "cos", "Tan": "tan", "lb": "log2", "rank": "rank", "tr": "tr", "Tr": "tr", "rk": "rank",
}  # fmt: skip
"""Function names, as plain words or LaTeX commands, to the name in the tree."""

CONSTANTS = {"pi": "pi", "imath": "i", "jmath": "j"} | dict.fromkeys(word_set("infty infinity Infinity inf oo"), "oo")

GREEK = word_set(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho sigma varsigma tau"
    " upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar aleph beth partial"
    " nabla wp Re Im top bot star dagger bullet prime square triangle angle odot complement"
)
LETTERS = GREEK - word_set(
    "partial nabla wp Re Im top bot star dagger bullet prime square triangle angle odot Xi complement"
)
"""Greek letters that may be spelled out as plain words."""

FRACTIONS = word_set("frac dfrac tfrac cfrac nicefrac sfrac")

SAME_LETTER = {"Pr": "P"} | {f"var{one}": one for one in ("epsilon", "theta", "phi", "rho", "sigma")}

RELATIONS = {
    "=": "=", "==": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "=<": "<=", "=>": "implies", "!=": "!=", "->": "to",
    "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "lt": "<", "gt": ">", "ne": "!=",
    "neq": "!=", "approx": "approx", "simeq": "approx", "sim": "sim", "doteq": "approx", "equiv": "equiv", "in": "in",
    "notin": "notin", "subset": "subset", "subseteq": "subset", "supset": "supset", "supseteq": "supset", "to": "to",
    "rightarrow": "to", "mapsto": "to", "implies": "implies", "Rightarrow": "implies", "Longrightarrow": "implies",
    "iff": "iff", "Leftrightarrow": "iff", "cong": "cong", "parallel": "parallel", "perp": "perp", "propto": "propto", "mid": "mid",
    "coloneqq": "=", "triangleq": "=", "leqq": "<=", "geqq": ">=", "ll": "<<", "gg": ">>", "prec": "prec", "succ": "succ",
    "longrightarrow": "to", "longmapsto": "to", "ni": "ni", "nmid": "nmid", "supsetneq": "psupset", "subsetneq": "psubset",
    "trianglelefteq": "normal", "triangleleft": "normal", "sqsubset": "sq", "vdash": "vdash", "models": "models", "asymp": "asymp",
    "lesssim": "lesssim", "gtrsim": "gtrsim", "not=": "!=", "lneq": "<", "gneq": ">", "le ": "<=",
    "nless": ">=", "ngtr": "<=", "nleq": ">", "ngeq": "<",
}  # fmt: skip
SET_OPERATORS = {"cup": "union", "cap": "inter", "setminus": "minus", "backslash": "minus", "bigcup": "union", "cupdot": "union",
                 "smallsetminus": "minus", "bigcap": "inter", "sqcup": "union"}  # fmt: skip
TIMES = word_set("* cdot times ast cdotp bullet otimes oplus circ star wedge rtimes bigoplus")
DIVIDES = word_set("/ div slash")
TRANSPARENT = word_set(
    "boxed fbox mathbf boldsymbol bm mathit mathcal mathscr mathfrak vec underline mathnormal pmb left right mathop operatorname"
    " rm bf it displaystyle ensuremath framebox text mathrm textbf bold overrightarrow mathsf smash mbox"
)
ACCENTS = word_set("overline bar hat widehat tilde widetilde dot ddot check breve underbrace overbrace stackrel overset underset"
                    " overleftrightarrow overparen wideparen arc")  # fmt: skip
BIG = word_set(
    "sum prod int iint iiint oint lim limsup liminf bigcup bigcap bigoplus bigwedge bigvee max min sup argmax"
)
BRACKET = {
    "(": "(", ")": ")", "[": "[", "]": "]", "\\{": "{", "\\}": "}", "lbrace": "{", "rbrace": "}", "langle": "<", "rangle": ">",
    "lbrack": "[", "rbrack": "]", "lparen": "(", "rparen": ")",
}  # fmt: skip
CALLED = frozenset("fghFGHφψ")
"""Letters that are functions when a bracket follows; other letters are factors, unless they are being defined."""
APPROXIMATE = word_set("approximately about approx roughly around only exactly just simply the")
BASE_NAMES = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    "sixteen": 16, "hex": 16, "oct": 8, "bin": 2, "dec": 10, "binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16,
    "fourteen": 14, "thirteen": 13, "fifteen": 15, "twenty": 20,
}  # fmt: skip
UNNAMED = "?"
"""The name of what a bound without a name is said of: at least 5."""
