"""How deep a JSON text nests, told without parsing it."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.agent.codec import MAX_DEPTH
from sandboxes.json_depth import load_result, nests_within
from sandboxes.values import encode

values = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(value=values, most=st.integers(0, 8), indent=st.sampled_from([None, 1]))
def test_it_is_the_depth_of_the_value(value, most, indent):
    assert nests_within(json.dumps(value, indent=indent), most) == (depth(value) <= most)


@given(text=st.text('[{]}"\\,:1 ', max_size=40), most=st.integers(0, 4))
def test_no_text_that_a_parser_enters_deeper_passes(text, most):
    """The parser reads from the left until it fails: what it has opened by then counts."""
    if nests_within(text, most):
        for end in range(len(text)):
            for rest in ("", '"', "]" * 40):
                try:
                    value = json.JSONDecoder().raw_decode(text[:end] + rest)[0]
                except ValueError:
                    continue
                assert depth(value) <= most


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ('"' + '\\"' * 300_000, True),
        ('"' + "\\" * 300_001, True),
        ('"' * 300_001, True),
        ('["' * 300_000, False),
        ("]" * 300_000, True),
    ],
    ids=["escaped marks", "backslashes", "marks", "brackets and marks", "closing brackets"],
)
def test_it_takes_linear_time(text, within):
    """A quadratic search would not end."""
    assert nests_within(text + "[{" * 100, 60) is within


CALLER = """
import sys
sys.setrecursionlimit(10**6)
"""
COMPLETIONS = """
from rewardkit import Sample, load
text = "[" * 95_000 + "]" * 95_000
for name in ("list_match", "json_schema", "tool_match", "tool_call_format", "ifeval"):
    for completion in (text, f"<tool_call>{text}</tool_call>", f'<tool_call>{{"name": "f", "arguments": {text}}}</tool_call>'):
        for truth in ("[1]", text):
            load(name).score([Sample(completion=completion, ground_truth=truth)])
from harness.tools.hermes import parse_text
print([call.problem for call in parse_text(f"<tool_call>{text[:90_000]}</tool_call>")])
"""
RESULTS = """
from sandboxes import Call, Job, open_sandbox
programs = [
    f"import os\\nos.write(200, {start!r} + b'[' * 1_000_000 + b']' * 1_000_000 + {end!r})\\ndef f(x): return x"
    for start, end in ((b"", b"\\n"), (b'{"ready": 1}\\n{"v": ', b"}\\n"), (b'{"ready": 1, "v":', b"}\\n{}\\n"))
]
with open_sandbox("unsafe", workers=1) as sandbox:
    for run in sandbox.run([Job(program=each, calls=(Call(args=(1,)),), entry_point="f") for each in programs]):
        assert not any(call.returned and call.value != 1 for call in run.calls), run.calls
print("nested deeper than 60")
"""


@pytest.mark.long
@pytest.mark.parametrize("script", [COMPLETIONS, RESULTS], ids=["completions", "results"])
def test_no_deep_text_of_a_model_or_a_program_ends_the_process(script):
    done = subprocess.run([sys.executable, "-c", CALLER + script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "nested deeper than 60" in done.stdout


def test_the_deepest_result_of_an_honest_program_is_read(monkeypatch):
    value = 1
    for _ in range(MAX_DEPTH):
        value = {(1,): value}
    line = json.dumps({"v": encode(value)})
    monkeypatch.setattr(sys, "getrecursionlimit", lambda: 10**6)
    assert load_result(line) == json.loads(line)
    assert load_result(line.encode()) == json.loads(line)
