"""The report of an attack as an HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rewardkit.attack.report import Control, Finding, Report
from rewardkit.report import bar, join, page, paragraph, section, table

if TYPE_CHECKING:
    from markupsafe import Markup

SHOWN_CHARS = 600
HEADINGS = ("attack", "form", "data source", "rows", "paid", "base rate", "above", "mean", "highest", "unjudged")


def render(report: Report, facts: Mapping[str, str]) -> str:
    """The whole page: control, floor, a table of all attacks, then the completions that were paid."""
    body = join(_control(control) for control in report.controls)
    body += section("Floor of the reward", _lines(str(report.floor)) + _code(report.floor.example))
    rows = [cells(finding) for finding in report.findings]
    tones = ["alarm" if finding.leaked else "" for finding in report.findings]
    about = (
        "Paid: share of rows that earn more than an empty answer. Base rate: share of rows whose ground truth was guessed. "
        "Above: share of rows whose outcome was paid although nothing was guessed. Each attack is shown in its best form."
    )
    body += section("Attacks", table(HEADINGS, rows, left=3, tones=tones) + paragraph(about, tone="soft"))
    if report.stalled:
        body += section("Not judged", paragraph(report.stalled), tone="alarm")
    body += join(_card(finding) for finding in report.findings if finding.paid or finding.unjudged)
    return page("Attack", facts.items(), body)


def cells(finding: Finding) -> tuple[str, ...]:
    """One finding as texts, in the order of the headings."""
    shares = (f"{share:.1%}" for share in (finding.paid, finding.base_rate, finding.leaked))
    values = ("-" if value is None else f"{value:.3g}" for value in (finding.mean, finding.highest))
    return (
        finding.attack,
        finding.variant,
        finding.data_source,
        str(finding.rows),
        *shares,
        *values,
        str(finding.unjudged),
    )


def control_line(control: Control) -> str:
    """The control in one sentence."""
    if control.note:
        return f"{control.data_source}: no honest control: {control.note}"
    share = control.paid / control.rows
    line = (
        f"{control.data_source}: honest control: {control.paid} of {control.rows} gold answers are paid ({share:.1%})"
    )
    if control.passed:
        return line
    shown = "; ".join(control.failures)
    return f"{line}, below 99 %: the reward pays anything, does not fit these rows, or the column mapping is wrong. {shown}"


def _control(control: Control) -> Markup:
    share = control.paid / control.rows if control.rows else 0.0
    body = bar(share, f"{control.paid} of {control.rows} gold answers paid") if control.rows else join(())
    body += paragraph(control_line(control)) + _code(control.layout)
    return section(f"Honest control: {control.data_source}", body, tone="" if control.passed else "alarm")


def _card(finding: Finding) -> Markup:
    label = f"{finding.leaked:.1%} of {finding.rows} rows above the base rate, {finding.paid:.1%} paid"
    rows = [
        (example["id"], _shown(example["completion"], example["turns"]), example["reason"], _number(example["value"]))
        for example in finding.examples
    ]
    body = bar(finding.leaked, label) + table(("row", "completion", "reason", "reward"), rows, left=3)
    tone = "alarm" if finding.leaked else "quiet"
    return section(f"{finding.attack}: {finding.variant} ({finding.data_source})", body, tone=tone)


def _shown(text: str, turns: int) -> str:
    cut = text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]} ... ({len(text):,} characters)"
    return f"[{turns} messages] {cut}" if turns else cut


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _lines(text: str) -> Markup:
    return join(paragraph(line.strip()) for line in text.splitlines())


def _code(text: str) -> Markup:
    return paragraph(_shown(text, 0), tone="note")
