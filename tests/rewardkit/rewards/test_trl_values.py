"""The same values as TRL's own reward functions, on random completions. Needs TRL: `pytest -m trainer`."""

import random

import pytest

from rewardkit import Sample, load

trl_rewards = pytest.importorskip("trl.rewards", reason="TRL is not installed")
pytestmark = pytest.mark.trainer

PIECES = ["<think>", "</think>", "<think>\n", "\n</think>\n", "<answer>\n", "\n</answer>", "so", " 42", "\n", "First, ", "x " * 5, "\\boxed{42}",
          "\\boxed{\\frac{1}{2}}", "\\boxed{41}", " the the the "]  # fmt: skip


def random_texts(count, seed=7):
    rng = random.Random(seed)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(0, 12))) for _ in range(count)]
    framed = [f"<think>{a}</think>{b}" for a, b in zip(texts[::2], texts[1::2], strict=False)]
    return texts + framed


def chats(texts):
    return [[{"role": "assistant", "content": text}] for text in texts]


def values(text, samples):
    return [score.value for score in load(text).score(samples)]


def test_think_format():
    texts = random_texts(2000)
    expected = trl_rewards.think_format_reward(chats(texts))
    assert 0 < sum(expected) < len(expected)
    assert values("think_format", [Sample(completion=text) for text in texts]) == expected


def test_soft_overlong_punishment():
    ids = [[1] * length for length in range(160)]
    samples = [Sample(completion="x", completion_ids=tuple(one)) for one in ids]
    for limit, cache in ((100, 20), (100, 100), (64, 1)):
        expected = trl_rewards.get_soft_overlong_punishment(limit, cache)(ids)
        assert values(f"overlong(max_tokens={limit}, buffer={cache}, floor=True)", samples) == pytest.approx(expected)
    inside = [sample for sample in samples if sample.tokens <= 100]
    assert values("overlong(max_tokens=100, buffer=20)", inside) == pytest.approx(
        trl_rewards.get_soft_overlong_punishment(100, 20)(ids[:101])
    )


def test_repetition_penalty():
    rng = random.Random(3)
    ids = [[rng.randint(0, 6) for _ in range(rng.randint(0, 60))] for _ in range(500)]
    samples = [Sample(completion="x", completion_ids=tuple(one)) for one in ids]
    for size, penalty in ((1, -1.0), (2, -0.5), (3, -1.0), (5, -2.0)):
        expected = trl_rewards.get_repetition_penalty_reward(size, penalty)(ids)
        assert values(f"repetition(ngram={size}, max_penalty={penalty}, unit='tokens')", samples) == pytest.approx(
            expected
        )


@pytest.fixture(scope="module")
def answers():
    """Completions that both verifiers must see alike: the value of the shaping is under test, not the verifier."""
    rng = random.Random(5)
    rows = []
    for _ in range(120):
        truth, said = rng.randint(1, 9), rng.randint(1, 9)
        rows.append((f"<think>hm</think> so $\\boxed{{{said}}}$", str(truth), [1] * rng.randint(0, 250)))
    rows.append(("<think>so $\\boxed{3}$", "3", [1] * 10))
    return rows


def test_accuracy_and_its_cosine(answers):
    texts, truths, ids = (list(column) for column in zip(*answers, strict=True))
    samples = [Sample(completion=t, ground_truth=g, completion_ids=tuple(i)) for t, g, i in answers]
    closed = [index for index, text in enumerate(texts) if "</think>" in text]
    pick = lambda column: [column[index] for index in closed]  # noqa: E731
    expected = trl_rewards.accuracy_reward(chats(pick(texts)), [f"${truth}$" for truth in pick(truths)])
    assert values("math", pick(samples)) == expected
    scaled = trl_rewards.get_cosine_scaled_reward(100)(chats(pick(texts)), [f"${t}$" for t in pick(truths)], pick(ids))
    assert values("cosine(math, max_length=100)", pick(samples)) == pytest.approx(scaled)


def test_reasoning_accuracy(answers):
    texts, truths, _ = (list(column) for column in zip(*answers, strict=True))
    samples = [Sample(completion=t, ground_truth=g) for t, g, _ in answers]
    expected = trl_rewards.reasoning_accuracy_reward(chats(texts), [f"${truth}$" for truth in truths])
    assert values("answer_only(math)", samples) == expected


def test_advantages_are_those_of_the_trainer():
    import torch

    from rewardkit.groups import advantages

    rng = random.Random(2)
    for _ in range(50):
        rewards = [rng.choice([0.0, 1.0, 0.5, -1.1]) for _ in range(8)]
        table = torch.tensor([rewards], dtype=torch.float64)
        centred = table - table.mean(dim=1, keepdim=True)
        scaled = centred / (table.std(dim=1, keepdim=True) + 1e-4)
        assert advantages(rewards, "grpo", epsilon=1e-4) == pytest.approx(scaled[0].tolist())
        assert advantages(rewards, "grpo_no_std") == pytest.approx(centred[0].tolist())
        others = (table.sum() - table) / 7
        assert advantages(rewards, "rloo") == pytest.approx((table - others)[0].tolist())
