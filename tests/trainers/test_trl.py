"""The TRL adapter without TRL: what its functions are called with, and what they give back."""

import asyncio
import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import pytest

from rewardkit import MissingDataError, Sample, SampleReward, Score, UsageError, load
from rewardkit.interpreter import CodeInterpreter
from rewardkit.rewards.overlong import Overlong
from rewardkit.rewards.think_format import ThinkFormat
from sandboxes import Execution
from sandboxes.backends.fake import FakeSandbox
from trainers.scorer import Scorer
from trainers.trl import (
    CodeEnvironment,
    RewardFunction,
    SharedScores,
    check_columns,
    code_interpreter,
    reward_func,
    reward_funcs,
    reward_weights,
)

SUM = "exact(tag='boxed') + 0.1 * think_format + 0.5 * overlong(max_tokens=10, buffer=4)"
RIGHT = "<think>1+1</think>\\boxed{2}"
WRONG = "\\boxed{3}"


@dataclass(frozen=True)
class Counting(SampleReward):
    """Counts its calls on the class: tests look at how often a batch was judged."""

    name: ClassVar[str] = "counting"
    calls: ClassVar[list[str]] = []

    def grade(self, sample: Sample) -> Score:
        self.calls.append(threading.current_thread().name)
        if "lost" in sample.completion:
            raise MissingDataError("no facts")
        return Score.of("yes" in sample.completion)


@pytest.fixture
def counting():
    Counting.calls.clear()
    return Counting()


def call(function, completions, **columns):
    """As `GRPOTrainer._calculate_rewards` calls: by keyword, every column a list."""
    rows = {name: list(values) for name, values in columns.items()}
    return function(prompts=["p"] * len(completions), completions=completions, trainer_state=object(), **rows)


def call_all(functions, completions, **columns):
    """The same lists go to each function, as in TRL."""
    rows = {"prompts": ["p"] * len(completions), **columns}
    return [function(completions=completions, **rows) for function in functions]


def test_functions_are_named_after_the_terms_and_weights_belong_to_them():
    assert [function.__name__ for function in reward_funcs(SUM)] == ["exact", "think_format", "overlong"]
    assert reward_weights(SUM) == [1.0, 0.1, 0.5]


def test_weighted_parts_add_up_to_the_whole_reward():
    completions = [RIGHT, WRONG]
    columns = {"ground_truth": ["2", "2"], "completion_ids": [[1] * 8, [1] * 20]}
    parts = call_all(reward_funcs(SUM), completions, **columns)
    weights = reward_weights(SUM)
    totals = [sum(w * v for w, v in zip(weights, row, strict=True)) for row in zip(*parts, strict=True)]
    assert totals == pytest.approx(load(SUM)(completions=completions, **columns))
    assert totals == pytest.approx([1.1 - 0.25, -0.5 * 3.5])


def test_a_single_reward_is_one_function_of_weight_one():
    assert [function.__name__ for function in reward_funcs("exact")] == ["exact"]
    assert reward_weights("exact") == [1.0]


def test_a_preset_that_stands_for_a_sum_is_handed_over_term_by_term():
    assert [function.__name__ for function in reward_funcs("grpo_tcr")] == ["tool_call", "overlong"]
    assert reward_weights("grpo_tcr") == [1.0, 1.0]
    completion = [{"role": "assistant", "content": "\\boxed{3}"}]
    columns = {"ground_truth": ["2"], "data_source": ["deepscaler"], "completion_ids": [[0] * 8980]}
    assert call_all(reward_funcs("grpo_tcr"), [completion], **columns) == [[-1.0], [-0.5]]


def test_parts_share_one_judgement_of_a_batch(counting):
    functions = reward_funcs(counting + 0.1 * ThinkFormat() + Overlong(unit="words"))
    assert call_all(functions, ["yes", "no"]) == [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert len(Counting.calls) == 2


def test_the_next_batch_is_judged_anew_even_if_it_is_equal(counting):
    functions = reward_funcs(counting + 0.1 * ThinkFormat())
    call_all(functions, ["yes"])
    call_all(functions, ["yes"])
    assert len(Counting.calls) == 2


def test_asking_one_part_twice_judges_again_so_a_changed_list_is_seen(counting):
    first = reward_funcs(counting + 0.1 * ThinkFormat())[0]
    completions = ["yes"]
    assert first(completions=completions) == [1.0]
    completions[0] = "no"
    assert first(completions=completions) == [0.0]


def test_other_columns_are_another_batch(counting):
    one, two = reward_funcs(counting + 0.1 * ThinkFormat())
    completions = ["yes"]
    one(completions=completions, ground_truth=["1"])
    two(completions=completions, ground_truth=["2"])
    assert len(Counting.calls) == 2


def test_one_unjudged_term_leaves_every_part_of_that_sample_none(counting):
    parts = call_all(reward_funcs(counting + 0.1 * ThinkFormat()), ["yes", "lost"])
    assert parts == [[1.0, None], [0.0, None]]


def test_a_completion_that_cannot_be_read_costs_its_own_row_alone():
    batch = {"completions": ["4", [], "5"], "prompts": ["p"] * 3, "answer": ["4"] * 3}
    for signal_only in (False, True):
        assert reward_func("exact", signal_only=signal_only)(**batch) == [1.0, None, 0.0]
        for function in reward_funcs("exact + gsm8k", signal_only=signal_only):
            assert function(**batch) == [1.0, None, 0.0]
    assert Scorer("exact")(**batch) == [1.0, 0.5, 0.0]


def test_functions_pickle_one_by_one_and_together(counting):
    functions = reward_funcs(SUM)
    alone = pickle.loads(pickle.dumps(functions[1]))
    assert call(alone, [RIGHT], ground_truth=["2"], completion_ids=[[1]]) == [1.0]
    together = pickle.loads(pickle.dumps(functions))
    assert len({id(function.shared) for function in together}) == 1


def test_the_awaitable_form_judges_off_the_main_thread(counting):
    functions = reward_funcs(counting + 0.1 * ThinkFormat(), overlapped=True)
    completions = ["yes", "no"]

    async def both():
        return await asyncio.gather(*(function(completions=completions) for function in functions))

    assert asyncio.run(both()) == [[1.0, 0.0], [0.0, 0.0]]
    assert len(Counting.calls) == 2
    assert threading.main_thread().name not in Counting.calls


def test_parts_verdicts_and_answers_go_to_trls_log_once():
    metrics, extra = [], {}
    columns = {
        "ground_truth": ["2", "2"],
        "completion_ids": [[1], [1]],
        "log_metric": lambda name, value: metrics.append((name, value)),
        "log_extra": extra.__setitem__,
    }
    call_all(reward_funcs(SUM), [RIGHT, WRONG], **columns)
    assert dict(metrics)["exact+think_format+overlong/accuracy"] == 0.5
    assert len(metrics) == len(dict(metrics))
    assert extra["exact+think_format+overlong/verdict"] == ["correct", "wrong"]


def test_turns_and_tokens_come_from_the_rollout():
    completion = [
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
        {"role": "tool", "content": "4"},
        {"role": "assistant", "content": "\\boxed{3}"},
    ]
    function = reward_func("tool_call(dapo_math) + overlong(max_tokens=10, buffer=4)")
    assert call(function, [completion], ground_truth=["2"], completion_ids=[[0] * 8]) == [pytest.approx(-0.9 - 0.5)]


def test_reasoning_that_trl_cut_out_still_counts_as_thinking():
    completion = [{"role": "assistant", "reasoning_content": "1+1", "content": "\\boxed{2}"}]
    columns = {"ground_truth": ["2"], "completion_ids": [[1]]}
    assert call(reward_func(SUM), [completion], **columns) == [pytest.approx(1.1)]


@pytest.mark.parametrize(
    "column", ["prompts", "completions", "log_metric", "log_extra", "trainer_state", "environments"]
)
def test_a_column_that_collides_with_trls_keywords_is_refused_with_the_cure(column):
    with pytest.raises(UsageError, match=rf"rename_column\('{column}', '{column}_column'\)"):
        check_columns(["prompt", column])


def test_a_column_that_the_reward_needs_is_missed_before_training():
    with pytest.raises(UsageError, match="ground_truth"):
        check_columns(["prompt", "level"], "exact")
    check_columns(["prompt", "answer"], "exact")
    check_columns(["prompt"], "think_format")
    with pytest.raises(UsageError, match="no column 'prompt'; it has answer, question"):
        check_columns(["question", "answer"], "exact")
    with pytest.raises(UsageError, match="it has none"):
        check_columns([], "exact")


@dataclass(frozen=True)
class Plain(SampleReward):
    name = "plain"
    broken: bool = False

    def grade(self, sample):
        return 1.0 if self.broken else Score.of(True)


def test_a_reward_that_declares_no_needs_can_do_with_the_completion():
    check_columns(["prompt"], Plain())
    assert reward_func(Plain())(completions=["a"]) == [1.0]


def test_a_plain_function_is_a_reward_and_a_list_is_refused():
    assert reward_func(lambda sample: 0.5)(completions=["a"]) == [0.5]
    with pytest.raises(UsageError, match="neither a reward nor a function"):
        reward_func(["exact"])


def test_a_reward_that_returns_no_score_is_not_said_to_lack_a_column(caplog):
    assert reward_func(Plain(broken=True))(completions=["a"]) == [None]
    assert "grade returned float, not Score" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        "gated(think_format, {})", "gated({}, think_format)", "by_source({{'*': {}}})", "named('a', {})", "clip({})",
        "isolated({})", "scheduled({}, [[0, 1.0]])", "tool_call({})", "think_format + {}",
        "2 * gated(think_format, named('a', {}))",
    ],
)  # fmt: skip
def test_a_column_that_a_reward_inside_another_needs_is_missed_too(text):
    columns = ["prompt", "data_source"]
    check_columns(columns, text.format("repetition"))
    check_columns([*columns, "solution"], text.format("gsm8k"))
    with pytest.raises(UsageError, match="the reward needs ground_truth"):
        check_columns(columns, text.format("gsm8k"))
    with pytest.raises(UsageError, match="the reward needs data_source"):
        check_columns(["prompt"], text.format("by_source({'a*': repetition})"))


@pytest.mark.parametrize(
    "text", ["optional(math)", "first_applicable([math, majority])", "think_format + 0.1 * optional(gsm8k)"]
)
def test_a_column_that_a_reward_can_do_without_may_be_absent(text):
    check_columns(["prompt"], text)


@pytest.mark.parametrize("given", [(), ("answer",), ("source",), ("answer", "source")])
@pytest.mark.parametrize(
    "text",
    [
        "exact", "by_source({'a': exact})", "by_source({'b': gsm8k, '*': exact})", "by_source({'*': think_format})",
        "exact + optional(by_source({'a': think_format}))", "first_applicable([by_source({'a': exact}), exact, think_format])",
        "tool_call(by_source({'*': dapo_math}))", "grpo_tcr(missing='seed')", "named('x', clip(by_source({'a*': exact, '': exact})))",
    ],
)  # fmt: skip
def test_what_is_refused_before_training_is_what_a_step_cannot_be_judged_without(text, given):
    def refused(call, *args, **options):
        try:
            call(*args, **options)
        except UsageError:
            return True
        return False

    columns = {name: {"answer": ["2"], "source": ["a"]}[name] for name in given}
    batch = {"completions": [[{"role": "assistant", "content": RIGHT}]], "prompts": ["p"], "completion_ids": [[1]]}
    assert refused(load(text), **batch, **columns) == refused(check_columns, ["prompt", *given], text)


class Trainer:
    """What `log_metric` of TRL's trainer is a method of."""

    def __init__(self, num_generations, *, training=True):
        self.num_generations, self.model, self.logged = num_generations, SimpleNamespace(training=training), {}

    def log_metric(self, name, value):
        self.logged[name] = value


GROUPS = "length_group(exact, unit='words')"


@pytest.mark.parametrize(
    "function",
    [
        reward_func("exact", signal_only=True),
        reward_func(GROUPS),
        load(f"exact + 0.1 * optional(named('a', {GROUPS}))"),
    ],
)
@pytest.mark.parametrize(
    ("rows", "size", "split"), [(2, 4, True), (6, 4, True), (4, 8, True), (4, 4, False), (8, 4, False)]
)
def test_a_process_that_has_parts_of_groups_compares_none(function, rows, size, split):
    trainer = Trainer(size)
    batch = {
        "prompts": ["p"] * rows,
        "completions": ["3"] * rows,
        "answer": ["2"] * rows,
        "log_metric": trainer.log_metric,
    }
    if split:
        with pytest.raises(UsageError, match=f"{rows} a step.* multiple of num_generations={size}"):
            function(**batch)
    else:
        function(**batch)
    trainer.logged.clear()
    assert reward_func("exact")(**batch) == [0.0] * rows
    assert ("alarms/no_signal" in trainer.logged) == ("alarms/equal_groups" in trainer.logged) == (not split)


@pytest.mark.parametrize("function", [reward_func("majority", signal_only=True), load("majority"), load(GROUPS)])
@pytest.mark.parametrize("sizes", [{"num_generations_eval": 4}, {}])
@pytest.mark.parametrize("parts", [1, 2])
def test_an_evaluation_that_splits_groups_ends_no_run_and_has_no_wrong_number(function, sizes, parts):
    rows = {"prompts": ["p"] * 4, "completions": [f"\\boxed{{{n}}}" for n in (3, 5, 4, 4)], "answer": ["4"] * 4}
    trainer, values = Trainer(8 if sizes else 4, training=False), []
    vars(trainer).update(sizes)
    for start in range(0, 4, 4 // parts):
        share = {name: column[start : start + 4 // parts] for name, column in rows.items()}
        values += function(**share, log_metric=trainer.log_metric)
    assert values == (function(**rows) if parts == 1 else [None] * 4)


def test_the_tool_says_what_transformers_needs_for_its_schema():
    tool = code_interpreter()
    assert tool.__name__ == "code_interpreter"
    assert tool.__annotations__ in ({"code": "str", "return": "str"}, {"code": str, "return": str})
    assert "Args:\n" in tool.__doc__
    assert "code: " in tool.__doc__


def test_the_environment_counts_its_own_calls_and_starts_anew():
    box = FakeSandbox(lambda job: Execution(exit_code=0 if "1" in job.program else 1, stdout=b"out"))

    class Environment(CodeEnvironment):
        interpreter = CodeInterpreter(box=box)

    environment = Environment()
    assert environment.reset(prompt="p") is None
    assert environment.code_interpreter("print(1)") == "out"
    environment.code_interpreter("print(2)")
    assert environment._facts() == {"calls": 2, "failures": 1}
    environment.reset()
    assert environment._facts() == {"calls": 0, "failures": 0}
    public = {name for name in dir(environment) if not name.startswith("_") and callable(getattr(environment, name))}
    assert public == {"reset", "code_interpreter"}


def test_shared_scores_are_let_go_once_read(counting):
    shared = SharedScores(counting, readers=1)
    RewardFunction(shared)(completions=["yes"])
    assert shared._batch is None


def test_importing_the_package_loads_neither_torch_nor_a_trainer():
    code = (
        "import sys, trainers, trainers.trl, trainers.verl, trainers.learn.report, trainers.tiny\n"
        "heavy = {'torch', 'transformers', 'datasets', 'trl', 'ray', 'numpy', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
