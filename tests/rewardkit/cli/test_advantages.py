"""`rewardkit score --advantages`: rows with their advantage, groups with their signal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit.cli._advantages import _short


def rollout(group, completion, truth="72", **more):
    return {"group_id": group, "completion": completion, "answer": truth, **more}


ROWS = [
    rollout("a", "72"), rollout("a", "71"), rollout("a", "70"), rollout("a", "72"),
    rollout("b", "72"), rollout("b", "72"),
    rollout("c", "1"), rollout("c", "2"),
    rollout("d", "72", truth=None), rollout("d", "72", truth=None),
]  # fmt: skip


def test_rows_carry_group_and_advantage(cli, write_jsonl, tmp_path):
    path = write_jsonl(*ROWS)
    out = tmp_path / "scores.jsonl"
    done = cli(
        "score", path, "-r", "gsm8k", "-o", out, "--advantages", "grpo_no_std", "--max-unjudged", 1, "--json", "--quiet"
    )
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["advantage"] for row in rows] == [0.5, -0.5, -0.5, 0.5, 0, 0, 0, 0, None, None]
    assert [row["group"] for row in rows] == [*"aaaabbccdd"]
    groups = json.loads(done.out)["groups"]
    assert groups["signals"] == {"mixed": 1, "all_right": 1, "all_wrong": 1, "unjudged": 1}
    assert groups["kept_by_dynamic_sampling"] == 0.25
    assert groups["sizes"] == {"2": 3, "4": 1}


@given(st.lists(st.text("ab ", min_size=150, max_size=400), min_size=1, max_size=4, unique=True))
def test_the_group_column_tells_prompts_of_any_length_apart(prompts):
    shorts = [_short(prompt) for prompt in prompts]
    assert len(set(shorts)) == len(prompts)
    assert all(len(short) <= 200 for short in shorts)


UNREADABLE = {
    "a null in a list of completions": {"group_id": "a", "completion": ["71", None], "answer": "72"},
    "a null": rollout("a", None),
    "a number of tokens below 0": rollout("a", "72", completion_tokens=-1),
    "a completion that is no text": rollout("a", {"x": 1}),
    "neither a group nor a completion": {"completion": None},
    "no JSON": "{",
}


@pytest.mark.parametrize("row", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("place", range(1, 5))
def test_no_unreadable_row_changes_the_advantages_of_the_others(cli, tmp_path, row, place):
    def scored(*rows):
        path, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
        path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
        options = ("--advantages", "grpo", "--max-unjudged", 1, "--quiet", "--overwrite")
        done = cli("score", path, "-r", "gsm8k", "-o", out, *options)
        assert (done.code, "warning: groups" in done.err) == (0, False), done.err
        return [json.loads(line) for line in out.read_text().splitlines()]

    readable = row if isinstance(row, dict) and isinstance(row["completion"], list) else None
    with_it = scored(*ROWS[:place], row, *ROWS[place:8])
    without = scored(*ROWS[:place], *([{**readable, "completion": "71"}] if readable else []), *ROWS[place:8])
    values = [row["advantage"] for row in with_it if row["error"] is None]
    assert values == [row["advantage"] for row in without if row["error"] is None]
    assert [row["advantage"] for row in with_it if row["error"]] == [None]


def test_table_says_which_groups_carry_a_signal(cli, write_jsonl):
    done = cli("score", write_jsonl(*ROWS[:8]), "-r", "gsm8k", "--advantages", "grpo", "--quiet")
    assert done.code == 0, done.err
    assert "1 (33%)" in done.out
    assert "kept by DAPO" in done.out


def test_one_group_is_all_of_them(cli, write_jsonl):
    done = cli("score", write_jsonl(*ROWS[:4]), "-r", "gsm8k", "--advantages", "grpo", "--quiet")
    assert "1 (100%)" in done.out


def test_the_histogram_has_both_ends_of_each_bin(cli, write_jsonl):
    done = cli("score", write_jsonl(*ROWS[:8]), "-r", "gsm8k", "--advantages", "grpo", "--quiet")
    assert "[0, 0.1) 4, [0.9, 1] 4" in done.out


def test_group_longer_than_a_batch_stays_whole(cli, write_jsonl, tmp_path):
    rows = [rollout("big", "72" if index % 4 else "71") for index in range(300)]
    out = tmp_path / "scores.jsonl"
    assert cli("score", write_jsonl(*rows), "-r", "gsm8k", "-o", out, "--advantages", "rloo", "--quiet").code == 0
    advantages = [json.loads(line)["advantage"] for line in out.read_text().splitlines()]
    assert sum(advantages) == pytest.approx(0, abs=1e-9)
    assert max(advantages) == pytest.approx(75 / 299)


def test_group_torn_apart_is_said(cli, write_jsonl):
    done = cli(
        "score",
        write_jsonl(rollout("a", "72"), rollout("b", "72"), rollout("a", "71")),
        "-r",
        "gsm8k",
        "--advantages",
        "grpo",
        "--quiet",
    )
    assert "groups in several places, which were taken apart: 1;" in done.err


def test_rows_without_group_or_prompt_are_refused(cli, write_jsonl):
    done = cli(
        "score", write_jsonl({"completion": "72", "answer": "72"}), "-r", "gsm8k", "--advantages", "grpo", "--quiet"
    )
    assert done.code == 2
    assert "--group-by" in done.err


def test_advantages_do_not_resume(cli, write_jsonl, tmp_path):
    done = cli(
        "score",
        write_jsonl(*ROWS),
        "-r",
        "gsm8k",
        "-o",
        tmp_path / "x.jsonl",
        "--advantages",
        "grpo",
        "--resume",
        "--quiet",
    )
    assert done.code == 2
    assert "--resume" in done.err
