# ruff: noqa: E402, ASYNC110, ASYNC220
"""The report in a real browser: driven over Chromium's own protocol, no driver package needed."""

import asyncio
import contextlib
import itertools
import json
import shutil
import subprocess
import time

import pytest

aiohttp = pytest.importorskip("aiohttp")
pytestmark = pytest.mark.browser

from harness.answers import read_run
from harness.report import write_report

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


class Page:
    """One tab: `js` evaluates, `problems` are console errors, exceptions and network requests."""

    def __init__(self, socket):
        self._socket, self._numbers, self.problems = socket, itertools.count(1), []

    async def call(self, method, **params):
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async for message in self._socket:
            data = json.loads(message.data)
            if data.get("id") == number:
                assert "error" not in data, data
                return data["result"]
            self._note(data)
        raise AssertionError("the browser went away")

    def _note(self, data):
        method, params = data.get("method"), data.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(params["exceptionDetails"]["text"])
        if method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(params["entry"]["text"])
        if method == "Network.requestWillBeSent" and params["request"]["url"].startswith("http"):
            self.problems.append(params["request"]["url"])

    async def js(self, text):
        result = await self.call(
            "Runtime.evaluate", expression=f"(async () => {{ {text} }})()", awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")


@contextlib.asynccontextmanager
async def browse(path, profile):
    process = subprocess.Popen(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            "--window-size=1300,1000",
            f"--user-data-dir={profile}",
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port_file = profile / "DevToolsActivePort"
        deadline = time.monotonic() + 60
        while not port_file.exists() and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        port = port_file.read_text().splitlines()[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                [tab] = [each for each in await answer.json(content_type=None) if each["type"] == "page"]
            async with session.ws_connect(tab["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                page = Page(socket)
                for domain in ("Runtime", "Log", "Network", "Page"):
                    await page.call(f"{domain}.enable")
                await page.call("Page.navigate", url=f"file://{path}")
                while await page.js("return document.readyState") != "complete":
                    await asyncio.sleep(0.05)
                yield page
    finally:
        process.terminate()
        process.wait(20)


HELPERS = """
const until = async (good) => { for (let i = 0; i < 400; i++) { if (good()) return true; await new Promise(r => setTimeout(r, 10)); } return false; };
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
                    HELPERS + "choose('f-run', ''); choose('f-kind', ''); choose('f-flip', '1'); return count()"
                )
                != "160 of 160 answers"
            )
            await page.js(
                HELPERS
                + "choose('f-flip', ''); document.querySelector('.row').click(); return await until(() => document.querySelector('#detail .verdict'))"
            )
            said = await page.js("return document.getElementById('detail').innerText")
            assert "Extracted answer" in said
            assert "Ground truth" in said
            assert "problem 0 </script><b>x</b>" in said
            assert await page.js("return document.querySelector('#detail mark').textContent") in {"1", "2"}
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
            before = await page.js("return document.documentElement.dataset.theme")
            await page.js("document.getElementById('theme').click()")
            assert await page.js("return document.documentElement.dataset.theme") != before
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
