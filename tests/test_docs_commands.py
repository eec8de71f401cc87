"""Commands in README and docs exist, with their options and modules, and each option of a command says what it does."""

import importlib.util
import re
import shlex
from pathlib import Path

import click
import pytest

from harness.cli import cli as harness
from rewardkit.cli import rewardkit, run

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
TEXTS = {page: re.sub(r"\\\n\s*", " ", page.read_text()) for page in PAGES if page.name != "CHANGELOG.md"}
OURS = r"(?:rewardkit|harness|trainers|sandboxes|benchmarks)(?:\.\w+)*"
MODULES = sorted({name for text in TEXTS.values() for name in re.findall(rf"python3? (?:-P )?-m ({OURS})", text)})
BLOCK = re.compile(r"^```(?:sh|bash|console|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^(?:\$ |\w+=\S+ |\.venv/bin/)*((?:rewardkit|harness) .*)$", re.MULTILINE)
LINES = sorted({line for text in TEXTS.values() for block in BLOCK.findall(text) for line in LINE.findall(block)})


@pytest.mark.parametrize("name", MODULES)
def test_modules_to_run_exist(name):
    if name.startswith("benchmarks."):
        assert (ROOT / f"{name.replace('.', '/')}.py").is_file()
    else:
        assert importlib.util.find_spec(name) is not None


def commands(command: click.Command, path: tuple[str, ...] = ("rewardkit",)):
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.list_commands(click.Context(command)):
        yield from commands(command.get_command(click.Context(command), name), (*path, name))


@pytest.mark.parametrize(
    ("path", "command"),
    list(commands(rewardkit)),
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_each_option_has_help(path, command):
    assert command.help
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    assert [each.opts for each in options if not each.help] == []


@pytest.mark.parametrize(
    ("path", "command"),
    list(commands(rewardkit)),
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_each_option_may_be_written_with_both_marks_between_its_words(path, command, capsys):
    for option in command.params:
        if isinstance(option, click.Option) and not (option.is_flag or option.count):
            for name in {f"--{option.opts[-1][2:].replace(*marks)}" for marks in ("-_", "_-")}:
                assert run(rewardkit, [*path[1:], name]) == 2
                assert "requires an argument" in capsys.readouterr().err


@pytest.mark.parametrize("line", LINES)
def test_commands_and_options_exist(line):
    words = shlex.split(line, comments=True)
    command = {"rewardkit": rewardkit, "harness": harness}[words.pop(0)]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, name
        command = found
    if command.ignore_unknown_options:  # `rewardkit harness lm-eval` and the like hand them on
        return
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | {"--help"}
    asked = {word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
    assert asked <= known
