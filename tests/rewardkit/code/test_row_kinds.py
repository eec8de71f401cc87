"""The law of row kinds: what is not supported is unjudged with a reason that names it, never 0 and never paid."""

import json
import shutil
from pathlib import Path

import pytest

from rewardkit import Sample
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from rewardkit.types import Verdict
from sandboxes.registry import open_sandbox

TABLE = Path(__file__).parents[2] / "cases" / "code_row_kinds.jsonl"
KINDS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
SUPPORTED = [kind for kind in KINDS if "unsupported" not in kind]
NO_PROGRAMS = ("", "I do not know.", "print(4)", "def f(*a): return 4", "raise SystemExit(0)")


def score(kind, completion):
    fenced = completion if completion.startswith("```") else f"````python\n{completion}\n````"
    return Code(cpu_s=10.0).score([Sample(completion=fenced, ground_truth=kind["row"])])[0]


@pytest.fixture(scope="module")
def sandbox():
    with open_sandbox("unsafe", workers=1) as opened, use_sandbox(opened):
        yield opened


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=[kind["kind"] for kind in KINDS])
def test_each_kind_is_judged_right_or_left_unjudged(sandbox, kind):
    if ("```cpp" in kind["right"] or "#include" in str(kind["row"])) and shutil.which("g++") is None:
        pytest.skip("no g++ on this machine")
    right, wrong = score(kind, kind["right"]), score(kind, kind["wrong"])
    if "unsupported" in kind:
        assert {right.verdict, wrong.verdict} == {Verdict.UNJUDGED}, (right, wrong)
        assert kind["unsupported"] in right.reason
        assert kind["unsupported"] in wrong.reason
        assert "\n" not in right.reason
    else:
        assert (right.value, right.verdict) == (1.0, Verdict.CORRECT), right.reason
        assert wrong.value == 0.0, wrong.reason


@pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if "unsupported" in kind and not kind["right"].startswith("```")],
    ids=lambda kind: kind["kind"],
)
def test_no_completion_changes_that(sandbox, kind):
    assert {score(kind, text).verdict for text in NO_PROGRAMS} == {Verdict.UNJUDGED}


@pytest.mark.parametrize("kind", SUPPORTED, ids=lambda kind: kind["kind"])
def test_no_completion_leaves_a_row_unjudged(sandbox, kind):
    """Not by its language either: a policy that could choose not to be judged would choose it."""
    fences = [f"```{name}\nputs 4\n```" for name in ("ruby", "fortran", "no such language")]
    if "inputs" not in kind["row"] or "fn_name" in kind["row"]:
        fences.append("```javascript\nfunction f(x) { return 4 }\n```")
    for text in (*NO_PROGRAMS, *fences):
        scored = Code(cpu_s=10.0).score([Sample(completion=text, ground_truth=kind["row"])])[0]
        assert scored.value is not None, (text, scored.reason)


FLAGS = [
    {"interactive": "true"},
    {"interactor": "x"},
    {"language": "Ruby"},
    {"executable": False},
    {"input_mode": "socket"},
]


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: next(iter(flag)))
@pytest.mark.parametrize("kind", SUPPORTED, ids=lambda kind: kind["kind"])
def test_a_flag_of_the_row_counts_beside_the_tests_of_every_kind(sandbox, kind, flag):
    if next(iter(flag)) in json.dumps(kind["row"]):
        pytest.skip("the row says it itself")
    for row, beside in (({**kind["row"], **flag}, {}), (kind["row"], flag)):
        fenced = f"````python\n{kind['right']}\n````"
        scored = Code(cpu_s=10.0).score([Sample(completion=fenced, ground_truth=row, extra_info=beside)])[0]
        assert scored.verdict is Verdict.UNJUDGED, scored
        assert scored.reason.startswith("not supported: ")
