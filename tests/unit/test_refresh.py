"""Pages of the web brought in, looked at again, moved, merged, taken away, and held back for the owner."""

import asyncio
import gzip
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from magpie.adapters.corpus_folder import CorpusFolder
from magpie.errors import DocumentRefused
from magpie.ingesting.reading import read
from magpie.ingesting.refresh import Refresh, WebReport
from magpie.ingesting.run import Ingest, Parts
from magpie.ingesting.web.page_file import PageFile, packed, page_file
from magpie.ingesting.web.places import place_of
from magpie.ingesting.web.sitemaps import sitemap_of
from magpie.ingesting.web.visiting import Became
from magpie.model import Document, Selection, WebFailed, WebFound, WebGone
from magpie.settings import FetchSettings
from magpie.site import Site, SourceRule, load_site
from magpie.text.web_address import web_address
from magpie.web_wiring import web_rules
from tests.fakes_of_ingesting import (
    FakeCache,
    FakeHostile,
    FakePassageEmbedder,
    FakeStore,
    FakeVersions,
    FakeWeb,
)

BASE = "https://bakery.example"
SITE = """
site: {key: bakery, name: Bakery, url: "https://bakery.example"}
persona: {name: Crumb}
sources: [{path: "pages/**"}]
web: {pause_s: 0, addresses: ["https://bakery.example/sitemap.xml"]}
"""
HTML = "text/html; charset=utf-8"


def html(text: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body><main><h1>{text}</h1><p>{text} is baked every day.</p></main></body></html>".encode()


def found(
    path: str, text: str = "", *, at: str = "", head: str = "", moved: bool = False, etag: str = ""
) -> WebFound:
    return WebFound(
        address=BASE + (at or path), raw=html(text or path, head), media_type=HTML, moved=moved, etag=etag
    )


def listing(*paths: str) -> WebFound:
    entries = "".join(f"<url><loc>{BASE}{path}</loc></url>" for path in paths)
    raw = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()
    return WebFound(address=f"{BASE}/sitemap.xml", raw=raw, media_type="application/xml")


@dataclass
class Bakery:
    """A site on the web and its corpus."""

    web: FakeWeb = field(default_factory=FakeWeb)
    store: Any = field(default_factory=lambda: FakeStore(files={}))
    site_text: str = SITE
    now_s: float = 0.0

    def says(self, *answers: WebFound, listed: tuple[str, ...] | None = None) -> None:
        """What stands on the web now, and in the sitemap."""
        by_path = {answer.address.removeprefix(BASE): answer for answer in answers}
        self.web.answers = {BASE + path: answer for path, answer in by_path.items()}
        self.web.answers[f"{BASE}/sitemap.xml"] = listing(*(by_path if listed is None else listed))

    @property
    def site(self) -> Site:
        return load_site(self.site_text)

    def refresh(self) -> Refresh:
        def clock() -> float:
            self.now_s += 1
            return self.now_s

        return Refresh(self.site, self.web, self.store, clock=clock)

    async def bring(self, path: str = "/sitemap.xml") -> WebReport:
        return await self.refresh().bring(BASE + path)

    def pages(self) -> dict[str, str]:
        """The corpus' pages: place to address."""
        return {
            path: page_file(path, raw).address.removeprefix(BASE)
            for path, raw in self.store.files.items()
            if path.startswith("web/")
        }


def became(report: WebReport, kind: Became) -> list[str]:
    return [one.address.removeprefix(BASE) for one in report.of(kind)]


# Bringing in


async def test_a_page_becomes_a_file_of_the_corpus():
    """Its place tells its address, and a reader finds its text and where it stands."""
    bakery = Bakery()
    bakery.says(found("/bread/rye", "Rye bread"))

    report = await bakery.bring("/bread/rye")

    assert became(report, Became.ADDED) == ["/bread/rye"]
    assert bakery.pages() == {"web/bakery.example/bread/rye.page": "/bread/rye"}
    path = "web/bakery.example/bread/rye.page"
    document = Document(path=path, raw=bakery.store.files[path], raw_hash="")
    (reading,) = await read(document, SourceRule(path="**"), {}, FakeHostile())
    assert (reading.title, reading.url) == ("Rye bread", f"{BASE}/bread/rye")
    assert "baked every day" in reading.text


async def test_a_sitemap_brings_all_its_pages_once():
    """Each listed page is asked for once, however often and in whatever form it is listed."""
    bakery = Bakery()
    bakery.says(found("/a"), found("/b"), listed=("/a", "/b", "/a", "/b#crust"))

    report = await bakery.bring()

    assert became(report, Became.ADDED) == ["/a", "/b"]
    assert len(bakery.web.asked) == 3


async def test_a_sitemap_index_and_packed_sitemaps_are_followed():
    """An index' sitemaps are read, gzip or plain; one that fails takes nothing from the others."""
    bakery = Bakery()
    bakery.says(found("/a"), found("/b"))
    packed_list = listing("/b")
    names = "".join(
        f"<sitemap><loc>{BASE}/{name}</loc></sitemap>" for name in ("one.xml", "two.xml.gz", "none.xml")
    )
    index = f"<sitemapindex>{names}</sitemapindex>".encode()
    bakery.web.answers |= {
        f"{BASE}/sitemap.xml": WebFound(address=f"{BASE}/sitemap.xml", raw=index, media_type="text/xml"),
        f"{BASE}/one.xml": listing("/a"),
        f"{BASE}/two.xml.gz": WebFound(
            address=f"{BASE}/two.xml.gz", raw=gzip.compress(packed_list.raw), media_type="application/gzip"
        ),
    }

    report = await bakery.bring()

    assert became(report, Became.ADDED) == ["/a", "/b"]
    assert became(report, Became.FAILED) == ["/none.xml"]


async def test_more_pages_than_the_site_file_lets_are_left():
    """The limit counts pages asked; what is left is told."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_pages: 3"))
    bakery.says(*(found(f"/page-{number}") for number in range(10)))

    report = await bakery.bring()

    assert (len(report.visited), report.left) == (3, 7)


async def test_a_sitemap_that_points_elsewhere_crowds_nobody_out():
    """Addresses of other hosts are told, cost no request of the limit, and bring nothing in."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_pages: 2"))
    bakery.says(found("/a"), found("/b"))
    entries = [f"https://evil.example/{number}" for number in range(50)]
    for entry in entries:
        bakery.web.answers[entry] = WebFailed(
            address=entry, code="not_allowed", reason="is not among the hosts"
        )
    raw = "".join(
        f"<url><loc>{entry}</loc></url>" for entry in [*entries, f"{BASE}/a", "ftp://x", f"{BASE}/b"]
    )
    bakery.web.answers[f"{BASE}/sitemap.xml"] = WebFound(
        address=f"{BASE}/sitemap.xml", raw=f"<urlset>{raw}</urlset>".encode(), media_type="text/xml"
    )

    report = await bakery.bring()

    assert (became(report, Became.ADDED), report.left) == (["/a", "/b"], 0)
    assert len(report.of(Became.FAILED)) == 51


async def test_include_and_exclude_choose_by_path():
    """What the site file leaves out is not even asked for; a page that it leaves out later goes."""
    bakery = Bakery(
        site_text=SITE.replace("pause_s: 0", "pause_s: 0, include: [/blog/**], exclude: [/blog/drafts]")
    )
    bakery.says(found("/blog/a"), found("/blog/drafts/b"), found("/shop"))
    await bakery.bring()
    first = bakery.pages()
    bakery.site_text = SITE.replace("pause_s: 0", "pause_s: 0, max_changed_share: 1, include: [/shop]")

    await bakery.refresh().run()

    with pytest.raises(DocumentRefused, match=r"web\.include"):
        await bakery.bring("/blog/a")

    assert list(first.values()) == ["/blog/a"]
    assert list(bakery.pages().values()) == ["/shop"]


async def test_an_address_that_gives_nothing_is_an_error_that_says_why():
    """The owner's own address: refused, gone, no sitemap, no address at all."""
    bakery = Bakery()
    bakery.web.answers = {
        f"{BASE}/a": WebFailed(address=f"{BASE}/a", code="not_allowed", reason="is not among the hosts"),
        f"{BASE}/feed.xml": WebFound(address=f"{BASE}/feed.xml", raw=b"<rss/>", media_type="text/xml"),
    }

    for address, code in (("/a", "not_allowed"), ("/feed.xml", "no_sitemap"), ("/none", "gone")):
        with pytest.raises(DocumentRefused) as caught:
            await bakery.bring(address)
        assert caught.value.code == code
    with pytest.raises(DocumentRefused, match="only http and https"):
        await bakery.refresh().bring("file:///etc/passwd")


# Looking again


async def test_an_unchanged_page_is_asked_for_with_its_validators_and_not_written():
    """The ETag of the bytes that are held goes along; 304 leaves the file as it is."""
    bakery = Bakery()
    bakery.says(found("/a", etag='"1"'))
    await bakery.bring()
    bakery.store.written.clear()

    report = await bakery.refresh().run()

    assert (became(report, Became.SAME), bakery.store.written) == (["/a"], [])
    assert bakery.web.asked[-1].etag == '"1"'


async def test_a_page_that_only_looks_different_is_the_same():
    """Another nonce in a script or another class is no change; the text is what counts."""
    bakery = Bakery()
    bakery.says(found("/a", "Rye", head="<script nonce=1></script>"))
    await bakery.bring()
    bakery.says(found("/a", "Rye", head="<script nonce=2></script>"))

    report = await bakery.refresh().run()

    assert became(report, Became.SAME) == ["/a"]


@pytest.mark.parametrize("answer", ["busy", "status", "robots", "too_slow", "not_allowed", "unreachable"])
async def test_no_answer_takes_nothing_away(answer: str):
    """A server's trouble keeps what was."""
    bakery = Bakery()
    bakery.says(found("/a"))
    await bakery.bring()
    before = dict(bakery.store.files)
    bakery.web.answers[f"{BASE}/a"] = WebFailed(address=f"{BASE}/a", code=answer, reason="no")

    report = await bakery.refresh().run()

    assert (became(report, Became.FAILED), bakery.store.files) == (["/a"], before)


async def test_a_page_that_is_gone_is_removed():
    """404 and 410 take the page out of the corpus, whether a sitemap lists it still or not."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_changed_share: 1"))
    bakery.says(found("/a"), found("/b"))
    await bakery.bring()
    bakery.says(found("/a"))
    bakery.web.answers[f"{BASE}/b"] = WebGone(address=f"{BASE}/b", status=410)

    report = await bakery.refresh().run()

    assert became(report, Became.GONE) == ["/b"]
    assert list(bakery.pages().values()) == ["/a"]


async def test_a_page_that_left_the_sitemap_but_stands_still_stays():
    """Only the page itself can say that it is gone."""
    bakery = Bakery()
    bakery.says(found("/a"), found("/b"))
    await bakery.bring()
    bakery.says(found("/a"), found("/b"), listed=("/a",))

    await bakery.refresh().run()

    assert set(bakery.pages().values()) == {"/a", "/b"}


# Identity


async def test_a_page_that_moved_keeps_its_identity():
    """A redirect for good: the same file with the new address, which is asked from then on; no second page."""
    bakery = Bakery()
    bakery.says(found("/old", "Rye"))
    await bakery.bring()
    bakery.says(found("/new", "Rye"))
    bakery.web.answers[f"{BASE}/old"] = found("/old", "Rye", at="/new", moved=True)

    report = await bakery.refresh().run()
    bakery.web.asked.clear()
    await bakery.refresh().run()

    assert (became(report, Became.MOVED), became(report, Became.ADDED)) == (["/new"], [])
    assert bakery.pages() == {"web/bakery.example/old.page": "/new"}
    assert [request.address.removeprefix(BASE) for request in bakery.web.asked] == ["/sitemap.xml", "/new"]


async def test_a_redirect_for_now_is_asked_for_at_its_start_again():
    """302: the page's address is where it ended, but the old address stays the one that is asked."""
    bakery = Bakery()
    bakery.says(found("/a", "Rye", at="/a-2026"), listed=("/a",))
    bakery.web.answers[f"{BASE}/a"] = found("/a", "Rye", at="/a-2026")
    await bakery.bring("/a")
    bakery.web.asked.clear()

    await bakery.refresh().run()

    assert bakery.pages() == {"web/bakery.example/a-2026.page": "/a-2026"}
    assert f"{BASE}/a" in [request.address for request in bakery.web.asked]


async def test_a_page_that_leads_to_another_known_one_is_gone():
    """Two pages became one: the one that redirects goes, the other stays as it is."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_changed_share: 1"))
    bakery.says(found("/", "Home"), found("/old", "Rye"))
    await bakery.bring()
    bakery.says(found("/", "Home"))
    bakery.web.answers[f"{BASE}/old"] = found("/old", "Home", at="/", moved=True)

    report = await bakery.refresh().run()

    assert became(report, Became.GONE) == ["/old"]
    assert bakery.pages() == {"web/bakery.example/index.page": "/"}


async def test_addresses_with_one_canonical_page_are_one_page():
    """A tracking query is no page of its own; a canonical address on another host is not believed."""
    bakery = Bakery()
    own = '<link rel="canonical" href="https://bakery.example/a">'
    foreign = '<link rel="canonical" href="https://evil.example/a">'
    bakery.says(
        found("/a?utm_source=x", "Rye", head=own),
        found("/a", "Rye", head=own),
        found("/b", "Spelt", head=foreign),
    )

    await bakery.bring()

    assert set(bakery.pages()) == {"web/bakery.example/a.page", "web/bakery.example/b.page"}


async def test_another_address_of_a_known_page_leaves_it_as_it_is():
    """Asked for by an alias, the page is looked at under its own address, and only once a round."""
    bakery = Bakery()
    bakery.says(found("/a", "Rye"))
    await bakery.bring()
    alias = "/a?utm_source=x"
    bakery.says(found("/a", "Rye"), found(alias, "Rye", head=f'<link rel="canonical" href="{BASE}/a">'))
    bakery.web.asked.clear()

    report = await bakery.bring()

    assert (len(report.visited), bakery.pages()) == (2, {"web/bakery.example/a.page": "/a"})
    assert [one.became for one in report.visited] == [Became.SAME, Became.SAME]
    assert sum(request.address == f"{BASE}/a" for request in bakery.web.asked) == 1


async def test_a_redirect_to_what_is_left_out_brings_nothing_in():
    """`include` and `exclude` hold for where a redirect ends, too."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, exclude: [/members]"))
    bakery.says(found("/a"))
    bakery.web.answers[f"{BASE}/a"] = found("/a", at="/members/a", moved=True)

    report = await bakery.bring()

    assert ([one.code for one in report.visited], bakery.pages()) == (["left_out"], {})


async def test_more_sitemaps_than_are_read_are_told():
    """An index of a thousand sitemaps costs fifty requests, and says so."""
    bakery = Bakery()
    names = "".join(f"<sitemap><loc>{BASE}/{number}.xml</loc></sitemap>" for number in range(1000))
    bakery.says(found("/a"))
    bakery.web.answers[f"{BASE}/sitemap.xml"] = WebFound(
        address=f"{BASE}/sitemap.xml",
        raw=f"<sitemapindex>{names}</sitemapindex>".encode(),
        media_type="text/xml",
    )
    bakery.web.answers |= {f"{BASE}/{number}.xml": listing("/a") for number in range(1000)}

    report = await bakery.bring()

    assert [one.reason for one in report.of(Became.FAILED)] == ["lists 1000 sitemaps; only 50 were read"]
    assert (became(report, Became.ADDED), len(bakery.web.asked)) == (["/a"], 52)


# Waiting


async def test_much_change_waits_for_the_owner():
    """Over the share nothing is taken over, not even what is new; accepted, all of it is."""
    bakery = Bakery()
    bakery.says(*(found(f"/{number}") for number in range(4)))
    await bakery.bring()
    before = dict(bakery.store.files)
    bakery.says(found("/0", "Other"), found("/1", "Other too"), found("/2"), found("/new"))

    report = await bakery.refresh().run()
    waiting = await bakery.refresh().waiting()
    untouched = {path: raw for path, raw in bakery.store.files.items() if path.startswith("web/")} == before
    accepted = await bakery.refresh().accept()

    assert (report.waits, report.changed_share, untouched) == (True, 0.75, True)
    assert waiting == accepted and len(waiting) == 4
    assert set(bakery.pages().values()) == {"/0", "/1", "/2", "/new"}
    assert not [path for path in bakery.store.files if path.startswith(".waiting/")]
    assert await bakery.refresh().accept() == ()


async def test_what_waits_and_is_undone_waits_no_longer():
    """A site that is itself again leaves nothing to accept."""
    bakery = Bakery()
    bakery.says(found("/a", "Rye"))
    await bakery.bring()
    bakery.says(found("/a", "Defaced"))
    first = await bakery.refresh().run()
    bakery.says(found("/a", "Rye"))

    second = await bakery.refresh().run()

    assert (first.waits, second.waits, await bakery.refresh().waiting()) == (True, False, ())


async def test_what_waits_is_not_taken_over_because_its_page_fails_now():
    """A round in which the page gives no answer neither accepts nor forgets what waits of it."""
    bakery = Bakery()
    bakery.says(found("/a", "Rye"), found("/b"))
    await bakery.bring()
    bakery.says(found("/a", "Defaced"), found("/b"))
    await bakery.refresh().run()
    bakery.web.answers[f"{BASE}/a"] = WebFailed(address=f"{BASE}/a", code="status", reason="answers 500")

    report = await bakery.refresh().run()

    assert (report.waits, len(await bakery.refresh().waiting())) == (False, 1)
    assert b"Rye" in bakery.store.files["web/bakery.example/a.page"]


async def test_a_site_that_vanished_waits():
    """Every page answers 404 after a bad deployment: nothing is lost."""
    bakery = Bakery()
    bakery.says(*(found(f"/{number}") for number in range(4)))
    await bakery.bring()
    bakery.says(listed=())

    report = await bakery.refresh().run()

    assert (report.waits, len(bakery.pages())) == (True, 4)


async def test_a_full_disk_in_the_middle_loses_nothing():
    """The round fails, the pages are what they were, and the next round takes over all."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_changed_share: 1"))
    bakery.says(*(found(f"/{number}") for number in range(4)))
    await bakery.bring()
    before = dict(bakery.store.files)
    bakery.says(*(found(f"/{number}", f"Other {number}") for number in range(4)))
    bakery.store.written.clear()
    bakery.store.fails_after = 2

    with pytest.raises(DocumentRefused, match="No space left"):
        await bakery.refresh().run()
    during = {path: raw for path, raw in bakery.store.files.items() if path.startswith("web/")}
    bakery.store.fails_after = None
    report = await bakery.refresh().run()

    assert during == before
    assert len(report.of(Became.CHANGED)) == 4
    assert all(b"Other" in raw for raw in bakery.store.files.values())


async def test_a_round_that_runs_out_of_time_goes_on_where_it_stopped():
    """Each page is asked for once in two rounds together."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_changed_share: 1"))
    bakery.says(*(found(f"/{number}") for number in range(6)))

    first = await bakery.refresh().run(until=bakery.now_s + 4)
    second = await bakery.refresh().run(until=bakery.now_s + 100)

    assert (len(first.visited), first.left, len(second.visited), second.left) == (3, 3, 3, 0)
    assert len(bakery.pages()) == 6
    assert ".web-left.json" not in bakery.store.files


async def test_two_rounds_at_once_do_no_harm(tmp_path: Path):
    """Over one folder, in step: both end, and the pages are those of the web."""
    bakery = Bakery(site_text=SITE.replace("pause_s: 0", "pause_s: 0, max_changed_share: 1"))
    bakery.store = CorpusFolder(tmp_path)
    bakery.says(*(found(f"/{number}") for number in range(5)))
    await bakery.bring()
    bakery.says(*(found(f"/{number}", f"Other {number}") for number in range(5)))
    bakery.web.answers[f"{BASE}/0"] = WebGone(address=f"{BASE}/0", status=404)

    await asyncio.gather(bakery.refresh().run(), bakery.refresh().run())

    files = [path async for path, _ in bakery.store.paths()]
    assert files == [f"web/bakery.example/{number}.page" for number in range(1, 5)]
    assert all(b"Other" in (tmp_path / path).read_bytes() for path in files)


@pytest.mark.parametrize("path", ["../outside.page", "web/../../outside.page", "link/outside.page"])
async def test_nothing_is_written_or_removed_outside_of_the_corpus(tmp_path: Path, path: str):
    """Neither by a path that climbs nor through a link that leads out."""
    corpus, outside = tmp_path / "corpus", tmp_path / "outside.page"
    corpus.mkdir()
    outside.write_text("mine")
    (corpus / "link").symlink_to(tmp_path)

    for attempt in (CorpusFolder(corpus).write(path, b"theirs"), CorpusFolder(corpus).remove(path)):
        with pytest.raises(DocumentRefused, match="leads out"):
            await attempt

    assert outside.read_text() == "mine"


async def test_a_written_file_is_whole_and_an_empty_folder_goes(tmp_path: Path):
    """No half-written file beside it; removing the last file of a folder removes the folder."""
    folder = CorpusFolder(tmp_path)

    await folder.write("web/a/b.page", b"bread")
    written = os.listdir(tmp_path / "web" / "a")
    await folder.remove("web/a/b.page")
    await folder.remove("web/a/b.page")

    assert (written, os.listdir(tmp_path)) == (["b.page"], [])


async def test_each_part_of_a_round_is_judged_by_what_it_looked_at():
    """A site that changed as a whole waits, also where each call has time for a few pages only."""
    bakery = Bakery()
    bakery.says(*(found(f"/{number}") for number in range(12)))
    await bakery.bring()
    bakery.says(*(found(f"/{number}", f"Other {number}") for number in range(12)))

    parts = [await bakery.refresh().run(until=bakery.now_s + 4) for _ in range(4)]

    assert [(part.waits, len(part.visited)) for part in parts] == [(True, 3)] * 4
    assert not any(b"Other" in raw for path, raw in bakery.store.files.items() if path.startswith("web/"))


# The parts


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://bakery.example", "web/bakery.example/index.page"),
        ("https://bakery.example/blog/rye.html", "web/bakery.example/blog/rye.page"),
        ("https://bakery.example/blog/", "web/bakery.example/blog/index.page"),
        ("https://bakery.example:8443/x", "web/bakery.example-8443/x.page"),
        ("https://bakery.example/?p=12", "web/bakery.example/index-p-12~"),
        ("https://bakery.example/.env", "web/bakery.example/-env~"),
        ("https://bakery.example/a/../../b", "web/bakery.example/a/-/-/b~"),
        ("https://bakery.example/bäcker", "web/bakery.example/b-C3-A4cker~"),
        ("https://bakery.example/" + "x" * 500, "web/bakery.example/" + "x" * 100 + "~"),
    ],
)
def test_a_page_s_place_is_a_plain_path_of_the_corpus(address: str, place: str):
    """Short, no hidden or climbing parts; whatever had to be changed is told apart by a hash."""
    found_place = place_of(web_address(address))

    assert found_place.startswith(place.removesuffix(".page"))
    assert found_place.endswith(".page") and ("~" in found_place) == place.endswith("~")


def test_two_addresses_never_share_a_place():
    """`/a` and `/a.html` are two pages, as long as no redirect says otherwise."""
    first = place_of(web_address(f"{BASE}/a"))

    assert place_of(web_address(f"{BASE}/a.html"), {first}) != first


def test_a_page_file_gives_back_what_was_put_in():
    """Any bytes, also ones that look like headers."""
    page = PageFile(address=f"{BASE}/a", media_type=HTML, etag='W/"1"', body=b"\n\nAddress: x\n\n\x00\xff")

    assert page_file("web/a.page", packed(page)) == page


@pytest.mark.parametrize(
    "raw", [b"", b"<html>", b"Address: nonsense\nType: text/html\n\n", b"Type: text/html\n\nx"]
)
def test_a_damaged_page_file_is_refused(raw: bytes):
    """With what to do about it."""
    with pytest.raises(DocumentRefused):
        page_file("web/a.page", raw)


async def test_the_server_s_encoding_counts_where_the_bytes_are_not_utf8():
    """A Latin-2 page that only its header calls so is read right."""
    page = PageFile(
        address=f"{BASE}/a",
        media_type="text/html; charset=ISO-8859-2",
        body="<p>Żółw i chleb".encode("iso-8859-2"),
    )
    document = Document(path="web/bakery.example/a.page", raw=packed(page), raw_hash="")

    (reading,) = await read(document, SourceRule(path="**"), {}, FakeHostile())

    assert "Żółw" in reading.text


@pytest.mark.parametrize(
    "raw",
    [
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
        b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><urlset><url><loc>&f;</loc></url></urlset>',
    ],
)
def test_entities_of_a_sitemap_are_not_resolved(raw: bytes):
    """Neither bombs nor files of the machine come out of them."""
    assert "".join(sitemap_of("x", raw).pages).strip("&ab;f") == ""


def test_a_huge_sitemap_gives_no_more_than_it_may():
    """50,000 entries, and a bomb of gzip is refused."""
    many = b"<urlset>" + b"<url><loc>https://bakery.example/x</loc></url>" * 60_000 + b"</urlset>"

    assert len(sitemap_of("x", many).pages) == 50_000
    with pytest.raises(DocumentRefused, match="larger than"):
        sitemap_of("x", gzip.compress(bytes(60_000_000)))


@pytest.mark.parametrize("raw", [b"<html></html>", b"<urlset><url>", b"\x1f\x8bxx"])
def test_what_is_no_sitemap_is_refused(raw: bytes):
    """Another document, broken XML, broken gzip."""
    with pytest.raises(DocumentRefused) as caught:
        sitemap_of("x", raw)

    assert caught.value.code == "no_sitemap"


def test_a_text_sitemap_lists_an_address_a_line():
    """Lines that are no addresses are left out."""
    assert sitemap_of("x", b"\xef\xbb\xbfhttps://a.example/\n# note\nhttps://a.example/b\n").pages == (
        "https://a.example/",
        "https://a.example/b",
    )


def test_a_host_beyond_ascii_is_the_same_host_everywhere():
    """As the site file writes it, as requests name it, as its pages' folder is called."""
    site = load_site(SITE.replace('https://bakery.example"', 'https://Bäckerei.example"'))
    place = place_of(web_address("https://bäckerei.example/brot"))

    rule = site.rule_for(place)

    assert web_address("https://bäckerei.example/").place in web_rules(site, FetchSettings()).hosts
    assert rule is not None and rule.origin.value == "first_party"


async def test_what_waits_is_no_part_of_an_ingest():
    """A run over everything sees the pages of the corpus and nothing of the waiting room."""
    bakery = Bakery()
    bakery.says(found("/a", "Rye"))
    await bakery.bring()
    bakery.says(found("/a", "Defaced"))
    await bakery.refresh().run()
    versions = FakeVersions()
    parts = Parts(
        files=bakery.store, versions=versions, hostile=FakeHostile(), primary=FakePassageEmbedder(), fallback=None, cache=FakeCache(),
    )  # fmt: skip

    summary = await Ingest(bakery.site, parts).run(Selection(folder="web/"))

    assert [str(key) for key in summary.added] == ["page:bakery.example/a"]
    assert "Rye" in versions.now()["page:bakery.example/a"].source.text


def test_pages_have_a_rule_without_one_in_the_site_file():
    """The own host's pages are first-party, those of others trusted external; the site file's own rules go first."""
    site = load_site(
        SITE.replace('[{path: "pages/**"}]', '[{path: "web/*/blog/**", type: article, reader: auto}]')
    )

    rules = [
        site.rule_for(f"web/{place}.page")
        for place in ("bakery.example/a", "other.example/a", "bakery.example/blog/x/y")
    ]

    assert [(rule.type, rule.origin.value) for rule in rules if rule] == [
        ("page", "first_party"), ("page", "trusted_external"), ("article", "first_party"),
    ]  # fmt: skip
    assert site.rule_for("web/bakery.example/a.exe") is None
