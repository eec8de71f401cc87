"""How images are made and refused, without a daemon."""

import ast
import io
import json
import sys
import tarfile
from types import SimpleNamespace

import pytest

from sandboxes import ImageMissing, ImageOutdated, SandboxError, SandboxUnavailable
from sandboxes.backends import docker_image
from sandboxes.backends.docker_image import (
    IMAGES,
    LABEL,
    LABEL_AGENT,
    SLIM,
    agent_dockerfile,
    agent_files,
    agent_hash,
    build,
    check,
    image_name,
    remove_images,
    slim_dockerfile,
)

REFUSED = json.dumps({"status": "pulling"}) + "\nno JSON\n" + json.dumps({"error": "no such host"})


class DockerApi:
    """A daemon that keeps labels of images and notes what it is asked; `registry` says what it answers to a pull."""

    def __init__(self, images=None, *, registry=None):
        self.images = dict(images or {})
        self.registry = registry
        self.asked = []
        self.unpacked = {}

    def image_labels(self, image):
        return self.images.get(image)

    def request(self, method, path, *, query=None, body=None, timeout=None):
        self.asked.append((method, path, query))
        if path == "/images/json":
            assert json.loads(query["filters"]) == {"label": [LABEL]}
            return [{"Id": name} for name in self.images]
        if path == "/build":
            self._unpack(body)
            self.images[query["t"]] = {LABEL_AGENT: agent_hash()} if "rewardkit_agent" in self.dockerfile else {}
        elif method == "DELETE":
            self.images.pop(path.removeprefix("/images/"))
        elif "fromSrc" in query:
            self._unpack(body.read())
            self.images[f"{query['repo']}:{query['tag']}"] = {}
        elif self.registry is None:
            self.images[f"{query['fromImage']}:{query['tag']}"] = {}
        return self.registry if "fromImage" in (query or {}) else None

    def _unpack(self, packed):
        with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
            files = {entry.name: (entry, tar.extractfile(entry)) for entry in tar.getmembers() if entry.isfile()}
            self.unpacked = {name: (entry.mode, file.read()) for name, (entry, file) in files.items()}

    @property
    def dockerfile(self):
        return self.unpacked["Dockerfile"][1].decode()


@pytest.fixture
def debootstrap(monkeypatch):
    """A debootstrap that writes two files, or fails; what it was called with."""
    calls = SimpleNamespace(commands=[], code=0)

    def run(command, *, stdin, stdout, stderr, check):
        assert not check
        calls.commands.append(command)
        root = docker_image.Path(command[4])
        for name in ("usr/share/doc/a", "usr/bin/python3"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        stdout.write(b"E: no mirror")
        return SimpleNamespace(returncode=calls.code)

    monkeypatch.setattr(docker_image.shutil, "which", lambda name, path: f"/usr/sbin/{name}")
    monkeypatch.setattr(docker_image.os, "getuid", lambda: 0)
    monkeypatch.setattr(docker_image.subprocess, "run", run)
    return calls


def test_images_of_ours_are_named_for_their_agent_and_others_as_they_are_called():
    assert image_name("full") == f"rewardkit-sandbox:full-{agent_hash()}"
    assert image_name("mine:1") == "mine:1"


def test_a_missing_image_says_how_to_build_it():
    with pytest.raises(ImageMissing, match=r"run `rewardkit sandbox build`$"):
        check(DockerApi())
    with pytest.raises(
        ImageMissing, match=r"nosuch is not built; build or load it, or choose one of: python, full, scientific$"
    ):
        check(DockerApi(), "nosuch")
    with pytest.raises(ImageMissing, match=r"run `rewardkit sandbox build full`$"):
        check(DockerApi(), "full")


@pytest.mark.parametrize("labels", [{}, {LABEL_AGENT: "0123456789abcdef"}])
def test_an_image_of_another_agent_is_refused(labels):
    with pytest.raises(ImageOutdated, match="run `rewardkit sandbox build`"):
        check(DockerApi({image_name("python"): labels}))


@pytest.mark.parametrize("image", ["python", "mine:1"])
def test_an_image_of_this_agent_is_taken_and_not_built_again(image):
    api = DockerApi({image_name(image): {LABEL_AGENT: agent_hash()}})
    assert check(api, image) == agent_hash()
    assert build(api, image=image) == image_name(image)
    assert api.asked == []


@pytest.mark.parametrize("image", IMAGES)
def test_an_image_is_built_from_the_registry_and_next_time_from_its_base(image):
    api, said = DockerApi(), []
    assert build(api, image=image, say=said.append) == image_name(image)
    assert [path for _, path, _ in api.asked] == ["/images/create", "/build", "/build"]
    assert api.asked[0][2] == dict(zip(("fromImage", "tag"), SLIM.split(":"), strict=True))
    assert [query["networkmode"] for _, _, query in api.asked[1:]] == ["default", "none"]
    assert all(query["rm"] == query["forcerm"] == 1 for _, _, query in api.asked[1:])
    assert set(api.unpacked) == {"Dockerfile", *(f"rewardkit_agent/{name}" for name in agent_files())}
    assert {mode for mode, _ in api.unpacked.values()} == {0o644}
    assert [line.partition(" ")[0] for line in said] == ["pulling", "adding"]
    base = api.dockerfile.split()[1]

    api.images[image_name(image)] = {LABEL_AGENT: "older"}
    api.asked.clear()
    build(api, image=image)
    assert [query["t"] for _, _, query in api.asked] == [image_name(image)]
    assert api.dockerfile.split()[1] == base

    del api.images[image_name(image)], api.images[base]
    api.asked.clear()
    build(api, image=image)
    assert [path for _, path, _ in api.asked] == ["/build", "/build"]  # the registry's image is still there


def test_without_a_registry_debian_packages_are_taken_once(debootstrap):
    api, said = DockerApi(registry=REFUSED), []
    build(api, mirror="http://deb", say=said.append)
    (command,) = debootstrap.commands
    assert command[:4] == [
        "/usr/sbin/debootstrap",
        "--variant=minbase",
        f"--include={','.join(IMAGES['python'])}",
        "bookworm",
    ]
    assert command[5:] == ["http://deb"]
    assert [line.partition(" ")[0] for line in said] == ["pulling", "no", "debootstrap", "importing", "adding"]
    assert "no such host" in said[1]
    assert "from http://deb (" in said[2]
    base = api.dockerfile.split()[1]
    assert base in api.images
    assert not base.endswith("-slim")
    del api.images[image_name("python")]
    build(api, method="debootstrap")
    assert len(debootstrap.commands) == 1


def test_what_no_program_reads_is_left_out_of_the_base(debootstrap, monkeypatch):
    api = DockerApi()
    monkeypatch.setattr(
        docker_image,
        "_docker_build",
        lambda *_, **__: api.images.update({image_name("python"): {LABEL_AGENT: agent_hash()}}),
    )
    build(api, method="debootstrap")
    assert set(api.unpacked) == {"./usr/bin/python3"}
    assert debootstrap.commands[0][5:] == []


def test_a_method_that_is_asked_for_fails_with_the_name_of_the_other():
    with pytest.raises(SandboxError, match=r"no such host.*try --method debootstrap"):
        build(DockerApi(registry=REFUSED), method="dockerfile")
    with pytest.raises(SandboxError, match="no such host"):
        build(DockerApi(registry={"error": "no such host"}), method="dockerfile")


def test_what_debootstrap_lacks_is_said(debootstrap, monkeypatch):
    debootstrap.code = 1
    with pytest.raises(SandboxError, match=r"(?s)E: no mirror.*--mirror"):
        build(DockerApi(), method="debootstrap")
    monkeypatch.setattr(docker_image.os, "getuid", lambda: 1)
    with pytest.raises(SandboxUnavailable, match="sudo rewardkit"):
        build(DockerApi(), method="debootstrap")
    monkeypatch.setattr(docker_image.shutil, "which", lambda name, path: None)
    with pytest.raises(SandboxUnavailable, match="apt-get install debootstrap"):
        build(DockerApi(), method="debootstrap")


def test_images_are_removed_by_their_label():
    api = DockerApi({"a": {}, "b": {}})
    assert remove_images(api) == 2
    assert api.images == {}
    assert all(query == {"force": 1} for method, _, query in api.asked if method == "DELETE")


def test_the_agent_needs_nothing_but_itself_and_the_standard_library():
    for name, source in agent_files().items():
        for node in ast.walk(ast.parse(source)):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [node.module]
            for module in modules:
                assert module.partition(".")[0] in sys.stdlib_module_names, (name, module)


def test_the_layers_carry_label_and_bytecode():
    text = agent_dockerfile("base:1")
    assert text.startswith("FROM base:1\n")
    assert f"{LABEL_AGENT}={agent_hash()}" in text
    assert "compileall" in text
    assert "numpy sortedcontainers" in slim_dockerfile("python")
    assert "apt-get" not in slim_dockerfile("python")
    assert "recommends gcc g++" in slim_dockerfile("full")
    assert " scikit-learn " in slim_dockerfile("scientific")
