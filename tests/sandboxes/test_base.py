"""Jobs, limits and facts."""

import asyncio

import pytest
from pydantic import ValidationError

from sandboxes import Execution, Job, Limits, SandboxError, SandboxLost, SandboxUnavailable, open_sandbox
from sandboxes.backends.fake import FakeSandbox


def test_the_wall_limit_follows_the_cpu_limit_unless_it_is_set():
    assert Limits(cpu_s=3).deadline_s == 7
    assert Limits(cpu_s=3, wall_s=4).deadline_s == 4


@pytest.mark.parametrize("path", ["/etc/passwd", "../up", "a/../../up", "", ".", "a\0b"])
def test_a_file_that_leads_outside_is_refused(path):
    with pytest.raises(ValidationError, match="stay inside"):
        Job(program="", files={path: "x"})


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"exit_code": 3}, "exit code 3"),
        ({"limit": "memory", "signal": 9}, "memory limit"),
        ({"compile_error": "SyntaxError: x"}, "does not compile: SyntaxError: x"),
        ({"lost": "gone"}, "sandbox lost: gone"),
        ({"error": "ValueError: x", "exit_code": 1}, "ValueError: x"),
        ({"signal": 64}, "killed by SIGRTMAX"),
        ({"signal": 99}, "killed by signal 99"),
    ],
)
def test_an_end_is_told_in_words(facts, words):
    assert Execution(**facts).describe() == words


def test_a_lost_run_raises_when_asked():
    with pytest.raises(SandboxLost, match="rewardkit doctor"):
        Execution(lost="box died").raise_if_lost()
    assert Execution(exit_code=0).raise_if_lost().finished


def test_errors_survive_pickle():
    import pickle

    error = pickle.loads(pickle.dumps(SandboxUnavailable("no Docker", cure="install it")))
    assert str(error) == "no Docker; install it"
    assert isinstance(error, SandboxError)
    assert error.cure == "install it"


def test_the_fake_answers_in_order_and_stops_when_told():
    known = {"1": Execution(exit_code=0, stdout=b"one"), "2": Execution(exit_code=0, stdout=b"two")}
    box = FakeSandbox(lambda job: known.get(str(job.stdin), Execution(exit_code=1)))
    jobs = [Job(program="", stdin=text) for text in ("1", "2", "3", "1")]
    assert [facts.exit_code for facts in box.run(jobs)] == [0, 0, 1, 0]
    assert len(box.run(jobs, stop=lambda index, facts: not facts.finished)) == 3
    assert [facts.stdout for facts in asyncio.run(box.run_async(jobs[:2]))] == [b"one", b"two"]


def test_a_closed_sandbox_says_so():
    box = FakeSandbox(lambda job: Execution())
    box.close()
    with pytest.raises(SandboxError, match="is closed"):
        box.run([Job(program="")])


def test_an_unknown_sandbox_lists_the_known_ones():
    with pytest.raises(SandboxUnavailable, match="choose one of: docker, local"):
        open_sandbox("podrun")


def test_no_docker_is_one_line_with_the_cure(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(SandboxUnavailable, match=r"does not answer .*; install and start Docker"):
        open_sandbox("docker")


def test_auto_with_nothing_at_hand_names_every_reason_and_the_cure(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match=r"docker: .*local: .*bubblewrap is not installed.*--sandbox unsafe"):
        open_sandbox("auto")
