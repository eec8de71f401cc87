"""Decimal commas and points between thousands, in responses of a language that writes so."""

from __future__ import annotations

import pytest

from rewardkit.math import judge

RESPONSES = {
    "de": "Die Antwort ist also {} und das ist der Wert.",
    "es": "Entonces la respuesta es {} por los datos, y el valor es este.",
    "it": "Quindi la risposta è {} e il valore che serve.",
    "pt": "Portanto a resposta é {} e os dados dão uma resposta.",
}


@pytest.mark.parametrize("language", RESPONSES)
@pytest.mark.parametrize(
    ("written", "value", "other"),
    [
        ("1.234,5", "1234.5", "1.2345"),
        ("1.234.567,89", "1234567.89", "1.23456789"),
        ("1.234.567", "1234567", "1.234567"),
        ("70.000", "70", "70000"),
        ("2.350", "2.35", "2350"),
        (r"1.250\cdot10^3", "1250", "1250000"),
        ("(1.250,3)", "(1.25,3)", "(1250,3)"),
        ("12,5", "12.5", "125"),
        ("3.125", "25/8", "3125"),
        ("0.250", "1/4", "250"),
    ],
)
def test_points_between_thousands_are_told_from_decimal_points(language, written, value, other):
    response = RESPONSES[language].format(rf"\boxed{{{written}}}")
    assert judge(response, value).equal
    assert not judge(response, other).equal
    assert judge(response, written).equal


@pytest.mark.parametrize("response", ["So the answer is {}.", "La réponse est donc {}.", "Значит, ответ {}."])
def test_a_point_is_a_decimal_point_in_other_languages(response):
    assert judge(response.format(r"\boxed{70.000}"), "70").equal
    assert not judge(response.format(r"\boxed{70.000}"), "70000").equal
