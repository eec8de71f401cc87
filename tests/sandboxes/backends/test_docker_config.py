"""What a container is asked to be, without a daemon."""

import pytest

from sandboxes import SandboxUnavailable
from sandboxes.backends.docker_config import Daemon, container_config


class DockerApi:
    def __init__(self, **info):
        self.info = info

    def request(self, method, path, timeout=None):
        assert (method, path) in (("GET", "/info"), ("GET", "/version"))
        podman = [{"Name": "Podman Engine"}] if self.info.get("podman") else []
        return self.info if path == "/info" else {"Components": podman}


def config(**info):
    return container_config("image", {}, Daemon.ask(DockerApi(**info)), memory_mb=256)


@pytest.mark.parametrize("options", [["name=userns"], ["name=seccomp,profile=default", "name=rootless"]])
def test_where_user_ids_are_mapped_a_box_takes_one_that_exists(options):
    assert all(int(config(SecurityOptions=options)["User"].partition(":")[0]) < 65_536 for _ in range(50))
    assert int(config()["User"].partition(":")[0]) > 1 << 20


def test_the_runtime_is_asked_for_by_name_and_must_be_known():
    runtimes = {"runc": {}, "runsc": {}}
    daemon = Daemon.ask(DockerApi(Runtimes=runtimes, DefaultRuntime="runc"), "runsc")
    assert container_config("image", {}, daemon, memory_mb=256)["HostConfig"]["Runtime"] == "runsc"
    assert config(Runtimes=runtimes, DefaultRuntime="runc")["HostConfig"]["Runtime"] == "runc"
    with pytest.raises(SandboxUnavailable, match=r"no runtime 'kata'; it has: runc, runsc"):
        Daemon.ask(DockerApi(Runtimes=runtimes), "kata")


@pytest.mark.parametrize("default", ["runc", "runsc", None])
@pytest.mark.parametrize("asked", ["runc", "runsc", None])
def test_podman_takes_no_request_for_a_runtime_so_only_its_own_can_be_asked_for(default, asked):
    api = DockerApi(podman=True, Runtimes={"runc": {}, "runsc": {}}, DefaultRuntime=default)
    if asked in {None, default}:
        assert Daemon.ask(api, asked).runtime == (default or "")
    else:
        with pytest.raises(SandboxUnavailable, match=f"start it with `podman --runtime {asked} system service`"):
            Daemon.ask(api, asked)


def test_nothing_but_the_scratch_mounts_can_be_written_and_nothing_there_executed():
    host = config()["HostConfig"]
    assert host["ReadonlyRootfs"]
    assert host["CgroupnsMode"] == "private"
    assert all("noexec" in options for options in host["Tmpfs"].values())
