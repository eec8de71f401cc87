"""The sample viewer in a real browser."""

import asyncio
import json

import pytest

pytest.importorskip("aiohttp")
pytest.importorskip("jinja2")
pytestmark = pytest.mark.browser

from chromium import CHROMIUM, browse  # noqa: E402

HELPERS = """
const until = async (good) => { for (let i = 0; i < 6000; i++) { if (good()) return true; await new Promise(r => setTimeout(r, 10)); } return false; };
const shown = () => document.getElementById('detail').innerText;
const press = async (what) => { const before = shown(); what.click(); await until(() => shown() !== before); };
"""


@pytest.fixture
def pages(cli, tmp_path):
    """The page of two score outputs over the same rows: 12 problems, two samples each."""
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium")
    rows = [
        {
            "id": f"p{n} #{rep}/ü",
            "prompt": f"What is $\\frac{{{2 * n}}}{{2}}$ ({n})?",
            "completion": f"It is $x^2$ of it{' secret' if n == 7 else ''}, so \\[\\boxed{{{n + rep}}}\\] for $5 and $6 "
            + "w" * 600,
            "ground_truth": str(n),
        }
        for n in range(12)
        for rep in range(2)
    ]
    source = tmp_path / "rows.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, reward in {"base": "math", "strict": "dapo_math"}.items():
        assert cli("score", source, "-r", reward, "-o", tmp_path / f"{name}.jsonl").code == 0
    page = tmp_path / "page.html"
    assert cli("view", tmp_path / "base.jsonl", tmp_path / "strict.jsonl", "-o", page).code == 0
    return page


def test_read_link_search_and_compare_samples(pages, tmp_path):
    async def use():
        async with browse(pages, tmp_path / "profile") as page:
            count = "return document.getElementById('count').textContent"
            assert await page.js(count) == "48 of 48 answers"
            await page.js(HELPERS + "await press(document.querySelector('.row'))")
            assert await page.js("return decodeURIComponent(location.hash)") == "#sample=base/p0 #0/ü"
            assert (
                await page.js("return document.querySelectorAll('#detail math').length") == 3
            )  # x^2, the box, the question
            assert "0" in await page.js("return document.querySelector('#detail mark').textContent")
            assert "$5 and $6" in await page.js("return document.getElementById('detail').innerText")
            await page.js(HELPERS + "await press(document.getElementById('beside'))")
            assert await page.js("return document.querySelectorAll('.answer').length") == 4
            await page.js(
                HELPERS
                + "document.getElementById('typeset').click(); await until(() => !document.querySelector('#detail math'))"
            )
            assert "\\boxed{0}" in await page.js("return document.getElementById('detail').innerText")
            search = """
                const set = (id, value) => { const box = document.getElementById(id); box.value = value; box.dispatchEvent(new Event('input')); };
                document.getElementById('f-deep').click(); set('f-text', 'SECRET');
                await until(() => document.getElementById('count').textContent.startsWith('4 of'));"""
            await page.js(HELPERS + search)
            assert await page.js(count) == "4 of 48 answers"
            columns = "const box = document.querySelectorAll('#columns input')[4]; box.click(); return document.querySelector('.row small').textContent"
            assert "p7 #0/ü" in await page.js(columns)
            assert page.problems == []

    asyncio.run(use())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_link_opens_its_sample_on_a_phone_without_sideways_scroll(pages, tmp_path, scheme):
    async def use():
        async with browse(pages, tmp_path / "profile") as page:
            await page.call(
                "Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True
            )
            await page.prefer(scheme)
            go = "location.hash = '#sample=' + encodeURIComponent('strict/p7 #1/ü'); await until(() => shown().includes('secret'))"
            await page.js(HELPERS + go)
            assert "strict" in await page.js("return document.getElementById('detail').innerText")
            await page.js(HELPERS + "await press(document.getElementById('beside'))")
            assert await page.js("return document.documentElement.scrollWidth") == 390
            assert (await page.colours())[0] == ("dark" if scheme == "dark" else "bright")
            assert page.problems == []

    asyncio.run(use())
