"""The audit as a page, and as lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rewardkit.audit.finding import Finding
from rewardkit.report import bar, join, page, paragraph, section, table

if TYPE_CHECKING:
    from markupsafe import Markup

_ABOUT = {"gaming": "may be gaming", "judge": "judge in doubt", "data": "about the data"}


def render(findings: Sequence[Finding], facts: Mapping[str, str]) -> str:
    """The whole page: what was found, with rows, counts and effect sizes, then what was looked for and not found."""
    loud = [finding for finding in findings if finding.alarm]
    quiet = [finding for finding in findings if not finding.alarm]
    overview = table(
        ("check", "about", "effect", "rows", "of", "share"),
        (_summary(finding) for finding in findings if finding.count),
        left=3,
    )
    body = section(f"{len(loud)} of {len(findings)} checks raise an alarm", overview)
    body += join(_card(finding) for finding in loud)
    body += join(_card(finding) for finding in quiet if finding.count)
    clear = ", ".join(finding.title for finding in quiet if not finding.count)
    body += section("Looked for and not found", paragraph(clear or "nothing"), tone="quiet")
    body += section("How to read this", paragraph(
        "An alarm says that a sign is commoner here than in the honest completions that docs/audit.md reports on. A sign is not a proof: "
        "read the rows. Intervals are 95 %, Welch for differences of means."), tone="quiet")  # fmt: skip
    return page("Audit", facts.items(), body)


def _summary(finding: Finding) -> tuple[str, ...]:
    effect = "; ".join(map(str, finding.effects[:1]))
    counts = (f"{finding.count:,}", f"{finding.of:,} {finding.unit}", f"{finding.share:.2%}")
    return (("! " if finding.alarm else "") + finding.title, _ABOUT[finding.about], effect, *counts)


def _card(finding: Finding) -> Markup:
    label = f"{finding.count:,} of {finding.of:,} {finding.unit} ({finding.share:.2%}), {_ABOUT[finding.about]}"
    effects = join(paragraph(str(effect)) for effect in finding.effects)
    rows = (
        table(("row", "what"), [(where.rpartition("/")[2], what) for where, what in finding.examples], left=2)
        if finding.examples
        else join(())
    )
    tone = "alarm" if finding.alarm else ""
    return section(
        finding.title, bar(finding.share, label) + paragraph(finding.why, tone="soft") + effects + rows, tone=tone
    )


def lines(findings: Sequence[Finding]) -> list[str]:
    """One line a finding that has rows, alarms marked with an exclamation mark."""
    found = [finding for finding in findings if finding.count]
    return [
        f"{'!' if f.alarm else ' '} {f.title}: {f.count:,} of {f.of:,} {f.unit} ({f.share:.2%})"
        + (f"; {f.effects[0]}" if f.effects else "")
        for f in found
    ] or ["nothing found"]
