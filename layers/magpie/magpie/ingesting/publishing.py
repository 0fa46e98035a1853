"""
The end of a run: a draft that is made when something needs it, filled batch by batch, and
published when all is there; any failure leaves the active version as it was.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from types import TracebackType

from magpie.errors import GateClosed
from magpie.ingesting.base import Base, check_models
from magpie.ingesting.ledger import Ledger
from magpie.model import EmbeddingModel, GateReport, Revision, Version
from magpie.ports import Draft, Gate, Versions
from magpie.site import Site


class Publication:
    """One attempt at a new version; leaving the context without it removes what was staged."""

    def __init__(
        self,
        versions: Versions,
        site: Site,
        base: Base,
        *,
        primary: EmbeddingModel,
        fallback: EmbeddingModel | None,
        note: str = "",
        gate: Gate | None = None,
    ) -> None:
        """
        With a gate the draft has to pass it. Raises: CorpusInvalid where the models are not those
        of the version that it builds on.
        """
        check_models(base.version, primary, fallback)
        self._versions = versions
        self._site = site
        self._base = base
        self._primary = primary
        self._fallback = fallback
        self._note = note
        self._gate = gate
        self.judged: GateReport | None = None
        """What the gate said of the draft; None where nobody asked it."""
        self._stack = AsyncExitStack()
        self._draft: Draft | None = None

    async def __aenter__(self) -> "Publication":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, raised, trace)

    async def add(self, revisions: Sequence[Revision]) -> None:
        """Stage new or changed sources."""
        if revisions:
            await (await self._drafted()).add(revisions)

    async def finish(self, ledger: Ledger) -> Version | None:
        """
        The new active version; None where nothing asks for one.

        Raises: CorpusInvalid where the draft is not what the ledger says; GateClosed; Overtaken.
        """
        if not self._is_needed(ledger):
            return None
        draft = await self._whole(ledger)
        if self._gate is not None:
            await self._judge(draft, self._gate)
        if self.judged is not None and not self.judged.is_open:
            raise GateClosed(self.judged)
        return await draft.activate(expected_sources=ledger.source_count, expected_chunks=ledger.chunk_count)

    async def rehearse(self, ledger: Ledger) -> None:
        """As `finish` up to the gate, and no further. Raises: CorpusInvalid."""
        if self._gate is not None and self._is_needed(ledger):
            await self._judge(await self._whole(ledger), self._gate)

    async def _judge(self, draft: Draft, gate: Gate) -> None:
        self.judged = await gate.judge(await draft.seal(), self._base.version)

    async def _whole(self, ledger: Ledger) -> Draft:
        draft = await self._drafted()
        await draft.keep(tuple(ledger.kept.values()))
        return draft

    def _is_needed(self, ledger: Ledger) -> bool:
        """Also where only the site file or a file's place is new: both are part of a version."""
        active = self._base.version
        return (
            active is None
            or self._draft is not None
            or ledger.makes_a_difference
            or active.site_hash != self._site.text_hash
        )

    async def _drafted(self) -> Draft:
        if self._draft is None:
            draft = self._versions.draft(
                parent=self._base.id,
                primary=self._primary,
                fallback=self._fallback,
                site_text=self._site.text,
                note=self._note,
            )
            self._draft = await self._stack.enter_async_context(draft)
        return self._draft
