"""What a gate writes can be read back by those it is written for, whatever a task, a rule or a model is called."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.gate.output import markdown, tell_github, write_junit
from harness.gate.verdict import Decision, Finding, Outcome

NAMES = st.text(st.one_of(st.characters(), st.sampled_from("\n\r\t\x00\x1b\ufffe\ud800|<>&\"'%:,]")), max_size=12)
FINDINGS = st.lists(
    st.builds(Finding, task=NAMES, rule=NAMES, outcome=st.sampled_from(Outcome), message=NAMES, numbers=st.just({})),
    min_size=1,
    max_size=4,
)
DECISIONS = st.builds(
    Decision,
    outcome=st.sampled_from(Outcome),
    findings=FINDINGS,
    run=NAMES,
    baseline=st.none() | NAMES,
    alpha=st.just(0.05),
    top_up=st.none() | st.integers(1, 9),
    models=st.tuples(NAMES, NAMES),
    warned=st.booleans(),
)


def plain(text: str) -> str:
    """The text as an XML reader gives it."""
    allowed = "".join(
        char if re.match(r"[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", char) else "\ufffd" for char in text
    )
    return allowed.replace("\r\n", "\n").replace("\r", "\n")


@given(DECISIONS)
def test_junit_is_xml_with_a_case_for_each_finding(decision: Decision) -> None:
    path = Path("junit.xml")
    written: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("harness.gate.output.write_whole", lambda _path, text: written.append(text.encode()))
        write_junit(decision, path)
    cases = list(ET.fromstring(written[0]).iter("testcase"))
    assert len(cases) == len(decision.findings)
    said = [plain(case.findtext("system-out") or "") for case in cases]
    assert sorted(said) == sorted(plain(each.message) for each in decision.findings)
    marks = [[child.tag for child in case if child.tag != "system-out"] for case in cases]
    assert marks.count([]) == sum(each.outcome is Outcome.PASS for each in decision.findings)
    assert marks.count(["error"]) == sum(each.outcome is Outcome.INCOMPLETE for each in decision.findings)
    unclear = sum(each.outcome is Outcome.INCONCLUSIVE for each in decision.findings)
    assert marks.count(["skipped"]) == (unclear if decision.warned else 0)


@given(DECISIONS)
def test_an_annotation_is_one_line_that_gives_the_finding_back(decision: Decision) -> None:
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            patch.delenv(name, raising=False)
        tell_github(decision, said.append)
    unclean = [each for each in decision.findings if each.outcome is not Outcome.PASS]
    assert len(said) == len(unclean)
    for line, each in zip(said, unclean, strict=True):
        assert "\n" not in line
        assert "\r" not in line
        level, title, message = re.fullmatch(r"::(\w+) title=([^:,]*)::(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
        assert unquote(title, errors="surrogatepass").endswith(f": {each.task} {each.rule}")
        assert unquote(message, errors="surrogatepass") == each.message
        assert level == ("warning" if decision.warned and each.outcome is Outcome.INCONCLUSIVE else "error")


@given(DECISIONS)
def test_the_summary_has_a_row_for_each_finding(decision: Decision) -> None:
    rows = markdown(decision).split("\n\n")[1].split("\n")[2:]
    assert len(rows) == len(decision.findings)
    assert all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in rows)


@given(DECISIONS)
def test_a_summary_or_an_output_that_cannot_be_written_is_a_warning(decision: Decision) -> None:
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            patch.setenv(name, "/dev/full")
        tell_github(decision, said.append)
    assert [line.partition("::")[2].partition("::")[0] for line in said[-2:]] == [
        "warning title=no GITHUB_STEP_SUMMARY",
        "warning title=no GITHUB_OUTPUT",
    ]


@given(DECISIONS)
def test_the_output_of_a_step_is_the_outcome_whatever_the_exit_code(decision: Decision) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.NamedTemporaryFile("r") as told:
        patch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        patch.setenv("GITHUB_OUTPUT", told.name)
        tell_github(decision, [].append)
        assert told.read() == f"outcome={decision.outcome}\n"
