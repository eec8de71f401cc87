"""`open_sandbox`: a backend by name, or the strongest one that works here."""

from importlib.metadata import entry_points
from typing import Any

from sandboxes.base import Isolation, Sandbox
from sandboxes.errors import SandboxUnavailable

__all__ = ["BACKENDS", "open_sandbox"]

BACKENDS = ("docker", "local", "remote:URL", "unsafe", "auto")
STRENGTH: dict[Isolation, int] = {"none": 0, "weak": 1, "strong": 2}


def open_sandbox(
    name: str = "auto",
    *,
    require_isolation: Isolation | None = None,
    workers: int | None = None,
    unsafe: bool = False,
    **options: Any,
) -> Sandbox:
    """A running sandbox. `auto` takes Docker where it works, then namespaces on this machine, else raises with the cure.

    `workers`: boxes used at once (default: the CPU count, 8 at most). `unsafe`: let `local` and `auto` run programs as plain
    processes where no namespaces are to be had. `require_isolation`: refuse anything weaker. Further options go to the backend.
    """
    sandbox = _open(name, workers=workers, unsafe=unsafe, options=options)
    if require_isolation is not None and STRENGTH[sandbox.isolation] < STRENGTH[require_isolation]:
        sandbox.close()
        raise SandboxUnavailable(
            f"sandbox {name!r} gives isolation {sandbox.isolation!r}, {require_isolation!r} is required",
            cure="start Docker and run `rewardkit sandbox build`",
        )
    return sandbox


def _open(name: str, *, workers: int | None, unsafe: bool, options: dict[str, Any]) -> Sandbox:
    if name == "auto":
        return _strongest(workers=workers, unsafe=unsafe)
    kind, _, rest = name.partition(":")
    if kind == "docker" and not rest:
        from sandboxes.docker import DockerSandbox

        return DockerSandbox(workers=workers, **options)
    if kind in ("local", "unsafe") and not rest:
        from sandboxes.local import LocalSandbox

        return LocalSandbox(workers=workers, unsafe=unsafe or kind == "unsafe", bare=kind == "unsafe", **options)
    if kind == "remote" and rest:
        from sandboxes.remote import RemoteSandbox

        return RemoteSandbox(rest, workers=workers, **options)
    for entry in entry_points(group="rewardkit.sandboxes", name=kind):
        return entry.load()(workers=workers, **options)
    raise SandboxUnavailable(f"no sandbox {name!r}", cure=f"choose one of: {', '.join(BACKENDS)}")


def _strongest(*, workers: int | None, unsafe: bool) -> Sandbox:
    problems: list[str] = []
    for name in ("docker", "local"):
        try:
            return _open(name, workers=workers, unsafe=unsafe, options={})
        except SandboxUnavailable as error:
            problems.append(f"{name}: {error.problem}")
    raise SandboxUnavailable(
        f"no sandbox works here ({'; '.join(problems)})",
        cure="start Docker and run `rewardkit sandbox build`, or pass --sandbox unsafe to run programs unprotected",
    )
