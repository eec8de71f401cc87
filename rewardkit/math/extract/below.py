"""Values on the last lines of a text, below the words that announce them."""

from __future__ import annotations

from rewardkit.math.extract.clauses import DISPLAYED
from rewardkit.math.text.patterns import lazy

MAX_BELOW_CHARS = 600
"""The words that announce a value stand in so many characters at the end."""


def joined_below(text: str) -> str:
    """`text` with the value on its last lines set behind the words that announce it: "the ratio is:" and a formula."""
    if "\n" not in text[-MAX_BELOW_CHARS:]:
        return text
    shown = _SHOWN.search(text, max(len(text) - MAX_BELOW_CHARS, 0))
    if shown is None:
        return text
    head = text[: shown.start()]
    line = head.rfind("\n") + 1
    if "there are" in head[line:].rpartition(". ")[2].lower():  # what is counted, not its number
        return text
    return f"{head[:line]}{head[line:].replace('**', '')} {_FULL_STOP.sub('', ' '.join(shown['value'].split()))}"


_FULL_STOP = lazy(r"(?<=\w|[)}\]])\.(?= ?(?:\\\]|\$\$)\Z)")
"""A full stop within a display."""

_SHOWN = lazy(
    rf"(?:(?<=[a-z]):?\**[ \t]*\n\s*(?={DISPLAYED})|(?<=[a-z)$]):\**[ \t]*\n\s*)"
    rf"(?P<value>{DISPLAYED}|\$[^$\n]{{1,300}}\$|\\\([^\n]{{1,300}}?\\\)|[-+(\[\\\d](?:[^A-Za-z\n:$]|\\[A-Za-z]+){{0,120}})\.?\Z"
)
