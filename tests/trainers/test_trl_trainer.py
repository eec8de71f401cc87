"""The adapter inside a real GRPOTrainer, on a tiny random model whose rollouts are scripted."""

import types

import pytest

pytest.importorskip("trl")
import torch
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from trl.rewards import accuracy_reward, think_format_reward

from rewardkit import load
from rewardkit.interpreter import CodeInterpreter
from sandboxes import Execution
from sandboxes.backends.fake import FakeSandbox
from trainers.learn.calculator import CHARACTERS, WORDS, calculator
from trainers.learn.stages import CPU
from trainers.tiny import tiny_model, tiny_tokenizer
from trainers.trl import CodeEnvironment, code_interpreter, reward_func, reward_funcs, reward_weights

pytestmark = pytest.mark.trainer

CALL = '<tool_call>{"name": "calculator", "arguments": {"expression": "12*13"}}</tool_call>'
CODE = '<tool_call>{"name": "code_interpreter", "arguments": {"code": "print(12*13)"}}</tool_call>'
FINAL = "<think>12*13=156</think>\\boxed{156}"
SUM = "exact(tag='boxed') + 0.1 * think_format + 0.5 * overlong(max_tokens=60, buffer=20)"


@pytest.fixture
def tokenizer():
    words = (*WORDS, "<think>", "</think>", '{"name": "code_interpreter", "arguments": {"code": "print(')
    return tiny_tokenizer(words, CHARACTERS + '=()":,{}" abcdefghijklmnopqrstuvwxyz_')


def scripted(tokenizer, turns):
    """A random model whose `generate` writes the given turns; a turn counts the tool results in the prompt."""
    torch.manual_seed(0)
    model = tiny_model(tokenizer, hidden=32)
    tool = tokenizer.convert_tokens_to_ids("tool")
    end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id

    def generate(self, input_ids, **_options):
        texts = [turns[min(int((row == tool).sum()), len(turns) - 1)] for row in input_ids]
        rows = [[*tokenizer(text, add_special_tokens=False)["input_ids"], end] for text in texts]
        width = max(map(len, rows))
        new = torch.tensor([row + [pad] * (width - len(row)) for row in rows])
        return torch.cat([input_ids, new], dim=1)

    model.generate = types.MethodType(generate, model)
    return model


def train(tokenizer, turns, tmp_path, *, functions, weights=None, steps=1, rows=None, **options):
    args = GRPOConfig(
        output_dir=str(tmp_path),
        per_device_train_batch_size=4,
        num_generations=2,
        max_steps=steps,
        max_completion_length=100,
        reward_weights=weights,
        log_completions="log_completions" in options and options.pop("log_completions"),
        **CPU,
    )
    row = {"prompt": [{"role": "user", "content": "12*13"}], "ground_truth": "156", "solution": "\\boxed{156}"}
    trainer = GRPOTrainer(
        model=scripted(tokenizer, turns),
        reward_funcs=functions,
        args=args,
        train_dataset=Dataset.from_list(rows or [row] * 4),
        processing_class=tokenizer,
        **options,
    )
    trainer.train()
    return trainer.state.log_history[0]


def test_right_tool_rollouts_are_right_for_us_and_nothing_for_trls_own_rewards(tokenizer, tmp_path):
    log = train(
        tokenizer,
        [CALL, FINAL],
        tmp_path,
        functions=[*reward_funcs("tool_call(dapo_math) + 0.1 * think_format"), accuracy_reward, think_format_reward],
        tools=[calculator],
    )
    assert log["tools/call_frequency"] == 1.0
    assert log["tools/failure_frequency"] == 0.0
    assert (log["rewards/tool_call/mean"], log["rewards/think_format/mean"]) == (1.0, 1.0)
    assert (log["rewards/accuracy_reward/mean"], log["rewards/think_format_reward/mean"]) == (0.0, 0.0)


def test_wrong_tool_rollouts_are_paid_by_their_rounds(tokenizer, tmp_path):
    log = train(
        tokenizer,
        [CALL, CALL, CALL, "\\boxed{1}"],
        tmp_path,
        functions=[load("tool_call(dapo_math)")],
        tools=[calculator],
    )
    assert log["rewards/tool_call/mean"] == pytest.approx(-0.7)


def test_parts_and_weights_give_the_reward_that_the_sum_gives(tokenizer, tmp_path):
    parts = train(tokenizer, [FINAL], tmp_path, functions=reward_funcs(SUM), weights=reward_weights(SUM))
    whole = train(tokenizer, [FINAL], tmp_path, functions=[load(SUM)])
    assert parts["reward"] == pytest.approx(whole["reward"]) == pytest.approx(1.1)
    assert parts["rewards/exact/mean"] == 1.0
    assert whole["exact+think_format+overlong/think_format"] == 1.0
    assert whole["exact+think_format+overlong/unjudged"] == 0.0


def test_awaitable_functions_run_on_trls_loop(tokenizer, tmp_path):
    functions = reward_funcs(SUM, overlapped=True)
    log = train(tokenizer, [FINAL], tmp_path, functions=functions, weights=reward_weights(SUM))
    assert log["reward"] == pytest.approx(1.1)


def test_text_prompts_work_as_well_as_chats(tokenizer, tmp_path):
    rows = [{"prompt": "12*13", "answer": "156"}] * 4
    log = train(tokenizer, [FINAL], tmp_path, functions=[reward_func("exact(tag='boxed')")], rows=rows)
    assert log["reward"] == 1.0


def test_unjudged_rows_are_left_out_of_the_reward(tokenizer, tmp_path):
    rows = [{"prompt": "12*13", "answer": "156"}, {"prompt": "12*13", "answer": None}] * 2
    log = train(tokenizer, [FINAL], tmp_path, functions=[load("exact(tag='boxed')")], rows=rows, steps=1)
    assert log["reward"] == 1.0
    assert log["exact/unjudged"] == 0.5


def test_an_isolated_reward_that_loops_costs_its_rows_and_the_step_goes_on(tokenizer, tmp_path):
    file = tmp_path / "own.py"
    file.write_text("def own(sample):\n    while sample.ground_truth == 'loop': pass\n    return 0.75\n")
    rows = [{"prompt": "12*13", "answer": "156"}, {"prompt": "12*13", "answer": "loop"}] * 2
    log = train(tokenizer, [FINAL], tmp_path, functions=[load(f"isolated({file}:own, row_timeout_s=1)")], rows=rows)
    assert log["reward"] == 0.75
    assert log["own/unjudged"] == 0.5


def test_verdicts_and_answers_stand_in_the_completions_table(tokenizer, tmp_path):
    import pyarrow.parquet

    train(tokenizer, [FINAL], tmp_path, functions=[load(SUM)], log_completions=True)
    (file,) = (tmp_path / "completions").glob("*.parquet")
    table = pyarrow.parquet.read_table(file).to_pydict()
    assert table["exact+think_format+overlong/verdict"] == ["correct"] * 4
    assert table["exact+think_format+overlong/answer"] == ["156"] * 4


@pytest.mark.parametrize("as_environment", [False, True])
def test_the_code_interpreter_answers_the_models_calls(tokenizer, tmp_path, as_environment):
    box = FakeSandbox(lambda job: Execution(exit_code=0, stdout=b"156\n"))
    interpreter = CodeInterpreter(box=box)

    class Environment(CodeEnvironment):
        pass

    Environment.interpreter = interpreter
    options = {"environment_factory": Environment} if as_environment else {"tools": [code_interpreter(box=box)]}
    log = train(tokenizer, [CODE, FINAL], tmp_path, functions=[load("tool_call(dapo_math)")], **options)
    assert log["reward"] == 1.0
    assert log["tools/call_frequency"] == 1.0
    assert [job.program for job in box.seen] == ["print(12*13)"] * 4
