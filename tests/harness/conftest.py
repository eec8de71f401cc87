"""What the harness tests share: small local data, a stub server, a tiny random model."""

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # `small_lm_eval` is imported by name

GOLDS = {f"What is {a} times {b}?": str(a * b) for a in range(2, 8) for b in range(3, 6)}


@pytest.fixture(autouse=True)
def _no_shared_data(monkeypatch):
    monkeypatch.delenv("REWARDKIT_DATA", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module", params=["stand-in", pytest.param("real", marks=pytest.mark.engine)])
def lm_eval(request):
    """lm-eval, or where it is not installed what stands in for it."""
    import small_lm_eval

    with pytest.MonkeyPatch.context() as patch:
        if request.param == "stand-in":
            small_lm_eval.install(patch)
        yield request.param


@pytest.fixture(scope="session")
def small_data(tmp_path_factory) -> Path:
    """A data directory with a small `math500` and a small `gsm8k`."""
    root = tmp_path_factory.mktemp("data")
    rows = [{"problem": question, "answer": answer} for question, answer in GOLDS.items()]
    (root / "math500.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = [{"question": question, "answer": f"We multiply.\n#### {answer}"} for question, answer in GOLDS.items()]
    (root / "gsm8k.jsonl").write_text("".join(json.dumps(row) + "\n" for row in words))
    return root


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The large public data, where it is at hand."""
    root = Path(os.environ.get("REWARDKIT_DATA") or Path(__file__).parents[3] / "shared" / "data")
    if not (root / "index.json").is_file():
        pytest.skip(f"no shared data at {root}")
    return root


def variables():
    return {name: value for name, value in os.environ.items() if name.startswith("REWARDKIT_")}


@pytest.fixture
def harness(capfd):
    """Run `harness ARGS` in this process: code, stdout, stderr. No command leaves one of our variables changed."""
    from harness.cli import cli
    from rewardkit.cli import run

    def call(*args):
        capfd.readouterr()
        before = variables()
        code = run(cli, [str(arg) for arg in args])
        assert variables() == before
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


def make_run(directory, table, *, task="toy", k=None, name=None, reward="math", truncated=(), **record):
    """Write a finished run by hand: `table` maps a question to its answers, each True, False or None (failed)."""
    from harness.generation import Generation
    from harness.identity import source_of
    from harness.store import Problem, problem_hash, to_answer, write_run
    from rewardkit import Score

    repeats = k or max(len(outcomes) for outcomes in table.values())
    rewards = {reward: {reward: 1}}
    facts = {"version": "1.0", "repeats": repeats, "generation_kwargs": {"temperature": 1.0}}
    full = {
        "name": name or directory.name,
        "identity": {"model": ["stub", {}], "reward": None, "tasks": {task: {"repeats": repeats, "rewards": rewards}}},
        "tasks": {task: {**facts, "output_type": "generate_until"}},
        "reward": None,
        "rewards": rewards,
        "versions": {},
        **record,
    }
    problems, answers = [], []
    for doc_id, (question, outcomes) in enumerate(table.items()):
        problem = Problem(
            task=task,
            doc_id=doc_id,
            hash=problem_hash(question, "1"),
            data_source=task,
            question=question,
            prompt=question,
            target="1",
            ground_truth="1",
            reward=reward,
            version="1.0",
        )
        problems.append(problem)
        for rep, right in enumerate(outcomes):
            text = "so \\boxed{1}" if right else "so \\boxed{2}"
            generation = Generation(
                key=f"{doc_id}-{rep}",
                task=task,
                doc_id=doc_id,
                rep=rep,
                seed=rep,
                tokens=10 + doc_id,
                source=source_of(full["identity"]),
                text="" if right is None else text,
                error="HTTP 500" if right is None else None,
                finish_reason="length" if (doc_id, rep) in truncated else "stop",
            )
            score = None if right is None else Score.of(right, answer="1" if right else "2", reason="told so")
            answers.append(to_answer(problem, generation, score))
    directory.mkdir(parents=True, exist_ok=True)
    write_run(directory, full, problems, answers)
    return directory


@pytest.fixture
def run_of():
    """`make_run`, for tests that need finished runs without a model."""
    return make_run


@pytest.fixture
def golds() -> dict[str, str]:
    return dict(GOLDS)


@pytest.fixture
def stub(golds):
    """A server that is right 60 % of the time; change `stub.rule` to make it misbehave."""
    pytest.importorskip("aiohttp")
    from harness.fake_server import Stub, answering

    with Stub(answering(golds, 0.6)) as server:
        yield server


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """A random Qwen3 of 100k parameters with a chat template, saved as a local model."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp("tiny")
    letters = [chr(code) for code in range(32, 127)] + ["\n"]
    words = ["<unk>", "<eos>", "<|im_start|>", "<|im_end|>", *letters]
    core = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<unk>")
    )
    core.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    core.decoder = tokenizers.decoders.Fuse()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, unk_token="<unk>", eos_token="<eos>", pad_token="<eos>"
    )
    tokenizer.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    torch.manual_seed(0)
    config = transformers.Qwen3Config(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=64,
        max_position_embeddings=1024,
        eos_token_id=1,
        pad_token_id=1,
        bos_token_id=None,
    )
    transformers.Qwen3ForCausalLM(config).save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path
