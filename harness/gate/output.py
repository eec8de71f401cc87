"""Output of a gate: text, JSON, JUnit XML, GitHub annotations and step summary."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from harness.gate.verdict import Decision, Finding, Outcome
from rewardkit.errors import one_line
from rewardkit.store import write_whole

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no form for, section 2.2."""


def lines(decision: Decision) -> list[str]:
    """The decision as text: a line a rule, then the gate's own."""
    against = f" against {decision.baseline}" if decision.baseline else ""
    found = [f"{each.outcome.upper():<12} {each.task} {each.rule}: {each.message}" for each in decision.findings]
    last = f"{decision.outcome.upper()}: {decision.run}{against}"
    if decision.warned:
        last += " (a warning, as the rules say)"
    found.append(last)
    found += [f"{place}: {model}" for place, model in zip(("model", "baseline"), decision.models, strict=True) if model]
    if decision.same_run:
        found.append("The baseline was made from this very run: no other answers were compared.")
    if decision.top_up is not None:
        found.append(
            f"The rules declare one second look: sample with --repeats {decision.top_up} --resume, then run the gate again."
        )
    elif decision.outcome is Outcome.INCONCLUSIVE:
        found.append(
            "There is too little evidence for PASS or FAIL. `harness gate --plan` prints how many answers are needed."
        )
    return found


def to_json(decision: Decision) -> dict[str, Any]:
    """Plain values."""
    return {
        "outcome": str(decision.outcome),
        "exit_code": decision.exit_code,
        "run": decision.run,
        "baseline": decision.baseline,
        "model": decision.models[0],
        "baseline_model": decision.models[1],
        "same_run": decision.same_run,
        "alpha": decision.alpha,
        "top_up": decision.top_up,
        "findings": [{name: value for name, value in vars(each).items() if name != "p"} for each in decision.findings],
    }


def write_junit(decision: Decision, path: str | Path) -> None:
    """JUnit XML: a suite a task, a case a rule. An inconclusive rule is a failure unless it only warns."""
    root = ET.Element("testsuites", name="harness gate")
    for task in dict.fromkeys(each.task for each in decision.findings):
        findings = [each for each in decision.findings if each.task == task]
        suite = ET.SubElement(root, "testsuite", name=task, tests=str(len(findings)))
        counts = {"failures": 0, "errors": 0, "skipped": 0}
        for each in findings:
            case = ET.SubElement(suite, "testcase", name=each.rule, classname=f"harness.gate.{task}")
            tag = _tag(each, decision)
            if tag is not None:
                counts[{"failure": "failures", "error": "errors", "skipped": "skipped"}[tag]] += 1
                ET.SubElement(case, tag, type=str(each.outcome), message=each.message)
            ET.SubElement(case, "system-out").text = each.message
        for name, count in counts.items():
            suite.set(name, str(count))
    text = _NOT_XML.sub("\ufffd", ET.tostring(root, encoding="unicode"))
    write_whole(Path(path), f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _tag(each: Finding, decision: Decision) -> str | None:
    if each.outcome is Outcome.PASS:
        return None
    if each.outcome is Outcome.INCOMPLETE:
        return "error"
    return "skipped" if each.outcome is Outcome.INCONCLUSIVE and decision.warned else "failure"


def tell_github(decision: Decision, say: Callable[[str], None]) -> None:
    """Annotations for a workflow's log, a table in its step summary, and the step's output `outcome`."""
    for each in decision.findings:
        if each.outcome is Outcome.PASS:
            continue
        level = "warning" if each.outcome is Outcome.INCONCLUSIVE and decision.warned else "error"
        title = _escape(f"{each.outcome.upper()}: {each.task} {each.rule}").replace(":", "%3A").replace(",", "%2C")
        say(f"::{level} title={title}::{_escape(each.message)}")
    for name, text in (
        ("GITHUB_STEP_SUMMARY", markdown(decision)),
        ("GITHUB_OUTPUT", f"outcome={decision.outcome}\n"),
    ):
        if not (place := os.environ.get(name)):
            continue
        try:
            with Path(place).open("a", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError as error:  # the decision stands
            say(f"::warning title=no {name}::{_escape(str(error))}")


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(decision: Decision) -> str:
    """The decision as a Markdown table."""
    marks = {Outcome.PASS: "✅", Outcome.FAIL: "❌", Outcome.INCONCLUSIVE: "❔", Outcome.INCOMPLETE: "⚠️"}
    rows = [
        f"| {marks[each.outcome]} {each.outcome.upper()} | {_cell(each.task)} | {_cell(each.rule)} | {_cell(each.message)} |"
        for each in decision.findings
    ]
    head = f"### Accuracy gate: {decision.outcome.upper()}\n\n| | task | rule | |\n| --- | --- | --- | --- |\n"
    note = lines(decision)[len(decision.findings) + 1 :]
    return head + "\n".join(rows) + "\n\n" + "\n".join(note) + "\n"


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")
