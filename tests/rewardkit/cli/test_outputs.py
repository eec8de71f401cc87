"""What holds for every command that writes an output: it never writes what it reads, and replaces nothing unasked."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from rewardkit.cli import LazyGroup, rewardkit

Cli = Callable[..., Any]
Write = Callable[..., Path]
ROW = {
    "prompt": "How many?",
    "completion": "\\boxed{4}",
    "answer": "4",
    "program": "print(4)",
    "inputs": [""],
    "outputs": ["4"],
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "attack": ("-r", "math", "--budget", "40"),
    "audit": ("-r", "math", "--second", "none"),
    "check-tests": ("-r", "code(sandbox='unsafe')", "--solution-column", "program"),
    "score": ("-r", "math"),
    "view": ("-r", "math"),
}
"""Each command with `-o`, and what it needs beside the input."""


def commands_with_output(group: click.Group = rewardkit, prefix: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in set(group.list_commands(context)) - {"harness"}:  # tests/harness/test_output_files.py
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands_with_output(command, f"{prefix}{name} ")
        elif any("-o" in parameter.opts for parameter in command.params):
            yield prefix + name


def test_every_command_with_an_output_is_tested_here() -> None:
    assert isinstance(rewardkit, LazyGroup)
    assert set(commands_with_output()) == set(COMMANDS)


def same(path: Path) -> Path:
    return path


def dotted(path: Path) -> Path:
    return path.parent / "." / "sub" / ".." / path.name


def symlink(path: Path) -> Path:
    (link := path.with_name("symlink.jsonl")).symlink_to(path)
    return link


def symlinked_folder(path: Path) -> Path:
    (link := path.parent.parent / f"{path.parent.name}-link").symlink_to(path.parent)
    return link / path.name


def hard_link(path: Path) -> Path:
    os.link(path, link := path.with_name("hardlink.jsonl"))
    return link


@pytest.mark.parametrize("extra", [(), ("--overwrite",)], ids=["", "overwrite"])
@pytest.mark.parametrize("name_of", [same, dotted, symlink, symlinked_folder, hard_link])
@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_no_command_writes_its_input(
    command: str, name_of: Callable[[Path], Path], extra: tuple[str, ...], cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    path = write_jsonl(ROW, ROW)
    before = path.read_bytes()
    other = name_of(path)
    for source, out in ((path, other), (other, path)):
        outcome = cli(command, source, *COMMANDS[command], "-o", out, *extra)
        assert (outcome.code, outcome.err.count("\n")) == (2, 1)
        assert "is also an input" in outcome.err
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("command", "rows", "other", "names"),
    [
        ("attack", "-o", "--report", ["out.jsonl", "new/../out.jsonl", "out.meta.json"]),
        ("audit", "--rows", "-o", ["out.jsonl", "new/../out.jsonl", "out.meta.json", "out.jsonl.lock"]),
        ("check-tests", "-o", "--report", ["out.jsonl", "new/../out.jsonl"]),
    ],
)
def test_no_output_of_a_command_replaces_another(
    command: str, rows: str, other: str, names: list[str], cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    path = write_jsonl(ROW)
    for name in names:
        to = (rows, tmp_path / "out.jsonl", other, f"{tmp_path}/{name}")
        _is_refused(cli(command, path, *COMMANDS[command], *to, "--overwrite"), tmp_path, path)


def _is_refused(outcome: Any, tmp_path: Path, path: Path) -> None:
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "which the same command writes" in outcome.err
    assert {each.name for each in tmp_path.iterdir()} <= {path.name, "new"}


@pytest.mark.parametrize("suffix", ["", ".meta.json", ".jsonl.lock"])
def test_the_page_of_an_audit_replaces_nothing_of_its_rows_that_a_link_names(
    suffix: str, cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "real.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "data" / "real.jsonl")
    page = tmp_path / "data" / f"real{suffix or '.jsonl'}"
    outcome = cli("audit", write_jsonl(ROW), *COMMANDS["audit"], "--rows", tmp_path / "link.jsonl", "-o", page)
    assert (outcome.code, "which the same command writes" in outcome.err) == (2, True)


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"score"}))
def test_only_score_writes_to_standard_output(command: str, cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    outcome = cli(command, write_jsonl(ROW), *COMMANDS[command], "-o", "-")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "name a file" in outcome.err


@pytest.mark.parametrize("given", ["", "*.jsonl", "{rows,none}.jsonl"])
@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_no_command_writes_an_input_that_a_folder_or_a_pattern_names(
    command: str, given: str, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "rows.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n")
    outcome = cli(command, f"{tmp_path}/in/{given}", *COMMANDS[command], "-o", path, "--overwrite")
    assert outcome.code == 2
    assert path.read_text() == f"{json.dumps(ROW)}\n"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_no_command_writes_the_reward_it_reads(command: str, cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, toml = write_jsonl(ROW), tmp_path / "reward.toml"
    toml.write_text('reward = "math"\n')
    outcome = cli(command, path, "-r", toml, "-o", toml, "--overwrite", *COMMANDS[command][2:])
    assert outcome.code == 2
    assert toml.read_text() == 'reward = "math"\n'


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_finished_output_is_replaced_only_with_overwrite(
    command: str, cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    path, out = write_jsonl(ROW), tmp_path / "out"
    assert cli(command, path, *COMMANDS[command], "-o", out).code == 0
    made = out.read_bytes()
    assert made
    outcome = cli(command, path, *COMMANDS[command], "-o", out)
    assert (outcome.code, out.read_bytes()) == (2, made)
    assert "--overwrite" in outcome.err
    out.write_text("mine")
    assert cli(command, path, *COMMANDS[command], "-o", out).code == 2
    assert out.read_text() == "mine"
    assert cli(command, path, *COMMANDS[command], "-o", out, "--overwrite").code == 0
    assert out.read_bytes()[:1] == made[:1]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_url_never_becomes_a_folder(
    command: str, cli: Cli, write_jsonl: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_jsonl(ROW)
    monkeypatch.chdir(tmp_path)
    outcome = cli(command, path, *COMMANDS[command], "-o", "s3:/bucket/out.jsonl")
    assert (outcome.code, "is a URL" in outcome.err) == (2, True)
    assert not (tmp_path / "s3:").exists()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_command_that_fails_leaves_the_output_as_it_is(
    command: str, cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.write_text("mine")
    assert cli(command, tmp_path / "missing.jsonl", *COMMANDS[command], "-o", out, "--overwrite").code == 2
    assert out.read_text() == "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_nothing_but_outputs_is_left_behind(command: str, cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    path, out = write_jsonl(ROW), tmp_path / "new" / "out.jsonl"
    assert cli(command, path, *COMMANDS[command], "-o", out).code == 0
    assert {file.name for file in out.parent.iterdir()} <= {"out.jsonl", "out.meta.json"}


@pytest.mark.parametrize("name", ["rows.meta.json", "rows.jsonl.lock"])
def test_the_files_beside_the_output_are_no_inputs_either(
    name: str, cli: Cli, write_jsonl: Write, tmp_path: Path
) -> None:
    path = write_jsonl(ROW, name=name)
    before = path.read_bytes()
    assert cli("score", path, "-r", "math", "-o", tmp_path / "rows.jsonl", "--overwrite").code == 2
    assert path.read_bytes() == before


@pytest.mark.parametrize("redirect", ["score - -r exact -o {0} --overwrite <{0}", "score {0} -r exact -o - >>{0}"])
def test_redirections_of_the_shell_are_seen_through(redirect: str, write_jsonl: Write) -> None:
    path = write_jsonl(ROW)
    before = path.read_bytes()
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m rewardkit {redirect.format(path)}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, path.read_bytes()) == (2, before)
    assert "is also an input" in done.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_device_gets_no_files_beside_it(command: str, cli: Cli, write_jsonl: Write) -> None:
    assert cli(command, write_jsonl(ROW), *COMMANDS[command], "-o", os.devnull).code == 0
    assert not list(Path(os.devnull).parent.glob("null.*"))


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_an_output_is_not_named_like_a_table(command: str, cli: Cli, write_jsonl: Write, tmp_path: Path) -> None:
    rows, out = write_jsonl(ROW), tmp_path / "out.parquet"
    outcome = cli(command, str(rows), *COMMANDS[command], "-o", str(out))
    assert (outcome.code, out.exists()) == (2, False)
    assert ".jsonl" in outcome.err


@pytest.mark.parametrize("folder", ["/", ".", "..", ""])
@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_folder_is_no_output(command: str, folder: str, cli: Cli, write_jsonl: Write) -> None:
    outcome = cli(command, write_jsonl(ROW), *COMMANDS[command], "-o", folder)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "is a folder" in outcome.err or "is a directory" in outcome.err


def test_a_row_with_unusual_line_separators_is_one_row(cli: Cli, tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg \\boxed{4}"
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    path.write_text(json.dumps({"completion": text, "answer": "4", "id": "x\u2028y"}, ensure_ascii=False) + "\n")
    assert cli("score", path, "-r", "math", "-o", out).code == 0
    assert [json.loads(line)["id"] for line in out.read_text().split("\n") if line] == ["x\u2028y"]
    assert cli("score", path, "-r", "math", "-o", out, "--resume").code == 0
