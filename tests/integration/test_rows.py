"""Rows of an owner's own database and of a JSON API, up to the live version."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import psycopg
import pytest

from magpie.adapters.corpus_folder import CorpusFolder
from magpie.adapters.postgres import Database, PostgresCatalogue, PostgresEmbeddingCache, PostgresVersions
from magpie.errors import DocumentRefused, SiteInvalid
from magpie.ingesting.rows import CorpusWithRows, is_told
from magpie.ingesting.run import Ingest, Parts
from magpie.model import IngestSummary, Vector, Viewer
from magpie.settings import FetchSettings
from magpie.site import Rows, Site, load_site
from magpie.web_wiring import RowsOf, with_rows
from tests.corpora import PRIMARY
from tests.fakes_of_ingesting import FakeHostile
from tests.loopback.web_site import LOOPBACK, Says, WebSite, on_loopback

SITE = """
site: {key: shop, name: Shop, url: "https://shop.example"}
persona: {name: Till}
sources:
  - {path: "pages/**"}
  - path: rows/products
    type: product
    scope: commercial
    url: "/products/{id}"
    rows: {connection: shop, query: "SELECT id, name, price, status, deleted_at FROM products ORDER BY id"}
    records: {key: id, title: name, label: Product}
"""
SCHEMA = """
CREATE TABLE products (id int PRIMARY KEY, name text, price numeric(8, 2), status text, deleted_at timestamptz);
INSERT INTO products SELECT n, 'Loaf ' || n, n * 0.10, 'published', NULL FROM generate_series(1, 1203) n;
"""


class CountingEmbedder:
    """Vectors of the right length; `texts` notes what was embedded."""

    model = PRIMARY

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.texts += texts
        return await self.embed_queries(texts)

    async def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(one_hot(crc32(text.encode()) % PRIMARY.dimension) for text in texts)


def one_hot(place: int) -> Vector:
    return tuple(float(number == place) for number in range(PRIMARY.dimension))


@pytest.fixture
def shop_url(empty_database_url: str) -> str:
    """An owner's database with 1,203 products: more than two pages of 500."""
    with psycopg.connect(empty_database_url) as conn:
        conn.execute(SCHEMA)
    return empty_database_url


def change(url: str, statement: str) -> None:
    with psycopg.connect(url) as conn:
        conn.execute(statement.encode())


def reader(site: Site, url: str) -> RowsOf:
    return RowsOf(site, FetchSettings(rows={"shop": url}))


async def sizes(rows: Rows, url: str) -> list[int]:
    pages = reader(load_site(SITE), url).pages("rows/products", rows)
    return [len(page) async for page in pages]


async def refusal(rows: Rows, url: str) -> DocumentRefused:
    with pytest.raises(DocumentRefused) as caught:
        await sizes(rows, url)
    return caught.value


class Shop:
    """A site whose products are rows, on a real database of Magpie's own."""

    def __init__(self, database: Database, corpus: Path, url: str, site_text: str = SITE) -> None:
        self.database, self.corpus, self.url, self.site_text = database, corpus, url, site_text
        self.embedder = CountingEmbedder()

    async def ingest(self, **options: bool) -> IngestSummary:
        site = load_site(self.site_text)
        parts = Parts(
            files=CorpusWithRows(CorpusFolder(self.corpus), site, reader(site, self.url)),
            versions=PostgresVersions(self.database),
            hostile=FakeHostile(),
            primary=self.embedder,
            fallback=None,
            cache=PostgresEmbeddingCache(self.database),
        )
        return await Ingest(site, parts).run(**options)

    async def live(self) -> dict[str, str]:
        """The live version's sources: key to title."""
        catalogue = PostgresCatalogue(self.database)
        version = await catalogue.active_version()
        rows = await catalogue.sources(version=version.id, viewer=Viewer())
        return {str(row.key): row.title for row in rows}


@pytest.fixture
def shop(database: Database, tmp_path: Path, shop_url: str) -> Shop:
    return Shop(database, tmp_path, shop_url)


async def test_each_row_is_a_source_of_its_own(shop: Shop):
    """All 1,203, an amount to its last digit; the same rows again make no version and embed nothing."""
    first = await shop.ingest()
    texts = shop.embedder.texts

    second = await shop.ingest()

    assert (len(first.added), len(await shop.live())) == (1203, 1203)
    assert any("Product: Loaf 7\n" in text and "Price: 0.70" in text for text in texts)
    assert (second.version_id, second.unchanged, second.embedded) == (None, 1203, 0)


async def test_rows_come_in_pages_of_500(shop_url: str):
    """500, 500, 203: never more at once."""
    rows = Rows(connection="shop", query="SELECT * FROM products")

    assert await sizes(rows, shop_url) == [500, 500, 203]


async def test_deleted_and_withdrawn_rows_are_gone_from_the_live_version(shop: Shop):
    """`deleted_at`, another status and a row that is not there any more: each source leaves, and only those."""
    await shop.ingest()
    change(shop.url, "UPDATE products SET deleted_at = now() WHERE id = 1")
    change(shop.url, "UPDATE products SET status = 'draft' WHERE id = 2")
    change(shop.url, "DELETE FROM products WHERE id = 3")
    change(shop.url, "UPDATE products SET name = 'Rye' WHERE id = 4")

    summary = await shop.ingest()
    live = await shop.live()

    assert {str(key) for key in summary.removed} == {"product:1", "product:2", "product:3"}
    assert not {"product:1", "product:2", "product:3"} & set(live)
    assert ([str(key) for key in summary.changed], live["product:4"]) == (["product:4"], "Rye")
    assert summary.embedded == 1


@pytest.mark.parametrize("query", ["SELECT * FROM nothing", "SELECT pg_sleep(5) AS id"])
async def test_a_query_that_fails_keeps_what_was(shop: Shop, query: str):
    """A missing table and a query that takes too long lose no source."""
    await shop.ingest()
    shop.site_text = SITE.replace(
        "SELECT id, name, price, status, deleted_at FROM products ORDER BY id", query
    )
    shop.site_text = shop.site_text.replace("connection: shop", "connection: shop, timeout_s: 0.2")

    summary = await shop.ingest()

    assert [refused.code for refused in summary.refused] in (["bad_query"], ["too_slow"])
    assert len(await shop.live()) == 1203


async def test_a_database_that_is_away_keeps_what_was(shop: Shop):
    """No connection is no deletion; the reason names no address and no password."""
    await shop.ingest()
    shop.url = "postgresql://till:hunter2@127.0.0.1:1/shop"

    summary = await shop.ingest()

    assert [refused.code for refused in summary.refused] == ["unreachable"]
    assert "hunter2" not in summary.refused[0].reason
    assert len(await shop.live()) == 1203


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM products RETURNING id",
        "SELECT 1 AS id; DROP TABLE products",
        "SELECT 1 AS id; COMMIT; DROP TABLE products",
        "WITH gone AS (DELETE FROM products RETURNING id) SELECT id FROM gone",
        "SELECT setval('numbers', 1)",
        "SELECT set_config('transaction_read_only', 'off', true) AS id, lo_create(0)",
    ],
)
async def test_a_query_can_only_read(shop_url: str, query: str):
    """One statement, a SELECT, in a transaction that can't write: the site file travels with the corpus."""
    with psycopg.connect(shop_url) as conn:
        conn.execute("CREATE SEQUENCE numbers")

    refused = await refusal(Rows(connection="shop", query=query), shop_url)

    assert refused.code == "bad_query"
    with psycopg.connect(shop_url) as conn:
        assert conn.execute("SELECT count(*) FROM products").fetchone() == (1203,)
        assert conn.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone() == (0,)


async def test_a_site_file_uses_only_connections_that_are_meant_for_it(shop_url: str):
    """A name that the deployment does not give is refused by that name; Magpie's own database has none."""
    fetch = FetchSettings.from_env({"DATABASE_URL": shop_url, "MAGPIE_ROWS_SHOP": shop_url})

    refused = await refusal(Rows(connection="database_url", query="SELECT 1 AS id"), shop_url)

    assert set(fetch.rows) == {"shop"}
    assert (refused.code, "MAGPIE_ROWS_DATABASE_URL is not set" in refused.reason) == ("no_connection", True)
    assert shop_url not in repr(fetch)


async def test_more_rows_than_allowed_are_refused(shop: Shop):
    """A query without end fills no memory, and what was stays."""
    await shop.ingest()
    shop.site_text = SITE.replace("connection: shop", "connection: shop, max_rows: 1000")

    summary = await shop.ingest()

    assert ([refused.code for refused in summary.refused], len(await shop.live())) == (["too_large"], 1203)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({}, True),
        ({"status": "Published"}, True),
        ({"status": "publish", "deleted_at": None}, True),
        ({"status": "draft"}, False),
        ({"status": "trash"}, False),
        ({"status": "anything else"}, False),
        ({"status": "published", "deleted_at": "2026-01-01"}, False),
    ],
)
def test_a_status_that_nobody_knows_is_not_told(row: dict[str, str], told: bool):
    """Only live words let a row in; without a status it is in unless it was deleted."""
    assert is_told(row, Rows(query="SELECT 1")) == told


@pytest.mark.parametrize(
    "rule",
    [
        'rows: {query: "SELECT 1", address: "https://x.example"}, records: {}',
        "rows: {connection: shop}, records: {}",
        'rows: {query: "SELECT 1"}',
        'rows: {query: "SELECT 1", connection: "postgres://x"}, records: {}',
    ],
)
def test_a_rule_of_rows_says_all_that_is_needed(rule: str):
    """Query or address, records, and a name instead of an address of a database."""
    with pytest.raises(SiteInvalid, match="rows"):
        load_site(SITE.partition("  - path: rows")[0] + f"  - {{path: rows/x, {rule}}}\n")


# A JSON API


API = """
site: {key: shop, name: Shop, url: "http://127.0.0.1:PORT"}
persona: {name: Till}
web: {pause_s: 0}
sources:
  - path: rows/posts
    type: article
    rows: {address: "http://127.0.0.1:PORT/posts?page={page}&per_page={size}", page: 2}
    records: {at: items, key: id, title: title}
"""


@pytest.fixture
def api() -> Iterator[WebSite]:
    with on_loopback(WebSite()) as site:
        yield site


def says(*ids: int, status: str = "publish") -> Says:
    items = [{"id": number, "title": f"Post {number}", "status": status} for number in ids]
    return Says(body=json.dumps({"items": items}).encode(), headers={"content-type": "application/json"})


async def posts(api: WebSite) -> list[str]:
    site = load_site(API.replace("PORT", str(api.port)))
    fetch = FetchSettings(networks=LOOPBACK, hosts=frozenset({f"127.0.0.1:{api.port}"}))
    document = await with_rows(CorpusFolder(Path(__file__).parent), site, fetch).read("rows/posts")
    return [row["title"] for row in json.loads(document.raw)["items"]]


async def test_an_api_is_read_page_by_page_to_its_end(api: WebSite):
    """A short page ends it; so does a 404 or 400 after a full one; withdrawn rows are left out."""
    api.answers = {"/posts?page=1&per_page=2": says(1, 2), "/posts?page=2&per_page=2": says(3)}
    assert await posts(api) == ["Post 1", "Post 2", "Post 3"]

    api.answers = {
        "/posts?page=1&per_page=2": says(1, 2),
        "/posts?page=2&per_page=2": says(5, status="trash"),
    }
    assert await posts(api) == ["Post 1", "Post 2"]

    api.answers = {"/posts?page=1&per_page=2": says(1, 2), "/posts?page=2&per_page=2": Says(status=400)}
    assert await posts(api) == ["Post 1", "Post 2"]


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([says(1, 2), Says(status=500)], "unreachable"),
        ([Says(status=404)], "unreachable"),
        ([says(1, 2), says(1, 2)], "bad_rows"),
        ([Says(body=b"{", headers={"content-type": "application/json"})], "bad_rows"),
        ([Says(body=b'{"items": [1]}', headers={"content-type": "application/json"})], "bad_rows"),
        ([Says(body=b"<p>Log in", headers={"content-type": "text/html"})], "unreachable"),
    ],
)
async def test_an_api_in_trouble_gives_no_half_list(api: WebSite, answers: list[Says], code: str):
    """Rows that a broken page would have held must not look deleted."""
    api.answers = {f"/posts?page={number}&per_page=2": said for number, said in enumerate(answers, start=1)}

    with pytest.raises(DocumentRefused) as caught:
        await posts(api)

    assert caught.value.code == code
