"""Labelled pairs: words, choice letters, accepted lists, broken golds, Unicode, hedges, contradictions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from sympy import pi, sqrt

from benchmarks.math_cases import Case, category, other, tex


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
