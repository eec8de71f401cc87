"""The `rewardkit` command. Each command lives in a module of its own and is imported when it is called."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from rewardkit import __version__
from rewardkit.cli import _streams
from rewardkit.cli._lazy_group import LazyGroup
from rewardkit.errors import IncompleteError, RewardkitError, UsageError, one_line, quoted

BUG = 70
"""Exit code of an unexpected error (EX_SOFTWARE of sysexits.h)."""
PACKAGES = {
    "harness": ("lm_eval", "datasets", "aiohttp", "yaml"),
    "serve": ("msgspec", "uvicorn", "prometheus_client"),
    "report": ("jinja2",),
    "parquet": ("pyarrow",),
    "ray": ("ray",),
    "math": ("sympy", "math_verify"),
}
"""Import names that an extra installs. A missing package that is none of these is named as it is."""
EXHAUSTED = {
    errno.EMFILE: "raise the limit of this process (`ulimit -n`)",
    errno.ENFILE: "raise the limit of this machine (`sysctl fs.file-max`)",
    errno.EAGAIN: "raise the limit of processes (`ulimit -u`)",
    errno.ENOMEM: "free memory, or use fewer --workers",
    errno.ENOSPC: "free disk space",
    errno.EDQUOT: "free disk space of your quota",
}
"""What this machine is out of, by the error number, and what to do: no bug of ours."""
UNUSABLE = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EIO}
)
"""Errors of a file that a user named."""
COMMANDS = {
    "score": ("rewardkit.cli.score:score", "Judge the completions of a file."),
    "explain": ("rewardkit.cli.explain:explain", "Show each step of one judgement."),
    "view": ("rewardkit.cli.view:view", "Browse judged samples in a page."),
    "list": ("rewardkit.cli.list:list_rewards", "List rewards and presets with their options."),
    "audit": ("rewardkit.cli.audit:audit", "Look for reward hacking in judged completions."),
    "attack": ("rewardkit.cli.attack:attack", "Measure what a reward pays without the answer."),
    "check-tests": ("rewardkit.cli.check_tests:check_tests", "Run reference solutions against their own tests."),
    "serve": ("rewardkit.cli.serve:serve", "Judge over HTTP."),
    "harness": ("harness.cli:cli", "Evaluate models on benchmarks; the same as the harness command."),
    "sandbox": ("rewardkit.cli.sandbox:sandbox", "Build, list and clean up sandboxes."),
    "doctor": ("rewardkit.cli.doctor:doctor", "Check this installation and print what works."),
}
"""Name of each command, where it is, and its line of help."""


@click.group(cls=LazyGroup, targets=COMMANDS)
@click.version_option(__version__, prog_name="rewardkit")
def rewardkit() -> None:
    """Verifiable rewards for language models. Judge completions with the rewards that train them."""


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit: errors a user can fix are one line, with the exit code they carry."""
    exit_with(rewardkit, args)


def exit_with(command: click.Command, args: list[str] | None = None) -> NoReturn:
    """Run a click command as the work of this process, and end that with its exit code."""
    _streams.prepare()
    sys.exit(_streams.finish(run(command, args)))


def run(command: click.Command, args: list[str] | None = None) -> int:
    """Run a click command and give its exit code.

    A crash of ours has an exit code of its own: 1 would say that a threshold or gate failed.
    """
    try:
        result = command.main(args=args, standalone_mode=False)
    except RewardkitError as error:
        return _print_error(error)
    except NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help(), err=True)
        return error.exit_code
    except click.ClickException as error:
        click.echo(f"error: {error.format_message()}", err=True)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        how = str(error.__cause__ or error)
        click.echo(f"interrupted; {how}" if how else "interrupted", err=True)
        return 130
    except SystemExit as error:
        if _streams.nobody_reads() or isinstance(error.__context__, BrokenPipeError):  # click's way to tell, and rich's
            return _streams.NOBODY_READS
        raise
    except ModuleNotFoundError as error:
        click.echo(f"error: package {error.name!r} is not installed: {_install_line(error.name or '')}", err=True)
        return 2
    except Exception as error:  # noqa: BLE001 - the traceback is printed
        if known := _of_the_environment(error):
            return _print_error(known)
        traceback.print_exc()
        click.echo("error: this is a bug in rewardkit; please report it with the lines above", err=True)
        return BUG
    return result if isinstance(result, int) else 0


def _print_error(error: RewardkitError) -> int:
    click.echo(f"error: {one_line(str(error))}", err=True)
    return error.exit_code


def _of_the_environment(error: Exception) -> RewardkitError | None:
    """The same error in words, with what to do, if this machine or a folder of the user is its cause; None for a bug of ours."""
    if isinstance(error, MemoryError):
        error = OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        error = OSError(errno.EAGAIN, str(error))
    if not isinstance(error, OSError):
        return None
    if error.errno in EXHAUSTED:
        return IncompleteError(f"{os.strerror(error.errno)}; {EXHAUSTED[error.errno]}")
    if "No usable temporary directory" in str(error):
        return IncompleteError("no folder for temporary files can be written; set TMPDIR to one")
    if error.errno == errno.ENOENT and _current_folder_is_gone():
        return UsageError("the current folder was removed; change to another one")
    if error.errno in UNUSABLE and error.filename is not None:
        return UsageError(f"cannot use {quoted(str(error.filename), 200)}: {error.strerror}")
    if error.errno == errno.EIO:
        return IncompleteError(f"{error.strerror}; see whether the terminal and the disk still work")
    return None


def _current_folder_is_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _install_line(package: str) -> str:
    extra = next((extra for extra, packages in PACKAGES.items() if package in packages), None)
    return f"pip install 'rewardkit[{extra}]'" if extra else f"pip install {package}"
