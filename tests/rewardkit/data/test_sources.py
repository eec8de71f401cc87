"""Folders, globs, URLs and hub ids: each is read as the files that it stands for, or refused in one sentence."""

import bz2
import errno
import json
import lzma
import os
import re
import sys
import types
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardkit import UsageError
from rewardkit.data import sources
from rewardkit.data.reader import RowReader, distinct_stems
from rewardkit.data.rows import source_name
from rewardkit.data.sources import HubSource, expand, file_hash


def write(path: Path, *ids: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"id": one, "completion": "4", "answer": "4"}) + "\n" for one in ids))
    return path


def ids(*paths: str) -> list[str]:
    return [row.id for row in RowReader(paths)]


@pytest.mark.parametrize("again", ["a.jsonl", "link.jsonl", "*.jsonl", "sub/../a.jsonl", ".", "hard.jsonl"])
def test_a_file_named_twice_in_any_way_is_refused(tmp_path, monkeypatch, again):
    write(tmp_path / "a.jsonl", "1")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    (tmp_path / "hard.jsonl").hardlink_to(tmp_path / "a.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is named twice"):
        expand(["a.jsonl", again])


def test_a_folder_is_its_data_files_in_order(tmp_path):
    write(tmp_path / "b.jsonl", "2")
    write(tmp_path / "a" / "c.jsonl", "1")
    for other in ("notes.txt", "b.meta.json", ".hidden.jsonl", "dataset_info.json"):
        (tmp_path / other).write_text("{}")
    assert ids(str(tmp_path)) == ["1", "2"]


@pytest.mark.parametrize("pattern", ["", "*", "**/*"])
@pytest.mark.parametrize("damaged", ["dangling.jsonl", "b.jsonl.bz2", "b.JSONL.xz"])
def test_a_file_that_cannot_be_read_is_an_error_and_not_left_out(pattern, damaged, tmp_path):
    write(tmp_path / "a.jsonl", "1")
    if damaged.startswith("dangling"):
        (tmp_path / damaged).symlink_to("gone.jsonl")
    else:
        compress = bz2.compress if damaged.endswith("bz2") else lzma.compress
        (tmp_path / damaged).write_bytes(compress(b'{"completion": "4"}\n'))
    with pytest.raises(UsageError, match=re.escape(damaged)):
        ids(str(tmp_path / pattern))


def test_a_folder_gives_each_data_file_once_whatever_case_and_links_lead_to_it(tmp_path):
    write(tmp_path / "b.JSONL", "1")
    write(tmp_path / "us_state.json", "2")
    (tmp_path / "x.CSV").write_text("id,completion\n3,4\n")
    write(tmp_path.with_name(f"{tmp_path.name}_other") / "c.jsonl", "0")
    (tmp_path / "a").symlink_to(tmp_path.with_name(f"{tmp_path.name}_other"))
    (tmp_path / "a" / "circle").symlink_to(tmp_path)
    assert ids(str(tmp_path)) == ["0", "1", "2", "3"]


def test_a_glob_is_what_it_matches(tmp_path):
    write(tmp_path / "x1.jsonl", "1")
    write(tmp_path / "x2.jsonl", "2")
    write(tmp_path / "y.jsonl", "3")
    assert ids(str(tmp_path / "x*.jsonl"), str(tmp_path / "y.jsonl")) == ["1", "2", "3"]


def test_a_folder_that_cannot_be_listed_is_an_error_and_not_left_out(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    (tmp_path / "open.jsonl").write_text("{}\n")
    scandir = os.scandir

    def denied(path):
        if Path(path).name == "closed":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)  # tests run as root, whom nothing is denied
    with pytest.raises(UsageError, match=r"^cannot read \S+/closed: Permission denied$"):
        expand([str(tmp_path)])


def test_two_stars_stand_for_folders_of_any_depth(tmp_path):
    for place, name in enumerate(["a.jsonl", "b/c.jsonl", "b/d/e.jsonl"]):
        write(tmp_path / name, str(place))
    assert ids(str(tmp_path / "**" / "*.jsonl")) == ["0", "1", "2"]


def test_a_file_whose_name_is_a_pattern_is_that_file(tmp_path):
    write(tmp_path / "x[1].jsonl", "1")
    assert ids(str(tmp_path / "x[1].jsonl")) == ["1"]


@pytest.mark.parametrize(
    "path", ["", "missing.jsonl", "no/such.jsonl", "x*.nothing", "empty", "file:///no/such.jsonl", "nosuch://a"]
)
def test_what_is_not_there_is_one_sentence(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "rows.jsonl").write_text('{"completion": "x"}\n')
    with pytest.raises(UsageError) as caught:
        list(RowReader([path]))
    assert len(str(caught.value).splitlines()) == 1


@pytest.fixture
def memory():
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    yield files
    files.store.clear()


def test_urls_are_files_folders_and_globs(memory, tmp_path):
    for name in ("a", "b"):
        memory.pipe(f"/data/{name}.jsonl", write(tmp_path / f"{name}.jsonl", name).read_bytes())
    memory.pipe("/data/notes.txt", b"no rows")
    assert ids("memory://data/a.jsonl") == ["a"]
    assert ids("memory://data") == ids("memory://data/*.jsonl") == ["a", "b"]
    assert ids(f"file://{tmp_path}/a.jsonl") == ["a"]


def test_a_url_is_told_apart_by_its_content(memory, tmp_path):
    path = write(tmp_path / "a.jsonl", "a")
    memory.pipe("/a.jsonl", path.read_bytes())
    one = expand(["memory://a.jsonl"])[0].fingerprint
    memory.pipe("/a.jsonl", path.read_bytes() + b"\n")
    assert one != expand(["memory://a.jsonl"])[0].fingerprint


def test_without_fsspec_the_install_line_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(UsageError, match=r"rewardkit\[url\]"):
        expand(["s3://bucket/rows.jsonl"])


def stand_in(monkeypatch, load_dataset, endpoint="http://localhost", *, offline=False):
    """`datasets` and its hub, which is not asked here."""
    constants = types.SimpleNamespace(HF_HUB_OFFLINE=offline, ENDPOINT=endpoint)
    monkeypatch.setattr("urllib.request.getproxies", dict)
    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    monkeypatch.setitem(sys.modules, "huggingface_hub", types.SimpleNamespace(constants=constants))
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", constants)


@pytest.fixture
def hub(monkeypatch):
    asked = []

    def load_dataset(name, config, *, split, streaming):
        asked.append((name, config, split))
        rows = {
            "train": [{"completion": "4", "answer": "4", "id": "t"}],
            "test": [{"completion": "4", "answer": "4", "id": "e"}],
        }
        return rows if split is None else rows[split]

    stand_in(monkeypatch, load_dataset)
    return asked


def test_a_hub_id_names_configuration_and_split(hub, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ids("openai/gsm8k:test") == ["e"]
    assert ids("openai/gsm8k:main:train") == ["t"]
    assert set(hub) == {("openai/gsm8k", None, "test"), ("openai/gsm8k", "main", "train")}
    with pytest.raises(UsageError, match="has the splits train, test; name one: openai/gsm8k:test"):
        ids("openai/gsm8k")


def test_a_hub_data_set_of_one_split_is_that_split_and_known_by_its_files(tmp_path, monkeypatch):
    class Rows(list):
        info = types.SimpleNamespace(download_checksums={"hf://b": 1, "hf://a": 2})

    asked = []

    def load_dataset(*told, **_options):
        asked.append(told)
        return {"only": Rows([{"completion": "4", "answer": "4", "id": "o"}])}

    monkeypatch.chdir(tmp_path)
    stand_in(monkeypatch, load_dataset)
    source = HubSource("openai/gsm8k")
    assert [row["id"] for _, row, _ in source.read()] == ["o"]
    assert source.fingerprint == {"name": "openai/gsm8k", "files": ["hf://a", "hf://b"]}
    assert len(asked) == 1


def test_a_hub_id_without_datasets_names_the_install_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UsageError, match=r"rewardkit\[hub\]"):
        ids("openai/gsm8k")


def test_a_hub_that_does_not_answer_is_one_sentence(tmp_path, monkeypatch):
    def load_dataset(*_args, **_options):
        raise ConnectionError("no route\nto host")

    monkeypatch.chdir(tmp_path)
    stand_in(monkeypatch, load_dataset)
    with pytest.raises(UsageError, match="cannot read openai/gsm8k from the hub: ConnectionError: no route"):
        ids("openai/gsm8k")


def test_a_hub_without_an_address_is_not_tried_again_and_again(tmp_path, monkeypatch):
    asked = []

    def load_dataset(name, *_args, **_options):
        asked.append(name)
        return [{"completion": "4", "answer": "4", "id": "c"}]

    monkeypatch.chdir(tmp_path)
    stand_in(monkeypatch, load_dataset, "https://hub.invalid")
    with pytest.raises(UsageError, match=r"hub at https://hub.invalid cannot be reached; set HF_HUB_OFFLINE=1"):
        ids("openai/gsm8k")
    assert not asked
    stand_in(monkeypatch, load_dataset, "https://hub.invalid", offline=True)  # what the cache holds
    assert ids("openai/gsm8k") == ["c"]


@pytest.fixture
def s3(monkeypatch):
    """An S3 server on this machine."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    files = pytest.importorskip("s3fs")
    server.start()
    _, port = server.get_host_and_port()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    files.S3FileSystem.clear_instance_cache()
    store = files.S3FileSystem()
    store.mkdir("bucket")
    yield store
    files.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.mark.long
def test_s3_is_read_as_files_folders_and_globs(s3, tmp_path):
    for name in ("a", "b"):
        s3.pipe(f"bucket/rows/{name}.jsonl", write(tmp_path / f"{name}.jsonl", name).read_bytes())
    assert ids("s3://bucket/rows/a.jsonl") == ["a"]
    assert ids("s3://bucket/rows") == ids("s3://bucket/rows/*.jsonl") == ["a", "b"]
    with pytest.raises(UsageError, match=r"cannot read s3://bucket/none\.jsonl"):
        ids("s3://bucket/none.jsonl")


@pytest.mark.parametrize("size", [1, 9, 10, 11, 25, 100, 1_000])
def test_the_hash_of_a_file_changes_with_its_size_its_first_and_its_last_byte(tmp_path, monkeypatch, size):
    monkeypatch.setattr(sources, "_BLOCK_BYTES", 10)
    contents = [bytes(size), bytes(size + 1), b"x" + bytes(size - 1), bytes(size - 1) + b"x"]
    hashes = []
    for content in dict.fromkeys(contents):
        (tmp_path / "a").write_bytes(content)
        hashes.append(json.dumps(file_hash(str(tmp_path / "a"))))
    assert len(set(hashes)) == len(hashes)


def test_a_small_file_is_hashed_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_BLOCK_BYTES", 10)
    hashes = set()
    for place in range(45):
        (tmp_path / "a").write_bytes(bytes(place) + b"x" + bytes(44 - place))
        hashes.add(file_hash(str(tmp_path / "a"))["sha256"])
    assert len(hashes) == 45


def test_a_reward_that_is_not_quoted_is_told_to_be() -> None:
    with pytest.raises(UsageError, match="quote the reward"):
        expand(["+"])


NAMES = st.lists(
    st.lists(st.sampled_from(["a", "b", "answers"]), min_size=1, max_size=4).flatmap(
        lambda parts: st.sampled_from([f"{'/'.join(parts)}{suffix}" for suffix in ("", ".jsonl", ".csv.gz")])
    ),
    min_size=1,
    max_size=6,
)


@given(NAMES)
@example(["base/answers.jsonl", "tuned/answers.jsonl", "other.jsonl"])
def test_sources_of_different_names_have_different_stems_and_a_lone_name_has_no_folder(names: list[str]) -> None:
    stems = distinct_stems(names)
    assert len(set(zip(names, stems, strict=True))) == len(set(names)) == len(set(stems))
    assert all(name.startswith(stem) or f"/{stem}" in name for name, stem in zip(names, stems, strict=True))
    assert distinct_stems(names[:1]) == [
        names[0].rpartition("/")[2].removesuffix(".gz").removesuffix(".csv").removesuffix(".jsonl")
    ]


def test_a_file_under_two_paths_is_one_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.jsonl").write_text("{}\n")
    assert distinct_stems(["d/a.jsonl", "./d/a.jsonl", str(tmp_path / "d" / "a.jsonl")]) == ["a"] * 3
    (tmp_path / "b.jsonl").symlink_to("d/a.jsonl")
    assert distinct_stems(["d/a.jsonl", "b.jsonl"]) == ["a", "b"]


def test_folders_tell_files_apart_before_suffixes_do():
    name = "samples_gsm8k_2025-01-01T00-00-00.000000.jsonl"
    assert distinct_stems([f"one/{name}", f"two/{name}.gz"]) == [f"one/{name[:-6]}", f"two/{name[:-6]}"]
    assert distinct_stems([f"one/{name}", f"one/{name}.gz"]) == [name, f"{name}.gz"]
    assert {source_name(stem) for stem in (name, f"{name}.gz", name[:-6])} == {"gsm8k"}


def test_an_output_says_what_it_calls_an_input_only_where_that_is_not_its_name(tmp_path):
    from rewardkit import load
    from rewardkit.run import run_identity

    paths = [tmp_path / place for place in ("a/x.jsonl", "b/x.jsonl", "a/y.jsonl")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"completion": "4", "answer": "4"}\n')
    reader = RowReader(list(map(str, paths)))
    inputs = run_identity(load("math"), "math", reader, timing=False)["inputs"]
    assert [each.get("stem") for each in inputs] == ["a/x", "b/x", None]
