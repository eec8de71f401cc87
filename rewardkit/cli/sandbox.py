"""`rewardkit sandbox`: build images, list sandboxes, check them, and clean up by label."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Literal, cast

import click

from rewardkit.cli._lazy_group import Group
from rewardkit.cli._say import say
from rewardkit.errors import RewardkitError, UsageError

__all__ = ["sandbox"]


class SandboxCommandError(RewardkitError):
    """A sandbox command failed; the message ends with how to fix it."""

    exit_code = 4


@contextmanager
def _one_line() -> Generator[None]:
    """Report sandbox errors as one line, with exit code 2 where the name is wrong, else 4."""
    from sandboxes import SandboxError
    from sandboxes.backends.docker_api import DockerError
    from sandboxes.errors import SandboxNameError

    try:
        yield
    except SandboxNameError as error:
        raise UsageError(str(error)) from None
    except (SandboxError, DockerError) as error:
        raise SandboxCommandError(str(error)) from error


@click.group(cls=Group)
def sandbox() -> None:
    """Build, list, check and clean the sandboxes that run untrusted programs."""


@sandbox.command()
@click.argument("image", default="python")
@click.option(
    "--method",
    type=click.Choice(["auto", "dockerfile", "debootstrap"]),
    default="auto",
    show_default=True,
    help="auto tries a registry (dockerfile), then Debian packages (debootstrap).",
)
@click.option("--mirror", help="Debian mirror for debootstrap. [default: debootstrap's]")
def build(image: str, method: str, mirror: str | None) -> None:
    """Build a Docker image (python, full or scientific): from a registry, or from Debian packages if no registry can be reached."""
    from sandboxes.backends.docker_image import IMAGES
    from sandboxes.backends.docker_image import build as build_image

    if image not in IMAGES:
        raise click.BadParameter(f"no image {image!r}; choose one of: {', '.join(IMAGES)}")

    with _one_line():
        name = build_image(
            image=image,
            method=cast("Literal['auto', 'dockerfile', 'debootstrap']", method),
            mirror=mirror,
            say=partial(say, err=True),
        )
    click.echo(name)


@sandbox.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_sandboxes(as_json: bool) -> None:
    """List which sandboxes work here, and the boxes that are running."""
    import json

    from sandboxes import SandboxError, diagnose
    from sandboxes.backends.docker import LABEL_BOX
    from sandboxes.backends.docker_api import DockerApi, DockerError

    rows = diagnose()
    try:
        found = DockerApi().containers(LABEL_BOX)
    except (SandboxError, DockerError):
        found = []  # the table says already that Docker does not work
    boxes = [
        {"id": box["Id"][:12], "state": box["State"], "run": box["Labels"].get("rewardkit.run", "")} for box in found
    ]
    if as_json:
        click.echo(json.dumps({"sandboxes": rows, "boxes": boxes}))
        return
    for row in rows:
        say(f"{row['name']:<8} {'works' if row['works'] else 'no':<6} {row['isolation']:<7} {row['detail']}")
    for box in boxes:
        say(f"box {box['id']}  {box['state']}  run {box['run']}")


@sandbox.command()
@click.argument("name", default="auto")
@click.option("--unsafe", is_flag=True, help="Allow plain processes if namespaces are not available.")
def check(name: str, unsafe: bool) -> None:
    """Run the public self-check against a sandbox (docker, local, remote:URL, unsafe, auto)."""
    from sandboxes import open_sandbox, selfcheck

    with _one_line(), open_sandbox(name, unsafe=unsafe, workers=1) as opened:
        checks = selfcheck(opened)
        strength = opened.isolation
    for item in checks:
        word = {True: "ok", False: "FAILED", None: "skipped"}[item.passed]
        say(f"{word:<7} {item.name}" + ("" if item.passed else f": {item.detail}"))
    passed, failed = (sum(item.passed is outcome for item in checks) for outcome in (True, False))
    skipped = f", {len(checks) - passed - failed} skipped" if passed + failed < len(checks) else ""
    say(f"{passed} of {passed + failed} checks passed{skipped}, isolation {strength}", err=True)
    if failed:
        raise SandboxCommandError(f"{failed} of {passed + failed} checks failed")


@sandbox.command()
@click.option("--image", is_flag=True, help="Remove the images, too.")
def clean(image: bool) -> None:
    """Remove all boxes of every run on this Docker daemon, found by their label."""
    from sandboxes.backends.docker import remove_all
    from sandboxes.backends.docker_api import DockerApi
    from sandboxes.backends.docker_image import remove_images

    with _one_line():
        api = DockerApi()
        say(f"removed {remove_all(api)} boxes", err=True)
        if image:
            say(f"removed {remove_images(api)} images", err=True)
