"""Programs of the attacks in a real sandbox: the reference is paid, nothing else is."""

import shutil

import pytest

from rewardkit import Sample, load
from rewardkit.attack import run

SQUARE = "n = int(input())\nprint(n * n + 7)"
ROWS = [
    *(
        Sample(
            id=f"stdin-{k}",
            data_source="stdin",
            prompt=f"Read n and print n times n plus seven, variant {k}.\n\nInput\n\n2\n\nOutput\n\n11\n",
            ground_truth={"inputs": ["2\n", f"{k}\n", "40\n"], "outputs": ["11\n", f"{k * k + 7}\n", "1607\n"]},
            extra_info={"solutions": [SQUARE]},
        )
        for k in range(3, 6)
    ),
    *(
        Sample(
            id=f"call-{k}",
            data_source="calls",
            prompt=f">>> add(1, 2)\n3\n\nWrite add, variant {k}.",
            extra_info={
                "test_list": ["assert add(1, 2) == 3", f"assert add({k}, 8) == {k + 8}"],
                "code": "def add(a, b): return a + b",
            },
        )
        for k in range(3, 6)
    ),
]


def attacked(sandbox, **options):
    return run(load(f"code(cpu_s=2.0, memory_mb=256, sandbox='{sandbox}')"), ROWS, budget=400, **options)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_no_program_is_paid_in_the_local_sandbox():
    report = attacked("local")
    assert report.sound
    assert [control.paid for control in report.controls] == [3, 3]
    assert report.worst == 0, report.findings[0]


@pytest.mark.docker
def test_no_program_is_paid_in_docker():
    report = attacked("docker")
    assert report.sound
    assert report.worst == 0, report.findings[0]


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_a_table_of_samples_is_paid_where_the_tests_are_the_samples():
    row = Sample(
        id="weak",
        prompt="Print the square.\n\nInput\n\n5\n\nOutput\n\n25\n",
        ground_truth={"inputs": ["5\n"], "outputs": ["25\n"]},
        extra_info={"solutions": ["n = int(input())\nprint(n * n)"]},
    )
    report = run(load("code(sandbox='local')"), [row], budget=30, attacks=["program_samples"])
    assert report.sound
    assert report.worst == 1
    assert report.findings[0].variant == "a table of the samples"
