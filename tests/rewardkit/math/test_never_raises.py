"""Whatever stands on either side, there is a verdict: texts of the grammar's own tokens in any order, and all that can be built of its forms."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from rewardkit.math import Judgement, compare
from rewardkit.math.latex import commands, lexer, vocabulary

WORDS = [*vocabulary.RELATIONS, *vocabulary.FUNCTIONS, *vocabulary.BRACKET, *lexer.CONNECTORS]
TOKENS = [
    *"()[]{}|,;:=<>+-*/^_!%'&012xyznkeiABC",
    *WORDS, *(f"\\{name}" for name in sorted({*commands.COMMANDS, *vocabulary.RELATIONS, *vocabulary.SET_OPERATORS}) if name.isalpha()),
    *(f"\\text{{{word}}}" for word in WORDS),
    *(f"\\{edge}{{{name}}}" for edge in ("begin", "end") for name in sorted(commands.ENVIRONMENTS)),
    "\\\\", "\\{", "\\}", "\\left", "\\right", "\\right.", "1/2", "1,000", "^\\circ", "\\text{cm}", "\\mathbb{R}", "\\pmod", "where", "for all",
]  # fmt: skip
FREQUENT = ["\\{", "\\}", "(", ")", "{", "}", ",", "=", "or", "x", "1", "\\in", "\\right."]
ROWS = st.lists(st.one_of(st.sampled_from(FREQUENT), st.sampled_from(TOKENS)), max_size=9).map(" ".join)

FORMS = (
    "{0}, {1}", "({0}, {1})", "[{0}, {1})", "\\{{{0}, {1}\\}}", "\\{{{0} \\mid {1}\\}}", "{0} = {1}", "{0} = {1} = {2}", "{0} \\le {1} < {2}",
    "{0} \\ne {1}", "{0} \\text{{ or }} {1}", "{0}; {1}", "{0} \\cup {1}", "{0} \\setminus {1}", "{0} : {1} : {2}", "{0} \\in {1}",
    "{0} \\pm {1}", "\\mp {0}", "{0} - {1}", "{0}{1}", "\\frac{{{0}}}{{{1}}}", "\\sqrt[{0}]{{{1}}}", "{0}^{{{1}}}", "{0}_{{{1}}}", "|{0}|",
    "\\lfloor {0} \\rfloor", "f({0}, {1}) = {2}", "\\sin {0}", "\\log_{{{0}}} {1}", "\\max({0}, {1})", "\\binom{{{0}}}{{{1}}}", "{0}!",
    "\\begin{{pmatrix}} {0} & {1} \\\\ {2} & {0} \\end{{pmatrix}}", "\\begin{{cases}} {0} & {1} \\\\ {2} & {0} \\end{{cases}}",
    "\\sum_{{{0}}}^{{{1}}} {2}", "\\int_{{{0}}}^{{{1}}} {2} dx", "\\lim_{{x \\to {0}}} {1}", "{0} \\text{{ cm}}", "{0}\\%", "{0}^\\circ",
    "\\text{{Alice}}: {0}, \\text{{Bob}}: {1}", "{0} \\text{{ if }} {1}", "{0} \\equiv {1} \\pmod{{{2}}}", "{0}, {1}, ..., {2}", "{0}^T",
    "\\overline{{{0}}}", "{0} \\implies {1}", "{0} \\bmod {1}", "\\text{{{0}}}",
)  # fmt: skip
LEAVES = (
    "0", "1", "-3", "1/2", "1,000", "x", "n", "AB", "e", "i", "\\pi", "\\infty", "\\mathbb{Z}", "\\emptyset", "()", "\\{\\}", "5\\text{ cm}",
    "\\frac{0}{0}", "9^{9^9}", "\\sqrt{-1}", "\\ln 0", "\\text{no solution}", "\\text{at least } 5", "2 \\pmod 3", "k \\in \\mathbb{Z}",
)  # fmt: skip
BUILT = st.recursive(
    st.sampled_from(LEAVES),
    lambda inside: st.builds(str.format, st.sampled_from(FORMS), inside, inside, inside),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(ROWS, ROWS)
@example("(1, 2)", "\\left\\{ \\right. &")
@example("1", "\\{ or \\}")
@example("1", "\\angle ( is} \\text{no} ABC \\in")
def test_tokens_in_any_order_have_a_verdict(gold, answer):
    assert isinstance(compare(gold, answer), Judgement)


@settings(max_examples=300, deadline=None)
@given(BUILT, BUILT)
@example("1/2", "\\log_{2} (1, 2)")
def test_all_that_is_built_of_known_forms_has_a_verdict(gold, answer):
    assert isinstance(compare(gold, answer), Judgement)
    assert compare(gold, gold).equal or compare(gold, gold).status.value == "bad_gold"
