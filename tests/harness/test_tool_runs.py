# ruff: noqa: E402
"""Whole runs with tools: conversations with a server, code in a sandbox, and turns that reach the judge."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("lm_eval")

from harness.fake_server import Stub

CALL = '<tool_call>{"name": "code_interpreter", "arguments": {"code": "print(7)"}}</tool_call>'


@pytest.fixture
def seven(monkeypatch):
    """A sandbox in which every program prints 7."""
    from rewardkit import interpreter
    from sandboxes import Execution
    from sandboxes.backends.fake import FakeSandbox

    monkeypatch.setattr(
        interpreter, "open_sandbox", lambda *_, **__: FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"7\n"))
    )


def rows(directory):
    return [json.loads(line) for line in (directory / "answers.jsonl").read_text().splitlines()]


def scripted(rounds, last):
    """A model that calls the tool `rounds[question]` times and then says `last[question]`."""

    def rule(body, _):
        said = [str(message["content"]) for message in body["messages"]]
        question = next(name for name in rounds if any(text.startswith(name) for text in said))
        done = sum(text.startswith("<tool_response>") for text in said)
        return {"text": CALL if done < rounds[question] else last[question], "tokens": 5}

    return rule


def parsed(rule):
    """The same model behind a server that parses calls and thoughts itself."""

    def told(body, number):
        done = sum(message["role"] == "tool" for message in body["messages"])
        if done or not body["tools"]:
            return {
                **rule({"messages": [*body["messages"], {"content": "<tool_response>"}]}, number),
                "reasoning_content": "hm",
            }
        call = {"name": "code_interpreter", "arguments": json.dumps({"code": "print(7)"})}
        calls = [{"id": "c1", "type": "function", "function": call}]
        return {"text": "", "tool_calls": calls, "finish_reason": "tool_calls", "tokens": 5}

    return told


@pytest.mark.usefixtures("seven")
@pytest.mark.parametrize("style", ["hermes", "openai"])
def test_a_conversation_is_kept_and_its_turns_are_judged(harness, small_data, golds, tmp_path, style):
    rule = scripted(dict.fromkeys(golds, 1), dict.fromkeys(golds, "so \\boxed{7}"))
    with Stub(rule if style == "hermes" else parsed(rule)) as server:
        code, _, err = harness(
            "run", "--model", server.url, "--tasks", "math500", "--data-dir", small_data, "-o", tmp_path / "run",
            "--judge_workers", 0, "--tools", "code_interpreter", "-r", "tool_call(math(wrong=-1.0))", "--limit", 3,
            "--tool_format", style,
        )  # fmt: skip
    assert code == 0, err
    found = rows(tmp_path / "run")
    assert {(row["turns"], row["tool_calls"], row["reward"]) for row in found} == {(4, 1, -0.9)}
    assert {row.get("reasoning") for row in found} == {None if style == "hermes" else "hm"}
    assert found[0]["messages"][-2]["content"] == "7"


@pytest.mark.usefixtures("seven")
@pytest.mark.parametrize("opening", ["<think>\n", " <think>", ""])
def test_the_judge_sees_the_thoughts_of_a_rollout_as_they_came_and_the_model_no_earlier_ones(
    harness, small_data, golds, tmp_path, opening
):
    last = f"{opening}sum</think>\nso \\boxed{{7}}"
    rule = scripted(dict.fromkeys(golds, 1), dict.fromkeys(golds, last))
    asked = []

    def thinking(body, number):
        asked.append(body["messages"])
        reply = rule(body, number)
        return {**reply, "text": f"{opening}call</think>\n{reply['text']}"} if reply["text"] == CALL else reply

    with Stub(thinking) as server:
        code, _, err = harness(
            "run", "--model", server.url, "--tasks", "math500", "--data-dir", small_data, "-o", tmp_path / "run",
            "--judge_workers", 0, "--tools", "code_interpreter", "-r", "tool_call(math(wrong=-1.0))", "--limit", 1,
        )  # fmt: skip
    assert code == 0, err
    [row] = rows(tmp_path / "run")
    assert row["completion"] == row["messages"][-1]["content"] == last
    assert (row["turns"], row["tool_calls"], row["reward"]) == (4, 1, -0.9)
    assert [message["content"] for message in asked[-1] if message["role"] == "assistant"] == [CALL]


@pytest.mark.usefixtures("seven")
def test_grpo_tcr_pays_live_rollouts_by_their_turns(harness, tmp_path):
    """The seed's own validation tasks and their own reward: 2 k + 2 turns after k rounds, and -1 + 0.1 k for a wrong answer."""
    rounds = {"Right at once": 0, "Right after two": 2, "Wrong at once": 0, "Wrong after one": 1, "Wrong after five": 5}
    rounds |= {"No program": 1}
    last = {name: "so \\boxed{6}" if name.startswith("Right") else "so \\boxed{5}" for name in rounds}
    data = tmp_path / "data"
    data.mkdir()
    maths = [{"problem": f"{name}: 2 times 3?", "answer": "6"} for name in rounds if name != "No program"]
    (data / "deepscaler.jsonl").write_text("".join(json.dumps(row) + "\n" for row in maths))
    tests = json.dumps({"inputs": ["1\n"], "outputs": ["1\n"]})
    (data / "taco.jsonl").write_text(json.dumps({"question": "No program, echo it", "input_output": tests}) + "\n")
    with Stub(scripted(rounds, last)) as server:
        code, _, err = harness(
            "run", "--model", server.url, "--tasks", "grpo_tcr_deepscaler,grpo_tcr_taco_code", "--data-dir", data,
            "-o", tmp_path / "run", "--judge_workers", 0, "--tools", "code_interpreter",
        )  # fmt: skip
    assert code == 0, err
    questions = {
        row["hash"]: row["question"].partition(":")[0].partition(",")[0]
        for row in map(json.loads, (tmp_path / "run" / "problems.jsonl").read_text().splitlines())
    }
    found = {
        questions[row["problem"]]: (row.get("turns", 2), row["accuracy"], row["reward"])
        for row in rows(tmp_path / "run")
    }
    assert found == {
        "Right at once": (2, 1, 1.0),
        "Right after two": (6, 1, 1.0),
        "Wrong at once": (2, 0, -1.0),
        "Wrong after one": (4, 0, -0.9),
        "Wrong after five": (12, 0, -0.6),
        "No program": (4, 0, -0.9),
    }
