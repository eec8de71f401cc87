"""The laws of a run's rows file: nothing lost, nothing twice, nothing of another run, no edit unnoticed."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.errors import IncompleteError, UsageError
from rewardkit.store import LockedError, RunStore, meta, read_meta, resumable, run_store, verify

IDENTITY: dict[str, Any] = {
    "reward": "math",
    "versions": {"math": 4},
    "columns": {"completion": None},
    "inputs": [{"name": "a", "sha256": "0"}],
}


def write(path: Path, count: int, *, finish: bool = True) -> None:
    with RunStore.open(path, identity=IDENTITY) as store:
        for index in range(count):
            store.append([{"id": index, "text": "é" * index}])
        if finish:
            store.finish({"n": count})


def ids(path: Path) -> list[int]:
    return [json.loads(line)["id"] for line in path.read_bytes().splitlines()]


def test_rows_are_on_disk_before_the_meta_file_says_that_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    write(tmp_path / "o.jsonl", 2)
    assert "o.jsonl" in synced[:-1]


@given(rows=st.integers(0, 6), data=st.data())
def test_a_file_cut_anywhere_loses_its_torn_row_alone(
    rows: int, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "o.jsonl"
    write(path, rows, finish=False)
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    seen: list[Any] = []
    with RunStore.open(path, identity=IDENTITY, resume=True, on_row=lambda row: seen.append(row["id"])) as store:
        whole = content[:cut].count(b"\n")
        assert store.rows_before == whole
        assert seen == list(range(whole))
        store.append([{"id": index, "text": "é" * index} for index in range(whole, rows)])
        store.finish()
    assert path.read_bytes() == content
    assert verify(path)["content"]["rows"] == rows


@pytest.mark.parametrize("name", sorted(IDENTITY))
@pytest.mark.parametrize("finish", [True, False])
def test_resume_refuses_whatever_differs_in_identity(name: str, finish: bool, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    write(path, 3, finish=finish)
    before = path.read_bytes(), read_meta(path)
    with pytest.raises(UsageError, match=meta.OPTIONS.get(name, f"another {name.removesuffix('s')}")):
        RunStore.open(path, identity={**IDENTITY, name: "other"}, resume=True)
    assert (path.read_bytes(), read_meta(path)) == before


def test_what_differs_in_a_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    identity = {**IDENTITY, "reward_files": {"./a.py": "1", "./b.py": "2"}}
    with RunStore.open(path, identity=identity) as store:
        store.append([{"id": 0}])
    changed = {**identity, "reward_files": {"./a.py": "1", "./b.py": "3"}}
    with pytest.raises(UsageError, match=r"was made with another reward file \(\./b\.py\);"):
        RunStore.open(path, identity=changed, resume=True)


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("facts", ["", '{"status": "running"}', "notes of my own"])
def test_facts_of_rows_that_are_not_there_are_those_of_another_file(facts: str, resume: bool, tmp_path: Path) -> None:
    path, meta = tmp_path / "o", tmp_path / "o.meta.json"
    write(tmp_path / "o.jsonl", 3)
    meta.write_text(before := facts or meta.read_text())
    with pytest.raises(UsageError, match=r"o.meta.json exists; replace it with --overwrite"):
        RunStore.open(path, identity=IDENTITY, resume=resume)
    assert (meta.read_text(), path.exists()) == (before, False)
    RunStore.open(path, identity=IDENTITY, overwrite=True).close()


@pytest.mark.parametrize("damage", ["missing", "empty", "broken"])
def test_resume_without_a_meta_file_is_refused(damage: str, tmp_path: Path) -> None:
    path, meta = tmp_path / "o.jsonl", tmp_path / "o.meta.json"
    write(path, 3)
    meta.unlink() if damage == "missing" else meta.write_text("" if damage == "empty" else "{")
    with pytest.raises(UsageError, match="what made it is unknown"):
        RunStore.open(path, identity=IDENTITY, resume=True)
    assert ids(path) == [0, 1, 2]


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace(b'"id": 1', b'"id": 7'),
        lambda text: text + text,
        lambda text: text.replace("é".encode(), b""),
        lambda text: text[:-3],
        lambda text: text[: text.index(b"\n") + 1],
    ],
)
def test_an_edited_file_is_noticed(edit: Any, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    write(path, 3)
    path.write_bytes(edit(path.read_bytes()))
    with pytest.raises(UsageError, match="changed after it was written"):
        verify(path)
    with pytest.raises(UsageError, match="changed after it was written"):
        RunStore.open(path, identity=IDENTITY, resume=True)


@given(
    place=st.integers(0, 10_000), byte=st.binary(min_size=1, max_size=1) | st.sampled_from([b" ", b"\t", b"\n", b"0"])
)
def test_an_edit_of_a_sealed_row_is_noticed_though_the_run_is_not_finished(
    place: int, byte: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("sealed") / "o.jsonl"
    rows = [{"id": index, "text": "é\ud800"[: index + 1]} for index in range(2)]
    with RunStore.open(path, identity=IDENTITY, sealed=True) as store:
        store.append(rows)
    content = path.read_bytes()
    place %= len(content) - 1  # without its line feed the last row is a torn one
    edited = content[:place] + byte + content[place + 1 :]
    path.write_bytes(edited)
    seen: list[Any] = []
    if edited == content:
        RunStore.open(path, identity=IDENTITY, sealed=True, resume=True, on_row=seen.append).close()
        assert [row["text"] for row in seen] == ["é", "é?"]
    else:
        with pytest.raises(UsageError, match=r"line \d was changed after it was written"):
            RunStore.open(path, identity=IDENTITY, sealed=True, resume=True)
        assert path.read_bytes() == edited


def test_an_unfinished_run_does_not_verify(tmp_path: Path) -> None:
    write(tmp_path / "o.jsonl", 3, finish=False)
    with pytest.raises(UsageError, match="not a finished run"):
        verify(tmp_path / "o.jsonl")


def test_a_file_is_written_by_one_run_by_whatever_name(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    with RunStore.open(path, identity=IDENTITY) as store:
        store.append([{"id": 0}])
        (tmp_path / "link.jsonl").symlink_to(path)
        os.link(path, tmp_path / "hard.jsonl")
        for name in ("o.jsonl", "./o.jsonl", "link.jsonl", "hard.jsonl"):
            for options in ({"resume": True}, {"overwrite": True}, {}):
                with pytest.raises(UsageError) as refusal:
                    RunStore.open(tmp_path / name, identity=IDENTITY, **options)
                if name != "hard.jsonl" or options:
                    assert isinstance(refusal.value, LockedError)
        assert ids(path) == [0]
    with RunStore.open(path, identity=IDENTITY, resume=True) as store:
        assert store.rows_before == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), IncompleteError("the disk is full")])
def test_what_ends_a_run_that_can_be_continued_says_how(error: BaseException) -> None:
    how = "continue with the same command and --resume, 1,234 answers are done"
    with pytest.raises(type(error)) as raised, resumable(lambda: 1234, "answers"):
        raise error
    assert str(raised.value) == f"{error}; {how}".removeprefix("; ")


def test_resume_and_overwrite_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give one of them"):
        RunStore.open(tmp_path / "o.jsonl", identity=IDENTITY, resume=True, overwrite=True)


@given(
    room=st.lists(st.one_of(st.none(), st.integers(0, 80)), min_size=1, max_size=6),
    sealed=st.booleans(),
    cuttable=st.booleans(),
)
def test_whichever_writes_meet_a_full_disk_the_file_has_the_rows_of_the_others(
    room: list[int | None], sealed: bool, cuttable: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """`room`: the bytes that each write has room for; None for any number."""
    path = tmp_path_factory.mktemp("full") / "o.jsonl"

    def write_all(file: Any, data: bytes) -> None:
        left = room[len(tried)]
        file.write(data[:left])
        if left is not None and left < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def cut() -> None:
        if store._torn and not cuttable:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        cut_torn_end()

    tried: list[int] = []
    safe: list[int] = []
    with RunStore.open(path, identity=IDENTITY, sealed=sealed) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_store, "_write_all", write_all)
        cut_torn_end = store._cut_torn_end
        patch.setattr(store, "_cut_torn_end", cut)
        for index in range(len(room)):
            try:
                store.append([{"id": index, "text": "é" * (index * 7 % 31)}])
                safe.append(index)
            except IncompleteError:
                pass
            tried.append(index)
        if cuttable:
            store.finish()
            assert verify(path)["content"]["rows"] == len(safe)
    seen: list[int] = []
    with RunStore.open(path, identity=IDENTITY, resume=True, sealed=sealed, on_row=lambda row: seen.append(row["id"])):
        assert seen == safe
