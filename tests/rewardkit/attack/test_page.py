"""The report as a page: texts from outside are text, whatever they hold."""

import pytest

from rewardkit import Function, Sample, load
from rewardkit.attack import run
from rewardkit.attack.page import control_line, render
from rewardkit.attack.report import Floor


@pytest.fixture(scope="module")
def report():
    rows = [Sample(id=f"<b>{k}</b>", prompt="<script>alert(1)</script>", ground_truth=str(300 + k)) for k in range(12)]
    return run(load("math + 0.1 * think_format"), rows, budget=500)


def test_the_page_shows_control_floor_and_all_attacks(report):
    page = render(report, {"reward": report.reward})
    for text in (
        "Honest control",
        "Floor of the reward",
        "12 of 12 gold answers",
        *(finding.attack for finding in report.findings),
    ):
        assert text in page


def test_what_rows_and_attacks_hold_is_text(report):
    page = render(report, {})
    assert "<script>" not in page
    assert "<think>" not in page
    assert "&lt;think&gt;" in page


def test_a_failed_control_says_what_is_wrong():
    report = run(load("gsm8k"), [Sample(id="r", prompt="p", ground_truth="no number")] * 4, budget=100)
    assert "column mapping" in control_line(report.controls[0])


def pays_anything(sample):
    return True


def test_a_reward_that_pays_an_empty_answer_is_said_to():
    report = run(Function(pays_anything), [Sample(id="r", prompt="p", ground_truth="4")] * 4, budget=100)
    assert "correct, but an empty answer gets 1, too" in control_line(report.controls[0])


@pytest.mark.browser
def test_the_page_opens_without_an_error(report, tmp_path):
    import asyncio

    from tests.rewardkit.chromium import browse

    path = tmp_path / "attack.html"
    path.write_text(render(report, {"reward": report.reward}))

    async def look():
        async with browse(path, tmp_path / "profile") as page:
            wide = await page.js(
                "return document.body.scrollWidth <= innerWidth && document.querySelectorAll('section').length"
            )
            return wide, page.problems

    sections, problems = asyncio.run(look())
    assert sections > 3
    assert not problems


@pytest.mark.parametrize(
    ("floor", "line"),
    [
        (Floor(None, None, None, "r", "e", 3), "floor: not available: no row was judged"),
        (Floor(0.25, None, None, "r", "e", 3), "floor: 0.25 without the ground truth\n  by: r, mean of 3 rows"),
        (
            Floor(0.25, 1.1, 0.0, "r", "e", 3, {"math": 0.125}),
            """floor: 0.25 without the ground truth; gold answers in the right format earn 1.1, an empty answer 0
  by: r, mean of 3 rows; parts: math 0.125""",
        ),
    ],
)
def test_a_floor_is_said_with_what_is_known_beside_it(floor, line):
    assert str(floor) == line
