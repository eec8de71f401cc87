"""A reward in processes of its own: the same scores, and no row that can hang or end the caller."""

import gc
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from live import TOY, is_gone, wait_for
from toy import Length, Trouble

import rewardkit
from rewardkit import Isolated, Sample, UsageError, load
from rewardkit.rewards import remote

FINE = Sample(completion="fine")


def samples(*words):
    return [Sample(completion=word) for word in words]


@pytest.mark.parametrize("text", ["math + 0.1 * think_format", "majority", "code_format"])
def test_scores_are_those_of_the_reward(text):
    rows = [Sample(completion=rf"\boxed{{{n % 3}}}", ground_truth="1", prompt="p", group="g") for n in range(9)]
    here, there = load(text).score(rows), load(f"isolated({text}, workers=2)").score(rows)
    assert [(one.value, one.verdict, one.parts) for one in here] == [
        (one.value, one.verdict, one.parts) for one in there
    ]


@pytest.mark.parametrize(
    "fact", [object(), {("a", 1): 1}, [{"image": object()}], {"a": {1: Sample}}, pytest.param(10**5000, id="long")]
)
def test_a_fact_that_has_no_json_form_costs_no_row(fact):
    reward = "length_target(exact, unit='words')"
    rows = [Sample(completion="a b", ground_truth="a b", extra_info={"x": fact, "num_tokens": 2})]
    (here,), (there,) = load(reward).score(rows), load(f"isolated({reward})").score(rows)
    assert (here.value, here.verdict) == (there.value, there.verdict) == (1.0, "correct")
    assert remote._plain(rows[0]) == {
        **remote._plain(Sample(completion="a b", ground_truth="a b")),
        "extra_info": {"num_tokens": 2},
    }
    assert isinstance(remote._plain(Sample(ground_truth=object())), str)


@pytest.mark.long
@pytest.mark.parametrize("word", ["hang", "loop", "die", "crash", "bomb", "stop"])
def test_what_a_row_does_to_its_process_is_not_done_to_the_caller(word):
    reward = load(f"isolated({TOY}:Trouble, row_timeout_s=2)")
    scores = reward.score(samples("fine", word, "fine"))
    assert [score.value for score in scores] == [1.0, None, 1.0]
    assert reward.explain(FINE).score.value == 1.0


@pytest.mark.long
def test_trainers_call_it_as_a_function_and_get_none_for_a_row_that_hangs():
    from trainers import trl

    function = trl.reward_func(Isolated(Trouble(), row_timeout_s=1.0))
    assert function(completions=["fine", "hang", "fine"], prompts=["p"] * 3) == [1.0, None, 1.0]


@pytest.mark.parametrize("by_file", [True, False])
def test_a_function_that_no_process_can_import_is_refused_each_time(by_file, tmp_path):
    program = """
from rewardkit import Isolated, UsageError
if __name__ == "__main__":
    def mine(sample):
        return 1.0
    for _ in range(2):
        try:
            print(Isolated(mine, row_timeout_s=5)(completions=["a"]))
        except UsageError as error:
            print("refused:", error)
"""
    (tmp_path / "own.py").write_text(program)
    command = [sys.executable, str(tmp_path / "own.py")] if by_file else [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert [line.partition(" ")[0] for line in done.stdout.splitlines()] == ["refused:"] * 2, done.stdout


def test_threads_share_its_processes():
    reward = Isolated(Trouble(), workers=2)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: reward.score([FINE])[0].value, range(64)))
    assert found == [1.0] * 64
    assert len(reward._executor().pids) <= 2


def test_its_processes_end_with_it_and_do_not_travel():
    reward = Isolated(Length())
    reward.score([FINE])
    (pid,) = reward._executor().pids
    other = pickle.loads(pickle.dumps(reward))
    assert other == reward
    assert other.__dict__.keys() == {"reward", "row_timeout_s", "workers"}
    del reward
    gc.collect()
    wait_for(lambda: is_gone(pid))


LEFT_OPEN = """
from rewardkit import Sample, load
reward = load({text!r})
assert [score.value for score in reward.score([Sample(completion=word) for word in ("fine", "{word}")])][0] == 1.0
print("end")
"""


@pytest.mark.long
@pytest.mark.parametrize("word", ["fine", "hang"])
def test_a_program_that_uses_it_ends(word):
    program = LEFT_OPEN.format(text=f"isolated({TOY}:Trouble, row_timeout_s=1)", word=word)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == ("end\n", "")


def in_a_fork(reward, answers):
    answers.put(reward.score([FINE])[0].value)


def test_a_fork_of_the_caller_starts_its_own():
    reward = Isolated(Trouble())
    assert reward.score([FINE])[0].value == 1.0
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=in_a_fork, args=(reward, answers))
    child.start()
    assert answers.get(timeout=60) == 1.0
    child.join(60)
    assert child.exitcode == 0
    assert reward.score([FINE])[0].value == 1.0


def test_a_process_that_may_have_no_children_has_its_own_too():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(Isolated(Length()).score, ([FINE],))[0].value == Length().score([FINE])[0].value


@rewardkit.reward
def decorated(completions):
    return [float(len(one)) for one in completions]


def covered(sample):
    return 1.0


inner, covered = covered, None


def test_a_decorated_function_is_handed_to_it():
    assert Isolated(decorated).score([FINE])[0].value == 4.0


@pytest.mark.parametrize("function", [lambda sample: 1.0, inner], ids=["no name", "name of another"])
def test_what_no_process_can_be_handed_is_refused_in_one_sentence(function):
    with pytest.raises(UsageError, match="cannot be handed to a worker process"):
        Isolated(rewardkit.reward(function)).score([FINE])


@pytest.mark.parametrize(("options", "said"), [({"row_timeout_s": 0}, "above 0"), ({"workers": 0}, "1 or more")])
def test_options_out_of_range_are_refused(options, said):
    with pytest.raises(UsageError, match=said):
        Isolated(Trouble(), **options)
