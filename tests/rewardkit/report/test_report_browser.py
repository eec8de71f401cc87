"""The audit's page in a real browser: light and dark by the reader's setting, nothing fetched, nothing run."""

import asyncio

import pytest

pytest.importorskip("aiohttp")
pytestmark = pytest.mark.browser

from chromium import CHROMIUM, browse  # noqa: E402

from rewardkit.audit import Effect, Finding  # noqa: E402
from rewardkit.audit.page import render  # noqa: E402

NASTY = "<script>document.title = 'gone'</script><img src='https://example.org/x.png' onerror='alert(1)'>" + "x" * 900


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium; apt-get install chromium")
def test_the_audit_page_is_right_in_light_and_dark(tmp_path):
    finding = Finding(
        check="loops",
        title=NASTY,
        about="gaming",
        why="why",
        count=3,
        of=10,
        alarm=True,
        effects=(Effect(name="mean reward", value=0.5, low=0.1, high=0.9),),
        examples=(("rows.jsonl:3", NASTY),),
    )
    path = tmp_path / "audit.html"
    path.write_text(render([finding], {"files": NASTY}), encoding="utf-8")

    async def use():
        async with browse(path, tmp_path / "profile") as page:
            await page.prefer("light")
            assert await page.colours() == ["bright", "dark"]
            await page.prefer("dark")
            assert await page.colours() == ["dark", "bright"]
            assert await page.js("return document.title") == "Audit · rewardkit"
            assert await page.js("return document.querySelectorAll('img, script').length") == 0
            assert await page.js("return document.documentElement.scrollWidth - innerWidth") <= 0
            assert page.problems == []

    asyncio.run(use())
