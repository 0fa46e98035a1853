"""
The demo's web: a list of sites, a page for each with its widget, the sources it cites.

Each site's own application is mounted at `/sites/KEY/`, the very one that runs on Lambda.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.public.widget_files import WidgetFiles
from functions.public.widget_release import build, kept
from infra.local.state import ROOT
from magpie.errors import CorpusInvalid
from magpie.model import Viewer
from magpie.ports import Catalogue, Passages
from magpie.site import Site

FILES = Path(__file__).parent / "demo"
LISTED = 40
WIDGET = ROOT / "widget"

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the demo shows of one site. `answerer` tells the visitor what answers."""

    site: Site
    catalogue: Catalogue
    passages: Passages
    application: ASGIApp
    answerer: str

    @property
    def key(self) -> str:
        return self.site.site.key


def demo_app(sites: Sequence[Shown]) -> Starlette:
    """All of the demo as one application."""
    return Starlette(
        routes=[
            Route("/", _listing(sites)),
            Mount("/demo", StaticFiles(directory=FILES)),
            *(Mount(f"/sites/{shown.key}", routes=_site_routes(shown)) for shown in sites),
        ],
        middleware=[Middleware(SafeHeaders)],
    )


class SafeHeaders:
    """
    Headers for every page. Written as plain ASGI, so that a stream passes through untouched.

    A mounted application's own headers win.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message = {
                    **message,
                    "headers": [*message["headers"], *(pair for pair in HEADERS if pair[0] not in present)],
                }
            await send(message)

        await self._app(scope, receive, with_headers)


# --- Pages ------------------------------------------------------------------------------------


def _listing(sites: Sequence[Shown]) -> Any:
    async def listing(_: Request) -> Response:
        cards = "".join([await _card(shown) for shown in sites])
        return _page("sites.html", {"sites": cards})

    return listing


async def _card(shown: Shown) -> str:
    site = shown.site
    about = site.persona.description or site.site.url
    return (
        f'<li><a href="/sites/{shown.key}/" style="--accent: {escape(site.looks.accent)}">'
        f"<h2>{escape(site.site.name)}</h2><p>{escape(_sentence(site.persona.name, about))}</p>"
        f'<p class="count">{await _count(shown.catalogue)}</p></a></li>'
    )


async def _count(catalogue: Catalogue) -> str:
    try:
        version = await catalogue.active_version()
    except CorpusInvalid:
        return "its pages are being read now"
    return f"{version.source_count} sources, {version.chunk_count} passages"


def _sentence(name: str, about: str) -> str:
    return f"{name}: {about}"


def _site_routes(shown: Shown) -> list[BaseRoute]:
    files = WidgetFiles(newest=build(WIDGET), earlier=kept(WIDGET))

    async def front(_: Request) -> Response:
        return _page("site.html", await _site_words(shown))

    async def source(request: Request) -> Response:
        return await _source_page(shown, request.query_params.get("url", ""))

    async def widget(request: Request) -> Response:
        reply = files.reply(request.method, request.path_params["path"], dict(request.headers))
        return Response(reply.body, reply.status, dict(reply.headers))

    return [
        Route("/", front),
        Route("/source", source),
        Route("/widget/{path:path}", widget),
        Mount("/", shown.application),
    ]


async def _site_words(shown: Shown) -> Mapping[str, str]:
    site = shown.site
    return {
        "name": escape(site.site.name),
        "language": site.site.corpus_language,
        "key": shown.key,
        "persona": escape(site.persona.name),
        "accent": escape(site.looks.accent),
        "about": escape(_sentence(site.persona.name, site.persona.description or site.site.url)),
        "answerer": escape(shown.answerer),
        "url": escape(site.site.url),
        "pages": await _page_links(shown),
    }


async def _page_links(shown: Shown) -> str:
    """The site's pages, so that a visitor knows what can be asked."""
    try:
        version = await shown.catalogue.active_version()
    except CorpusInvalid:
        return ""
    rows = await shown.catalogue.sources(version=version.id, viewer=Viewer())
    titles = {row.url: row.title for row in rows if row.url}
    links = [
        f'<li><a href="{escape(url)}">{escape(title)}</a></li>'
        for url, title in list(titles.items())[:LISTED]
    ]
    return "".join(links)


async def _source_page(shown: Shown, url: str) -> Response:
    """
    What Magpie holds of a page, since the demo's websites are invented. Only public sources are
    shown: the search is made as a guest.
    """
    viewer = Viewer()
    version = (await shown.catalogue.active_version()).id
    rows = [row for row in await shown.catalogue.sources(version=version, viewer=viewer) if row.url]
    row = next((row for row in rows if row.url == url), None) or next(
        (row for row in rows if (row.url or "").split("#")[0] == url.split("#")[0]), None
    )
    if row is None:
        return PlainTextResponse("No source of this site has that address.", status_code=404)
    found = await shown.passages.of_sources((row.key,), version=version, viewer=viewer, first_only=False)
    text = "".join(f"<pre>{escape(passage.content)}</pre>" for passage in found)
    words = {
        "title": escape(row.title),
        "name": escape(shown.site.site.name),
        "accent": escape(shown.site.looks.accent),
        "key": shown.key,
        "language": found[0].language if found else shown.site.site.corpus_language,
        "site": escape(shown.site.site.url),
        "url": escape(row.url or ""),
        "text": text,
    }
    return _page("source.html", words)


def _page(name: str, words: Mapping[str, str]) -> Response:
    """The file with each `{{word}}` filled in; words are escaped by whoever gives them."""
    text = (FILES / name).read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace("{{" + word + "}}", value)
    return HTMLResponse(text)
