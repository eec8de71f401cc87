"""Rows of code data sets for tests, and what their tests ask for."""

from sandboxes.values import decode

LEETCODE = {
    "prompt": "from typing import *\ninf = float('inf')\n",
    "entry_point": "Solution().f",
    "test": "def check(candidate):\n    assert candidate(n = 2, xs = [1, -2]) == [inf, -1.5]\n",
}


TACO_CALL = {"inputs": [[1]], "outputs": [1], "fn_name": "f"}


def args_of(test):
    return tuple(decode(value) for value in test.call.args)


def kwargs_of(test):
    return {name: decode(value) for name, value in test.call.kwargs.items()}


HUMANEVAL = {
    "prompt": 'from typing import List\n\ndef helper(x):\n    return x\n\ndef f(x: List[int]) -> int:\n    """Doc."""\n',
    "entry_point": "f",
    "test": "METADATA = {}\n\ndef check(candidate):\n    assert candidate([1, 2]) == 3, 'no'\n    assert True\n",
}
