"""
What a page costs us beside its own request: brought in, unchanged (304), and the same with other bytes.

Against a site of 500 pages on loopback, in a process of its own; the pause between requests is 0.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpcore2

from magpie.adapters.corpus_folder import CorpusFolder
from magpie.adapters.web import SafeWeb
from magpie.ingesting.refresh import Refresh, WebReport
from magpie.ingesting.web.visiting import Became
from magpie.settings import FetchSettings
from magpie.site import load_site
from magpie.web_wiring import web_rules
from tests.bench._command import run
from tests.loopback.web_site import LOOPBACK

PAGES = 500
PARAGRAPH = "<p>The kiln room opens at nine on Tuesdays, and a firing of stoneware takes fourteen hours.</p>"


def serve() -> None:
    """Pages of 20 kB; `/fresh/` ones come with another nonce each time and no ETag."""
    import itertools

    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    nonces = itertools.count()

    async def page(request: Request) -> Response:
        etag = f'"{request.url.path}"'
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304)
        fresh = request.url.path.startswith("/fresh/")
        head = f"<script nonce={next(nonces)}></script>" if fresh else ""
        body = f"<html><head>{head}</head><body><main><h1>{request.url.path}</h1>{PARAGRAPH * 200}</main></body></html>"
        return Response(body, media_type="text/html", headers={} if fresh else {"etag": etag})

    async def sitemap(request: Request) -> Response:
        base, kind = str(request.base_url), request.path_params["kind"]
        entries = "".join(f"<url><loc>{base}{kind}/{number}</loc></url>" for number in range(PAGES))
        return Response(f"<urlset>{entries}</urlset>", media_type="application/xml")

    app = Starlette(routes=[Route("/sitemap-{kind}.xml", sitemap), Route("/{kind}/{number}", page)])
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")


@contextmanager
def server() -> Iterator[str]:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.web", "serve", str(port)])
    try:
        _wait_for(port)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    import socket

    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("the site did not start")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def bare(host: str) -> float:
    """The same pages, asked for with nothing of ours around it."""
    async with httpcore2.AsyncConnectionPool() as pool:
        started = time.perf_counter()
        for number in range(PAGES):
            await pool.request("GET", f"http://{host}/plain/{number}")
        return time.perf_counter() - started


async def rounds(host: str, kind: str, folder: Path) -> list[tuple[float, WebReport]]:
    """Brought in, then looked at again."""
    site = load_site(
        f"site: {{key: kiln, name: Kiln, url: 'http://{host}'}}\npersona: {{name: Ember}}\n"
        f"sources: [{{path: '*.md'}}]\nweb: {{pause_s: 0, max_pages: {PAGES + 1}, max_changed_share: 1}}\n"
    )
    fetch = FetchSettings(hosts=frozenset({host}), networks=LOOPBACK)
    done = []
    async with SafeWeb(web_rules(site, fetch)) as web:
        refresh = Refresh(site, web, CorpusFolder(folder), clock=time.monotonic)
        for action in (lambda: refresh.bring(f"http://{host}/sitemap-{kind}.xml"), refresh.run):
            started = time.perf_counter()
            report = await action()
            done.append((time.perf_counter() - started, report))
    return done


async def main() -> None:
    with server() as host, tempfile.TemporaryDirectory() as folder:
        bare_s = await bare(host)
        plain = await rounds(host, "plain", _made(Path(folder) / "plain"))
        before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        fresh = await rounds(host, "fresh", _made(Path(folder) / "fresh"))
    lines = [
        ("bare request of the page", bare_s, ""),
        ("brought in", plain[0][0], f"{len(plain[0][1].of(Became.ADDED))} added"),
        ("again, unchanged (304)", plain[1][0], f"{len(plain[1][1].of(Became.SAME))} same"),
        ("again, other bytes, same text", fresh[1][0], f"{len(fresh[1][1].of(Became.SAME))} same"),
    ]
    for name, seconds, what in lines:
        print(f"{name:32} {seconds / PAGES * 1000:7.2f} ms a page  {seconds / bare_s:6.2f} x bare  {what}")
    print(f"largest memory after {PAGES} and {2 * PAGES} pages: {before_mb:.0f} MB, ", end="")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    run(serve if sys.argv[1:2] == ["serve"] else main)
