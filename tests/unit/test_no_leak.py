"""Whatever a search gives by mistake: nothing internal reaches a guest, on any of the ways out."""

import asyncio
import base64
import json
import random
from dataclasses import dataclass, field, replace
from typing import Any

from magpie.asking.events import event
from magpie.model import ChatPiece, Done, Passage, RouteAnswer, Viewer, Visibility
from magpie.ports import WritingTask
from tests.fakes import FakeRouter, passage
from tests.unit.asking_site import Desk, site

CASES = 10_000
POLICIES = ("one_first_party", "list", "per_sentence")
SECRET = "zzsecret"


def _passage(number: int) -> Passage:
    """Every other one is internal, and says so in each of its fields."""
    is_secret = number % 2 == 1
    mark = SECRET if is_secret else "open"
    found = passage(
        f"{mark} {number}: £{number}.",
        chunk=number,
        key=f"article:{mark}-{number}",
        title=f"Berth {mark} {number}",
        url=f"https://sennit.example/{mark}/{number}/",
        score=1 - number / 100,
        metadata={"record": f"{mark}{number}"},
    )
    return replace(found, visibility=Visibility.INTERNAL if is_secret else Visibility.PUBLIC)


POOL = tuple(_passage(number) for number in range(40))


@dataclass
class Parrot:
    """A writer that says all that it was shown."""

    name: str = "extractive"
    shown: list[str] = field(default_factory=list)

    async def write(self, task: WritingTask) -> Any:
        self.shown.append(repr(task))
        said = " ".join(f"{item.text} [{item.number}]" for item in task.evidence)
        yield ChatPiece(text=f"{said} {' '.join(task.directs)}")


class LeakyRouter(FakeRouter):
    """A search whose every filter has failed."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    async def answer(self, question: Any, items: Any, version: Any) -> tuple[RouteAnswer, ...]:
        found = tuple(self._chance.sample(POOL, self._chance.randint(1, 3)))
        certain = self._chance.random() < 0.5
        return tuple(
            RouteAnswer(route="semantic", item=item, passages=found, certain=certain) for item in items
        )


async def test_no_internal_chunk_in_ten_thousand_answers() -> None:
    """
    10,000 answers over a search that gives internal passages to guests: prompt, stream, citations,
    recommendations, receipt and trace hold nothing of them, and the trace counts what was withheld.
    """
    chance = random.Random(5)
    withheld = answered = 0
    for policy in POLICIES:
        parrot = Parrot()
        desk = Desk(site=site(speaking={"citations": policy}), router=LeakyRouter(chance), writer=parrot)
        for start in range(0, CASES // len(POLICIES) + 1, 100):
            questions = [f"Berth {start + number}?" for number in range(100)]
            for parts in await asyncio.gather(*(desk.ask(text) for text in questions)):
                end = parts[-1]
                assert isinstance(end, Done)
                told = json.dumps([event(part) for part in parts]) + json.dumps(dict(end.trace), default=str)
                assert SECRET not in told + _opened(end.receipt)
                withheld += end.trace["counts"].get("passages_withheld", 0)
                answered += 1
        assert SECRET not in "".join(parrot.shown)

    assert answered >= CASES
    assert withheld > CASES / 2


async def test_an_insider_is_told() -> None:
    """
    The same search tells an insider what it found, so that the test above can fail.
    """
    insider = Viewer(role="admin", visibilities=frozenset(Visibility), identified=True)
    parrot = Parrot()
    desk = Desk(router=FakeRouter(default=POOL[:4]), writer=parrot)

    parts = await desk.ask("What does berth 1 cost?", viewer=insider)

    assert SECRET in json.dumps([event(part) for part in parts])
    assert SECRET in parrot.shown[0]


def _opened(receipt: str) -> str:
    """A receipt's payload as its bearer can read it."""
    body = receipt.split(".")[-2]
    return base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode(errors="replace")
