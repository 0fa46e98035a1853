"""
What becomes of each source in a run, across files: who holds which identity, what is new, what
stays, what vanishes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from magpie.errors import CorpusInvalid, DocumentRefused
from magpie.ingesting.files import FileRead, ReadSource
from magpie.ingesting.fingerprint import is_told_alike
from magpie.ingesting.looking import Look
from magpie.ingesting.selecting import selects
from magpie.model import (
    IngestSummary,
    Notice,
    Refusal,
    SourceKey,
    StoredSource,
    VersionId,
)
from magpie.site import Site

# The file is damaged, not withdrawn: what the last version holds of it stays until it is mended.
DAMAGED = frozenset(
    {
        "bad_encoding",
        "bad_front_matter",
        "bad_json",
        "bad_query",
        "bad_rows",
        "broken",
        "no_connection",
        "too_large",
        "too_slow",
        "too_heavy",
        "unreachable",
    }
)
RULE_CHANGED = "its rule now says otherwise who may be told what"


@dataclass(slots=True, kw_only=True)
class Ledger:
    """
    Written while a run goes on, file by file, in the order of their paths. `stored` is what the
    active version holds, `seen` what the corpus does, `kept` and `taken` (by chunk count) what the
    new version will.
    """

    site: Site
    stored: Mapping[SourceKey, StoredSource]
    seen: Look
    kept: dict[SourceKey, StoredSource] = field(default_factory=dict)
    taken: dict[SourceKey, int] = field(default_factory=dict)
    claimed: dict[SourceKey, str] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    notices: list[tuple[str, Notice]] = field(default_factory=list)
    by_path: Mapping[str, list[StoredSource]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_path = by_path(self.stored.values())
        for refusal in self.seen.refused:
            self.refuse(refusal)

    # File by file

    def settle(self, read: FileRead) -> list[ReadSource]:
        """The sources of a file that the new version needs new; all else about the file is noted."""
        if read.unchanged:
            self._keep_file(read.path)
            return []
        refused_before = len(self.refused)
        claimed = [one for one in read.sources if self._is_claimed(one)]
        for refusal in read.refused:
            self.refuse(refusal)
        if len(self.refused) > refused_before:  # look at the file again next time, to say so again
            claimed = [replace(one, source=replace(one.source, raw_hash="")) for one in claimed]
        return [one for one in claimed if self._is_change(one)]

    def take(self, key: SourceKey, chunks: int) -> None:
        """The new version will hold that many new chunks of a source."""
        self.taken[key] = chunks

    def refuse(self, refusal: Refusal) -> None:
        """
        Note it; a damaged file keeps what the active version has of it, a withdrawn one doesn't.
        Nor does one whose rules now say otherwise who may be told what: that can't be applied unread.
        """
        self.refused.append(refusal)
        if refusal.code not in DAMAGED:
            return
        for stored in self.by_path.get(refusal.path, ()):
            if stored.key not in self.claimed:
                self.notices.append((refusal.path, self._keep_damaged(stored)))

    def _keep_damaged(self, stored: StoredSource) -> Notice:
        if not is_told_alike(stored.rules_hash, self.site.rules_for(stored.path), self.site):
            message = f"{stored.key} is withdrawn until the file is mended: {RULE_CHANGED}"
            return Notice(code="withdrawn", message=message)
        self.claimed[stored.key] = stored.path
        self._keep(replace(stored, raw_hash=""))
        return Notice(code="kept_previous", message=f"{stored.key} stays as it was")

    def _keep_file(self, path: str) -> None:
        for stored in self.by_path.get(path, ()):
            if self._claims(stored.key, path):
                self._keep(stored)

    def _is_claimed(self, one: ReadSource) -> bool:
        return self._claims(one.source.key, one.source.path)

    def _is_change(self, one: ReadSource) -> bool:
        """No change where the active version holds the source as it is."""
        source = one.source
        self.notices += [(source.path, notice) for notice in source.notices]
        stored = self.stored.get(source.key)
        if stored is None or stored.content_hash != source.content_hash:
            return True
        self._keep(replace(stored, path=source.path, raw_hash=source.raw_hash, rules_hash=source.rules_hash))
        return False

    # Identities

    def _claims(self, key: SourceKey, path: str) -> bool:
        """Whether the file gets the identity; where it doesn't, it is refused by name."""
        try:
            self._claim(key, path)
        except DocumentRefused as exc:
            self.refuse(Refusal(path=exc.path, code=exc.code, reason=exc.reason))
            return False
        return True

    def _claim(self, key: SourceKey, path: str) -> None:
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
        is_elsewhere = stored is not None and not self._is_selected(stored) and stored.path in self.seen.paths
        return stored.path if stored and is_elsewhere and stored.path != path else ""

    def _is_selected(self, stored: StoredSource) -> bool:
        """Whether the run may change or remove this source."""
        selection = self.seen.selection
        return selects(selection, stored.path) and selection.source in (None, stored.key)

    def _keep(self, stored: StoredSource) -> None:
        self.kept[stored.key] = stored

    # At the end

    def close(self, *, accept_vanishing: bool) -> None:
        """
        What the selection leaves alone stays; what looks like an accident stops here.

        Raises: CorpusInvalid where nothing is left, too much would vanish, or the selected source is nowhere.
        """
        for key, stored in self.stored.items():
            if not self._is_selected(stored) and key not in self.taken and key not in self.claimed:
                self._keep(stored)
        self._refuse_unknown()
        self._refuse_emptiness()
        if not accept_vanishing:
            self._refuse_vanishing()

    def _refuse_unknown(self) -> None:
        """A source that neither is there nor was there is a slip of the pen."""
        source = self.seen.selection.source
        if source is None or source in self.stored or source in self.taken:
            return
        raise CorpusInvalid(
            f"no document of the corpus is {source}, nor does the active version hold it; "
            f"`magpie search --json` shows how sources are named{self._why()}"
        )

    def _refuse_emptiness(self) -> None:
        if self.source_count == 0:
            raise CorpusInvalid(f"the corpus has no document that can be answered from{self._why()}")

    def _why(self) -> str:
        why = "; ".join(f"{one.path}: {one.reason}" for one in self.refused[:3])
        return f". Refused were {why}" if why else ""

    def _refuse_vanishing(self) -> None:
        share = len(self.removed) / max(len(self.stored), 1)
        limit = self.site.safety.max_vanishing_share
        if share > limit:
            raise CorpusInvalid(
                f"{len(self.removed)} of {len(self.stored)} sources would vanish, more than "
                f"safety.max_vanishing_share ({limit:g}) allows; nothing was changed. "
                "If that is meant: `magpie ingest --accept-vanishing`"
            )

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
    def makes_a_difference(self) -> bool:
        """Whether sources are new, gone, or lie elsewhere now."""
        return bool(self.taken or self.removed) or any(
            kept.path != self.stored[key].path for key, kept in self.kept.items()
        )

    @property
    def source_count(self) -> int:
        return len(self.kept) + len(self.taken)

    @property
    def chunk_count(self) -> int:
        return sum(kept.chunk_count for kept in self.kept.values()) + sum(self.taken.values())

    def summary(
        self, version: VersionId | None, *, notices: Iterable[Notice], embedded: int, seconds: float
    ) -> IngestSummary:
        """How the run ended; `notices` are those about the run as a whole."""
        return IngestSummary(
            version_id=version,
            added=self.added,
            changed=self.changed,
            unchanged=len(self.kept),
            removed=self.removed,
            refused=tuple(self.refused),
            ignored=self.seen.ignored,
            notices=(*self.notices, *(("", notice) for notice in notices)),
            chunks=self.chunk_count,
            embedded=embedded,
            seconds=seconds,
        )


def by_path(stored: Iterable[StoredSource]) -> Mapping[str, list[StoredSource]]:
    """What a version holds of each file."""
    found: dict[str, list[StoredSource]] = {}
    for one in stored:
        found.setdefault(one.path, []).append(one)
    return found
