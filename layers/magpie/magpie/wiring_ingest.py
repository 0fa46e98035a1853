"""
Settings to ready runs on AWS: the collector, which begins and ends them, and their steps.

Made once for a process; safe for several calls at once. Nothing here touches the network before
it is used.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from magpie.adapters.dynamodb import DynamoClaims, DynamoDirtyFiles, DynamoTable, DynamoWishes
from magpie.adapters.gemini import GeminiEmbedder
from magpie.adapters.local_models import LocalEmbedder
from magpie.adapters.openai_models import OpenAIEmbedder
from magpie.adapters.postgres import (
    Database,
    Migrated,
    PostgresCatalogue,
    PostgresEmbeddingCache,
    PostgresMissingVectors,
    PostgresVersions,
    migrate_database,
)
from magpie.adapters.retry import INGEST_WAITS_S
from magpie.adapters.s3 import S3Corpus, S3Work
from magpie.adapters.sandbox import SandboxedReader
from magpie.adapters.step_functions import StateMachine
from magpie.errors import CorpusInvalid, DocumentRefused
from magpie.ingesting.collecting import Collector, Desk, Quiet
from magpie.ingesting.embedding import Indexes
from magpie.ingesting.rebuild import Rebuilt, rebuild
from magpie.ingesting.run import silent
from magpie.ingesting.stages import Stages, Tools
from magpie.model import EmbeddingModel, RunId
from magpie.ports import Embedder, EmbeddingCache, Window
from magpie.settings import IngestPlaces, IngestSettings, Keys
from magpie.site import SITE_FILE, EmbeddingChoice, Site, load_site
from magpie.wiring import embedder, embedding_model, portable


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorRuntime:
    """The collector, and which file a key of the corpus' bucket is. Needs no database and no model."""

    collector: Collector
    corpus: S3Corpus
    places: IngestPlaces

    def path_of(self, bucket: str, key: str) -> str | None:
        """None for what is no document of this corpus."""
        return self.corpus.path_of(key) if bucket == self.places.corpus_bucket else None


def open_collector(places: IngestPlaces, clock_ms: Callable[[], int] | None = None) -> CollectorRuntime:
    """What begins and ends runs."""
    table = DynamoTable(places.ingest_table, places.aws_endpoint_url)
    corpus = _corpus(places)
    desk = Desk(
        dirty=DynamoDirtyFiles(table),
        wishes=DynamoWishes(table),
        claims=DynamoClaims(table),
        machine=StateMachine(places.state_machine, places.aws_endpoint_url),
        work=S3Work(places.work_bucket, places.aws_endpoint_url),
        files=corpus,
        clock_ms=clock_ms or now_ms,
        new_run=new_run,
        quiet=Quiet(quiet_s=places.quiet_s, patience_s=places.patience_s),
    )
    return CollectorRuntime(collector=Collector(desk), corpus=corpus, places=places)


class IngestModels:
    """The `SiteModels` port. Models are made once: they weigh much."""

    def __init__(self, keys: Keys, cache: EmbeddingCache) -> None:
        self._keys = keys
        self._cache = cache
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

    def fallback(self, site: Site) -> Embedder | None:
        """Raises: SettingsInvalid where it has no key."""
        choice = _choices(site)[1]
        return self._model(choice) if choice else None

    async def close(self) -> None:
        """Give the connections back."""
        for model in self._made.values():
            if isinstance(model, OpenAIEmbedder | GeminiEmbedder):
                await model.close()

    def _model(self, choice: EmbeddingChoice) -> Embedder:
        name = choice.model_dump_json()
        if name not in self._made:
            self._made[name] = embedder(choice, self._keys, INGEST_WAITS_S)
        return self._made[name]


class IngestRuntime:
    """The steps of runs, with their database and models. `close` gives the connections back."""

    def __init__(self, settings: IngestSettings) -> None:
        self._settings = settings
        self.places = settings.places
        self._database = Database(settings.database_url, size=settings.pool_size)
        self._models = IngestModels(settings.keys, PostgresEmbeddingCache(self._database))
        self._corpus = _corpus(settings.places)
        self.stages = Stages(
            Tools(
                work=S3Work(settings.places.work_bucket, settings.places.aws_endpoint_url),
                files=self._corpus,
                hostile=SandboxedReader(),
                versions=PostgresVersions(self._database),
                models=self._models,
                clock_ms=now_ms,
            )
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._models.close()
        await self._database.close()

    async def migrate(self, run: RunId | None) -> Migrated:
        """
        Bring the database to this code's schema, and its vectors to the dimensions of the run's
        site; without a run to those of the site file in the corpus, where there is a good one.

        Raises: DatabaseUnavailable, SettingsInvalid, CorpusInvalid.
        """
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
        active = await PostgresVersions(self._database).active()
        if active is None:
            return Rebuilt(filled=0)
        site = load_site(await PostgresCatalogue(self._database).site_text(active.id))
        fallback = self._models.fallback(site)
        if fallback is None:
            return Rebuilt(filled=0)
        return await rebuild(PostgresMissingVectors(self._database), fallback, silent, may_go_on)

    async def _site_in_corpus(self) -> Site | None:
        try:
            text = (await self._corpus.read(SITE_FILE)).raw.decode("utf-8-sig")
            return load_site(text)
        except (DocumentRefused, CorpusInvalid, UnicodeDecodeError):
            return None  # the first run says what is wrong with it


def now_ms() -> int:
    """Unix time."""
    return time.time_ns() // 1_000_000


def new_run() -> RunId:
    """`20261130T161502-4f9a2c`: sorts by time, and is the name of the run's execution."""
    return RunId(f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}")


def _corpus(places: IngestPlaces) -> S3Corpus:
    return S3Corpus(places.corpus_bucket, places.corpus_prefix, places.aws_endpoint_url)


def _choices(site: Site) -> tuple[EmbeddingChoice, EmbeddingChoice | None]:
    """Those of this machine: a local model without a wheel is left out."""
    embeddings = portable(site).embeddings
    return embeddings.primary, embeddings.fallback
