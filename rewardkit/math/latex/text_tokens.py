r"""Tokens of what stands in `\text{...}`: words, units, conditions, connectors, or formulas set as text."""

from __future__ import annotations

import re
from collections.abc import Callable

from rewardkit.math.latex.tokens import Token, token
from rewardkit.math.latex.vocabulary import word_set

Tokenize = Callable[[str], list[Token]]

CONNECTORS = {
    **dict.fromkeys(("and", "&", "und", "and/or", "also", "et", "as well as", "и", "且", "和"), "and"),
    **dict.fromkeys(("or", "oder", "ou", "or else", "или", "或", "または"), "or"),
}
_SPANISH = {" y ": Token("and", "and"), " o ": Token("and", "or")}
"""Connectors that are letters, too, where they stand without blanks."""

CONDITION_WORDS = word_set("where if when otherwise for")
_CONDITIONS = CONDITION_WORDS | {
    "for all", "for any", "for every", "for each", "for some", "with", "such that", "provided", "unless", "as long as", "whenever", "only if",
    "over", "given",
}  # fmt: skip
_CONDITION_STARTS = tuple(f"{one} " for one in _CONDITIONS)
_PI = Token("cmd", "pi")
_DASHES = frozenset({"-", "--", "---"})
_UNIT_LETTERS = frozenset("msghlLNJWVAKCFtHT")
_UNIT_NAMES = word_set("min sec deg max")
_NAMES = word_set(
    "cis sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh coth ln log lg exp sqrt arsinh arcosh artanh arcsinh arccosh"
    " rank tr dim ker arctanh asin acos atan cosec tg ctg arctg arcctg sgn sign max min gcd lcm det pi floor ceil"
)
_SAYS_ANSWER = re.compile(r"(?:the |my )?(?:final )?answer(?: is\b ?:?| ?:) ?", re.IGNORECASE)
_LABEL = re.compile(r"[A-Za-z]{3,}(?: [A-Za-z]{2,}){0,4}(?: [0-9]{1,2})? ?:")
_UNIT_PRODUCT = re.compile(r"(?=[A-Za-z])(?:[A-Za-z0-9^/ -]|\\cdot)+")
_MULTIPLICITY = re.compile(
    r"\(?(?:with |of )?(?:multiplicity (?:[0-9]|two|three|four)|(?:a )?(?:double|triple|repeated) root)\)?|\(?qed\)?"
)
_FORMULA = re.compile(
    r"[^\\$]*\$|[A-Za-z](?:_?[0-9])? ?= ?-?[0-9A-Za-z./^()]{1,40}\Z|[-+$(]?\s?[0-9]|[^\\]*\\(?![ ,;:!])|[^A-Za-z]*\Z"
)
_LETTERS = re.compile(r"[A-Za-z]+")


def text_tokens(tokens: list[Token], command: str, body: str, tokenize: Tokenize) -> None:
    """Add the tokens of the body of a text command; `tokenize` reads formulas in it."""
    content = " ".join(body.replace("~", " ").replace("\\,", " ").replace("$", " ").split())
    answer = _SAYS_ANSWER.match(content)
    if answer is not None:
        content = body = content[answer.end() :]
    if not content:
        return
    if body in _SPANISH and tokens:
        tokens.append(_SPANISH[body])
        return
    if content.endswith(":") and _LABEL.fullmatch(content) is not None:
        tokens.extend((Token("text", content[:-1].strip()), token("op", ":")))
        return
    if content.endswith(",") and len(content) > 2 and tokens and tokens[-1].kind == "num":
        text_tokens(tokens, command, content[:-1], tokenize)
        tokens.append(token("op", ","))
        return
    if "\\cdot" in content and _UNIT_PRODUCT.fullmatch(content) is not None:
        content = body = " ".join(content.replace("\\cdot", " ").split())
    lower = content.lower().strip(" ,.;:")
    if not (tokens and _MULTIPLICITY.fullmatch(lower)) and not _joining(tokens, content, lower):
        _words(tokens, command, content, body, tokenize)


def _joining(tokens: list[Token], content: str, lower: str) -> bool:
    """Add what stands between values: "and", "to", a comma, the words of a condition; whether it is any of them."""
    if _behind_value(tokens) and (content in _DASHES or lower == "to"):
        tokens.append(token("op", ":") if lower == "to" else token("cmd", "to"))  # a range or a score
    elif lower in CONNECTORS:
        tokens.append(token("and", CONNECTORS[lower]))
    elif not lower:
        if content[0] in ",;:":
            tokens.append(token("op", content[0]))
    elif lower in _CONDITIONS or lower.startswith(_CONDITION_STARTS):
        tokens.append(Token("cond", lower))
    else:
        return False
    return True


def _words(tokens: list[Token], command: str, content: str, body: str, tokenize: Tokenize) -> None:
    """Add words, a name, a unit, or a formula set as text."""
    lower = content.lower()
    if _FORMULA.match(body.strip()) is not None:
        tokens.extend(tokenize(body))
        if content.endswith(","):
            tokens.append(token("op", ","))
    elif _behind_value(tokens) and (lower in _UNIT_NAMES or content in _UNIT_LETTERS):
        tokens.append(Token("text", content))
    elif lower.endswith((" and", " or")):
        words, _, connector = content.strip(" ,").rpartition(" ")
        tokens.extend((Token("text", words.strip(" ,")), token("and", connector.lower())))
    elif _LETTERS.fullmatch(content) and (len(content) == 1 or command.startswith("operatorname") or lower in _NAMES):
        tokens.append(Token("word", lower if lower in _NAMES else content))
    else:
        tokens.append(Token("text", content))


def _behind_value(tokens: list[Token]) -> bool:
    """Whether a number or a closing bracket stands before."""
    if not tokens:
        return False
    last = tokens[-1]
    return last.kind in {"num", "sci", "mixed"} or last.text in {")", "}"} or last == _PI
