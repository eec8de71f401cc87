"""What the math reward says beside its value."""

import pytest

from rewardkit import Sample, load
from rewardkit.math import Status, compare

LARGE = {"nesting": r"\sqrt{" * 60 + "2" + "}" * 60, "digits": "7" * 1_200}


@pytest.mark.parametrize("bound", sorted(LARGE))
def test_an_answer_beyond_a_bound_of_size_is_no_matter_of_time(bound: str) -> None:
    if compare("V", LARGE[bound]).status is not Status.LIMIT:
        pytest.fail(f"{bound} is within the bounds")
    (score,) = load("math").score([Sample(completion=rf"\boxed{{{LARGE[bound]}}}", ground_truth="V")])
    assert (score.value, score.verdict) == (0.0, "output_limit")
