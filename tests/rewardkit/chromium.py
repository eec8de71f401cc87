# ruff: noqa: ASYNC110, ASYNC220
"""A page in headless Chromium, driven over its own protocol: no driver package needed. For tests marked `browser`."""

import asyncio
import base64
import contextlib
import itertools
import json
import shutil
import subprocess

import aiohttp

BOUND_S = 120
"""Nothing here waits for so long, unless it hangs."""
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


class Page:
    """One tab: `js` evaluates, `problems` are console errors, exceptions and network requests."""

    def __init__(self, socket):
        self._socket, self._numbers, self.problems = socket, itertools.count(1), []
        self._reached = set()

    async def call(self, method, **params):
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        data = await self._read(lambda data: data.get("id") == number)
        assert "error" not in data, data
        return data["result"]

    async def open(self, url):
        """Go there; ends when the page and all it holds are loaded. The blank page before it may still send events."""
        await self.call("Page.setLifecycleEventsEnabled", enabled=True)
        loader = (await self.call("Page.navigate", url=url))["loaderId"]
        if (loader, "load") not in self._reached:
            await self._read(lambda _: (loader, "load") in self._reached)

    async def _read(self, is_wanted):
        """The first message that is wanted; what the others tell is noted."""
        async with asyncio.timeout(BOUND_S):
            async for message in self._socket:
                data = json.loads(message.data)
                self._note(data)
                if is_wanted(data):
                    return data
        raise AssertionError("the browser went away")

    def _note(self, data):
        method, params = data.get("method"), data.get("params", {})
        if method == "Page.lifecycleEvent":
            self._reached.add((params["loaderId"], params["name"]))
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


async def debugging_port(port_file):
    """The port in the file that Chromium makes first and fills a moment later: the port's line, then the browser's path."""
    while not (port_file.exists() and "\n" in (text := port_file.read_text())):
        await asyncio.sleep(0.05)
    return int(text.splitlines()[0])


async def first_tab(session, port):
    """The WebSocket address of the one open tab, which may come up after the port does."""
    while True:
        async with session.get(f"http://127.0.0.1:{port}/json") as answer:
            for tab in await answer.json(content_type=None):
                if tab["type"] == "page":
                    return tab["webSocketDebuggerUrl"]
        await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def browse(path, profile):
    process = subprocess.Popen(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--remote-debugging-port=0",
            "--window-size=1300,1000",
            f"--user-data-dir={profile}",
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(BOUND_S), aiohttp.ClientSession() as session:
            socket_url = await first_tab(session, await debugging_port(profile / "DevToolsActivePort"))
        async with aiohttp.ClientSession() as session, session.ws_connect(socket_url, max_msg_size=0) as socket:
            page = Page(socket)
            for domain in ("Runtime", "Log", "Network", "Page"):
                await page.call(f"{domain}.enable")
            await page.open(f"file://{path}")
            yield page
    finally:
        process.terminate()
        try:
            process.wait(BOUND_S)
        finally:
            process.kill()
