"""Traces and rollouts of the verifiers package: what is judged of them, and what an unjudged one becomes."""

import asyncio
from types import SimpleNamespace

import pytest

from rewardkit import load
from trainers import verifiers

SUM = "exact(tag='boxed') + 0.1 * think_format"
RIGHT = "<think>1+1</think>\\boxed{2}"


class Node:
    """A message of a trace, sampled or given."""

    def __init__(self, role, content):
        self.sampled = role == "assistant"
        self.message = Shown(role=role, content=content)


class Shown:
    """A model of pydantic's, as far as it is read."""

    def __init__(self, **fields):
        self._fields = fields

    def model_dump(self, *, exclude_none, exclude=()):
        return {name: value for name, value in self._fields.items() if name not in exclude and value is not None}


def trace(*nodes, usages=(), truncated=False, root=None):
    used = [
        SimpleNamespace(usage=each and SimpleNamespace(total_tokens=each[0], input_tokens=each[1])) for each in usages
    ]
    branches = [
        SimpleNamespace(nodes=[Node("user", "no")], calls=[]),
        SimpleNamespace(nodes=[Node(*each) for each in nodes], calls=used),
    ]
    return SimpleNamespace(branches=branches if nodes else [], is_truncated=truncated, root_reply=root)


TASK = Shown(prompt="1+1", answer="2", difficulty=None, source="s")


@pytest.mark.parametrize(
    ("made", "completion", "tokens", "finish"),
    [
        (
            trace(
                ("user", "1+1"), ("assistant", "so"), ("tool", "2"), ("assistant", "2"), usages=[(9, 5), None, (20, 12)]
            ),
            "2",
            15,
            "stop",
        ),
        (trace(("user", "1+1"), ("assistant", "2"), truncated=True), "2", None, "length"),
        (trace(("user", "1+1"), ("assistant", "2"), root="root says"), "root says", None, "stop"),
        (trace(("user", "1+1")), "", None, "stop"),
        (trace(), "", None, "stop"),
    ],
)
def test_a_trace_becomes_what_follows_its_prompt_on_the_last_branch(made, completion, tokens, finish):
    sample = verifiers.sample_of(TASK, made)
    assert (sample.ground_truth, sample.finish_reason, sample.tokens) == ("2", finish, tokens)
    assert sample.completion == completion


def test_each_term_of_a_task_reward_is_given_with_its_weight_and_an_unjudged_rollout_is_an_error():
    right = trace(("user", "1+1"), ("assistant", RIGHT))
    assert asyncio.run(verifiers.task_reward(SUM)(TASK, right)) == {"exact": 1.0, "think_format": pytest.approx(0.1)}
    assert asyncio.run(verifiers.task_reward("exact(tag='boxed')")(TASK, right)) == {"exact": 1.0}
    with pytest.raises(verifiers.UnjudgedError, match="exact"):
        asyncio.run(verifiers.task_reward("exact")(Shown(prompt="1+1"), right))


TOOL_CALL = {"id": "1", "name": "calculator", "arguments": '{"expression": "1+1"}'}


ROLLOUTS = {
    "at once": [{"role": "assistant", "content": RIGHT}],
    "reasoning apart": [{"role": "assistant", "content": "\\boxed{2}", "reasoning_content": "1+1"}],
    "after a tool": [
        {"role": "assistant", "content": "", "tool_calls": [TOOL_CALL]},
        {"role": "tool", "tool_call_id": "1", "content": "2"},
        {"role": "assistant", "content": "<think>the tool says 2</think>\\boxed{3}"},
    ],
}


def trace_of(vf, task, rollout, *, finish="stop"):
    """A real trace: one node a message, one call a model turn, as verifiers' interception server leaves it."""
    from pydantic import TypeAdapter

    read = TypeAdapter(vf.Message).validate_python
    messages = [{"role": "user", "content": task.data.prompt}, *rollout]
    nodes = [
        vf.MessageNode(
            parent=index - 1 if index else None, message=read(message), sampled=message["role"] == "assistant"
        )
        for index, message in enumerate(messages)
    ]
    turns = [index for index, node in enumerate(nodes) if node.sampled]
    calls = [
        vf.ModelCall(node=index, finish_reason=finish, usage=vf.Usage(prompt_tokens=5 * index, completion_tokens=9))
        for index in turns
    ]
    return vf.Trace(
        task=vf.TraceTask(type=type(task).__name__, data=task.data), agent=vf.AgentInfo(config=vf.AgentConfig()),
        nodes=nodes, calls=calls,
    )  # fmt: skip


@pytest.fixture
def problem():
    """verifiers 0.4 and a task of its kind, with the reward as a method and `data` as its options."""
    vf = pytest.importorskip("verifiers.v1")

    class ProblemData(vf.TaskData):
        answer: str | None = None

    class Problem(vf.Task[ProblemData]):
        @vf.reward
        async def rewardkit(self, task, trace):
            return await verifiers.task_reward(SUM)(task, trace)

    return vf, Problem, ProblemData


@pytest.mark.trainer
@pytest.mark.parametrize(
    ("rollout", "exact", "think"), [("at once", 1.0, 0.1), ("reasoning apart", 1.0, 0.1), ("after a tool", 0.0, 0.1)]
)
def test_a_task_of_the_real_verifiers_scores_its_trace(problem, rollout, exact, think):
    vf, task_class, data = problem
    task = task_class(data(prompt="1+1", answer="2"))
    trace = trace_of(vf, task, ROLLOUTS[rollout])
    asyncio.run(task.score(trace))
    assert {name: reward.value for name, reward in trace.rewards.items()} == {"exact": exact, "think_format": think}
    assert trace.reward == pytest.approx(exact + think)


@pytest.mark.trainer
def test_what_could_not_be_judged_is_an_error_on_the_trace_not_a_zero(problem):
    vf, task_class, data = problem
    task = task_class(data(prompt="1+1"))
    trace = trace_of(vf, task, ROLLOUTS["at once"])
    with pytest.raises(vf.TaskError, match="UnjudgedError"):
        asyncio.run(task.score(trace))
    assert trace.rewards == {"rewardkit": None}


@pytest.mark.trainer
def test_a_task_of_somebody_else_takes_the_reward_from_its_configuration(problem, tmp_path):
    vf, _, data = problem
    file = tmp_path / "my_rewards.py"
    file.write_text(f"from trainers.verifiers import task_reward\nreward = task_reward({SUM!r})\n")
    config = vf.TaskConfig(rewards={"rewardkit": vf.RewardFunctionConfig(fn=f"{file}:reward")})
    task = vf.Task[data](data(prompt="1+1", answer="2"), config)
    trace = trace_of(vf, task, ROLLOUTS["at once"])
    asyncio.run(task.score(trace))
    assert trace.reward == pytest.approx(1.1)


@pytest.mark.trainer
def test_turns_tokens_and_the_cut_of_a_trace_reach_the_reward(problem):
    vf, task_class, data = problem
    task = task_class(data(prompt="1+1", answer="2", id="a"))
    sample = verifiers.sample_of(task.data, trace_of(vf, task, ROLLOUTS["after a tool"], finish="length"))
    assert (sample.id, sample.ground_truth, sample.finish_reason) == ("a", "2", "length")
    assert sample.tokens == 3 * 5 + 9 - 5
    (score,) = load("tool_call(dapo_math)").score([sample])
    assert score.value == pytest.approx(-0.9)
