"""The sandbox images: from a Dockerfile if a registry answers, else from Debian packages by debootstrap, without any registry.

Either way a base image with Debian packages comes first, then a layer with the agent, whose hash is the image's tag and label. A
sandbox refuses an image with another hash.
"""

import functools
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from sandboxes.backends.docker_api import DockerApi, DockerError
from sandboxes.errors import ImageMissing, ImageOutdated, SandboxError, SandboxUnavailable

__all__ = [
    "IMAGES",
    "LABEL_AGENT",
    "agent_files",
    "agent_hash",
    "build",
    "check",
    "image_name",
    "remove_images",
]

BASE = "rewardkit-sandbox-base"
SLIM = "python:3.11-slim-bookworm"
"""The version of the Debian packages: 3.12 and 3.13 refuse deep calls of cached functions, whatever recursion limit a program sets."""
LABEL = "rewardkit.sandbox"
LABEL_AGENT = "rewardkit.sandbox.agent"
SUITE = "bookworm"
PYTHON = ("python3", "python3-numpy", "python3-sortedcontainers")
IMAGES: dict[str, tuple[str, ...]] = {
    "python": PYTHON,
    "full": (
        *(*PYTHON, "gcc", "g++", "libc6-dev", "default-jdk-headless", "nodejs", "node-typescript"),
        *("golang-go", "rustc-web"),
    ),
    "scientific": (
        *(*PYTHON, "python3-pandas", "python3-scipy", "python3-sympy", "python3-networkx", "python3-sklearn"),
        *("python3-matplotlib", "python3-seaborn", "python3-statsmodels", "python3-openpyxl", "python3-requests"),
        *("python3-bs4", "python3-lxml", "python3-regex", "python3-psutil", "python3-nltk", "python3-levenshtein"),
    ),
}
"""The Debian packages of each image."""
WHEELS = {"sklearn": "scikit-learn", "bs4": "beautifulsoup4"}
"""What the package index calls those whose Debian name says something else."""
ENVIRONMENT = {
    "HOME": "/tmp",  # noqa: S108  (inside the box)
    "LANG": "C.UTF-8",
    "LD_BIND_NOW": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": "/opt/rewardkit",
    "PYTHONDONTWRITEBYTECODE": "1",
}
ENTRYPOINT = ["python3", "-s", "-P", "-m", "rewardkit_agent"]
Method = Literal["auto", "dockerfile", "debootstrap"]


def agent_files() -> dict[str, bytes]:
    """The agent's modules by file name."""
    folder = files("sandboxes") / "agent"
    return {
        item.name: item.read_bytes()
        for item in sorted(folder.iterdir(), key=lambda item: item.name)
        if item.name.endswith(".py")
    }


@functools.cache
def agent_hash() -> str:
    """What an image must be labelled with to be used by this version: of the agent, and of the lists of packages."""
    digest = hashlib.sha256()
    for name, content in agent_files().items():
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    digest.update(json.dumps([ENVIRONMENT, ENTRYPOINT, IMAGES]).encode())
    return digest.hexdigest()[:16]


def image_name(image: str) -> str:
    """The Docker name of one of `IMAGES` for this version of the agent; any other name is itself.

    >>> image_name("python").partition("-")[0], image_name("registry.lan/mine:1")
    ('rewardkit', 'registry.lan/mine:1')
    """
    return f"rewardkit-sandbox:{image}-{agent_hash()}" if image in IMAGES else image


def _base_name(image: str) -> str:
    """The base image's name; it changes with its packages."""
    return f"{BASE}:{image}-{hashlib.sha256(json.dumps([SUITE, IMAGES[image]]).encode()).hexdigest()[:8]}"


def check(api: DockerApi, image: str = "python") -> str:
    """The image's agent hash; `ImageMissing` or `ImageOutdated` if it can't be used."""
    build_it = f"run `rewardkit sandbox build{'' if image == 'python' else f' {image}'}`"
    cure = build_it if image in IMAGES else f"build or load it, or choose one of: {', '.join(IMAGES)}"
    image = image_name(image)
    labels = api.image_labels(image)
    if labels is None:
        raise ImageMissing(f"Docker works, but image {image} is not built", cure=cure)
    found = labels.get(LABEL_AGENT, "none")
    if found != agent_hash():
        raise ImageOutdated(f"image {image} holds agent {found}, this version needs {agent_hash()}", cure=cure)
    return found


def build(
    api: DockerApi | None = None,
    *,
    method: Method = "auto",
    image: str = "python",
    mirror: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> str:
    """Build one of `IMAGES` if it is missing, and return its Docker name. `auto` tries the registry, then debootstrap."""
    name = image_name(image)
    api = api or DockerApi()
    try:
        check(api, image)
    except (ImageMissing, ImageOutdated):
        pass
    else:
        say(f"image {name} is up to date")
        return name
    base = _base(api, image, method, mirror, say)
    say(f"adding agent {agent_hash()} to {base}")
    _docker_build(
        api, name, agent_dockerfile(base), {f"rewardkit_agent/{file}": data for file, data in agent_files().items()}
    )
    check(api, image)
    return name


def _base(api: DockerApi, image: str, method: Method, mirror: str | None, say: Callable[[str], None]) -> str:
    if method != "debootstrap":
        slim = f"{_base_name(image)}-slim"
        if api.image_labels(slim) is not None:
            return slim
        try:
            if api.image_labels(SLIM) is None:
                say(f"pulling {SLIM}")
                _pull(api, SLIM)
            _docker_build(api, slim, slim_dockerfile(image), {}, network="default")
        except (DockerError, SandboxError) as error:
            if method == "dockerfile":
                raise SandboxError(f"no image from {SLIM}: {error}", cure="try --method debootstrap") from error
            say(f"no registry ({str(error)[:120]}); building from Debian packages")
        else:
            return slim
    base = _base_name(image)
    if api.image_labels(base) is None:
        _bootstrap(api, image, mirror, say)
    return base


def slim_dockerfile(image: str) -> str:
    """The base if a registry is reached: Python packages by pip, for its Python is not Debian's."""
    debian = [name.removeprefix("python3-") for name in IMAGES[image] if name.startswith("python3-")]
    packages = [name for name in IMAGES[image] if not name.startswith("python3")]
    install = " ".join(
        ["apt-get update && apt-get install -y --no-install-recommends", *packages, "&& rm -rf /var/lib/apt/lists/*"]
    )
    names = " ".join(WHEELS.get(name, name) for name in debian)
    return (
        f"FROM {SLIM}\nRUN pip install --no-cache-dir {names}\n"
        + (f"RUN {install}\n" if packages else "")
        + f"LABEL {LABEL}=base\n"
    )


def agent_dockerfile(base: str) -> str:
    """The agent's layer. The root is read-only at run time, so bytecode is compiled here."""
    env = " ".join(f"{key}={value}" for key, value in ENVIRONMENT.items())
    return (
        f"FROM {base}\nCOPY rewardkit_agent /opt/rewardkit/rewardkit_agent\n"
        "RUN python3 -m compileall -q -j 0 /opt/rewardkit /usr/lib/python3* /usr/local/lib/python3* || true\n"
        f"ENV {env}\nLABEL {LABEL}=image {LABEL_AGENT}={agent_hash()}\n"
        f"ENTRYPOINT {json.dumps(ENTRYPOINT)}\n"
    )


def _pull(api: DockerApi, image: str) -> None:
    name, _, tag = image.partition(":")
    _raise_in_stream(api.request("POST", "/images/create", query={"fromImage": name, "tag": tag}, timeout=600))


def _docker_build(api: DockerApi, tag: str, dockerfile: str, context: dict[str, bytes], network: str = "none") -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in {"Dockerfile": dockerfile.encode(), **context}.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    query = {"t": tag, "networkmode": network, "rm": 1, "forcerm": 1}
    _raise_in_stream(api.request("POST", "/build", query=query, body=packed.getvalue(), timeout=1200))


def _raise_in_stream(answer: Any) -> None:
    """Builds and pulls report failure as a line of their answer, with status 200."""
    lines = [json.dumps(answer)] if isinstance(answer, dict) else str(answer or "").splitlines()
    for line in lines:
        try:
            event: Any = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and "error" in event:
            raise DockerError(200, str(event["error"]))  # pyright: ignore[reportUnknownArgumentType]


def _bootstrap(api: DockerApi, image: str, mirror: str | None, say: Callable[[str], None]) -> None:
    tool = shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if tool is None:
        raise SandboxUnavailable("debootstrap is not installed", cure="apt-get install debootstrap")
    if os.getuid() != 0:
        raise SandboxUnavailable("debootstrap needs root", cure="run `sudo rewardkit sandbox build`")
    with tempfile.TemporaryDirectory(prefix="rewardkit-image-") as folder:
        root = Path(folder) / "root"
        say(f"debootstrap {SUITE} from {mirror or 'its default mirror'} (one to five minutes)")
        command = [
            tool,
            "--variant=minbase",
            f"--include={','.join(IMAGES[image])}",
            SUITE,
            str(root),
            *([mirror] if mirror else []),
        ]
        log = Path(folder) / "log"
        with log.open("wb") as out:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
            raise SandboxError(
                f"debootstrap failed:\n{tail}", cure="is the Debian mirror reachable? --mirror names another"
            )
        say("importing the base image")
        _import(api, _base_name(image), root)


def _import(api: DockerApi, base: str, root: Path) -> None:
    leave = (
        "var/cache/apt",
        "var/lib/apt/lists",
        "usr/share/doc",
        "usr/share/man",
        "usr/share/locale",
        "dev",
        "proc",
        "sys",
    )

    def keep(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        name = entry.name.removeprefix("./")
        return None if any(name.startswith(f"{folder}/") for folder in leave) else entry

    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(root, arcname=".", filter=keep)
        packed.seek(0)
        name, _, tag = base.partition(":")
        query = {"fromSrc": "-", "repo": name, "tag": tag, "changes": f"LABEL {LABEL}=base"}
        _raise_in_stream(api.request("POST", "/images/create", query=query, body=packed, timeout=600))


def remove_images(api: DockerApi) -> int:
    """Remove the images that `build` made, found by their label; how many."""
    filters = json.dumps({"label": [LABEL]})
    found: list[dict[str, Any]] = api.request("GET", "/images/json", query={"filters": filters}) or []
    for image in found:
        api.request("DELETE", f"/images/{image['Id']}", query={"force": 1})
    return len(found)
