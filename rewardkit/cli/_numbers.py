"""Numbers on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class FloatRange(click.FloatRange):
    """click's type, which takes NaN for a number of every range, without NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, if it is one and in the range."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail("nan is no number", param, ctx)
        return number
