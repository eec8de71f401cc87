"""The adapter inside the real verl: its registry, its reward managers, its reward loop, its tool agent loop, on a CPU."""

import asyncio
import os
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("verl")
import numpy as np
import torch
import verl as verl_package
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from rewardkit.trainers.verl_manager import RewardkitManager
from tensordict import TensorDict
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import DictConfigWrap, ToolListWrap
from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.experimental.reward_loop import RewardLoopManager, RewardLoopWorker, migrate_legacy_reward_impl
from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls
from verl.tools.tool_registry import load_all_tools
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.reward_manager import get_reward_manager_cls as get_legacy_manager_cls
from verl.workers.rollout.replica import TokenOutput

from rewardkit import UsageError
from sandboxes import Execution
from sandboxes.backends.fake import FakeSandbox
from trainers.tiny import tiny_tokenizer
from trainers.verl import compute_score_batch
from trainers.verl_tools import TOOL_CONFIG

pytestmark = pytest.mark.trainer

CONFIG = str(Path(verl_package.__file__).parent / "trainer" / "config")
FILE = str(Path(__file__).parents[2] / "trainers" / "verl.py")
TCR = "tool_call(dapo_math)"
MANAGER = [
    "reward.reward_manager.source=importlib",
    "reward.reward_manager.name=RewardkitManager",
    "reward.reward_manager.module.path=pkg://rewardkit.trainers.verl_manager",
]
OVERLONG = [
    "+reward.reward_kwargs.max_resp_len=64",
    "+reward.reward_kwargs.overlong_buffer_cfg={enable: true, len: 16, penalty_factor: 1.0, log: false}",
]
# a right answer; then wrong ones after 2, 6, 16 turns, and a long one: (text, turns, tokens)
ROLLOUTS = [
    ("\\boxed{2}", 2, 20),
    ("\\boxed{3}", 2, 20),
    ("\\boxed{3}", 6, 20),
    ("\\boxed{3}", 16, 20),
    ("\\boxed{3}", 2, 60),
]


@pytest.fixture(scope="module")
def tokenizer_dir(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokenizer")
    words = ("<think>", "</think>", "<tool_call>", "</tool_call>", "user", "assistant", "tool")
    tiny_tokenizer(words, "".join(c for c in string.printable if c not in "\r\x0b\x0c")).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def tokenizer(tokenizer_dir):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(tokenizer_dir)


def configured(tokenizer_dir, *overrides):
    with initialize_config_dir(CONFIG, version_base=None):
        config = compose(
            "ppo_trainer",
            overrides=[f"actor_rollout_ref.model.path={tokenizer_dir}", "reward.num_workers=1", *overrides],
        )
    return migrate_legacy_reward_impl(config)


def function(name, *, path="pkg://rewardkit.verl", reward=TCR):
    return [
        f"reward.custom_reward_function.path={path}",
        f"reward.custom_reward_function.name={name}",
        f"+reward.custom_reward_function.reward_kwargs.reward={reward!r}",
    ]


def batch(tokenizer, rollouts=ROLLOUTS, *, turns=True, **columns):
    """What verl's rollout leaves: left-padded prompts, right-padded responses, one row a rollout."""
    width = 64
    prompt, pad = tokenizer("1+1")["input_ids"], tokenizer.pad_token_id
    responses = torch.full((len(rollouts), width), pad)
    mask = torch.zeros((len(rollouts), width), dtype=torch.long)
    for row, (text, _, tokens) in enumerate(rollouts):
        ids = tokenizer(" " * (tokens - len(tokenizer(text)["input_ids"])) + text)["input_ids"]
        responses[row, : len(ids)] = torch.tensor(ids)
        mask[row, : len(ids)] = 1
    prompts = torch.tensor([prompt] * len(rollouts))
    attention = torch.cat([torch.ones_like(prompts), mask], dim=1)
    tensors = TensorDict(
        {"prompts": prompts, "responses": responses, "attention_mask": attention}, batch_size=len(rollouts)
    )
    facts = {
        "data_source": ["deepscaler"] * len(rollouts),
        "reward_model": [{"ground_truth": "2", "style": "rule"} for _ in rollouts],
        "extra_info": [{"index": row} for row in range(len(rollouts))],
        **({"__num_turns__": [turn for _, turn, _ in rollouts]} if turns else {}),
        **columns,
    }
    return DataProto(tensors, {name: np.array(values, dtype=object) for name, values in facts.items()})


def rewards(tokenizer_dir, data, *overrides):
    async def run():
        outputs = await RewardLoopWorker(configured(tokenizer_dir, *overrides)).compute_score_batch(data)
        return [round(float(output["reward_score"]), 6) for output in outputs], [
            o["reward_extra_info"] for o in outputs
        ]

    return asyncio.run(run())


@pytest.mark.parametrize("path", ["pkg://rewardkit.verl", "pkg://trainers.verl", FILE, f"file://{FILE}"])
@pytest.mark.parametrize("name", ["compute_score", "compute_score_async"])
def test_compute_score_under_verls_naive_manager(tokenizer_dir, tokenizer, path, name):
    values, facts = rewards(tokenizer_dir, batch(tokenizer), *function(name, path=path))
    assert values == [1.0, -1.0, -0.8, -0.6, -1.0]
    assert [row["acc"] for row in facts] == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_verls_dapo_manager_hides_the_turns_and_we_say_so_instead_of_guessing(tokenizer_dir, tokenizer):
    dapo = ["reward.reward_manager.name=dapo", *OVERLONG]
    values, facts = rewards(tokenizer_dir, batch(tokenizer), *dapo, *function("compute_score"))
    assert [row["unjudged"] for row in facts] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert values == [1.0, -1.0, -1.0, -1.0, -1.75]  # as wrong answers: a count that we lost never pays
    assert "turn" in facts[1]["reason"]


def test_the_published_constant_of_the_tool_term_comes_out_with_the_option(tokenizer_dir, tokenizer):
    dapo = ["reward.reward_manager.name=dapo", *OVERLONG]
    seed = [
        *function("compute_score")[:2],
        "+reward.custom_reward_function.reward_kwargs.reward=\"tool_call(dapo_math, missing='seed')\"",
    ]
    values, _ = rewards(tokenizer_dir, batch(tokenizer), *dapo, *seed)
    assert values == [1.0, -1.1, -1.1, -1.1, -1.85]
    ours = [
        "+reward.reward_kwargs.reward=\"tool_call(dapo_math, missing='seed')\"",
        "+reward.reward_kwargs.pass_num_turns=false",
    ]
    assert rewards(tokenizer_dir, batch(tokenizer), *MANAGER, *OVERLONG, *ours)[0] == values


def test_our_manager_has_turns_and_the_overlong_term(tokenizer_dir, tokenizer):
    values, facts = rewards(
        tokenizer_dir, batch(tokenizer), *MANAGER, *OVERLONG, f"+reward.reward_kwargs.reward={TCR!r}"
    )
    assert values == [1.0, -1.0, -0.8, -0.6, -1.75]
    assert [row["score"] for row in facts] == pytest.approx([1.0, -1.0, -0.8, -0.6, -1.0])
    assert [row["part_overlong"] for row in facts] == [0.0, 0.0, 0.0, 0.0, -0.75]
    assert [row["num_turns"] for row in facts] == [2.0, 2.0, 6.0, 16.0, 2.0]


def test_our_manager_takes_the_reward_of_a_custom_function_too(tokenizer_dir, tokenizer):
    values, _ = rewards(tokenizer_dir, batch(tokenizer), *MANAGER, *function("compute_score"))
    assert values == [1.0, -1.0, -0.8, -0.6, -1.0]


def test_rollouts_of_one_prompt_do_not_overwrite_each_others_turns(tokenizer_dir, tokenizer):
    """They share one `extra_info` dict. verl's naive manager writes `num_turns` into it, then awaits."""
    shared = {"index": 0}
    data = batch(tokenizer, extra_info=[shared] * len(ROLLOUTS))
    assert rewards(tokenizer_dir, data, *MANAGER, f"+reward.reward_kwargs.reward={TCR!r}")[0] == [
        1.0,
        -1.0,
        -0.8,
        -0.6,
        -1.0,
    ]
    assert shared == {"index": 0}


def test_tool_facts_reach_the_columns_and_keys_are_one_schema(tokenizer_dir, tokenizer):
    fields = [{"tool_calls": 3, "tool_failures": 1}, {}, None, {"tool_calls": 1}, {}]
    truths = [{"ground_truth": "2"}, {"ground_truth": None}, {}, {"ground_truth": "2"}, {"ground_truth": "2"}]
    sources = ["a", "b", "a", "c", "c"]
    data = batch(tokenizer, tool_extra_fields=fields, reward_model=truths, data_source=sources)
    values, facts = rewards(tokenizer_dir, data, *MANAGER, f"+reward.reward_kwargs.reward={TCR!r}")
    assert len({tuple(row) for row in facts}) == 1
    assert all(isinstance(value, (float, str)) for row in facts for value in row.values())
    assert [row["tool_calls"] for row in facts] == [3.0, 0.0, 0.0, 1.0, 0.0]
    assert [row["unjudged"] for row in facts] == [0.0, 1.0, 1.0, 0.0, 0.0]
    assert values[1] == -1.0


def test_a_judgement_that_hangs_is_given_up(tokenizer_dir, tokenizer, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import time\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "from rewardkit import SampleReward, Score\n"
        "@dataclass(frozen=True)\nclass Slow(SampleReward):\n    name: ClassVar[str] = 'slow'\n"
        "    def grade(self, sample):\n        time.sleep(3)\n        return Score.of(1.0)\n"
    )
    options = [f"+reward.reward_kwargs.reward='{slow}:Slow'", "+reward.reward_kwargs.judging_limit_s=0.05"]
    _, facts = rewards(tokenizer_dir, batch(tokenizer, ROLLOUTS[:1]), *MANAGER, *options)
    assert facts[0]["reason"] == "no judgement within 0.05 s"


def test_legacy_configuration_keys_are_migrated_by_verl(tokenizer_dir, tokenizer):
    legacy = [
        "custom_reward_function.path=pkg://rewardkit.verl",
        "custom_reward_function.name=compute_score",
        f"+custom_reward_function.reward_kwargs.reward={TCR!r}",
    ]
    assert rewards(tokenizer_dir, batch(tokenizer), *legacy)[0] == [1.0, -1.0, -0.8, -0.6, -1.0]


def documented():
    """The overrides in the shell blocks of docs/verl.md, as a shell reads them."""
    page = (Path(__file__).parents[2] / "docs/verl.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = []
    for block in blocks:
        arguments = block.replace("python -m verl.trainer.main_ppo ...", "")
        command = ["bash", "-c", f"printf '%s\\0' {arguments}"]
        words = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path})
        found.append([word for word in words.stdout.split("\0") if word])
    return found


def test_the_lines_of_the_page_are_accepted_and_do_what_it_says(tokenizer_dir, tokenizer):
    function, manager, published, tools = documented()
    data = batch(tokenizer, [("<think>1+1</think>\\boxed{2}", 2, 0), ("\\boxed{3}", 2, 0)])  # 0: no blanks in front
    assert rewards(tokenizer_dir, data, *function)[0] == [1.1, 0.0]
    assert rewards(tokenizer_dir, batch(tokenizer), *manager)[0] == [1.0, -1.0, -0.8, -0.6, -1.0]
    assert rewards(tokenizer_dir, batch(tokenizer), *published)[0] == [1.0, -1.1, -1.1, -1.1, -1.1]
    rollout = configured(tokenizer_dir, *tools).actor_rollout_ref.rollout
    assert (rollout.mode, rollout.multi_turn.tool_config_path) == ("async", str(TOOL_CONFIG))


def test_a_wrong_configuration_is_said_at_the_start(tokenizer_dir):
    nothing = configured(tokenizer_dir, *MANAGER)
    with pytest.raises(UsageError, match="name the reward"):
        RewardLoopWorker(nothing)
    text = f"{TCR} + overlong"
    twice = configured(tokenizer_dir, *MANAGER, *OVERLONG, f"+reward.reward_kwargs.reward={text!r}")
    with pytest.raises(UsageError, match="has an overlong term already"):
        RewardLoopWorker(twice)


def test_the_manager_is_registered_by_name():
    assert get_reward_manager_cls("rewardkit") is RewardkitManager


def test_verls_legacy_batch_manager(tokenizer):
    manager = get_legacy_manager_cls("batch")(
        tokenizer, 0, compute_score_batch, reward="exact(tag='boxed') + 0.1 * think_format"
    )
    result = manager(batch(tokenizer), return_dict=True)
    assert result["reward_tensor"].sum(dim=1).tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert result["reward_extra_info"]["acc"] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert {len(column) for column in result["reward_extra_info"].values()} == {5}


def test_the_reward_loop_under_ray(tokenizer_dir, tokenizer):
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _system_config={"worker_niceness": 0})
    try:
        options = [*MANAGER, *OVERLONG, f"+reward.reward_kwargs.reward={TCR!r}"]
        result = RewardLoopManager(configured(tokenizer_dir, *options)).compute_rm_score(batch(tokenizer))
    finally:
        ray.shutdown()
    assert result.batch["rm_scores"].sum(dim=1).tolist() == pytest.approx([1.0, -1.0, -0.8, -0.6, -1.75])
    assert list(result.non_tensor_batch["acc"]) == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert "part_overlong" in result.meta_info["reward_extra_keys"]


class ScriptedServer:
    """Stands for the inference server: `rounds` tool calls, then the answer."""

    def __init__(self, tokenizer, rounds):
        call = '<tool_call>{"name": "code_interpreter", "arguments": {"code": "print(1+1)"}}</tool_call>'
        self.turns = [call] * rounds + ["\\boxed{3}"]
        self.tokenizer = tokenizer

    async def generate(self, **_request):
        ids = self.tokenizer(self.turns.pop(0))["input_ids"]
        return TokenOutput(token_ids=[*ids, self.tokenizer.eos_token_id])


@pytest.mark.parametrize(("rounds", "reward"), [(0, -1.0), (1, -0.9), (3, -0.7), (6, -0.6)])
def test_the_tool_agent_loop_with_our_tool_and_our_manager(tokenizer_dir, tokenizer, rounds, reward):
    config = configured(
        tokenizer_dir,
        *MANAGER,
        f"+reward.reward_kwargs.reward={TCR!r}",
        "actor_rollout_ref.rollout.prompt_length=1024",
        "actor_rollout_ref.rollout.response_length=2048",
        "actor_rollout_ref.rollout.multi_turn.format=hermes",
        "actor_rollout_ref.rollout.multi_turn.max_tool_response_length=4096",
        f"actor_rollout_ref.rollout.multi_turn.tool_config_path={TOOL_CONFIG}",
    )
    tools = load_all_tools(str(TOOL_CONFIG), None)
    box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"2\n"))
    tools[0].interpreter.box = box

    async def rollout():
        loop = ToolAgentLoop(
            trainer_config=DictConfigWrap(config),
            server_manager=ScriptedServer(tokenizer, rounds),
            tokenizer=tokenizer,
            processor=None,
            dataset_cls=RLHFDataset,
            data_config=DictConfigWrap(config.data),
            tools=ToolListWrap(tools),
        )
        return await loop.run({}, raw_prompt=[{"role": "user", "content": "1+1"}])

    output = asyncio.run(rollout())
    assert [job.program for job in box.seen] == ["print(1+1)"] * rounds
    assert output.num_turns == 2 * rounds + 2
    assert tokenizer.decode(output.response_ids).count("<|im_start|>tool\n2") == rounds
    data = batch(tokenizer, [("\\boxed{3}", output.num_turns, 20)], tool_extra_fields=[output.extra_fields])
    values, facts = rewards(tokenizer_dir, data, *MANAGER, f"+reward.reward_kwargs.reward={TCR!r}")
    assert values == [reward]
    assert facts[0]["tool_calls"] == rounds


def test_the_tool_yaml_is_a_verl_tool_configuration():
    tool = OmegaConf.load(TOOL_CONFIG).tools[0]
    (loaded,) = load_all_tools(str(TOOL_CONFIG), None)
    assert loaded.name == tool.tool_schema.function.name == "code_interpreter"
    assert (loaded.interpreter.sandbox, loaded.interpreter.cpu_s) == ("auto", 10)


@pytest.mark.parametrize("parameters", [{}, {"code": 1}, {"code": None}, "not json", '{"code": 1}', ["x"], None])
def test_a_tool_call_without_a_program_is_told_so(parameters):
    (tool,) = load_all_tools(str(TOOL_CONFIG), None)
    response, reward, metrics = asyncio.run(tool.execute("id", parameters))
    assert response.text.startswith("Error: give the program")
    assert (reward, metrics) == (None, {"tool_failed": 1.0})
