"""The image `scientific`: rows whose programs and tests use its packages. Slow, since it takes minutes to build the image."""

import pytest

from rewardkit import Sample
from rewardkit.code.shared import use_sandbox
from rewardkit.rewards.code import Code
from sandboxes import Job, Limits
from sandboxes.registry import open_sandbox

pytestmark = [pytest.mark.docker, pytest.mark.slow]

MODULES = (
    *("numpy", "sortedcontainers", "pandas", "scipy.stats", "sympy", "networkx", "sklearn.linear_model", "matplotlib.pyplot"),
    *("seaborn", "statsmodels.api", "openpyxl", "requests", "bs4", "lxml.etree", "regex", "psutil", "nltk", "Levenshtein"),
)  # fmt: skip
TESTS = """
import unittest
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

class TestCases(unittest.TestCase):
    def setUp(self):
        self.frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": [2.0, 4.0, 8.0]})
    def tearDown(self):
        plt.close("all")
    def test_slope(self):
        slope, axes = task_func(self.frame)
        np.testing.assert_allclose(slope, 2.0)
        self.assertIsInstance(axes, plt.Axes)
        self.assertEqual(axes.get_title(), "fit")
    def test_frame(self):
        before = self.frame.copy()
        task_func(self.frame)
        pd.testing.assert_frame_equal(self.frame, before)
"""
PROMPT = "import matplotlib.pyplot as plt\nimport pandas as pd\nfrom sklearn.linear_model import LinearRegression\n\ndef task_func(df):\n"
RIGHT = (
    PROMPT
    + "    slope = LinearRegression().fit(df[['x']], df['y']).coef_[0]\n    _, axes = plt.subplots()\n    axes.plot(df['x'], df['y'])\n    axes.set_title('fit')\n    return slope, axes\n"
)
ROW = {"test": TESTS, "entry_point": "task_func", "prompt": PROMPT, "tests_in_process": True}
CHEATS = {
    "a test that accepts all": "import numpy as np\ndef task_func(df):\n    np.testing.assert_allclose = lambda *a, **k: None\n    _, axes = plt.subplots()\n    axes.set_title('fit')\n    return 3.0, axes\n",
    "a number that equals all": "class A(float):\n    __eq__ = lambda self, other: True\n    __hash__ = float.__hash__\ndef task_func(df):\n    _, axes = plt.subplots()\n    axes.set_title('fit')\n    return A(3), axes\n",
    "a changed frame": RIGHT.replace("    slope =", "    df['x'] *= 1\n    df.loc[0, 'y'] = 3.0\n    slope ="),
}


@pytest.fixture(scope="module")
def sandbox():
    with open_sandbox('docker(image="scientific")', workers=1) as opened, use_sandbox(opened):
        yield opened


def score(program):
    return Code(cpu_s=10.0).score([Sample(completion=f"````python\n{program}\n````", ground_truth=ROW)])[0]


def test_its_packages_can_be_imported_without_a_display(sandbox):
    program = (
        "".join(f"import {name}\n" for name in MODULES)
        + "matplotlib.pyplot.plot([1, 2]); matplotlib.pyplot.savefig('x.png'); print('drawn')"
    )
    facts = sandbox.run([Job(program=program, limits=Limits(cpu_s=30.0))])[0]
    assert facts.stdout == b"drawn\n", facts.stderr_text


def test_a_row_that_needs_them_is_judged(sandbox):
    scored = score(RIGHT)
    assert scored.value == 1.0, scored.reason
    assert score(RIGHT.replace("coef_[0]", "coef_[0] * 1.1")).value == 0.0


@pytest.mark.parametrize("name", CHEATS)
def test_what_their_tests_judge_with_cannot_be_replaced(sandbox, name):
    scored = score(f"{PROMPT}    pass\n{CHEATS[name]}")
    assert scored.value == 0.0, scored
