# Before a program whose tests run beside it: what tests judge with, as it is before the program.
import builtins
import math
import sys
import unittest
import unittest.mock


class _RewardkitTools:
    """Functions of unittest, of the builtins and of numpy's and pandas' testing, to see whether the program put others in their place."""

    def __init__(self):
        mock = unittest.mock.NonCallableMock
        places = [builtins, math, unittest.TestCase, unittest.TestResult, mock]
        places += [
            sys.modules[name] for name in ("numpy", "numpy.testing", "pandas", "pandas.testing") if name in sys.modules
        ]
        self.places = [(place, dict(vars(place))) for place in places]

    def check(self):
        for place, before in self.places:
            now = vars(place)
            for name, tool in before.items():
                if callable(tool) and now.get(name) is not tool:
                    raise AssertionError(f"{place.__name__}.{name} is not what it was before the program")
        if sys.gettrace() or sys.getprofile():
            raise AssertionError("the program traces its tests")


_rewardkit_tools = _RewardkitTools()
