import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"torch", "sympy", "docker", "pandas", "datasets", "numpy", "rich", "fastapi", "ray", "pyarrow", "flint"}


def _python(code: str, *options: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, cwd=cwd, check=False, timeout=60
    )


@pytest.mark.parametrize("package", ["rewardkit", "sandboxes", "harness", "trainers"])
def test_import_is_light(package: str) -> None:
    done = _python(f"import {package}, sys; print(*sorted(set(sys.modules) & {HEAVY!r}))")
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_every_public_name_exists_and_is_sorted() -> None:
    import rewardkit

    assert list(rewardkit.__all__) == sorted(rewardkit.__all__)
    assert all(hasattr(rewardkit, name) for name in rewardkit.__all__)


def test_a_folder_of_the_users_that_hides_ours_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "sandboxes").mkdir()
    (tmp_path / "sandboxes" / "__init__.py").write_text("")
    script = "from rewardkit.guard import import_ours; import_ours('sandboxes')"
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
