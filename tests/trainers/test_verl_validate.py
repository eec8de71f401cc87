"""verl's own validation, `RayPPOTrainer._validate`, on what our manager returns for its rollouts, on a CPU."""

import asyncio
import string
from types import SimpleNamespace

import pytest

pytest.importorskip("verl")
import numpy as np
import torch
from omegaconf import OmegaConf
from rewardkit.trainers.verl_manager import RewardkitManager
from tensordict import TensorDict
from verl import DataProto
from verl.trainer.ppo.ray_trainer import RayPPOTrainer

from trainers.tiny import tiny_tokenizer

pytestmark = pytest.mark.trainer

WIDTH = 20
CONFIG = {
    "reward": {"reward_kwargs": {"reward": "grpo_tcr"}},
    "actor_rollout_ref": {"rollout": {"val_kwargs": {"n": 1, "do_sample": False}, "agent": {"num_workers": 1}}},
    "trainer": {"validation_data_dir": None, "log_val_generations": 0},
}


def columns(**values):
    return {name: np.array(column, dtype=object) for name, column in values.items()}


class Rollouts:
    """Stands for the rollout and reward workers: each batch holds texts, judged by the manager as verl's agent loop does."""

    def __init__(self, manager, tokenizer, batches):
        self.manager, self.tokenizer, self.batches = manager, tokenizer, list(batches)

    def generate_sequences(self, _prompts):
        texts = self.batches.pop(0)
        rows = [self.tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        pad, size = self.tokenizer.pad_token_id, len(rows)
        responses = torch.tensor([[*ids, *[pad] * (WIDTH - len(ids))] for ids in rows])
        mask = torch.tensor([[1] * (4 + len(ids)) + [0] * (WIDTH - len(ids)) for ids in rows])
        tensors = {"prompts": torch.full((size, 4), 5), "responses": responses, "attention_mask": mask}
        data = DataProto(TensorDict(tensors, batch_size=size), columns(**rows_of(size), __num_turns__=[2] * size))
        judged = [asyncio.run(self.manager.run_single(data[place : place + 1])) for place in range(size)]
        infos = [each["reward_extra_info"] for each in judged]
        scores = torch.zeros(size, WIDTH)
        scores[:, -1] = torch.tensor([each["reward_score"] for each in judged])
        facts = {
            "__num_turns__": np.array([2] * size),
            **{key: np.array([row[key] for row in infos]) for key in infos[0]},
        }
        tensors["rm_scores"] = scores
        return DataProto(TensorDict(tensors, batch_size=size), facts, {"reward_extra_keys": list(infos[0])})


def rows_of(size):
    return {
        "data_source": ["deepscaler"] * size,
        "reward_model": [{"ground_truth": "2"}] * size,
        "extra_info": [{}] * size,
    }


RIGHT, WRONG = "\\boxed{2}", "\\boxed{3}"


@pytest.mark.parametrize(
    "batches", [[[RIGHT, WRONG]], [[RIGHT, RIGHT], [WRONG, WRONG]], [[WRONG], [RIGHT, RIGHT, WRONG]]]
)
def test_validation_ends_with_the_mean_of_each_column(batches):
    tokenizer = tiny_tokenizer(("\\boxed{",), string.printable)
    config = OmegaConf.create(CONFIG)
    trainer = SimpleNamespace(
        val_dataloader=[{"dummy": torch.zeros(len(texts), 1), **columns(**rows_of(len(texts)))} for texts in batches],
        config=config,
        tokenizer=tokenizer,
        global_steps=0,
        use_rm=False,
        async_rollout_manager=Rollouts(RewardkitManager(config, tokenizer), tokenizer, batches),
        _get_gen_batch=lambda data: DataProto(batch=data.batch.clone(), non_tensor_batch={}),
        _maybe_log_val_generations=lambda **_: None,
    )
    trainer._val_metrics_update = lambda *facts: RayPPOTrainer._val_metrics_update(trainer, *facts)
    found = RayPPOTrainer._validate(trainer)
    texts = [text for batch in batches for text in batch]
    right = texts.count(RIGHT) / len(texts)
    assert found["val-core/deepscaler/acc/mean@1"] == pytest.approx(right)
    for name in ("reward", "score"):
        assert found[f"val-aux/deepscaler/{name}/mean@1"] == pytest.approx(2 * right - 1)
