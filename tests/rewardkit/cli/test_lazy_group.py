"""An option that takes one value and is given two is refused, by every command. A shell completes what is typed so far."""

from __future__ import annotations

import click
import pytest
from click.shell_completion import ShellComplete

from rewardkit.cli import rewardkit


def options(group, *path):
    """All options with a value of the commands below a group, with the words that call the command."""
    context = click.Context(group)
    for name in group.list_commands(context):
        try:
            command = group.get_command(context, name)
        except ImportError:  # of the harness, which needs packages of its own
            continue
        if isinstance(command, click.Group):
            yield from options(command, *path, name)
            continue
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag and not option.count:
                yield pytest.param((*path, name), option, id=" ".join((*path, name, option.opts[-1])))


def value(option):
    return option.type.choices[0] if isinstance(option.type, click.Choice) else "1"


@pytest.mark.parametrize(("path", "option"), list(options(rewardkit)))
def test_an_option_of_one_value_takes_no_second(path, option, cli):
    words = [word for name in (option.opts[0], option.opts[-1], option.opts[0]) for word in (name, value(option))]
    twice, thrice = (cli(*path, *words[:count]) if not option.multiple else None for count in (4, 6))
    if twice is not None and thrice is not None:
        name = max(option.opts, key=len)
        assert (twice.code, twice.err) == (2, f"error: {name} is given twice; give it once\n")
        assert (thrice.code, thrice.err) == (2, f"error: {name} is given 3 times; give it once\n")


def test_options_that_may_be_repeated_and_flags_are_not_refused(cli, write_jsonl):
    path = write_jsonl({"completion": "yes", "answer": "yes"})
    limits = ("--fail-under", "accuracy=0.1", "--fail-under", "reward=0.1")
    assert cli("score", path, "-r", "exact", *limits, "--quiet", "--quiet").code == 0


def completed(words, begun=""):
    shell = ShellComplete(rewardkit, {}, "rewardkit", "_REWARDKIT_COMPLETE")
    return [found.value for found in shell.get_completions([*words], begun)]


@pytest.mark.parametrize(("path", "option"), list(options(rewardkit)))
def test_a_shell_completes_every_option_and_its_value(path, option):
    name = option.opts[-1]
    assert isinstance(completed((*path, name)), list)
    assert isinstance(completed((*path, name, value(option), name)), list)
    if len(path) == 1:  # click 8.2.0 completes the options of no command in an inner group
        assert option.hidden or max(option.opts, key=len) in completed(path, "--")


def test_a_shell_completes_commands_and_nothing_after_an_unknown_one():
    assert {"score", "audit"} <= set(completed([]))
    completed(["nosuch"])
