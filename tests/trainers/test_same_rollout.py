"""A rollout is the same sample whether a trainer's process judges it or a server."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardkit import Sample, Score
from trainers import openrlhf, slime, verl

pytest.importorskip("msgspec")

from rewardkit.serve.bodies import parse
from rewardkit.serve.contracts import openrlhf as http_openrlhf
from rewardkit.serve.contracts import slime as http_slime
from rewardkit.serve.contracts import verl as http_verl

VALUES = st.none() | st.integers(-3, 10**20) | st.sampled_from(["2", "", "d", 1.5, True, ["2"], {"a": [1]}])
FACTS = st.none() | st.dictionaries(
    st.sampled_from(["index", "split", "completion_tokens", "num_turns", "data_source", "x"]), VALUES
)
TEXTS = st.sampled_from(["", "\\boxed{2}", "Q\\boxed{2}<|im_end|>", "\u00e9"])


def over_http(contract, body):
    """The samples that a server makes of a request."""
    rows = contract.rows(parse(contract.asks, json.dumps(body).encode()))
    return [row if isinstance(row, str) else Sample.from_row(json.loads(json.dumps(row))) for row in rows]


@given(TEXTS, st.none() | st.sampled_from(["", "d"]), VALUES, FACTS)
def test_verl(text, source, truth, facts):
    sample = verl.sample_of(text, data_source=source, ground_truth=truth, extra_info=facts)
    one, several = http_verl.CONTRACTS
    body = {"solution_str": text, "data_source": source, "ground_truth": truth, "extra_info": facts}
    assert over_http(one, body) == [sample]
    assert over_http(several, {f"{name}s": [value] * 2 for name, value in body.items()}) == [sample] * 2


@given(TEXTS, st.none() | TEXTS, VALUES, FACTS)
def test_slime(text, prompt, truth, facts):
    rollout = SimpleNamespace(prompt=prompt, response=text, label=truth, response_length=0, metadata=facts)
    body = {"prompt": prompt, "response": text, "label": truth, "metadata": facts}
    assert over_http(http_slime.CONTRACTS[0], body) == [slime.sample_of(rollout)]


@given(TEXTS, TEXTS, VALUES)
def test_openrlhf(text, prompt, truth):
    seen = []

    def looks(sample):
        seen.append(sample)
        return Score.unjudged("only looked at")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openrlhf, "_tensor", lambda values: values)
        openrlhf.reward_function(looks)([text], [prompt], [truth])
    (sample,) = over_http(http_openrlhf.CONTRACTS[0], {"query": [text], "prompts": [prompt], "labels": [truth]})
    assert seen == [sample] or (isinstance(sample, str) and seen[0].completion == "")
