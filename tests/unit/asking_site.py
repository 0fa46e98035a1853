"""A small site and an asker on it, for the tests of the question's way."""

from dataclasses import dataclass, field
from typing import Any

from magpie.asking.front import Family
from magpie.asking.pipeline import Asker
from magpie.asking.rating import Ratings
from magpie.asking.receipts import Receipts
from magpie.asking.tickets import Tickets
from magpie.asking.trail import Clock
from magpie.model import AnswerId, AnswerPart, Delta, Done, Question, Viewer
from magpie.site import Site, load_site
from tests.fakes import (
    FakeAsks,
    FakeCatalogue,
    FakeClassifier,
    FakeLimiter,
    FakePlanner,
    FakeRecords,
    FakeRouter,
    FakeStops,
    FakeWriter,
    passage,
)

KEY = "a signing key for tests, long enough"

SITE = """
site: {key: sennit, name: Sennit Works, url: "https://sennit.example", languages: [en, pt], hosts: [code.example]}
persona: {name: Fid, greeting: "Hello, Fid here.", disclosure: "Fid is a program."}
sources: [{path: "**/*.md"}]
speaking: {citations: per_sentence}
handover: {url: "https://sennit.example/contact/", label: "Morag", email: hello@sennit.example}
recommend: [article]
fixed:
  - {words: [suicide], answers: {en: "Please call a helpline now.", pt: "Por favor, ligue já."}, url: "https://sennit.example/help/"}
actions:
  - {words: [meeting, call], labels: {en: Book a call, pt: Marcar uma chamada}, url: "https://sennit.example/book/", kind: booking}
"""


def site(**changes: Any) -> Site:
    """The site with top-level sections replaced, or single keys of `speaking`."""
    loaded = load_site(SITE)
    speaking = loaded.speaking.model_copy(update=changes.pop("speaking", {}))
    return loaded.model_copy(update={"speaking": speaking, **changes})


@dataclass
class Desk:
    """An asker with all its fakes in reach; also what the chat application takes as its runtime."""

    site: Site = field(default_factory=site)
    catalogue: FakeCatalogue = field(default_factory=FakeCatalogue)
    router: FakeRouter = field(default_factory=lambda: FakeRouter(default=(passage(),)))
    classifier: FakeClassifier = field(default_factory=FakeClassifier)
    planner: FakePlanner = field(default_factory=FakePlanner)
    writer: Any = field(default_factory=FakeWriter)
    last_resort: Any = field(default_factory=lambda: FakeWriter(name="extractive", pieces=("Quoted. [1]",)))
    limiter: FakeLimiter = field(default_factory=FakeLimiter)
    asks: FakeAsks = field(default_factory=FakeAsks)
    stops: Any = field(default_factory=FakeStops)
    receipts: Receipts = field(default_factory=lambda: Receipts(KEY))
    tickets: Tickets = field(default_factory=lambda: Tickets(KEY))
    clock: Clock = field(default_factory=Clock)
    family: Any = None
    recorder: Any = None
    bands: dict[str, Any] = field(default_factory=dict)
    records: FakeRecords = field(default_factory=FakeRecords)

    def __post_init__(self) -> None:
        self.ratings = Ratings(self.site, self.records, self.receipts, self.tickets, self.clock)
        self.asker = Asker(
            site=self.site,
            catalogue=self.catalogue,
            router=self.router,
            family=self.family
            or Family(classifier=self.classifier, planner=self.planner, writer=self.writer),
            last_resort=self.last_resort,
            receipts=self.receipts,
            recorder=self.recorder,
            clock=self.clock,
            **self.bands,
        )

    def question(self, text: str, **more: Any) -> Question:
        known = {"id": AnswerId("a1"), "viewer": Viewer(), "deadline": self.clock.monotonic() + 10}
        return Question(text=text, **{**known, **more})

    async def ask(self, text: str, **more: Any) -> list[AnswerPart]:
        return [part async for part in self.asker.ask(self.question(text, **more))]


def said(parts: list[AnswerPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, Delta))


def done(parts: list[AnswerPart]) -> Done:
    last = parts[-1]
    assert isinstance(last, Done), last
    return last


def only(parts: list[AnswerPart], kind: type) -> list[Any]:
    return [part for part in parts if isinstance(part, kind)]
