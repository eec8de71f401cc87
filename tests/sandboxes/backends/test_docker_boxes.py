"""Boxes of a daemon that is not there: how they are made, why they died, and what is removed."""

import contextlib
import threading
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandboxes import Job, SandboxError, SandboxUnavailable
from sandboxes.backends import docker
from sandboxes.backends.docker import (
    LABEL_BOX,
    STILLBORN_S,
    Containers,
    DockerBox,
    DockerSandbox,
    remove_all,
    remove_dead,
)
from sandboxes.backends.docker_api import DockerError
from sandboxes.connection import Box
from sandboxes.errors import ImageMissing


class Api:
    """A daemon that notes what it is asked; `fails` maps a part of a path to an error."""

    url = urlsplit("tcp://h")

    def __init__(self, **facts):
        self.asked, self.removed, self.fails, self.boxes, self.states = [], [], {}, [], [{}]
        vars(self).update(facts)

    def ask(self, asked):
        self.asked.append(asked)
        for part, error in self.fails.items():
            if part in asked:
                raise error

    def request(self, method, path, **_):
        self.ask(f"{method} {path}")
        if path.endswith("/json"):
            return {"State": self.states.pop(0) if len(self.states) > 1 else self.states[0]}
        return {"Id": "c1"}

    def attach(self, container):
        self.ask(f"attach {container}")
        return "a stream"

    def remove(self, container):
        for part, error in self.fails.items():
            if part == container:
                raise error
        self.removed.append(container)

    def containers(self, label):
        self.asked.append(f"containers {label}")
        return self.boxes


@pytest.fixture(autouse=True)
def no_agent(monkeypatch):
    monkeypatch.setattr(docker, "container_config", lambda *_, **__: {"Cmd": [], "HostConfig": {}})
    monkeypatch.setattr(
        Box, "__init__", lambda self, pipe, isolation: setattr(self, "pipe", SimpleNamespace(close=lambda: None))
    )


def box_of(api):
    return DockerBox(Containers(api, "run"), {"Cmd": [], "HostConfig": {}})


def test_a_box_is_created_attached_and_started_in_this_order_and_removed_once():
    api = Api()
    box = box_of(api)
    assert api.asked == ["POST /containers/create", f"attach {box.name}", f"POST /containers/{box.name}/start"]
    box.close()
    box.close()
    assert api.removed == [box.name]


@pytest.mark.parametrize("error", [DockerError(500, "no"), SandboxError("away"), KeyboardInterrupt()])
@pytest.mark.parametrize("request_", ["create", "attach", "start"])
def test_a_box_that_does_not_start_is_removed(request_, error):
    api = Api(fails={request_: error})
    with pytest.raises(type(error)):
        box_of(api)
    assert len(api.removed) == 1


@pytest.mark.parametrize(
    ("state", "cause"),
    [
        ({"ExitCode": 137, "OOMKilled": True}, "memory"),
        ({"ExitCode": 137, "OOMKilled": False}, "outside"),
        ({"ExitCode": 137}, "outside"),
        ({"ExitCode": 0}, "unknown"),
        ({"ExitCode": 1, "OOMKilled": True}, "unknown"),
        ({"Running": True, "ExitCode": 137}, "unknown"),
    ],
)
def test_the_daemon_says_why_a_box_died(monkeypatch, state, cause):
    monkeypatch.setattr(docker.time, "monotonic", iter(range(0, 1000, 1)).__next__)
    monkeypatch.setattr(docker.time, "sleep", lambda _: None)
    assert box_of(Api(states=[state])).cause_of_death() == cause


def test_a_box_that_still_ends_is_waited_for(monkeypatch):
    monkeypatch.setattr(docker.time, "sleep", lambda _: None)
    assert box_of(Api(states=[{"Running": True}, {"ExitCode": 137, "OOMKilled": True}])).cause_of_death() == "memory"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (DockerError(404, "gone"), "outside"),
        (DockerError(500, "no"), "unknown"),
        (SandboxUnavailable("away"), "outside"),
    ],
)
def test_where_the_daemon_does_not_know_it_or_is_away_the_box_went_with_it(error, cause):
    box = box_of(Api())
    box.api.fails["/json"] = error
    assert box.cause_of_death() == cause


def found(name, state, age=0.0):
    return {"Id": name, "State": state, "Created": 10_000.0 - age}


def test_boxes_that_ended_or_never_began_are_removed_and_those_that_run_are_not(monkeypatch):
    monkeypatch.setattr(docker.time, "time", lambda: 10_000.0)
    boxes = [found("e", "exited"), found("d", "dead"), found("r", "running"), found("n", "created"),
             found("l", "created", STILLBORN_S), found("o", "created", STILLBORN_S + 1)]  # fmt: skip
    api = Api(boxes=boxes, fails={"d": DockerError(500, "no")})
    assert remove_dead(api) == 2
    assert api.removed == ["e", "o"]
    assert remove_all(api) == 5
    assert api.asked == [f"containers {LABEL_BOX}"] * 2


@pytest.fixture
def sandbox(monkeypatch):
    """A sandbox whose pools hold no boxes; the pools, by what they were made with."""
    pools = []

    class NoPool:
        def __init__(self, make, *, workers, spares, trusted=None):
            self.make, self.workers, self.spares, self.trusted, self.closed, self.warm = (
                make,
                workers,
                spares,
                trusted,
                False,
                0,
            )
            pools.append(self)

        def warm_up(self):
            self.warm += 1
            if outcomes:
                raise outcomes.pop(0)

        def close(self):
            before, self.closed = self.closed, True
            return not before

    outcomes: list[Exception] = []
    api = Api()
    monkeypatch.setattr(docker, "Pool", NoPool)
    monkeypatch.setattr(docker, "DockerApi", lambda host: api)
    monkeypatch.setattr(docker, "check", lambda api, image: f"agent of {image}")
    monkeypatch.setattr(docker, "remove_abandoned", lambda: None)
    parent = SimpleNamespace(cgroup_parent="jobs.slice", runtime="runc")
    monkeypatch.setattr(docker.Daemon, "ask", lambda api, runtime: parent)
    return SimpleNamespace(pools=pools, api=api, outcomes=outcomes)


def test_a_group_of_cgroups_that_the_daemon_refuses_is_done_without(sandbox):
    sandbox.outcomes.append(SandboxError("no such parent"))
    made = DockerSandbox(workers=2, spares=3)
    trusted, pool = sandbox.pools
    assert (made.cgroup_parent, pool.warm, trusted.warm) == ("", 2, 0)
    assert (pool.workers, pool.spares, trusted.workers, trusted.spares, pool.trusted) == (2, 3, 2, 0, trusted)
    sandbox.outcomes += [SandboxError("one"), SandboxError("two")]
    with pytest.raises(SandboxError, match="two"):
        DockerSandbox(workers=1)
    assert sandbox.pools[-1].closed


def test_a_sandbox_whose_boxes_start_keeps_its_group_and_ends_with_its_boxes(sandbox):
    made = DockerSandbox()
    assert (made.cgroup_parent, made.workers >= 1) == ("jobs.slice", True)
    assert made.agent == "agent of python"
    sandbox.api.boxes = [found("x", "running")]
    made.close()
    made.close()
    assert sandbox.api.removed == ["x"]
    assert sandbox.api.asked.count(f"containers rewardkit.run={made.run_id}") == 1


def test_a_daemon_that_refuses_is_unavailable(sandbox, monkeypatch):
    def check(api, image):
        raise DockerError(500, "broken")

    monkeypatch.setattr(docker, "check", check)
    with pytest.raises(SandboxUnavailable, match=r"can't run the sandbox .*rewardkit doctor"):
        DockerSandbox()


@pytest.mark.parametrize(
    ("image", "languages", "own"),
    [
        ("python", ["python", "python"], True),
        ("python", ["python", "c"], False),
        ("full", ["c"], True),
        ("mine:1", ["c"], True),
    ],
)
def test_other_languages_run_in_the_full_image_made_when_it_is_needed(sandbox, image, languages, own):
    made = DockerSandbox(image=image)
    jobs = [Job(program="", language=language) for language in languages]
    pool = made.pool_for(jobs, trusted=False)
    assert (pool is made.pool) is own
    assert made.pool_for(jobs, trusted=False) is pool
    assert (made.pool_for(jobs, trusted=True) is made.trusted) is own
    assert len(sandbox.pools) == (2 if own else 4)
    made.close()
    assert all(each.closed for each in sandbox.pools if each is not made.trusted)


def test_without_the_full_image_rows_of_its_languages_are_lost(sandbox, monkeypatch):
    made = DockerSandbox()

    def check(api, image):
        raise ImageMissing(f"no {image}", cure="build it")

    monkeypatch.setattr(docker, "check", check)
    (lost,) = made.submit([Job(program="", language="c")]).result(5)
    assert (lost.lost, lost.isolation) == ("c programs: no full; build it", "strong")


def test_a_container_that_does_not_start_is_told_with_the_cure(sandbox):
    made = DockerSandbox()
    sandbox.api.fails["start"] = DockerError(500, "no")
    with pytest.raises(SandboxError, match=r"a container did not start .*rewardkit doctor"):
        made.trusted.make()


FATES = ["done", "done, no answer", "done later, no answer", "not done, no answer", "refused"]


class FailingApi(Api):
    """A daemon whose requests, in turn, have these fates; those after them are done and answered."""

    def __init__(self, fates):
        super().__init__(made={}, fates=list(fates), later=[])

    def do(self, change=lambda: None):
        fate = self.fates.pop(0) if self.fates else "done"
        if fate in ("done", "done, no answer"):
            change()
        while self.later:
            self.later.pop()()
        if fate == "done later, no answer":
            self.later.append(change)
        if fate == "refused":
            raise DockerError(500, "no")
        if fate != "done":
            raise SandboxUnavailable("away")

    def request(self, method, path, query=None, **_):
        name = (query or {}).get("name")
        self.do(lambda: self.made.update({name: {"Id": name, "Names": [f"/{name}"]}} if name else {}))

    def attach(self, container):
        self.do()

    def remove(self, container):
        self.do(lambda: self.made.pop(container, None))

    def containers(self, label):
        self.do()
        return list(self.made.values())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    steps=st.lists(st.sampled_from(["start", "close"]), max_size=8),
    fates=st.lists(st.sampled_from(FATES), max_size=30),
)
def test_whatever_the_daemon_fails_at_the_next_box_that_starts_leaves_only_those_in_use(sandbox, steps, fates):
    api = FailingApi(fates)
    made = DockerSandbox()
    made._containers = Containers(api, made.run_id)
    alive = []

    def start():
        with contextlib.suppress(SandboxError):
            alive.append(made.pool.make())

    for step in steps:
        if step == "start":
            start()
        elif alive:
            alive.pop(0).close()
        assert {box.name for box in alive} <= set(api.made)
    api.fates.clear()
    start()
    assert {box.name for box in alive} == set(api.made)


def test_nobody_else_waits_while_a_box_is_removed():
    api = Api()
    box = box_of(api)
    threads = [threading.Thread(target=box.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert api.removed == [box.name]
