"""Tags in model text and whether they follow a layout. Linear time, without regular expressions."""

from __future__ import annotations

from dataclasses import dataclass

from rewardkit.errors import UsageError
from rewardkit.types import Score, Verdict


@dataclass(frozen=True)
class Layout:
    """How well a text follows a layout: the contents of its sections, and the first violation."""

    contents: tuple[str, ...]
    problem: str


def layout_score(problem: str, fine: str) -> Score:
    """1 without a problem, for the reason `fine`; else 0, malformed."""
    return Score.of(not problem, verdict=Verdict.MALFORMED if problem else Verdict.CORRECT, reason=problem or fine)


def tag_names(tags: str, reward: str) -> tuple[str, ...]:
    """Tag names out of `'think, answer'`.

    Raises:
        UsageError: there is none, or one holds characters that a tag cannot have.
    """
    names = tuple(tags.replace(",", " ").split())
    if not names or any(not name.replace("_", "").replace("-", "").isalnum() for name in names):
        raise UsageError(f"{reward}: tags={tags!r}: give names such as 'think, answer'")
    if len(set(names)) < len(names):
        raise UsageError(f"{reward}: tags={tags!r}: each tag once")
    return names


def check_tag(tag: str, reward: str) -> None:
    """Refuse what is not the name of one tag.

    Raises:
        UsageError: it is empty, several names, or holds characters that a tag cannot have.
    """
    if tag_names(tag, reward) != (tag,):
        raise UsageError(f"{reward}: tag={tag!r}: give one name such as 'think'")


def read_layout(text: str, tags: tuple[str, ...], *, between: bool, empty: bool) -> Layout:
    """Sections `<a>..</a> <b>..</b>` in the order given, each tag exactly once.

    Args:
        text: what the model wrote.
        tags: names in the order asked for.
        between: text outside the sections is fine.
        empty: blank sections are fine.
    """
    for tag in tags:
        for mark in (f"<{tag}>", f"</{tag}>"):
            if text.count(mark) != 1:
                return Layout((), f"{mark} stands {text.count(mark)} times")
    contents: list[str] = []
    position = 0
    for tag in tags:
        start, end = text.find(f"<{tag}>", position), text.find(f"</{tag}>", position)
        if not position <= start < end:
            return Layout(tuple(contents), f"<{tag}> is out of order")
        if not between and text[position:start].strip():
            return Layout(tuple(contents), f"text outside the tags before <{tag}>")
        contents.append(text[start + len(tag) + 2 : end])
        if not empty and not contents[-1].strip():
            return Layout(tuple(contents), f"<{tag}> is empty")
        position = end + len(tag) + 3
    if not between and text[position:].strip():
        return Layout(tuple(contents), "text after the last tag")
    return Layout(tuple(contents), "")
