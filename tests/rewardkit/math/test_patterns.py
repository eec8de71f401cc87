"""Patterns that are compiled at their first use."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

from rewardkit import math
from rewardkit.math.patterns import _Lazy, lazy


def test_a_pattern_is_what_re_compiles():
    pattern = lazy(r"(a)b", re.IGNORECASE)
    assert pattern.pattern == r"(a)b"
    assert pattern.sub(r"\1", "ABc") == "Ac"
    assert pattern.fullmatch("Ab") is not None


def test_it_is_compiled_when_it_is_first_used():
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.search("")


def test_other_attributes_are_missing():
    assert not hasattr(lazy("a"), "__wrapped__")


def test_every_pattern_of_the_verifier_compiles():
    found = 0
    for module in pkgutil.walk_packages(math.__path__, "rewardkit.math."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, _Lazy):
                re.compile(value.pattern, value.flags)
                found += 1
    assert found > 100
