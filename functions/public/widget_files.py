"""
From a request's path to a widget file: the same answer from a Lambda and on a laptop.

Two kinds of address: `magpie.js` is always the newest, `VERSION/magpie.js` never changes.
"""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .widget_release import Release

YEAR_S = 31_536_000
NEWEST_S = 300

TYPES = {".js": "text/javascript; charset=utf-8", ".json": "application/json; charset=utf-8"}
ANYWHERE = {
    # Owners' pages are on other origins than the assistant; the files hold nothing secret.
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes back; `body` is gzipped where the headers say so, empty for HEAD and 304."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, kw_only=True)
class WidgetFiles:
    """All that may be asked for. Files are gzipped once, when first asked for."""

    newest: Release
    earlier: Mapping[str, Release] = field(default_factory=dict)

    @cached_property
    def _gzipped(self) -> dict[bytes, bytes]:
        return {}

    def reply(self, method: str, path: str, headers: Mapping[str, str]) -> Reply:
        """
        The answer to a request for `path`, which is what follows `/widget/`. Header names in
        `headers` are lower-case.
        """
        if method not in {"GET", "HEAD"}:
            return _refused(405, "only GET and HEAD are offered here", {"Allow": "GET, HEAD"})
        content, caching = self._found(path)
        if content is None:
            return _refused(404, "there is no such file of the widget; an exact version may be gone")
        reply = self._whole(path, content, caching, "gzip" in headers.get("accept-encoding", ""))
        if _is_known(reply.headers["ETag"], headers.get("if-none-match", "")):
            return Reply(status=304, headers=_without_body_headers(reply.headers))
        return reply if method == "GET" else Reply(status=200, headers=reply.headers)

    def _found(self, path: str) -> tuple[bytes | None, str]:
        """The content, and how long it may be kept."""
        if path in self.newest.files:
            return self.newest.files[path], f"public, max-age={NEWEST_S}, stale-while-revalidate=86400"
        version, _, name = path.partition("/")
        release = self.newest if version == self.newest.version else self.earlier.get(version)
        return release.files.get(name) if release else None, f"public, max-age={YEAR_S}, immutable"

    def _whole(self, path: str, content: bytes, caching: str, may_gzip: bool) -> Reply:
        body = self._compressed(content) if may_gzip else content
        headers = {
            **ANYWHERE,
            "Content-Type": TYPES["." + path.rpartition(".")[2]],
            "Cache-Control": caching,
            "ETag": f'"{hashlib.sha256(content).hexdigest()[:24]}{"-gz" if may_gzip else ""}"',
            "Vary": "Accept-Encoding",
            "Content-Length": str(len(body)),
        }
        return Reply(
            status=200, headers={**headers, "Content-Encoding": "gzip"} if may_gzip else headers, body=body
        )

    def _compressed(self, content: bytes) -> bytes:
        if content not in self._gzipped:
            self._gzipped[content] = gzip.compress(content, 9, mtime=0)
        return self._gzipped[content]


def _refused(status: int, why: str, more: Mapping[str, str] | None = None) -> Reply:
    body = why.encode()
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
    }
    return Reply(status=status, headers={**ANYWHERE, **headers, **(more or {})}, body=body)


def _is_known(etag: str, if_none_match: str) -> bool:
    """Weak comparison: a proxy may have weakened what we sent."""
    known = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return etag in known or known == ["*"]


def _without_body_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    return {
        name: value for name, value in headers.items() if name not in {"Content-Length", "Content-Encoding"}
    }
