"""The demo's conversation in a real browser, over a server that streams as badly as networks do."""

import asyncio
import json
import os
import shutil
import socket
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
import uvicorn
from playwright.sync_api import Browser, expect, sync_playwright
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from infra.local.pages import Shown, demo_app
from magpie.site import load_site

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing of the browser's own looks for a network.
FLAGS = ["--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"]

SITE = """
site: {key: kiln, name: The Kiln, url: "https://kiln.example"}
persona: {name: Ember, greeting: Ask about pots.}
looks: {starters: ["What do you glaze with?"]}
sources: [{path: "*.md"}]
"""
CITATION = {"number": 1, "title": "Glazes", "url": "https://kiln.example/glazes/", "quote": "We mix céladon."}
EVENTS = [
    {"event": "start", "protocol": 1, "answer_id": "a1", "ticket": "ticket-1", "language": "en"},
    {"event": "status", "state": "searching"},
    {"event": "something_of_a_later_protocol", "x": 1},
    {"event": "delta", "seq": 0, "text": "We mix our own céladon and 天目. "},
    {"event": "citation", "seq": 0, "citation": CITATION},
    {"event": "ping"},
    {"event": "delta", "seq": 1, "text": "<b>Not</b> markup."},
    {
        "event": "done",
        "outcome": "answered",
        "language": "en",
        "citations": [CITATION],
        "receipt": "receipt-1",
    },
]


class Kiln:
    """A site's application: answers the same every time, byte by byte, and keeps what it was asked."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, object]] = []
        self.app = Starlette(routes=[Route("/chat", self.chat, methods=["POST"])])

    async def chat(self, request: Request) -> Response:
        self.bodies.append(body := await request.json())
        if "too much" in body["messages"][-1]["content"]:
            problem = {"title": "Too many questions", "detail": "That was a lot.", "retry_after_s": 7}
            return JSONResponse(problem, status_code=429, media_type="application/problem+json")
        return StreamingResponse(self.bytes(), media_type="application/x-ndjson")

    async def bytes(self) -> AsyncIterator[bytes]:
        text = "\n".join(json.dumps(event, ensure_ascii=False) for event in EVENTS)
        for byte in text.encode():  # no line feed at the end, letters cut in two
            yield bytes([byte])
            await asyncio.sleep(0)


@pytest.fixture(scope="module")
def sync_browser() -> Iterator[Browser]:
    """A real one, for the module: Debian's Chromium, Chrome, or what CHROMIUM names."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no browser: install chromium, or name one with CHROMIUM=/path")
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def kiln() -> Kiln:
    return Kiln()


@pytest.fixture
def address(kiln: Kiln) -> Iterator[str]:
    """The demo's pages around the kiln, on a free port."""
    shown = Shown(
        site=load_site(SITE),
        catalogue=None,
        passages=None,
        application=kiln.app,
        answerer="Quoted; no model is set.",
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(demo_app([shown]), log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def test_an_answer_is_put_together_from_any_pieces(sync_browser: Browser, address: str) -> None:
    """
    Cut letters, cut lines, unknown events, no last line feed: text, mark and source appear whole.
    """
    page = sync_browser.new_page()
    strangers: list[str] = []
    page.on("request", lambda request: strangers.append(request.url) if address not in request.url else None)
    page.goto(f"{address}/sites/kiln/")

    page.get_by_role("button", name="What do you glaze with?").click()

    expect(page.locator(".text")).to_have_text("We mix our own céladon and 天目.1 <b>Not</b> markup.")
    expect(page.locator(".cited a")).to_have_attribute(
        "href", "source?url=https%3A%2F%2Fkiln.example%2Fglazes%2F"
    )
    expect(page.get_by_text("Quoted; no model is set.")).to_be_visible()
    assert strangers == []


def test_a_conversation_carries_receipts_and_ticket(sync_browser: Browser, address: str, kiln: Kiln) -> None:
    """
    The second question brings the first answer with its receipt, and the ticket; an odd number of messages.
    """
    page = sync_browser.new_page()
    page.goto(f"{address}/sites/kiln/")
    for question in ("One?", "Two?"):
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
        expect(page.get_by_text(question)).to_be_visible()

    second = kiln.bodies[1]
    assert second["ticket"] == "ticket-1"
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][1]["receipt"] == "receipt-1"
    assert second["messages"][1]["content"] == "We mix our own céladon and 天目. <b>Not</b> markup."


def test_a_refusal_says_how_long_to_wait_and_leaves_no_gap(
    sync_browser: Browser, address: str, kiln: Kiln
) -> None:
    """
    A limit is a sentence with its wait; the next question is asked as if the refused one had not been.
    """
    page = sync_browser.new_page()
    page.goto(f"{address}/sites/kiln/")
    for question in ("too much", "One?"):
        page.get_by_label("Your question").fill(question)
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()

    expect(page.get_by_text("That was a lot. Try again in 7 s.")).to_be_visible()
    assert [message["content"] for message in kiln.bodies[1]["messages"]] == ["One?"]


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_window(sync_browser: Browser, address: str, width: int) -> None:
    """
    From a small phone to a desk, a page never scrolls sideways.
    """
    page = sync_browser.new_page(viewport={"width": width, "height": 700})
    page.goto(f"{address}/sites/kiln/")
    page.get_by_role("button", name="What do you glaze with?").click()
    expect(page.locator(".cited a")).to_be_visible()

    assert page.evaluate("document.documentElement.scrollWidth") <= width
