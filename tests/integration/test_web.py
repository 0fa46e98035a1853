"""Pages fetched from servers that attack, over real connections to loopback."""

import asyncio
import datetime
import gzip
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from magpie.adapters.web import Resolver, SafeWeb, WebRules
from magpie.model import WebAnswer, WebFailed, WebFound, WebGone, WebRequest, WebUnchanged
from tests.loopback.web_site import (
    LOOPBACK,
    Clock,
    Names,
    Says,
    WebSite,
    moved,
    names_to,
    on_loopback,
    page,
)

PAGES = ("text/html",)


@pytest.fixture(scope="module")
def running() -> Iterator[WebSite]:
    with on_loopback(WebSite()) as site:
        yield site


@pytest.fixture
def site(running: WebSite) -> WebSite:
    running.answers, running.asked[:] = {}, []
    return running


def rules(site: WebSite, *hosts: str, **others: object) -> WebRules:
    """A deployment that permits loopback: only by this value may a test reach it."""
    named = {f"{host}:{site.port}" for host in ("bakery.example", *hosts)}
    options: dict[str, object] = {
        "hosts": frozenset(named),
        "inside": frozenset(named),
        "networks": LOOPBACK,
        "pause_s": 0.0,
        "timeout_s": 5.0,
        "contact": "https://bakery.example",
    }
    return WebRules(**(options | others))


async def ask(
    site: WebSite,
    path: str,
    web_rules: WebRules | None = None,
    resolver: Resolver | None = None,
    clock: Clock | None = None,
    **request: object,
) -> WebAnswer:
    address = path if "://" in path else f"http://bakery.example:{site.port}{path}"
    clock = clock or Clock()
    async with SafeWeb(
        web_rules or rules(site), resolver=resolver or names_to("127.0.0.1"), clock=clock, sleep=clock.sleep
    ) as web:
        return await web.ask(WebRequest(address=address, **({"kinds": PAGES} | request)))


def code(answer: WebAnswer) -> str:
    assert isinstance(answer, WebFailed), answer
    return answer.code


async def test_a_page_is_fetched_with_what_it_says_of_itself(site: WebSite):
    """Body, type, ETag and date come back; the server sees the page's own host and who asks."""
    site.answers["/bread"] = page("Bread", etag='"v1"', last_modified="Mon, 30 Nov 2026 10:00:00 GMT")

    answer = await ask(site, "/bread")

    assert isinstance(answer, WebFound)
    assert (b"Bread" in answer.raw, answer.etag, answer.moved) == (True, '"v1"', False)
    headers = site.asked[-1][1]
    assert (f"bakery.example:{site.port}", "Magpie (+https://bakery.example)") == (
        headers["host"],
        headers["user-agent"],
    )
    assert not {"cookie", "authorization"} & set(headers)


async def test_an_unchanged_page_costs_a_304(site: WebSite):
    """The ETag that is held is sent, and no body comes back."""
    site.answers["/bread"] = page("Bread", etag='"v1"')

    answer = await ask(site, "/bread", etag='"v1"')

    assert isinstance(answer, WebUnchanged)


@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_was_taken_away_is_gone(site: WebSite, status: int):
    """404 and 410 are an answer, not a failure."""
    site.answers["/bread"] = page("No", status=status)

    answer = await ask(site, "/bread")

    assert isinstance(answer, WebGone) and answer.status == status


@pytest.mark.parametrize("status", [400, 401, 403, 500, 502, 503])
async def test_other_answers_are_failures_that_take_nothing_away(site: WebSite, status: int):
    """A server's trouble, and a door that is shut, say nothing of the page."""
    site.answers["/bread"] = page("No", status=status)

    assert code(await ask(site, "/bread")) == "status"


# Where requests may go


async def test_loopback_is_refused_unless_it_is_permitted(site: WebSite):
    """The same request without the permission is refused before a connection is made."""
    site.answers["/bread"] = page("Bread")

    for refusing in (rules(site, networks=()), rules(site, inside=frozenset())):
        answer = await ask(site, "/bread", refusing)

        assert code(answer) == "private_address"
    assert site.asked == []


@pytest.mark.parametrize(
    "number",
    ["10.0.0.7", "169.254.169.254", "100.64.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "fd00::1"],
)
async def test_a_name_that_leads_to_a_private_address_is_refused(site: WebSite, number: str):
    """The name is allowed, what the name service says of it is not, also beside a public address."""
    for numbers in ((number,), ("93.184.216.34", number)):
        answer = await ask(site, "/bread", rules(site, networks=()), names_to(*numbers))

        assert code(answer) == "private_address"
        assert number in answer.reason


async def test_a_name_service_that_changes_its_mind_gains_nothing(site: WebSite):
    """The name is resolved once for a connection, and that connection goes to the number that was checked."""
    site.answers["/bread"] = page("Bread")
    names = Names([("127.0.0.1",), ("169.254.169.254",)])

    first = await ask(site, "/bread", resolver=names)
    asked = len(names.asked)
    second = await ask(site, "/bread", resolver=names)

    assert isinstance(first, WebFound)
    assert (asked, code(second)) == (1, "private_address")  # robots.txt and the page: one connection


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("http://169.254.169.254/latest/meta-data/", "not_allowed"),
        ("http://evil.example/", "not_allowed"),
        ("http://127.0.0.1:{port}/inside", "not_allowed"),
        ("http://0x7f000001:{port}/inside", "not_allowed"),
        ("http://bakery.example:22/", "not_allowed"),
        ("file:///etc/passwd", "bad_address"),
        ("gopher://bakery.example/", "bad_address"),
        ("http://root:root@bakery.example:{port}/inside", "bad_address"),
        ("http://bakery.example:{port}\\@evil.example/", "bad_address"),
    ],
)
async def test_each_redirect_is_checked_like_the_first_address(site: WebSite, to: str, expected: str):
    """Metadata, other hosts, other ports, other schemes, credentials: not followed."""
    site.answers = {"/bread": moved(to.format(port=site.port)), "/inside": page("Secret")}

    answer = await ask(site, "/bread")

    assert expected == code(answer)
    assert site.paths == ["/bread"]


async def test_an_allowed_host_that_leads_inside_is_refused_at_the_redirect(site: WebSite):
    """A redirect to an allowed name with a private address stops at the connection."""

    async def resolver(host: str, port: int) -> tuple[str, ...]:
        return ("10.0.0.7",) if host == "shop.example" else ("127.0.0.1",)

    site.answers["/bread"] = moved(f"http://shop.example:{site.port}/cake")

    answer = await ask(site, "/bread", rules(site, "shop.example"), resolver)

    assert code(answer) == "private_address"


async def test_redirects_tell_where_they_end_and_whether_for_good(site: WebSite):
    """301 and 308 all along are for good; one 302 among them is not."""
    site.answers = {
        "/old": moved("/older", 308), "/older": moved("/new", 301), "/now": moved("/old", 302), "/new": page("Bread"),
    }  # fmt: skip

    for_good, for_now = await ask(site, "/old"), await ask(site, "/now")

    assert isinstance(for_good, WebFound) and isinstance(for_now, WebFound)
    assert (f"http://bakery.example:{site.port}/new", True) == (for_good.address, for_good.moved)
    assert not for_now.moved


async def test_a_redirect_loop_ends(site: WebSite):
    """After five redirects nobody asks again."""
    site.answers = {"/a": moved("/b"), "/b": moved("/a")}

    assert code(await ask(site, "/a")) == "redirects"
    assert len(site.paths) == 6


# What may come back


def endless() -> Iterator[bytes]:
    while True:
        yield b"x" * 65536


@pytest.mark.parametrize(
    "said",
    [
        Says(pieces=endless, headers={"content-type": "text/html"}),
        Says(body=b"x" * 200_000, headers={"content-type": "text/html"}),
        Says(
            body=gzip.compress(bytes(30_000_000)),
            headers={"content-type": "text/html", "content-encoding": "gzip"},
        ),
    ],
    ids=["endless", "large", "bomb"],
)
async def test_a_body_over_the_limit_is_not_read_to_its_end(site: WebSite, said: Says):
    """Endless, too large, or small and packed: the limit holds for what comes and what is unpacked."""
    site.answers["/bread"] = said

    assert code(await ask(site, "/bread", rules(site, most_bytes=100_000))) == "too_large"


async def test_a_slow_drip_ends_with_the_time_limit(site: WebSite):
    """A server that sends a byte now and then holds us no longer than the limit for the whole answer."""
    site.answers["/bread"] = Says(
        pieces=lambda: iter([b"."] * 200), rest_s=0.05, headers={"content-type": "text/html"}
    )

    assert code(await ask(site, "/bread", rules(site, timeout_s=0.4))) == "too_slow"


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(handle: Handler) -> AsyncIterator[int]:
    """A server that speaks what its handler writes; its connections are all closed in the end."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with suppress(OSError):
            await handle(reader, writer)
            writer.close()
            await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
    await asyncio.gather(*tasks)


async def test_a_server_that_says_nothing_is_not_waited_for(site: WebSite):
    """It takes the connection and the request, and that is all."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with raw_server(silent) as port:
        names = frozenset({f"bakery.example:{port}"})
        answer = await ask(
            site, f"http://bakery.example:{port}/x", rules(site, hosts=names, inside=names, timeout_s=0.2)
        )

    assert isinstance(answer, WebFailed)
    assert "within 0.2 s" in answer.reason


@pytest.mark.parametrize(
    "said",
    [
        Says(body=b"PK", headers={"content-type": "application/zip"}),
        Says(body=b"<p>Bread"),
        Says(body=b"Bread", headers={"content-type": "text/html", "content-encoding": "br"}),
        Says(body=b"Bread", headers={"content-type": "text/html", "content-encoding": "gzip"}),
    ],
    ids=["zip", "untyped", "brotli", "not gzip"],
)
async def test_what_is_no_page_is_refused(site: WebSite, said: Says):
    """Another type, none at all, a packing that nobody asked for, one that is not what it says."""
    site.answers["/bread"] = said

    assert code(await ask(site, "/bread")) == "wrong_type"


async def test_a_packed_page_comes_out_plain(site: WebSite):
    """Gzip within the limits is unpacked."""
    packed = gzip.compress(b"<p>Bread</p>")
    site.answers["/bread"] = Says(
        body=packed, headers={"content-type": "text/html", "content-encoding": "gzip"}
    )

    answer = await ask(site, "/bread")

    assert isinstance(answer, WebFound) and answer.raw == b"<p>Bread</p>"


async def test_servers_that_break_off_or_speak_nonsense_are_unreachable(site: WebSite):
    """No HTTP, and nobody there: told, not raised."""

    async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.9\r\n")

    async with raw_server(nonsense) as port:
        names = frozenset({f"bakery.example:{port}", "bakery.example:1"})
        allowed = rules(site, hosts=names, inside=names)

        assert code(await ask(site, f"http://bakery.example:{port}/x", allowed)) == "robots"
        assert code(await ask(site, "http://bakery.example:1/x", allowed)) == "robots"


# Manners


async def test_robots_txt_is_obeyed(site: WebSite):
    """What it disallows to all or to us is not asked for; the longest rule counts, and wildcards do."""
    robots = b"User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.pdf$\nUser-agent: Magpie\nDisallow: /staff\n"
    site.answers = {
        "/robots.txt": Says(body=robots, headers={"content-type": "text/plain"}), "/staff": page("Staff"), "/private": page("Ours"),
    }  # fmt: skip

    assert code(await ask(site, "/staff")) == "robots"
    assert isinstance(await ask(site, "/private"), WebFound)  # a group of our own replaces that for all
    assert site.paths == ["/private"]


@pytest.mark.parametrize(
    ("status", "allowed"), [(404, True), (403, True), (500, False), (503, False), (429, False)]
)
async def test_robots_txt_that_can_not_be_had(site: WebSite, status: int, allowed: bool):
    """Missing: all is allowed. Broken: nothing is, for now."""
    site.answers = {"/robots.txt": Says(status=status), "/bread": page("Bread")}

    answer = await ask(site, "/bread")

    assert allowed == isinstance(answer, WebFound)


async def test_robots_txt_may_not_lead_elsewhere(site: WebSite):
    """Its redirects are checked too."""
    site.answers = {"/robots.txt": moved("http://169.254.169.254/latest/"), "/bread": page("Bread")}

    assert code(await ask(site, "/bread")) == "robots"


async def test_a_host_is_asked_at_a_gentle_pace(site: WebSite):
    """The longer of our pause and the host's Crawl-delay lies between two requests; robots.txt is asked for once."""
    site.answers = {
        "/robots.txt": Says(body=b"User-agent: *\nCrawl-delay: 3\n"), "/a": page("A"), "/b": page("B"),
    }  # fmt: skip
    clock = Clock()
    async with SafeWeb(
        rules(site, pause_s=1.0), resolver=names_to("127.0.0.1"), clock=clock, sleep=clock.sleep
    ) as web:
        for path in ("/a", "/b", "/a"):
            await web.ask(WebRequest(address=f"http://bakery.example:{site.port}{path}"))

    assert clock.slept == [1.0, 3.0, 3.0]
    assert sum(path == "/robots.txt" for path, _ in site.asked) == 1


@pytest.mark.parametrize(
    ("retry_after", "slept"),
    [("7", 7.0), ("Mon, 12 Jan 1970 13:46:50 GMT", 10.0), ("9999", None), ("soon", None)],
)
async def test_a_busy_server_is_asked_again_when_it_says(
    site: WebSite, retry_after: str, slept: float | None
):
    """Retry-After in seconds or as a date is waited for, once or twice; too long a wait, or none, is left to the next run."""
    busy = Says(status=429, headers={"retry-after": retry_after})
    site.answers["/bread"] = [busy, page("Bread")]
    clock = Clock()
    async with SafeWeb(
        rules(site), resolver=names_to("127.0.0.1"), clock=clock, now_s=clock, sleep=clock.sleep
    ) as web:
        answer = await web.ask(WebRequest(address=f"http://bakery.example:{site.port}/bread"))

    if slept is None:
        assert (code(answer), clock.slept) == ("busy", [])
    else:
        assert isinstance(answer, WebFound)
        assert [slept] == clock.slept


async def test_a_server_that_stays_busy_is_left_alone(site: WebSite):
    """Three times, not more."""
    site.answers["/bread"] = Says(status=429, headers={"retry-after": "1"})

    assert code(await ask(site, "/bread")) == "busy"
    assert len(site.paths) == 3


# HTTPS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for bakery.example, signed by itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bakery.example")])
    start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("bakery.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "bakery.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


@contextmanager
def secure_site(certificate: Path) -> Iterator[WebSite]:
    answers: dict[str, Says | list[Says]] = {
        "/bread": page("Bread"),
        "/down": moved("http://bakery.example/bread"),
    }
    with on_loopback(WebSite(answers=answers), ssl_certfile=str(certificate)) as site:
        yield site


async def test_https_keeps_the_name_while_it_connects_by_number(certificate: Path):
    """SNI, Host and the certificate's check are of the name; another name's certificate is refused; https stays https."""
    trusting = ssl.create_default_context(cafile=str(certificate))
    with secure_site(certificate) as site:
        hosts = frozenset(
            {f"{name}:{site.port}" for name in ("bakery.example", "other.example")} | {"bakery.example"}
        )
        allowed = WebRules(hosts=hosts, inside=hosts, networks=LOOPBACK, pause_s=0)
        async with SafeWeb(allowed, resolver=names_to("127.0.0.1"), ssl_context=trusting) as web:
            good = await web.ask(WebRequest(address=f"https://bakery.example:{site.port}/bread"))
            other = await web.ask(WebRequest(address=f"https://other.example:{site.port}/bread"))
            down = await web.ask(WebRequest(address=f"https://bakery.example:{site.port}/down"))

        assert isinstance(good, WebFound)
        assert f"bakery.example:{site.port}" == site.asked[-1][1]["host"]
        assert (code(other), code(down)) == ("robots", "redirects")
        assert isinstance(other, WebFailed) and "certificate" in other.reason.lower()


async def test_the_machine_s_proxy_is_not_asked(site: WebSite, monkeypatch: pytest.MonkeyPatch):
    """A proxy in the environment would resolve names for us, unchecked."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    site.answers["/bread"] = page("Bread")

    assert isinstance(await ask(site, "/bread"), WebFound)


def test_permission_of_loopback_is_a_value_that_nobody_gives_by_default():
    """Rules without networks permit none."""
    assert WebRules(hosts=frozenset()).networks == ()
    assert all(isinstance(one, ipaddress.IPv4Network) for one in LOOPBACK)
