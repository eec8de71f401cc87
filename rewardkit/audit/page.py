"""The audit as a page, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from rewardkit.audit.finding import Finding
from rewardkit.report import bar, join, markup, page, paragraph, samples, section, table
from rewardkit.types import Verdict

if TYPE_CHECKING:
    from markupsafe import Markup

_ABOUT = {"gaming": "may be gaming", "judge": "judge in doubt", "data": "about the data"}


def render(
    findings: Sequence[Finding],
    facts: Mapping[str, str],
    entries: Mapping[str, samples.Entry] | None = None,
    problems: Mapping[Hashable, samples.Problem] | None = None,
) -> str:
    """The whole page: what was found, with rows, counts and effect sizes, then what was looked for and not found.

    `entries` are the samples that the findings name, by place; each is linked from there and can be read in the page.
    """
    entries = entries or {}
    loud = [finding for finding in findings if finding.alarm]
    quiet = [finding for finding in findings if not finding.alarm]
    overview = table(
        ("check", "about", "effect", "rows", "of", "share"),
        (_summary(finding) for finding in findings if finding.count),
        left=3,
    )
    body = section(f"{len(loud)} of {len(findings)} checks raise an alarm", overview)
    body += join(_card(finding, entries) for finding in loud)
    body += join(_card(finding, entries) for finding in quiet if finding.count)
    clear = ", ".join(finding.title for finding in quiet if not finding.count)
    body += section("Checked, nothing found", paragraph(clear or "nothing"), tone="quiet")
    body += section("How to read this", paragraph(
        "An alarm means that a sign is more common here than in the honest completions of docs/audit.md. A sign is not a proof: "
        "read the rows. Intervals are 95 %, Welch for differences of means."), tone="quiet")  # fmt: skip
    if not entries:
        return page("Audit", facts.items(), body)
    return page(
        "Audit",
        facts.items(),
        body + section("Samples named above", samples.viewer(), name="browser"),
        style=samples.style(),
        script=samples.script(),
        data=samples.data(list(entries.values()), problems or {}, [verdict.value for verdict in Verdict]),
    )


def _summary(finding: Finding) -> tuple[str, ...]:
    effect = "; ".join(map(str, finding.effects[:1]))
    counts = (f"{finding.count:,}", f"{finding.of:,} {finding.unit}", f"{finding.share:.2%}")
    return (("! " if finding.alarm else "") + finding.title, _ABOUT[finding.about], effect, *counts)


def _card(finding: Finding, entries: Mapping[str, samples.Entry]) -> Markup:
    label = f"{finding.count:,} of {finding.of:,} {finding.unit} ({finding.share:.2%}), {_ABOUT[finding.about]}"
    body = bar(finding.share, label) + paragraph(finding.why, tone="soft")
    body += join(paragraph(str(effect)) for effect in finding.effects)
    if finding.examples:
        listed = len(finding.examples)
        body += table(("row", "what"), [(_place(where, entries), what) for where, what in finding.examples], left=2)
        if listed < finding.count:
            body += paragraph(f"{listed} of {finding.count:,} {finding.unit} are listed.", tone="note")
    return section(finding.title, body, tone="alarm" if finding.alarm else "")


def _place(where: str, entries: Mapping[str, samples.Entry]) -> Markup | str:
    """The place of a row, with a link to its sample if that is in the page."""
    shown = where.rpartition("/")[2]
    entry = entries.get(where)
    return markup('<a href="#sample={}">{}</a>').format(quote(entry.id, safe="!'()*"), shown) if entry else shown


def lines(findings: Sequence[Finding]) -> list[str]:
    """One line a finding that has rows, alarms marked with an exclamation mark."""
    found = [finding for finding in findings if finding.count]
    return [
        f"{'!' if f.alarm else ' '} {f.title}: {f.count:,} of {f.of:,} {f.unit} ({f.share:.2%})"
        + (f"; {f.effects[0]}" if f.effects else "")
        for f in found
    ] or ["nothing found"]
