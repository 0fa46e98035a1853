"""The demo's sites wear the widget, each in its own look."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.async_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from infra.local.pages import Shown, demo_app
from magpie.model import Scope, SourceKey, Version, VersionId, Viewer
from magpie.ports import SourceRow
from magpie.site import Site, load_site
from tests.e2e.widget.scripted import Script, default_config, stream
from tests.e2e.widget.visitor import visiting
from tests.loopback.serving import served

pytestmark = pytest.mark.asyncio(loop_scope="session")

CORPORA = Path(__file__).resolve().parents[3] / "corpus"


class OnePage:
    """A catalogue and its passages with a single page; plain, since what is shown is the demo."""

    def __init__(self, site: Site) -> None:
        self._url = f"{site.site.url}/pricing/"

    async def active_version(self) -> Version:
        return Version(
            id=VersionId(1),
            parent_id=None,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            source_count=1,
            chunk_count=1,
            primary=None,
            fallback=None,
            site_hash="",
        )

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        key = SourceKey(source_type="page", source_key="pricing")
        row = SourceRow(
            key=key,
            title="What things cost",
            url=self._url,
            path="pages/pricing.md",
            scope=Scope.COMMERCIAL,
            published=None,
            person_key=None,
            reference_rank=None,
        )
        return (row,)

    async def of_sources(self, *_: object, **__: object) -> tuple[()]:
        return ()


def answering(site: Site) -> Starlette:
    """A site's application that cites its one page, a byte at a time."""
    config = default_config()
    looks = site.looks.model_dump(mode="json")
    words = {"site": {**config["site"], "key": site.site.key, "name": site.site.name, "url": site.site.url}}
    citation = {"number": 1, "title": "What things cost", "url": f"{site.site.url}/pricing/", "quote": ""}

    async def chat(_: Request) -> Response:
        start, *_rest, done = stream("list")
        events = [
            start,
            {"event": "delta", "seq": 0, "text": "It is on our pages."},
            {**done, "citations": [citation]},
        ]
        body = "".join(json.dumps(event) + "\n" for event in events).encode()

        async def told() -> AsyncIterator[bytes]:
            for byte in body:
                yield bytes([byte])
                await asyncio.sleep(0)

        return StreamingResponse(told(), media_type="application/x-ndjson")

    async def told_config(_: Request) -> Response:
        return JSONResponse({**config, **words, "looks": looks})

    return Starlette(routes=[Route("/chat", chat, methods=["POST"]), Route("/config", told_config)])


def shown(key: str) -> Shown:
    site = load_site((CORPORA / key / "site.yaml").read_text(encoding="utf-8"))
    page = OnePage(site)
    return Shown(site=site, catalogue=page, passages=page, application=answering(site), answerer="Quoted.")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def demo() -> Iterator[str]:
    """All demo sites on a free port."""
    with served(demo_app([shown(key) for key in ("agency", "portfolio", "journal")])) as address:
        yield address


@pytest.mark.parametrize("key", ["agency", "portfolio", "journal"])
async def test_each_site_has_its_widget_in_its_look(chromium: Browser, demo: str, key: str) -> None:
    """
    Accent and mode are the site file's; the answer's source leads to the page as Magpie holds it, where the
    conversation is still open; nothing comes from anywhere else.
    """
    looks = shown(key).site.looks

    async with visiting(chromium, Script(), f"{demo}/sites/{key}/") as visitor:
        strangers: list[str] = []
        visitor.page.on(
            "request",
            lambda request: strangers.append(request.url) if not request.url.startswith(demo) else None,
        )
        await visitor.open()
        assert looks.mode in (await visitor.panel.get_attribute("class") or "").split()
        colour = await visitor.find(".face").evaluate("(node) => getComputedStyle(node).backgroundColor")
        assert colour == f"rgb({', '.join(str(int(looks.accent[at : at + 2], 16)) for at in (1, 3, 5))})"
        await visitor.asked("Anything?")
        await visitor.find(".cited a").click()
        await visitor.page.wait_for_url(f"{demo}/sites/{key}/source?url=*")
        await visitor.answer.get_by_text("It is on our pages.").wait_for()

        assert strangers == []
        assert visitor.problems == []


@pytest.mark.parametrize("width", [320, 390, 1280])
async def test_nothing_is_wider_than_the_window(chromium: Browser, demo: str, width: int) -> None:
    """
    From a small phone to a desk, a page of the demo never scrolls sideways.
    """
    async with visiting(chromium, Script(), f"{demo}/", viewport={"width": width, "height": 700}) as visitor:
        for path in ("/", "/sites/agency/"):
            await visitor.page.goto(f"{demo}{path}")
            await visitor.page.wait_for_load_state("networkidle")

            assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= width
