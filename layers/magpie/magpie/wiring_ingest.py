"""
Settings to the steps of runs on AWS, and to what is done beside them.

Made once for a process; safe for several calls at once. Nothing here touches the network before
it is used.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from magpie.adapters.dynamodb import DynamoDirtyFiles, DynamoTable
from magpie.adapters.local_models import LocalEmbedder
from magpie.adapters.postgres import (
    Database,
    Migrated,
    PostgresCatalogue,
    PostgresEmbeddingCache,
    PostgresHistory,
    PostgresMissingVectors,
    PostgresQuestionCache,
    PostgresVersions,
    migrate_database,
)
from magpie.adapters.retry import INGEST_WAITS_S
from magpie.adapters.s3 import S3Corpus, S3Work
from magpie.adapters.sandbox import SandboxedReader
from magpie.errors import CorpusInvalid, SettingsInvalid
from magpie.ingesting.embedding import Indexes
from magpie.ingesting.questions import Questioner
from magpie.ingesting.rebuild import Rebuilt, rebuild
from magpie.ingesting.run import silent
from magpie.ingesting.stages import Stages, Tools
from magpie.ingesting.web.visiting import Became
from magpie.model import EmbeddingModel, GateReport, Pruned, RunId, StoredSource, Vector, Version, VersionId
from magpie.ports import CorpusFiles, Draft, Embedder, EmbeddingCache, Gate, QuestionCache, Window
from magpie.settings import FetchSettings, IngestPlaces, IngestSettings, Keys, Settings
from magpie.site import SITE_FILE, EmbeddingChoice, Site, load_site, read_site
from magpie.web_wiring import open_refresh, with_rows
from magpie.wiring import (
    asking_model,
    chat_endpoint,
    close_embedders,
    embedder,
    embedding_model,
    open_site,
    portable,
)
from magpie.wiring_runs import corpus_of, now_ms


class IngestModels:
    """The `SiteModels` port. Models are made once: they weigh much."""

    def __init__(self, keys: Keys, cache: EmbeddingCache, questions: QuestionCache) -> None:
        self._keys = keys
        self._cache = cache
        self._questions = questions
        self._endpoint = chat_endpoint(keys)
        self._made: dict[str, Embedder] = {}

    def identities(self, site: Site) -> tuple[EmbeddingModel, EmbeddingModel | None]:
        """Which models the site names."""
        primary, fallback = _choices(site)
        return embedding_model(primary), embedding_model(fallback) if fallback else None

    def windows(self, site: Site) -> Sequence[Window]:
        """Those of its models that read only so much of a passage."""
        local = [choice for choice in _choices(site) if choice and choice.provider == "local"]
        return [model for model in map(self._model, local) if isinstance(model, LocalEmbedder)]

    def indexes(self, site: Site) -> Indexes:
        """As patient as ingestion is. Raises: SettingsInvalid where a model has no key."""
        primary, fallback = _choices(site)
        return Indexes(self._model(primary), self._model(fallback) if fallback else None, self._cache)

    def questioner(self, site: Site) -> Questioner:
        """Asks the site's chat model, where it names one and there is a key."""
        return Questioner(asking_model(site, self._endpoint), self._questions)

    def fallback(self, site: Site) -> Embedder | None:
        """Raises: SettingsInvalid where it has no key."""
        choice = _choices(site)[1]
        return self._model(choice) if choice else None

    async def close(self) -> None:
        """Give the connections back."""
        await close_embedders(*self._made.values())
        if self._endpoint is not None:
            await self._endpoint.close()

    def _model(self, choice: EmbeddingChoice) -> Embedder:
        name = choice.model_dump_json()
        if name not in self._made:
            self._made[name] = embedder(choice, self._keys, INGEST_WAITS_S)
        return self._made[name]


class NoDatabase:
    """Takes the database's place in functions that are not let near it."""

    async def active(self) -> Version | None:
        raise _no_database()

    async def stored(self, version: VersionId) -> tuple[StoredSource, ...]:
        raise _no_database()

    def draft(self, **_: object) -> AbstractAsyncContextManager[Draft]:
        raise _no_database()

    async def prune(self, keep: int) -> Pruned:
        raise _no_database()

    async def get(self, model: EmbeddingModel, hashes: Sequence[str]) -> Mapping[str, Vector]:
        raise _no_database()

    async def put(self, model: EmbeddingModel, vectors: Mapping[str, Vector]) -> None:
        raise _no_database()


class NoQuestions:
    """The same for the cache of questions."""

    async def get(self, model: str, hashes: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        raise _no_database()

    async def put(self, model: str, questions: Mapping[str, tuple[str, ...]]) -> None:
        raise _no_database()


def _no_database() -> SettingsInvalid:
    return SettingsInvalid("DATABASE_URL is not set, and this step needs the database")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedGate:
    """The `Gate` port: the site's pipelines are opened for as long as its questions are asked."""

    site: Site
    settings: IngestSettings
    files: CorpusFiles

    async def judge(self, draft: Version, active: Version | None) -> GateReport:
        """Raises: CorpusInvalid where there are no questions to ask; DatabaseUnavailable."""
        keys = replace(self.settings.keys, signing=secrets.token_hex(32))  # nobody keeps these receipts
        settings = Settings(database_url=self.settings.database_url, keys=keys)
        async with open_site(settings, self.site) as opened:
            gate = opened.gate(self.files)
            if gate is None:
                raise CorpusInvalid("the site file names no questions for its gate")
            return await gate.judge(draft, active)


class IngestRuntime:
    """The steps of runs, with their database and models. `close` gives the connections back."""

    def __init__(self, settings: IngestSettings) -> None:
        self._settings = settings
        self.places = settings.places
        self._corpus = corpus_of(settings.places)
        self._database = (
            Database(settings.database_url, size=settings.pool_size) if settings.database_url else None
        )
        nothing = NoDatabase()
        cache = PostgresEmbeddingCache(self._database) if self._database else nothing
        questions = PostgresQuestionCache(self._database) if self._database else NoQuestions()
        self._models = IngestModels(settings.keys, cache, questions)
        self.stages = Stages(
            Tools(
                work=S3Work(settings.places.work_bucket, settings.places.aws_endpoint_url),
                files=lambda site: with_rows(self._corpus, site, settings.fetch),
                hostile=SandboxedReader(),
                versions=PostgresVersions(self._database) if self._database else nothing,
                history=PostgresHistory(self._database) if self._database else nothing,
                models=self._models,
                clock_ms=now_ms,
                gate=self._gate,
            )
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._models.close()
        if self._database:
            await self._database.close()

    async def migrate(self, run: RunId | None) -> Migrated:
        """
        Bring the database to this code's schema, and its vectors to the dimensions of the run's
        site; without a run to those of the site file in the corpus, where there is a good one.

        Raises: DatabaseUnavailable, SettingsInvalid, CorpusInvalid.
        """
        if not self._settings.database_url:
            raise _no_database()
        site = await self.stages.site(run) if run else await self._site_in_corpus()
        primary, fallback = _choices(site) if site else (None, None)
        return await migrate_database(
            self._settings.database_url,
            primary.dimension if primary else None,
            fallback.dimension if fallback else None,
        )

    async def rebuild(self, may_go_on: Callable[[], bool]) -> Rebuilt:
        """
        Fill missing fallback vectors of the active site's model for as long as may be.

        Raises: DatabaseUnavailable, SettingsInvalid.
        """
        if self._database is None:
            raise _no_database()
        active = await PostgresVersions(self._database).active()
        if active is None:
            return Rebuilt(filled=0)
        site = load_site(await PostgresCatalogue(self._database).site_text(active.id))
        fallback = self._models.fallback(site)
        if fallback is None:
            return Rebuilt(filled=0)
        missing = PostgresMissingVectors(self._database, fallback.model)
        return await rebuild(missing, fallback, silent, may_go_on)

    def _gate(self, site: Site) -> Gate | None:
        if not (site.gate.on_ingest and site.gate.questions):
            return None
        return OpenedGate(site=site, settings=self._settings, files=self._corpus)

    async def _site_in_corpus(self) -> Site | None:
        return await _site_of(self._corpus)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """`waits`: too much changed, so that nothing was taken over until the owner accepts it."""

    visited: int = 0
    changed: int = 0
    left: int = 0
    waits: bool = False


class PagesRuntime:
    """
    Looks at the site's pages and rows again. What is new of the pages is written into the corpus,
    whose events do the rest; rows have no events, so they are noted as dirty.
    """

    def __init__(self, places: IngestPlaces, fetch: FetchSettings) -> None:
        self._corpus = corpus_of(places)
        self._fetch = fetch
        self._dirty = DynamoDirtyFiles(DynamoTable(places.ingest_table, places.aws_endpoint_url))

    async def refresh(self, time_s: float) -> Refreshed:
        """For so long; the next call goes on where this one ends."""
        site = await _site_of(self._corpus)
        if site is None:
            return Refreshed()
        for rule in site.sources:
            if rule.rows is not None:
                await self._dirty.note(rule.path, now_ms())
        async with open_refresh(site, self._fetch, self._corpus) as pages:
            report = await pages.run(until=time.monotonic() + time_s)
        changed = len(report.of(Became.ADDED, Became.CHANGED, Became.MOVED, Became.GONE))
        return Refreshed(visited=len(report.visited), changed=changed, left=report.left, waits=report.waits)

    async def accept(self) -> Refreshed:
        """Take over what waits: the owner has looked at it."""
        site = await _site_of(self._corpus)
        if site is None:
            return Refreshed()
        async with open_refresh(site, self._fetch, self._corpus) as pages:
            return Refreshed(changed=len(await pages.accept()))


async def _site_of(corpus: S3Corpus) -> Site | None:
    """The site file as it stands, where there is a good one; a run says what is wrong with another."""
    try:
        return read_site((await corpus.read(SITE_FILE)).raw)
    except CorpusInvalid:
        return None


def _choices(site: Site) -> tuple[EmbeddingChoice, EmbeddingChoice | None]:
    """Those of this machine: a local model without a wheel is left out."""
    embeddings = portable(site).embeddings
    return embeddings.primary, embeddings.fallback
