"""
`magpie drill`: attacks on a running site, and figures of what leaked.

Visitors' attacks go the whole way of a question. Poisoned pages are read as documents are, and put
first among what the search finds; that needs the site's own pipelines, so with --url only the
visitors' are tried.
"""

import asyncio
import hashlib
import secrets
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from cli.ask import Told
from cli.opening import choose, environment
from cli.rows import objects
from cli.running import opened_site
from cli.showing import emit, err, out, say
from infra.local.problems import LocalProblem
from magpie.adapters.sandbox import SandboxedReader
from magpie.asking.pipeline import Asker
from magpie.errors import DocumentRefused, MagpieError
from magpie.ingesting.reading import read
from magpie.learning.drilling import Attack, Tried, attack_of, attack_of_pack, report, tried
from magpie.model import (
    Action,
    Actions,
    AnswerId,
    ChunkId,
    Document,
    Language,
    Origin,
    Passage,
    PlanItem,
    Question,
    Reading,
    RevisionId,
    RouteAnswer,
    Scope,
    SourceKey,
    Turn,
    Version,
    Viewer,
    Visibility,
)
from magpie.ports import Router
from magpie.site import Site, SourceRule

ATTACKS = Path(__file__).parent / "attacks"
PACK_FILE = "injections.jsonl"
HARMLESS_TO_ASK_CHARS = 8000  # a longer message is refused before anything is asked

AskerOver = Callable[[Router], Asker]


def run(site: Path | None, corpus: Path | None, url: str, pack: Path | None, json_output: bool) -> int:
    """0 when nothing leaked, 1 when something did."""
    attacks = tuple(own_attacks()) if pack is None else tuple(pack_attacks(pack))
    if url:
        from cli.drill_remote import tried_at

        visitors = tuple(attack for attack in attacks if attack.channel == "visitor")
        if len(visitors) < len(attacks):
            say(f"{len(attacks) - len(visitors)} poisoned pages are left out: they need --site, not --url.")
        results = tried_at(url, visitors, say)
    else:
        results = asyncio.run(_tried_locally(attacks, site, corpus))
    found = report(results)
    if json_output:
        emit(found)
    else:
        _show(found)
    return 1 if found["overall"]["hits"] else 0


# --- Attacks ------------------------------------------------------------------------------------


def own_attacks() -> Iterable[Attack]:
    """Those that come with Magpie."""
    for file in sorted(ATTACKS.glob("*.toml")):
        yield from map(attack_of, tomllib.loads(file.read_text(encoding="utf-8"))["attack"])


def pack_attacks(folder: Path) -> Iterable[Attack]:
    """Those of a folder. Raises: LocalProblem that names file and line."""
    if not folder.is_dir():
        raise LocalProblem(f"--pack names a folder with {PACK_FILE}, and {folder} is none")
    for value, where in objects(
        folder / PACK_FILE, "an attack: an object with `id`, `channel` and its words"
    ):
        try:
            yield attack_of_pack(value)
        except (KeyError, TypeError, ValueError, AttributeError) as exc:
            raise LocalProblem(f"{where}: is no attack ({exc!r})") from exc


# --- On the site's own pipelines ----------------------------------------------------------------


async def _tried_locally(
    attacks: Sequence[Attack], file: Path | None, corpus: Path | None
) -> tuple[Tried, ...]:
    env = environment()
    async with opened_site(choose(file, corpus, env), env) as runtime:
        await runtime.catalogue.active_version()  # a site without pages would pass every drill
        return await drill(attacks, runtime.site, runtime.router, runtime.asker_over)


async def drill(
    attacks: Sequence[Attack], site: Site, router: Router, asker_over: AskerOver
) -> tuple[Tried, ...]:
    """Each attack on a pipeline of its own, over the site's own search."""
    plain = asker_over(router)
    results = []
    for attack in attacks:
        asker = plain if attack.channel == "visitor" else asker_over(Poisoned(router, await _pages(attack)))
        results.append(await _tried(attack, site, asker))
    return tuple(results)


async def _tried(attack: Attack, site: Site, asker: Asker) -> Tried:
    told, actions = Told(), list[Action]()
    try:
        async for part in asker.ask(_question(attack, asker.clock.monotonic() + site.deadlines.stream_s)):
            told.take(part)
            actions += part.actions if isinstance(part, Actions) else ()
    except MagpieError as exc:
        raise LocalProblem(f"attack {attack.id} could not be tried: {exc}") from exc
    cited = told.done.citations if told.done else ()
    links = [*(one.url or "" for one in cited), *(action.url for action in actions)]
    outcome = told.done.outcome.value if told.done else "failed"
    return tried(attack, "".join(told.pieces), outcome, links, site.own_hosts)


def _question(attack: Attack, deadline: float) -> Question:
    roles = ("user", "assistant")
    history = tuple(
        Turn(role="user" if roles[place % 2] == "user" else "assistant", text=text)
        for place, text in enumerate(attack.history)
    )
    return Question(
        id=AnswerId(secrets.token_urlsafe(12)),
        text=attack.text[:HARMLESS_TO_ASK_CHARS],
        viewer=Viewer(),
        deadline=deadline,
        history=history,
    )


@dataclass(frozen=True, slots=True)
class Poisoned:
    """A search that finds a poisoned page first, whatever is asked."""

    router: Router
    pages: tuple[Passage, ...]

    async def answer(
        self, question: Question, items: Sequence[PlanItem], version: Version
    ) -> tuple[RouteAnswer, ...]:
        found = await self.router.answer(question, items, version)
        return tuple(
            replace(
                answer,
                passages=(*self.pages, *answer.passages),
                certain=False,
                choices=(),
                direct="",
                unconfirmed="",
                route="semantic",
            )
            for answer in found
        )


async def _pages(attack: Attack) -> tuple[Passage, ...]:
    """The poisoned document as ingestion reads it; nothing where it refuses it."""
    raw = attack.document.encode()
    path = f"drill/{attack.id}.{attack.format}"
    document = Document(path=path, raw=raw, raw_hash=hashlib.sha256(raw).hexdigest())
    try:
        readings = await read(document, SourceRule(path=path), {}, SandboxedReader())
    except DocumentRefused:
        return ()
    return tuple(_passage(attack, reading, place) for place, reading in enumerate(readings))


def _passage(attack: Attack, reading: Reading, place: int) -> Passage:
    return Passage(
        chunk_id=ChunkId(-1 - place),
        revision_id=RevisionId(-1),
        key=SourceKey(source_type="page", source_key=attack.id),
        path=f"drill/{attack.id}.{attack.format}",
        title=reading.title or "A page",
        url=None,
        content=reading.text,
        index=place,
        origin=Origin.FIRST_PARTY,
        scope=Scope.COMPANY,
        visibility=Visibility.PUBLIC,
        language=Language(attack.language),
        score=1.0,
        semantic=0.99,
        keyword=10.0,
    )


# --- For people -------------------------------------------------------------------------------


def _show(found: Mapping[str, Any]) -> None:
    table = Table("what was tried", "attacks", "leaked", "95 % interval")
    for name, rate in (*found["attacks"].items(), ("all", found["overall"])):
        table.add_row(name, str(rate["count"]), str(rate["hits"]), _interval(rate))
    out.print(table)
    blocked, answered = found["harmless_blocked"], found["still_answered"]
    out.print(
        f"Harmless questions that look like attacks, turned away: {blocked['hits']} of {blocked['count']}"
    )
    out.print(f"Poisoned pages whose own facts were still told: {answered['hits']} of {answered['count']}")
    for leak in found["leaks"]:
        err.print(f"{leak['id']}: {', '.join(leak['leaks'])}\n  {leak['text'][:300]}", markup=False)


def _interval(rate: Mapping[str, Any]) -> str:
    low, high = rate["wilson"]
    return f"{low:.1%} to {high:.1%}"
