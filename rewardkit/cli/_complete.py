"""The exit code of a command that reads rows if it did not read or did not judge enough of them."""

from __future__ import annotations

from collections.abc import Sequence

from rewardkit.base import Reward
from rewardkit.data.reader import RowReader
from rewardkit.errors import IncompleteError, counted


def check_complete(
    readers: Sequence[RowReader],
    reward: Reward | None,
    unjudged: int,
    rows: int,
    *,
    most: float,
    first: str,
    hint: str = "",
) -> None:
    """Check that all input was read, and that the share of unjudged rows is at most `most`. `first` says why the first has no verdict.

    Raises:
        IncompleteError: with where the input ends, or with `hint` unless a column of ground truths is missing.
    """
    if truncated := [line for reader in readers for line in reader.truncated]:
        raise IncompleteError("; ".join(truncated))
    if rows and unjudged / rows > most:
        asked = reward is not None and "ground_truth" in reward.needed
        missing = next((reader.without_ground_truth for reader in readers if reader.without_ground_truth), "")
        more = missing if asked and missing else hint
        raise IncompleteError(
            f"unjudged: {unjudged:,} of {counted(rows, 'row')}, more than --max-unjudged {most:g}; the first: {first}"
            + (f"; {more}" if more else "")
        )
