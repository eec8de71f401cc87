"""`open_sandbox`: a backend by name, or the strongest one that works here.

Backends, ours like yours, are entry points of the group `rewardkit.sandboxes`, or a class in a file (`./mybox.py:MyBox`): something
that gives a running `Sandbox` when it is called with `workers=` and the options. Options may be in the name:
`docker(image="full", runtime="runsc")`. What follows a colon (`remote:URL`) comes first, as the only positional.
"""

import ast
import importlib.util
import inspect
import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from sandboxes.base import STRENGTH, Isolation, Sandbox
from sandboxes.errors import ENDS, SandboxError, SandboxNameError, SandboxUnavailable

__all__ = ["BACKENDS", "open_sandbox"]

BACKENDS = ("docker", "local", "remote:URL", "unsafe", "auto")
GROUP = "rewardkit.sandboxes"
OURS = {
    "docker": "sandboxes.backends.docker:DockerSandbox",
    "local": "sandboxes.backends.bubblewrap:LocalSandbox",
    "remote": "sandboxes.backends.sandbox_fusion:RemoteSandbox",
    "unsafe": "sandboxes.backends.bubblewrap:plain_processes",
}
"""Our entry points. Used if they are missing: in a source tree, or an install that is older than its source."""


def open_sandbox(
    name: str = "auto",
    *,
    require_isolation: Isolation | None = None,
    workers: int | None = None,
    unsafe: bool = False,
    **options: Any,
) -> Sandbox:
    """A running sandbox. `auto` takes Docker if it works, then namespaces on this machine, else raises an error that says how to fix it.

    `workers`: boxes used at once (default: the CPU count, 8 at most). `unsafe`: let `local` and `auto` run programs as plain
    processes if namespaces are not available. `require_isolation`: refuse anything weaker. Further options go to the backend.
    """
    try:
        sandbox = _open(name, workers=workers, unsafe=unsafe, options=options)
    except RuntimeError as error:
        if "after shutdown" not in str(error):
            raise
        raise SandboxError(f"no box can start: {error}", cure=ENDS) from None
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
    name, options = _with_options(name, options if workers is None else {**options, "workers": workers})
    options = {"workers": None, **options}
    if ".py:" in name:
        return _call(name, _from_file(name), **options)
    kind, colon, address = name.partition(":")
    if kind == "local":
        options = {"unsafe": unsafe, **options}
    found = _find(kind)
    if found is None or bool(colon) != bool(address) or (kind in OURS and bool(address) != (kind == "remote")):
        known = [*BACKENDS, *(entry.name for entry in entry_points(group=GROUP) if entry.name not in OURS)]
        raise SandboxNameError(f"no sandbox {name!r}", cure=f"choose one of: {', '.join(known)}")
    return _call(kind, found.load(), *([address] if address else []), **options)


def _with_options(name: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Split `kind(option="value")`. Options are literals."""
    kind, bracket, _ = name.partition("(")
    if not bracket:
        return name, options
    try:
        call = ast.parse(f"f{name.removeprefix(kind)}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise SandboxNameError(
            f"unreadable sandbox {name[:200]!r}", cure="write options as docker(image='full', memory_mb=2048)"
        ) from None
    return kind, {**given, **options}


def _from_file(name: str) -> Any:
    """The backend `Name` of `path/to/file.py:Name`."""
    path, _, attribute = name.rpartition(":")
    spec = importlib.util.spec_from_file_location(f"rewardkit_sandbox_{Path(path).stem}", path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise SandboxNameError(f"no file {path!r}", cure="write --sandbox ./file.py:Name")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # as dataclasses and pickles expect
    spec.loader.exec_module(module)
    if not hasattr(module, attribute):
        raise SandboxNameError(f"{path} defines no {attribute!r}", cure="write --sandbox ./file.py:Name")
    return getattr(module, attribute)


def _call(name: str, backend: Any, /, *address: str, **options: Any) -> Sandbox:
    """A running sandbox. The error for an unknown option names it."""
    taken = inspect.signature(backend).parameters
    unknown = [option for option in options if option not in taken]
    if unknown and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values()):
        known = ", ".join(option for option, parameter in taken.items() if parameter.kind is parameter.KEYWORD_ONLY)
        raise SandboxNameError(f"sandbox {name!r} has no option {unknown[0]!r}", cure=f"it has: {known}")
    return backend(*address, **options)


def _find(kind: str) -> EntryPoint | None:
    """The backend of that name. Built-in backends cannot be replaced."""
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
