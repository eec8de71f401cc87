"""Rules of a gate from a TOML file: read as they are written, or refused in one line."""

import datetime as dt
from pathlib import Path

import pytest
from json_places import places_in, put

from harness.gate.rules import Rules, read_rules, rules_of
from rewardkit.errors import UsageError

RULES = {
    "alpha": 0.05,
    "on_inconclusive": "fail",
    "top_up": {"from": 4, "to": 16},
    "min": {"accuracy": 0.6},
    "regression": {"margin": 0.02},
    "guard": {"errors": 0.005, "truncated": 0.1, "format": 0.95},
    "task": {"t": {"min": {"accuracy": 0.3, "judged_on": "point"}, "regression": {"margin": 0.1}, "guard": {}}},
}
ODD = [True, -1, 2.5, 10**30, float("nan"), "", "x\ny", [], {}, [[]], {"x": 1}, dt.date(2026, 1, 1)]


def read(table) -> Rules | str:
    try:
        return rules_of(table, "gate.toml")
    except UsageError as error:
        return str(error)


@pytest.mark.parametrize("place", [place for place in places_in(RULES) if place], ids=".".join)
def test_any_value_in_any_place_is_a_rule_or_refused_in_one_line(place):
    for value in ODD:
        found = read(put(RULES, place, value))
        assert isinstance(found, Rules) or "\n" not in found, value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[task.t]\nmin = 0.3", r"task\.t\.min is no table; write \[task\.t\.min\]"),
        ("task = 1", r"task is no table; write \[task\]"),
        ("[top_up]\nfrom = 16\nto = 4", "`to` must be more than `from`"),
        ("[task.t.min]\naccuracy = 2", r"\[task\.t\.min\]: accuracy"),
        ("\ufeff[min]\nacuracy = 1", r"min\.accuracy: field required"),
        ("[min]\naccuracy = nan", r"gate\.toml: min\.accuracy"),
        ("[min]\naccuracy = true", r"min\.accuracy: input should be a valid number"),
        ("[top_up]\nfrom = true\nto = 4", r"top_up\.from: input should be a valid integer"),
        ("[guard]\nerrors = true", r"guard\.errors: input should be a valid number"),
        ('[regression]\nmargin = "0.02"', r"regression\.margin: input should be a valid number"),
    ],
)
def test_a_mistake_is_named_with_its_place(text, told, tmp_path: Path):
    (tmp_path / "gate.toml").write_text(text)
    with pytest.raises(UsageError, match=told):
        read_rules(tmp_path / "gate.toml")
