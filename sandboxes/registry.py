"""`open_sandbox`: a backend by name, or the strongest one that works here.

Backends, ours like yours, are entry points of the group `rewardkit.sandboxes`: something that gives a running `Sandbox` when it
is called with `workers=` and the options. What follows a colon in the name (`remote:URL`) comes first, as the only positional.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from sandboxes.base import Isolation, Sandbox
from sandboxes.errors import SandboxUnavailable

__all__ = ["BACKENDS", "open_sandbox"]

BACKENDS = ("docker", "local", "remote:URL", "unsafe", "auto")
GROUP = "rewardkit.sandboxes"
OURS = {
    "docker": "sandboxes.backends.docker:DockerSandbox",
    "local": "sandboxes.backends.bubblewrap:LocalSandbox",
    "remote": "sandboxes.backends.sandbox_fusion:RemoteSandbox",
    "unsafe": "sandboxes.backends.bubblewrap:plain_processes",
}
"""What our entry points say. Read where they are missing: in a source tree, or an install that is older than its source."""
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
    try:
        check_isolation(name, sandbox.isolation, require_isolation)
    except SandboxUnavailable:
        sandbox.close()
        raise
    return sandbox


def check_isolation(name: str, given: Isolation, required: Isolation | None) -> None:
    """Refuse a sandbox that is weaker than what is required.

    Raises:
        SandboxUnavailable: it is.
    """
    if required is not None and STRENGTH[given] < STRENGTH[required]:
        raise SandboxUnavailable(
            f"sandbox {name!r} gives isolation {given!r}, {required!r} is required",
            cure="start Docker and run `rewardkit sandbox build`",
        )


def _open(name: str, *, workers: int | None, unsafe: bool, options: dict[str, Any]) -> Sandbox:
    if name == "auto":
        return _strongest(workers=workers, unsafe=unsafe)
    kind, colon, address = name.partition(":")
    if kind == "local":
        options = {"unsafe": unsafe, **options}
    found = _find(kind)
    if found is None or bool(colon) != bool(address) or (kind in OURS and bool(address) != (kind == "remote")):
        known = [*BACKENDS, *(entry.name for entry in entry_points(group=GROUP) if entry.name not in OURS)]
        raise SandboxUnavailable(f"no sandbox {name!r}", cure=f"choose one of: {', '.join(known)}")
    return found.load()(*([address] if address else []), workers=workers, **options)


def _find(kind: str) -> EntryPoint | None:
    """The backend of that name; nobody else's takes the place of ours."""
    if kind in OURS:
        return EntryPoint(kind, OURS[kind], GROUP)
    return next(iter(entry_points(group=GROUP, name=kind)), None)


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
