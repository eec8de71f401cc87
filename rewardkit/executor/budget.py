"""What the row under way may spend on programs, for whoever runs them in this worker process."""

from __future__ import annotations

import math


class Budget:
    """CPU seconds that the programs of one row may take. A row that needs more is put off: it is judged anew, with more, when the turn of
    slow rows comes. Its clock is that of its programs, so that a busy machine puts off no row.
    """

    def __init__(self) -> None:
        self.left_s = math.inf
        self.spent_s = 0.0
        """CPU seconds of the programs of all rows so far."""
        self.used_up = False
        """More is needed than there is: what was judged counts for nothing."""

    def begin(self, seconds: float) -> None:
        """A row begins."""
        self.left_s, self.used_up = seconds, False


ROW = Budget()
