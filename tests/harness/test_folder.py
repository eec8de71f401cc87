"""The folder that a run is written to: what is refused, and that refusing changes nothing."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness import folder as folder_module
from harness.folder import MIN_FREE_BYTES, new_run, writable
from harness.store import read_run
from rewardkit.errors import UsageError


@pytest.mark.parametrize(("free", "fits"), [(MIN_FREE_BYTES, True), (MIN_FREE_BYTES - 1, False)])
def test_a_disk_that_is_all_but_full_is_refused_with_its_room(tmp_path, monkeypatch, free, fits):
    monkeypatch.setattr(folder_module.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    if fits:
        writable(tmp_path)
    else:
        with pytest.raises(UsageError, match=r"-o .* has 63 MB free; a run needs at least 64 MB"):
            writable(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["-o", "--clean"])
def test_a_folder_that_is_not_there_is_named(tmp_path, option):
    with pytest.raises(UsageError, match=rf"cannot write to {option} .*none: No such file"):
        writable(tmp_path / "none", option=option)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("name_of", [Path, Path.absolute, lambda path: Path(os.path.relpath(path))])
@pytest.mark.parametrize("read", [0, 1])
def test_no_run_takes_the_place_of_one_that_it_is_made_from(run_of, tmp_path, read, name_of, overwrite):
    runs = [read_run(run_of(tmp_path / name, {"a": [True]})) for name in ("x", "y")]
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    with (
        pytest.raises(UsageError, match=r"--clean .* is a run that is read; choose another --clean"),
        new_run(name_of(runs[read].path), made_from=runs, overwrite=overwrite, option="--clean"),
    ):
        pass
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_another_run_is_replaced_only_when_told(run_of, tmp_path):
    other = run_of(tmp_path / "other", {"a": [True]})
    with (
        pytest.raises(UsageError, match="replace it with --overwrite, or choose another -o"),
        new_run(other, made_from=[], overwrite=False),
    ):
        pass
    with new_run(other, made_from=[], overwrite=True):
        pass
