"""
Questions with known answers, asked of one version of a site as a visitor would ask them.

Beside the wiring, since it joins two pipelines: `asking` answers, `learning` judges.
"""

import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from magpie.asking.evidence import merged
from magpie.asking.extractive import ExtractiveClassifier
from magpie.asking.front import Family
from magpie.asking.pipeline import Asker
from magpie.errors import CorpusInvalid, DocumentRefused, SiteInvalid
from magpie.learning.gating import Examinee, compared, examined
from magpie.learning.scoring import Expected, Given, questions_of
from magpie.model import (
    AnswerId,
    Citation,
    Delta,
    Done,
    Failed,
    GateReport,
    IngestProgress,
    Page,
    Passage,
    PlanItem,
    Question,
    Stage,
    Version,
    VersionId,
    Viewer,
)
from magpie.ports import Catalogue, CorpusFiles, Progress, Router, SourceRow
from magpie.site import Site, load_site


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedCatalogue:
    """A `Catalogue` in which this version is the active one, also while it is a draft."""

    catalogue: Catalogue
    version: Version

    async def sources(self, *, version: VersionId, viewer: Viewer) -> tuple[SourceRow, ...]:
        return await self.catalogue.sources(version=version, viewer=viewer)

    async def active_version(self) -> Version:
        return self.version


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteExaminee:
    """An `Examinee`: the whole way of a question, as a guest, with nothing of it put on record."""

    site: Site
    catalogue: Catalogue
    asker: Asker
    router: Router
    local: Family

    async def prepare(self) -> None:
        if isinstance(self.local.classifier, ExtractiveClassifier):
            await self.local.classifier.prepare()

    async def answer(self, expected: Expected) -> Given:
        question = self._question(expected)
        began = time.monotonic()
        pieces: list[str] = []
        done: Done | None = None
        async for part in self.asker.ask(question):
            match part:
                case Delta(text=text):
                    pieces.append(text)
                case Done():
                    done = part
                case Failed(message=message):
                    pieces = [message]
                case _:
                    pass
        seconds = time.monotonic() - began
        found, routes = await self._found(question) if expected.sources else ((), ())
        pages = tuple(map(page_of, found))
        return Given(
            outcome=done.outcome.value if done else "failed",
            text="".join(pieces).strip(),
            found=pages,
            cited=tuple(map(_cited, done.citations)) if done else (),
            used=pages,
            routes=routes,
            # The open page is never cited.
            is_silent=self.site.speaking.citations == "one_first_party" or bool(expected.page),
            seconds=seconds,
            confidence=done.trace.get("confidence") if done else None,
            of_evidence=done.trace.get("confidence_of_evidence") if done else None,
        )

    def _question(self, expected: Expected) -> Question:
        return Question(
            id=AnswerId(secrets.token_urlsafe(12)),
            text=expected.question,
            viewer=Viewer(),
            deadline=self.asker.clock.monotonic() + self.site.deadlines.stream_s,
            page=Page(path=expected.page) if expected.page else None,
        )

    async def _found(self, question: Question) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
        """What the search gives for the visitor's own words and for what the local planner makes of them."""
        version = await self.catalogue.active_version()
        plan = await self.local.planner.plan(question)
        own = PlanItem(query=question.text)
        items = [own, *(item for item in plan.items if item.query != own.query)]
        answers = await self.router.answer(replace(question, version_id=version.id), items, version)
        return merged(answers), tuple(answer.route for answer in answers)


def page_of(passage: Passage) -> str:
    """`path`, and the record where a file holds many."""
    record = passage.metadata.get("record")
    return f"{passage.path}#{record}" if record else passage.path


def _cited(citation: Citation) -> str:
    is_record = citation.path.endswith((".json", ".yaml", ".yml"))
    return f"{citation.path}#{citation.key.source_key}" if is_record else citation.path


# --- The gate ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteGate:
    """
    A `Gate`: the questions of `site.gate.questions`, asked of the draft under the site file of now
    and of the version before under its own.
    """

    site: Site
    files: CorpusFiles
    at: Callable[[Version, Site], Examinee]
    site_text: Callable[[VersionId], Awaitable[str]]
    progress: Progress

    async def judge(self, draft: Version, active: Version | None) -> GateReport:
        """Raises: CorpusInvalid where the questions can't be read; DatabaseUnavailable."""
        rows = await self._rows()
        total = len(rows) * (2 if active else 1)

        def tell(done: int) -> None:
            self.progress(IngestProgress(stage=Stage.ASKING, done=done, total=total))

        now = await examined(self.at(draft, self.site), rows, tell)
        before = None
        if active is not None:
            examinee = self.at(active, await self._site_of(active))
            before = await examined(examinee, rows, lambda done: tell(len(rows) + done))
        return compared(rows, now, before, self.site.gate.tolerance, active.id if active else None)

    async def _rows(self) -> tuple[Expected, ...]:
        path = self.site.gate.questions
        try:
            document = await self.files.read(path)
        except DocumentRefused as exc:
            raise CorpusInvalid(
                f"gate.questions names {path}, which {exc.reason}; nothing was published"
            ) from exc
        return questions_of(document.raw, path)

    async def _site_of(self, version: Version) -> Site:
        """The version's own site file; the one of now where this code can't read it any more."""
        try:
            return load_site(await self.site_text(version.id))
        except SiteInvalid:
            return self.site
