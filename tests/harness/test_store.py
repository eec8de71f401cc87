"""A run and a journal are read as they were written."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import NotComparableError
from harness.generation import Generation
from harness.identity import source_of
from harness.journal import Journal
from harness.store import ANSWERS, PROBLEMS, RECORD, Problem, problem_hash, read_run, to_answer, write_run
from rewardkit import Score

PROBLEM = Problem(
    task="toy", doc_id=0, hash=problem_hash("1 + 1", "2"), data_source="toy", question="1 + 1", prompt="1 + 1",
    target="2", ground_truth="2", reward="math",
)  # fmt: skip
IDENTITY = {"model": ["stub", {}]}
TEXTS = st.sampled_from(["", " ", "\\boxed{2}", "<think>", "<think>so</think>2", "é\u2028\x00"]) | st.text(max_size=5)
COUNTS = st.none() | st.integers(0, 2**40)
CONVERSATIONS = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXTS}), max_size=3
).map(tuple)
GENERATIONS = st.builds(
    Generation, key=TEXTS, task=st.just("toy"), doc_id=st.just(0), rep=st.integers(0, 3), seed=st.integers(0, 2**32),
    text=TEXTS, reasoning=st.none() | TEXTS, finish_reason=st.sampled_from([None, "stop", "length", "content_filter"]),
    tokens=COUNTS, prompt_tokens=COUNTS, reasoning_tokens=COUNTS, messages=st.none() | CONVERSATIONS,
    turns=st.integers(0, 9), tool_calls=st.integers(0, 9), tool_errors=st.integers(0, 9),
    stopped=st.sampled_from([None, "max_turns", "budget"]), error=st.sampled_from([None, "HTTP 500"]),
    latency_s=st.none() | st.floats(0, 1e6), model=st.none() | st.just("served"), source=st.just(source_of(IDENTITY)),
)  # fmt: skip
SCORES = st.none() | st.builds(
    Score.of, st.booleans(), answer=st.none() | TEXTS, reason=TEXTS, parts=st.dictionaries(TEXTS, st.none() | st.floats(-9, 9))
)  # fmt: skip


@pytest.mark.parametrize(("tokens", "reasoning", "length"), [(7, "r" * 80, 7), (None, "r" * 80, 30), (None, None, 10)])
def test_without_a_count_of_tokens_an_answer_has_one_for_four_characters(tokens, reasoning, length):
    made = Generation(key="k", task="toy", doc_id=0, rep=0, seed=0, text="t" * 40, reasoning=reasoning, tokens=tokens)
    assert to_answer(PROBLEM, made, None).length == length


@settings(max_examples=100, deadline=None)
@given(made=st.lists(GENERATIONS, max_size=3, unique_by=lambda each: each.key))
def test_each_answer_is_in_the_journal_as_it_was_received(made, tmp_path_factory):
    run = tmp_path_factory.mktemp("run")
    for each in made:  # each time the journal is opened anew, as by --resume
        with Journal(run) as journal:
            journal.append(each)
    with Journal(run) as journal:
        assert journal.answers == {each.key: each for each in made if each.error is None}


@given(made=st.lists(st.tuples(GENERATIONS, SCORES), max_size=3))
def test_each_answer_is_read_as_it_was_written(made, tmp_path_factory):
    run = tmp_path_factory.mktemp("run")
    answers = [to_answer(PROBLEM, generation, score) for generation, score in made]
    write_run(run, {"name": "m", "identity": IDENTITY}, [PROBLEM], answers)
    never_judged = {"messages": None}  # its row must hold nothing that `rewardkit score` could judge
    assert read_run(run).answers == [
        answer.model_copy(update=never_judged) if answer.error is not None or answer.filtered else answer
        for answer in answers
    ]
    rows = map(json.loads, (run / "answers.jsonl").read_text(encoding="utf-8").splitlines())
    assert all("completion" in row for row in rows)


@pytest.mark.parametrize("name", [RECORD, PROBLEMS, ANSWERS])
def test_a_changed_file_says_what_writes_it_again(run_of, tmp_path, name):
    """`--resume` begins with run.json, and can write the others."""
    run = tmp_path / "r"
    run_of(run, {"a": [True]})
    path = run / name
    path.write_text(path.read_text().replace("0", "1", 1))
    with pytest.raises(NotComparableError) as caught:
        read_run(run)
    assert f"{name} was changed" in str(caught.value)
    assert ("--resume" in str(caught.value)) is (name != RECORD)
