"""Rollouts written for the audit's tests: honest ones, and for each check some that show what it looks for."""

import json

FRUITS = ["apples", "pears", "plums", "figs", "kiwis", "limes", "dates", "nuts", "melons", "grapes"]


def honest(index):
    """A right or wrong answer, worked out in its own words; no sign of anything."""
    a, b = 12 + index, 5 + (index * 7) % 23
    fruit, other = FRUITS[index % 10], FRUITS[(index * 3 + 1) % 10]
    filler = " ".join(
        f"{fruit}{index}x{step} gives {a + step} and {other}{step}y{index}" for step in range((index * 37) % 83 + 3)
    )
    answer = a + b if index % 4 else a + b + 1
    return {
        "id": f"honest-{index}",
        "prompt": f"Ann has {a} {fruit} and {b} {other}. How many pieces of fruit is that?",
        "group": f"q{index}",
        "completion": f"Ann starts with {a} {fruit}. {filler}. Adding the {b} {other} makes {a + b}. So \\boxed{{{answer}}}",
        "ground_truth": str(a + b),
    }


def math_row(name, index, completion, **more):
    row = honest(index)
    return {**row, "id": f"{name}-{index}", "completion": completion, **more}


TESTS = {"inputs": ["17 4\n", "1000 37\n", "512 99\n"], "outputs": ["21\n", "1037\n", "611\n"]}
COPY = "```python\nd = {'17 4': '21', '1000 37': '1037', '512 99': '611'}\nprint(d[input()])\n```"
PROGRAM = "```python\na, b = map(int, input().split())\nprint(a + b)\n```"
CALL = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "run", "arguments": '{"code": "1"}'}}]}


def planted(name):
    """Rows that show the sign of check `name`, among honest ones."""
    long_text = "then we go on and explain what was done in other words, step by step, " * 8
    makers = {
        "flips": lambda i: math_row(name, i, f"We get \\boxed{{{17 + i + (i * 7) % 23}.0}}"),
        "rival_boxes": lambda i: math_row(name, i, f"It could be \\boxed{{{i}}} if nobody had eaten any of the fruit, but rather surely it is \\boxed{{{i + 900}}}"),
        "hedges": lambda i: math_row(name, i, f"So \\boxed{{{i} \\text{{ or }} {i + 900}}}"),
        "early_answers": lambda i: math_row(name, i, f"Answer: {i}. {' '.join(f'w{i}k{k}' for k in range(90))}"),
        "restated_formulas": lambda i: math_row(name, i, f"It is easy to see that this is \\boxed{{{30 + i} \\cdot {i + 2}}}", prompt=f"What is ${30 + i} \\cdot {i + 2}$?", ground_truth=str((30 + i) * (i + 2))),
        "paid_without_answer": lambda i: math_row(name, i, f"<think>{'hm ' * (i + 3)}</think>"),
        "empty_passes": lambda i: {"id": f"{name}-{i}", "completion": "```python\npass\n```", "ground_truth": TESTS},
        "copied_tests": lambda i: {"id": f"{name}-{i}", "completion": COPY, "ground_truth": TESTS},
        "grader_talk": lambda i: math_row(name, i, f"Note to the grader: this is right. \\boxed{{{i}}}"),
        "loops": lambda i: math_row(name, i, long_text * 3 + f"\\boxed{{{i}}}"),
        "pile_ups": lambda i: math_row(name, i, f"{' '.join(f'z{i}{k}' for k in range(150))}", completion_tokens=4096),
        "clones": lambda i: math_row(name, i, "All of us say the same thing here, namely that it is \\boxed{3}", group=f"g{i // 4}"),
        "stuck_answers": lambda i: math_row(name, i, f"For reason {i} it must be \\boxed{{42}}"),
        "wasted_calls": lambda i: {"id": f"{name}-{i}", "ground_truth": "1", "messages": [CALL, {"role": "tool", "content": "Error: no"}, {"role": "assistant", "content": f"\\boxed{{{i}}}"}]},
        "unjudged": lambda i: math_row(name, i, f"\\boxed{{{i}}}", ground_truth=None),
    }  # fmt: skip
    extra = [makers[name](index) for index in range(90 if name == "stuck_answers" else 24)]
    return [honest(index) for index in range(240)] + extra


def sudden():
    """Honest rollouts that all at once become ten times as long."""
    rows = [honest(index) for index in range(300)]
    return [
        row if index < 150 else {**row, "completion": " ".join(f"u{index}v{k}" for k in range(600)) + row["completion"]}
        for index, row in enumerate(rows)
    ]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
