"""Contract tests over all registered attacks."""

import ast
import hashlib
import random
import re

import pytest
import recorded

from rewardkit import Sample
from rewardkit.attack import Attempt, Problem, registry
from rewardkit.attack.problem import CHARS_PER_TOKEN
from rewardkit.attack.rows import problem_of

PROMPT = (
    "Let $f(x) = x^2 + 3 = 7$. Evaluate $\\int_0^1 x^2 dx$, then 12 + 30.\n"
    "Input: nums = [1,2], k = 3\nOutput: [3, true]\nExplanation: none\n"
)
CALLS = {"inputs": [[[1, 2], 3]], "outputs": [[3, True]]}
TRUTHS = {
    "answer": ("1/3", "98765"),
    "stdin": ({"inputs": ["3\n"], "outputs": ["9\n"]}, {"inputs": ["4\n"], "outputs": ["17\n"]}),
    "function": ({**CALLS, "fn_name": "f"}, {**CALLS, "outputs": [[98765]], "fn_name": "f"}),
}
PROBLEMS = {
    "answer": Problem(PROMPT, common=("5", "7")),
    "stdin": Problem(PROMPT, "```python\n{answer}\n```", is_program=True),
    "function": Problem(PROMPT, "```python\n{answer}\n```", is_program=True, entry_point="f"),
    "method": Problem(PROMPT, "```python\n{answer}\n```", is_program=True, entry_point="Solution.f"),
    "empty": Problem(""),
}
each_attack = pytest.mark.parametrize("name", registry.choose())
each_problem = pytest.mark.parametrize("kind", PROBLEMS)


def attempts(name, problem, seed=0):
    return list(registry.choose([name])[name](problem, random.Random(seed)))


def programs(kind):
    for name in registry.choose():
        if name.startswith("program_"):
            for attempt in attempts(name, PROBLEMS[kind]):
                yield f"{name}: {attempt.variant}", re.search(r"```python\n(.*)\n```", attempt.text, re.DOTALL)[1]


@each_attack
def test_an_attack_says_what_it_does_and_why(name):
    first, _, reason = registry.choose([name])[name].__doc__.partition("\n\n")
    assert first
    assert len(reason.split()) > 10


@each_attack
@each_problem
def test_forms_are_named_once_and_make_samples(name, kind):
    made = attempts(name, PROBLEMS[kind])
    assert len({attempt.variant for attempt in made}) == len(made)
    for attempt in made:
        sample = attempt.on(Sample(prompt="p", ground_truth="g", extra_info={"num_turns": 40}))
        assert sample.completion == attempt.text
        assert sample.extra_info.get("num_turns") in {None, 2}
        assert sample.completion_tokens is not None


def test_a_completion_is_as_long_as_all_that_the_model_wrote():
    turns = ({"role": "assistant", "content": "x" * 400}, {"role": "tool", "content": None})
    alone, longer = (Attempt("form", "answer", turns=some).on(Sample(prompt="p")) for some in ((), turns))
    assert longer.completion_tokens - alone.completion_tokens == 400 // CHARS_PER_TOKEN


@each_attack
@each_problem
def test_an_attack_is_a_function_of_problem_and_seed(name, kind):
    assert attempts(name, PROBLEMS[kind], seed=3) == attempts(name, PROBLEMS[kind], seed=3)


def test_an_attack_writes_what_it_wrote_when_the_figures_were_measured():
    """The shares in docs/attack.md and the floors of CI are of these completions."""
    made = {
        f"{name}, {kind}": attempts(name, problem) for name in registry.choose() for kind, problem in PROBLEMS.items()
    }
    digests = {key: hashlib.sha256(repr(found).encode()).hexdigest()[:16] for key, found in made.items()}
    recorded.check("attack_attempts.txt", "".join(f"{digest} {key}\n" for key, digest in digests.items()))


@each_attack
@pytest.mark.parametrize("kind", TRUTHS)
def test_an_attack_never_sees_the_ground_truth(name, kind):
    one, other = (problem_of(Sample(prompt=PROMPT, ground_truth=truth), "{answer}", ("5",)) for truth in TRUTHS[kind])
    assert one == other
    assert not any("98765" in attempt.text for attempt in attempts(name, other))


@pytest.mark.parametrize("kind", ["answer", "function"])
def test_each_attack_has_something_to_try(kind):
    wanted = [name for name in registry.choose() if name.startswith("program_") == (kind == "function")]
    assert all(attempts(name, PROBLEMS[kind]) for name in wanted)


@pytest.mark.parametrize("kind", ["stdin", "function", "method"])
def test_programs_parse(kind):
    found = dict(programs(kind))
    assert len(found) > 60
    for source in found.values():
        ast.parse(source)


def test_a_table_of_samples_answers_the_samples():
    space = {}
    table = dict(programs("function"))["program_samples: a table of the samples"]
    exec(table, space)
    assert space["f"](nums=[1, 2], k=3) == [3, True]


def test_a_guess_is_what_the_answer_says():
    for attempt in attempts("constants", PROBLEMS["answer"]):
        assert f"\\boxed{{{attempt.guess}}}" in attempt.text


def test_an_attempt_with_turns_keeps_them_in_its_messages():
    turns = ({"role": "assistant", "content": "", "tool_calls": []}, {"role": "tool", "content": "1"})
    messages = Attempt("x", "end", turns=turns).on(Sample(prompt="p")).messages
    assert Attempt("x", "end").on(Sample(prompt="p")).messages is None
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
