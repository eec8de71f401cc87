# ruff: noqa: ASYNC110, ASYNC220
"""A page in headless Chromium, driven over its own protocol: no driver package needed. For tests marked `browser`."""

import asyncio
import base64
import contextlib
import itertools
import json
import shutil
import subprocess
import time

import aiohttp

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

    async def colours(self):
        """Brightness of paper and of ink, as `bright` or `dark`."""
        return await self.js("""
            const style = getComputedStyle(document.body);
            const sum = (text) => text.match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
            return [style.backgroundColor, style.color].map((text) => sum(text) > 380 ? "bright" : "dark");""")

    async def prefer(self, scheme):
        """The reader's setting: `light` or `dark`."""
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def picture(self, path):
        """The whole page as a PNG file."""
        size = (await self.call("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = await self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(taken["data"]))


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
