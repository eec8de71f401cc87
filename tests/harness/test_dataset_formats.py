"""Rows of public benchmarks become the questions and ground truths that are recorded; each family has rows in the spellings of its sources."""

import json

import pytest
import recorded

from harness.dataset_formats import SHAPES, answer_text, question_hash

CALLS = {"inputs": ["1\n"], "outputs": ["2\n"]}
ROWS = {
    "math": [
        {"problem": " What is 1 + 1? ", "answer": "2"},
        {"question": "Half?", "ground_truth": 0.5, "problem_is_valid": "Yes"},
        {"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}], "reward_model": {"ground_truth": "27"}},
        {"problem": "Find x.", "solution": "So \\boxed{3}, no: \\boxed{4}."},
        {"problem": "Find x.", "final_answer": 27.0},
        {"problem": "How many? Let's think step by step and output the answer.", "answer": 7},
        {"problem": f"Let's think step by step is said early. {'x ' * 80}", "answer": 7},
        {"problem": "Prove it.", "answer": "proof"},
        {"problem": "Prove it.", "answer": "4", "question_type": "proof"},
        {"problem": "Bad.", "answer": "4", "problem_is_valid": "Incomplete"},
        {"problem": "None.", "answer": " NotFound "},
        {"problem": "None.", "solution": "no box"},
        {"problem": "None."},
    ],
    "gsm8k": [{"question": " Q? ", "answer": "2 * 3 = 6\n#### 1,200 "}, {"question": "Q?", "answer": "7"}],
    "olympiadbench": [
        {"question": " Q? ", "final_answer": ["$3$"], "is_multiple_answer": False, "unit": None},
        {"question": "Q?", "final_answer": "4,5", "is_multiple_answer": True, "unit": "m", "context": " Given. "},
    ],
    "gpqa": [
        {"Question": f"Q{n}?", "Correct Answer": " right ", "Incorrect Answer 1": "a", "Incorrect Answer 2": "b", "Incorrect Answer 3": "c"}
        for n in range(6)
    ],
    "taco": [
        {"question": " Q? ", "input_output": json.dumps(CALLS), "solutions": json.dumps(["first", "second"]), "starter_code": "def f(): pass"},
        {"problem": "Q?", "tests": CALLS, "solutions": ["only"]},
        {"question": "Q?", "input_output": CALLS, "solutions": "  "},
        {"question": "Q?", "input_output": " "},
        {"question": "Q?", "input_output": {"inputs": [], "outputs": []}},
        {"question": "Q?"},
    ],
    "leetcode": [
        {"prompt": "import math", "test": "def check(c): pass", "entry_point": "Solution().f", "query": " Q? ", "completion": "x = 1"},
        {"prompt": "", "test": "t", "entry_point": "f", "problem_description": "D", "query": "Q", "starter_code": "s", "input_output": [1]},
    ],
    "humaneval": [{"prompt": "def f():\n", "test": "t", "entry_point": "f", "canonical_solution": "    return 1\n"}],
    "mbpp": [
        {"task_id": number, "text": " Add. ", "test_list": ["assert f(1) == 2", "assert f(2) == 3"], "code": "def f(x): return x + 1"}
        for number in (10, 11, 510, 511)
    ]
    + [
        {"task_id": 20, "text": "T", "test_list": ["assert f(a)"], "test_setup_code": "a = Node(1)", "code": "class Node:\n    pass"},
        {"task_id": 21, "text": "T", "test_list": ["assert f(a)"], "test_setup_code": "a = 1", "code": "class Node:\n    pass"},
    ],
    "livecodebench": [
        {"problem": " Q? ", "tests": [{"input": "1\n", "output": "2\n", "testtype": "stdin"}]},
        {
            "question_content": "Q?",
            "public_test_cases": json.dumps([{"input": "[1, 2]\n\n3", "output": "4", "testtype": "functional"}]),
            "starter_code": "def helper(x): pass\nclass Solution:\n    def add(self, xs, y):\n        ",
        },
        {"question_content": "Q?", "tests": [{"input": "1", "output": "2", "testtype": "functional"}], "starter_code": "def f(x):"},
        {"question_content": "Q?", "tests": [{"input": "1", "output": "2", "testtype": "functional"}], "starter_code": None},
    ],
}  # fmt: skip


def test_every_family_has_rows():
    assert ROWS.keys() == SHAPES.keys()


def test_rows_become_the_docs_that_are_recorded():
    made = [f"{name} {json.dumps(SHAPES[name](row))}\n" for name, rows in ROWS.items() for row in rows]
    recorded.check("dataset_formats.txt", "".join(made))


def test_options_are_in_one_order_and_the_letter_names_the_right_one():
    docs = [SHAPES["gpqa"](row) for row in ROWS["gpqa"]]
    assert all(doc["choices"]["ABCD".index(doc["ground_truth"])] == "right" for doc in docs)
    assert len({doc["ground_truth"] for doc in docs}) > 1
    assert docs == [SHAPES["gpqa"](row) for row in ROWS["gpqa"]]


@pytest.mark.parametrize(("answer", "text"), [(27.0, "27"), (2.5, "2.5"), (3, "3"), (" x ", "x")])
def test_whole_floats_lose_their_point(answer, text):
    assert answer_text(answer) == text


def test_a_question_has_one_hash_whatever_its_white_space():
    assert question_hash("a  b\n") == question_hash(" a b") != question_hash("ab")
    assert len(question_hash("a")) == 16
