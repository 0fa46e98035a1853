"""
The `Web` port over HTTP. No cookies, no credentials, no proxy from the environment, no
decompression that is not counted; each hop of a redirect is checked like the first address.
"""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from types import TracebackType

import httpcore2

from magpie.adapters.web.connecting import CheckedBackend, Resolver, system_resolver
from magpie.adapters.web.networks import Network
from magpie.adapters.web.robots import EVERYTHING, ROBOTS_BYTES, Robots, robots_of
from magpie.errors import DocumentRefused
from magpie.model import WebAnswer, WebFailed, WebFound, WebGone, WebRequest, WebUnchanged
from magpie.text.packing import unpacked
from magpie.text.web_address import DEFAULT_PORTS, WebAddress, joined, web_address

AGENT = "Magpie"
MOST_REDIRECTS = 5  # also what RFC 9309 asks for robots.txt
LONGEST_WAIT_S = 60.0  # a Retry-After beyond this waits for the next run
TRIES = 3
DRAINED_BYTES = 64 * 1024
FOR_GOOD = (301, 308)
FOR_NOW = (302, 303, 307)
BUSY = (429, 503)

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebRules:
    """
    What may be fetched, and how. `hosts` are the only ones, each with a port where it is neither
    80 nor 443. Those of them that are `inside` may lie in `networks`, which are private. `agent` is
    the name that robots.txt knows us by, `contact` an address of whoever has us ask.
    """

    hosts: frozenset[str]
    inside: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    pause_s: float = 1.0
    most_bytes: int = 10 * 1024 * 1024
    timeout_s: float = 20.0
    agent: str = AGENT
    contact: str = ""

    @property
    def introduction(self) -> str:
        """`Magpie (+https://bakery.example)`."""
        return f"{self.agent} (+{self.contact})" if self.contact else self.agent

    def permitted(self, host: str, port: int) -> tuple[Network, ...]:
        """The private networks that a host may lie in."""
        place = host if port in DEFAULT_PORTS.values() else f"{host}:{port}"
        return self.networks if place in self.inside else ()

    def check(self, address: WebAddress) -> None:
        """Raises: DocumentRefused `not_allowed`."""
        if address.place not in self.hosts:
            raise DocumentRefused(
                str(address),
                "not_allowed",
                f"{address.place} is not among the hosts that may be fetched from",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One response, its body plain."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class SafeWeb:
    """Enter it as a context; it holds connections."""

    def __init__(
        self,
        rules: WebRules,
        *,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
        now_s: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._now_s = now_s
        self._sleep = sleep
        self._robots: dict[str, Robots] = {}
        self._next_s: dict[str, float] = {}
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context,
            max_connections=4,
            keepalive_expiry=5.0,
            network_backend=CheckedBackend(resolver, rules.permitted),
        )

    async def __aenter__(self) -> "SafeWeb":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.aclose()

    async def ask(self, request: WebRequest) -> WebAnswer:
        """One request with its redirects; what goes wrong is a `WebFailed`."""
        try:
            return await self._followed(request)
        except DocumentRefused as exc:
            return WebFailed(address=request.address, code=exc.code, reason=exc.reason)

    async def _followed(self, request: WebRequest) -> WebAnswer:
        address = web_address(request.address)
        moved = True
        for hop in range(MOST_REDIRECTS + 1):
            await self._admit(address)
            answer = await self._patiently(address, request)
            if answer.status not in FOR_GOOD + FOR_NOW:
                return self._told(address, answer, request, moved=moved and hop > 0)
            moved = moved and answer.status in FOR_GOOD
            address = _next(address, answer)
        raise DocumentRefused(request.address, "redirects", f"redirects more than {MOST_REDIRECTS} times")

    async def _admit(self, address: WebAddress) -> None:
        """Raises: DocumentRefused `not_allowed`, `robots`."""
        self._rules.check(address)
        robots = await self._robots_of(address)
        if not robots.allows(str(address), self._rules.agent):
            reason = robots.reason or "its robots.txt asks programs not to read it"
            raise DocumentRefused(str(address), "robots", reason)

    # robots.txt

    async def _robots_of(self, address: WebAddress) -> Robots:
        if address.origin not in self._robots:
            self._robots[address.origin] = await self._asked_robots(
                web_address(f"{address.origin}/robots.txt")
            )
        return self._robots[address.origin]

    async def _asked_robots(self, address: WebAddress) -> Robots:
        """4xx: no rules; no answer or 5xx: nothing is allowed (RFC 9309, section 2.3.1)."""
        for _ in range(MOST_REDIRECTS + 1):
            try:
                self._rules.check(address)
                answer = await self._once(address, WebRequest(address=str(address)), ROBOTS_BYTES)
            except DocumentRefused as exc:
                if exc.code == "private_address":
                    raise
                return Robots(reason=f"its robots.txt can't be had: {exc.reason}")
            if answer.status in FOR_GOOD + FOR_NOW:
                address = _next(address, answer)
            elif answer.status == 429 or answer.status >= 500:
                return Robots(reason=f"its robots.txt answers {answer.status}, so nothing is read for now")
            else:
                return robots_of(answer.body) if answer.status == 200 else EVERYTHING
        return EVERYTHING

    # One request

    async def _patiently(self, address: WebAddress, request: WebRequest) -> _Answer:
        """Asked again, as late as the server says, while it is busy."""
        for _ in range(TRIES - 1):
            answer = await self._once(address, request, self._rules.most_bytes)
            wait_s = self._wait_s(answer)
            if answer.status not in BUSY or wait_s is None or wait_s > LONGEST_WAIT_S:
                return answer
            self._next_s[address.place] = self._clock() + wait_s
        return await self._once(address, request, self._rules.most_bytes)

    def _wait_s(self, answer: _Answer) -> float | None:
        said = answer.headers.get("retry-after", "").strip()
        if said.isdigit():
            return float(said)
        try:
            return max(0.0, parsedate_to_datetime(said).timestamp() - self._now_s())
        except ValueError:
            return None

    async def _pace(self, address: WebAddress) -> None:
        """No host is asked more often than its pause allows."""
        now_s = self._clock()
        due_s = max(self._next_s.get(address.place, now_s), now_s)
        robots = self._robots.get(address.origin, EVERYTHING)
        self._next_s[address.place] = due_s + max(self._rules.pause_s, robots.pause_s(self._rules.agent))
        if due_s > now_s:
            await self._sleep(due_s - now_s)

    async def _once(self, address: WebAddress, request: WebRequest, most_bytes: int) -> _Answer:
        await self._pace(address)
        try:
            async with asyncio.timeout(self._rules.timeout_s):
                return await self._exchanged(address, request, most_bytes)
        except (TimeoutError, httpcore2.TimeoutException) as exc:
            reason = f"did not answer whole within {self._rules.timeout_s:g} s"
            raise DocumentRefused(str(address), "too_slow", reason) from exc
        except (httpcore2.NetworkError, httpcore2.ProtocolError, ssl.SSLError, OSError) as exc:
            reason = f"can't be reached: {str(exc) or type(exc).__name__}"
            raise DocumentRefused(str(address), "unreachable", reason) from exc

    async def _exchanged(self, address: WebAddress, request: WebRequest, most_bytes: int) -> _Answer:
        url = httpcore2.URL(
            scheme=address.scheme.encode(),
            host=address.host.encode(),
            port=None if address.port == DEFAULT_PORTS[address.scheme] else address.port,
            target=address.target.encode(),
        )
        headers = _headers(request, self._rules.introduction)
        async with self._pool.stream("GET", url, headers=headers) as response:
            said = {
                name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers
            }
            if response.status != 200:
                await _drained(response)
                return _Answer(status=response.status, headers=said)
            if request.probe:
                return _Answer(status=response.status, headers=said)
            _check_type(address, said, request.kinds)
            body = await _body(address, response, said, most_bytes)
            return _Answer(status=response.status, headers=said, body=body)

    def _told(self, address: WebAddress, answer: _Answer, request: WebRequest, *, moved: bool) -> WebAnswer:
        where = str(address)
        match answer.status:
            case 200:
                return WebFound(
                    address=where,
                    raw=answer.body,
                    media_type=answer.headers.get("content-type", ""),
                    moved=moved,
                    etag=_short(answer.headers.get("etag", "")),
                    last_modified=_short(answer.headers.get("last-modified", "")),
                )
            case 304:
                return WebUnchanged(address=where, moved=moved)
            case 404 | 410 as status:
                return WebGone(address=where, status=status)
            case 429:
                return WebFailed(address=where, code="busy", reason="says that it is asked too often")
            case status:
                return WebFailed(address=where, code="status", reason=f"answers {status}")


def _headers(request: WebRequest, introduction: str) -> list[tuple[str, str]]:
    headers = [
        ("User-Agent", introduction),
        ("Accept", ", ".join(request.kinds) or "*/*"),
        ("Accept-Encoding", "gzip, deflate"),
    ]
    if request.etag:
        headers.append(("If-None-Match", request.etag))
    if request.last_modified:
        headers.append(("If-Modified-Since", request.last_modified))
    return headers


def _next(address: WebAddress, answer: _Answer) -> WebAddress:
    """Where a redirect leads. Raises: DocumentRefused `bad_address`, `redirects`."""
    target = joined(address, answer.headers.get("location", ""))
    if address.scheme == "https" and target.scheme == "http":
        raise DocumentRefused(
            str(address), "redirects", f"leads from https to {target}, which anybody could alter"
        )
    return target


def _check_type(address: WebAddress, headers: dict[str, str], kinds: Sequence[str]) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kinds and kind not in kinds:
        raise DocumentRefused(
            str(address), "wrong_type", f"is {kind or 'of no declared type'}, not {' or '.join(kinds)}"
        )


async def _body(
    address: WebAddress, response: httpcore2.Response, headers: dict[str, str], most_bytes: int
) -> bytes:
    """The body, plain. Raises: DocumentRefused `too_large`, `wrong_type`."""
    packing = headers.get("content-encoding", "identity").strip().lower()
    if packing not in ("identity", "", "gzip", "x-gzip", "deflate"):
        raise DocumentRefused(str(address), "wrong_type", f"is packed as {packing}, which nobody asked for")
    raw = bytearray()
    async for piece in response.aiter_stream():
        raw += piece
        if len(raw) > most_bytes:
            raise _too_large(address, most_bytes)
    if packing in ("identity", ""):
        return bytes(raw)
    try:
        plain = unpacked(bytes(raw), most_bytes)
    except ValueError as exc:
        raise DocumentRefused(str(address), "wrong_type", str(exc)) from exc
    if len(plain) > most_bytes:
        raise _too_large(address, most_bytes)
    return plain


async def _drained(response: httpcore2.Response) -> None:
    """A short body is read to its end, so that the connection can be used again; a long one is dropped."""
    left = DRAINED_BYTES
    async for piece in response.aiter_stream():
        left -= len(piece)
        if left < 0:
            return


def _too_large(address: WebAddress, most_bytes: int) -> DocumentRefused:
    limit = f"{most_bytes / 1024 / 1024:g} MB" if most_bytes >= 1024 * 1024 else f"{most_bytes} bytes"
    return DocumentRefused(str(address), "too_large", f"is larger than {limit}")


def _short(value: str) -> str:
    """A header that will be sent back; one that is too long for that is not kept."""
    return value if len(value) <= 500 and value.isprintable() else ""
