"""The documentation's sources: the site itself is built by `.ci/parts/docs`, which also checks anchors."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
MADE = {"reference/http.md"}
"""The page that docs/pages.py makes."""
sys.path.insert(0, str(ROOT / "docs"))

import generate  # noqa: E402
import pages  # noqa: E402


@pytest.mark.parametrize("page", [*DOCS, *(ROOT / "benchmarks").rglob("*.md")], ids=lambda page: page.name)
def test_links_name_files_that_exist(page):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.DOTALL)
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
    assert [link for link in links if not (page.parent / link).exists() and link not in MADE] == []


def test_each_page_has_a_place_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text()
    assert [name for page in DOCS if f": {(name := str(page.relative_to(ROOT / 'docs')))}\n" not in navigation] == []


@pytest.mark.parametrize("page", generate.PAGES)
def test_generated_pages_say_what_the_code_says(page):
    """Options with their defaults, limits, tasks: what changes there changes on the page, too."""
    assert (ROOT / page).read_text() == generate.made(page), "run python docs/generate.py"


def test_each_option_of_a_reward_is_described():
    options = [row for row in generate.rewards().splitlines() if row.startswith("| `") and row.count(" | ") == 2]
    assert len(options) > 100
    assert [row for row in options if row.endswith("|  |")] == []


def test_the_page_of_the_http_api_describes_each_request():
    page = pages.http_api()
    assert "## POST /v1/score" in page
    assert "| `samples` | list of object | yes |" in page
    assert "| 429 | " in page
