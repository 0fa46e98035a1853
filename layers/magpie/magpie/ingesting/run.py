"""
A corpus to a version: the pipeline, and what it remembers on its way.

    look    which files there are, what the site file says of each, which are unchanged
    read    documents to sources; one that can't be read is refused, the run goes on
    embed   new and changed sources to chunks with vectors, in batches
    publish counts checked, one switch; any failure leaves the active version as it was
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from time import monotonic

from magpie.errors import CorpusInvalid, DocumentRefused, Overtaken
from magpie.ingesting import reading
from magpie.ingesting.chunks import chunks_of
from magpie.ingesting.embedding import Indexes
from magpie.ingesting.fingerprint import is_told_alike, rules_hash, with_fingerprint
from magpie.ingesting.redacting import may_be_read, redacted
from magpie.ingesting.sources import source_of
from magpie.model import (
    Chunk,
    Document,
    IngestProgress,
    IngestSummary,
    Notice,
    Reading,
    Refusal,
    Revision,
    Selection,
    Source,
    SourceKey,
    Stage,
    StoredSource,
    Version,
    VersionId,
)
from magpie.ports import (
    CorpusFiles,
    Draft,
    Embedder,
    EmbeddingCache,
    HostileReader,
    Progress,
    Versions,
    Window,
)
from magpie.site import SITE_FILE, Site, SourceRule

MEGABYTE = 1024 * 1024
BATCH_CHUNKS = 256
EVERYTHING = Selection()
RULE_CHANGED = "its rule now says otherwise who may be told what"
TRIES = 8  # of n publishers that begin together, one more is through after each try
# The file is damaged, not withdrawn: what the last version holds of it stays until it is mended.
DAMAGED = frozenset(
    {"bad_encoding", "bad_front_matter", "bad_json", "broken", "too_large", "too_slow", "too_heavy"}
)


def silent(progress: IngestProgress) -> None:
    """For a run that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a run works with. `windows` are the models whose reading is limited."""

    files: CorpusFiles
    versions: Versions
    hostile: HostileReader
    primary: Embedder
    fallback: Embedder | None
    cache: EmbeddingCache
    windows: Sequence[Window] = ()
    progress: Progress = silent
    clock: Callable[[], float] = monotonic


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file with the rules that read it: several where one file holds several lists of records."""

    path: str
    rules: tuple[SourceRule, ...]


@dataclass(slots=True, kw_only=True)
class Ledger:
    """
    What becomes of each source, written while the run goes on. `stored` is what the active
    version holds, `kept` and `taken` (by chunk count) what the new one will.
    """

    stored: Mapping[SourceKey, StoredSource]
    selection: Selection
    paths: set[str] = field(default_factory=set)
    kept: dict[SourceKey, StoredSource] = field(default_factory=dict)
    taken: dict[SourceKey, int] = field(default_factory=dict)
    claimed: dict[SourceKey, str] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    notices: list[tuple[str, Notice]] = field(default_factory=list)
    ignored: int = 0

    def refuse(self, path: str, code: str, reason: str) -> None:
        self.refused.append(Refusal(path=path, code=code, reason=reason))

    def claim(self, key: SourceKey, path: str) -> None:
        """One source, one file. Raises: DocumentRefused `duplicate_key`."""
        other = self.claimed.get(key) or self._holder_outside(key, path)
        if other and (other != path or key in self.claimed):
            raise DocumentRefused(
                path, "duplicate_key", f"is {key}, and so is {other}; give one of them another key"
            )
        self.claimed[key] = path

    def _holder_outside(self, key: SourceKey, path: str) -> str:
        """The file that holds the key outside of the selection, if it is still there."""
        stored = self.stored.get(key)
        is_elsewhere = stored is not None and not self.is_selected(stored) and stored.path in self.paths
        return stored.path if stored and is_elsewhere and stored.path != path else ""

    def is_selected(self, stored: StoredSource) -> bool:
        """Whether the run may change or remove this source."""
        if self.selection.file is not None:
            return stored.path == self.selection.file
        return self.selection.source is None or stored.key == self.selection.source

    def keep(self, stored: StoredSource) -> None:
        self.kept[stored.key] = stored

    def keep_the_rest(self) -> None:
        """What the selection leaves alone stays."""
        for key, stored in self.stored.items():
            if not self.is_selected(stored) and key not in self.taken and key not in self.claimed:
                self.keep(stored)

    @property
    def removed(self) -> tuple[SourceKey, ...]:
        return tuple(key for key in self.stored if key not in self.kept and key not in self.taken)

    @property
    def added(self) -> tuple[SourceKey, ...]:
        return tuple(key for key in self.taken if key not in self.stored)

    @property
    def changed(self) -> tuple[SourceKey, ...]:
        return tuple(key for key in self.taken if key in self.stored)

    @property
    def has_moved(self) -> bool:
        """Whether a source that is the same lies elsewhere now."""
        return any(kept.path != self.stored[key].path for key, kept in self.kept.items())

    @property
    def source_count(self) -> int:
        return len(self.kept) + len(self.taken)

    @property
    def chunk_count(self) -> int:
        return sum(kept.chunk_count for kept in self.kept.values()) + sum(self.taken.values())


class Ingest:
    """One site's ingest; `run` may be called again and again."""

    def __init__(self, site: Site, site_text: str, parts: Parts) -> None:
        self._site = site
        self._site_text = site_text
        self._parts = parts

    async def run(
        self, selection: Selection = EVERYTHING, *, dry_run: bool = False, accept_vanishing: bool = False
    ) -> IngestSummary:
        """
        Bring the selected part of the corpus into a new active version.

        A run that another one overtakes begins again, on top of what that one published. Raises:
        CorpusInvalid where the corpus is empty, too much of it would vanish, or another model is
        set than the active version has; Overtaken when it lost every try; ProviderUnavailable;
        DatabaseUnavailable. The active version then is what it was.
        """
        started = self._parts.clock()
        indexes = Indexes(self._parts.primary, self._parts.fallback, self._parts.cache)
        for _ in range(TRIES - 1):
            with suppress(Overtaken):
                return await self._once(selection, indexes, started, dry_run, accept_vanishing)
        return await self._once(selection, indexes, started, dry_run, accept_vanishing)

    async def _once(
        self,
        selection: Selection,
        indexes: Indexes,
        started: float,
        dry_run: bool,
        accept_vanishing: bool,
    ) -> IngestSummary:
        """Raises: Overtaken where another run published meanwhile; what is embedded already costs nothing again."""
        active = await self._parts.versions.active()
        self._check_models(active)
        ledger = Ledger(stored=await self._stored(active), selection=selection)
        found = await self._look(ledger)
        version: Version | None = None
        async with AsyncExitStack() as stack:
            draft: Draft | None = None
            async for batch in self._changes(found, ledger):
                if not dry_run:
                    draft = draft or await self._draft(stack, active)
                    await self._add(draft, batch, indexes, ledger)
            ledger.keep_the_rest()
            self._check(ledger, accept_vanishing)
            if not dry_run and (draft or self._needs_version(active, ledger)):
                version = await self._publish(draft or await self._draft(stack, active), ledger)
        return self._summary(version, ledger, indexes, started)

    async def _stored(self, active: Version | None) -> Mapping[SourceKey, StoredSource]:
        if active is None:
            return {}
        return {stored.key: stored for stored in await self._parts.versions.stored(active.id)}

    def _check_models(self, active: Version | None) -> None:
        """Vectors of two models can't be compared: another model needs all of the corpus again."""
        if active is None:
            return
        for had, embedder in ((active.primary, self._parts.primary), (active.fallback, self._parts.fallback)):
            if had is not None and embedder is not None and had.identity != embedder.model.identity:
                raise CorpusInvalid(
                    f"version {active.id} was embedded with {had.identity}, the site file names "
                    f"{embedder.model.identity}; run `magpie reindex` to move to it"
                )

    # Look

    async def _look(self, ledger: Ledger) -> list[Found]:
        """The selected files that a rule lets in; the others are ignored or refused."""
        companions = {path for rule in self._site.sources for path in reading.companions_of(rule)}
        found = []
        async for path, size in self._parts.files.paths():
            ledger.paths.add(path)
            if not self._is_selected(path, ledger):
                continue
            if one := self._admitted(path, size, companions, ledger):
                found.append(one)
        self._check_selection(ledger)
        return found

    def _is_selected(self, path: str, ledger: Ledger) -> bool:
        selection = ledger.selection
        if selection.file is not None:
            return path == selection.file
        if selection.source is None:
            return True
        return any(rule.type == selection.source.source_type for rule in self._site.rules_for(path))

    def _admitted(self, path: str, size: int, companions: set[str], ledger: Ledger) -> Found | None:
        rule = self._site.rule_for(path)
        if path == SITE_FILE or _is_hidden(path) or (rule is not None and rule.ignore):
            ledger.ignored += 1
            return None
        if rule is None and path in companions:
            ledger.ignored += 1
            return None
        try:
            self._check_readable(path, size, rule)
            return Found(path=path, rules=self._site.rules_for(path))
        except DocumentRefused as exc:
            self._refuse(exc, rule, ledger)
            return None

    def _check_readable(self, path: str, size: int, rule: SourceRule | None) -> None:
        """Raises: DocumentRefused for what needs no reading to be refused."""
        if rule is None:
            raise DocumentRefused(
                path, "no_rule", "no rule of the site file says what it is; add one, or an `ignore` rule"
            )
        reading.kind_of(path, rule)
        limit = self._site.safety.max_file_mb
        if size > limit * MEGABYTE:
            raise DocumentRefused(
                path,
                "too_large",
                f"has {size / MEGABYTE:.1f} MB, over the limit of {limit:g} MB (safety.max_file_mb)",
            )
        may_be_read(path, rule, self._site)

    def _check_selection(self, ledger: Ledger) -> None:
        """A file that neither is there nor was there is a slip of the pen."""
        file, source = ledger.selection.file, ledger.selection.source
        if (
            file is not None
            and file not in ledger.paths
            and not any(one.path == file for one in ledger.stored.values())
        ):
            raise CorpusInvalid(
                f"{file} is no file of the corpus; give its path relative to the corpus folder"
            )
        types = {rule.type for rule in self._site.sources if not rule.ignore}
        if source is not None and source.source_type not in types:
            raise CorpusInvalid(
                f"{source}: no rule of the site file has the type `{source.source_type}`; "
                f"it knows {', '.join(sorted(types))}"
            )

    # Read

    async def _changes(
        self, found: Sequence[Found], ledger: Ledger
    ) -> AsyncIterator[list[tuple[Source, tuple[Chunk, ...]]]]:
        """New and changed sources with their chunks, in batches."""
        by_path = _by_path(ledger.stored.values())
        hashes = RulesHashes(self._site, self._parts.files)
        batch: list[tuple[Source, tuple[Chunk, ...]]] = []
        for done, one in enumerate(found, start=1):
            self._parts.progress(
                IngestProgress(stage=Stage.READING, done=done, total=len(found), path=one.path)
            )
            batch += await self._file(one, by_path.get(one.path, ()), hashes, ledger)
            if sum(len(chunks) for _, chunks in batch) >= BATCH_CHUNKS:
                yield batch
                batch = []
        if batch:
            yield batch

    async def _file(
        self, one: Found, stored: Sequence[StoredSource], hashes: "RulesHashes", ledger: Ledger
    ) -> list[tuple[Source, tuple[Chunk, ...]]]:
        try:
            document = await self._parts.files.read(one.path)
            hash_of_rules, companions = await hashes.of(one.rules)
        except DocumentRefused as exc:
            self._refuse(exc, one.rules[0], ledger)
            return []
        if _is_unchanged(stored, document, hash_of_rules):
            for source in stored:
                ledger.claim(source.key, one.path)
                ledger.keep(source)
            return []
        refused_before = len(ledger.refused)
        sources = [
            (source, rule)
            for rule in one.rules
            for source in await self._sources(document, rule, hash_of_rules, companions, ledger)
        ]
        if len(ledger.refused) > refused_before:  # look at the file again next time, to say so again
            sources = [(replace(source, raw_hash=""), rule) for source, rule in sources]
        return [change for source, rule in sources for change in self._change(source, rule, ledger)]

    async def _sources(
        self,
        document: Document,
        rule: SourceRule,
        rules: str,
        companions: Mapping[str, Document],
        ledger: Ledger,
    ) -> list[Source]:
        """What one rule finds in the document; what it can't read is refused."""
        try:
            readings = await reading.read(document, rule, companions, self._parts.hostile)
        except DocumentRefused as exc:
            self._refuse(exc, rule, ledger)
            return []
        built = [self._source(item, document, rule, rules, ledger) for item in readings]
        return [source for source in built if source is not None]

    def _source(
        self, item: Reading, document: Document, rule: SourceRule, rules: str, ledger: Ledger
    ) -> Source | None:
        """The source that a reading makes; None where it is not selected, or refused."""
        redaction = rule.redaction or self._site.redaction
        try:
            source = source_of(item, document, rule, self._site)
            if ledger.selection.source not in (None, source.key):
                return None
            source = redacted(source, rule, self._site)
            ledger.claim(source.key, document.path)
        except DocumentRefused as exc:
            self._refuse(exc, rule, ledger)
            return None
        return with_fingerprint(
            replace(source, rules_hash=rules), rule.chunking or self._site.chunking, redaction
        )

    def _change(
        self, source: Source, rule: SourceRule, ledger: Ledger
    ) -> Iterator[tuple[Source, tuple[Chunk, ...]]]:
        """Nothing for a source that the active version holds as it is."""
        ledger.notices += [(source.path, notice) for notice in source.notices]
        stored = ledger.stored.get(source.key)
        if stored and stored.content_hash == source.content_hash:
            ledger.keep(
                replace(stored, path=source.path, raw_hash=source.raw_hash, rules_hash=source.rules_hash)
            )
            return
        chunks, notices = chunks_of(source, rule.chunking or self._site.chunking, self._parts.windows)
        ledger.notices += [(source.path, notice) for notice in notices]
        ledger.taken[source.key] = len(chunks)
        yield source, chunks

    def _refuse(self, refusal: DocumentRefused, rule: SourceRule | None, ledger: Ledger) -> None:
        """
        Note it; a damaged file keeps what the active version has of it, a withdrawn one doesn't.
        Nor does one whose rules now say otherwise who may be told what: that can't be applied unread.
        """
        ledger.refuse(refusal.path, refusal.code, refusal.reason)
        if refusal.code not in DAMAGED or rule is None:
            return
        rules = self._site.rules_for(refusal.path)
        for stored in ledger.stored.values():
            if stored.path != refusal.path or stored.key in ledger.claimed:
                continue
            if is_told_alike(stored.rules_hash, rules, self._site):
                ledger.claimed[stored.key] = refusal.path
                ledger.keep(replace(stored, raw_hash=""))
                notice = Notice(code="kept_previous", message=f"{stored.key} stays as it was")
            else:
                notice = Notice(
                    code="withdrawn",
                    message=f"{stored.key} is withdrawn until the file is mended: {RULE_CHANGED}",
                )
            ledger.notices.append((refusal.path, notice))

    # Embed, publish

    async def _draft(self, stack: AsyncExitStack, active: Version | None) -> Draft:
        fallback = self._parts.fallback
        return await stack.enter_async_context(
            self._parts.versions.draft(
                parent=active.id if active else None,
                primary=self._parts.primary.model,
                fallback=fallback.model if fallback else None,
                site_text=self._site_text,
            )
        )

    async def _add(
        self,
        draft: Draft,
        batch: Sequence[tuple[Source, tuple[Chunk, ...]]],
        indexes: Indexes,
        ledger: Ledger,
    ) -> None:
        chunks = [chunk for _, some in batch for chunk in some]
        embedded = iter(await indexes.embed(chunks))
        await draft.add(
            [Revision(source=source, chunks=tuple(next(embedded) for _ in some)) for source, some in batch]
        )
        done = sum(ledger.taken.values())
        self._parts.progress(IngestProgress(stage=Stage.EMBEDDING, done=len(ledger.taken), chunks=done))

    def _check(self, ledger: Ledger, accept_vanishing: bool) -> None:
        """What looks like an accident stops here."""
        if ledger.source_count == 0:
            why = "; ".join(f"{one.path}: {one.reason}" for one in ledger.refused[:3])
            raise CorpusInvalid(
                f"the corpus has no document that can be answered from{': ' + why if why else ''}"
            )
        share, limit = len(ledger.removed) / max(len(ledger.stored), 1), self._site.safety.max_vanishing_share
        if share > limit and not accept_vanishing:
            raise CorpusInvalid(
                f"{len(ledger.removed)} of {len(ledger.stored)} sources would vanish, more than "
                f"safety.max_vanishing_share ({limit:g}) allows; nothing was changed. "
                "If that is meant: `magpie ingest --accept-vanishing`"
            )

    def _needs_version(self, active: Version | None, ledger: Ledger) -> bool:
        """Also where only the site file or a file's place is new: both are part of a version."""
        if active is None or ledger.removed or ledger.has_moved:
            return True
        return active.site_hash != self._site.text_hash

    async def _publish(self, draft: Draft, ledger: Ledger) -> Version:
        self._parts.progress(
            IngestProgress(stage=Stage.PUBLISHING, total=ledger.source_count, chunks=ledger.chunk_count)
        )
        await draft.keep(tuple(ledger.kept.values()))
        return await draft.activate(expected_sources=ledger.source_count, expected_chunks=ledger.chunk_count)

    def _summary(
        self, version: Version | None, ledger: Ledger, indexes: Indexes, started: float
    ) -> IngestSummary:
        return IngestSummary(
            version_id=VersionId(version.id) if version else None,
            added=ledger.added,
            changed=ledger.changed,
            unchanged=len(ledger.kept),
            removed=ledger.removed,
            refused=tuple(ledger.refused),
            ignored=ledger.ignored,
            notices=(*ledger.notices, *(("", notice) for notice in indexes.notices())),
            chunks=ledger.chunk_count,
            embedded=indexes.embedded,
            seconds=self._parts.clock() - started,
        )


class RulesHashes:
    """Hashes of rules with the files that they look into, each made once a run."""

    def __init__(self, site: Site, files: CorpusFiles) -> None:
        self._site = site
        self._files = files
        self._known: dict[int, tuple[str, Mapping[str, Document]]] = {}

    async def of(self, rules: Sequence[SourceRule]) -> tuple[str, Mapping[str, Document]]:
        """The hash, and the companion files by path. Raises: DocumentRefused where one is missing."""
        first = id(rules[0])  # rules live as long as the site, and a first rule has always the same others
        if first not in self._known:
            paths = {path for rule in rules for path in reading.companions_of(rule)}
            companions = {path: await self._files.read(path) for path in sorted(paths)}
            self._known[first] = rules_hash(rules, self._site, companions.values()), companions
        return self._known[first]


def _by_path(stored: Iterable[StoredSource]) -> Mapping[str, list[StoredSource]]:
    found: dict[str, list[StoredSource]] = {}
    for one in stored:
        found.setdefault(one.path, []).append(one)
    return found


def _is_unchanged(stored: Sequence[StoredSource], document: Document, rules: str) -> bool:
    return bool(stored) and all(
        one.raw_hash == document.raw_hash and one.rules_hash == rules for one in stored
    )


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))
