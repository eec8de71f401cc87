"""`rewardkit view`: any judged samples as one page that stands alone."""

import base64
import gzip
import json
import re

import pytest

pytest.importorskip("jinja2")

from rewardkit.report.samples import BLOCK, blocks, cut, turns

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \u2028 \\boxed{<b>7</b>}"
ROWS = [
    {"id": "a/1", "prompt": "two and two?", "completion": "\\boxed{4}", "ground_truth": "4"},
    {"id": "a 2", "prompt": "two and two?", "completion": "\\boxed{5}", "ground_truth": "4", "data_source": "sums"},
    {"id": "#3", "prompt": HOSTILE, "completion": HOSTILE, "ground_truth": "7"},
]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def unpack(page):
    index = json.loads(re.search(r'id="index">(.*?)</script>', page)[1])
    packed = re.findall(r'id="a\d+">(.*?)</script>', page)
    return index, [row for text in packed for row in json.loads(gzip.decompress(base64.b64decode(text)))]


@pytest.mark.parametrize("judged", ["before", "now"])
def test_every_row_is_in_the_page_with_its_judgement(judged, cli, rows, tmp_path):
    if judged == "before":
        assert cli("score", rows, "-r", "math", "-o", tmp_path / "scores.jsonl").code == 0
        done = cli("view", tmp_path / "scores.jsonl", "-o", tmp_path / "page.html")
    else:
        done = cli("view", rows, "-r", "math", "-o", tmp_path / "page.html")
    assert done.code == 0, done.err
    index, bodies = unpack((tmp_path / "page.html").read_text())
    assert index["columns"]["id"] == ["a/1", "a 2", "#3"]
    assert [index["classes"][kind] for kind in index["columns"]["kind"]][:2] == ["correct", "wrong"]
    assert index["columns"]["problem"] == [0, 0, 1]
    assert [body["text"] for body in bodies] == [row["completion"] for row in ROWS]
    assert all(body["steps"] for body in bodies)


@pytest.mark.parametrize("judged", ["before", "now"])
@pytest.mark.parametrize("lost", [[0], [1], [0, 1]])
def test_a_row_without_a_completion_stands_with_what_it_asks(lost, judged, cli, rows, tmp_path):
    made = [{**row, "completion": None if place in lost else row["completion"]} for place, row in enumerate(ROWS)]
    rows.write_text("".join(json.dumps(row) + "\n" for row in made))
    told = [rows, "-r", "math"]
    if judged == "before":
        told = [tmp_path / "scores.jsonl"]
        assert cli("score", rows, "-r", "math", "--max-unjudged", 1, "-o", *told).code == 0
    assert cli("view", *told, "-o", tmp_path / "page.html").code == (4 if judged == "now" else 0)
    page = (tmp_path / "page.html").read_text()
    index, bodies = unpack(page)
    assert index["columns"]["problem"] == [0, 0, 1]
    asked = json.loads(gzip.decompress(base64.b64decode(re.search(r'id="p0">(.*?)</script>', page)[1])))
    assert [(each["q"], each["t"]) for each in asked] == [("two and two?", "4"), (HOSTILE, "7")]
    assert [body["reason"] == "no completion" for body in bodies] == [place in lost for place in range(3)]


def test_the_page_needs_nothing_from_outside_and_foreign_text_is_no_markup(cli, rows, tmp_path):
    assert cli("view", rows, "-r", "math", "-o", tmp_path / "page.html").code == 0
    page = (tmp_path / "page.html").read_text()
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page)
    assert "default-src 'none'" in page
    assert "<script>alert" not in page
    assert "<img src=x" not in page


@pytest.mark.parametrize("change", ["rows", "order", "missing"])
def test_scores_are_never_shown_beside_rows_that_they_do_not_belong_to(change, cli, rows, tmp_path):
    assert cli("score", rows, "-r", "math", "-o", tmp_path / "scores.jsonl").code == 0
    lines = rows.read_text().splitlines(keepends=True)
    if change == "missing":
        rows.unlink()
    else:
        rows.write_text("".join(lines[::-1] if change == "order" else [*lines[:-1], lines[-1].replace("#3", "#4")]))
    done = cli("view", tmp_path / "scores.jsonl", "-o", tmp_path / "page.html")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("way", ["renamed", "stdin", "namesakes"])
def test_rows_may_have_another_name_than_when_they_were_scored(way, cli, tmp_path, monkeypatch):
    """Rows without ids: they are called by their file."""
    files = [tmp_path / folder / "a.jsonl" for folder in ("base", "tuned")[: 2 if way == "namesakes" else 1]]
    for file in files:
        file.parent.mkdir()
        file.write_text(f'{{"completion": "4 {file.parent.name}", "answer": "4"}}\n' * 2)
    scores = tmp_path / "scores.jsonl"
    if way == "stdin":
        monkeypatch.setattr("sys.stdin", files[0].open())
    assert cli("score", *(["-"] if way == "stdin" else files), "-r", "math", "-o", scores).code == 0
    written = [json.loads(line) for line in scores.read_text().splitlines()]
    assert len({row["id"] for row in written}) == 2 * len(files)
    assert len({row["data_source"] for row in written}) == len(files)
    moved = [file.rename(tmp_path / f"moved{place}.jsonl") for place, file in enumerate(files)]
    done = cli("view", scores, *(f"--rows={file}" for file in moved), "-o", tmp_path / "page.html")
    assert done.code == 0, done.err
    assert unpack((tmp_path / "page.html").read_text())[0]["columns"]["id"] == [row["id"] for row in written]


@pytest.mark.parametrize("here", ["rows", "scores"])
def test_scores_may_be_called_as_their_rows_are(here, cli, rows, tmp_path, monkeypatch):
    (tmp_path / "scores").mkdir()
    scores = tmp_path / "scores" / rows.name
    assert cli("score", rows, "-r", "math", "-o", scores).code == 0
    monkeypatch.chdir(rows.parent if here == "rows" else scores.parent)
    done = cli("view", scores, "-o", tmp_path / "page.html")
    assert (done.code, "give it with --rows FILE" in done.err) == ((0, False) if here == "rows" else (2, True))


def test_a_meta_file_that_is_missing_is_named(cli, rows, tmp_path):
    assert cli("score", rows, "-r", "math", "-o", tmp_path / "scores.jsonl").code == 0
    (tmp_path / "scores.meta.json").unlink()
    assert "scores.meta.json beside it is missing" in cli("view", tmp_path / "scores.jsonl").err


def test_steps_are_not_worked_out_with_rewards_of_files(cli, rows, tmp_path):
    """Looking at scores must not run code that somebody else's score file names."""
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from rewardkit import Sample, Score, reward\n@reward\ndef f(sample: Sample) -> float:\n    return 1.0\n"
    )
    assert cli("score", rows, "-r", f"{mine}:f", "-o", tmp_path / "scores.jsonl").code == 0
    mine.write_text("raise RuntimeError('was run')\n")
    done = cli("view", tmp_path / "scores.jsonl", "-o", tmp_path / "page.html")
    assert done.code == 0, done.err
    assert not any("steps" in body for body in unpack((tmp_path / "page.html").read_text())[1])


@pytest.mark.parametrize("args", [["rows.jsonl"], ["nothing.jsonl"], [".", "rows.jsonl"]])
def test_what_cannot_be_shown_is_one_line(args, cli, rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = cli("view", *args, "-o", "page.html")
    assert (done.code, done.err.count("\n")) == (2, 1), done.err


@pytest.mark.parametrize(
    "said", [{}, {"reasoning_content": "so"}, {"reasoning": "so"}, {"reasoning_content": None, "reasoning": "so"}]
)
def test_the_thought_of_a_turn_is_shown_under_either_name(said):
    assert turns([{"role": "assistant", "content": "4", **said}]) == [
        {"role": "assistant", "text": "4", "think": "so" if said else ""}
    ]


def test_blocks_hold_all_rows_in_order():
    rows = [{"n": n} for n in range(2 * BLOCK + 3)]
    packed = blocks(rows)
    assert len(packed) == 3
    assert [row for text in packed for row in json.loads(gzip.decompress(base64.b64decode(text)))] == rows


def test_long_texts_keep_both_ends():
    text = "a" * 30_000 + "b" * 30_000
    assert cut("x" * 40_000) == "x" * 40_000
    assert cut(text).startswith("a" * 20_000)
    assert cut(text).endswith("b" * 20_000)
    assert "20,000 characters left out" in cut(text)
