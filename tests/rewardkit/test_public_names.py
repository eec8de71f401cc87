"""What `import rewardkit` offers: real names for type checkers and editors, imported when they are used."""

import subprocess
import sys

import pytest

import rewardkit
from rewardkit import registry

OURS = {registry.get(name) for name in registry.names() if registry.get(name).__module__.startswith("rewardkit.")}


@pytest.mark.parametrize("cls", sorted(OURS, key=lambda cls: cls.__name__), ids=lambda cls: cls.__name__)
def test_each_registered_reward_is_a_public_name(cls):
    assert getattr(rewardkit, cls.__name__) is cls
    assert cls.__name__ in dir(rewardkit)


@pytest.mark.parametrize("name", ["laod", "Mth", "rewards_", "_private"])
def test_a_misspelt_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=name):
        getattr(rewardkit, name)


@pytest.mark.long
def test_type_checkers_know_each_name_and_refuse_others(tmp_path):
    pytest.importorskip("mypy")
    good = tmp_path / "good.py"
    good.write_text("from rewardkit import Code, Format, Math, Overlong, Sample, load\nreveal_type(Math(wrong=-1.0))\n")
    bad = tmp_path / "bad.py"
    bad.write_text("from rewardkit import laod\nfrom rewardkit import Math\nMath(wrnog=1.0)\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--follow-imports=silent"]
    done = subprocess.run([*command, str(good)], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stdout
    assert "rewardkit.rewards.math.Math" in done.stdout
    done = subprocess.run([*command, str(bad)], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=600)
    assert '"laod"' in done.stdout
    assert "wrnog" in done.stdout
