"""Reports: written beside and renamed, so that a reader sees the old one or the new one, whole."""

import errno
import os
import stat
from pathlib import Path

import pytest

from rewardkit.data.formats import COMPRESSED, NOT_READ, SUFFIXES
from rewardkit.errors import IncompleteError, UsageError
from rewardkit.store import check_report, check_reports, files, write_whole


def test_a_report_is_replaced_in_one_step_and_keeps_its_mode_and_links(tmp_path: Path) -> None:
    page, link, hard = tmp_path / "page.html", tmp_path / "link.html", tmp_path / "hard.html"
    page.write_text("older")
    page.chmod(0o640)
    link.symlink_to(page)
    os.link(page, hard)
    write_whole(link, "newer")
    assert link.is_symlink()
    assert (page.read_text(), hard.read_text()) == ("newer", "older")
    assert stat.S_IMODE(page.stat().st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 3


def test_a_failed_write_leaves_the_older_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.html"
    page.write_text("older")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(IncompleteError, match="the disk is full"):
        write_whole(page, "newer")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["older"]


@pytest.mark.parametrize("name", [".", "file/page.html"])
def test_a_place_that_cannot_be_written_is_refused_before_any_work(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError):
        check_report(tmp_path / name, [], overwrite=True)


OTHER_NAMES = [
    "./page.html",
    "new/../page.html",
    "new/more/../../page.html",
    "folder/../page.html",
    "link.html",
    "hard.html",
    "to/page.html",
]
"""Names of `page.html`; there is no folder `new`, and `to` is a link to the folder itself."""


def names_of_a_page(folder: Path) -> Path:
    page = folder / "page.html"
    page.write_text("older")
    (folder / "folder").mkdir()
    (folder / "to").symlink_to(folder)
    (folder / "link.html").symlink_to(page)
    os.link(page, folder / "hard.html")
    return page


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_no_file_is_replaced_unasked_or_while_it_is_read_by_whatever_name(name: str, tmp_path: Path) -> None:
    page, other = names_of_a_page(tmp_path), Path(f"{tmp_path}/{name}")
    with pytest.raises(UsageError, match="exists; replace it with --overwrite"):
        check_report(other, [], overwrite=False)
    with pytest.raises(UsageError, match="is also an input"):
        check_report(other, [page], overwrite=True)
    assert not (tmp_path / "new").exists()
    check_report(other, [], overwrite=True)
    write_whole(other, "newer")
    assert Path(os.path.realpath(other)).read_text() == "newer"


@pytest.mark.parametrize("name", OTHER_NAMES)
@pytest.mark.parametrize("exists", [True, False])
def test_no_two_outputs_of_a_command_are_one_file(name: str, exists: bool, tmp_path: Path) -> None:
    page, other = names_of_a_page(tmp_path), Path(f"{tmp_path}/{name}")
    if not exists:
        page.unlink()
        (tmp_path / "hard.html").unlink()
    if exists or name != "hard.html":
        with pytest.raises(UsageError, match="which the same command writes"):
            check_reports([page, tmp_path / "third.html", other], [], overwrite=True)
    check_reports([page, Path(os.devnull), Path(os.devnull), tmp_path / "third.html"], [], overwrite=True)


@pytest.mark.parametrize("name", ["rows", "rows/page.html", "rows/more/page.html"])
def test_no_output_is_the_folder_of_another(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        check_reports([tmp_path / "rows", tmp_path / name], [], overwrite=True)
    with pytest.raises(UsageError):
        check_reports([tmp_path / name, tmp_path / "rows"], [], overwrite=True)


def test_an_output_that_is_standard_input_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "rows.jsonl"
    path.write_text("{}\n")
    monkeypatch.setattr(files, "_descriptor_id", lambda descriptor: files._id(path.stat()) if descriptor == 0 else None)
    with pytest.raises(UsageError):
        files.check_output(path, ["-"])
    files.check_output(tmp_path / "other.jsonl", ["-"])


@pytest.mark.parametrize("suffix", [suffix for suffix in (*SUFFIXES, *COMPRESSED, *NOT_READ) if "json" not in suffix])
def test_no_file_is_named_like_a_table_or_a_compressed_one_that_it_is_not(suffix: str, tmp_path: Path) -> None:
    for name in (f"rows{suffix}", f"rows.jsonl{suffix.upper()}"):
        with pytest.raises(UsageError, match="JSON lines"):
            files.check_output(tmp_path / name, [])


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (OSError("it broke"), "it broke"),
    ],
)
def test_a_file_that_cannot_be_written_to_its_end_says_why(error: OSError, why: str) -> None:
    assert str(files.unwritable(Path("rows.jsonl"), error)) == f"cannot write rows.jsonl: {why}"
