"""The report in a real browser."""

import asyncio

import pytest

pytest.importorskip("aiohttp")
pytestmark = pytest.mark.browser

from chromium import CHROMIUM, browse  # noqa: E402

from harness.report import write_report  # noqa: E402
from harness.store import read_run  # noqa: E402

HELPERS = """
const until = async (good) => { for (let i = 0; i < 6000; i++) { if (good()) return true; await new Promise(r => setTimeout(r, 10)); } return false; };
const choose = (id, value) => { const box = document.getElementById(id); box.value = value; box.dispatchEvent(new Event('change')); };
const count = () => document.getElementById('count').textContent;
"""


@pytest.fixture
def report(run_of, tmp_path):
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium")

    def make(runs):
        write_report([read_run(run) for run in runs], tmp_path / "report.html")
        return tmp_path / "report.html"

    return make


@pytest.mark.parametrize("width", [390, 1300])
def test_a_long_name_widens_no_page_and_charts_stay_legible(report, run_of, tmp_path, width):
    table = {f"problem {n}": [n % 3 > 0, n % 2 > 0] for n in range(20)}
    path = report([run_of(tmp_path / ("x" * length), table) for length in (150, 151)])

    async def use():
        async with browse(path, tmp_path / "profile") as page:
            await page.call(
                "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=2, mobile=width < 800
            )
            assert await page.js("return document.documentElement.scrollWidth") <= width
            assert (
                await page.js(
                    "return Math.min(...[...document.querySelectorAll('section > svg')].map(each => each.clientWidth))"
                )
                >= 640
            )

    asyncio.run(use())


def test_filter_open_and_read_an_answer(report, run_of, tmp_path):
    table = {f"problem {n} </script><b>x</b>": [n % 3 > 0, n % 2 > 0] for n in range(40)}
    tuned = {question: [True, None] for question in table}
    path = report([run_of(tmp_path / "base", table), run_of(tmp_path / "tuned", tuned)])

    async def use():
        async with browse(path, tmp_path / "profile") as page:
            assert await page.js(HELPERS + "return count()") == "160 of 160 answers"
            assert (
                await page.js(HELPERS + "choose('f-run', '1'); choose('f-kind', '0'); return count()")
                == "40 of 160 answers"
            )
            assert (
                await page.js(
                    HELPERS + "choose('f-run', ''); choose('f-kind', ''); choose('f-change', '1'); return count()"
                )
                != "160 of 160 answers"
            )
            assert await page.js(
                HELPERS
                + "choose('f-change', ''); document.querySelector('.row').click(); return await until(() => document.querySelector('#detail .verdict'))"
            ), "no answer was shown"
            said = await page.js("return document.getElementById('detail').innerText")
            assert "Extracted answer" in said
            assert "Ground truth" in said
            assert "problem 0 </script><b>x</b>" in said
            assert (await page.js("return document.querySelector('#detail mark').textContent"))[0] in "12"
            moved = await page.js(
                HELPERS
                + """
                const list = document.getElementById('list'); const before = document.getElementById('detail').innerText;
                list.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}));
                return await until(() => document.getElementById('detail').innerText !== before);"""
            )
            assert moved
            found = await page.js(
                HELPERS
                + """
                const box = document.getElementById('f-text'); box.value = 'problem 17 '; box.dispatchEvent(new Event('input'));
                await until(() => !count().startsWith('160')); return count();"""
            )
            assert found == "4 of 160 answers"
            before = await page.colours()
            await page.js("document.getElementById('theme').click()")
            assert await page.colours() == before[::-1]
            assert page.problems == []

    asyncio.run(use())


def test_fifty_thousand_answers_stay_quick(report, run_of, tmp_path):
    table = {f"problem {n}": [(n + rep) % 3 > 0 for rep in range(25)] for n in range(1000)}
    path = report([run_of(tmp_path / "a", table), run_of(tmp_path / "b", {q: row[::-1] for q, row in table.items()})])

    async def use():
        async with browse(path, tmp_path / "profile") as page:
            assert await page.js(HELPERS + "return count()") == "50,000 of 50,000 answers"
            assert await page.js("return document.querySelectorAll('.row').length") < 60
            took = await page.js(
                HELPERS + "const t = performance.now(); choose('f-kind', '0'); return performance.now() - t"
            )
            opened = await page.js(
                HELPERS
                + """
                const list = document.getElementById('list'); list.scrollTop = list.scrollHeight / 2;
                await new Promise(r => setTimeout(r, 100)); const t = performance.now();
                document.querySelectorAll('.row')[8].click();
                await until(() => document.querySelector('#detail .verdict')); return performance.now() - t;"""
            )
            print(f"filter {took:.0f} ms, open {opened:.0f} ms, {path.stat().st_size / 1e6:.1f} MB")
            assert page.problems == []

    asyncio.run(use())
