"""What a formula means, as a tree, and what is refused."""

from __future__ import annotations

import pytest
from flint import fmpq

from rewardkit.math.latex.lexer import collapse, tokenize
from rewardkit.math.latex.normalise import repair
from rewardkit.math.latex.parser import MAX_CHARS, parse
from rewardkit.math.latex.statements import MAX_DEPTH
from rewardkit.math.latex.tree import (
    Based,
    Builder,
    Cond,
    LimitError,
    Matrix,
    Num,
    Op,
    ParseError,
    Ratio,
    Rel,
    Seq,
    SetOp,
    Sym,
    Unit,
    Words,
)

X = Sym("x")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("2x", Op("mul", (Num(fmpq(2)), X))),
        ("-x^2", Op("neg", (Op("pow", (X, Num(fmpq(2)))),))),
        (r"\sin^2 x", Op("pow", (Op("sin", (X,)), Num(fmpq(2))))),
        (r"\sin^{-1} x", Op("asin", (X,))),
        (r"\log_2 x", Op("logb", (Num(fmpq(2)), X))),
        ("f(x)", Op("call:f", (X,))),
        ("x_1", Sym("x_1")),
        ("x_{12}", Sym("x_12")),
        ("1010_2", Based("1010", 2)),
        (r"5\text{ cm}", Unit(Num(fmpq(5)), "cm")),
        ("5 apples", Unit(Num(fmpq(5)), "apple")),
        ("yes", Words("yes")),
        ("1:2", Ratio((Num(fmpq(1)), Num(fmpq(2))))),
        ("(1,2]", Seq("(", "]", (Num(fmpq(1)), Num(fmpq(2))))),
        ("]1,2[", Seq("(", ")", (Num(fmpq(1)), Num(fmpq(2))))),
        (r"\{1\}", Seq("{", "}", (Num(fmpq(1)),))),
        ("((x))", X),
        ("a<x", Rel(("<",), (Sym("a"), X))),
        (r"\emptyset", Seq("{", "}", ())),
        ("x²", Op("pow", (X, Num(fmpq(2))))),
        ("√2", Op("sqrt", (Num(fmpq(2)),))),
        (r"{x \over 2}", Op("div", (X, Num(fmpq(2))))),
    ],
)
def test_tree_of(text, tree):
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", Matrix),
        (r"\{x\mid x>3\}", Builder),
        (r"(1,2)\cup(3,4)", SetOp),
        ("(1,2) U (3,4)", SetOp),
        ("x=1, y=2", Seq),
        (r"x+1\text{ for all }x", Cond),
        (r"x\equiv3\pmod7", Rel),
    ],
)
def test_kind_of(text, kind):
    assert isinstance(parse(text), kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "(1",
        r"\frac{1}",
        "2 3",
        "1..2",
        r"\begin{pmatrix}1&2\\3\end{pmatrix}",
        "☺",
        r"\unknowncommand",
        "29_8",
        r"\gcd()",
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text):
    with pytest.raises(ParseError):
        parse(text)


def test_commas_separate_thousands_or_members():
    assert parse("1,234") == Num(fmpq(1234))
    assert parse("1,234", commas=False) == Seq("", "", (Num(fmpq(1)), Num(fmpq(234))))


@pytest.mark.parametrize(
    "text",
    [
        "x" * (MAX_CHARS + 1),
        "1+" * 1200 + "1",
        "-(" * (MAX_DEPTH + 2) + "1" + ")" * (MAX_DEPTH + 2),
        r"\sqrt{" * 90 + "1" + "}" * 90,
    ],
)
def test_bounds_have_their_own_error(text):
    with pytest.raises(LimitError):
        parse(text)


def test_doubled_brackets_collapse_at_any_depth():
    assert parse("(" * 500 + "x" + ")" * 500) == X
    assert [token.text for token in collapse(tokenize("((x)+(y))"))] == [
        "(",
        "(",
        "x",
        ")",
        "+",
        "(",
        "y",
        ")",
        ")",
        "",
    ]


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("\x0crac{1}{2}", r"\frac{1}{2}"),
        ("rac{1}{2}", r"\frac{1}{2}"),
        (r"\\frac{1}{2}", r"\frac{1}{2}"),
        ("5\times 3", r"5\times 3"),
        ("(x)=x+1", "x+1"),
    ],
)
def test_escapes_that_a_data_set_lost_are_mended(broken, mended):
    assert repair(broken) == mended
