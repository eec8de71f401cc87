"""What Ray is asked for, without Ray: deployments of the server, and the sandbox of a node."""

import fcntl
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import pytest
from live import wait_for

from rewardkit import UsageError
from rewardkit.errors import IncompleteError, MissingExtraError
from rewardkit.ray import Scorer, node_sandbox
from rewardkit.ray.node_sandbox import NodeSandbox, _locked, _opened, _remove, _remove_unheld


@pytest.fixture
def deployed(monkeypatch):
    """The options of each deployment."""
    found = []
    serve = ModuleType("ray.serve")
    serve.deployment = lambda **options: lambda cls: SimpleNamespace(bind=lambda: found.append(options) or cls)
    serve.ingress = lambda build: lambda: "made"
    monkeypatch.setitem(sys.modules, "ray.serve", serve)
    return found


@pytest.mark.parametrize(
    ("args", "replicas", "cpus"),
    [
        ({"rewards": "exact"}, 1, 1),
        ({"rewards": ["exact", "gsm8k"], "replicas": "3", "workers": "2"}, 3, 2),
        ({"rewards": "exact", "replicas": "auto"}, "auto", 1),
    ],
)
def test_a_replica_has_a_cpu_for_each_of_its_workers(deployed, args, replicas, cpus):
    from rewardkit.ray.serve import application
    from rewardkit.serve.settings import Limits

    before = dict(args)
    assert application(args) == "made"
    assert args == before
    (options,) = deployed
    assert (options["num_replicas"], options["ray_actor_options"], options["name"]) == (
        replicas,
        {"num_cpus": cpus},
        "rewardkit",
    )
    assert options["max_ongoing_requests"] == Limits().queue_rows


def test_what_cannot_be_deployed_is_told(deployed, monkeypatch):
    from rewardkit.ray.serve import application

    with pytest.raises(UsageError, match="replica: no such argument; there are rewards, replicas, workers and sandbox"):
        application({"rewards": "exact", "replica": 2})
    with pytest.raises(UsageError, match="did you mean 'exact'"):
        application({"rewards": "exat"})
    assert deployed == []
    monkeypatch.setitem(sys.modules, "ray.serve", None)
    with pytest.raises(MissingExtraError, match="ray"):
        application({"rewards": "exact"})


def test_a_reward_of_groups_is_judged_by_whole_groups_alone():
    with pytest.raises(UsageError, match=r"map_groups\(Scorer, \.\.\.\) with whole_groups=True"):
        Scorer("exact + majority")
    scorer = Scorer("majority", whole_groups=True)
    scorer.close()


@pytest.mark.parametrize(("resources", "size"), [({"CPU": 3.0}, 3), ({"CPU": 0.5}, 1), ({}, 1)])
def test_a_node_runs_as_many_programs_as_it_has_cpus_in_a_folder_of_its_job(monkeypatch, tmp_path, resources, size):
    context = SimpleNamespace(get_node_id=lambda: "b" * 40, get_job_id=lambda: "07")
    nodes = [{"NodeID": "a", "Resources": {"CPU": 99}}, {"NodeID": "b" * 40, "Resources": resources}]
    ray = SimpleNamespace(get_runtime_context=lambda: context, nodes=lambda: nodes)
    monkeypatch.setattr(node_sandbox.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(NodeSandbox, "__init__", lambda self, folder, size: vars(self).update(folder=folder, size=size))
    found = NodeSandbox.of_actor(ray)
    assert found.size == size
    assert found.folder.name.endswith("-07-" + "b" * 16)


@pytest.mark.parametrize(("mode", "fine"), [(0o700, True), (0o500, True), (0o710, False), (0o701, False)])
def test_a_folder_that_others_reach_into_is_refused(tmp_path, mode, fine):
    folder = tmp_path / "f"
    os.close(_opened(folder))
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(mode)
    if fine:
        os.close(_opened(folder))
    else:
        with pytest.raises(IncompleteError, match="belongs to another user"):
            _opened(folder)


@pytest.mark.parametrize("make", [lambda path: path.symlink_to(path.parent), lambda path: path.write_text("")])
def test_what_is_no_folder_is_refused(tmp_path, make):
    make(tmp_path / "f")
    with pytest.raises(IncompleteError, match="belongs to another user"):
        _opened(tmp_path / "f")


def test_of_all_that_make_lock_and_remove_a_folder_one_holds_it_at_a_time(tmp_path):
    folder, holders = tmp_path / "pool", []

    def hold(_):
        for _ in range(300):
            lock = _locked(folder)
            try:
                holders.append(lock)
                assert (len(holders), os.fstat(lock).st_ino) == (1, folder.stat().st_ino)
                holders.pop()
                _remove(folder)
            finally:
                os.close(lock)
            _remove_unheld(folder)  # another job looks for what was left

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(hold, range(4))) == [None] * 4


def test_a_pool_that_cannot_be_started_at_once_is_started_later(monkeypatch, tmp_path):
    failures = [OSError(12, "Cannot allocate memory")] * 2

    class Host:
        path = str(tmp_path / "there")

        def __init__(self, size):
            if failures:
                raise failures.pop()

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(node_sandbox, "HostSupervisor", Host)
    monkeypatch.setattr(node_sandbox, "RETRY_S", 0.01)
    pool = NodeSandbox(tmp_path / "pool", 1)
    wait_for(pool.path.is_symlink)
    assert str(pool.path.readlink()) == Host.path
    pool.close()
    pool._thread.join()


@pytest.mark.parametrize("shares", [1, 2, 3])
def test_the_last_of_a_folder_removes_it_and_those_before_leave_the_pool_to_the_next(monkeypatch, tmp_path, shares):
    class Host:
        def __init__(self, size):
            self.path = f"/nowhere/{size}"

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    monkeypatch.setattr(node_sandbox, "HostSupervisor", Host)
    folder, left = tmp_path / "pool", [NodeSandbox(tmp_path / "pool", size) for size in range(shares)]
    while left:
        wait_for((folder / "socket").is_symlink)
        _remove_unheld(folder)  # another job looks for what was left
        name = (folder / "socket").readlink().name
        holder = next(one for one in left if str(one.size) == name)
        left.remove(holder)
        holder.close()
        holder._thread.join()
    wait_for(lambda: not folder.exists())


def test_a_job_removes_what_killed_holders_left_and_nothing_else(monkeypatch, tmp_path):
    own = f"rewardkit-ray-{os.getuid()}"
    for name in (f"{own}-01-a", f"{own}-02-b", f"{own}-03-c", "rewardkit-ray-999999-01-a", "other"):
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / "socket").symlink_to("/nowhere")
    (tmp_path / f"{own}-03-c" / "of somebody").write_text("")
    held = os.open(tmp_path / f"{own}-02-b", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    context = SimpleNamespace(get_node_id=lambda: "b" * 40, get_job_id=lambda: "07")
    monkeypatch.setattr(node_sandbox.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(NodeSandbox, "__init__", lambda *_, **__: None)
    NodeSandbox.of_actor(SimpleNamespace(get_runtime_context=lambda: context, nodes=list))
    os.close(held)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [f"{own}-02-b", f"{own}-03-c", "rewardkit-ray-999999-01-a", "other"]
    )
    assert (tmp_path / f"{own}-03-c" / "of somebody").exists()
