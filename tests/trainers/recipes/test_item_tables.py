"""The tables of docs/recipes.md, item by item, against each recipe's configuration."""

import re
from pathlib import Path

import pytest

from .test_recipes import NAMES, recipe

PAGE = (Path(__file__).parents[3] / "docs" / "recipes.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?")


def items(name):
    table = PAGE.partition(f"### {name}\n")[2].partition("\n###")[0].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| ")
    ]
    return [row for row in rows if row[0] != "item"]


def configured(name, where):
    section, _, key = where.strip("`").partition(".")
    value = recipe(name).config[section]
    if key in value:
        return value[key]
    for part in key.split("."):
        value = value[part]
    return value


def written(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_table_calls_ours_is_in_the_configuration(name):
    rows = items(name)
    assert len(rows) >= 9
    checked = 0
    for item, _, ours, where, _ in rows:
        if where != "code" and ours != "the same":
            assert written(configured(name, where)) == ours, (name, item)
            checked += 1
    assert checked >= 5


@pytest.mark.parametrize("name", NAMES)
def test_where_ours_is_not_the_published_value_the_table_says_why(name):
    for item, published, ours, _, why in items(name):
        if ours in ("the same", published) or not published:
            continue
        numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (published, ours)]
        same_number = numbers[0] and numbers[0] == numbers[1]
        same_name = ours.lower().endswith(published.lower().replace(" ", "-")) or ours in (
            "true",
            "false",
            "0.0",
            "nf4",
        )
        assert same_number or same_name or (set(numbers[1]) <= set(numbers[0]) and numbers[1]) or why, (name, item)


def test_sampling_of_the_unsloth_recipe_is_the_published_one_without_the_seed():
    config = recipe("unsloth_grpo").config["grpo"]
    assert config["generation_kwargs"] == {
        "min_p": 0.1, "top_p": 1.0, "top_k": -1, "stop": ["{eos}"], "include_stop_str_in_output": True,
    }  # fmt: skip
