import base64
import hashlib
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("rewardkit", "sandboxes", "harness", "trainers")
HEAVY = {"torch", "sympy", "docker", "pandas", "datasets", "numpy", "rich", "msgspec", "ray", "pyarrow", "flint"}


def _python(code: str, *options: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, cwd=cwd, check=False, timeout=300
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_import_is_light(package: str) -> None:
    done = _python(f"import {package}, sys; print(*sorted(set(sys.modules) & {HEAVY!r}))")
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_the_command_that_scores_waits_with_ray_and_the_sandboxes_until_they_are_asked_for() -> None:
    done = _python("import rewardkit.cli.score, sys; print(*sorted({'rewardkit.ray', 'sandboxes'} & set(sys.modules)))")
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_rewards_are_loaded_and_run_without_pydantic_until_an_option_is_checked() -> None:
    """Pydantic is two thirds of what importing the core costs; `import rewardkit` loads nothing from outside the standard library."""
    code = """
import sys
before = set(sys.modules)
import rewardkit
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(new - set(sys.stdlib_module_names)))
rewardkit.load("exact").score([rewardkit.Sample(completion="1", ground_truth="1")])
print("pydantic" in sys.modules)
rewardkit.load("exact(ignore_case=True)")
print("pydantic" in sys.modules)
"""
    done = _python(code)
    assert (done.returncode, done.stdout.split()) == (0, ["rewardkit", "False", "True"]), done.stderr


def test_an_unknown_name_is_an_attribute_error_and_star_imports_what_is_public() -> None:
    import rewardkit

    with pytest.raises(AttributeError, match="no attribute 'Smaple'"):
        _ = rewardkit.Smaple  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="Smaple"):
        exec("from rewardkit import Smaple", {})
    names: dict[str, object] = {}
    exec("from rewardkit import *", names)
    assert set(rewardkit.__all__) <= set(names)
    assert set(rewardkit.__all__) <= set(dir(rewardkit))


@pytest.mark.parametrize("module", ["text", "registry", "rewards.math", "cli.score", "run", "types", "math", "code"])
def test_any_module_can_be_the_first_one_imported(module: str) -> None:
    done = _python(f"import importlib; importlib.import_module('rewardkit.{module}')")
    assert done.returncode == 0, done.stderr


def test_every_public_name_exists_and_is_sorted() -> None:
    import rewardkit

    assert list(rewardkit.__all__) == sorted(rewardkit.__all__)
    assert all(hasattr(rewardkit, name) for name in rewardkit.__all__)


def test_a_folder_of_the_users_that_hides_ours_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "sandboxes").mkdir()
    (tmp_path / "sandboxes" / "__init__.py").write_text("")
    script = "from rewardkit.import_guard import import_ours; import_ours('sandboxes')"
    hidden = _python(f"import sys; sys.path.insert(0, '.'); {script}", cwd=tmp_path)
    assert hidden.returncode != 0
    assert "python -P" in hidden.stderr
    assert str(tmp_path) in hidden.stderr
    (tmp_path / "train.py").write_text(script)
    assert subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, check=False).returncode != 0
    assert (
        subprocess.run([sys.executable, "-P", "train.py"], cwd=tmp_path, capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.long
def test_a_package_overwritten_by_another_distribution_is_named_with_the_fix(tmp_path: Path) -> None:
    """Two distributions with a package of one name share its folder: the later installation wins without a word."""
    import rewardkit

    root = Path(rewardkit.__file__).resolve().parents[1]
    for package in PACKAGES:
        shutil.copytree(root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    installed = tmp_path / "harness" / "__init__.py"
    digest = base64.urlsafe_b64encode(hashlib.sha256(installed.read_bytes()).digest()).rstrip(b"=").decode()
    for name, record in {"rewardkit": f"sha256={digest},{installed.stat().st_size}", "other": ","}.items():
        metadata = tmp_path / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "RECORD").write_text(f"harness/__init__.py,{record}\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from rewardkit.import_guard import *"
    checks = f"{code}; print(overwritten_files()); import_ours('harness')"
    assert _python(checks, cwd=tmp_path).stdout.strip() == "[]"
    installed.write_text("")
    done = _python(checks, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (1, "['harness/__init__.py']"), done.stderr
    assert "pip uninstall other, then pip install --force-reinstall --no-deps rewardkit\n" in done.stderr
    record = tmp_path / "rewardkit-1.0.dist-info" / "direct_url.json"
    for url, source in {"file:///code": "file:///code", "https://host/code": "git+https://host/code"}.items():
        facts = {"url": url, **({"vcs_info": {"vcs": "git"}} if "+" in source else {})}
        record.write_text(json.dumps(facts))
        assert f"--no-deps {source}\n" in _python(checks, cwd=tmp_path).stderr
    command = [sys.executable, "-m", "rewardkit.harness", "tasks", "--path"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n"), done.stderr.partition(":")[0]) == (2, 1, "error"), done.stderr


@pytest.mark.parametrize("command", [["-m", "rewardkit", "harness"], ["-m", "rewardkit.harness"]])
def test_the_harness_runs_under_names_that_cannot_clash(command: list[str]) -> None:
    done = subprocess.run([sys.executable, *command, "tasks", "--path"], capture_output=True, text=True, check=False)
    assert (done.returncode, Path(done.stdout.strip()).name) == (0, "tasks"), done.stderr


@pytest.fixture
def folder_with_our_names(tmp_path: Path) -> Path:
    for name in ("sandboxes", "harness", "trainers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise AssertionError('not ours')")
    return tmp_path


@pytest.mark.parametrize("command", [["-m", "rewardkit", "harness"], ["-m", "rewardkit.harness"]])
def test_commands_run_in_a_folder_that_has_packages_of_our_names(
    command: list[str], folder_with_our_names: Path
) -> None:
    done = subprocess.run(
        [sys.executable, *command, "tasks", "--path"],
        capture_output=True, text=True, check=False, cwd=folder_with_our_names,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert folder_with_our_names not in Path(done.stdout.strip()).parents


def test_modules_of_the_harness_run_in_such_a_folder(folder_with_our_names: Path) -> None:
    command = [sys.executable, "-m", "rewardkit.harness.fake_server", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder_with_our_names)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "from rewardkit.verl import compute_score; assert compute_score('', '2', '2', reward='exact')['score'] == 1",
        "from rewardkit.trl import reward_funcs; assert reward_funcs('exact')[0](completions=['2'], answer=['2']) == [1]",
        "import pickle, rewardkit.trainers.scorer as s; assert pickle.loads(pickle.dumps(s.Scorer('exact')))(['2'], answer=['2']) == [1]",
    ],
)
def test_trainers_are_found_under_our_name_where_a_folder_hides_them(code: str, folder_with_our_names: Path) -> None:
    shutil.rmtree(folder_with_our_names / "sandboxes")  # the guard names that one; it has no second name
    done = _python(f"import sys; sys.path.insert(0, '.'); {code}", cwd=folder_with_our_names)
    assert done.returncode == 0, done.stderr


def test_modules_of_trainers_are_one_module_under_either_name() -> None:
    root = Path(importlib.import_module("trainers").__file__ or "").parent
    names = [
        ".".join(path.relative_to(root.parent).with_suffix("").parts)
        for path in root.rglob("*.py")
        if not path.name.startswith("__")
    ]
    code = f"""
import importlib, random
for name in random.sample({sorted(names)}, {len(names)}):
    first, second = random.sample([name, 'rewardkit.' + name], 2)
    try:
        one = importlib.import_module(first)
    except ImportError:  # it needs a trainer that is not installed
        continue
    assert one is importlib.import_module(second), name
    assert one.__spec__.name == one.__name__ == 'rewardkit.' + name, name
"""
    done = _python(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["trl", "verl"])
def test_short_names_of_trainers_have_all_their_public_names(name: str) -> None:
    short, module = importlib.import_module(f"rewardkit.{name}"), importlib.import_module(f"rewardkit.trainers.{name}")
    assert {key: getattr(short, key) for key in module.__all__} == {key: getattr(module, key) for key in module.__all__}
