"""What a package index and a first reader see: links, versions, classifiers."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import rewardkit

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
LINKS = re.findall(r"\]\(([^)\s]+)\)", (ROOT / "README.md").read_text())


def test_one_version_stands_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert PROJECT["version"] == citation["version"] == rewardkit.__version__
    assert citation["repository-code"] == REPOSITORY == yaml_top(ROOT / "mkdocs.yml", "repo_url")
    assert citation["license"] == PROJECT["license"]


def yaml_top(path, key):
    return re.search(rf"^{key}: (.*)$", path.read_text(), re.MULTILINE)[1]


@pytest.mark.parametrize("link", sorted({link for link in LINKS if link.startswith(REPOSITORY)}))
def test_links_of_the_readme_name_files_that_exist(link):
    path = link.removeprefix(f"{REPOSITORY}/blob/main/").partition("#")[0]
    assert (ROOT / path).exists()


def test_links_of_the_readme_work_on_a_package_index():
    assert LINKS
    assert [link for link in LINKS if not link.startswith("https://")] == []


def test_classifiers_name_the_supported_versions():
    named = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line}
    assert named == {"3.11", "3.12", "3.13"}
    assert all(version in (ROOT / "README.md").read_text() for version in named)


def test_each_extra_for_users_is_explained():
    table = (ROOT / "docs" / "extras.md").read_text().partition("| set | resolves |")[0]
    assert [name for name in PROJECT["optional-dependencies"] if f"`{name}`" not in table] == ["test", "dev", "docs"]
