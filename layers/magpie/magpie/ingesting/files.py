"""
One file to the sources that it holds, whatever other files there are.

So files can be read one after the other or in many places at once; what they mean for each
other (two with one identity, a source that moved) is the ledger's business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from magpie.errors import DocumentRefused
from magpie.ingesting import reading
from magpie.ingesting.fingerprint import rules_hash, with_fingerprint
from magpie.ingesting.looking import Found
from magpie.ingesting.redacting import redacted
from magpie.ingesting.sources import source_of
from magpie.model import Document, Reading, Refusal, Selection, Source, StoredSource
from magpie.ports import CorpusFiles, HostileReader
from magpie.site import Chunking, Site, SourceRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """A source and how it is to be cut."""

    source: Source
    chunking: Chunking


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """
    What a file holds. `unchanged`: its bytes and rules are those of the active version, so it
    was not read and all that the version has of it stays.
    """

    path: str
    unchanged: bool = False
    sources: tuple[ReadSource, ...] = ()
    refused: tuple[Refusal, ...] = ()


class FileReader:
    """Reads the files of one run."""

    def __init__(self, site: Site, files: CorpusFiles, hostile: HostileReader, selection: Selection) -> None:
        self._site = site
        self._files = files
        self._hostile = hostile
        self._selection = selection
        self._hashes = RulesHashes(site, files)

    async def read(self, found: Found, stored: Sequence[StoredSource]) -> FileRead:
        """What the file holds; `stored` is what the active version has of it."""
        try:
            document = await self._files.read(found.path)
            hash_of_rules, companions = await self._hashes.of(found.rules)
        except DocumentRefused as exc:
            return FileRead(path=found.path, refused=(_refusal(exc),))
        if _is_unchanged(stored, document, hash_of_rules):
            return FileRead(path=found.path, unchanged=True)
        sources: list[ReadSource] = []
        refused: list[Refusal] = []
        for rule in found.rules:
            some, problems = await self._sources(document, rule, hash_of_rules, companions)
            sources += some
            refused += problems
        return FileRead(path=found.path, sources=tuple(sources), refused=tuple(refused))

    async def _sources(
        self, document: Document, rule: SourceRule, hash_of_rules: str, companions: Mapping[str, Document]
    ) -> tuple[list[ReadSource], list[Refusal]]:
        """What one rule finds in the document; what it can't read is refused."""
        sources: list[ReadSource] = []
        refused: list[Refusal] = []
        try:
            readings = await reading.read(document, rule, companions, self._hostile)
        except DocumentRefused as exc:
            return sources, [_refusal(exc)]
        for item in readings:
            try:
                if source := self._source(item, document, rule, hash_of_rules):
                    sources.append(source)
            except DocumentRefused as exc:
                refused.append(_refusal(exc))
        return sources, refused

    def _source(
        self, item: Reading, document: Document, rule: SourceRule, hash_of_rules: str
    ) -> ReadSource | None:
        """The source that a reading makes; None where it is not selected. Raises: DocumentRefused."""
        source = source_of(item, document, rule, self._site)
        if self._selection.source not in (None, source.key):
            return None
        chunking = rule.chunking or self._site.chunking
        clean = replace(redacted(source, rule, self._site), rules_hash=hash_of_rules)
        return ReadSource(
            source=with_fingerprint(clean, chunking, rule.redaction or self._site.redaction),
            chunking=chunking,
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


def _is_unchanged(stored: Sequence[StoredSource], document: Document, rules: str) -> bool:
    return bool(stored) and all(
        one.raw_hash == document.raw_hash and one.rules_hash == rules for one in stored
    )


def _refusal(refused: DocumentRefused) -> Refusal:
    return Refusal(path=refused.path, code=refused.code, reason=refused.reason)
