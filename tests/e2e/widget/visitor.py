"""A visitor of an owner's page: opens the widget, asks, reads, in a real browser."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, Locator, Page

from tests.e2e.widget.scripted import Script

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
# Without motion nothing has to be waited for until it stands still.
USUAL: dict[str, Any] = {"viewport": DESKTOP, "locale": "en-GB", "reduced_motion": "reduce"}
WAIT_S = 20.0  # for machines that do much else

PAGE = """<!doctype html><html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Northbank Studio</title>{head}</head>
<body><h1>Northbank Studio</h1><p>We build quiet software for people who are busy with something else.</p>
<p><a href="/elsewhere/">Another page</a> <button id="own">A button of the page</button></p>{body}{script}</body></html>"""


def page_html(assistant: str, *, language: str = "en", head: str = "", body: str = "", tag: str = "") -> str:
    """An owner's page with the widget's tag at its end."""
    tag = tag or f'<script async src="{assistant}/widget/magpie.js"></script>'
    return PAGE.format(language=language, head=head, body=body, script=tag)


class Visitor:
    """The page with the widget's parts by name."""

    def __init__(self, page: Page, script: Script) -> None:
        self.page = page
        self.script = script
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._heard)

    def _heard(self, message: Any) -> None:
        expected = (
            "Failed to load resource",
            "net::ERR_",
        )  # refusals and cuts, which the tests make on purpose
        if message.type == "error" and not message.text.startswith(expected):
            self.problems.append(message.text)

    def find(self, selector: str) -> Locator:
        """Inside the widget; playwright's CSS goes through open shadow roots."""
        return self.page.locator(f"magpie-chat {selector}")

    @property
    def launcher(self) -> Locator:
        return self.page.locator("magpie-chat > button, magpie-chat button[aria-haspopup]")

    @property
    def panel(self) -> Locator:
        return self.find(".panel")

    @property
    def field(self) -> Locator:
        return self.find("textarea#question")

    @property
    def answer(self) -> Locator:
        return self.find(".turn:last-child .text")

    async def open(self) -> None:
        await self.launcher.click()
        await self.panel.wait_for(state="visible")

    async def ask(self, question: str = "What does a project cost?") -> None:
        await self.field.fill(question)
        await self.field.press("Enter")

    async def asked(self, question: str = "What does a project cost?") -> None:
        """Ask, and wait until the answer is whole."""
        count = await self.find(".turn .tools > *").count()
        await self.ask(question)
        await self.until(lambda: self.grew(count), "the answer's tools")

    async def grew(self, count: int) -> bool:
        return await self.find(".turn .tools > *").count() > count

    async def until(self, holds: Callable[[], Awaitable[bool] | bool], what: str) -> None:
        """Wait for something that may take a moment; say what it was when it does not come."""
        for _ in range(int(WAIT_S / 0.02)):
            found = holds()
            if (await found) if isinstance(found, Awaitable) else found:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"it did not come: {what}")

    async def stored(self) -> dict[str, Any]:
        """What the tab remembers."""
        found: dict[str, Any] = await self.page.evaluate(
            "Object.fromEntries(Object.entries(sessionStorage).map(([key, value]) => [key.split(':')[1], value === '1' ? 1 : JSON.parse(value)]))"
        )
        return found


@asynccontextmanager
async def visiting(browser: Browser, script: Script, address: str, **options: Any) -> AsyncIterator[Visitor]:
    """A visitor with a fresh browser profile, on the page of the script."""
    context: BrowserContext = await browser.new_context(**{**USUAL, **options})
    context.set_default_timeout(WAIT_S * 1000)
    try:
        visitor = Visitor(await context.new_page(), script)
        await visitor.page.goto(address)
        yield visitor
    finally:
        await context.close()
