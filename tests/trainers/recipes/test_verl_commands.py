"""Each printed verl command, validated as verl does it at its start. CI runs this for each version that docs/verl.md promises."""

import string

import pytest

pytest.importorskip("verl")
import verl

from rewardkit import UsageError
from trainers.recipes import verl_config, verl_schema
from trainers.recipes.base import Data
from trainers.tiny import tiny_model, tiny_tokenizer

from .test_recipes import recipe

pytestmark = pytest.mark.trainer
COMMANDS = {"grpo_tcr": ["verl_sft", "verl"], "dapo_math": ["verl", "verl_validation"]}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model that verl can load: making its model configuration reads tokenizer and weights' configuration."""
    path = str(tmp_path_factory.mktemp("model"))
    tokenizer = tiny_tokenizer(
        ("user", "assistant", "system", "tool"), "".join(c for c in string.printable if c not in "\r\x0b\x0c")
    )
    tokenizer.save_pretrained(path)
    tiny_model(tokenizer, hidden=32).save_pretrained(path)
    return path


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_starts_as_far_as_verl_goes_without_a_gpu(name, model, tmp_path, capsys):
    config = recipe(name).config
    sections = verl_config.sections(
        config, {"train": "t.parquet", "validation": "v.parquet", "sft": "s.parquet"}, model, tmp_path
    )
    assert list(sections) == COMMANDS[name]
    for section, items in sections.items():
        line = verl_schema.validate(section, items, model)
        with capsys.disabled():
            print(f"\nverl {verl.__version__}: {name} {section}: {line}")
        assert "dataclasses made" in line
        if section != "verl_sft":
            assert f"it will train on {recipe(name).reward.text}" in line


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("+actor_rollout_ref.rollout.val_kwargs.max_tokens", 31744, "max_tokens"),  # composes, and fails when made
        ("actor_rollout_ref.actor.no_such_key", 1, "no_such_key"),
        ("actor_rollout_ref.actor.use_dynamic_bsz", False, "micro_batch_size"),  # then a size must be said
    ],
)
def test_what_verl_refuses_is_found_before_a_gpu_is_paid_for(key, value, reason, model, tmp_path):
    config = recipe("dapo_math").config
    config["verl"][key] = value
    with pytest.raises(UsageError, match=reason):
        verl_config.check(config, Data([], []), model, tmp_path)
