"""What counts for a language and what does not, wherever it stands."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, load
from rewardkit.rewards import language_consistency
from rewardkit.rewards.language_consistency import LANGUAGES

SENTENCES = json.loads((Path(__file__).parents[2] / "cases/languages.json").read_text(encoding="utf-8"))
FORMULAS = (
    "$x^2 + y = z$",
    "$$x + y$$",
    r"\(x^2 + y = z\)",
    r"\[ \frac{a}{b} = c \]",
    "```python\nx = 1\n```",
    "~~~\nx = y\n~~~",
    "`code`",
    "$\u03b1$",
)
OTHERS = {
    **{name: text for name, text in SENTENCES.items() if not re.search("[a-z]", text)},
    "Georgian": "\u10d8\u10e5 \u10d8\u10e7\u10dd",
    "Armenian": "\u0561\u0575\u056c \u0562",
}


def share(text, language):
    return load(f"language_consistency(language={language!r})").score([Sample(completion=text)])[0].value


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() & SENTENCES.keys()))
@given(st.lists(st.sampled_from(FORMULAS)))
def test_code_and_formulas_count_for_no_language(language, formulas):
    assert share(" ".join([SENTENCES[language], *formulas, SENTENCES[language]]), language) == 1


@pytest.mark.parametrize("frame", ["{}", "```\n{}\n```", "``` {}", "`{}`", "It costs $5, {} and then $6", r"\({}\)"])
@pytest.mark.parametrize("other", OTHERS)
def test_another_script_counts_wherever_it_stands(other, frame):
    in_formula = other == "el" and frame not in ("{}", "``` {}")
    value = share(f"{SENTENCES['en']} {frame.replace('{}', OTHERS[other])}", "en")
    assert (value == 1) == in_formula


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The area is x² + y³ \u2248 4½ m², 5 \u00b5m or \u210d, \U0001d465 and \uff21 at the \ufb01rst"),
        ("zh", "二〇二四年①我们先看②再看"),
        ("ja", "人々は\uff83\uff9a\uff8b\uff9eを見る時々"),
        ("ar", "قال النبي \ufdfa إنه كذلك"),
    ],
)
def test_letters_and_numbers_in_a_form_of_their_own_are_of_no_other_script(language, text):
    assert share(text, language) == 1


@pytest.mark.long
@pytest.mark.parametrize("opening", ["\\[ a\\", "\\(\\\\", "$$", "```", "~~~", "`"])
def test_openings_that_never_close_take_linear_time(opening, monkeypatch):
    """A quadratic search would take hours for 1 MB (the suite's own limit is the clock)."""
    monkeypatch.setattr(language_consistency, "MAX_CHARS", 1_000_000)
    assert share(f"{SENTENCES['en']} " + opening * (1_000_000 // len(opening)), "en") == 1
