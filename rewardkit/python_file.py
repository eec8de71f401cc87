"""Python files of a user, named as `./file.py:Name`: run once per process, in a module that cannot be imported; it can import modules beside it."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from rewardkit.errors import UsageError, describe_error, did_you_mean
from rewardkit.paths import expanded

_MODULE = "rewardkit_file_"


def attribute(path: str, name: str) -> Any:
    """The object `name` in the Python file `path`. The file is executed, so you must trust it.

    Raises:
        UsageError: there is no such file or no such name in it, or it does not import.
    """
    module = _module(path)
    if not hasattr(module, name):
        raise UsageError("; ".join(filter(None, (f"{path} has no {name!r}", did_you_mean(name, names(path))))))
    return getattr(module, name)


def names(path: str) -> list[str]:
    """The public classes and functions that a Python file defines. It is executed, as in `attribute`.

    Raises:
        UsageError: there is no such file, or it does not import.
    """
    module = _module(path)
    own = {name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    return sorted(name for name in own if not name.startswith("_"))


def _module(path: str) -> ModuleType:
    file = expanded(path).resolve()
    if not file.is_file():
        raise UsageError(f"no file {path!r}; ./file.py:Name is relative to {Path.cwd()}")
    module_name = _MODULE + hashlib.sha256(str(file).encode()).hexdigest()[:16]
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, file)
        if spec is None or spec.loader is None:
            raise UsageError(f"{path!r} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        if str(file.parent) not in sys.path:
            sys.path.append(str(file.parent))
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[module_name]
            if isinstance(error, Exception):
                raise UsageError(f"{path} does not import: {describe_error(error)}") from error
            raise
    return module


def place_of(found: type | Callable[..., Any]) -> tuple[str, str] | None:
    """File and name of a class or function that came from such a file; None for all others, which are imported by module name."""
    module = str(getattr(found, "__module__", ""))
    if not module.startswith(_MODULE):
        return None
    held = vars(sys.modules[module])
    name = str(getattr(found, "__name__", ""))
    if name not in held:  # a lambda, a function that another one made, or an object that can be called
        name = next((one for one, value in held.items() if value is found), name)
    return str(held["__file__"]), name
